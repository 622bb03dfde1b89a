"""Vectors, rotations, poses, twists, wrenches and inertias as tuples of scalars.

Small, total, named by meaning, generic in the scalar. Rotation matrices are 9 numbers in row order; motion and force vectors are
(angular, linear); a symmetric 3×3 matrix is (xx, xy, xz, yy, yz, zz). See docs/notation.md for symbols.
"""

from __future__ import annotations

from typing import TypeAlias

from ..compilation import inline
from .scalars import Scalar, one, zero

Vector: TypeAlias = tuple[Scalar, Scalar, Scalar]
Rotation: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
Transform: TypeAlias = tuple[Rotation, Vector]
"""a pose as (R, p): x ↦ R x + p."""
Motion: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
Force: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
Symmetric: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
RigidInertia: TypeAlias = tuple[Scalar, Vector, Symmetric]
"""(m, h, J): mass, first moment m c and second moment about the origin."""
ArticulatedInertia: TypeAlias = tuple[Scalar, ...]
"""a symmetric 6×6 matrix [[A, B], [Bᵀ, D]] as the 21 numbers A (6), B (9, row order), D (6)."""


# --- vectors ---------------------------------------------------------------------------------------------------------


@inline
def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def subtract(a: Vector, b: Vector) -> Vector:
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scale(s: Scalar, a: Vector) -> Vector:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@inline
def dot(a: Vector, b: Vector) -> Scalar:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def zero_vector(like: Scalar) -> Vector:
    """The zero vector in the scalar of `like`."""
    o = zero(like)
    return (o, o, o)


# --- rotations and poses ---------------------------------------------------------------------------------------------


@inline
def identity(like: Scalar) -> Rotation:
    """The rotation that turns nothing, in the scalar of `like`."""
    o, i = zero(like), one(like)
    return (i, o, o, o, i, o, o, o, i)


@inline
def rotate(R: Rotation, a: Vector) -> Vector:
    """R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@inline
def rotate_back(R: Rotation, a: Vector) -> Vector:
    """Rᵀ a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@inline
def multiply(A: Rotation, B: Rotation) -> Rotation:
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inline
def transpose(R: Rotation) -> Rotation:
    """Rᵀ, the inverse rotation."""
    return (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])


@inline
def axis_x(R: Rotation) -> Vector:
    """The first axis of the frame R."""
    return (R[0], R[3], R[6])


@inline
def axis_y(R: Rotation) -> Vector:
    """The second axis of the frame R."""
    return (R[1], R[4], R[7])


@inline
def axis_z(R: Rotation) -> Vector:
    """The third axis of the frame R."""
    return (R[2], R[5], R[8])


@inline
def compose(X: Transform, Y: Transform) -> Transform:
    """X Y: first Y, then X."""
    return multiply(X[0], Y[0]), add(X[1], rotate(X[0], Y[1]))


@inline
def invert(X: Transform) -> Transform:
    """X⁻¹."""
    return transpose(X[0]), scale(-1.0, rotate_back(X[0], X[1]))


# --- motion and force vectors ----------------------------------------------------------------------------------------


@inline
def spatial(angular_part: Vector, linear_part: Vector) -> Motion:
    """a motion or force vector from its two halves."""
    return (angular_part[0], angular_part[1], angular_part[2], linear_part[0], linear_part[1], linear_part[2])


@inline
def angular(v: Motion) -> Vector:
    """The angular half."""
    return (v[0], v[1], v[2])


@inline
def linear(v: Motion) -> Vector:
    """The linear half."""
    return (v[3], v[4], v[5])


@inline
def zero_spatial(like: Scalar) -> Motion:
    """The zero motion or force in the scalar of `like`."""
    o = zero(like)
    return (o, o, o, o, o, o)


@inline
def plus(a: Motion, b: Motion) -> Motion:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@inline
def minus(a: Motion, b: Motion) -> Motion:
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5])


@inline
def times(s: Scalar, a: Motion) -> Motion:
    """s a."""
    return (s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5])


