"""Maximal coordinates: every body has its own pose and velocity, and the joints hold the bodies together by forces."""

from .free_bodies import FreeBodies, to_maximal, to_reduced
from .skeleton import Skeleton
from .skeleton_dynamics import JointForces, accelerations, equations, joint_forces, step
from .skeleton_of import skeleton_of
from .skeleton_state import Gaps, SkeletonState, energy, gaps, momentum

__all__ = [
    "FreeBodies",
    "Gaps",
    "JointForces",
    "Skeleton",
    "SkeletonState",
    "accelerations",
    "energy",
    "equations",
    "gaps",
    "joint_forces",
    "momentum",
    "skeleton_of",
    "step",
    "to_maximal",
    "to_reduced",
]
