"""Connecting bodies: a new joint takes hold of two bodies in motion, with a plastic impact if they move apart (S2 V-B, V-C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.memory import load, load_pose, store_pose
from ..algebra.pose import POSE, Pose
from ..algebra.rotations import orthonormal
from ..algebra.spatial import compose, identity, invert, subtract
from ..compilation import Floats, Table, ThreeFloats, entry
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..errors import StructureError, listed, meant
from ..joints import Fixed, JointType
from ..kernels.kinematics import frame, place_bodies
from ..kernels.memory import model_at, positions_in, work_at
from ..kernels.tables import ORIGIN, ROOT
from ..tolerances import SAME_PLACE
from .carry import absolute_point
from .impact import held_state

Array = NDArray[np.float64]


class Connection(NamedTuple):
    """A joint that is to take hold of two bodies, for `connect_all`.

    Attributes
    ----------
    body_a, body_b : str
        The two bodies, or the world.
    joint : JointType, optional
        By default a weld.
    at : (3,) array_like, optional
        The absolute point where the joint sits.
    name : str, optional
        Its name; by default ``"<body_a>_<body_b>"``.
    pose_a, pose_b : Pose, optional
        Where its frame is on either body, in place of `at`.
    """

    body_a: str
    body_b: str
    joint: JointType = Fixed()
    at: ArrayLike | None = None
    name: str | None = None
    pose_a: Pose | None = None
    pose_b: Pose | None = None


def connect(
    mech: Mechanism,
    state: State,
    body_a: str,
    body_b: str,
    *,
    joint: JointType = Fixed(),  # noqa: B008 (a joint type is immutable)
    at: ArrayLike | None = None,
    name: str | None = None,
    pose_a: Pose | None = None,
    pose_b: Pose | None = None,
    impact: bool = True,
) -> tuple[Mechanism, State]:
    """Add a joint between two moving bodies, of one chain or of two, or the world.

    Where the joint sits: with `at`, its frame is at that absolute point with the world's axes, and the present pose is its zero.
    With `pose_a` and `pose_b`, its frames on the two bodies, which must fit each other; one of them alone makes the present
    pose the joint's zero. With none of these the origins of the two bodies must coincide, and it sits there.

    The velocities jump so that the new joint holds: a plastic impact of all that is connected, in which momentum is kept along
    everything that stays free and energy never grows.

    Parameters
    ----------
    mech : Mechanism
        The mechanism; it is not changed.
    state : State
        Its position and velocity.
    body_a, body_b : str
        The two bodies, parent and child of the new joint; one may be the world.
    joint : JointType, optional
        By default a weld.
    at : (3,) array_like, optional
        The absolute point where the joint sits.
    name : str, optional
        Its name; by default ``"<body_a>_<body_b>"``.
    pose_a, pose_b : Pose, optional
        Where its frame is on either body, in place of `at`.
    impact : bool, optional
        Whether velocities may jump; otherwise velocities that do not fit are an error.

    Returns
    -------
    mech : Mechanism
        The mechanism with the joint, which closes a loop.
    state : State
        Its state. `impulse` has what this joint and all that were there before exchanged: by name, the (moment, force) impulse
        on the child about the joint's frame there, in world axes.

    Raises
    ------
    StructureError
        If there is no such body, the joint cannot take the pose, or velocities do not fit and may not jump.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism(gravity=(0, 0, 0))
    >>> for name, x in (("left", 0.0), ("right", 1.0)):
    ...     mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    ...     mech.add_joint(f"{name}_free", rg.Free(), "world", name, rg.Pose(translation=(x, 0, 0)))
    >>> state = mech.state(v={"left_free": (2, 0, 0, 0, 0, 0)})
    >>> held, after = rg.connect(mech, state, "left", "right", joint=rg.Spherical(), at=(0.5, 0, 0), name="grip")
    >>> float(after.v[0]), float(after.v[6]), after.impulse["grip"].round(12).tolist()
    (1.0, 1.0, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    """
    mech.check_state(state)
    connection = Connection(body_a, body_b, joint, at, name, pose_a, pose_b)
    return hold_together(mech, state, (_joint_of(mech, state, connection),), impact=impact)


def connect_all(
    mech: Mechanism, state: State, connections: Sequence[Connection], *, impact: bool = True
) -> tuple[Mechanism, State]:
    """Make several connections at the same instant: one impact of all of them, whatever their order.

    Parameters
    ----------
    mech : Mechanism
        The mechanism; it is not changed.
    state : State
        Its position and velocity.
    connections : sequence of Connection
        The joints that take hold.
    impact : bool, optional
        Whether velocities may jump; otherwise velocities that do not fit are an error.

    Returns
    -------
    mech : Mechanism
        The mechanism with the joints.
    state : State
        Its state, with the impulses by joint in `impulse`.

    Raises
    ------
    StructureError
        As for `connect`.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("rod", rg.Inertia.box(1.0, (1, 0.1, 0.1)))
    >>> mech.add_joint("flight", rg.Free(), "world", "rod")
    >>> places = {"left": (-0.5, 0, 0), "right": (0.5, 0, 0)}
    >>> hands = [rg.Connection("world", "rod", rg.Spherical(), at=place, name=name) for name, place in places.items()]
    >>> held, state = rg.connect_all(mech, mech.state(), hands)
    >>> rg.mobility(held, state).dof
    1
    """
    mech.check_state(state)
    if not isinstance(connections, Sequence) or isinstance(connections, Connection):
        raise StructureError(f'connections must be given as a list of Connection("body_a", "body_b", …), not {connections!r}.')
    joints: list[Joint] = []
    for connection in connections:
        if not isinstance(connection, Connection):
            raise StructureError(f'connections must be given as Connection("body_a", "body_b", …), not {connection!r}.')
        joints.append(_joint_of(mech, state, connection))
    return hold_together(mech, state, joints, impact=impact)


def hold_together(mech: Mechanism, state: State, joints: Sequence[Joint], *, impact: bool = True) -> tuple[Mechanism, State]:
    """Add joints that close loops, and the velocities after their impact."""
    connected = mech.with_loops(joints)
    return connected, held_state(connected, state._x, joints, impact=impact)


def _joint_of(mech: Mechanism, state: State, c: Connection) -> Joint:
    """The joint with its frames on both bodies."""
    bodies = mech.bodies
    for body in (c.body_a, c.body_b):
        if not isinstance(body, str) or (body != WORLD and body not in bodies):
            raise StructureError(
                f"there is no body {body!r} to connect; the bodies are: world, {listed(bodies)}.{meant(body, bodies)}"
            )
    if c.body_a == c.body_b:
        raise StructureError(f"a joint needs two bodies; {c.body_a!r} cannot be connected to itself.")
    if not isinstance(c.joint, JointType):
        raise StructureError(f"joint must be a joint type, such as Revolute((0, 1, 0)), not {c.joint!r}.")
    name = f"{c.body_a}_{c.body_b}" if c.name is None else c.name
    return Joint(name, c.joint, c.body_a, c.body_b, *_frames(mech, state, c))


def _frames(mech: Mechanism, state: State, c: Connection) -> tuple[Pose, Pose]:
    """The joint's frames on the two bodies."""
    if c.pose_a is not None or c.pose_b is not None:
        return _fitting(mech, state, c)
    structure = mech.structure
    point = _common_origin(mech, state, c) if c.at is None else absolute_point(c.at)
    frames = np.empty((2, POSE))
    _places.call(structure.work, state._x, structure.row(c.body_a), structure.row(c.body_b), tuple(point.tolist()), frames)
    frames.setflags(write=False)
    return Pose.around(frames[0]), Pose.around(frames[1])


@entry
def _places(handle: int, state: Floats, a: int, b: int, there: ThreeFloats, out: Table) -> None:
    """The poses, on two bodies (by their rows, −1 for the world), of a frame at the point (x, y, z) with the world's axes."""
    model, work = model_at(handle), work_at(handle, state)
    place_bodies(model, work, state[: positions_in(handle)])
    for side, k in ((0, a), (1, b)):
        if k < 0:
            store_pose(out, side, (identity(0.0), there))
        else:
            here = subtract(there, load(work.body, model.walk[k, ROOT], ORIGIN, 3))
            body = compose(frame(work.body, k), invert(load_pose(model.far, k)))
            R, p = compose(invert(body), (identity(0.0), here))
            store_pose(out, side, (orthonormal(R), p))


def _fitting(mech: Mechanism, state: State, c: Connection) -> tuple[Pose, Pose]:
    """The frames where at least one is given; the other is where the bodies are now."""
    for what, pose in (("pose_a", c.pose_a), ("pose_b", c.pose_b)):
        if pose is not None and not isinstance(pose, Pose):
            raise StructureError(f"{what} must be a Pose, the joint's frame on its body, not {pose!r}.")
    if c.at is not None:
        raise StructureError("give either at, the absolute point, or pose_a and pose_b, the joint's frames on the bodies.")
    a, b = (Pose.from_row(row[:POSE]) for row in mech.structure.motions_of(state._x, c.body_a, c.body_b))
    on_a = a.inverse() @ b @ c.pose_b if c.pose_a is None and c.pose_b is not None else c.pose_a
    on_b = b.inverse() @ a @ c.pose_a if c.pose_b is None and c.pose_a is not None else c.pose_b
    assert on_a is not None
    assert on_b is not None
    return on_a.orthonormal(), on_b.orthonormal()


def _common_origin(mech: Mechanism, state: State, c: Connection) -> Array:
    """The point where the origins of both bodies are; with the world, the origin of the other body."""
    origins = mech.structure.motions_of(state._x, c.body_a, c.body_b)[:, 9:POSE].copy()
    a: Array = origins[0]
    b: Array = origins[1]
    if WORLD in (c.body_a, c.body_b):
        return b if c.body_a == WORLD else a
    apart = float(np.abs(a - b).max())
    if apart > SAME_PLACE * (1.0 + float(np.abs(a).max())):
        raise StructureError(
            f"{c.body_a!r} and {c.body_b!r} are not at the same place, their origins are {apart:.3g} apart: say where the joint "
            "sits with at, an absolute point, or with pose_a and pose_b, its frames on the bodies."
        )
    return a
