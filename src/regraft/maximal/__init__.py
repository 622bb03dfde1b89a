"""Maximal coordinates: every body has its own pose and velocity, and the joints hold the bodies together by forces."""

from .skeleton import (
    Gaps,
    JointForces,
    Skeleton,
    SkeletonState,
    accelerations,
    energy,
    equations,
    gaps,
    joint_forces,
    momentum,
    step,
)
from .skeleton_of import skeleton_of

__all__ = [
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
]
