"""What can be touched, as kernels of contacts see it: forms in frames of their own, by a word for their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algebra.pose import Pose, pose_along

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


def _capsule(form: Any, pose: Pose) -> Solid:
    start, end = np.array(form.start), np.array(form.end)
    half = 0.5 * float(np.linalg.norm(end - start))
    placed = pose @ pose_along(end - start, 0.5 * (start + end))
    return Solid("capsule", placed, (form.radius, half)) if half else Solid("sphere", placed, (form.radius,))


def _ground(form: Any, pose: Pose) -> Solid:
    if form.profile is None:
        return Solid("plane", pose @ form.plane)
    return Solid("profile", pose, more=form.corners)


_SOLIDS: dict[str, Callable[[Any, Pose], Solid]] = {
    "Sphere": lambda form, pose: Solid("hollow sphere" if form.hollow else "sphere", pose, (form.radius,)),
    "Capsule": _capsule,
    "Box": lambda form, pose: Solid("box", pose, tuple(0.5 * length for length in form.size)),
    "Cylinder": lambda form, pose: Solid("cylinder", pose, (form.radius, 0.5 * form.length)),
    "Ellipsoid": lambda form, pose: Solid("ellipsoid", pose, form.radii),
    "Plane": lambda form, pose: Solid("plane", pose @ pose_along(form.normal)),
    "Ground": _ground,
    "Surface": lambda form, pose: Solid("surface", pose, more=form.function),
}
