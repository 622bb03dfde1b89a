"""S3's step: velocities first, then positions with the new velocities; centres of mass go straight, rotations by their axis."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, store
from ..algebra.rotations import exp_pose, exp_quaternion, quaternion_product, quaternion_rotation
from ..algebra.scalars import Scalar, one, reciprocal
from ..algebra.spatial import Vector, add, cross, dot, rotate, rotate_back, scale, spatial, subtract, zero_vector
from ..compilation import inline, jit
from ..kernels.tables import COM, KernelModel, Q, V


@jit
def skeleton_step(model: KernelModel, S: Any, h: Scalar, q0: int, v0: int, slope: int, q1: int, v1: int, u1: int) -> None:
    """(q1, v1) a step after (q0, v0), all rows of S, with accelerations in the row `slope`; every body must be free by itself.

    S3, "Algorithm for animation". The tangent vector from q0 to q1 goes to u1.  O(n).
    """
    walk = model.walk
    for k in range(walk.shape[0]):
        i, d = walk[k, Q], walk[k, V]
        com = load(model.geometry, k, COM, 3)
        turn = load(S, q0, i + 3, 4)
        R = quaternion_rotation(turn)
        v, w = load(S, v0, d, 3), load(S, v0, d + 3, 3)
        dv, dw = load(S, slope, d, 3), load(S, slope, d + 3, 3)
        middle = add(v, cross(w, com))
        pushed = add(add(dv, cross(dw, com)), cross(w, middle))
        velocity = rotate(R, add(middle, scale(h, pushed)))
        spin = add(w, scale(h, dw))
        turned = quaternion_product(turn, exp_quaternion(scale(h, spin)))
        R_1 = quaternion_rotation(turned)
        place = add(add(load(S, q0, i, 3), rotate(R, com)), scale(h, velocity))
        store(S, q1, i, subtract(place, rotate(R_1, com)))
        store(S, q1, i + 3, turned)
        store(S, v1, d, subtract(rotate_back(R_1, velocity), cross(spin, com)))
        store(S, v1, d + 3, spin)
        store(S, u1, d, along(scale(h, spin), rotate_back(R, subtract(load(S, q1, i, 3), load(S, q0, i, 3)))))
        store(S, u1, d + 3, scale(h, spin))


@inline
def along(turn: Vector, moved: Vector) -> Vector:
    """The linear part of the screw about `turn` whose motion moves the origin so; for complex numbers too, as no logarithm is."""
    still = zero_vector(turn[0])
    like = one(turn[0])
    x, y, z = (like, still[0], still[0]), (still[0], like, still[0]), (still[0], still[0], like)
    a, b, c = exp_pose(spatial(turn, x))[1], exp_pose(spatial(turn, y))[1], exp_pose(spatial(turn, z))[1]
    whole = reciprocal(dot(a, cross(b, c)))
    return whole * dot(moved, cross(b, c)), whole * dot(moved, cross(c, a)), whole * dot(moved, cross(a, b))
