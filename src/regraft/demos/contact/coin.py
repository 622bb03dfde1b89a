"""A coin that rolls in a curve, falls over and wobbles ever faster until it lies still."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from ...algebra.pose import Pose
from ...describe.contacts import Contact
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD
from ...describe.shapes import Box, Cylinder
from ...joints import Free
from ...show.scenery import Camera
from ...simulate import law
from .plan import Plan

RADIUS, THICKNESS, MASS = 0.012875, 0.0022, 0.0085
"""Of a coin of two euros, m and kg."""
LEAN, RATE, FRICTION, SOFT = 1.3, 30.0, 0.3, 5e-4
"""The angle of its axis from the vertical, rad; how fast it rolls, rad/s; friction; the arm of rolling resistance, m."""
_GRAVITY, _SLOW, _FOIL = 9.81, 0.1, 1e-5  # m/s²; rad/s: what turns slower is resisted less; m: how thick what is painted is


def coin() -> Plan:
    """A coin on a cloth, which resists its turning."""
    mech = Mechanism()
    mech.add_body("coin", Inertia.cylinder(MASS, RADIUS, (0.0, 0.0, -0.5 * THICKNESS), (0.0, 0.0, 0.5 * THICKNESS)))
    mech.add_joint("base", Free(), WORLD, "coin")
    mech.add_shape("coin", Cylinder(RADIUS, THICKNESS), "disk", color=(0.55, 0.40, 0.05))
    for side in (-0.5, 0.5):  # faces that are to be seen, and seen to turn
        face, bar = Cylinder(0.92 * RADIUS, _FOIL), Box((1.3 * RADIUS, 0.3 * RADIUS, _FOIL))
        for form, beyond, color in ((face, 1.0, (0.85, 0.66, 0.20)), (bar, 1.05, (0.98, 0.90, 0.62))):
            place = Pose(translation=(0.0, 0.0, side * beyond * THICKNESS))
            mech.add_shape("coin", form, pose=place, collision=False, color=color)
    leaning = Pose.about((1.0, 0.0, 0.0), LEAN)
    up = RADIUS * math.sin(LEAN) + 0.5 * THICKNESS * math.cos(LEAN)
    start = np.concatenate(((0.0, 0.0, up), leaning.quaternion))
    return Plan(
        name="coin",
        title="A coin",
        told="A coin rolls on its rim in a curve, falls over, and wobbles ever faster as it settles. Its rim sticks, which is "
        "rolling, or slides; a flat face lies on six points. What rolls and does not slip loses nothing by Coulomb's friction, "
        f"so the cloth that it rolls on resists too: a moment of {1e3 * SOFT:g} mm times its weight acts against its turning, as "
        "rolling resistance does.",
        mech=mech,
        state=mech.state(q={"base": start}, v={"base": (RATE * RADIUS, 0.0, 0.0, 0.0, 0.0, -RATE)}),
        contacts=[Contact("disk", friction=FRICTION)],
        duration=2.0,
        camera=Camera(azimuth=25.0, elevation=30.0),
        rows=3,
        columns=4,
        margin=0.012,
        rtol=1e-5,
        early=0.45,
        parameters=(
            ("coin", f"{1e3 * MASS:g} g, radius {1e3 * RADIUS:g} mm, {1e3 * THICKNESS:g} mm thick"),
            ("it rolls at first at", f"{RATE:g} rad/s, with its axis {math.degrees(LEAN):.0f}° from the vertical"),
            ("friction, restitution", f"{FRICTION:g}, 0"),
            ("rolling resistance", f"{1e3 * SOFT:g} mm × weight = {1e6 * SOFT * MASS * _GRAVITY:.0f} µN m"),
        ),
        torque=law("base", njit(_resist)),
        other="rolling resistance",
        groups={"rim": ["disk/0", "disk/7"], "flat face": [f"disk/{k}" for k in range(14) if k not in (0, 7)]},
    )


def _resist(_t: float, _q: Any, v: Any, out: Any) -> None:
    """A moment of constant size against the turning of the coin, in its own axes, as those of the free joint are."""
    size = SOFT * MASS * _GRAVITY / math.sqrt(v[3] ** 2 + v[4] ** 2 + v[5] ** 2 + _SLOW**2)
    for axis in range(3, 6):
        out[axis] = -size * v[axis]
