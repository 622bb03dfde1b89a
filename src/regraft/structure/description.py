"""The parts of a mechanism as arrays: what the tables of a structure are derived from.

Bodies are numbered as they were added, the world is −1. The joints of the tree, in the order in which they were added, are in the
`Description`; those that close loops are in `Closings`, as they come and go while the tree stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import float64, int64, types
from numpy.typing import NDArray

from ..algebra.pose import POSE
from ..compilation import declare
from ..joints import FORMS, PARAMETERS, JointType, is_left_out, kind_of, padded_parameters
from ..kernels.tables import (
    ARMATURE,
    COIL,
    COIL_REST,
    COIL_ROW,
    COIL_STIFFNESS,
    LIMIT,
    LIMIT_ROW,
    LOWER,
    POINT_B,
    SETTINGS,
    SPRING,
    STIFFNESS,
    UPPER,
)
from .layout import WORLD, Layout

if TYPE_CHECKING:
    from ..describe.parts import Body, Joint, Spring

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# columns of joints
PARENT_BODY, CHILD_BODY, KIND_OF, FIRST_Q, FIRST_V, END_V, VARYING = range(7)
# columns of numbers
ON_PARENT, ON_CHILD, JOINT_PARAMETERS = 0, POSE, 2 * POSE
# columns of closings; parent and child body and kind are those of joints
FREEDOM, VARYING_COLUMNS, CLOSING_PARAMETERS = 3, 4, 5
CLOSING_SETTINGS = CLOSING_PARAMETERS + PARAMETERS
CLOSING_ARMATURE = CLOSING_SETTINGS + 6 * ARMATURE
CLOSING_ON_PARENT = CLOSING_SETTINGS + 6 * SETTINGS
CLOSING_ON_CHILD = CLOSING_ON_PARENT + POSE
CLOSING = CLOSING_ON_CHILD + POSE

Ends = tuple[int, int]
"""A joint's parent and child."""


class Description(NamedTuple):
    """Bodies, springs, and the joints of the tree with their limits and springs, as arrays."""

    joints: Integers
    """(joints, 7): parent and child body, kind, first of q, first and end of v, 1 where the columns vary."""
    numbers: Array
    """(joints, 30): parent_pose and child_pose, each R in row order, then p; the joint type's parameters."""
    settings: Array
    """(SETTINGS, nv): damping, armature and friction of all joints."""
    inertias: Array
    """(bodies, 10): mass, centre of mass, moments."""
    spring_ends: Integers
    """(springs, 2): body of each end."""
    springs: Array
    """(springs, SPRING), points in the axes of their bodies."""
    limited: Integers
    """(limits, 3): joint, measure, 1 where it is an angle between two bounds that a pose gives up to whole turns."""
    limits: Array
    """(limits, LIMIT)."""
    coiled: Integers
    """(coils, COIL_ROW), of joints with springs: joint, a bit for each number that is an angle up to whole turns."""
    coils: Array
    """(coils, COIL)."""
    gravity: Array
    """(1, 3)."""
    joint_tables: Array
    """(1, numbers): the tables of joints that have some, each where the first of the joint's parameters says."""

    def with_joint(self, j: int, ends: Ends, joint: Joint) -> Description:
        """The description of a tree with another joint in the place of the j-th; bodies and springs are shared."""
        joints, numbers = self.joints.copy(), self.numbers.copy()
        _, _, kind, q, v, end, _ = joints[j].tolist()
        more_q, more_v = joint.type.nq - FORMS[kind].nq, v + joint.type.nv - end
        if more_q or more_v:
            joints[j + 1 :, FIRST_Q] += more_q
            joints[j + 1 :, FIRST_V : END_V + 1] += more_v
        joint_tables = without_table(self.joints[:, KIND_OF], numbers[:, JOINT_PARAMETERS], self.joint_tables, j)
        joints[j] = _joint_row(ends, joint.type, q, v)
        _fill_numbers(numbers[j], joint)
        joint_tables = with_table(numbers[:, JOINT_PARAMETERS], joint_tables, j, joint.type)
        settings = np.concatenate((self.settings[:, :v], _settings(joint.type), self.settings[:, end:]), axis=1)
        limited, limits = _exchanged(self.limited, self.limits, j, _limit_rows(j, joint.type))
        coiled, coils = _exchanged(self.coiled, self.coils, j, _coil_rows(j, joint.type))
        return self._replace(
            joints=joints, numbers=numbers, settings=settings, limited=limited, limits=limits, coiled=coiled, coils=coils,
            joint_tables=joint_tables,
        )  # fmt: skip


