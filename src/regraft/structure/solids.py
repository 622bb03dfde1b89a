"""What can be touched, as kernels of contacts see it: forms in frames of their own, by a word for their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algebra.pose import Pose

if TYPE_CHECKING:
    from ..describe.shapes import Form


class Solid(NamedTuple):
    """A form on a body: its kind, its frame there and its lengths."""

    kind: str
    pose: Pose
    size: tuple[float, ...] = ()
    more: Any = None
    """The corners of a profile, or the function of a surface."""


def solid_of(form: Form, pose: Pose) -> Solid:
    """A form as contacts see it, where its shape's frame is at a pose."""
    make = _SOLIDS.get(type(form).__name__)
    return Solid(type(form).__name__.lower(), pose) if make is None else make(form, pose)


def point_at(pose: Pose) -> Solid:
    """A frame."""
    return Solid("frame", pose)


def along(direction: Any, middle: Any) -> Pose:
    """A frame at a place, whose z axis has a direction."""
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        return Pose(translation=middle)
    z = np.asarray(direction) / length
    turn = np.cross((0.0, 0.0, 1.0), z)
    sine = float(np.linalg.norm(turn))
    if sine == 0.0:
        return Pose(translation=middle) if z[2] > 0.0 else Pose(np.diag((1.0, -1.0, -1.0)), middle)
    return Pose.about(turn, float(np.arctan2(sine, z[2])), middle)


def _capsule(form: Any, pose: Pose) -> Solid:
    start, end = np.array(form.start), np.array(form.end)
    half = 0.5 * float(np.linalg.norm(end - start))
    placed = pose @ along(end - start, 0.5 * (start + end))
    return Solid("capsule", placed, (form.radius, half)) if half else Solid("sphere", placed, (form.radius,))


def _ground(form: Any, pose: Pose) -> Solid:
    if form.profile is None:
        return Solid("plane", pose @ form.plane)
    return Solid("profile", pose, more=form.corners)


_SOLIDS: dict[str, Callable[[Any, Pose], Solid]] = {
    "Sphere": lambda form, pose: Solid("sphere", pose, (form.radius,)),
    "Capsule": _capsule,
    "Box": lambda form, pose: Solid("box", pose, tuple(0.5 * length for length in form.size)),
    "Cylinder": lambda form, pose: Solid("cylinder", pose, (form.radius, 0.5 * form.length)),
    "Ellipsoid": lambda form, pose: Solid("ellipsoid", pose, form.radii),
    "Plane": lambda form, pose: Solid("plane", pose @ along(form.normal, (0.0, 0.0, 0.0))),
    "Ground": _ground,
    "Surface": lambda form, pose: Solid("surface", pose, more=form.function),
}
