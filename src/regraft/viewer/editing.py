"""Changes of structure as a page asks for them: cut, connect, make the root."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..ask.balance import energy
from ..ask.poses import body_poses
from ..change import connect, cut, reroot
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import StructureError
from ..joints import Free
from .words import joint_of, named, numbers, point, taken, vector

Array = NDArray[np.float64]


class Edit(NamedTuple):
    """A change that was made."""

    mech: Mechanism
    state: State
    words: str
    lines: tuple[str, ...]


def cut_off(mech: Mechanism, state: State, joint: str) -> Edit:
    """Without a joint."""
    after = cut(mech, state, joint)
    words = f"Cut the joint {named(joint)}."
    new = [name for name in after[0].joints if name not in mech.joints]
    if new:
        floating = after[0].joints[new[0]]
        words += (
            f" {named(floating.child if floating.parent == WORLD else floating.parent)} floats, on the joint {named(new[0])}."
        )
    opened = [name for name in mech.loop_joints if name != joint and name not in after[0].loop_joints]
    if opened:
        words += f" {named(opened[0])}, which closed a loop, is a tree joint now."
    return Edit(*after, words, (f"mech, state = rg.cut(mech, state, {joint!r})",))


def meeting_point(mech: Mechanism, state: State, body_a: str, body_b: str) -> Array:
    """Where a joint between two bodies would sit: midway between their centres of mass; with the world, at the body's."""
    poses = body_poses(mech, state)
    centres = [poses[name].apply(mech.bodies[name].inertia.com) for name in (body_a, body_b) if name in mech.bodies]
    if not centres:
        raise StructureError("the world cannot be connected to itself; pick two bodies.")
    return np.asarray(np.mean(centres, axis=0))


def connected(mech: Mechanism, state: State, body_a: str, body_b: str, choice: str, at: ArrayLike | None) -> Edit:
    """With a joint more."""
    if body_a == body_b:
        raise StructureError(f"the body {body_a!r} cannot be connected to itself; pick two bodies.")
    joint, code = joint_of(choice)
    place = meeting_point(mech, state, body_a, body_b) if at is None else numbers("at", at, 3)
    name = unused_name(mech, f"{body_a}_{body_b}")
    after = connect(mech, state, body_a, body_b, joint=joint, at=place, name=name)
    loss = taken(energy(mech, state).kinetic, energy(*after).kinetic)
    words = f"Connected {named(body_a)} and {named(body_b)} by a {choice} joint, {named(name)}, at {point(place)}.{loss}"
    given = f"{body_a!r}, {body_b!r}, joint={code}, at={vector(place)}, name={name!r}"
    return Edit(*after, words, (f"mech, state = rg.connect(mech, state, {given})",))


def rooted(mech: Mechanism, state: State, body: str, choice: str, impact: bool, at: ArrayLike | None) -> Edit:
    """With another root."""
    joint, code = (Free(), "rg.Free()") if choice == "Free" else joint_of(choice)
    name = unused_name(mech, f"{body}_base")
    velocity = "impact" if impact else "carry"
    place = None if at is None else numbers("at", at, 3)
    after = reroot(mech, state, body, at=place, joint=joint, name=name, velocity=velocity, align="current")
    loss = taken(energy(mech, state).kinetic, energy(*after).kinetic) if impact else ""
    where = "" if place is None else f" at {point(place)}"
    how = "caught by" if impact else "on"
    words = f"Made {named(body)} the root, {how} a {choice} joint, {named(name)}{where}.{loss}"
    given = f"{body!r}, joint={code}, name={name!r}, velocity={velocity!r}, align='current'"
    given += "" if place is None else f", at={vector(place)}"
    return Edit(*after, words, (f"mech, state = rg.reroot(mech, state, {given})",))


def unused_name(mech: Mechanism, wanted: str) -> str:
    """A name for a joint that no other has, nor has had as a base."""
    name, count = wanted, 2
    while name in mech.joints:
        name, count = f"{wanted}_{count}", count + 1
    return name
