"""The parts of a mechanism as arrays: what the tables of a structure are derived from.

Bodies are numbered as they were added, the world is −1. All joints are in one table: those of the tree first, in the order in
which they were added, then those that close loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import float64, int64, types
from numpy.typing import NDArray

from ..algebra.memory import load_vector, store
from ..algebra.pose import POSE
from ..compilation import EightIntegers, Floats, IntegerTable, SixFloats, Table, declare, entry
from ..joints import FORMS, PARAMETERS, JointType, kind_of, padded_parameters
from ..kernels.tables import LIMIT, LIMIT_ROW, LOWER, POINT_B, SPRING, STIFFNESS, UPPER
from .layout import WORLD, Layout

if TYPE_CHECKING:
    from ..describe.parts import Body, Joint, Spring

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# columns of joints
PARENT_BODY, CHILD_BODY, KIND_OF, FIRST_Q, FIRST_V, END_V, VARYING, CLOSING = range(8)
# columns of numbers
ON_PARENT, ON_CHILD, JOINT_PARAMETERS = 0, POSE, 2 * POSE

Ends = tuple[int, int]
"""A joint's parent and child."""


class Description(NamedTuple):
    """Bodies, joints, springs and limits as arrays."""

    joints: Integers
    """(joints, 8): parent and child body, kind, first of q, first and end of v, 1 where the columns vary, 1 for a loop joint."""
    numbers: Array
    """(joints, 30): parent_pose and child_pose, each R in row order, then p; the joint type's parameters."""
    damping: Array
    """(1, coordinates): of all joints, in the order of v and on."""
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
    gravity: Array
    """(1, 3)."""
    joint_tables: Array
    """(1, numbers): the tables of joints that have some, each where the first of the joint's parameters says."""

    def with_joint(self, j: int, ends: Ends, joint: Joint) -> Description:
        """The description of a tree with another joint in the place of the j-th; bodies and springs are shared."""
        joints, numbers, damping = self.joints.copy(), self.numbers.copy(), self.damping
        _, _, kind, q, v, end, _, _ = joints[j].tolist()
        more_q, more_v = joint.type.nq - FORMS[kind].nq, v + joint.type.nv - end
        if more_q or more_v:
            joints[j + 1 :, FIRST_Q] += more_q
            joints[j + 1 :, FIRST_V : END_V + 1] += more_v
        joint_tables = without_table(self.joints, numbers, self.joint_tables, j)
        joints[j] = _joint_row(ends, joint.type, q, v)
        _fill_numbers(numbers[j], joint)
        joint_tables = with_table(numbers, joint_tables, j, joint.type)
        damping = np.concatenate((damping[0, :v], joint.type.damping, damping[0, end:])).reshape(1, -1)
        limited, limits = self.limited, self.limits
        if len(limited) or joint.type.limits is not None:
            rows, bounds = _limit_rows(j, joint.type)
            before, after = limited[:, 0] < j, limited[:, 0] > j
            limited = np.concatenate((limited[before], rows, limited[after]))
            limits = np.concatenate((limits[before], bounds, limits[after]))
        return self._replace(
            joints=joints, numbers=numbers, damping=damping, limited=limited, limits=limits, joint_tables=joint_tables
        )

    def with_loop(self, ends: Ends, joint: Joint) -> Description:
        """The description with one more loop joint; all else is shared."""
        j, v, kind = len(self.joints), self.damping.shape[1], joint.type
        joints, numbers, damping = _with_row.call(
            self.joints, self.numbers, self.damping, _joint_row(ends, kind, -1, v),
            joint.parent_pose.row, joint.child_pose.row, padded_parameters(kind), kind.damping,
        )  # fmt: skip
        limited, limits = self.limited, self.limits
        if kind.limits is not None:
            rows, bounds = _limit_rows(j, kind, closes=True)
            limited, limits = np.concatenate((limited, rows)), np.concatenate((limits, bounds))
        bodies = self.inertias, self.spring_ends, self.springs
        joint_tables = with_table(numbers, self.joint_tables, j, kind)
        return Description(joints, numbers, damping, *bodies, limited, limits, self.gravity, joint_tables)

    def without_loop(self, j: int) -> Description:
        """The description without the loop joint in row j; all else is shared."""
        v, end = self.joints[j, [FIRST_V, END_V]].tolist()
        numbers = self.numbers.copy()
        joint_tables = without_table(self.joints, numbers, self.joint_tables, j)
        joints = np.delete(self.joints, j, axis=0)
        joints[j:, FIRST_V : END_V + 1] -= end - v
        kept = self.limited[:, 0] != j
        limited = self.limited[kept]
        limited[:, 0] -= limited[:, 0] > j
        return self._replace(
            joints=joints,
            numbers=np.delete(numbers, j, axis=0),
            damping=np.delete(self.damping, np.s_[v:end], axis=1),
            limited=limited,
            limits=self.limits[kept],
            joint_tables=joint_tables,
        )


