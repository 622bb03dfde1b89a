"""The parts of a mechanism as arrays, in the order in which they were added: what the tree's tables are derived from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE
from ..joints import FORMS, PARAMETERS, JointType, kind_of, padded_parameters
from ..kernels.tables import LIMIT, POINT_B, SPRING, STIFFNESS
from .layout import WORLD, Layout

if TYPE_CHECKING:
    from ..describe.parts import Body, Joint, Spring

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# columns of joints
PARENT_BODY, CHILD_BODY, KIND_OF, FIRST_Q, FIRST_V, END_V, VARYING = range(7)
# columns of numbers
ON_PARENT, ON_CHILD, JOINT_PARAMETERS = 0, POSE, 2 * POSE


class Description(NamedTuple):
    """Bodies, tree joints, springs and limits as arrays; bodies are numbered as they were added, the world is −1."""

    joints: Integers
    """(joints, 7): parent and child body, kind, first of q, first and end of v, 1 where the columns vary."""
    numbers: Array
    """(joints, 30): parent_pose and child_pose, each R in row order, then p; the joint type's parameters."""
    damping: Array
    """(1, nv)."""
    inertias: Array
    """(bodies, 10): mass, centre of mass, moments."""
    spring_ends: Integers
    """(springs, 2): body of each end."""
    springs: Array
    """(springs, SPRING), points in the axes of their bodies."""
    limited: Integers
    """(limits, 2): joint, measure."""
    limits: Array
    """(limits, LIMIT)."""

    def with_joint(self, j: int, ends: tuple[int, int], joint: Joint) -> Description:
        """The description with another joint in the place of the j-th; bodies and springs are shared."""
        joints, numbers, damping = self.joints.copy(), self.numbers.copy(), self.damping
        _, _, kind, q, v, end, _ = joints[j].tolist()
        more_q, more_v = joint.type.nq - FORMS[kind].nq, v + joint.type.nv - end
        if more_q or more_v:
            joints[j + 1 :, FIRST_Q] += more_q
            joints[j + 1 :, FIRST_V : END_V + 1] += more_v
        joints[j] = _joint_row(ends, joint.type, q, v)
        _fill_numbers(numbers[j], joint)
        damping = np.concatenate((damping[0, :v], joint.type.damping, damping[0, end:])).reshape(1, -1)
        limited, limits = self.limited, self.limits
        if len(limited) or joint.type.limits is not None:
            rows, bounds = limit_rows(j, joint.type)
            before, after = limited[:, 0] < j, limited[:, 0] > j
            limited = np.concatenate((limited[before], rows, limited[after]))
            limits = np.concatenate((limits[before], bounds, limits[after]))
        return Description(joints, numbers, damping, self.inertias, self.spring_ends, self.springs, limited, limits)


class Exchange(NamedTuple):
    """A description that is still to be made: another one with a new joint in the place of its j-th."""

    before: Description
    j: int
    new: Joint


def describe(
    bodies: Mapping[str, Body], joints: Mapping[str, Joint], springs: Mapping[str, Spring], layout: Layout
) -> Description:
    """The parts of a mechanism as arrays."""
    index = {name: b for b, name in enumerate(bodies)}
    index[WORLD] = -1
    count = len(layout.joints)
    wiring, numbers = np.empty((count, 7), np.int64), np.empty((count, JOINT_PARAMETERS + PARAMETERS))
    for j, (name, kind, parent, child) in enumerate(layout.joints):
        ends = index[parent], index[child]
        wiring[j] = _joint_row(ends, kind, layout.q_slices[name].start, layout.v_slices[name].start)
        _fill_numbers(numbers[j], joints[name])
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
    limits = [limit_rows(j, kind) for j, (_, kind, *_) in enumerate(layout.joints) if kind.limits is not None]
    limited = np.concatenate([_NO_LIMITS[0], *(rows for rows, _ in limits)])
    bounds = np.concatenate([_NO_LIMITS[1], *(numbers for _, numbers in limits)])
    damping = np.concatenate([np.zeros(0), *(kind.damping for _, kind, *_ in layout.joints)]).reshape(1, -1)
    return Description(wiring, numbers, damping, inertias, spring_ends, spring_numbers, limited, bounds)


_NO_LIMITS = np.empty((0, 2), np.int64), np.empty((0, LIMIT))


def _joint_row(ends: tuple[int, int], joint: JointType, q: int, v: int) -> tuple[int, ...]:
    return (*ends, kind_of(joint), q, v, v + joint.nv, int(joint.kernels.rates is not None))


def _fill_numbers(row: Array, joint: Joint) -> None:
    row[:JOINT_PARAMETERS] = joint.places().ravel()
    row[JOINT_PARAMETERS:] = padded_parameters(joint.type)


def limit_rows(j: int, joint: JointType) -> tuple[Integers, Array]:
    """(j, measure) and the bounds of each limit of a joint."""
    limits = joint.limits
    if limits is None:
        return _NO_LIMITS
    bounds = [(low, high, limits.stiffness, limits.dissipation) for low, high in zip(limits.lower, limits.upper, strict=True)]
    return np.array([(j, measure) for measure in range(len(bounds))], np.int64), np.array(bounds, float)