@inline
def plus_times(a: Motion, s: Scalar, b: Motion) -> Motion:
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3], a[4] + s * b[4], a[5] + s * b[5])


@inline
def power(v: Motion, f: Force) -> Scalar:
    """v · f: the power of the force f on the motion v."""
    return v[0] * f[0] + v[1] * f[1] + v[2] * f[2] + v[3] * f[3] + v[4] * f[4] + v[5] * f[5]


@inline
def motion_cross(v: Motion, m: Motion) -> Motion:
    """v × m: how the motion vector m changes when carried along at velocity v."""
    w, u, a, b = angular(v), linear(v), angular(m), linear(m)
    return spatial(cross(w, a), add(cross(w, b), cross(u, a)))


@inline
def force_cross(v: Motion, f: Force) -> Force:
    """v ×* f: how the force vector f changes when carried along at velocity v."""
    w, u, a, b = angular(v), linear(v), angular(f), linear(f)
    return spatial(add(cross(w, a), cross(u, b)), cross(w, b))


@inline
def turning_about(a: Vector, p: Vector) -> Motion:
    """The screw of a rotation about the axis a through the point p."""
    return spatial(a, cross(p, a))


@inline
def turning(X: Transform, axis: Vector) -> Motion:
    """The screw of a rotation about an axis, given in the frame X, through X's origin."""
    return turning_about(rotate(X[0], axis), X[1])


@inline
def sliding(X: Transform, axis: Vector) -> Motion:
    """The screw of a translation along an axis given in the frame X."""
    return spatial(zero_vector(X[1][0]), rotate(X[0], axis))


@inline
def at_point(v: Motion, p: Vector) -> Motion:
    """The twist v with its linear half taken at the point p instead of the origin."""
    return spatial(angular(v), add(linear(v), cross(angular(v), p)))


@inline
def force_at(p: Vector, moment: Vector, force: Vector) -> Force:
    """The wrench, about the origin, of a moment and of a force that acts at p."""
    return spatial(add(moment, cross(p, force)), force)


# --- rigid-body inertia ----------------------------------------------------------------------------------------------


@inline
def turn_inertia(R: Rotation, I: Symmetric) -> Symmetric:
    """R I Rᵀ."""
    T = multiply(R, (I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]))
    return (
        T[0] * R[0] + T[1] * R[1] + T[2] * R[2],
        T[0] * R[3] + T[1] * R[4] + T[2] * R[5],
        T[0] * R[6] + T[1] * R[7] + T[2] * R[8],
        T[3] * R[3] + T[4] * R[4] + T[5] * R[5],
        T[3] * R[6] + T[4] * R[7] + T[5] * R[8],
        T[6] * R[6] + T[7] * R[7] + T[8] * R[8],
    )


@inline
def rigid_inertia(m: Scalar, c: Vector, I: Symmetric) -> RigidInertia:
    """The inertia about the origin of a body of mass m at c with moments I about c."""
    h = scale(m, c)
    return (
        m,
        h,
        (
            I[0] + h[1] * c[1] + h[2] * c[2],
            I[1] - h[0] * c[1],
            I[2] - h[0] * c[2],
            I[3] + h[0] * c[0] + h[2] * c[2],
            I[4] - h[1] * c[2],
            I[5] + h[0] * c[0] + h[1] * c[1],
        ),
    )


@inline
def joined(a: RigidInertia, b: RigidInertia) -> RigidInertia:
    """The inertia of two bodies that move as one."""
    (m, h, J), (n, k, K) = a, b
    return m + n, add(h, k), plus(J, K)


@inline
def size_of(body: RigidInertia) -> tuple[Scalar, Scalar]:
    """Two numbers for how large an inertia is: the trace of its moments, and its mass."""
    return body[2][0] + body[2][3] + body[2][5], body[0]


