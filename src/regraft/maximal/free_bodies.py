"""Reduced coordinates to maximal ones and back: each body gets a `Free` joint of its own, and all joints become constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE, Pose, representable
from ..ask.turns import turn_to_couplings
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..errors import ModelError
from ..joints import Free, within_limits
from ..kernels.constraints.rows import joint_states
from ..kernels.tables import BODY
from ..structure.workspace import Workspace
from .invertible import check_invertible

Array = NDArray[np.float64]

_TURN = 2.0 * np.pi


def to_maximal(mech: Mechanism, state: State) -> tuple[Mechanism, State]:
    """The same mechanism in maximal coordinates (S3): each body on a `Free()` joint of its own, all other joints as constraints.

    The result is a mechanism like any other, whose joints all close loops. It moves as `mech` does, `joint_reactions` are the
    forces in the joints, and its structure may be changed. `to_reduced` is the way back.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.

    Returns
    -------
    mech : Mechanism
        The same bodies and joints, and a Free joint for each body.
    state : State
        Their motion.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("thigh", rg.Inertia.box(7.0, (0.1, 0.1, 0.4)))
    >>> mech.add_joint("hip", rg.Revolute((0, 1, 0)), "world", "thigh", child_pose=rg.Pose(translation=(0, 0, 0.2)))
    >>> free, bodies = rg.to_maximal(mech, mech.state(q={"hip": 0.3}))
    >>> free.nv, free.loop_joints
    (6, ('hip',))
    >>> again, state = rg.to_reduced(free, bodies)
    >>> again == mech, round(float(state.q[0]), 12)
    (True, 0.3)
    """
    mech.check_state(state)
    bodies = FreeBodies(mech)
    return bodies.free, bodies.maximal(state)


def to_reduced(mech: Mechanism, state: State, near: State | None = None) -> tuple[Mechanism, State]:
    """The way back from `to_maximal`: the mechanism in reduced coordinates, those of its joints, and its state.

    Where joints have come apart, each gets the position nearest to where its bodies are. Bodies that no joint connects with the
    world any more float on a Free joint, as after `cut`.

    Parameters
    ----------
    mech : Mechanism
        What `to_maximal` made, or what became of that.
    state : State
        Its position and velocity.
    near : State, optional
        A state of the reduced mechanism. A pose tells an angle up to whole turns; with `near` the turns are those that bring it
        nearest to this state. By default angles are within half a turn of zero, or within the joint's limits; coupled ones have
        the turns with which their couplings are held.

    Returns
    -------
    mech : Mechanism
        The mechanism in reduced coordinates.
    state : State
        Its position and velocity.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.models.human_figure().mech
    >>> again, state = rg.to_reduced(*rg.to_maximal(mech, mech.state()))
    >>> again == mech
    True
    """
    mech.check_state(state)
    joints = {name: joint for name, joint in mech.joints.items() if not _frees_a_body(joint)}
    if len(joints) + len(mech.bodies) != len(mech.joints):
        raise ModelError("to_reduced takes a mechanism from to_maximal, in which every body is free by itself.")
    reduced = mech.joined_by(joints)
    for body in _lost_bodies(mech.bodies, joints.values()):
        reduced.add_joint(f"{body}_free", Free(), WORLD, body)
    bodies = FreeBodies(reduced)
    if near is not None:
        reduced.check_state(near)
    order = np.array([bodies.free.layout.q_slices[free_name(body)].start for body in mech.bodies])
    if bodies.free.layout.names != mech.layout.names or (np.diff(order) <= 0).any():
        raise ModelError("to_reduced takes a mechanism from to_maximal, in which every body is free by itself.")
    x = bodies.reduced(state._x, None if near is None else near._x)
    if near is None and reduced.couplings:
        turn_to_couplings(reduced, x[: reduced.nq], reduced.layout.names)
    return reduced, State(reduced.layout, x)


def free_name(body: str) -> str:
    """What the joint is called that makes a body free."""
    return f"{body} (free)"


def _frees_a_body(joint: Joint) -> bool:
    return joint.name == free_name(joint.child) and isinstance(joint.type, Free) and joint.parent == WORLD


def _lost_bodies(bodies: Iterable[str], joints: Iterable[Joint]) -> list[str]:
    """The bodies that joints connect with each other but not with the world: the first one of each group."""
    group = {name: name for name in (WORLD, *bodies)}

    def first(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    for joint in joints:
        a, b = first(joint.parent), first(joint.child)
        group[b if a == WORLD else a] = a if a == WORLD else b
    order = {name: i for i, name in enumerate(bodies)}
    least: dict[str, str] = {}
    for name in order:
        least.setdefault(first(name), name)
    return [name for top, name in least.items() if top != WORLD]


class FreeBodies:
    """A mechanism, the same with every body free, and how states go from the one to the other."""

    def __init__(self, mech: Mechanism) -> None:
        for body in mech.bodies.values():
            check_invertible(body.name, body.inertia)
        self.mech = mech
        joints = {free_name(body): Joint(free_name(body), Free(), WORLD, body, Pose(), Pose()) for body in mech.bodies}
        taken = joints.keys() & mech.joints.keys()
        if taken:
            raise ModelError(f"joint {min(taken)!r} has the name of one that makes a body free; give it another name.")
        self.free = mech.joined_by({**joints, **mech.joints})
        layout = mech.layout
        self._places = np.array(
            [
                (layout.q_slices[name].start, layout.nq + layout.v_slices[name].start) if name in layout.q_slices else (-1, -1)
                for name in mech.joints
            ],
            np.int64,
        ).reshape(-1, 2)
        self._spare: list[Workspace] = []

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_spare": []}  # which are of this process

    def _joint_states(self, x: Array, out: Array) -> None:
        """Positions and velocities of the joints, to `out`, for free bodies in the states x, one a row.

        The kernel lets go of the interpreter's lock, so each call needs tables that no other one has; later calls use them again.
        """
        try:
            work = self._spare.pop()
        except IndexError:
            work = self.free.structure.new_work()
        joint_states.call(work, self._places, np.ascontiguousarray(x), out)
        self._spare.append(work)

    def maximal(self, state: State) -> State:
        """The state of the free bodies in which they move as the mechanism's do."""
        structure, free = self.mech.structure, self.free.layout
        motions = structure.motion(state._x)
        x = free.rest.copy()
        q, v = x[: free.nq].reshape(-1, 7), x[free.nq :].reshape(-1, 6)
        rows = np.empty(len(motions), np.int64)
        rows[structure.walk[:, BODY]] = np.arange(len(motions))
        turns = motions[rows, :9].reshape(-1, 3, 3)
        q[:, :3], q[:, 3:] = motions[rows, 9:POSE], quaternions(turns)
        v[:, :3] = np.einsum("kba,kb->ka", turns, motions[rows, POSE + 3 :])
        v[:, 3:] = np.einsum("kba,kb->ka", turns, motions[rows, POSE : POSE + 3])
        return State(free, representable("the positions and velocities of bodies", x))

    def reduced(self, x: Array, near: Array | None = None) -> Array:
        """(nq + nv,): positions and velocities of the mechanism's tree joints where free bodies are as x says."""
        found: Array = self.reduced_of_many(x[None], near)[0]
        return found

    def reduced_of_many(self, x: Array, near: Array | None = None, t: Array | None = None) -> Array:
        """The same for many states one after the other; angles go on through whole turns.

        With the times of the states, as many turns as the velocities at both ends of an interval make in it.
        """
        layout = self.mech.layout
        out = np.empty((len(x), layout.nq + layout.nv))
        self._joint_states(x, out)
        for name, kind, *_ in layout.joints:
            first, rate = layout.q_slices[name].start, layout.nq + layout.v_slices[name].start
            for c in kind.turns:
                angle, speed = out[:, first + c], out[:, rate + c]
                begin = within_limits(kind, out[0, layout.q_slices[name]].copy())[c] if near is None else near[first + c]
                way = np.zeros(len(x) - 1) if t is None else 0.5 * (speed[1:] + speed[:-1]) * np.diff(t)
                turns = np.round(np.concatenate(([begin - angle[0]], way - np.diff(angle))) / _TURN)
                angle += _TURN * np.cumsum(turns)  # once, so that rounding does not depend on where the counting began
        return out


def quaternions(turns: Array) -> Array:
    """(n, 4), w first: the unit quaternions of rotations (n, 3, 3)."""
    from scipy.spatial.transform import Rotation  # heavy, and of use here alone

    found: Array = Rotation.from_matrix(turns).as_quat(scalar_first=True)
    return found
