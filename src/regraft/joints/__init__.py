"""Joint types: the contract, one short file per type, and the registry. Nothing outside this folder knows a joint type."""

from .contract import PARAMETERS, JointKernels, JointType, padded_parameters
from .curves import Curve
from .cylindrical import Cylindrical
from .dispatch import parameters
from .fixed import Fixed
from .free import Free
from .guided import Guided
from .helical import Helical
from .limits import Limits
from .planar import Planar
from .prismatic import Prismatic
from .registry import (
    BY_NAME,
    FORMS,
    JOINT_TYPES,
    is_registered,
    joint_advance,
    joint_carry,
    joint_carry_back,
    joint_columns,
    joint_depart,
    joint_difference,
    joint_integrate,
    joint_limit,
    joint_nearest,
    joint_normalise,
    joint_place,
    joint_pull,
    joint_rate,
    joint_rates,
    joint_reach,
    joint_tabled,
    joint_tangent,
    joint_transform,
    kind_of,
)
from .revolute import Revolute
from .settings import is_left_out
from .single import Settling, nearest_position, nearest_velocity, screw_rates, screws, settle, settle_joint, within_limits
from .spherical import Spherical
from .universal import Universal

__all__ = [
    "BY_NAME",
    "FORMS",
    "JOINT_TYPES",
    "PARAMETERS",
    "Curve",
    "Cylindrical",
    "Fixed",
    "Free",
    "Guided",
    "Helical",
    "JointKernels",
    "JointType",
    "Limits",
    "Planar",
    "Prismatic",
    "Revolute",
    "Settling",
    "Spherical",
    "Universal",
    "is_left_out",
    "is_registered",
    "joint_advance",
    "joint_carry",
    "joint_carry_back",
    "joint_columns",
    "joint_depart",
    "joint_difference",
    "joint_integrate",
    "joint_limit",
    "joint_nearest",
    "joint_normalise",
    "joint_place",
    "joint_pull",
    "joint_rate",
    "joint_rates",
    "joint_reach",
    "joint_tabled",
    "joint_tangent",
    "joint_transform",
    "kind_of",
    "nearest_position",
    "nearest_velocity",
    "padded_parameters",
    "parameters",
    "screw_rates",
    "screws",
    "settle",
    "settle_joint",
    "within_limits",
]