class Closings(NamedTuple):
    """The joints that close loops, as arrays."""

    rows: Array
    """(loops, CLOSING): parent and child body, kind, degrees of freedom, 1 where the columns vary; the joint type's parameters;
    damping, armature and friction, six numbers each; parent_pose and child_pose."""
    limited: Integers
    """(limits, 3), as in a description; the joint is counted among those that close loops."""
    limits: Array
    """(limits, LIMIT)."""
    coiled: Integers
    """(coils, COIL_ROW), likewise."""
    coils: Array
    """(coils, COIL)."""
    joint_tables: Array
    """(1, numbers), as in a description."""

    def with_one(self, ends: Ends, joint: Joint) -> Closings:
        """These and one joint more."""
        kind, l = joint.type, len(self.rows)
        rows = np.zeros((l + 1, CLOSING))
        if len(rows) > 1:
            rows[:-1] = self.rows
        _fill_closing(rows[-1], ends, joint)
        joint_tables = with_table(rows[:, CLOSING_PARAMETERS], self.joint_tables, l, kind)
        limited, limits = _exchanged(self.limited, self.limits, l, _limit_rows(l, kind, closes=True))
        coiled, coils = _exchanged(self.coiled, self.coils, l, _coil_rows(l, kind, closes=True))
        return Closings(rows, limited, limits, coiled, coils, joint_tables)

    def without(self, l: int) -> Closings:
        """These without the l-th."""
        limited, limits = _without(self.limited, self.limits, l)
        coiled, coils = _without(self.coiled, self.coils, l)
        rows = self.rows.copy()
        joint_tables = without_table(rows[:, KIND_OF], rows[:, CLOSING_PARAMETERS], self.joint_tables, l)
        return Closings(np.delete(rows, l, axis=0), limited, limits, coiled, coils, joint_tables)


_INTEGERS, _FLOATS = int64[:, ::1], float64[:, ::1]
_FIELDS = [_INTEGERS, _FLOATS, _FLOATS, _FLOATS, *3 * [_INTEGERS, _FLOATS], _FLOATS, _FLOATS]
declare("Description", types.NamedTuple(_FIELDS, Description))


def describe(
    bodies: Mapping[str, Body], joints: Mapping[str, Joint], springs: Mapping[str, Spring], layout: Layout, gravity: Array
) -> Description:
    """The bodies, the springs and the joints of the tree as arrays."""
    index = _numbers_of(bodies)
    tree = [joints[name] for name in layout.names]
    wiring, numbers = np.empty((len(tree), 7), np.int64), np.empty((len(tree), JOINT_PARAMETERS + PARAMETERS))
    settings, joint_tables = np.empty((SETTINGS, layout.nv)), _NO_TABLES
    for j, joint in enumerate(tree):
        ends = index[joint.parent], index[joint.child]
        wiring[j] = _joint_row(ends, joint.type, layout.q_slices[joint.name].start, layout.v_slices[joint.name].start)
        settings[:, layout.v_slices[joint.name]] = _settings(joint.type)
        _fill_numbers(numbers[j], joint)
        joint_tables = with_table(numbers[:, JOINT_PARAMETERS], joint_tables, j, joint.type)
    inertias = np.empty((len(bodies), 10))
    for b, body in enumerate(bodies.values()):
        inertia = body.inertia
        inertias[b, 0], inertias[b, 1:4] = inertia.mass, inertia.com
        inertias[b, 4:] = inertia.tensor.ravel()[[0, 1, 2, 4, 5, 8]]
    spring_ends, spring_numbers = np.empty((len(springs), 2), np.int64), np.empty((len(springs), SPRING))
    for s, spring in enumerate(springs.values()):
        spring_ends[s] = index[spring.body_a], index[spring.body_b]
        spring_numbers[s, :POINT_B], spring_numbers[s, POINT_B:STIFFNESS] = spring.point_a, spring.point_b
        spring_numbers[s, STIFFNESS:] = spring.stiffness, spring.damping, spring.rest_length
    return Description(
        wiring, numbers, settings, inertias, spring_ends, spring_numbers, *_all_limits(tree), *_all_coils(tree),
        np.array(gravity).reshape(1, 3), joint_tables,
    )  # fmt: skip


