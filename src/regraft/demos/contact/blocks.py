"""Dominoes that fall one after the other, and a block that rocks until it stands."""

from __future__ import annotations

import math

from ...algebra.pose import Pose
from ...describe.contacts import Contact
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD
from ...describe.shapes import Box
from ...errors import ModelError
from ...joints import Planar
from ...show.scenery import Camera
from .plan import Plan

DOMINO, DOMINO_MASS, APART = (0.01, 0.024, 0.048), 0.01, 0.034
"""Thickness, width and height, m; kg; from one domino to the next, m."""
DOMINO_FRICTION, PUSH = 0.6, 6.0
"""Friction, and the rate at which the first domino turns at the start, rad/s."""
BLOCK, BLOCK_MASS, LEAN = (0.2, 0.3, 0.6), 10.0, 0.15
"""Lengths, m; kg; the angle at which the block starts, rad."""
_COLOURS = (0.30, 0.58, 0.78), (0.86, 0.55, 0.28), (0.33, 0.68, 0.57)  # in turn
_SHADES, _PLATE = (0.72, 1.0, 1.2), 0.01  # of faces across x, y and z; how thick they are, of the least length
_IN_PLANE = Planar((0.0, 1.0, 0.0))  # its coordinates: x, −z and the angle about y


def dominoes(count: int, friction: float = DOMINO_FRICTION, apart: float = APART) -> Plan:
    """A row of dominoes, the first of which is pushed."""
    if count < 2:
        raise ModelError(f"dominoes: a row has at least 2, not {count}.")
    thick, _, high = DOMINO
    mech, contacts = Mechanism(), []
    for k in range(count):
        _add_block(mech, str(k), DOMINO, DOMINO_MASS)
        contacts += [Contact(f"{where} {k}", friction=friction) for where in ("heel", "toe", "top")]
    for k in range(count - 1):
        contacts.append(Contact(f"top {k}", f"box {k + 1}", friction=friction, name=f"{k} on {k + 1}"))
        contacts.append(Contact(f"heel {k + 1}", f"box {k}", friction=friction, name=f"{k + 1} under {k}"))
    start = {f"base {k}": (k * apart, -0.5 * high, 0.0) for k in range(count)}
    turning = {"base 0": (0.5 * PUSH * high, -0.5 * PUSH * thick, PUSH)}  # about its toe
    return Plan(
        name="dominoes",
        title="Dominoes",
        told="The first domino turns about its front edge and falls against the next. Each lower corner can touch the ground, "
        "and so can the upper front corner, which can touch the back of the next domino too: there it slides, while feet slide "
        "and stick. In the end dominoes lie nearly parallel, where the lower back corner of one touches the front of the one "
        "before. They move in a plane.",
        mech=mech,
        state=mech.state(q=start, v=turning),
        contacts=contacts,
        duration=0.35 + 0.1 * count,
        camera=Camera(azimuth=30.0, elevation=18.0),
        rows=4,
        columns=2,
        margin=0.02,
        rtol=1e-8,
        parameters=(
            ("dominoes", f"{count}, {1e3 * DOMINO_MASS:g} g, {' × '.join(f'{1e3 * length:g}' for length in DOMINO)} mm"),
            ("from one to the next", f"{1e3 * apart:g} mm"),
            ("the first turns at", f"{PUSH:g} rad/s"),
            ("friction, restitution", f"{friction:g}, 0"),
        ),
        groups={f"domino {k}": [f"{where} {k}" for where in ("heel", "toe", "top")] for k in range(count)}
        | {name: [name] for k in range(count - 1) for name in (f"{k} on {k + 1}", f"{k + 1} under {k}")},
    )


def rocking_block() -> Plan:
    """A block that leans, and rocks from edge to edge."""
    wide, _, high = BLOCK
    friction, mech = 0.6, Mechanism()
    _add_block(mech, "0", BLOCK, BLOCK_MASS)
    up = 0.5 * (wide * math.sin(LEAN) + high * math.cos(LEAN))
    return Plan(
        name="block",
        title="A rocking block",
        told="A block starts leaning, on one of its lower edges, and rocks from edge to edge. Nothing bounces and nothing slips: "
        "each time the other edge lands, the rate of turning becomes "
        f"{after_impact(BLOCK):.2f} of what it was, which is Housner's 1 − (3/2) sin²α with tan α = width / height. So the "
        "times from impact to impact shrink to nothing: endlessly many impacts end at a time that is known.",
        mech=mech,
        state=mech.state(q={"base 0": (0.0, -up, LEAN)}),
        contacts=[Contact(f"{where} 0", friction=friction, name=f"{where} edge") for where in ("heel", "toe")],
        duration=3.0,
        camera=Camera(azimuth=20.0, elevation=12.0),
        rows=2,
        columns=6,
        margin=0.12,
        rtol=1e-9,
        between_impacts=True,
        parameters=(
            ("block", f"{BLOCK_MASS:g} kg, {' × '.join(f'{length:g}' for length in BLOCK)} m"),
            ("it leans at first by", f"{LEAN:g} rad"),
            ("friction, restitution", f"{friction:g}, 0"),
        ),
    )


def after_impact(size: tuple[float, float, float]) -> float:
    """Which part of its rate of turning a block keeps as its other edge lands (G. W. Housner, 1963)."""
    wide, _, high = size
    return 1.0 - 1.5 * wide**2 / (wide**2 + high**2)


def _add_block(mech: Mechanism, number: str, size: tuple[float, float, float], mass: float) -> None:
    """A box that moves in the plane of x and z, with its corners: "heel" and "toe" below, "top" above the toe."""
    body, (thick, _, high) = f"block {number}", size
    mech.add_body(body, Inertia.box(mass, size))
    mech.add_joint(f"base {number}", _IN_PLANE, WORLD, body)
    mech.add_shape(body, Box(size), f"box {number}", visual=False)
    _add_faces(mech, body, size, _COLOURS[int(number) % len(_COLOURS)])
    for where, x, z in (("heel", -0.5, -0.5), ("toe", 0.5, -0.5), ("top", 0.5, 0.5)):
        mech.add_frame(f"{where} {number}", body, Pose(translation=(x * thick, 0.0, z * high)))


def _add_faces(mech: Mechanism, body: str, size: tuple[float, float, float], colour: tuple[float, float, float]) -> None:
    """The six faces of a box as plates to be seen, those across z brighter and those across x darker than the others."""
    for axis, shade in enumerate(_SHADES):
        plate = tuple(_PLATE * min(size) if k == axis else length for k, length in enumerate(size))
        painted = tuple(min(1.0, shade * part) for part in colour)
        for side in (-0.5, 0.5):
            place = tuple(side * size[axis] if k == axis else 0.0 for k in range(3))
            mech.add_shape(body, Box(plate), pose=Pose(translation=place), collision=False, color=painted)
