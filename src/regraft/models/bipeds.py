"""Passive walkers: two straight legs, a hinge between them, a slope, and nothing that drives them but gravity (S1, section 8).

Feet are points, or round: then the leg rolls on its foot without slipping, which is a joint with one coordinate like the hinge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..algebra.pose import Pose, finite_number
from ..ask.poses import frame_position
from ..change import reroot
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Sphere
from ..describe.state import State
from ..errors import ModelError
from ..joints import Curve, Guided, JointType, Revolute
from ..simulate import PASS, STOP, Event, Strike, strike, when_frame_below
from .ready import add_limb, positive, slope_angle

LEGS = ("left", "right")
"""The two bodies; their origins are at the hip."""
STANCE, HIP = "stance", "hip"
"""The hinge between the ground and the leg that stands, and the one between the legs."""
FALL = "fall"
"""The event that the hip comes down to the ground."""

_HINGE, _FORWARD = Revolute((0.0, 1.0, 0.0)), (-1.0, 0.0, 0.0)
_AHEAD = 1e-6  # of the leg's length: where legs that pass each other touch the ground, the feet are closer than this
_SMALL = {"long": 3.812092, "short": math.pi}  # how long a step takes on a small slope
_AT_9 = {"long": (0.2003109005442, -0.2170161, -0.0003512), "short": (0.1939374, -0.2202263, 0.2365747)}  # on the slope 0.009
_LEG, _BALL = 0.012, 0.06  # of its length: the radii of a leg and of the larger mass, as they are drawn


class Legs(NamedTuple):
    """How a biped stands, whichever leg it stands on: the legs' angles from the vertical, rad, and their rates, rad/s.

    Attributes
    ----------
    stance, swing : float
        The angles of the leg that stands and of the one that swings.
    stance_rate, swing_rate : float
        Their rates.
    """

    stance: float
    swing: float
    stance_rate: float
    swing_rate: float


@dataclass(frozen=True, eq=False)
class CompassBiped:
    """A biped with straight legs on a slope down which it walks, towards −x; the ground is z = x tan(slope).

    The bodies are "left" and "right", with the frames "left foot" and "right foot": the point of the foot, or the centre of a
    round one. The hinge "stance" holds the foot that stands, or lets it roll; it keeps its name when the other leg takes over.
    The hinge "hip" counts from the left leg to the right one.

    Attributes
    ----------
    mech : Mechanism
        The biped on its left leg, with the left foot at the world's origin.
    state : State
        Its state just before the right foot strikes the ground.
    length : float
        The length of the legs.
    slope : float
        The angle of the slope, rad.
    radius : float
        That of round feet; 0 for points.
    events : tuple of Event
        "left strike" and "right strike": the leg that lands is the one that stands; "fall": the hip meets the ground, a stop.
    start : (Mechanism, State)
        Just after the right foot has struck the ground: where the first step begins.

    Examples
    --------
    >>> import regraft as rg
    >>> biped = rg.models.compass_biped()
    >>> walk = rg.simulate(*biped.start, 2.0, events=biped.events)
    >>> tuple((round(t, 2), name) for t, name in walk.events)
    ((0.74, 'left strike'), (1.47, 'right strike'))
    """

    mech: Mechanism
    state: State
    length: float
    slope: float
    radius: float = 0.0
    events: tuple[Event, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.mech.check_state(self.state)
        rise, up = math.tan(self.slope), self.radius / math.cos(self.slope)
        strikes = (when_frame_below(foot_of(leg), up, self._landing(leg), rise, f"{leg} strike") for leg in LEGS)
        fall = when_frame_below(LEGS[0], 0.0, STOP, rise, FALL)
        object.__setattr__(self, "events", (*strikes, fall))

    @cached_property
    def start(self) -> tuple[Mechanism, State]:
        """Mechanism and state just after the right foot has struck the ground: where the first step begins."""
        if (after := self.strike(self.mech, self.state)) is PASS:
            raise ModelError("the right foot is not ahead of the left one, so it cannot strike; spread the legs in the state.")
        mech, state = after
        return mech, state

    def strike(self, mech: Mechanism, state: State) -> Any:
        """The swinging foot lands: a plastic impact, and its leg stands.

        Parameters
        ----------
        mech : Mechanism
            The biped on one leg.
        state : State
            Its state when the other foot is on the ground.

        Returns
        -------
        (Mechanism, State) or PASS
            The biped on the other leg; `PASS` where that foot is not ahead.
        """
        return self._landing(_other(standing_leg(mech)))(mech, state)

    def _landing(self, leg: str) -> Strike | _RoundStrike:
        least = self.length * _AHEAD
        return _landing(leg, least) if self.radius == 0.0 else _RoundStrike(leg, least, self.slope, self.radius)

    def legs(self, mech: Mechanism, state: State) -> Legs:
        """Angles and rates of the standing and of the swinging leg.

        Parameters
        ----------
        mech : Mechanism
            The biped on either leg.
        state : State
            Its state.

        Returns
        -------
        Legs

        Examples
        --------
        >>> import regraft as rg
        >>> biped = rg.models.compass_biped()
        >>> before, after = biped.legs(biped.mech, biped.state), biped.legs(*biped.start)
        >>> tuple(round(angle, 4) for angle in (before.stance, before.swing, after.stance, after.swing))
        (-0.3236, 0.2188, 0.2188, -0.3236)
        """
        sign = 1.0 if standing_leg(mech) == LEGS[0] else -1.0
        (angle,), (rate,) = mech.joint_position(state, STANCE), mech.joint_velocity(state, STANCE)
        (spread,), (opening,) = mech.joint_position(state, HIP), mech.joint_velocity(state, HIP)
        return Legs(float(angle), float(angle + sign * spread), float(rate), float(rate + sign * opening))

    def standing(self, legs: Legs) -> State:
        """The state of `mech` in which the legs stand like this; the left one is on the ground.

        Parameters
        ----------
        legs : Legs
            Angles and rates.

        Returns
        -------
        State
        """
        stance, swing, stance_rate, swing_rate = legs
        return self.mech.state(q={STANCE: stance, HIP: swing - stance}, v={STANCE: stance_rate, HIP: swing_rate - stance_rate})


def compass_biped(
    hip_mass: float = 2.0,
    leg_mass: float = 1.0,
    length: float = 1.0,
    mass_distance: float = 0.5,
    slope: float = 0.0524,
    hip_on: str = "left",
    gravity: float = 9.81,
) -> CompassBiped:
    """The compass biped of S1, Table 1: two legs of one point mass each, and a point mass at the hip.

    S1 is the paper on re-rooting, the first in the README's list.

    Parameters
    ----------
    hip_mass, leg_mass : float, optional
        In kg.
    length : float, optional
        Of a leg, in metres.
    mass_distance : float, optional
        From the hip to the mass of a leg.
    slope : float, optional
        In radians. The state is that of Table 1, with the legs turned so that both feet are on the slope if that is another one.
    hip_on : {"left", "right"}, optional
        The leg that carries the mass of the hip.
    gravity : float, optional
        In m/s².

    Returns
    -------
    CompassBiped

    Raises
    ------
    ModelError
        If a number is not positive, or `hip_on` is not a leg.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.models.compass_biped(slope=0.06).slope
    0.06
    """
    if hip_on not in LEGS:
        raise ModelError(f'hip_on must be "left" or "right", the leg that carries the mass of the hip, not {hip_on!r}.')
    mech = _on_points(two_legs(hip_mass, leg_mass, positive("length", length), mass_distance, hip_on, gravity), length)
    angle = slope_angle(slope)
    state = mech.state(q={STANCE: -0.2712 - angle, HIP: 0.5424}, v={STANCE: -1.4939, HIP: -0.3117})
    return CompassBiped(mech, state, float(length), angle)


def simplest_walker(slope: float = 0.009, foot_mass: float = 1e-6, gait: str = "long") -> CompassBiped:
    """The simplest walking model (Garcia, Chatterjee, Ruina, Coleman): hip mass, length and g are 1, feet of almost no mass.

    Parameters
    ----------
    slope : float, optional
        In radians. On the slope 0.009 the state is on the limit cycle of the model whose feet have no mass at all; towards 0 it
        approaches that of small slopes, which is known in closed form and grows as the cube root of the slope.
    foot_mass : float, optional
        Relative to the hip's.
    gait : {"long", "short"}, optional
        Near which of its two gaits the state is. On small slopes the steps of the short one take the time π, those of the long
        one 3.812, the root of tan(τ/2) = −3 tanh(τ/2).

    Returns
    -------
    CompassBiped

    Raises
    ------
    ModelError
        If there is no such gait, or no such mass or slope.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.models.simplest_walker().mech.nv
    2
    """
    angle = slope_angle(slope)
    mech = _on_points(two_legs(1.0, positive("foot_mass", foot_mass), 1.0, 1.0, LEGS[0], 1.0), 1.0)
    if gait not in _AT_9:
        raise ModelError(f"gait must be {' or '.join(map(repr, _AT_9))}, not {gait!r}.")
    size, part = math.cbrt(angle), math.cbrt(angle / 0.009) ** 2
    limit = _small_slopes(_SMALL[gait])
    spread, rate, opening = (size * (a + (b / math.cbrt(0.009) - a) * part) for a, b in zip(limit, _AT_9[gait], strict=True))
    state = mech.state(q={STANCE: -spread - angle, HIP: 2.0 * spread}, v={STANCE: rate, HIP: opening})
    return CompassBiped(mech, state, 1.0, angle)


def _small_slopes(time: float) -> tuple[float, float, float]:
    """Half the angle between the legs, the rates of stance and hip before a strike, by the cube root of a small slope.

    Between strikes θ̈ = θ and φ̈ = θ − φ, from θ to −θ in the time of a step and with the same rate ω at both ends; a strike takes
    2 (θ ω)², and the slope gives 2 θ times its angle.
    """
    spread = math.cbrt(math.tanh(0.5 * time) ** 2)
    rate = -spread / math.tanh(0.5 * time)
    return spread, rate, 1.5 * spread * math.sin(time) + 0.5 * rate * math.cos(time) - 0.5 * rate


def standing_leg(mech: Mechanism) -> str:
    """The leg that stands on the ground."""
    joint = mech.joints[STANCE]
    return joint.parent if joint.child == WORLD else joint.child


def two_legs(
    hip_mass: float, leg_mass: float, length: float, distance: float, hip_on: str, gravity: float, gyration: float = 0.0
) -> Mechanism:
    """Two legs that hang on the hip, without feet and not yet on the ground."""
    mech = Mechanism(gravity=(0.0, 0.0, -positive("gravity", gravity)))
    spin = leg_mass * gyration**2
    for leg in LEGS:
        inertia = Inertia.point(leg_mass, (0.0, 0.0, -finite_number("mass_distance", distance)))
        if spin > 0.0:
            inertia = Inertia(leg_mass, inertia.com, ((spin, 0.0, 0.0), (0.0, spin, 0.0), (0.0, 0.0, 0.0)))
        mech.add_body(leg, inertia + Inertia.point(hip_mass) if leg == hip_on else inertia)
        add_limb(mech, leg, (0.0, 0.0, 0.0), (0.0, 0.0, -length), _LEG * length)
        mech.add_shape(leg, Sphere(_ball(leg_mass, hip_mass, length)), f"{leg} mass", Pose(translation=inertia.com))
    mech.add_shape(hip_on, Sphere(_ball(hip_mass, leg_mass, length)), "hip mass")
    return mech


def stand(mech: Mechanism, foot: Pose, ground: Pose, joint: JointType) -> None:
    """Give the legs their feet, and put the left one on the ground."""
    for leg in LEGS:
        mech.add_frame(foot_of(leg), leg, foot)
    mech.add_joint(STANCE, joint, WORLD, LEGS[0], ground, foot)
    mech.add_joint(HIP, _HINGE, *LEGS)


def _on_points(mech: Mechanism, length: float) -> Mechanism:
    stand(mech, Pose(translation=(0.0, 0.0, -length)), Pose(), _HINGE)
    return mech


def _ball(mass: float, other: float, length: float) -> float:
    """The radius of a mass as it is drawn: a share of the leg's length for the larger one, and its volume as its mass."""
    return _BALL * length * math.cbrt(mass / (max(mass, other) or 1.0))


