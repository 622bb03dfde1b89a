"""The rimless wheel: spokes without a rim that roll down a slope, each landing with an impact (McGeer, 1990; Coleman, 1997)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..algebra.pose import Pose, finite_number
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import ModelError
from ..joints import Revolute
from ..simulate import strike, when_frame_below
from .ready import Model, add_limb, positive, slope_angle

WHEEL, STANCE = "wheel", "stance"
"""The body, whose origin is at the hub, and the hinge under the spoke that stands."""
_HINGE = Revolute((0.0, 1.0, 0.0))
_SPOKE = 0.015  # of its length: the radius of a spoke, as it is drawn


def rimless_wheel(
    spokes: int = 8,
    slope: float = 0.08,
    length: float = 1.0,
    mass: float = 1.0,
    gyration: float = 0.0,
    gravity: float = 9.81,
) -> Model:
    """A wheel of spokes that rolls down a slope towards −x; the ground is z = x tan(slope).

    Where a spoke lands, it is held by the hinge "stance" after a plastic impact, and the one before lets go. Between landings the
    wheel is an inverted pendulum. The steady motion is known in closed form: with 2α the angle between spokes and
    κ = (ρ² + l² cos 2α) / (ρ² + l²), the part of the rate that a landing leaves, the rate after each landing is
    κ √(4 g l sin α sin γ / ((ρ² + l²)(1 − κ²))), and its multiplier κ².

    Parameters
    ----------
    spokes : int, optional
        How many, at least 5: with fewer there is no gentle landing.
    slope : float, optional
        γ, in radians.
    length : float, optional
        l, of a spoke from the hub, in metres.
    mass : float, optional
        In kg.
    gyration : float, optional
        ρ, the radius of gyration about the hub, in metres.
    gravity : float, optional
        In m/s².

    Returns
    -------
    Model
        The wheel just after spoke 0 has landed, with the rate of the steady motion; at least enough of it to pass the top. Its
        frames are "spoke 0", …, its events "spoke 0 lands", …; its match turns the wheel back to spoke 0.

    Raises
    ------
    ModelError
        If a number is not positive, or there are too few spokes.

    Examples
    --------
    >>> import regraft as rg
    >>> wheel = rg.models.rimless_wheel()
    >>> cycle = rg.gait.limit_cycle(*wheel.start, wheel.events, match=wheel.match)
    >>> round(float(-cycle.state.v[0]), 10), round(cycle.period, 10), abs(cycle.multipliers).round(8).tolist()
    (1.0954628396, 1.0345498114, [0.5, 0.0])
    """
    if not isinstance(spokes, int) or spokes < 5:
        raise ModelError(f"spokes must be a whole number, at least 5, not {spokes!r}.")
    angle, l, spread = slope_angle(slope), positive("length", length), 2.0 * math.pi / spokes
    rho = finite_number("gyration", gyration)
    if rho < 0.0:
        raise ModelError(f"gyration must not be negative, not {rho:g}.")
    mech = Mechanism(gravity=(0.0, 0.0, -positive("gravity", gravity)))
    moment = positive("mass", mass) * rho**2
    mech.add_body(WHEEL, Inertia(mass, (0.0, 0.0, 0.0), np.diag((0.5 * moment, moment, 0.5 * moment))))
    for k in range(spokes):
        end = (l * math.sin(k * spread), 0.0, -l * math.cos(k * spread))  # a turn towards −x brings the next one down
        mech.add_frame(_spoke(k), WHEEL, Pose(translation=end))
        add_limb(mech, WHEEL, (0.0, 0.0, 0.0), end, _SPOKE * l)
    foot = Pose(translation=(0.0, 0.0, -l))
    mech.add_joint(STANCE, _HINGE, WORLD, WHEEL, child_pose=foot)
    events = tuple(
        when_frame_below(_spoke(k), 0.0, strike(_spoke(k), _HINGE, STANCE), math.tan(angle), f"{_spoke(k)} lands")
        for k in range(spokes)
    )
    lean = 0.5 * spread - angle
    rate = _rate(l, rho, 0.5 * spread, angle, gravity)
    state = mech.state(q={STANCE: lean}, v={STANCE: -rate})
    return Model(mech, state, events=events, match=_NextSpoke(mech, spread, lean))


def _spoke(k: int) -> str:
    return f"spoke {k}"


def _rate(l: float, rho: float, half: float, slope: float, gravity: float) -> float:
    """The rate after each landing of the steady motion, or a little more than brings the wheel over the top."""
    inertia = rho**2 + l**2
    kept = (rho**2 + l**2 * math.cos(2.0 * half)) / inertia
    steady = kept * math.sqrt(max(0.0, 4.0 * gravity * l * math.sin(half) * math.sin(slope) / (inertia * (1.0 - kept**2))))
    over = math.sqrt(max(0.0, 2.0 * gravity * l * (1.0 - math.cos(max(half - slope, 0.0))) / inertia))
    return max(steady, 1.01 * over)


@dataclass(frozen=True)
class _NextSpoke:
    """All spokes are alike: the wheel is turned back by as many as bring it nearest to where it started."""

    mech: Mechanism
    spread: float
    lean: float

    def __call__(self, mech: Mechanism, state: State) -> State:  # noqa: ARG002
        q = float(state.q[0])
        return self.mech.state(q=[q + self.spread * round((self.lean - q) / self.spread)], v=state.v)
