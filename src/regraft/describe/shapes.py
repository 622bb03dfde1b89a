"""The forms that shapes on bodies have: boxes, spheres, capsules, cylinders, ellipsoids, meshes and planes. All immutable.

Those of the ground are in `grounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.pose import finite, finite_number, real_numbers
from ..errors import ModelError, printable
from ..joints.contract import unit
from .grounds import Ground, Surface

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True, init=False)
class Box:
    """A box about the origin of its shape's frame, its edges along the axes.

    Parameters
    ----------
    size : (3,) array_like
        The lengths of its edges.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Box((0.1, 0.2, 0.3)).size
    (0.1, 0.2, 0.3)
    """

    size: Triple

    def __init__(self, size: ArrayLike) -> None:
        object.__setattr__(self, "size", _lengths("Box: size", size))


@dataclass(frozen=True, slots=True, init=False)
class Sphere:
    """A ball about the origin of its shape's frame, or a hollow of that form in what is around it.

    Parameters
    ----------
    radius : float
        In metres.
    hollow : bool, optional
        Whether it is empty inside and solid outside, so that others touch it from within.
    """

    radius: float
    hollow: bool = False

    def __init__(self, radius: float, hollow: bool = False) -> None:
        if not isinstance(hollow, bool):
            raise ModelError(f"Sphere: hollow must be True or False, not {hollow!r}.")
        object.__setattr__(self, "radius", _length("Sphere: radius", radius))
        object.__setattr__(self, "hollow", hollow)


@dataclass(frozen=True, slots=True, init=False)
class Capsule:
    """All that is within a radius of the line between two points.

    Parameters
    ----------
    radius : float
        In metres.
    start, end : (3,) array_like
        The ends of its axis, in its shape's frame.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Capsule(0.05, (0, 0, 0), (0, 0, -0.4)).radius
    0.05
    """

    radius: float
    start: Triple
    end: Triple

    def __init__(self, radius: float, start: ArrayLike, end: ArrayLike) -> None:
        object.__setattr__(self, "radius", _length("Capsule: radius", radius))
        object.__setattr__(self, "start", _triple("Capsule: start", start))
        object.__setattr__(self, "end", _triple("Capsule: end", end))


@dataclass(frozen=True, slots=True, init=False)
class Cylinder:
    """A cylinder about the z axis of its shape's frame, its middle at the origin.

    Parameters
    ----------
    radius, length : float
        In metres.
    """

    radius: float
    length: float

    def __init__(self, radius: float, length: float) -> None:
        object.__setattr__(self, "radius", _length("Cylinder: radius", radius))
        object.__setattr__(self, "length", _length("Cylinder: length", length))


@dataclass(frozen=True, slots=True, init=False)
class Ellipsoid:
    """An ellipsoid about the origin of its shape's frame.

    Parameters
    ----------
    radii : (3,) array_like
        Half of its lengths along the three axes.
    """

    radii: Triple

    def __init__(self, radii: ArrayLike) -> None:
        object.__setattr__(self, "radii", _lengths("Ellipsoid: radii", radii))


@dataclass(frozen=True, slots=True, init=False)
class Mesh:
    """A mesh in a file, which is read when it is shown or asked for, not before.

    Parameters
    ----------
    path : str
        The file, as it was named; `package://…` too.
    scale : float or (3,) array_like, optional
        By what its coordinates are multiplied.
    """

    path: str
    scale: Triple = (1.0, 1.0, 1.0)

    def __init__(self, path: str, scale: ArrayLike = 1.0) -> None:
        if not isinstance(path, str) or not path:
            raise ModelError(f"Mesh: path must be a text that is not empty, not {path!r}.")
        factors = scale if isinstance(scale, tuple) else np.asarray(scale)
        object.__setattr__(self, "path", path)
        equal = not isinstance(factors, tuple) and factors.shape == ()
        object.__setattr__(self, "scale", _triple("Mesh: scale", np.full(3, factors) if equal else scale))
        if 0.0 in self.scale:
            raise ModelError(f"Mesh: a scale of 0 leaves nothing of {printable(path)!r}.")


@dataclass(frozen=True, slots=True, init=False)
class Plane:
    """A plane through the origin of its shape's frame, without end; solid below.

    Parameters
    ----------
    normal : (3,) array_like, optional
        Its direction upwards, in the shape's frame.
    """

    normal: Triple = (0.0, 0.0, 1.0)

    def __init__(self, normal: ArrayLike = (0.0, 0.0, 1.0)) -> None:
        object.__setattr__(self, "normal", unit("Plane: normal", normal))


Form = Box | Sphere | Capsule | Cylinder | Ellipsoid | Mesh | Plane | Ground | Surface
FORMS: tuple[type[Any], ...] = (Box, Sphere, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Ground, Surface)
ENDLESS = (Plane, Ground, Surface)
"""Forms without end: they say nothing of how large a body is."""
_BY_NAME = {form.__name__: form for form in FORMS}


def form_to_dict(form: Form) -> dict[str, Any]:
    """A form as plain data."""
    if isinstance(form, Surface):
        raise ModelError(
            f"the surface {form.function.__name__!r} is a function, which no file of data holds; save the mechanism without that "
            "shape (Mechanism.without) and add it again after loading, or pickle the mechanism."
        )
    left_out = {"hollow"} if isinstance(form, Sphere) and not form.hollow else set()
    values = ((field, getattr(form, field)) for field in form.__dataclass_fields__ if field not in left_out)
    return {"form": type(form).__name__} | {field: list(value) if isinstance(value, tuple) else value for field, value in values}


def form_from_dict(data: dict[str, Any]) -> Form:
    """The form of `form_to_dict`."""
    given = dict(data)
    name = given.pop("form")
    if name not in _BY_NAME:
        raise ModelError(f"there is no shape {name!r}; known are {', '.join(_BY_NAME)}.")
    found: Form = _BY_NAME[name](**given)
    return found


def checked_color(what: str, given: ArrayLike | None) -> tuple[float, float, float, float] | None:
    """A colour as four numbers from 0 to 1 (red, green, blue, opacity), from three or four of them; None where there is none."""
    if given is None:
        return None
    if isinstance(given, tuple) and len(given) == 4 and all(type(part) is float and 0.0 <= part <= 1.0 for part in given):
        return given
    parts = real_numbers(f"{what}: color", given)
    if parts.shape not in ((3,), (4,)) or not ((parts >= 0.0) & (parts <= 1.0)).all():
        raise ModelError(
            f"{what}: a color is (red, green, blue) or (red, green, blue, opacity), each from 0 to 1, not {given!r}."
        )
    red, green, blue, opacity = (*parts.tolist(), 1.0)[:4]
    return red, green, blue, opacity


def _triple(what: str, given: ArrayLike) -> Triple:
    if isinstance(given, tuple) and len(given) == 3 and all(type(part) is float and math.isfinite(part) for part in given):
        return given
    x, y, z = finite(what, given, (3,)).tolist()
    return x, y, z


def _lengths(what: str, given: ArrayLike) -> Triple:
    found = _triple(what, given)
    if min(found) < 0.0:
        raise ModelError(f"{what} must not be negative, not {found}.")
    return found


def _length(what: str, given: float) -> float:
    number = finite_number(what, given)
    if number < 0.0:
        raise ModelError(f"{what} must not be negative, not {number:g}.")
    return number
