"""Force plates of C3D files, types 1 to 4: from channels to the force of the ground on the body, in the file's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..recording import Plate

Array = NDArray[np.float64]

LOADED = 20.0
"""N: with less than this a plate carries nobody, and its centre of pressure means nothing."""
_LIGHT = 0.1  # of the most that a plate measures: the same where bodies are lighter than people
CHANNELS = {1: 6, 2: 6, 3: 8, 4: 6}
"""How many channels plates of each known type have."""
_DRIFT = 5.0  # N: more than this on an empty plate is worth a word


def plate_axes(corners: Array) -> tuple[Array, Array]:
    """A plate's axes as columns and the middle of its surface, from its corners (4, 3): x to corners 1 and 4, y to 1 and 2."""
    x = corners[[0, 3]].mean(axis=0) - corners[[1, 2]].mean(axis=0)
    y = corners[[0, 1]].mean(axis=0) - corners[[2, 3]].mean(axis=0)
    z = np.cross(x, y)
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.column_stack((x, np.cross(z, x), z)), corners.mean(axis=0)


class Description(NamedTuple):
    """What a file says of a plate, in metres and in the file's axes."""

    name: str
    kind: int
    """Its type, 1 to 4."""
    corners: Array
    """(4, 3)."""
    origin: Array
    """(3,): of its sensor, from the middle of its surface, in its own axes; for type 3 how far the four sensors are apart."""
    up: Array
    """(3,): the upward direction."""
    calibration: Array | None = None
    """(6, 6): of type 4."""


def plate_of(plate: Description, t: Array, channels: Array, notes: list[str]) -> Plate:
    """One plate from its channels (n, 6 or 8) at times t, in newtons and metres."""
    kind, origin = plate.kind, plate.origin
    axes, _ = plate_axes(plate.corners)
    if kind == 4 and plate.calibration is not None:
        channels = channels @ plate.calibration.T
    if kind == 3:
        force, moment = _kistler(channels, _beside(origin))
        origin = np.array([0.0, 0.0, origin[2]])
    else:
        force, moment = channels[:, :3], channels[:, 3:6].copy()
    if kind == 1:
        x, y, turning = channels[:, 3], channels[:, 4], channels[:, 5]
    else:
        x, y, turning = _centre(force, moment - np.cross(_raised(plate, origin, notes), force))
    return _on_the_body(plate, t, force @ axes.T, (x, y, turning), notes)


def _kistler(channels: Array, beside: tuple[float, float]) -> tuple[Array, Array]:
    """Force, and moment about the middle of the sensors, of four sensors in the corners."""
    a, b = beside
    x12, x34, y14, y23, z1, z2, z3, z4 = channels.T
    force = np.column_stack((x12 + x34, y14 + y23, z1 + z2 + z3 + z4))
    moment = np.column_stack((b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (x34 - x12) + a * (y14 - y23)))
    return force, moment


def _beside(origin: Array) -> tuple[float, float]:
    return float(abs(origin[0])), float(abs(origin[1]))


def _raised(plate: Description, origin: Array, notes: list[str]) -> Array:
    """The way from the sensor to the middle of the surface, which is above it."""
    if (plate_axes(plate.corners)[0] @ origin) @ plate.up < 0.0:
        notes.append(f"{plate.name}: its origin would be above its surface; it is taken with the other sign")
        return -origin
    return origin


def _centre(force: Array, moment: Array) -> tuple[Array, Array, Array]:
    """Where on the surface the force acts, and the moment about the axis through that point, from moments about its middle."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = -moment[:, 1] / force[:, 2], moment[:, 0] / force[:, 2]
        return x, y, moment[:, 2] - x * force[:, 1] + y * force[:, 0]


def _on_the_body(plate: Description, t: Array, force: Array, place: tuple[Array, Array, Array], notes: list[str]) -> Plate:
    """With the sign with which the ground pushes up, and no centre of pressure where it hardly pushes."""
    name, (axes, middle) = plate.name, plate_axes(plate.corners)
    upward = force @ plate.up
    strong = upward[np.abs(upward) > max(LOADED, 0.5 * float(np.abs(upward).max(initial=0.0)))]
    sign = -1.0 if len(strong) and np.median(strong) < 0.0 else 1.0
    if sign < 0.0:
        notes.append(f"{name} has the force on the plate; the sign is changed, for the ground pushes the body up")
    most = float((sign * upward).max(initial=0.0))
    loaded = sign * upward >= (min(LOADED, _LIGHT * most) if most > LOADED else LOADED)
    empty = sign * upward[~loaded]
    if len(empty) and abs(float(np.median(empty))) > _DRIFT:
        notes.append(f"{name} reads {np.median(empty):.1f} N upwards when nobody stands on it; nothing is subtracted")
    x, y, turning = (np.where(loaded, values, 0.0) for values in place)
    point = middle + np.outer(x, axes[:, 0]) + np.outer(y, axes[:, 1])
    moment = sign * np.outer(turning, axes[:, 2])
    point[~loaded] = np.nan
    return Plate(name, t, sign * force, point, moment, plate.corners)


def outside(plates: Sequence[Plate], up: Array) -> list[str]:
    """Plates whose centre of pressure is mostly outside of their corners: their origin or their units are wrong."""
    found = []
    for plate in plates:
        assert plate.corners is not None
        axes, middle = plate_axes(plate.corners)
        half = np.abs((plate.corners - middle) @ axes).max(axis=0)
        away = np.abs((plate.point - middle) @ axes)[:, :2]
        away = away[np.isfinite(away).all(axis=1) & (plate.force @ up > 5.0 * LOADED)]
        if len(away) and (away > 1.2 * half[:2]).any(axis=1).mean() > 0.5:
            found.append(plate.name)
    return found
