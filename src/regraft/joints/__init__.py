"""Joint types: the contract, one short file per type, and the registry. Nothing outside this folder knows a joint type."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._jit import entry
from ..memory import store
from ..pose import Pose
from ..rotations import identity_pose
from .contract import PARAMETERS, JointKernels, JointType, padded_parameters
from .cylindrical import Cylindrical
from .dispatch import (
    columns_chain,
    difference_chain,
    integrate_chain,
    limit_chain,
    normalise_chain,
    parameters,
    rates_chain,
    transform_chain,
)
from .fixed import Fixed
from .free import Free
from .helical import Helical
from .limits import Limits
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spherical import Spherical
from .universal import Universal

# The registry. A joint's kind is its place here; the most common types come first because kernels try them in this order.
JOINT_TYPES: tuple[type[JointType], ...] = (
    Revolute,
    Free,
    Spherical,
    Prismatic,
    Fixed,
    Universal,
    Cylindrical,
    Planar,
    Helical,
)

KIND = {joint: kind for kind, joint in enumerate(JOINT_TYPES)}
BY_NAME = {joint.__name__: joint for joint in JOINT_TYPES}

joint_transform = transform_chain(JOINT_TYPES)
joint_columns = columns_chain(JOINT_TYPES)
joint_rates = rates_chain(JOINT_TYPES)
joint_integrate = integrate_chain(JOINT_TYPES)
joint_difference = difference_chain(JOINT_TYPES)
joint_normalise = normalise_chain(JOINT_TYPES)
joint_limit = limit_chain(JOINT_TYPES)


@entry
def _relative_pose(kind: int, par: Any, q: Any, out: Any) -> None:
    R, p = joint_transform(kind, parameters(par, 0, 0, 0.0), q, 0)
    store(out, 0, 0, R)
    store(out, 0, 9, p)


@entry
def _screws(kind: int, par: Any, q: Any, out: Any) -> None:
    joint_columns(kind, parameters(par, 0, 0, 0.0), q, 0, identity_pose(0.0), out, 0, 0)


def screws(joint: JointType, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The joint's columns at q, as rows (nv, 6), in the axes and about the origin of its child's frame."""
    out = np.empty((joint.nv, 6))
    _screws(KIND[type(joint)], np.array([padded_parameters(joint)]), q, out)
    return out


@entry
def _screw_rates(kind: int, par: Any, q: Any, v: Any, out: Any) -> None:
    joint_rates(kind, parameters(par, 0, 0, 0.0), q, 0, v, identity_pose(0.0), out, 0, 0)


def screw_rates(joint: JointType, q: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    """How the joint's columns change at q and v, as rows (nv, 6), in the axes and about the origin of its child's frame."""
    out = np.zeros((joint.nv, 6))
    if joint.kernels.rates is not None:
        _screw_rates(KIND[type(joint)], np.array([padded_parameters(joint)]), q, v, out)
    return out


def relative_pose(joint: JointType, q: NDArray[np.float64]) -> Pose:
    """The pose of the child's joint frame in the parent's at the joint position q."""
    out = np.empty((1, 12))
    _relative_pose(KIND[type(joint)], np.array([padded_parameters(joint)]), q, out)
    return Pose(out[0, :9].reshape(3, 3), out[0, 9:])


__all__ = [
    "BY_NAME",
    "JOINT_TYPES",
    "KIND",
    "PARAMETERS",
    "Cylindrical",
    "Fixed",
    "Free",
    "Helical",
    "JointKernels",
    "JointType",
    "Limits",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
    "joint_columns",
    "joint_difference",
    "joint_integrate",
    "joint_limit",
    "joint_normalise",
    "joint_rates",
    "joint_transform",
    "padded_parameters",
    "parameters",
    "relative_pose",
    "screw_rates",
    "screws",
]
