"""Balls and points on a surface z = f(x, y) of its frame, solid below, whose height is a function of the user's."""

from __future__ import annotations

from ....algebra.memory import call_on_numbers
from ....algebra.scalars import Scalar, lift, reciprocal, square_root
from ....algebra.spatial import Transform, Vector, rotate, rotate_back, scale, subtract
from ....compilation import inline
from ....tolerances import SURFACE_FOOT

_STEPS = 30
_HALVINGS = 30


@inline
def sphere_surface(X_a: Transform, radius: float, X_b: Transform, address: int) -> tuple[Scalar, Vector, Vector]:
    """A ball: by the nearest point of the surface. A point: by its height, as if the surface were flat below it.

    Both have the same zeros; of a point the gap is the distance to first order.
    """
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    x, y = foot(address, c, radius)
    z, zx, zy, _, _, _ = continued(address, x, y)
    length = square_root(1.0 + zx * zx + zy * zy)
    s = reciprocal(length)
    n = rotate(X_b[0], (-zx * s, -zy * s, s))
    gap = (-zx * (c[0] - x) - zy * (c[1] - y) + (c[2] - z)) * s - radius
    return gap, n, subtract(X_a[1], scale(radius, n))


@inline
def continued(address: int, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar, float, float, float]:
    """Height and slopes at (x, y), continued to first order for complex ones; and the second derivatives, which are real."""
    z, zx, zy, zxx, zxy, zyy = call_on_numbers(address, 0, (x.real, y.real), 6)
    dx, dy = x - x.real, y - y.real
    return z + (zx * dx + zy * dy), zx + (zxx * dx + zxy * dy), zy + (zxy * dx + zyy * dy), zxx, zxy, zyy


@inline
def foot(address: int, c: Vector, radius: float) -> tuple[Scalar, Scalar]:
    """(x, y) of the point of the surface that is nearest to c; straight below c where the radius is 0.

    Newton's method on (x − c_x) + (z − c_z) z_x = 0 and its like, with steps that are cut until the distance is less, on real
    parts; then one step in the scalar, which gives its derivative.
    """
    if radius == 0.0:
        return c[0], c[1]
    x, y = c[0].real, c[1].real
    for _ in range(_STEPS):
        dx, dy = _step(address, x, y, c[0].real, c[1].real, c[2].real)
        if dx * dx + dy * dy <= (SURFACE_FOOT * radius) * (SURFACE_FOOT * radius):
            x, y = x + dx, y + dy
            break
        part, before = 1.0, _squared(address, x, y, c)
        for _ in range(_HALVINGS):
            if _squared(address, x + part * dx, y + part * dy, c) <= before:
                break
            part *= 0.5
        x, y = x + part * dx, y + part * dy
    dx, dy = _step(address, lift(x, c[0]), lift(y, c[0]), c[0], c[1], c[2])
    return x + dx, y + dy


@inline
def _squared(address: int, x: float, y: float, c: Vector) -> float:
    z, _, _, _, _, _ = call_on_numbers(address, 0, (x, y), 6)
    dx, dy, dz = x - c[0].real, y - c[1].real, z - c[2].real
    return dx * dx + dy * dy + dz * dz


@inline
def _step(address: int, x: Scalar, y: Scalar, cx: Scalar, cy: Scalar, cz: Scalar) -> tuple[Scalar, Scalar]:
    """The step of Newton's method; where the surface is hollower than a ball about c, that of its slopes alone."""
    z, zx, zy, zxx, zxy, zyy = continued(address, x, y)
    up = z - cz
    f, g = (x - cx) + up * zx, (y - cy) + up * zy
    a, b, d = 1.0 + zx * zx + up * zxx, zx * zy + up * zxy, 1.0 + zy * zy + up * zyy
    det = a * d - b * b
    if det.real <= 0.0 or a.real <= 0.0:
        a, b, d = 1.0 + zx * zx, zx * zy, 1.0 + zy * zy
        det = a * d - b * b
    s = -reciprocal(det)
    return s * (d * f - b * g), s * (a * g - b * f)
