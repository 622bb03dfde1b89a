"""Forms of the ground: a plane that may be raised and inclined, a profile of steps and slopes, or a surface of one's own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numpy.typing import ArrayLike

from ..algebra.pose import Pose, finite_number, real_numbers
from ..errors import ModelError

Corners = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, init=False)
class Ground:
    """Ground whose height depends on x alone, solid below; `ground` makes it.

    Attributes
    ----------
    height : float
        Where it is at x = 0, or by how much the whole profile is raised.
    slope : float
        Its inclination in radians: z = height + x tan(slope).
    profile : tuple of (float, float) or None
        The corners (x, z) of a line that is the ground instead; its first and last pieces go on.
    """

    height: float = 0.0
    slope: float = 0.0
    profile: Corners | None = None

    def __init__(self, height: float = 0.0, slope: float = 0.0, profile: ArrayLike | None = None) -> None:
        object.__setattr__(self, "height", finite_number("ground: height", height))
        object.__setattr__(self, "slope", finite_number("ground: slope", slope))
        object.__setattr__(self, "profile", None if profile is None else _corners(profile))
        if not abs(self.slope) < 0.5 * math.pi:
            raise ModelError(f"ground: a slope is an angle in radians between −π/2 and π/2, not {self.slope:g}.")
        if self.profile is not None and self.slope != 0.0:
            raise ModelError("ground: a profile has slopes of its own; leave slope out, or incline the pose of the shape.")

    @property
    def plane(self) -> Pose | None:
        """The frame whose plane z = 0 it is; None where it has a profile."""
        if self.profile is not None:
            return None
        level = self.height == self.slope == 0.0
        return Pose() if level else Pose.about((0.0, 1.0, 0.0), -self.slope, (0.0, 0.0, self.height))

    @property
    def corners(self) -> Corners:
        """The corners of its line, raised by its height; where it has no profile, two points of it."""
        if self.profile is None:
            return ((0.0, self.height), (1.0, self.height + math.tan(self.slope)))
        return tuple((x, z + self.height) for x, z in self.profile)


@dataclass(frozen=True, slots=True, init=False)
class Surface:
    """A surface whose height is a function of one's own, solid below; `surface` makes it.

    Attributes
    ----------
    function : compiled function
        ``f(x, y)``, which returns the height z and its derivatives z_x, z_y, z_xx, z_xy, z_yy.
    """

    function: Any

    def __init__(self, function: Any) -> None:
        if not isinstance(function, Dispatcher):
            raise ModelError(
                f"surface: give a function that Numba compiles: decorate it with @numba.njit. This is {type(function).__name__}."
            )
        object.__setattr__(self, "function", function)


def ground(height: float = 0.0, slope: float = 0.0, profile: ArrayLike | None = None) -> Ground:
    """A form for the ground: level, inclined, or with steps and slopes; give it to the world with `Mechanism.add_shape`.

    Parameters
    ----------
    height : float, optional
        Where it is at x = 0, or by how much the whole profile is raised.
    slope : float, optional
        Its inclination in radians: z = height + x tan(slope).
    profile : (n, 2) array_like, optional
        The corners (x, z) of a line that is the ground instead, the same at every y. x must not decrease from one to the next;
        the same x twice is a vertical step. The first and the last piece go on without end.

    Returns
    -------
    Ground

    Raises
    ------
    ModelError
        If the slope is no angle below π/2, or the profile has an overhang, fewer than two corners, one of them twice, or a wall
        without thickness.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_shape("world", rg.ground(profile=[(0, 0), (1, 0), (1, 0.15), (2, 0.15)]), "stairs")
    >>> len(mech.shapes["stairs"].form.profile)
    4
    """
    return Ground(height, slope, profile)


def surface(function: Any) -> Surface:
    """A form whose height is a function of one's own; solid below. Balls and frames can touch it.

    Parameters
    ----------
    function : compiled function
        ``f(x, y)`` of coordinates in the shape's frame, compiled by Numba, which returns six numbers: the height z and its
        derivatives z_x, z_y, z_xx, z_xy and z_yy. With them the contact's rates are exact; where they do not fit the heights,
        the first contact with the surface is an error.

    Returns
    -------
    Surface

    Raises
    ------
    ModelError
        If the function is not one that Numba compiles.

    Examples
    --------
    >>> import numba
    >>> import regraft as rg
    >>> @numba.njit
    ... def bowl(x, y):
    ...     return 0.5 * (x * x + y * y), x, y, 1.0, 0.0, 1.0
    >>> mech = rg.Mechanism()
    >>> mech.add_shape("world", rg.surface(bowl), "bowl")
    """
    return Surface(function)


def _corners(given: ArrayLike) -> Corners:
    points = real_numbers("ground: profile", given)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
        raise ModelError(
            f"ground: a profile is two corners (x, z) or more, as [(0, 0), (1, 0.1)], not an array of shape {points.shape}."
        )
    if not np.isfinite(points).all():
        raise ModelError("ground: the profile has a number that is not finite.")
    found = tuple((float(x), float(z)) for x, z in points)
    for i, ((x0, z0), (x1, z1)) in enumerate(pairwise(found)):
        if x1 < x0:
            raise ModelError(
                f"ground: the profile has an overhang: corner {i + 1} at x = {x1:g} comes after x = {x0:g}. Give corners from "
                "left to right; what hangs over is a shape of its own, such as a Box on the world."
            )
        if (x0, z0) == (x1, z1):
            raise ModelError(f"ground: the profile has the corner ({x0:g}, {z0:g}) twice in a row; give it once.")
    for i, ((x0, z0), (x1, z1), (x2, z2)) in enumerate(zip(found, found[1:], found[2:], strict=False)):
        if x0 == x1 == x2 and (z1 - z0) * (z2 - z1) < 0.0:
            raise ModelError(
                f"ground: the profile goes up and down at x = {x1:g} (corners {i} to {i + 2}), a wall without thickness; give "
                "it some."
            )
    return found