def _landing(leg: str, least: float) -> Strike:
    """What happens where a leg's foot meets the ground.

    Legs of equal length scuff: the swinging foot dips into the ground and comes out of it where the legs pass each other. S1's
    assumption B2 ignores that. A strike is where the foot is ahead of the one that stands.
    """
    return strike(foot_of(leg), _HINGE, STANCE, past=foot_of(_other(leg)), along=_FORWARD, least=least)


@dataclass(frozen=True)
class _RoundStrike:
    """The same for a round foot, which rolls from where it lands."""

    leg: str
    least: float
    slope: float
    radius: float

    def __call__(self, mech: Mechanism, state: State) -> Any:
        foot, stands = (frame_position(mech, state, foot_of(side)) for side in (self.leg, _other(self.leg)))
        if stands[0] - foot[0] <= self.least:
            return PASS
        (angle,), (spread,) = mech.joint_position(state, STANCE), mech.joint_position(state, HIP)
        landing = float(angle + (spread if standing_leg(mech) == LEGS[0] else -spread))
        joint = rolling(self.radius, self.slope, landing)
        return reroot(mech, state, self.leg, at=foot, joint=joint, name=STANCE, velocity="impact")


def rolling(radius: float, slope: float, angle: float) -> JointType:
    """The joint of a round foot that rolls on a slope, at the centre of the foot, which is at the joint's place at this angle.

    A turn about y by dq moves the centre by radius · dq up the slope.
    """
    uphill = (math.cos(slope), 0.0, math.sin(slope))
    way = Curve.linear(radius, -radius * angle)
    return Guided(rotations=[((0.0, 1.0, 0.0), Curve.linear())], translations=[(uphill, way)])


def foot_of(leg: str) -> str:
    """The frame at a leg's foot."""
    return f"{leg} foot"


def _other(leg: str) -> str:
    return LEGS[1] if leg == LEGS[0] else LEGS[0]
