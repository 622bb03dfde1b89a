"""Which joints rub: the velocities of all joints that have dry friction."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from ...describe.mechanism import Mechanism


class Rub(NamedTuple):
    """One velocity of a joint with dry friction."""

    joint: str
    place: int
    """Its place among the velocities of all joints."""
    torque: float
    """The friction."""
    loop: int
    """The number of its joint among those that close loops; −1 for a joint of the tree."""
    own: int
    """Which velocity of its joint it is."""


def rubs_of(mech: Mechanism, prescribed: Container[str]) -> tuple[Rub, ...]:
    """All of a mechanism, but of joints that move as prescribed whatever their friction."""
    if not has_friction(mech):
        return ()
    loops = {name: l for l, (name, *_) in enumerate(mech.layout.loops)}
    return tuple(
        Rub(name, where.start + own, torque, loops.get(name, -1), own)
        for name, where in mech.coordinates.slices.items()
        for own, torque in enumerate(mech.joints[name].type.friction.tolist())
        if torque > 0.0 and name not in prescribed
    )


def has_friction(mech: Mechanism) -> bool:
    """Whether any joint has dry friction."""
    return any(joint.type.friction.any() for joint in mech.joints.values() if joint.type.nv)
