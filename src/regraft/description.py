"""The parts of a mechanism as arrays, in the order in which they were added: what the tree's tables are derived from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .joints import KIND, PARAMETERS, JointType, padded_parameters
from .kernels.layout import LIMIT, POINT_B, SPRING, STIFFNESS
from .parts import WORLD, Body, Joint, Spring
from .pose import POSE
from .slots import Layout

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# columns of kinds
KIND_OF, FIRST_Q, FIRST_V, END_V, VARYING = range(5)


class Description(NamedTuple):
    """Bodies, tree joints, springs and limits as arrays; bodies are numbered as they were added, the world is −1."""

    ends: Integers
    """(joints, 2): parent and child body."""
    kinds: Integers
    """(joints, 5): kind, first of q, first and end of v, 1 where the columns vary."""
    poses: Array
    """(joints, 24): parent_pose and child_pose, each R in row order, then p."""
    parameters: Array
    """(joints, PARAMETERS)."""
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

    def with_joint(self, j: int, ends: tuple[int, int], joint: Joint, more_q: int) -> Description:
        """The description with another joint, of `more_q` more positions, in the place of the j-th; the rest is shared."""
        kinds, poses = self.kinds.copy(), self.poses.copy()
        new_ends, parameters = self.ends.copy(), self.parameters.copy()
        q, v, end = (int(kinds[j, c]) for c in (FIRST_Q, FIRST_V, END_V))
        more_v = v + joint.type.nv - end
        if more_q or more_v:
            kinds[j + 1 :, FIRST_Q] += more_q
            kinds[j + 1 :, FIRST_V : END_V + 1] += more_v
        kinds[j] = _kind_row(joint.type, q, v)
        new_ends[j] = ends
        poses[j], parameters[j] = _pose_row(joint), padded_parameters(joint.type)
        damping = np.concatenate((self.damping[0, :v], joint.type.damping, self.damping[0, end:]))
        limited, limits = self.limited, self.limits
        if len(limited) or joint.type.limits is not None:
            rows, numbers = _limit_rows(j, joint.type)
            before, after = limited[:, 0] < j, limited[:, 0] > j
            limited = np.concatenate((limited[before], rows, limited[after]))
            limits = np.concatenate((limits[before], numbers, limits[after]))
        return Description(
            new_ends, kinds, poses, parameters, damping.reshape(1, -1),
            self.inertias, self.spring_ends, self.springs, limited, limits,
        )  # fmt: skip


def describe(
    bodies: Mapping[str, Body], joints: Mapping[str, Joint], springs: Mapping[str, Spring], layout: Layout
) -> Description:
    """The parts of a mechanism as arrays."""
    index = {name: b for b, name in enumerate(bodies)}
    index[WORLD] = -1
    count = len(layout.joints)
    ends, kinds = np.empty((count, 2), np.int64), np.empty((count, 5), np.int64)
    poses, parameters = np.empty((count, 2 * POSE)), np.empty((count, PARAMETERS))
    for j, (name, kind, parent, child) in enumerate(layout.joints):
        ends[j] = index[parent], index[child]
        kinds[j] = _kind_row(kind, layout.q_slices[name].start, layout.v_slices[name].start)
        poses[j], parameters[j] = _pose_row(joints[name]), padded_parameters(kind)
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
    limits = [_limit_rows(j, kind) for j, (_, kind, *_) in enumerate(layout.joints) if kind.limits is not None]
    limited = np.concatenate([_NO_LIMITS[0], *(rows for rows, _ in limits)])
    bounds = np.concatenate([_NO_LIMITS[1], *(numbers for _, numbers in limits)])
    damping = np.concatenate([np.zeros(0), *(kind.damping for _, kind, *_ in layout.joints)]).reshape(1, -1)
    return Description(ends, kinds, poses, parameters, damping, inertias, spring_ends, spring_numbers, limited, bounds)


_NO_LIMITS = np.empty((0, 2), np.int64), np.empty((0, LIMIT))


def _kind_row(joint: JointType, q: int, v: int) -> tuple[int, int, int, int, int]:
    return KIND[type(joint)], q, v, v + joint.nv, int(joint.kernels.rates is not None)


def _pose_row(joint: Joint) -> Array:
    on_parent, on_child = joint.parent_pose, joint.child_pose
    return np.concatenate((on_parent.rotation.ravel(), on_parent.translation, on_child.rotation.ravel(), on_child.translation))


def _limit_rows(j: int, joint: JointType) -> tuple[Integers, Array]:
    limits = joint.limits
    if limits is None:
        return _NO_LIMITS
    bounds = [(low, high, limits.stiffness, limits.dissipation) for low, high in zip(limits.lower, limits.upper, strict=True)]
    return np.array([(j, measure) for measure in range(len(bounds))], np.int64), np.array(bounds, float)
