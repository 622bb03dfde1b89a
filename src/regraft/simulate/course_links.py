"""The links of a course: changes of structure as numbers, for the kernels of `course_changes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import MOTION, POSE, Pose
from ..ask.places import known_place
from ..compilation import address_of
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import RegraftError
from ..joints import kind_of, padded_parameters
from ..kernels.memory import GEOMETRY_AT
from ..kernels.tables import GEOMETRY, JOINT, PARENT, POLARITY, T
from ..structure.structure import Structure
from . import course_changes as kernels
from .ready_changes import Grip, Release, Strike

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Part = Strike | Grip | Release


class NotReadyError(Exception):
    """Something has a part in the motion that is a function in Python, or that a course does not know; the message says what."""


class Links(NamedTuple):
    """A chain of links, and what they refer to."""

    rows: Integers
    kept: list[Any]


def mechanisms_through(parts: Sequence[Part], mech: Mechanism, state: State) -> list[tuple[Mechanism, State]]:
    """The structures that changes lead through, each with memory of its own, and a state of each; without the first."""
    found, now = [], (mech, state)
    for part in parts:
        if isinstance(part, Grip) and part.at is None:
            raise NotReadyError(f"{_said(part)} takes hold wherever it is; say with at=... which frame it meets")
        action = replace(part, past=None) if isinstance(part, Strike) else part
        try:
            after, there = action(*now)
        except RegraftError as problem:
            raise NotReadyError(f"{_said(part)} cannot happen: {problem}") from problem
        own = after.joined_by(after.joints)
        now = own, State(own.layout, there._x)
        found.append(now)
    return found


def chain(parts: Sequence[Part], mechs: Sequence[Mechanism], handles: Sequence[int]) -> Links:
    """The links of changes that lead through structures, from the first to the last, with a workspace of each."""
    links = Links(np.zeros((len(parts), kernels.LINK), np.int64), list(mechs))
    for part, row, *ends in zip(parts, links.rows, mechs, mechs[1:], handles, handles[1:], strict=False):
        before, after, row[kernels.BEFORE], row[kernels.AFTER] = ends
        row[kernels.NQ : kernels.NEW_NV + 1] = before.nq, before.nv, after.nq, after.nv
        _keep_what_stays(links, row, before, after, part.name if isinstance(part, Strike) else None)
        if isinstance(part, Strike):
            _land(links, row, part, before, after)
        elif isinstance(part, Grip):
            _take_hold(row, after)
        else:
            _go_on(links, row, part, before, after)
    return links


def present(mech: Mechanism, x: Array) -> tuple[Mechanism, State]:
    """The mechanism of a place with its joints to the world where the tables have them, and a state of it."""
    structure, joints = mech.structure, dict(mech.joints)
    for name, k in _world_joints(structure).items():
        joint = joints[name]
        place = Pose(joint.parent_pose.rotation, structure.work.table(GEOMETRY_AT, k + 1, GEOMETRY)[k, T : T + 3])
        if structure.walk[k, POLARITY] == 1:
            joints[name] = replace(joint, parent_pose=place)
    found = mech.joined_by(joints)
    return found, State(found.layout, x[: mech.nq + mech.nv].copy())


def _said(part: Part) -> str:
    if isinstance(part, Release):
        return f"the release of {part.name!r}"
    return f"the strike of {part.foot!r}" if isinstance(part, Strike) else f"the grip of {part.hand!r}"


def _world_joints(structure: Structure) -> dict[str, int]:
    """The joints between trees and the world, with their rows."""
    walk = structure.walk
    return {structure.joint_names[walk[k, JOINT]]: k for k in np.flatnonzero(walk[:, PARENT] < 0).tolist()}


def _address(links: Links, numbers: NDArray[Any]) -> int:
    """Where numbers lie for as long as the links are there."""
    links.kept.append(numbers)
    return int(numbers.ctypes.data)


def _keep_what_stays(links: Links, row: Integers, before: Mechanism, after: Mechanism, new: str | None) -> None:
    """Where the state after takes its numbers from, and which joints to the world stay where they are."""
    old, now = before.layout, after.layout
    sources = np.full(now.nq + now.nv, -1, np.int64)
    for name in now.q_slices:
        if name != new and name in old.q_slices:
            sources[now.q_slices[name]] = np.arange(old.nq)[old.q_slices[name]]
            sources[now.nq :][now.v_slices[name]] = old.nq + np.arange(old.nv)[old.v_slices[name]]
    held, holding = _world_joints(before.structure), _world_joints(after.structure)
    pairs = [(held[name], k) for name, k in holding.items() if name != new and name in held]
    for name in holding:
        if name in held and before.structure.walk[held[name], POLARITY] != after.structure.walk[holding[name], POLARITY]:
            raise NotReadyError(f"the base joint {name!r} is turned round")
    staying = np.array(pairs, np.int64).reshape(-1, 2)
    row[kernels.SOURCES], row[kernels.STAYING] = _address(links, sources), _address(links, staying)
    row[kernels.STAYING_COUNT] = len(staying)
    size = 2 * (now.nq + now.nv) + 6 * len(now.loops) + 2 * MOTION + 12 * 6
    row[kernels.ROOM] = _address(links, np.zeros(size))


def _land(links: Links, row: Integers, part: Strike, before: Mechanism, after: Mechanism) -> None:
    """A strike: where the foot is, and what it must be past."""
    body, foot = known_place(before, part.foot)
    old, new, base = before.structure, after.structure, after.joints[part.name]
    k = new.row_of[body]
    if new.walk[k, POLARITY] != 1 or base.child != body or not np.array_equal(base.child_pose.rotation, np.eye(3)):
        raise NotReadyError(f"the base joint {part.name!r} stands the other way round")
    if before.layout.is_constrained:
        raise NotReadyError(f"{_said(part)} happens while loops are closed")
    number = np.zeros(kernels.STRIKE_NUMBERS)
    number[kernels.POINT : kernels.POINT + 3] = old.point(body, foot.translation)
    row[kernels.KERNEL], row[kernels.PAST_ROW] = address_of(kernels.strike), -1
    row[kernels.TOP], row[kernels.NEW_TOP] = old.row_of[body], k
    if part.past is not None:
        other, at = known_place(before, part.past.frame)
        if other not in old.row_of:
            raise NotReadyError(f"the frame {part.past.frame!r} is on the world")
        row[kernels.PAST_ROW] = old.row_of[other]
        number[kernels.PAST_POINT : kernels.PAST_POINT + 3] = old.point(other, at.translation)
        number[kernels.ALONG : kernels.ALONG + 3] = part.past.along
        number[kernels.LEAST] = part.past.least
    row[kernels.NUMBERS] = _address(links, number)


def _take_hold(row: Integers, after: Mechanism) -> None:
    """A grip between two frames."""
    row[kernels.KERNEL], row[kernels.LOOPS] = address_of(kernels.hold), len(after.layout.loops)


def _go_on(links: Links, row: Integers, part: Release, before: Mechanism, after: Mechanism) -> None:
    """A release: the joints that get their numbers from the motion of their bodies."""
    names = [name for name in after.layout.q_slices if name not in before.layout.q_slices]
    joints, numbers = np.zeros((len(names), kernels.JOINT), np.int64), np.zeros((len(names), kernels.JOINT_NUMBERS))
    for name, whole, number in zip(names, joints, numbers, strict=True):
        joint = (before if name in before.joints else after).joints[name]  # the place after may have it elsewhere on the world
        if joint.type.turns and (joint.type.limits is not None or joint.type.stiffness.any()):
            raise NotReadyError(f"after {_said(part)} joint {name!r} has limits or a spring, which count its turns")
        q, v = after.layout.q_slices[name], after.layout.v_slices[name]
        rows = [-1 if body == WORLD else before.structure.row_of[body] for body in (joint.parent, joint.child)]
        on_world = _world_joints(after.structure).get(name, -1) if joint.parent == WORLD else -1
        whole[:] = kind_of(joint.type), *rows, q.start, q.stop - q.start, v.start, v.stop - v.start, on_world
        number[: kernels.PARAMETERS] = joint.places().ravel()
        number[kernels.PARAMETERS :] = padded_parameters(joint.type)
    row[kernels.KERNEL], row[kernels.JOINT_COUNT] = address_of(kernels.go_on_in), len(names)
    row[kernels.JOINTS], row[kernels.NUMBERS] = _address(links, joints), _address(links, numbers)


assert kernels.PARAMETERS == 2 * POSE, "the two frames of a joint come first"
