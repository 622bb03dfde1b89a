"""Rotation by axis and angle, quaternions (w, x, y, z), and the exponential and logarithm of SO(3) and SE(3)."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..compilation import inline
from .scalars import Scalar, angle, lift, one, sincos, square_root, where_less, zero
from .spatial import (
    Force,
    Motion,
    Rotation,
    Transform,
    Vector,
    add,
    angular,
    cross,
    dot,
    force_cross,
    identity,
    linear,
    motion_cross,
    multiply,
    plus,
    scale,
    spatial,
    times,
    transpose,
)

Quaternion: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]

_SERIES = 0.05  # squared angle below which the power series are exact to the last digit


@inline
def about_axis(a: Vector, turn: Scalar) -> Rotation:
    """The rotation by an angle about a unit axis (Rodrigues)."""
    s, c = sincos(turn)
    t = one(turn) - c
    x, y, z = a
    tx, ty, tz = t * x, t * y, t * z
    sx, sy, sz = s * x, s * y, s * z
    return (c + tx * x, tx * y - sz, tx * z + sy, tx * y + sz, c + ty * y, ty * z - sx, tx * z - sy, ty * z + sx, c + tz * z)


@inline
def orthonormal(R: Rotation) -> Rotation:
    """½ R (3 − RᵀR): the rotation nearest to a product of rotations, by one step of Newton's method. Exact ones stay as they are.

    The inverse of a rotation is taken as its transpose, which turns round the rounding in its angles but not that in its lengths.
    So where frames are made from frames over and over, the latter adds up, and doubles where both ends of a joint get it.
    """
    G = multiply(transpose(R), R)
    step = (
        1.5 - 0.5 * G[0], -0.5 * G[1], -0.5 * G[2],
        -0.5 * G[3], 1.5 - 0.5 * G[4], -0.5 * G[5],
        -0.5 * G[6], -0.5 * G[7], 1.5 - 0.5 * G[8],
    )  # fmt: skip
    return multiply(R, step)


# --- quaternions -----------------------------------------------------------------------------------------------------


@inline
def quaternion_rotation(q: Quaternion) -> Rotation:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q
    i = one(w)
    x2, y2, z2 = x + x, y + y, z + z
    return (
        i - (y * y2 + z * z2),
        x * y2 - w * z2,
        x * z2 + w * y2,
        x * y2 + w * z2,
        i - (x * x2 + z * z2),
        y * z2 - w * x2,
        x * z2 - w * y2,
        y * z2 + w * x2,
        i - (x * x2 + y * y2),
    )


@inline
def quaternion_product(a: Quaternion, b: Quaternion) -> Quaternion:
    """a b: first the rotation b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inline
def quaternion_rate(q: Quaternion, w: Vector) -> Quaternion:
    """The rate ½ q w of a unit quaternion at the angular velocity w in the axes that it turns."""
    return quaternion_product(q, (zero(w[0]), 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))