def describe_closings(bodies: Mapping[str, Body], loops: Sequence[Joint]) -> Closings:
    """The joints that close loops as arrays."""
    index, rows = _numbers_of(bodies), np.zeros((len(loops), CLOSING))
    joint_tables = _NO_TABLES
    for l, joint in enumerate(loops):
        _fill_closing(rows[l], (index[joint.parent], index[joint.child]), joint)
        joint_tables = with_table(rows[:, CLOSING_PARAMETERS], joint_tables, l, joint.type)
    return Closings(rows, *_all_limits(loops, closes=True), *_all_coils(loops, closes=True), joint_tables)


def _numbers_of(bodies: Iterable[str]) -> dict[str, int]:
    return {WORLD: -1} | {name: b for b, name in enumerate(bodies)}


def _fill_closing(row: Array, ends: Ends, joint: Joint) -> None:
    kind = joint.type
    row[:CLOSING_SETTINGS] = *ends, kind_of(kind), kind.nv, kind.kernels.rates is not None, *padded_parameters(kind)
    own = _settings(kind)
    if own is not _NOTHING[kind.nv]:  # the row begins with zeros
        row[CLOSING_SETTINGS:CLOSING_ON_PARENT].reshape(SETTINGS, 6)[:, : kind.nv] = own
    row[CLOSING_ON_PARENT:CLOSING_ON_CHILD], row[CLOSING_ON_CHILD:] = joint.parent_pose.row, joint.child_pose.row


def _all_limits(joints: Sequence[Joint], *, closes: bool = False) -> tuple[Integers, Array]:
    """The limits of all joints, by their numbers."""
    found = [_limit_rows(j, joint.type, closes=closes) for j, joint in enumerate(joints) if joint.type.limits is not None]
    rows, bounds = zip(_NO_LIMITS, *found, strict=True)
    return np.concatenate(rows), np.concatenate(bounds)


def _all_coils(joints: Sequence[Joint], *, closes: bool = False) -> tuple[Integers, Array]:
    """The springs of all joints, by their numbers."""
    found = [_coil_rows(j, joint.type, closes=closes) for j, joint in enumerate(joints) if joint.type.stiffness.any()]
    rows, numbers = zip(_NO_COILS, *found, strict=True)
    return np.concatenate(rows), np.concatenate(numbers)


_NOTHING = [np.zeros((SETTINGS, nv)) for nv in range(7)]


def _settings(joint: JointType) -> Array:
    """(SETTINGS, nv): damping, armature and friction of a joint."""
    if is_left_out(joint.damping) and is_left_out(joint.armature) and is_left_out(joint.friction):
        return _NOTHING[joint.nv]
    return np.array((joint.damping, joint.armature, joint.friction))


