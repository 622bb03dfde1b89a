"""Regraft: dynamics of articulated rigid bodies whose structure changes while they move."""

from . import gait, models
from ._version import __version__
from .balance import Energy, Momentum, center_of_mass, energy, momentum
from .batch import forward_dynamics_batch
from .dynamics import (
    Derivatives,
    actuator_torques,
    bias_force,
    derivatives,
    forward_dynamics,
    inverse_dynamics,
    joint_reactions,
    mass_matrix,
)
from .errors import AssemblyError, ModelError, RegraftError, SimulationError, StructureError
from .hierarchy import Hierarchy, hierarchy
from .inertia import Inertia
from .joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    JointType,
    Limits,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from .loading import load
from .loops import Mobility, assemble, consistent_acceleration, loop_jacobian, loop_jacobian_rate, mobility
from .maximal import to_maximal, to_reduced
from .mechanism import Mechanism
from .motion import (
    body_poses,
    body_twists,
    difference,
    frame_pose,
    frame_position,
    frame_twist,
    integrate,
    jacobian,
    jacobian_rate,
    normalise,
)
from .parts import Body, Frame, Joint, Spring
from .pose import Pose
from .simulate import STOP, Event, InitialValueProblem, Trajectory, as_ivp, at_time, join, simulate, when_frame_below, when_joint
from .state import JointState, State
from .structure import Connection, connect, connect_all, cut, reroot

__all__ = [
    "STOP",
    "AssemblyError",
    "Body",
    "Connection",
    "Cylindrical",
    "Derivatives",
    "Energy",
    "Event",
    "Fixed",
    "Frame",
    "Free",
    "Helical",
    "Hierarchy",
    "Inertia",
    "InitialValueProblem",
    "Joint",
    "JointState",
    "JointType",
    "Limits",
    "Mechanism",
    "Mobility",
    "ModelError",
    "Momentum",
    "Planar",
    "Pose",
    "Prismatic",
    "RegraftError",
    "Revolute",
    "SimulationError",
    "Spherical",
    "Spring",
    "State",
    "StructureError",
    "Trajectory",
    "Universal",
    "__version__",
    "actuator_torques",
    "as_ivp",
    "assemble",
    "at_time",
    "bias_force",
    "body_poses",
    "body_twists",
    "center_of_mass",
    "connect",
    "connect_all",
    "consistent_acceleration",
    "cut",
    "derivatives",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_dynamics_batch",
    "frame_pose",
    "frame_position",
    "frame_twist",
    "gait",
    "hierarchy",
    "integrate",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "join",
    "joint_reactions",
    "load",
    "loop_jacobian",
    "loop_jacobian_rate",
    "mass_matrix",
    "mobility",
    "models",
    "momentum",
    "normalise",
    "reroot",
    "simulate",
    "to_maximal",
    "to_reduced",
    "when_frame_below",
    "when_joint",
]