_INTEGERS, _FLOATS = int64[:, ::1], float64[:, ::1]
_FIELDS = [_INTEGERS, _FLOATS, _FLOATS, _FLOATS, _INTEGERS, _FLOATS, _INTEGERS, _FLOATS, _FLOATS, _FLOATS]
declare("Description", types.NamedTuple(_FIELDS, Description))


def describe(
    bodies: Mapping[str, Body], joints: Mapping[str, Joint], springs: Mapping[str, Spring], layout: Layout, gravity: Array
) -> Description:
    """The parts of a mechanism as arrays."""
    index = {WORLD: -1} | {name: b for b, name in enumerate(bodies)}
    every = [joints[name] for name in (*layout.names, *(name for name, *_ in layout.loops))]
    wiring, numbers = np.empty((len(every), 8), np.int64), np.empty((len(every), JOINT_PARAMETERS + PARAMETERS))
    v, joint_tables = layout.nv, _NO_TABLES
    for j, joint in enumerate(every):
        ends = index[joint.parent], index[joint.child]
        if j < len(layout.names):
            wiring[j] = _joint_row(ends, joint.type, layout.q_slices[joint.name].start, layout.v_slices[joint.name].start)
        else:
            wiring[j] = _joint_row(ends, joint.type, -1, v)
            v += joint.type.nv
        _fill_numbers(numbers[j], joint)
        joint_tables = with_table(numbers, joint_tables, j, joint.type)
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
    limits = [
        _limit_rows(j, joint.type, closes=j >= len(layout.names))
        for j, joint in enumerate(every)
        if joint.type.limits is not None
    ]
    limited = np.concatenate([_NO_LIMITS[0], *(rows for rows, _ in limits)])
    bounds = np.concatenate([_NO_LIMITS[1], *(numbers for _, numbers in limits)])
    damping = np.concatenate([np.zeros(0), *(joint.type.damping for joint in every)]).reshape(1, -1)
    return Description(
        wiring, numbers, damping, inertias, spring_ends, spring_numbers, limited, bounds, np.array(gravity).reshape(1, 3),
        joint_tables,
    )  # fmt: skip


@entry
def _with_row(
    joints: IntegerTable,
    numbers: Table,
    damping: Table,
    row: EightIntegers,
    on_parent: Floats,
    on_child: Floats,
    par: SixFloats,
    own_damping: Floats,
) -> tuple[Any, Any, Any]:
    """The tables of joints, their numbers and their damping with one joint more; its frames are poses as rows (12,)."""
    count, nv, more = joints.shape[0], damping.shape[1], own_damping.shape[0]
    table, places = np.empty((count + 1, joints.shape[1]), np.int64), np.empty((count + 1, numbers.shape[1]))
    for j in range(count):
        for c in range(joints.shape[1]):
            table[j, c] = joints[j, c]
        for c in range(numbers.shape[1]):
            places[j, c] = numbers[j, c]
    store(table, count, 0, row)
    store(places, count, ON_PARENT, load_vector(on_parent, 0, POSE))
    store(places, count, ON_CHILD, load_vector(on_child, 0, POSE))
    store(places, count, JOINT_PARAMETERS, par)
    dampings = np.empty((1, nv + more))
    for d in range(nv):
        dampings[0, d] = damping[0, d]
    for d in range(more):
        dampings[0, nv + d] = own_damping[d]
    return table, places, dampings


_NO_LIMITS = np.empty((0, LIMIT_ROW), np.int64), np.empty((0, LIMIT))
_NO_TABLES = np.empty((1, 0))


def _joint_row(ends: Ends, joint: JointType, q: int, v: int) -> tuple[int, ...]:
    """The row of a joint in `joints`; a q of −1 says that it closes a loop."""
    return (*ends, kind_of(joint), q, v, v + joint.nv, int(joint.kernels.rates is not None), int(q < 0))


def _fill_numbers(row: Array, joint: Joint) -> None:
    row[ON_PARENT:ON_CHILD], row[ON_CHILD:JOINT_PARAMETERS] = joint.parent_pose.row, joint.child_pose.row
    row[JOINT_PARAMETERS:] = padded_parameters(joint.type)


def with_table(numbers: Array, joint_tables: Array, j: int, joint: JointType) -> Array:
    """All tables with that of joint j at the end, if it has one; its first parameter says where."""
    if not joint.tabled:
        return joint_tables
    numbers[j, JOINT_PARAMETERS] = joint_tables.shape[1]
    return np.concatenate((joint_tables, joint.table().reshape(1, -1)), axis=1)


def without_table(joints: Integers, numbers: Array, joint_tables: Array, j: int) -> Array:
    """All tables without that of joint j, if it has one; the parameters of the others are told where theirs have gone."""
    if not FORMS[joints[j, KIND_OF]].tabled:
        return joint_tables
    first = int(numbers[j, JOINT_PARAMETERS])
    count = int(joint_tables[0, first])
    for other in range(len(joints)):
        if FORMS[joints[other, KIND_OF]].tabled and numbers[other, JOINT_PARAMETERS] > first:
            numbers[other, JOINT_PARAMETERS] -= count
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
