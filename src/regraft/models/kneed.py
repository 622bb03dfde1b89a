"""The kneed walker: a passive walker whose knees lock when the leg is straight and are free again when it begins to swing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..algebra.pose import Pose
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Sphere
from ..joints import Fixed, Revolute
from ..simulate import PASS, STOP, InTurn, by_structure, grip, in_turn, release, strike, when_frame_below, when_joint
from .ready import Model, add_limb, positive, slope_angle

LEGS = ("left", "right")
STANCE, HIP, KNEE = "stance", "hip", "knee"
"""The hinge under the foot that stands, the one between the thighs, and the knee of the leg that swings."""
FALL = "fall"
_HINGE = Revolute((0.0, 1.0, 0.0))
_AHEAD = 1e-6  # of the leg's length: a foot that is not so much ahead of the other does not strike
_LIMB, _BALL = 0.015, 0.05  # of the leg's length: the radii of limbs and of the hip, as they are drawn


def kneed_walker(
    hip_mass: float = 0.5,
    thigh_mass: float = 0.5,
    shank_mass: float = 0.05,
    thigh: tuple[float, float] = (0.325, 0.175),
    shank: tuple[float, float] = (0.125, 0.375),
    slope: float = 0.0504,
    gravity: float = 9.81,
) -> Model:
    """The kneed walker of Hsu Chen (2007), after McGeer: two legs of thigh and shank, with a point mass each and one at the hip.

    It walks towards −x; the ground is z = x tan(slope). The stance leg is straight and locked. The knee of the swinging leg is a
    hinge until the leg is straight again; there the knee strike locks it: a weld takes hold with a plastic impact (`connect`) and
    stands in the hinge's place. At the heel strike the leg that lands is the one that stands (`reroot`, with an impact), and the
    knee of the other is free.

    Parameters
    ----------
    hip_mass, thigh_mass, shank_mass : float, optional
        In kg; thighs and shanks have one each.
    thigh : (float, float), optional
        The distances of a thigh's mass from the hip and from the knee, in metres.
    shank : (float, float), optional
        The distances of a shank's mass from the knee and from the foot.
    slope : float, optional
        In radians.
    gravity : float, optional
        In m/s².

    Returns
    -------
    Model
        The walker just after a heel strike, on its left leg; the state is Hsu Chen's, turned with the slope. The bodies are "left
        thigh", "left shank" and so on, whose origins are at the hip and at the knee; the frames "left foot", "left knee" and
        so on; the joints "stance", "hip" and "knee", and the weld "left lock" or "right lock" of a straight leg. The events are
        "knee strike", "left strike" and "right strike", which are the section, and "fall", a stop.

    Raises
    ------
    ModelError
        If a number is not positive.

    Examples
    --------
    >>> import regraft as rg
    >>> walker = rg.models.kneed_walker()
    >>> walk = rg.simulate(*walker.start, 0.7, events=walker.events)
    >>> [name for t, name in walk.events]
    ['knee strike', 'right strike']
    """
    angle = slope_angle(slope)
    upper, lower = (tuple(positive(what, part) for part in parts) for what, parts in (("thigh", thigh), ("shank", shank)))
    mech = Mechanism(gravity=(0.0, 0.0, -positive("gravity", gravity)))
    length = sum(upper) + sum(lower)
    knee, foot = (0.0, 0.0, -sum(upper)), (0.0, 0.0, -sum(lower))
    for leg in LEGS:
        mass = Inertia.point(positive("thigh_mass", thigh_mass), (0.0, 0.0, -upper[0]))
        on_hip = Inertia.point(positive("hip_mass", hip_mass))
        mech.add_body(f"{leg} thigh", mass + on_hip if leg == LEGS[0] else mass)
        mech.add_body(f"{leg} shank", Inertia.point(positive("shank_mass", shank_mass), (0.0, 0.0, -lower[0])))
        mech.add_frame(f"{leg} knee", f"{leg} thigh", Pose(translation=knee))
        mech.add_frame(f"{leg} foot", f"{leg} shank", Pose(translation=foot))
        add_limb(mech, f"{leg} thigh", (0.0, 0.0, 0.0), knee, _LIMB * length)
        add_limb(mech, f"{leg} shank", (0.0, 0.0, 0.0), foot, _LIMB * length)
    mech.add_shape("left thigh", Sphere(_BALL * length), "hip mass")
    mech.add_joint(STANCE, _HINGE, WORLD, "left shank", child_pose=Pose(translation=foot))
    mech.add_joint(_lock("left"), Fixed(), "left thigh", "left shank", Pose(translation=knee))
    mech.add_joint(HIP, _HINGE, "left thigh", "right thigh")
    mech.add_joint(KNEE, _HINGE, "right thigh", "right shank", Pose(translation=knee))
    rise = math.tan(angle)
    strikes = tuple(
        when_frame_below(f"{leg} foot", 0.0, by_structure(HeelStrike(leg, _AHEAD * length)), rise, f"{leg} strike")
        for leg in LEGS
    )
    events = (
        when_joint(KNEE, 0.0, by_structure(lock_of_swing), direction=1, name="knee strike", missing="wait"),
        *strikes,
        when_frame_below("left thigh", 0.0, STOP, rise, FALL),
    )
    state = mech.state(q={STANCE: 0.23805 - angle, HIP: -0.4761}, v={STANCE: -1.1014, HIP: 1.0615, KNEE: 0.0})
    return Model(mech, state, events=events, section=tuple(strike.name for strike in strikes))


def _lock(leg: str) -> str:
    return f"{leg} lock"


def _other(leg: str) -> str:
    return LEGS[1] if leg == LEGS[0] else LEGS[0]


def lock_of_swing(mech: Mechanism) -> InTurn:
    """The leg that swings is straight: a weld takes hold of thigh and shank, and the hinge is not needed any more."""
    leg = LEGS[0] if _lock(LEGS[1]) in mech.joints else LEGS[1]
    return in_turn(grip(f"{leg} knee", f"{leg} shank", Fixed(), _lock(leg), at=f"{leg} shank"), release(KNEE))


@dataclass(frozen=True)
class HeelStrike:
    """A foot meets the ground: its leg stands after a plastic impact, and the knee of the other leg is free."""

    leg: str
    ahead: float

    def __call__(self, mech: Mechanism) -> Any:
        """What changes; it is passed over while the knee swings, and where the feet pass each other."""
        free = _other(self.leg)
        if KNEE in mech.joints:
            return PASS
        lands = strike(f"{self.leg} foot", _HINGE, STANCE, past=f"{free} foot", along=(-1.0, 0.0, 0.0), least=self.ahead)
        bends = grip(f"{free} knee", f"{free} shank", _HINGE, KNEE, at=f"{free} shank")
        return in_turn(lands, bends, release(_lock(free)))
