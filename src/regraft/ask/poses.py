"""Where the bodies and frames of a mechanism are, and how they move."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE, Pose, representable
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from .frame_jacobian import jacobian
from .places import known_place

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
    structure = mech.structure_for(state)
    motions = structure.motion(state._x)
    representable("the positions of bodies", motions[:, :POSE])
    return {name: Pose.from_row(motions[k]) for name, k in structure.row_of.items()}


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
    structure = mech.structure_for(state)
    motions = structure.motion(state._x)
    representable("the velocities of bodies", motions[:, POSE:])
    return {name: motions[k, POSE:] for name, k in structure.row_of.items()}


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
    structure = mech.structure_for(state)
    body, local = known_place(mech, frame)
    return Pose.from_row(structure.motions_of(state._x, body)[0]) @ local


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
    structure = mech.structure_for(state)
    body, local = known_place(mech, frame)
    if body == WORLD:
        return local.translation.copy()
    row = structure.motion(state._x)[structure.row_of[body]]
    found: Array = row[:9].reshape(3, 3) @ local.translation + row[9:POSE]
    return found if np.isfinite(found).all() else frame_pose(mech, state, frame).translation  # which says what is wrong


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
