"""The plastic impact at the base of a tree: what the base joint cannot carry stops (S1 7.2, 8.5)."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, load_pose, store
from ..algebra.scalars import Scalar, one, where_less, zero
from ..algebra.spatial import Motion, Vector, at_point, momentum_of, plus_times, subtract, times, zero_spatial
from ..compilation import Floats, Table, entry, jit
from .aba import accelerate, eliminate_joints
from .inertia import body_inertia, store_rigid
from .kinematics import frame, place_bodies
from .memory import model_at, positions_in, work_at
from .tables import ARMATURE, BIAS, END, MARGIN, ORIGIN, PARENT, ROOT, TAU, VEL, F, KernelModel, R, S, V, Work


@jit
def impact(model: KernelModel, work: Work, q: Any, v: Any, top: int, at: Vector, twist: Motion, out: Any) -> Scalar:
    """Velocities after the impact into out, for the tree under row `top`; the others keep theirs. Returns what `aba` does.  O(n).

    Before it the root's body moves at `twist`, given at the point `at` in world axes, and the other joints at v. Of all motions
    that the base joint allows the tree takes the one nearest in the metric of kinetic energy, so momentum is kept along all that
    stays free: M v⁺ = Σ Sᵀ I V + armature v, where a rotor in the base joint, which is new, was at rest. These are the equations
    of motion with velocities for accelerations and momenta for forces.
    """
    walk, body, dof = model.walk, work.body, work.dof
    like = body[0, R]
    place_bodies(model, work, q)
    for k in range(walk.shape[0]):
        V_k = zero_spatial(like)
        if k == top:
            V_k = at_point(twist, subtract(load(body, top, ORIGIN, 3), at))
        elif walk[k, ROOT] == top:
            V_k = load(body, walk[k, PARENT], VEL, 6)
            for d in range(walk[k, V], walk[k, END]):
                V_k = plus_times(V_k, v[d], load(dof, d, S, 6))
        for d in range(walk[k, V], walk[k, END]):
            dof[d, TAU] = zero(like) if k == top else model.settings[ARMATURE, d] * v[d]
        inertia = body_inertia(model, k, frame(body, k))
        store_rigid(body, k, inertia)
        store(body, k, VEL, V_k)
        store(body, k, BIAS, zero_spatial(like))
        store(body, k, F, times(-1.0, momentum_of(inertia, V_k)))
    eliminate_joints(model, work)
    worst, finite = one(like), zero(like)
    accelerate(model, work, zero_spatial(like), out)
    for k in range(walk.shape[0]):
        hit = walk[k, ROOT] == top
        for d in range(walk[k, V], walk[k, END]):
            if hit:
                worst = where_less(worst, dof[d, MARGIN], worst, dof[d, MARGIN])
                finite = finite + 0.0 * out[d]  # apart: a comparison would forget a NaN
            else:
                out[d] = v[d]
    return worst + finite


@entry
def plastic_impact(handle: int, x: Floats, top: int, motion: Table, out: Floats) -> float:
    """`impact` of the tree whose root is row `top`; `motion` is how that row's body moves, in its own frame."""
    nq = positions_in(handle)
    X, twist = load_pose(motion, 0), load(motion, 0, 12, 6)
    return impact(model_at(handle), work_at(handle, x), x[:nq], x[nq:], top, X[1], twist, out)
