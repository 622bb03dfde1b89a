"""The swing (S2, Fig. 21): a human figure on a swing, one of whose ropes tears."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..algebra.pose import Pose, finite_number
from ..ask.assembly import assemble
from ..ask.poses import body_poses, frame_position
from ..change import cut
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Box
from ..describe.state import State
from ..errors import ModelError
from ..joints import Fixed, Prismatic, Revolute, Spherical, Universal
from ..simulate import PASS, Event, at_time, release
from .figures import BASE, SIDES, Figure, add_human, human_figure
from .ready import Model, add_limb, turn_about_y

BEAM, ROPE, TORN = 4.2, 2.6, 1.3
"""The height of the beam, the length of the ropes, and how far from the beam the right one tears."""
DEPTH, THICKNESS = 0.36, 0.04
"""Of the plate."""

_ROPE_RADIUS, _ROPE_DENSITY, _PLATE_MASS = 0.014, 0.4, 3.0  # m, kg/m, kg
_WIDER = 0.09  # m: how much farther out than the shoulders the ropes are
_LEAN, _TURN, _GRIP, _KNEE = math.radians(25.0), math.radians(10.0), 0.9, math.radians(70.0)  # the grip: m above the plate
_ARM, _ELBOW = math.radians(120.0), math.radians(15.0)  # about where the arms are, before they take hold of the ropes
_HOOK, _END = Universal((0.0, -1.0, 0.0), (1.0, 0.0, 0.0)), Revolute((1.0, 0.0, 0.0))
_FRICTION = 400.0  # N s/m, of a thigh on the plate
_OUT = 1e-6  # m: thighs that come off so close to each other come off together


def swing(angle: float = -0.9, speed: float = 0.0, tears: float = 1.0, mass: float = 70.0, height: float = 1.75) -> Model:
    """A human figure sits on a swing and holds on to its ropes. The right rope tears; a thigh that slides off the plate is free.

    The ropes are rods, each on the beam by a universal joint, "left hook" and "right hook", and on the plate by a hinge, "left
    end" and "right end". The right rope is in two pieces, fixed to each other by "right knot", which is what tears. Hands hold
    the ropes by ball joints, "left hand" and "right hand"; the thighs slide along the plate, by "left seat" and "right seat",
    until their middle comes to its edge. The joints have S2's 30 coordinates: 16 of the figure, 6 of the hands, 2 of
    the thighs, 6 of the swing and none of the knot. When the rope has torn and both thighs are off it they are 28. Nothing is
    joined to the world but the hooks: the figure needs no free joint as long as it holds on.

    Parameters
    ----------
    angle : float, optional
        Of the ropes from the vertical, ahead, rad.
    speed : float, optional
        Its rate, rad/s.
    tears : float, optional
        The time of the event "rope tears"; the other events are "left thigh off" and "right thigh off".
    mass : float, optional
        In kg.
    height : float, optional
        In metres.

    Returns
    -------
    Model

    Examples
    --------
    >>> import regraft as rg
    >>> swing = rg.models.swing()
    >>> sum(joint.type.nv for joint in swing.mech.joints.values()), len(swing.mech.loop_joints)
    (30, 4)
    """
    turn, rate, moment = (
        finite_number(f"swing: {what}", value) for what, value in (("angle", angle), ("speed", speed), ("tears", tears))
    )
    if moment <= 0.0:
        raise ModelError(f"swing: tears must be a time after the start, not {tears!r}.")
    sitting = _sit(human_figure(mass, height))
    mech = _apparatus(sitting)
    tree = {name: sitting.state.q[sitting.mech.q_slice(name)] for name in sitting.figure.mech.joints if name != BASE}
    hooks = [f"{side} hook" for side in SIDES]
    rough = mech.state(
        q=tree | {"left hand": sitting.poses["left forearm"].quaternion} | dict.fromkeys(hooks, (turn, 0.0)),
        v=dict.fromkeys(hooks, (rate, 0.0)),
    )
    events = (at_time(moment, release("right knot"), "rope tears"), *(_thigh_off(side) for side in SIDES))
    return Model(mech, assemble(mech, rough), events=events)


class Sitting(NamedTuple):
    """A figure that sits where the swing hangs straight down, with its hands where the ropes will be."""

    figure: Figure
    mech: Mechanism
    """The figure, with its hands held in place."""
    state: State
    poses: Mapping[str, Pose]
    half: float
    """The distance of the ropes from the middle."""


def _sit(figure: Figure) -> Sitting:
    """Put the thighs on the middle of the plate, and let the arms find the ropes.

    The trunk is turned a little, so that one hip is ahead of the other. With both hips abreast the distance between them would
    keep the thighs from sliding apart in the second order only: a singular position wherever they are, which no step of a
    simulation can leave.
    """
    trunk, level = Pose.about((0.0, 0.0, 1.0), _TURN) @ turn_about_y(-_LEAN), turn_about_y(-0.5 * math.pi)
    turns: dict[str, Pose | float] = {}
    for side in SIDES:
        turns |= {f"{side} hip": trunk.inverse() @ level, f"{side} knee": _KNEE}
        turns |= {f"{side} shoulder": turn_about_y(-_ARM), f"{side} elbow": _ELBOW}
    mech, top = figure.mech.copy(), BEAM - ROPE + 0.5 * THICKNESS
    there = mech.state(q=figure.positions(turns, trunk))
    seat = 0.5 * sum(frame_position(mech, there, f"{side} seat") for side in SIDES)
    base = Pose(trunk.rotation, np.array([0.0, 0.0, top]) - seat)
    half = _WIDER + abs(frame_position(mech, figure.state, "left grip")[1])
    for side, sign in SIDES.items():
        grip = mech.frames[f"{side} grip"]
        mech.add_joint(f"{side} hand", Spherical(), WORLD, grip.body, _at(0.0, sign * half, top + _GRIP), grip.pose)
    rough = mech.state(q=figure.positions(turns, base))
    state = assemble(mech, rough, hold=[BASE, *(f"{side} {joint}" for side in SIDES for joint in ("hip", "knee"))])
    return Sitting(figure, mech, state, body_poses(mech, state), half)


def _apparatus(sitting: Sitting) -> Mechanism:
    """The swing with the figure on it; all bodies of the swing have the world's axes where it hangs straight down."""
    mech, half = Mechanism(), sitting.half
    for name, (start, end) in _ropes().items():
        mech.add_body(name, Inertia.cylinder(_ROPE_DENSITY * (start - end), _ROPE_RADIUS, (0.0, 0.0, start), (0.0, 0.0, end)))
    mech.add_body("plate", Inertia.box(_PLATE_MASS, (DEPTH, 2.0 * half, THICKNESS)))
    mech.add_joint("left hook", _HOOK, WORLD, "left rope", _at(0.0, half, BEAM))
    mech.add_joint("left end", _END, "left rope", "plate", _at(0.0, 0.0, -ROPE), _at(0.0, half, 0.0))
    mech.add_joint("right end", _END, "plate", "right rope", _at(0.0, -half, 0.0), _at(0.0, 0.0, -ROPE))
    mech.add_joint("right hook", _HOOK, WORLD, "right stub", _at(0.0, -half, BEAM))
    mech.add_joint("right knot", Fixed(), "right stub", "right rope", _at(0.0, 0.0, -TORN), _at(0.0, 0.0, -TORN))
    add_human(mech, sitting.figure.size, floats=False)
    plate = _at(0.0, 0.0, BEAM - ROPE)
    for side in SIDES:
        hand, thigh = mech.frames[f"{side} grip"], f"{side} thigh"
        held = frame_position(sitting.mech, sitting.state, f"{side} grip")
        mech.add_joint(f"{side} hand", Spherical(), f"{side} rope", hand.body, _at(0.0, 0.0, held[2] - BEAM), hand.pose)
        seat = Pose(translation=frame_position(sitting.mech, sitting.state, f"{side} seat"))
        on_thigh = sitting.poses[thigh].inverse() @ seat
        mech.add_joint(
            f"{side} seat", Prismatic((1.0, 0.0, 0.0), damping=_FRICTION), "plate", thigh, plate.inverse() @ seat, on_thigh
        )
    _add_shapes(mech, half)
    return mech


