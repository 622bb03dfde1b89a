"""Inertias that can be and are rarely meant: spread too wide, far from the body, or filled in by a program."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.state import State
from .remark import Remark, warning
from .sizes import Reach, diagonal, extent, reaches

Array = NDArray[np.float64]

_WIDER_THAN_SHAPES = 1.5  # of a radius of gyration: no part of a body is farther from its centre of mass than the body reaches
_WIDER_THAN_ALL = 3.0  # of a radius of gyration, times the size of the whole mechanism; of wheels and frames it is less
_FAR_OUTSIDE = 0.5  # of a centre of mass, times the diagonal of the body's own box
_LARGEST, _DENSEST, _HEAVIEST = 50.0, 5000.0, 3.0e4  # m; kg in the cube of that size, per m³; kg: of robots in other units
_LEAST = 0.01  # m: what is smaller says nothing about sizes


def check_inertias(mech: Mechanism, state: State) -> Iterator[Remark]:
    """What is unusual about masses and how they are spread."""
    size, reach = extent(mech, state), reaches(mech)
    yield from _check_units(mech, size)
    yield from _check_spread(mech, size, reach)
    yield from _check_placeholders(mech)
    yield from _check_twins(mech)


def _check_units(mech: Mechanism, size: float) -> Iterator[Remark]:
    mass = sum(body.inertia.mass for body in mech.bodies.values())
    if size > _LARGEST:
        yield warning("units", (), f"joints are up to {size:.3g} m apart; are lengths in millimetres or centimetres?")
    dense = size > _LEAST and mass / size**3 > _DENSEST
    if mass > _HEAVIEST or dense:
        within = f" within {size:.3g} m" if dense else ""
        yield warning("units", (), f"all bodies together have {mass:.6g} kg{within}; are masses in grams?")


def _check_spread(mech: Mechanism, size: float, reach: dict[str, Reach]) -> Iterator[Remark]:
    wide: dict[str, tuple[float, str]] = {}
    for name, body in mech.bodies.items():
        inertia, own = body.inertia, reach[name]
        if inertia.mass == 0.0:
            continue
        k = gyration(inertia)
        farthest = float(np.linalg.norm(own.points - inertia.com, axis=1).max(initial=0.0))
        if own.whole and k > _WIDER_THAN_SHAPES * farthest:
            wide[name] = k, f"none of its shapes is farther than {farthest:.3g} m from there"
        elif size > _LEAST and k > _WIDER_THAN_ALL * max(size, farthest):
            wide[name] = k, f"the whole mechanism is {size:.3g} m large"
        yield from _check_centre(name, inertia, own, size)
    if wide:
        worst = max(wide, key=lambda name: wide[name][0])
        inertia, (k, beside) = mech.bodies[worst].inertia, wide[worst]
        moment = float(np.linalg.eigvalsh(inertia.tensor)[-1])
        told = f"{moment:.3g} kg m² with {inertia.mass:.3g} kg means that the mass of {worst!r} is some {k:.3g} m from its centre"
        yield warning("inertia", wide, f"their moments are too large for their masses: {told}, but {beside}")


def _check_centre(name: str, inertia: Inertia, own: Reach, size: float) -> Iterator[Remark]:
    gap, diag = _outside(inertia, own)
    if own.whole and gap > max(_FAR_OUTSIDE * diag, _LEAST):
        yield warning("centre of mass", (name,), f"it is {gap:.3g} m outside of the box around its shapes and joints")
    elif not own.whole and own.joints and size > _LEAST and gap > max(size, diag):
        yield warning("centre of mass", (name,), f"it is {gap:.3g} m from its joints; the whole mechanism is {size:.3g} m large")


def gyration(inertia: Inertia) -> float:
    """The largest radius of gyration about an axis through the centre of mass, m."""
    return math.sqrt(max(float(np.linalg.eigvalsh(inertia.tensor)[-1]), 0.0) / inertia.mass)


def _outside(inertia: Inertia, own: Reach) -> tuple[float, float]:
    """How far the centre of mass is outside of the box around what is known of a body, and that box's diagonal."""
    if not len(own.points):
        return 0.0, 0.0
    low, high = own.points.min(axis=0), own.points.max(axis=0)
    outside = np.maximum(np.maximum(low - inertia.com, inertia.com - high), 0.0)
    return float(np.linalg.norm(outside)), diagonal(own.points)


def _check_placeholders(mech: Mechanism) -> Iterator[Remark]:
    """Tensors that are a power of ten about all axes: programs and people write them where they know none."""
    found: dict[float, list[str]] = {}
    for name, body in mech.bodies.items():
        tensor = body.inertia.tensor
        moment = float(tensor[0, 0])
        if moment > 0.0 and np.array_equal(tensor, moment * np.eye(3)) and f"{moment:e}".startswith("1.000000e"):
            found.setdefault(moment, []).append(name)
    for moment, names in found.items():
        if len(names) > 1:
            yield warning("inertia", names, f"all have {moment:g} kg m² about all axes, as if it had been filled in")


def _check_twins(mech: Mechanism) -> Iterator[Remark]:
    """Bodies that are welded to each other in one place and have equal inertias: one of them may be there by mistake."""
    for name in mech.layout.names:
        joint = mech.joints[name]
        ends = [mech.bodies.get(body) for body in (joint.parent, joint.child)]
        if joint.type.nv == 0 and joint.parent_pose == joint.child_pose and None not in ends:
            one, other = (end.inertia for end in ends if end is not None)
            if one.mass > 0.0 and one == other:
                told = "they are welded together in one place and have equal inertias; is the mass there twice?"
                yield warning("inertia", (joint.parent, joint.child), told)
