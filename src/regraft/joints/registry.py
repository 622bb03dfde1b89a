"""The registry of joint types, and the dispatch from a kind in an array to the kernels of its type."""

from __future__ import annotations

from .contract import JointType
from .cylindrical import Cylindrical
from .dispatch import (
    columns_chain,
    difference_chain,
    integrate_chain,
    limit_chain,
    nearest_chain,
    normalise_chain,
    rates_chain,
    tangent_chain,
    transform_chain,
)
from .fixed import Fixed
from .free import Free
from .helical import Helical
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spherical import Spherical
from .universal import Universal

# A joint's kind is its place here; the most common types come first because kernels try them in this order.
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
joint_nearest = nearest_chain(JOINT_TYPES)
joint_rates = rates_chain(JOINT_TYPES)
joint_integrate = integrate_chain(JOINT_TYPES)
joint_tangent = tangent_chain(JOINT_TYPES)
joint_difference = difference_chain(JOINT_TYPES)
joint_normalise = normalise_chain(JOINT_TYPES)
joint_limit = limit_chain(JOINT_TYPES)
