"""Passive walkers on round feet (McGeer, 1990): between the compass, which stands on points, and a wheel."""

from __future__ import annotations

import math
from itertools import pairwise

from ..algebra.pose import Pose, finite_number
from ..errors import ModelError
from .bipeds import HIP, LEGS, STANCE, CompassBiped, rolling, stand, two_legs
from .ready import add_limb, positive, slope_angle

_ARC, _PIECES, _SOLE = 0.7, 8, 0.01  # how far a foot is drawn to either side, rad, in so many pieces, of this part of the leg


def round_footed_biped(
    hip_mass: float = 10.0,
    leg_mass: float = 1.0,
    length: float = 1.0,
    foot_radius: float = 0.3,
    mass_distance: float = 0.5,
    gyration: float = 0.25,
    slope: float = 0.01,
    gravity: float = 9.81,
) -> CompassBiped:
    """A biped with straight legs that rolls on round feet, towards −x down the slope z = x tan(slope).

    The feet are arcs about a point on the leg, and roll without slipping. The larger their radius, the less a strike takes, and
    the gentler the slope may be; with the length of the leg it is McGeer's synthetic wheel, which needs no slope, and whose steps
    take the time τ with tan(ωτ/2) = −ωτ/2, ω being the frequency of the swinging leg.

    Parameters
    ----------
    hip_mass, leg_mass : float, optional
        In kg.
    length : float, optional
        Of a leg, from the hip to the sole, in metres.
    foot_radius : float, optional
        Of the feet, less than the length.
    mass_distance : float, optional
        From the hip to the centre of mass of a leg.
    gyration : float, optional
        The radius of gyration of a leg about it.
    slope : float, optional
        In radians.
    gravity : float, optional
        In m/s².

    Returns
    -------
    CompassBiped
        Just before a strike. The state is that of small steps of a biped whose legs weigh nothing, which is known in closed form;
        if the gait of heavy legs is too far from it, follow the gait from light ones with `gait.continuation`.

    Raises
    ------
    ModelError
        If a number is not positive, or the feet are too large.

    Examples
    --------
    >>> import regraft as rg
    >>> biped = rg.models.round_footed_biped()
    >>> gait = rg.gait.limit_cycle(*biped.start, biped.events)
    >>> gait.stable
    True
    """
    l, radius, g = positive("length", length), positive("foot_radius", foot_radius), positive("gravity", gravity)
    if radius >= l:
        raise ModelError(f"foot_radius must be less than the length of the leg, {l:g}: feet as large never strike.")
    angle, rho = slope_angle(slope), finite_number("gyration", gyration)
    if angle <= 0.0:
        raise ModelError(f"slope must be positive: round feet need a gentle one, not {angle:g}.")
    if rho < 0.0:
        raise ModelError(f"gyration must not be negative, not {rho:g}.")
    mech = two_legs(positive("hip_mass", hip_mass), positive("leg_mass", leg_mass), l, positive("mass_distance", mass_distance),
                    LEGS[0], g, rho)  # fmt: skip
    for leg in LEGS:
        ends = [-_ARC + 2.0 * _ARC * k / _PIECES for k in range(_PIECES + 1)]
        sole = [(radius * math.sin(a), 0.0, radius - l - radius * math.cos(a)) for a in ends]
        for start, end in pairwise(sole):
            add_limb(mech, leg, start, end, _SOLE * l)
    ground = Pose(translation=(-radius * math.sin(angle), 0.0, radius * math.cos(angle)))
    stand(mech, Pose(translation=(0.0, 0.0, radius - l)), ground, rolling(radius, angle, 0.0))
    spread, rate, swing = small_steps(l, l - radius, mass_distance, rho, angle, g)
    state = mech.state(q={STANCE: -spread - angle, HIP: 2.0 * spread}, v={STANCE: rate, HIP: swing - rate})
    return CompassBiped(mech, state, l, angle, radius)


def small_steps(l: float, off: float, c: float, rho: float, slope: float, g: float) -> tuple[float, float, float]:
    """Half the angle between the legs and the rates of both before a strike, for light legs and small steps.

    The foot's centre is `off` from the hip. The leg that stands has θ̈ = σ² θ, from θ to −θ with the same rate at both ends; the
    one that swings ψ̈ = −ω² ψ + κ θ̈, from −θ and that rate to θ. A strike takes 2 (rate · off · θ)², and the slope gives 2 g l θ
    times its angle.
    """
    sigma, omega = math.sqrt(g * off) / l, math.sqrt(g * c / (c**2 + rho**2))
    shared = c * l / (c**2 + rho**2) * sigma**2 / (sigma**2 + omega**2)
    factor = (1.0 + shared) / (1.0 - shared) * omega / sigma
    time = _step_time(sigma, omega, factor)
    half = math.tanh(0.5 * sigma * time)
    spread = l / off * math.cbrt(slope * half**2)
    rate = -sigma * spread / half
    turn = omega * time
    swing = shared * rate + omega * (1.0 + shared) * spread * math.sin(turn) + (1.0 - shared) * rate * math.cos(turn)
    return spread, rate, swing


def _step_time(sigma: float, omega: float, factor: float) -> float:
    """The root of tan(ωτ/2) = −factor · tanh(στ/2) between π and 2π of ωτ, by halving the interval."""
    low, high = math.pi / omega, 2.0 * math.pi / omega
    for _ in range(60):
        time = 0.5 * (low + high)
        short = math.sin(0.5 * omega * time) + factor * math.tanh(0.5 * sigma * time) * math.cos(0.5 * omega * time) > 0.0
        low, high = (low, time) if not short else (time, high)
    return 0.5 * (low + high)