@inline
def conjugate(q: Quaternion) -> Quaternion:
    """The quaternion of the inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@inline
def unit_quaternion(q: Quaternion) -> Quaternion:
    """q scaled to length 1."""
    s = one(q[0]) / square_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (s * q[0], s * q[1], s * q[2], s * q[3])


@inline
def _larger(x: Scalar, y: Scalar) -> Scalar:
    """The one with the larger real part."""
    return where_less(x, y, y, x)


@inline
def rotation_quaternion(R: Rotation) -> Quaternion:
    """The unit quaternion with w ≥ 0 of a rotation matrix: of four formulas the one whose root is largest. Not for packs."""
    xx, yy, zz = R[0], R[4], R[8]
    four = (1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)
    best = _larger(_larger(four[0], four[1]), _larger(four[2], four[3]))
    r = 0.5 * square_root(best)
    s = 0.25 / r
    if best == four[0]:
        q = (r, s * (R[7] - R[5]), s * (R[2] - R[6]), s * (R[3] - R[1]))
    elif best == four[1]:
        q = (s * (R[7] - R[5]), r, s * (R[1] + R[3]), s * (R[2] + R[6]))
    elif best == four[2]:
        q = (s * (R[2] - R[6]), s * (R[1] + R[3]), r, s * (R[5] + R[7]))
    else:
        q = (s * (R[3] - R[1]), s * (R[2] + R[6]), s * (R[5] + R[7]), r)
    sign = 1.0 if q[0].real >= 0.0 else -1.0
    return unit_quaternion((sign * q[0], sign * q[1], sign * q[2], sign * q[3]))


# --- exponential -----------------------------------------------------------------------------------------------------


@inline
def exponential_coefficients(s: Scalar) -> Vector:
    """Sin t / t, (1 − cos t) / t² and (t − sin t) / t³ as functions of s = t²."""
    i, small = one(s), lift(_SERIES, s)
    safe = where_less(s, small, i, s)  # the unused formula must stay finite
    t = square_root(safe)
    sine, cosine = sincos(t)
    a, b = sine / t, (i - cosine) / safe
    c = (i - a) / safe
    series_a = i - s / 6.0 * (i - s / 20.0 * (i - s / 42.0 * (i - s / 72.0 * (i - s / 110.0 * (i - s / 156.0)))))
    series_b = 0.5 * (i - s / 12.0 * (i - s / 30.0 * (i - s / 56.0 * (i - s / 90.0 * (i - s / 132.0 * (i - s / 182.0))))))
    series_c = (i - s / 20.0 * (i - s / 42.0 * (i - s / 72.0 * (i - s / 110.0 * (i - s / 156.0 * (i - s / 210.0)))))) / 6.0
    return where_less(s, small, series_a, a), where_less(s, small, series_b, b), where_less(s, small, series_c, c)


@inline
def exp_quaternion(t: Vector) -> Quaternion:
    """The unit quaternion of the rotation vector t."""
    half = scale(0.5, t)
    s = dot(half, half)
    a, b, _ = exponential_coefficients(s)
    return (one(s) - b * s, a * half[0], a * half[1], a * half[2])


@inline
def exp_rotation(t: Vector) -> Rotation:
    """exp: so(3) → SO(3), the rotation matrix of the rotation vector t."""
    return quaternion_rotation(exp_quaternion(t))


@inline
def exp_pose(v: Motion) -> Transform:
    """exp: se(3) → SE(3), the pose that a frame reaches when it moves for unit time at the constant own twist v."""
    w, u = angular(v), linear(v)
    _, b, c = exponential_coefficients(dot(w, w))
    drift = cross(w, u)
    return exp_rotation(w), add(u, add(scale(b, drift), scale(c, cross(w, drift))))


def _inverse_exponential_rate(bracket: Any, plus: Any, times: Any) -> Any:
    """dexp⁻¹ of a Lie algebra by its series up to d¹⁰: the rate of d at which exp(d) moves at v, seen from where it is."""

    @inline
    def rate(d: Any, v: Any) -> Any:
        first = bracket(d, v)
        second = bracket(d, first)
        fourth = bracket(d, bracket(d, second))
        sixth = bracket(d, bracket(d, fourth))
        eighth = bracket(d, bracket(d, sixth))
        tenth = bracket(d, bracket(d, eighth))
        high = plus(times(-1.0 / 1209600.0, eighth), times(1.0 / 47900160.0, tenth))
        even = plus(plus(times(1.0 / 12.0, second), times(-1.0 / 720.0, fourth)), plus(times(1.0 / 30240.0, sixth), high))
        return plus(plus(v, times(0.5, first)), even)

    return rate


rate_of_vector = _inverse_exponential_rate(cross, add, scale)
rate_of_twist = _inverse_exponential_rate(motion_cross, plus, times)


# --- logarithm -------------------------------------------------------------------------------------------------------


@inline
def log_quaternion(q: Quaternion) -> Vector:
    """The rotation vector, of length at most π, of a unit quaternion."""
    i = one(q[0])
    sign = where_less(q[0], zero(q[0]), -i, i)
    w, v = sign * q[0], (sign * q[1], sign * q[2], sign * q[3])
    s, small = dot(v, v), lift(1e-4, q[0])
    safe = where_less(s, small, i, s)
    r = square_root(safe)
    # asin(r) / r, by its series where r is small
    series = i + s / 6.0 * (i + s * 0.45 * (i + s * (25.0 / 42.0) * (i + s * (49.0 / 72.0))))
    return scale(2.0 * where_less(s, small, series, angle(r, w) / r), v)


@inline
def log_rotation(R: Rotation) -> Vector:
    """log: SO(3) → so(3), the rotation vector of length at most π. Not for packs."""
    return log_quaternion(rotation_quaternion(R))


@inline
def log_pose(X: Transform) -> Motion:
    """log: SE(3) → se(3), the constant own twist that leads from the identity to X in unit time. Not for packs."""
    w = log_rotation(X[0])
    return spatial(w, unwound(w, X[1]))


@inline
def unwound(w: Vector, p: Vector) -> Vector:
    """V(w)⁻¹ p, where exp(w, u) = (R, V(w) u), for a rotation vector of length at most π.

    V(w)⁻¹ is the transpose of dexp⁻¹, so it also makes a torque along angular velocities of a force along rotation vectors at w.
    """
    s = dot(w, w)
    a, b, _ = exponential_coefficients(s)
    turn = cross(w, p)
    return add(p, add(scale(-0.5, turn), scale(_second_coefficient(s, a, b), cross(w, turn))))


@inline
def _second_coefficient(s: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """(1 − a / (2 b)) / s, by a series where this cancels: V(w)⁻¹ = 1 − ½ w× + this (w×)², with s = w²."""
    i, small = one(s), lift(_SERIES, s)
    series = 1.0 / 12.0 + s / 720.0 * (i + s / 42.0 * (i + s / 40.0 * (i + s * (20.0 / 792.0))))
    return where_less(s, small, series, (i - 0.5 * a / b) / where_less(s, small, i, s))


@inline
def unwound_force(d: Motion, f: Force) -> Force:
    """The wrench of a force f along twists d with exp(d) = X: the transpose of dexp⁻¹ at d, whose rotation is at most π.

    In closed form 1 − ½ d×* + A (d×*)² + B (d×*)⁴ (Bullo and Murray, 1995).
    """
    s = dot(angular(d), angular(d))
    a, b, c = exponential_coefficients(s)
    i, small = one(s), lift(_SERIES, s)
    second, other = _second_coefficient(s, a, b), 0.25 * c / b
    series = -1.0 / 720.0 * (i + s / 21.0 * (i + 0.0375 * s * (i + s * (10.0 / 297.0))))
    fourth = where_less(s, small, series, (second - other) / where_less(s, small, i, s))
    once = force_cross(d, f)
    twice = force_cross(d, once)
    high = force_cross(d, force_cross(d, twice))
    return plus(plus(f, times(-0.5, once)), plus(times(second + second - other, twice), times(fourth, high)))


@inline
def identity_pose(like: Scalar) -> Transform:
    """The pose that changes nothing."""
    o = zero(like)
    return identity(like), (o, o, o)


@inline
def body_twist(v_linear: Vector, v_angular: Vector) -> Motion:
    """A twist from the order in which a free joint stores it."""
    return spatial(v_angular, v_linear)


@inline
def stored_twist(v: Motion) -> Motion:
    """The order (linear, angular) in which a free joint stores a twist."""
    return spatial(linear(v), angular(v))
