"""S3's step for bodies that are each free: semi-implicit Euler for centres of mass and rotations.

The new velocity comes first, and the position moves with it. A centre of mass goes in a straight line; the body turns about the
fixed axis of its new angular velocity.
"""

from __future__ import annotations

from ..algebra.memory import load, load_vector, store_vector
from ..algebra.rotations import exp_quaternion, quaternion_product, quaternion_rotation
from ..algebra.scalars import Scalar
from ..algebra.spatial import add, cross, rotate, rotate_back, scale, subtract
from ..compilation import jit
from ..kernels.tables import COM, Q, V
from .flow import Flow, model_of


@jit
def skeleton_step(flow: Flow, h: Scalar) -> None:
    """The end of a step with the accelerations at its start, S3's "Algorithm for animation"; every body must be free.  O(n).

    With the centre of mass c in the body's frame, body axes throughout: its velocity m = v + ω × c and its acceleration
    (v̇ + ω × v) + ω̇ × c + ω × (ω × c), of which the first part is the slope. The step itself goes to `to_end`.
    """
    start, end, to_end, rates = flow.vectors.start, flow.vectors.end, flow.vectors.to_end, flow.vectors.slopes.v[0]
    model = model_of(flow)
    walk = model.walk
    for k in range(walk.shape[0]):
        i, d = walk[k, Q], walk[k, V]
        com = load(model.geometry, k, COM, 3)
        place, turn = load_vector(start.q, i, 3), load_vector(start.q, i + 3, 4)
        R = quaternion_rotation(turn)
        v, w = load_vector(start.v, d, 3), load_vector(start.v, d + 3, 3)
        dv, dw = load_vector(rates, d, 3), load_vector(rates, d + 3, 3)
        middle = add(v, cross(w, com))
        pushed = add(add(dv, cross(dw, com)), cross(w, cross(w, com)))
        velocity = rotate(R, add(middle, scale(h, pushed)))
        spin = add(w, scale(h, dw))
        turned = quaternion_product(turn, exp_quaternion(scale(h, spin)))
        R_1 = quaternion_rotation(turned)
        centre = add(add(place, rotate(R, com)), scale(h, velocity))
        place_1 = subtract(centre, rotate(R_1, com))
        store_vector(end.q, i, place_1)
        store_vector(end.q, i + 3, turned)
        store_vector(end.v, d, subtract(rotate_back(R_1, velocity), cross(spin, com)))
        store_vector(end.v, d + 3, spin)
        store_vector(to_end, d, rotate_back(R, subtract(place_1, place)))
        store_vector(to_end, d + 3, scale(h, spin))
