"""Maximal coordinates: every body has its own pose and velocity, and the joints hold the bodies together by forces."""

from .free_bodies import FreeBodies, to_maximal, to_reduced
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
