"""The Jacobian of a frame, and how it changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.jacobian import frame_jacobian, frame_jacobian_rate
from .places import row_and_point

Array = NDArray[np.float64]


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
    structure = mech.structure_for(state)
    k, point = row_and_point(mech, structure, frame)
    out = np.zeros((6, structure.nv))
    if k >= 0:
        frame_jacobian.call(structure.work, state._q, k, point, out)
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
    structure = mech.structure_for(state)
    k, point = row_and_point(mech, structure, frame)
    out = np.zeros((6, structure.nv))
    if k >= 0:
        frame_jacobian_rate.call(structure.work, state._q, state._v, k, point, out)
    return representable("the rates of the Jacobian", out)
