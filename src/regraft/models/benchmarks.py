"""Problems of the IFToMM library of multibody benchmarks that have published solutions: A01, A02, A03.

The data of A03 are those of the test set for initial value problem solvers (Andrews' squeezing mechanism).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..algebra.pose import Pose
from ..ask.assembly import assemble
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Sphere
from ..errors import ModelError
from ..joints import Revolute
from .ready import Model, add_limb

_HINGE = Revolute((0.0, 0.0, 1.0))
_DOWN = (0.0, -9.81, 0.0)
_THICK, _BOB = 0.02, 0.06  # m: the radii of rods and of the pendulum's mass, as they are drawn


def pendulum() -> Model:
    """A01 of the IFToMM benchmarks: 1 kg at 1 m from the joint "hinge", level to the left of it and at rest; gravity is along −y.

    The angle of the hinge counts from where the pendulum hangs down. The frame "bob" is the mass.

    Returns
    -------
    Model

    Examples
    --------
    >>> import regraft as rg
    >>> rg.frame_position(*rg.models.pendulum().start, "bob")[0]
    np.float64(-1.0)
    """
    mech = Mechanism(gravity=_DOWN)
    mech.add_body("rod", Inertia.point(1.0, (0.0, -1.0, 0.0)))
    mech.add_joint("hinge", _HINGE, WORLD, "rod")
    mech.add_frame("bob", "rod", _at(0.0, -1.0))
    add_limb(mech, "rod", (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), 0.5 * _THICK)
    mech.add_shape("rod", Sphere(_BOB), "bob", _at(0.0, -1.0))
    return Model(mech, mech.state(q={"hinge": -0.5 * math.pi}))


def four_bars(count: int = 2, speed: float = 1.0) -> Model:
    """A02 of the IFToMM benchmarks: N four-bar linkages in a row, 2 N + 1 rods of 1 kg and 1 m in the plane z = 0.

    Gravity is along −y. "upright 0" to "upright N" stand on the joints "foot 0" to "foot N", 1 m apart; "level i" hangs on the
    top of "upright i" by "top i" and closes a loop with the next one by "end i + 1". The frame "B0" is the first top.

    Each loop is made of joints of neighbours, so it is coupled with the two loops beside it only, however many there are.

    Parameters
    ----------
    count : int, optional
        N, at least 1.
    speed : float, optional
        Of the tops at the start, along +x, in m/s.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If count is not a whole number of at least 1.

    Examples
    --------
    >>> import regraft as rg
    >>> len(rg.models.four_bars(5).mech.loop_joints)
    5
    """
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ModelError(f"four_bars: count must be a whole number of linkages, at least 1, not {count!r}.")
    mech = Mechanism(gravity=_DOWN)
    for i in range(count + 1):
        mech.add_body(f"upright {i}", Inertia.rod(1.0, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
        add_limb(mech, f"upright {i}", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), _THICK)
        mech.add_joint(f"foot {i}", _HINGE, WORLD, f"upright {i}", _at(i, 0.0))
        if i < count:
            mech.add_body(f"level {i}", Inertia.rod(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
            add_limb(mech, f"level {i}", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), _THICK)
            mech.add_joint(f"top {i}", _HINGE, f"upright {i}", f"level {i}", _at(0.0, 1.0))
        if i > 0:
            mech.add_joint(f"end {i}", _HINGE, f"level {i - 1}", f"upright {i}", _at(1.0, 0.0), _at(0.0, 1.0))
    mech.add_frame("B0", "upright 0", _at(0.0, 1.0))
    return Model(mech, assemble(mech, mech.state(v={"foot 0": -speed}), hold=["foot 0"]))


# --- A03 -------------------------------------------------------------------------------------------------------------

_A, _B, _C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # where bodies 5 and 7, body 3, the spring are fixed
_RR, _RA = 0.007, 0.00092
_D, _DA, _E, _EA = 0.028, 0.0115, 0.02, 0.01421
_SS, _SA, _SB, _SC, _SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
_TA, _TB, _U, _UA, _UB = 0.02308, 0.00916, 0.04, 0.01228, 0.00449
_ZF, _ZT, _FA = 0.02, 0.04, 0.01421
_THIN = 0.001  # m: the radius of its rods, as they are drawn
_STIFFNESS, _REST, _TORQUE = 4530.0, 0.07785, 0.033

_SQUEEZER = {
    # body: mass, moment about its centre of mass, where that is; of K1, K3, K5 and K7, without gravity, only its distance counts
    "K1": (0.04325, 2.194e-6, (_RA, 0.0)),
    "K2": (0.00365, 4.41e-7, (-_DA, 0.0)),
    "K3": (0.02373, 5.255e-6, (_SB, -_SA)),
    "K4": (0.00706, 5.667e-7, (0.0, -(_E - _EA))),
    "K5": (0.0705, 1.169e-5, (_TA, _TB)),
    "K6": (0.00706, 5.667e-7, (_ZF - _FA, 0.0)),
    "K7": (0.05498, 1.912e-5, (_UB, -_UA)),
}
_ANGLES = {
    # joint: parent, where it is on it, child, its angle at the start
    "beta": (WORLD, (0.0, 0.0), "K1", -0.0617138900142764),
    "theta": ("K1", (_RR, 0.0), "K2", 0.0),
    "gamma": (WORLD, _B, "K3", 0.455279819163070),
    "delta": (WORLD, _A, "K5", 0.487364979543843),
    "phi": ("K5", (_ZT, 0.0), "K4", 0.222668390165886),
    "epsilon": (WORLD, _A, "K7", 1.23054744454982),
    "omega": ("K7", (0.0, -_U), "K6", -0.222668390165886),
}
_CORNERS = {
    # body: the points that its rods go to from its origin, as it is drawn
    "K1": [(_RR, 0.0)],
    "K2": [(-_D, 0.0)],
    "K3": [(0.0, -_SS), (_SD, -_SC)],
    "K4": [(0.0, -_E)],
    "K5": [(_ZT, 0.0)],
    "K6": [(_ZF, 0.0)],
    "K7": [(0.0, -_U)],
}
_ENDS = {"P3": ("K3", (0.0, -_SS)), "P4": ("K4", (0.0, -_E)), "P6": ("K6", (_ZF, 0.0))}


def squeezer() -> Model:
    """A03 of the IFToMM benchmarks, Andrews' squeezer: seven bodies in a plane, a spring and a constant torque.

    The bodies are "K1", the crank, to "K7"; the joints "beta", "theta", "gamma", "phi", "delta", "omega" and "epsilon" are the
    published angles. All bodies meet in one point, the end of K2, where the hinges "P3", "P4" and "P6" close three loops. The
    torque is in `wrenches`; there is no gravity.

    Returns
    -------
    Model

    Examples
    --------
    >>> import regraft as rg
    >>> model = rg.models.squeezer()
    >>> traj = rg.simulate(*model.start, 0.005, wrenches=model.wrenches)
    >>> bool(model.mech.joint_position(traj.final[1], "beta")[0] > model.mech.joint_position(model.state, "beta")[0])
    True
    """
    mech = Mechanism(gravity=(0.0, 0.0, 0.0))
    for name, (mass, moment, com) in _SQUEEZER.items():
        mech.add_body(name, _plate(mass, moment, com))
        for corner in _CORNERS[name]:
            add_limb(mech, name, (0.0, 0.0, 0.0), (*corner, 0.0), _THIN)
    for name, (parent, place, child, _) in _ANGLES.items():
        mech.add_joint(name, _HINGE, parent, child, _at(*place))
    for name, (body, place) in _ENDS.items():
        mech.add_joint(name, _HINGE, "K2", body, _at(-_D, 0.0), _at(*place))
    mech.add_spring("spring", "K3", (_SD, -_SC, 0.0), WORLD, (*_C, 0.0), stiffness=_STIFFNESS, rest_length=_REST)
    rough = mech.state(q={name: angle for name, (*_, angle) in _ANGLES.items()})
    return Model(mech, assemble(mech, rough), {"K1": (0.0, 0.0, _TORQUE, 0.0, 0.0, 0.0)})


def _at(x: float, y: float) -> Pose:
    return Pose(translation=(x, y, 0.0))


def _plate(mass: float, moment: float, com: Sequence[float]) -> Inertia:
    """A thin body in the plane z = 0, of which only the moment about its normal is given."""
    return Inertia(mass, (*com, 0.0), np.diag([0.5 * moment, 0.5 * moment, moment]))
