"""Regraft: dynamics of articulated rigid bodies whose structure changes while they move."""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import gait, mocap, models
from ._version import __version__
from .algebra.pose import Pose
from .ask.acceleration import consistent_acceleration
from .ask.assembly import assemble
from .ask.balance import Energy, Momentum, center_of_mass, energy, momentum
from .ask.batch import (
    derivatives_batch,
    forward_dynamics_batch,
    frame_positions_batch,
    inverse_dynamics_batch,
    mass_matrix_batch,
)
from .ask.controls import control_torques
from .ask.derivatives import (
    Derivatives,
    InverseDerivatives,
    MomentumDerivatives,
    derivatives,
    inverse_dynamics_derivatives,
    momentum_derivatives,
)
from .ask.forward import forward_dynamics
from .ask.frame_jacobian import jacobian, jacobian_rate
from .ask.hierarchy import Hierarchy, hierarchy
from .ask.inverse import actuator_torques, bias_force, inverse_dynamics, mass_matrix
from .ask.inverse_kinematics import InverseKinematics, inverse_kinematics
from .ask.loop_jacobian import loop_jacobian, loop_jacobian_rate
from .ask.manifold import difference, integrate, normalise
from .ask.mobility import Mobility, mobility
from .ask.poses import body_poses, body_twists, frame_pose, frame_position, frame_twist
from .ask.prescribed import prescribed_torques
from .ask.reactions import joint_reactions
from .ask.targets import JointTarget, Marker, PoseTarget
from .change import ChangeDerivatives, Connection, change_derivatives, connect, connect_all, cut, reroot
from .describe.contacts import Contact
from .describe.grounds import Ground, Surface, ground, surface
from .describe.inertia import Inertia
from .describe.mechanism import Mechanism
from .describe.merging import merge, merge_states
from .describe.parts import Actuator, Body, Coupling, Frame, Joint, Keyframe, Shape, Spring
from .describe.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from .describe.state import JointState, State
from .errors import (
    AssemblyError,
    FileError,
    MissingPackageError,
    ModelError,
    RegraftError,
    RegraftWarning,
    SimulationError,
    StructureError,
    SweepError,
)
from .files.loading import load
from .files.reading import Reading, read
from .files.report import Finding, Report
from .joints import (
    Curve,
    Cylindrical,
    Fixed,
    Free,
    Guided,
    Helical,
    JointType,
    Limits,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from .learning.steps import StepDerivatives, step_derivatives
from .maximal import to_maximal, to_reduced
from .review.checking import check
from .review.remark import Remark
from .simulate import (
    ALL,
    PASS,
    STOP,
    Batch,
    Controls,
    Event,
    Grip,
    InitialValueProblem,
    Law,
    Measure,
    Release,
    Strike,
    Trajectory,
    as_ivp,
    at_time,
    controls,
    grip,
    join,
    law,
    release,
    simulate,
    simulate_batch,
    strike,
    when_frame_below,
    when_joint,
)
from .sweeping.grids import samples
from .sweeping.sweep import sweep

__all__ = [
    "ALL",
    "PASS",
    "STOP",
    "Actuator",
    "AssemblyError",
    "Batch",
    "Body",
    "Box",
    "Capsule",
    "ChangeDerivatives",
    "Connection",
    "Contact",
    "Controls",
    "Coupling",
    "Curve",
    "Cylinder",
    "Cylindrical",
    "Derivatives",
    "Ellipsoid",
    "Energy",
    "Event",
    "FileError",
    "Finding",
    "Fixed",
    "Frame",
    "Free",
    "Grip",
    "Ground",
    "Guided",
    "Helical",
    "Hierarchy",
    "Inertia",
    "InitialValueProblem",
    "InverseDerivatives",
    "InverseKinematics",
    "Joint",
    "JointState",
    "JointTarget",
    "JointType",
    "Keyframe",
    "Law",
    "Limits",
    "Marker",
    "Measure",
    "Mechanism",
    "Mesh",
    "MissingPackageError",
    "Mobility",
    "ModelError",
    "Momentum",
    "MomentumDerivatives",
    "Planar",
    "Plane",
    "Pose",
    "PoseTarget",
    "Prismatic",
    "Reading",
    "RegraftError",
    "RegraftWarning",
    "Release",
    "Remark",
    "Report",
    "Revolute",
    "Shape",
    "SimulationError",
    "Sphere",
    "Spherical",
    "Spring",
    "State",
    "StepDerivatives",
    "Strike",
    "StructureError",
    "Surface",
    "SweepError",
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
    "change_derivatives",
    "check",
    "connect",
    "connect_all",
    "consistent_acceleration",
    "control_torques",
    "controls",
    "cut",
    "derivatives",
    "derivatives_batch",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_dynamics_batch",
    "frame_pose",
    "frame_position",
    "frame_positions_batch",
    "frame_twist",
    "gait",
    "grip",
    "ground",
    "hierarchy",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "inverse_dynamics_derivatives",
    "inverse_kinematics",
    "jacobian",
    "jacobian_rate",
    "join",
    "joint_reactions",
    "law",
    "load",
    "loop_jacobian",
    "loop_jacobian_rate",
    "mass_matrix",
    "mass_matrix_batch",
    "merge",
    "merge_states",
    "mobility",
    "mocap",
    "models",
    "momentum",
    "momentum_derivatives",
    "normalise",
    "prescribed_torques",
    "read",
    "release",
    "reroot",
    "samples",
    "simulate",
    "simulate_batch",
    "step_derivatives",
    "strike",
    "surface",
    "sweep",
    "to_maximal",
    "to_reduced",
    "view",
    "when_frame_below",
    "when_joint",
]

if _TYPE_CHECKING:
    from .viewer.opening import view


def __getattr__(name: str) -> _Any:
    """What is imported when it is first asked for: only those who look pay for the viewer."""
    if name != "view":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .viewer.opening import view as found

    globals()[name] = found
    return found
