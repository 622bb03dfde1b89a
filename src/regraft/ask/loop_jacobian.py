"""The constraint matrix of the loops (S2's J_C) and its rate."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE, WORLD_MOTION, Pose
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..errors import StructureError
from ..joints import screw_rates, screws, settle
from ..kernels.constraints.closure import ASSEMBLED
from ..kernels.jacobian import frame_jacobian, frame_jacobian_rate
from ..structure.tree import Tree

Array = NDArray[np.float64]

_IMAGINARY = 1e-30  # the step of a derivative along the imaginary axis: exact, whatever its size


def loop_jacobian(mech: Mechanism, state: State, reduced: bool = False) -> Array:
    """The matrix J_C of all loops: J_C θ̇ = 0 for the velocities θ̇ of the tree joints, then of the loop joints (S2 eq. 11).

    The six rows of a loop are the twist of the loop joint's child less that of the virtual link: the joint's parent, moved on
    by the joint. They are angular over linear, in world axes, at the joint's frame on its child.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position; the loops must be closed.
    reduced : bool, optional
        Whether the columns are those of v alone, and the loop joint's own directions are projected out: a joint with f degrees of
        freedom keeps 6 − f rows, in an orthonormal basis.

    Returns
    -------
    (6 · loops, N_J) array
        N_J is the number of velocities of all joints; or (rows, nv) if `reduced`.

    Raises
    ------
    StructureError
        If loops are open.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("pin", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> end = rg.Pose(translation=(1, 0, 0))
    >>> mech.add_joint("slot", rg.Prismatic((0, 0, 1)), "world", "rod", end, end)
    >>> rg.loop_jacobian(mech, mech.state()).T + 0.0
    array([[ 0.,  1.,  0.,  0.,  0., -1.],
           [ 0.,  0.,  0.,  0.,  0., -1.]])
    """
    loops = closed_loops(mech, state)
    if reduced:
        return np.vstack([np.zeros((0, mech.nv)), *(loop.held @ loop.twists for loop in loops)])
    return constraint_matrix(mech, loops)


def loop_jacobian_rate(mech: Mechanism, state: State, reduced: bool = False) -> Array:
    """dJ_C/dt along the motion, so that J_C θ̈ + dJ_C/dt θ̇ = 0; the loops must be closed in velocity too.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity; the loops must be closed in both.
    reduced : bool, optional
        Whether the rate is that of ``loop_jacobian(mech, state, reduced=True)``, whose columns are those of v alone. Then
        J v̇ + dJ/dt v = 0.

    Returns
    -------
    (6 · loops, N_J) array, or (rows, nv) if reduced
        The rate of the matrix that `loop_jacobian` gives, row by row.

    Raises
    ------
    StructureError
        If a loop is open, in position or in velocity.

    Examples
    --------
    >>> import regraft as rg
    >>> mech, state = rg.models.four_bar().start
    >>> moving = rg.assemble(mech, state.replace(v={"motor": 2.0}), hold="motor")
    >>> J, dJ = (f(mech, moving, reduced=True) for f in (rg.loop_jacobian, rg.loop_jacobian_rate))
    >>> bool(abs(J @ rg.forward_dynamics(mech, moving) + dJ @ moving.v).max() < 1e-9)
    True
    """
    loops = closed_loops(mech, state, moving=True)
    if reduced:
        rates = [loop.held_rate() @ loop.twists + loop.held @ loop.twist_rates() for loop in loops]
        return np.vstack([np.zeros((0, mech.nv)), *rates])
    return constraint_rate(mech, loops)


def constraint_matrix(mech: Mechanism, loops: list[Loop]) -> Array:
    """`loop_jacobian` of loops that are there already."""
    return _beside(mech, [loop.twists for loop in loops], [-loop.columns for loop in loops])


def constraint_rate(mech: Mechanism, loops: list[Loop]) -> Array:
    """`loop_jacobian_rate` of loops that are there already."""
    return _beside(mech, [loop.twist_rates() for loop in loops], [-loop.column_rates() for loop in loops])


def _beside(mech: Mechanism, tree: list[Array], own: list[Array]) -> Array:
    """The columns of the tree joints, and those of each loop joint in its own rows."""
    out = np.zeros((6 * len(tree), mech.nv + sum(block.shape[1] for block in own)))
    column = mech.nv
    for l, (left, right) in enumerate(zip(tree, own, strict=True)):
        out[6 * l : 6 * l + 6, : mech.nv] = left
        out[6 * l : 6 * l + 6, column : column + right.shape[1]] = right
        column += right.shape[1]
    return out


class End(NamedTuple):
    """The joint's frame on one of its bodies: pose and twist in the world, and the row and point by which kernels know it."""

    pose: Pose
    twist: Array
    row: int
    point: Array


class Loop:
    """A loop joint in a state: its frames on its bodies, and the numbers that the tree gives it."""

    def __init__(self, tree: Tree, state: State, joint: Joint, motions: Array) -> None:
        self.joint, self._tree, self._state = joint, tree, state
        self.q, self.v, self.gap, self.slip = settle(joint.type, motions, joint.places())
        self._parent = _end(tree, joint.parent, joint.parent_pose, motions[0])
        self._child = _end(tree, joint.child, joint.child_pose, motions[1])
        self._apart = self._child.pose.translation - self._parent.pose.translation
        places = joint.parent_pose, joint.child_pose, self._parent.pose, self._child.pose
        self.size = max(float(np.abs(pose.translation).max()) for pose in places)
        """The largest coordinate of its frames' places, on the bodies and in the world."""
        self._axes = _twice(self._child.pose.rotation)
        self.screws = screws(joint.type, self.q)
        """(nv of the joint, 6): in the axes and about the origin of its frame on its child."""
        self.columns: Array = self._axes @ self.screws.T
        """(6, nv of the joint): its screws, in world axes, at its frame on its child."""

    @property
    def held(self) -> Array:
        """(6 − nv of the joint, 6): an orthonormal basis of what the joint does not allow; acts on twists in world axes."""
        basis: Array = _complement(self.screws.T).T @ self._axes.T
        return basis

    def held_rate(self) -> Array:
        """How `held` changes: the child carries the basis, and it changes with the screws in the child's frame."""
        own = screw_rates(self.joint.type, self.q, self.v)
        basis = _complement(self.screws.T)
        turned = _complement(self.screws.T + 1j * _IMAGINARY * own.T).imag / _IMAGINARY
        axes_rate = _twice(_cross(self._child.twist[:3])) @ self._axes
        rate: Array = turned.T @ self._axes.T + basis.T @ axes_rate.T
        return rate

    @cached_property
    def twists(self) -> Array:
        """(6, nv): the twist of the child less that of the parent, at the joint's frame on the child."""
        carried = self._jacobian(self._parent)
        carried[3:] -= _cross(self._apart) @ carried[:3]
        return self._jacobian(self._child) - carried

    def twist_rates(self) -> Array:
        """How `twists` change along the motion."""
        parent, child = self._parent, self._child
        carried, parting = self._jacobian_rate(parent), child.twist[3:] - parent.twist[3:]
        carried[3:] -= _cross(self._apart) @ carried[:3] + _cross(parting) @ self._jacobian(parent)[:3]
        return self._jacobian_rate(child) - carried

    def column_rates(self) -> Array:
        """How `columns` change: the child carries them, and some change in its frame."""
        own = screw_rates(self.joint.type, self.q, self.v)
        rates: Array = _twice(_cross(self._child.twist[:3])) @ self.columns + self._axes @ own.T
        return rates

    def _jacobian(self, end: End) -> Array:
        out = np.zeros((6, self._tree.nv))
        if end.row >= 0:
            frame_jacobian(self._tree.handle, self._state._q, end.row, end.point, out)
        return out

    def _jacobian_rate(self, end: End) -> Array:
        out = np.zeros((6, self._tree.nv))
        if end.row >= 0:
            frame_jacobian_rate(self._tree.handle, self._state._q, self._state._v, end.row, end.point, out)
        return out


def closed_loops(mech: Mechanism, state: State, moving: bool = False) -> list[Loop]:
    """All loops in a state; an error where one is open, with `moving` also where one is about to open."""
    tree = mech.tree_for(state)
    motions, loops = tree.motion(state._x), []
    for name, *bodies in mech.layout.loops:
        both = np.array([WORLD_MOTION if body == WORLD else motions[tree.row_of[body]] for body in bodies])
        loop = Loop(tree, state, mech.joints[name], both)
        if not (loop.gap <= ASSEMBLED and (not moving or loop.slip <= ASSEMBLED)):
            raise open_loop(name, loop.gap, loop.slip)
        loops.append(loop)
    return loops


def open_loop(name: str, gap: float, slip: float) -> StructureError:
    """A loop is open, or about to open."""
    return StructureError(
        f"the loop of joint {name!r} is open in this state, by {gap:.3g} in position and {slip:.3g} in "
        "velocity; close it first: state = assemble(mech, state)."
    )


def all_velocities(state: State, loops: list[Loop]) -> Array:
    """θ̇ (N_J,): the velocities of the tree joints, then those of the loop joints."""
    return np.concatenate([state._v, *(loop.v for loop in loops)])


def _end(tree: Tree, body: str, place: Pose, motion: Array) -> End:
    pose, twist = Pose.from_row(motion), motion[POSE:]
    arm = pose.rotation @ place.translation
    moved = np.concatenate([twist[:3], twist[3:] + _cross(twist[:3]) @ arm])
    return End(pose @ place, moved, tree.row(body), tree.point(body, place.translation))


def _complement(columns: Any) -> Any:
    """(6, 6 − n): an orthonormal basis of what is orthogonal to n independent columns, by Householder's reflections.

    It is analytic in the columns, so a small imaginary part carries their rate along.
    """
    left, basis = columns.copy(), np.eye(6, dtype=columns.dtype)
    for k in range(columns.shape[1]):
        mirror = left[k:, k].copy()
        length = np.sqrt(mirror @ mirror)
        mirror[0] += length if mirror[0].real >= 0.0 else -length  # away from zero
        mirror /= np.sqrt(mirror @ mirror)
        left[k:, k:] -= 2.0 * np.outer(mirror, mirror @ left[k:, k:])
        basis[:, k:] -= 2.0 * np.outer(basis[:, k:] @ mirror, mirror)
    return basis[:, columns.shape[1] :]


def _cross(a: Array) -> Array:
    """[a]× with [a]× b = a × b."""
    x, y, z = a.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _twice(a: Array) -> Array:
    """A matrix that acts on both halves of a spatial vector."""
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = a
    return out