def _ropes() -> dict[str, tuple[float, float]]:
    """Where the ropes begin and end, below the beam; a rope's origin is at its hook."""
    return {"left rope": (0.0, -ROPE), "right stub": (0.0, -TORN), "right rope": (-TORN, -ROPE)}


def slid(mech: Mechanism, state: State, side: str) -> float:
    """How far the middle of a thigh has slid along the plate from its middle, forwards."""
    plate = body_poses(mech, state)["plate"]
    return float(plate.inverse().apply(frame_position(mech, state, f"{side} seat"))[0])


def _thigh_off(side: str) -> Event:
    """A thigh whose middle comes to the edge of the plate; where the other one is there too, both come off at once."""
    return Event(f"{side} thigh off", _Inside(side), _come_off, already="fire")


@dataclass(frozen=True)
class _Inside:
    """How far the middle of a thigh is from the edge of the plate."""

    side: str

    def __call__(self, mech: Mechanism, state: State) -> float:
        return 0.5 * DEPTH - abs(slid(mech, state, self.side))


def _come_off(mech: Mechanism, state: State) -> Any:
    off = [s for s in SIDES if f"{s} seat" in mech.joints and abs(slid(mech, state, s)) > 0.5 * DEPTH - _OUT]
    for other in off:
        mech, state = cut(mech, state, f"{other} seat")
    return (mech, state) if off else PASS


def _add_shapes(mech: Mechanism, half: float) -> None:
    """The shapes of the frame, of the ropes and of the plate."""
    thick = 1.5 * _ROPE_RADIUS
    add_limb(mech, WORLD, (0.0, -2.5 * half, BEAM), (0.0, 2.5 * half, BEAM), thick)
    for side in SIDES.values():
        for foot in (-0.8, 0.8):
            add_limb(mech, WORLD, (0.0, 2.5 * side * half, BEAM), (foot, 2.5 * side * half, 0.0), thick)
    for name, (start, end) in _ropes().items():
        add_limb(mech, name, (0.0, 0.0, start), (0.0, 0.0, end), _ROPE_RADIUS)
    mech.add_shape("plate", Box((DEPTH, 2.0 * half, THICKNESS)))


def _at(x: float, y: float, z: float) -> Pose:
    return Pose(translation=(x, y, z))
