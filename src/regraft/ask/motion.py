"""Where the bodies and frames of a mechanism are, how they move, and how positions are moved along velocities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import POSE, Pose, finite, representable
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import ModelError
from ..joints import ROUNDING
from ..kernels import entries
from ..structure.layout import Layout
from ..structure.tree import Tree

Array = NDArray[np.float64]


def body_poses(mech: Mechanism, state: State) -> Mapping[str, Pose]:
    """The pose of every body in the world.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position.

    Returns
    -------
    mapping of str to Pose
        By the name of the body.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("box", rg.Inertia.box(1.0, (1, 1, 1)))
    >>> mech.add_joint("slider", rg.Prismatic((0, 0, 1)), "world", "box")
    >>> rg.body_poses(mech, mech.state(q={"slider": 0.5}))["box"]
    Pose(translation=(0.0, 0.0, 0.5))
    """
    tree = mech.tree_for(state)
    motions = tree.motion(state._x)
    representable("the positions of bodies", motions[:, :POSE])
    return {name: Pose.from_row(motions[k]) for name, k in tree.row_of.items()}


def body_twists(mech: Mechanism, state: State) -> Mapping[str, Array]:
    """The velocity of every body.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.

    Returns
    -------
    mapping of str to (6,) array
        By the name of the body: angular velocity, then velocity of the body's origin, in world axes.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("box", rg.Inertia.box(1.0, (1, 1, 1)))
    >>> mech.add_joint("slider", rg.Prismatic((0, 0, 1)), "world", "box")
    >>> rg.body_twists(mech, mech.state(v={"slider": 2.0}))["box"][3:] + 0.0
    array([0., 0., 2.])
    """
    tree = mech.tree_for(state)
    motions = tree.motion(state._x)
    representable("the velocities of bodies", motions[:, POSE:])
    return {name: motions[k, POSE:] for name, k in tree.row_of.items()}


def frame_pose(mech: Mechanism, state: State, frame: str) -> Pose:
    """The pose of a frame, or of a body, in the world.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position.
    frame : str
        The name of a frame or a body.

    Returns
    -------
    Pose

    Raises
    ------
    ModelError
        If there is no such frame or body.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_frame("corner", "world", rg.Pose(translation=(1, 2, 3)))
    >>> rg.frame_pose(mech, mech.state(), "corner")
    Pose(translation=(1.0, 2.0, 3.0))
    """
    tree = mech.tree_for(state)
    body, local = _place(mech, frame)
    return Pose.from_row(tree.motions_of(state._x, body)[0]) @ local


def frame_position(mech: Mechanism, state: State, frame: str) -> Array:
    """The position of a frame's, or of a body's, origin in the world.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position.
    frame : str
        The name of a frame or a body.

    Returns
    -------
    (3,) array

    Raises
    ------
    ModelError
        If there is no such frame or body.

    Examples
    --------
    >>> import regraft as rg
    >>> figure = rg.models.human_figure(height=1.75)
    >>> round(float(rg.frame_position(*figure.start, "crown")[2]), 9)
    1.75
    """
    return frame_pose(mech, state, frame).translation.copy()


def frame_twist(mech: Mechanism, state: State, frame: str) -> Array:
    """The velocity of a frame, or of a body.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    frame : str
        The name of a frame or a body.

    Returns
    -------
    (6,) array
        Angular velocity, then velocity of the frame's origin, in world axes.

    Raises
    ------
    ModelError
        If there is no such frame or body.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("arm", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("shoulder", rg.Revolute((0, 0, 1)), "world", "arm")
    >>> mech.add_frame("hand", "arm", rg.Pose(translation=(1, 0, 0)))
    >>> rg.frame_twist(mech, mech.state(v={"shoulder": 2.0}), "hand").tolist()
    [0.0, 0.0, 2.0, 0.0, 2.0, 0.0]
    """
    mech.check_state(state)
    return representable("the velocities of the frame", jacobian(mech, state, frame) @ state._v)


def jacobian(mech: Mechanism, state: State, frame: str) -> Array:
    """The Jacobian J of a frame, or of a body: J v is its velocity.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position.
    frame : str
        The name of a frame or a body.

    Returns
    -------
    (6, nv) array
        Rows for angular velocity, then for velocity of the frame's origin, in world axes.

    Raises
    ------
    ModelError
        If there is no such frame or body.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("arm", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("shoulder", rg.Revolute((0, 0, 1)), "world", "arm")
    >>> mech.add_frame("hand", "arm", rg.Pose(translation=(1, 0, 0)))
    >>> rg.jacobian(mech, mech.state(), "hand").ravel().tolist()
    [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    """
    tree = mech.tree_for(state)
    k, point = _row_and_point(mech, tree, frame)
    out = np.zeros((6, tree.nv))
    if k >= 0:
        entries.jacobian(tree.handle, state._q, k, point, out)
    return representable("the numbers of the Jacobian", out)


def jacobian_rate(mech: Mechanism, state: State, frame: str) -> Array:
    """How the Jacobian changes along the motion: J v̇ + dJ/dt v is the acceleration of the frame.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    frame : str
        The name of a frame or a body.

    Returns
    -------
    (6, nv) array

    Raises
    ------
    ModelError
        If there is no such frame or body.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("arm", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("shoulder", rg.Revolute((0, 0, 1)), "world", "arm")
    >>> mech.add_frame("hand", "arm", rg.Pose(translation=(1, 0, 0)))
    >>> rg.jacobian_rate(mech, mech.state(v={"shoulder": 2.0}), "hand").ravel()[3].item()  # times v: towards the shoulder
    -2.0
    """
    tree = mech.tree_for(state)
    k, point = _row_and_point(mech, tree, frame)
    out = np.zeros((6, tree.nv))
    if k >= 0:
        entries.jacobian_rate(tree.handle, state._q, state._v, k, point, out)
    return representable("the rates of the Jacobian", out)


def integrate(mech: Mechanism, q: ArrayLike, step: ArrayLike) -> Array:
    """The position reached from q along a tangent vector, q ⊕ step.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (nq,) array_like
        The position to start from.
    step : (nv,) array_like
        The tangent vector, such as a velocity times a time.

    Returns
    -------
    (nq,) array

    Raises
    ------
    ModelError
        If q or step has another shape or a number that is not finite.

    Examples
    --------
    >>> import regraft as rg, numpy as np
    >>> mech = rg.Mechanism()
    >>> mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("ball", rg.Spherical(), "world", "top")
    >>> rg.integrate(mech, mech.state().q, [0, 0, np.pi]).round(12)
    array([0., 0., 0., 1.])
    """
    tree = mech.tree
    start, along = finite("q", q, (tree.nq,)), finite("step", step, (tree.nv,))
    out = np.empty(tree.nq)
    entries.integrate(tree.walk, start, along, out)
    return representable("the positions", out)


def difference(
    mech: Mechanism,
    q1: ArrayLike | None = None,
    q0: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
) -> Array:
    """The shortest tangent vector from one position to another: end ⊖ start, so that start ⊕ (end ⊖ start) = end.

    Positional arguments come as in a subtraction: **the end first, then the start**. The keywords `start` and `end` say it by
    name.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q1 : (nq,) array_like
        The position to go to; the same as `end`.
    q0 : (nq,) array_like
        The position to start from; the same as `start`.
    start, end : (nq,) array_like
        The two positions by name, in place of `q1` and `q0`.

    Returns
    -------
    (nv,) array

    Raises
    ------
    ModelError
        If a position is missing or given twice, or has another shape or a number that is not finite.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("box", rg.Inertia.box(1.0, (1, 1, 1)))
    >>> mech.add_joint("slider", rg.Prismatic((0, 0, 1)), "world", "box")
    >>> rg.difference(mech, start=[1.0], end=[3.0]), rg.difference(mech, [3.0], [1.0])
    (array([2.]), array([2.]))
    """
    tree = mech.tree
    there, here = _one_position(tree.nq, end=end, q1=q1), _one_position(tree.nq, start=start, q0=q0)
    out = np.empty(tree.nv)
    entries.difference(tree.walk, there, here, out)
    return representable("the differences", out)


def _one_position(nq: int, **given: ArrayLike | None) -> Array:
    """A position that has a name and a place among the arguments, by one of which it must be given."""
    found = [(name, q) for name, q in given.items() if q is not None]
    if len(found) != 1:
        raise ModelError(
            f"difference: the {next(iter(given))} is {'given twice' if found else 'missing'}; "
            "call difference(mech, start=…, end=…), or difference(mech, end, start)."
        )
    name, q = found[0]
    return finite(name, q, (nq,))


def normalise(mech: Mechanism, q: ArrayLike) -> Array:
    """The valid position nearest to q: quaternions get their unit length back.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (nq,) array_like
        Positions, of whose quaternions the length is off.

    Returns
    -------
    (nq,) array

    Raises
    ------
    ModelError
        If q has another shape, a number that is not finite, or a quaternion of no length.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("ball", rg.Spherical(), "world", "top")
    >>> rg.normalise(mech, [2.0, 0, 0, 0])
    array([1., 0., 0., 0.])
    """
    tree = mech.tree
    out = finite("q", q, (tree.nq,))
    entries.normalise(tree.walk, out)
    check_lengths(mech.layout, out)
    return out


def check_lengths(layout: Layout, q: Array) -> None:
    """Reject positions that could not be normalised: what is normalised already does not change when it is normalised again."""
    for j in layout.curved:
        name, kind, *_ = layout.joints[j]
        once = q[layout.q_slices[name]]
        if not (np.isfinite(once).all() and np.abs(kind.normalised(once) - once).max() <= ROUNDING):
            raise ModelError(
                f"q of joint {name!r} cannot be normalised: its quaternion is zero, or so small or large that its length cannot "
                "be represented; give one of length 1."
            )


def place_of(mech: Mechanism, frame: str) -> tuple[str, Pose] | None:
    """The body that carries a frame and the frame's pose on it, None where there is none; a body is a frame too."""
    if frame in mech.frames:
        found = mech.frames[frame]
        return found.body, found.pose
    return (frame, Pose()) if frame == WORLD or frame in mech.bodies else None


def _place(mech: Mechanism, frame: str) -> tuple[str, Pose]:
    found = place_of(mech, frame)
    if found is not None:
        return found
    raise ModelError(f"there is no frame or body {frame!r}; add it with add_frame.")


def _row_and_point(mech: Mechanism, tree: Tree, frame: str) -> tuple[int, Array]:
    body, local = _place(mech, frame)
    if body == WORLD:
        return -1, np.zeros(3)
    point: Any = tree.point(body, local.translation)
    return tree.row_of[body], point