@inline
def add_sizes(a: tuple[Scalar, Scalar], b: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    """The size of two bodies together."""
    return a[0] + b[0], a[1] + b[1]


@inline
def largest_response(size: tuple[Scalar, Scalar], s: Motion) -> Scalar:
    """A bound on the halves of s · I s for an inertia of this size: what rounding in s · I s is to be compared with."""
    w, u = angular(s), linear(s)
    return size[0] * dot(w, w) + size[1] * dot(u, u)


@inline
def symmetric_times(I: Symmetric, a: Vector) -> Vector:
    """I a for a symmetric 3×3 matrix."""
    return (
        I[0] * a[0] + I[1] * a[1] + I[2] * a[2],
        I[1] * a[0] + I[3] * a[1] + I[4] * a[2],
        I[2] * a[0] + I[4] * a[1] + I[5] * a[2],
    )


@inline
def momentum_of(body: RigidInertia, v: Motion) -> Force:
    """I v: the momentum of a body that moves at v."""
    m, h, J = body
    w, u = angular(v), linear(v)
    return spatial(add(symmetric_times(J, w), cross(h, u)), add(scale(m, u), cross(w, h)))


# --- articulated-body inertia ----------------------------------------------------------------------------------------


@inline
def articulated(body: RigidInertia) -> ArticulatedInertia:
    """The 21 numbers of a rigid-body inertia as a symmetric 6×6 matrix."""
    m, h, J = body
    o = zero(h[0])
    return (
        *J,
        *(o, -h[2], h[1], h[2], o, -h[0], -h[1], h[0], o),
        *(m, o, o, m, o, m),
    )


@inline
def apply(I: ArticulatedInertia, s: Motion) -> Force:
    """I s."""
    return (
        I[0] * s[0] + I[1] * s[1] + I[2] * s[2] + I[6] * s[3] + I[7] * s[4] + I[8] * s[5],
        I[1] * s[0] + I[3] * s[1] + I[4] * s[2] + I[9] * s[3] + I[10] * s[4] + I[11] * s[5],
        I[2] * s[0] + I[4] * s[1] + I[5] * s[2] + I[12] * s[3] + I[13] * s[4] + I[14] * s[5],
        I[6] * s[0] + I[9] * s[1] + I[12] * s[2] + I[15] * s[3] + I[16] * s[4] + I[17] * s[5],
        I[7] * s[0] + I[10] * s[1] + I[13] * s[2] + I[16] * s[3] + I[18] * s[4] + I[19] * s[5],
        I[8] * s[0] + I[11] * s[1] + I[14] * s[2] + I[17] * s[3] + I[19] * s[4] + I[20] * s[5],
    )


@inline
def remove_direction(I: ArticulatedInertia, U: Force, e: Force) -> ArticulatedInertia:
    """I − e Uᵀ for parallel e and U: the inertia left when a joint gives way in one direction."""
    return (
        *(I[0] - e[0] * U[0], I[1] - e[0] * U[1], I[2] - e[0] * U[2]),
        *(I[3] - e[1] * U[1], I[4] - e[1] * U[2], I[5] - e[2] * U[2]),
        *(I[6] - e[0] * U[3], I[7] - e[0] * U[4], I[8] - e[0] * U[5]),
        *(I[9] - e[1] * U[3], I[10] - e[1] * U[4], I[11] - e[1] * U[5]),
        *(I[12] - e[2] * U[3], I[13] - e[2] * U[4], I[14] - e[2] * U[5]),
        *(I[15] - e[3] * U[3], I[16] - e[3] * U[4], I[17] - e[3] * U[5]),
        *(I[18] - e[4] * U[4], I[19] - e[4] * U[5], I[20] - e[5] * U[5]),
    )


@inline
def combine(a: ArticulatedInertia, b: ArticulatedInertia) -> ArticulatedInertia:
    """a + b."""
    return (
        *(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6]),
        *(a[7] + b[7], a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11], a[12] + b[12], a[13] + b[13]),
        *(a[14] + b[14], a[15] + b[15], a[16] + b[16], a[17] + b[17], a[18] + b[18], a[19] + b[19], a[20] + b[20]),
    )
