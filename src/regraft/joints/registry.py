"""The registry of joint types, and the dispatch from a kind in an array to the kernels of its type."""

from __future__ import annotations

from itertools import accumulate

from .contract import JointType
from .cylindrical import Cylindrical
from .dispatch import (
    Form,
    advance_switch,
    carry_switch,
    columns_switch,
    depart_switch,
    difference_switch,
    integrate_switch,
    limit_switch,
    nearest_switch,
    normalise_switch,
    place_switch,
    pull_switch,
    rate_switch,
    rates_switch,
    reach_switch,
    tabled_switch,
    tangent_switch,
    transform_switch,
)
from .fixed import Fixed
from .free import Free
from .guided import Guided
from .helical import Helical
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spherical import Spherical
from .universal import Universal

# The most common types come first because kernels try them in this order.
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
    Guided,
)

FORMS = tuple(
    Form(joint.nq, joint.nv, kernels, joint.tabled) for joint in JOINT_TYPES for kernels in (joint.kernels, *joint.forms)
)
"""The kinds that kernels tell apart: each type, followed by its special forms."""

_FIRST = dict(zip(JOINT_TYPES, accumulate((1 + len(joint.forms) for joint in JOINT_TYPES), initial=0), strict=False))
BY_NAME = {joint.__name__: joint for joint in JOINT_TYPES}


def kind_of(joint: JointType) -> int:
    """The number by which kernels know a joint."""
    return _FIRST[type(joint)] + joint.form()


def is_registered(joint: JointType) -> bool:
    """Whether kernels know a joint's type."""
    return type(joint) in _FIRST


joint_transform = transform_switch(FORMS)
joint_place = place_switch(FORMS)
joint_columns = columns_switch(FORMS)
joint_nearest = nearest_switch(FORMS)
joint_rates = rates_switch(FORMS)
joint_integrate = integrate_switch(FORMS)
joint_rate = rate_switch(FORMS)
joint_tangent = tangent_switch(FORMS)
joint_pull = pull_switch(FORMS)
joint_difference = difference_switch(FORMS)
joint_normalise = normalise_switch(FORMS)
joint_depart = depart_switch(FORMS)
joint_reach = reach_switch(FORMS)
joint_carry = carry_switch(FORMS, "carry")
joint_carry_back = carry_switch(FORMS, "carry_back")
joint_advance = advance_switch(FORMS)
joint_limit = limit_switch(FORMS)
joint_tabled = tabled_switch(FORMS)
