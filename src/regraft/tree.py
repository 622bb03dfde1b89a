"""The spanning tree of a mechanism as arrays: the walk from the world over the tree joints, and the tables that kernels run on.

All of it is derived data. The walk is in depth-first order, a body's joints in the order in which they were added; a joint that
is walked from its child to its parent has polarity −1. In the tables each body has the frame of the joint that leads to it, so a
recursion needs one tree transform (S1's E and t) per body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._jit import entry, inline
from .errors import ModelError
from .joints import KIND, PARAMETERS, padded_parameters
from .kernels import entries
from .kernels import layout as table
from .kernels.layout import Model
from .memory import load, store
from .parts import WORLD, Body, Joint, Spring
from .pose import Pose
from .scalars import LANES, aligned_zeros
from .slots import Layout
from .spatial import Rotation, compose, invert, rotate_back, subtract, transpose, turn_inertia

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_POSE = 12  # R and p in one row


class Description(NamedTuple):
    """The parts of a mechanism as arrays, in the order in which they were added."""

    ends: Integers
    """(joints, 2): parent and child body of each tree joint, −1 for the world."""
    kinds: Integers
    """(joints, 5): kind, first of q, first and end of v, 1 where the columns vary."""
    poses: Array
    """(joints, 24): parent_pose and child_pose, each R in row order, then p."""
    parameters: Array
    """(joints, PARAMETERS)."""
    inertias: Array
    """(bodies, 10): mass, centre of mass, moments."""


class Tree:
    """The walk, the tables, and the scratch space of one structure."""

    def __init__(
        self,
        gravity: Array,
        bodies: Mapping[str, Body],
        joints: Mapping[str, Joint],
        springs: Mapping[str, Spring],
        layout: Layout,
    ) -> None:
        self.layout, self.nv = layout, layout.nv
        self.body_names: tuple[str, ...] = tuple(bodies)
        self.joint_names: tuple[str, ...] = tuple(name for name, *_ in layout.joints)
        description = describe(bodies, joints, layout)
        n = len(self.body_names)
        self.walk: Integers = np.zeros((n, table.WALK), np.int64)
        self.geometry: Array = np.zeros((n, table.GEOMETRY))
        self.far: Array = np.zeros((n, _POSE))
        """(n, 12): the frame of the joint that leads to each row, on its body."""
        self.attach: Array = np.zeros((n, _POSE))
        """(n, 12): the body's own frame in the frame that the tables give it; the inverse of `far`."""
        self._span(description)
        self.row_of: dict[str, int] = {self.body_names[b]: k for k, b in enumerate(self.walk[:, table.BODY].tolist())}
        """The row of each body."""
        self.model = Model(
            self.walk,
            self.geometry,
            np.array(gravity).reshape(1, 3),
            _damping(layout).reshape(1, -1),
            *self._springs(springs),
            *self._limits(layout),
        )
        self.no_torque, self.no_forces = np.zeros(layout.nv), np.zeros((0, table.EXTERNAL))
        self.open_layout = None if layout.loops else layout
        """The layout of the states whose dynamics is that of the tree alone."""
        self.work = self.new_work()
        self.handle = self.work.handle
        """Of the workspace of all entries that hold the interpreter's lock: there is never more than one of them at work."""

    def _span(self, description: Description) -> None:
        reached = span(description.ends, description.kinds, self.walk)
        if reached < len(self.body_names):
            walked = set(self.walk[:reached, table.BODY].tolist())
            lost = [name for b, name in enumerate(self.body_names) if b not in walked]
            raise ModelError(
                f"body {lost[0]!r} has no path to the world"
                + (f" (nor have {len(lost) - 1} others)" if len(lost) > 1 else "")
                + f'; connect it, or let it float: add_joint("{lost[0]}_free", Free(), "world", "{lost[0]}").'
            )
        place(description.poses, description.parameters, description.inertias, self.walk, self.geometry, self.far, self.attach)

    def _springs(self, springs: Mapping[str, Spring]) -> tuple[Integers, Array]:
        rows, numbers = np.zeros((len(springs), 2), np.int64), np.zeros((len(springs), table.SPRING))
        for s, spring in enumerate(springs.values()):
            for end, (body, point) in enumerate(((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))):
                rows[s, end] = -1 if body == WORLD else self.row_of[body]
                numbers[s, 3 * end : 3 * end + 3] = self.point(body, np.array(point))
            numbers[s, table.STIFFNESS :] = spring.stiffness, spring.damping, spring.rest_length
        return rows, numbers

    def _limits(self, layout: Layout) -> tuple[Integers, Array]:
        row_of_joint = {j: k for k, j in enumerate(self.walk[:, table.JOINT].tolist())}
        rows, numbers = [], []
        for j, (_, joint, *_rest) in enumerate(layout.joints):
            if joint.limits is not None:
                for measure, (low, high) in enumerate(zip(joint.limits.lower, joint.limits.upper, strict=True)):
                    rows.append((row_of_joint[j], measure))
                    numbers.append((low, high, joint.limits.stiffness, joint.limits.dissipation))
        return np.array(rows, np.int64).reshape(-1, 2), np.array(numbers, float).reshape(-1, table.LIMIT)

    def point(self, body: str, point: Array) -> Array:
        """A point given in a body's own axes, in the frame that the tables give the body."""
        if body == WORLD:
            return point
        far = self.far[self.row_of[body]]
        result: Array = far[:9].reshape(3, 3).T @ (point - far[9:])
        return result

    def motion(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Of each row's body in its own frame: pose in the world (n, 12), and twist at its origin in world axes (n, 6)."""
        n = len(self.walk)
        poses, twists = np.empty((n, _POSE)), np.empty((n, 6))
        entries.motion(self.handle, q, v, self.attach, poses, twists)
        return poses, twists

    def frame_motion(self, q: Array, v: Array, body: str, frame: Pose) -> tuple[Pose, Array]:
        """Of a frame on a body, or on the world: pose in the world, and twist at its origin in world axes (6,)."""
        if body == WORLD:
            return frame, np.zeros(6)
        poses, twists = self.motion(q, v)
        k = self.row_of[body]
        pose, twist = Pose(poses[k, :9].reshape(3, 3), poses[k, 9:]), twists[k]
        twist[3:] += np.cross(twist[:3], pose.rotation @ frame.translation)
        return pose @ frame, twist

    def new_work(self, dtype: type = float) -> Workspace:
        """A new workspace in a scalar type."""
        body, dof = self._work_shapes()
        return Workspace(self.model, self.layout.nq, np.zeros(body, dtype), np.zeros(dof, dtype))

    def new_pack_work(self) -> Workspace:
        """A new workspace of packs, as floats with one more axis."""
        body, dof = self._work_shapes()
        return Workspace(self.model, self.layout.nq, aligned_zeros((*body, LANES)), aligned_zeros((*dof, LANES)))

    def _work_shapes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        # kernels look at row 0 for the scalar type, so there is one even without bodies
        return (max(len(self.walk), 1), table.BODY_WORK), (self.nv, table.DOF_WORK)


class Workspace:
    """Scratch tables for one computation at a time, and the handle by which kernels find them and the model's."""

    __slots__ = ("addresses", "dof", "handle", "keep")

    def __reduce__(self) -> Any:
        raise TypeError("a workspace holds addresses of this process; it cannot be copied or sent elsewhere.")

    def __init__(self, model: Model, nq: int, body: Any, dof: Any) -> None:
        self.dof = dof
        self.keep = (*model, body, dof)  # a handle is a bare address, and leads to more of them
        lengths = len(model.walk), nq, len(dof), len(model.springs), len(model.limits)
        self.addresses = np.array([*lengths, *(array.ctypes.data for array in self.keep)], dtype=np.int64)
        self.handle = int(self.addresses.ctypes.data)


def describe(bodies: Mapping[str, Body], joints: Mapping[str, Joint], layout: Layout) -> Description:
    """The parts of a mechanism as arrays."""
    index = {name: b for b, name in enumerate(bodies)}
    index[WORLD] = -1
    count = len(layout.joints)
    ends, kinds = np.empty((count, 2), np.int64), np.empty((count, 5), np.int64)
    poses, parameters = np.empty((count, 2 * _POSE)), np.empty((count, PARAMETERS))
    for j, (name, joint, parent, child) in enumerate(layout.joints):
        described = joints[name]
        ends[j] = index[parent], index[child]
        q, v = layout.q_slices[name].start, layout.v_slices[name]
        kinds[j] = KIND[type(joint)], q, v.start, v.stop, joint.kernels.rates is not None
        poses[j, :9], poses[j, 9:12] = described.parent_pose.rotation.ravel(), described.parent_pose.translation
        poses[j, 12:21], poses[j, 21:] = described.child_pose.rotation.ravel(), described.child_pose.translation
        parameters[j] = padded_parameters(joint)
    inertias = np.empty((len(bodies), 10))
    for b, body in enumerate(bodies.values()):
        inertia = body.inertia
        inertias[b, 0], inertias[b, 1:4] = inertia.mass, inertia.com
        inertias[b, 4:] = inertia.tensor.ravel()[[0, 1, 2, 4, 5, 8]]
    return Description(ends, kinds, poses, parameters, inertias)


def _damping(layout: Layout) -> Array:
    parts = [joint.damping for _, joint, *_ in layout.joints]
    return np.concatenate(parts) if parts else np.zeros(0)


@entry
def span(ends: Any, kinds: Any, walk: Any) -> int:
    """Fill `walk`: depth first from the world, joints in their order. Returns how many bodies were reached.  O(n)."""
    bodies, joints = walk.shape[0], ends.shape[0]
    # joints of each body as lists in one array; index 0 is the world, body b is b + 1
    first = np.zeros(bodies + 2, np.int64)
    for j in range(joints):
        first[ends[j, 0] + 2] += 1
        first[ends[j, 1] + 2] += 1
    for b in range(1, bodies + 2):
        first[b] += first[b - 1]
    fill = first.copy()
    incident = np.empty(2 * joints, np.int64)
    for j in range(joints):
        for side in range(2):
            b = ends[j, side] + 1
            incident[fill[b]] = j
            fill[b] += 1
    row_of = np.full(bodies + 1, -2, np.int64)
    row_of[0] = -1
    last_child = np.full(bodies, -1, np.int64)
    waiting = np.empty((2 * joints + 1, 2), np.int64)  # (joint, row of the body it is walked from)
    count = 0
    for e in range(first[1] - 1, first[0] - 1, -1):
        waiting[count, 0], waiting[count, 1] = incident[e], -1
        count += 1
    rows = 0
    while count > 0:
        count -= 1
        j, parent = waiting[count, 0], waiting[count, 1]
        from_body = -1 if parent < 0 else walk[parent, table.BODY]
        forward = ends[j, 0] == from_body
        body = ends[j, 1] if forward else ends[j, 0]
        if row_of[body + 1] != -2:
            continue
        row_of[body + 1] = rows
        walk[rows, table.BODY], walk[rows, table.PARENT], walk[rows, table.JOINT] = body, parent, j
        walk[rows, table.KIND], walk[rows, table.POLARITY] = kinds[j, 0], 1 if forward else -1
        walk[rows, table.Q], walk[rows, table.V], walk[rows, table.END] = kinds[j, 1], kinds[j, 2], kinds[j, 3]
        walk[rows, table.ROOT] = rows if parent < 0 else walk[parent, table.ROOT]
        walk[rows, table.VARIES], walk[rows, table.LEAF], walk[rows, table.LAST] = kinds[j, 4], 1, 1
        if parent >= 0:
            walk[parent, table.LEAF] = 0
            if last_child[parent] >= 0:
                walk[last_child[parent], table.LAST] = 0
            last_child[parent] = rows
        for e in range(first[body + 2] - 1, first[body + 1] - 1, -1):
            if incident[e] != j:
                waiting[count, 0], waiting[count, 1] = incident[e], rows
                count += 1
        rows += 1
    return rows


@inline
def is_identity(R: Rotation) -> int:
    """1 for the rotation that turns nothing, else 0."""
    off = R[1] != 0.0 or R[2] != 0.0 or R[3] != 0.0 or R[5] != 0.0 or R[6] != 0.0 or R[7] != 0.0
    return 0 if off or R[0] != 1.0 or R[4] != 1.0 or R[8] != 1.0 else 1


@entry
def place(poses: Any, parameters: Any, inertias: Any, walk: Any, geometry: Any, far: Any, attach: Any) -> None:
    """Fill `geometry`, `far` and `attach` in the frames of the joints that lead to the bodies.  O(n)."""
    for k in range(walk.shape[0]):
        j, parent, body = walk[k, table.JOINT], walk[k, table.PARENT], walk[k, table.BODY]
        on_parent = load(poses, j, 0, 9), load(poses, j, 9, 3)
        on_child = load(poses, j, 12, 9), load(poses, j, 21, 3)
        near, here = (on_parent, on_child) if walk[k, table.POLARITY] > 0 else (on_child, on_parent)
        if parent >= 0:
            near = compose(invert((load(far, parent, 0, 9), load(far, parent, 9, 3))), near)
        store(far, k, 0, here[0])
        store(far, k, 9, here[1])
        own = invert(here)
        store(attach, k, 0, own[0])
        store(attach, k, 9, own[1])
        store(geometry, k, table.E, near[0])
        store(geometry, k, table.T, near[1])
        walk[k, table.STRAIGHT] = is_identity(near[0])
        geometry[k, table.MASS] = inertias[body, 0]
        store(geometry, k, table.COM, rotate_back(here[0], subtract(load(inertias, body, 1, 3), here[1])))
        store(geometry, k, table.MOMENTS, turn_inertia(transpose(here[0]), load(inertias, body, 4, 6)))
        store(geometry, k, table.PAR, load(parameters, j, 0, PARAMETERS))