def _exchanged(rows: Integers, numbers: Array, j: int, own: tuple[Integers, Array]) -> tuple[Integers, Array]:
    """The rows of all joints, in their order, with other ones for joint j, and the numbers beside them."""
    if not len(rows) and not len(own[0]):
        return rows, numbers
    before, after = rows[:, 0] < j, rows[:, 0] > j
    return np.concatenate((rows[before], own[0], rows[after])), np.concatenate((numbers[before], own[1], numbers[after]))


def _without(rows: Integers, numbers: Array, j: int) -> tuple[Integers, Array]:
    """The rows of all joints without those of joint j, with which later joints move up, and the numbers beside them."""
    kept = rows[:, 0] != j
    left = rows[kept]
    left[:, 0] -= left[:, 0] > j
    return left, numbers[kept]


_NO_LIMITS = np.empty((0, LIMIT_ROW), np.int64), np.empty((0, LIMIT))
_NO_COILS = np.empty((0, COIL_ROW), np.int64), np.empty((0, COIL))
_NO_TABLES = np.empty((1, 0))


def _joint_row(ends: Ends, joint: JointType, q: int, v: int) -> tuple[int, ...]:
    """The row of a joint in `joints`."""
    return (*ends, kind_of(joint), q, v, v + joint.nv, int(joint.kernels.rates is not None))


def _fill_numbers(row: Array, joint: Joint) -> None:
    row[ON_PARENT:ON_CHILD], row[ON_CHILD:JOINT_PARAMETERS] = joint.parent_pose.row, joint.child_pose.row
    row[JOINT_PARAMETERS:] = padded_parameters(joint.type)


def with_table(places: Array, joint_tables: Array, j: int, joint: JointType) -> Array:
    """All tables with that of joint j at the end, if it has one; `places`, the first parameters of all joints, says where."""
    if not joint.tabled:
        return joint_tables
    places[j] = joint_tables.shape[1]
    return np.concatenate((joint_tables, joint.table().reshape(1, -1)), axis=1)


def without_table(kinds: Any, places: Array, joint_tables: Array, j: int) -> Array:
    """All tables without that of joint j, if it has one; `places` of the others are told where theirs have gone."""
    if not FORMS[int(kinds[j])].tabled:
        return joint_tables
    first = int(places[j])
    count = int(joint_tables[0, first])
    for other, kind in enumerate(kinds):
        if FORMS[int(kind)].tabled and places[other] > first:
            places[other] -= count
    return np.delete(joint_tables, np.s_[first : first + count], axis=1)


def _limit_rows(j: int, joint: JointType, *, closes: bool = False) -> tuple[Integers, Array]:
    """The rows of a joint's limits, and their bounds."""
    limits = joint.limits
    if limits is None:
        return _NO_LIMITS
    bounds = np.array(
        [(low, high, limits.stiffness, limits.dissipation) for low, high in zip(limits.lower, limits.upper, strict=True)], float
    )
    rows = np.zeros((len(bounds), LIMIT_ROW), np.int64)
    rows[:, 0], rows[:, 1] = j, np.arange(len(bounds))
    if closes:
        between = np.isfinite(bounds[:, (LOWER, UPPER)]).all(axis=1)
        rows[:, 2] = np.isin(rows[:, 1], joint.turns) & between
    return rows, bounds


def _coil_rows(j: int, joint: JointType, *, closes: bool = False) -> tuple[Integers, Array]:
    """The row of a joint's spring, and its numbers."""
    if is_left_out(joint.stiffness) or not joint.stiffness.any():
        return _NO_COILS
    numbers = np.zeros((1, COIL))
    numbers[0, COIL_REST : COIL_REST + joint.nq] = joint.rest
    numbers[0, COIL_STIFFNESS : COIL_STIFFNESS + joint.nv] = joint.stiffness
    turns = sum(1 << c for c in joint.turns) if closes else 0
    return np.array([(j, turns)], np.int64), numbers


NO_CLOSINGS = Closings(np.zeros((0, CLOSING)), *_NO_LIMITS, *_NO_COILS, _NO_TABLES)
"""Of a tree."""
