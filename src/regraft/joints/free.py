"""Free joint: no constraint. q = (x y z, w x y z), v = (linear, angular) velocity of the child in the child's frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.rotations import (
    body_twist,
    conjugate,
    exp_pose,
    exp_quaternion,
    exp_rotation,
    log_quaternion,
    quaternion_product,
    quaternion_rate,
    quaternion_rotation,
    rate_of_twist,
    rate_of_vector,
    rotation_quaternion,
    stored_twist,
    unit_quaternion,
    unwound,
    unwound_force,
)
from ..algebra.spatial import (
    Motion,
    Transform,
    add,
    axis_x,
    axis_y,
    axis_z,
    cross,
    rotate,
    rotate_back,
    spatial,
    subtract,
    zero_vector,
)
from ..compilation import inline
from .contract import Array, JointKernels, JointType
from .settings import BOUNDING, refuse_to_reverse, same
from .spherical import turning_axes, unit_length


@inline
def transform(_par: tuple[float, ...], q: tuple[Any, ...]) -> Transform:
    return quaternion_rotation((q[3], q[4], q[5], q[6])), (q[0], q[1], q[2])


@inline
def columns(_par: tuple[float, ...], _q: tuple[Any, ...], X: Transform) -> tuple[Motion, ...]:
    R = X[0]
    still = zero_vector(R[0])
    along_x, along_y, along_z = spatial(still, axis_x(R)), spatial(still, axis_y(R)), spatial(still, axis_z(R))
    about_x, about_y, about_z = turning_axes(X)
    return along_x, along_y, along_z, about_x, about_y, about_z


@inline
def nearest(_par: tuple[float, ...], X: Transform) -> tuple[Any, ...]:
    r, p = rotation_quaternion(X[0]), X[1]
    return (p[0], p[1], p[2], r[0], r[1], r[2], r[3])


@inline
def integrate(q: tuple[Any, ...], d: tuple[Any, ...]) -> tuple[Any, ...]:
    turn = (q[3], q[4], q[5], q[6])
    step = exp_pose(body_twist((d[0], d[1], d[2]), (d[3], d[4], d[5])))
    p = add((q[0], q[1], q[2]), rotate(quaternion_rotation(turn), step[1]))
    r = quaternion_product(turn, exp_quaternion((d[3], d[4], d[5])))
    return (p[0], p[1], p[2], r[0], r[1], r[2], r[3])


@inline
def rate(q: tuple[Any, ...], v: tuple[Any, ...]) -> tuple[Any, ...]:
    turn = (q[3], q[4], q[5], q[6])
    p, r = rotate(quaternion_rotation(turn), (v[0], v[1], v[2])), quaternion_rate(turn, (v[3], v[4], v[5]))
    return (p[0], p[1], p[2], r[0], r[1], r[2], r[3])


@inline
def tangent(d: tuple[Any, ...], v: tuple[Any, ...]) -> tuple[Any, ...]:
    along = body_twist((d[0], d[1], d[2]), (d[3], d[4], d[5]))
    return stored_twist(rate_of_twist(along, body_twist((v[0], v[1], v[2]), (v[3], v[4], v[5]))))


@inline
def pull(d: tuple[Any, ...], f: tuple[Any, ...]) -> tuple[Any, ...]:
    along = body_twist((d[0], d[1], d[2]), (d[3], d[4], d[5]))
    return stored_twist(unwound_force(along, body_twist((f[0], f[1], f[2]), (f[3], f[4], f[5]))))


@inline
def difference(q1: tuple[Any, ...], q0: tuple[Any, ...]) -> tuple[Any, ...]:
    turn = (q0[3], q0[4], q0[5], q0[6])
    relative = quaternion_product(conjugate(turn), (q1[3], q1[4], q1[5], q1[6]))
    way = rotate_back(quaternion_rotation(turn), subtract((q1[0], q1[1], q1[2]), (q0[0], q0[1], q0[2])))
    along = log_quaternion(relative)
    return stored_twist(spatial(along, unwound(along, way)))


@inline
def normalise(q: tuple[Any, ...]) -> tuple[Any, ...]:
    r = unit_quaternion((q[3], q[4], q[5], q[6]))
    return (q[0], q[1], q[2], r[0], r[1], r[2], r[3])


# A body that spins and flies has a velocity that is steady in space, and turns in its own axes. Steps are taken along a straight
# line therefore, with linear velocities in the axes of their start: what turns would have to be followed by many short steps.


@inline
def depart(q: tuple[Any, ...], u: tuple[Any, ...]) -> tuple[Any, ...]:
    turn = (q[3], q[4], q[5], q[6])
    p = add((q[0], q[1], q[2]), rotate(quaternion_rotation(turn), (u[0], u[1], u[2])))
    r = quaternion_product(turn, exp_quaternion((u[3], u[4], u[5])))
    return (p[0], p[1], p[2], r[0], r[1], r[2], r[3])


@inline
def reach(q1: tuple[Any, ...], q0: tuple[Any, ...]) -> tuple[Any, ...]:
    turn = (q0[3], q0[4], q0[5], q0[6])
    relative = quaternion_product(conjugate(turn), (q1[3], q1[4], q1[5], q1[6]))
    way = rotate_back(quaternion_rotation(turn), subtract((q1[0], q1[1], q1[2]), (q0[0], q0[1], q0[2])))
    return spatial(way, log_quaternion(relative))


@inline
def carry(u: tuple[Any, ...], v: tuple[Any, ...]) -> tuple[Any, ...]:
    return spatial(rotate(exp_rotation((u[3], u[4], u[5])), (v[0], v[1], v[2])), (v[3], v[4], v[5]))


@inline
def carry_back(u: tuple[Any, ...], w: tuple[Any, ...]) -> tuple[Any, ...]:
    return spatial(rotate_back(exp_rotation((u[3], u[4], u[5])), (w[0], w[1], w[2])), (w[3], w[4], w[5]))


@inline
def advance(u: tuple[Any, ...], v: tuple[Any, ...], a: tuple[Any, ...]) -> tuple[Any, Any]:
    turned, going, spin = (u[3], u[4], u[5]), (v[0], v[1], v[2]), (v[3], v[4], v[5])
    R = exp_rotation(turned)
    pushed = add((a[0], a[1], a[2]), cross(spin, going))
    return spatial(rotate(R, going), rate_of_vector(turned, spin)), spatial(rotate(R, pushed), (a[3], a[4], a[5]))


class Free(JointType):
    """Six degrees of freedom: a body that floats. q = (x, y, z, then the quaternion w, x, y, z).

    v = (linear, angular) velocity of the child relative to the parent, in the child's frame.

    Parameters
    ----------
    **settings
        As `JointType` has them, but for limits: there is nothing to bound.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Free().neutral()
    array([0., 0., 0., 1., 0., 0., 0.])
    """

    nq, nv, limited, quaternion = 7, 6, 0, 3
    kernels = JointKernels(
        transform, columns, nearest,
        integrate=integrate, rate=rate, tangent=tangent, pull=pull, difference=difference, normalise=normalise,
        depart=depart, reach=reach, carry=carry, carry_back=carry_back, advance=advance,
    )  # fmt: skip
    __slots__ = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def normalised(self, q: Array) -> Array:
        return np.concatenate([q[:3], unit_length(q[3:])])

    def reversed(self) -> JointType:
        unlike = [what for what in ("damping", "armature") if not _about_all_axes(getattr(self, what))]
        unlike += ["stiffness"] * (not _about_all_axes(self.stiffness) and not np.array_equal(self.rest, self.neutral()))
        unlike += ["friction"] * bool(self.friction.any())
        refuse_to_reverse("Free", unlike + [what for what in BOUNDING if np.isfinite(getattr(self, what)).any()])
        return self.with_settings(rest=self.reverse(self.rest))

    def reverse(self, q: ArrayLike) -> Array:
        return self.position(self.pose(q).inverse())


def _about_all_axes(values: Array) -> bool:
    """Whether a setting is the same about all axes, and nothing along them: then it does not depend on the joint's frames."""
    return not values[:3].any() and same(values[3:])
