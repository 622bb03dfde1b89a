"""Forward dynamics where the motion of some joints is prescribed: their accelerations are given, and the torques are found.

Such a joint does not give way: HELD of its degrees of freedom is infinite, so D is 0 and the elimination passes all inertia and
force through it. Its own acceleration S a, with a GIVEN, is part of the bias of its child. The torque that it takes is what is
missing in the joint's balance in the end, U · A_parent and what its rotor needs, less what is left of the torques in it.

Loop joints that move as told have constraint rows instead, see `constraints.prescribed_rows`, and their torques are multipliers.
"""

from __future__ import annotations

import math
from typing import Any

from ..algebra.memory import load, store, table_at, vector_at
from ..algebra.scalars import Scalar
from ..algebra.spatial import plus_times, power
from ..compilation import Floats, Table, entry, inline, jit, long_entry
from .aba import accelerate, eliminate_joints, load_tree
from .constraints.closure import CLOSE_VELOCITIES, close_with
from .constraints.dynamics import hold_together
from .constraints.prescribed_rows import set_velocities_aside
from .constraints.tables import GAP
from .kinematics import move_bodies, parent_motion, place_bodies, rising_world
from .memory import loops_at, model_at, positions_in, velocities_in, work_at
from .tables import ARMATURE, BIAS, END, EXTERNAL, GIVEN, HELD, PARENT, TAU, A, KernelModel, R, S, U, V, Work


@inline
def articulate_prescribed(model: KernelModel, work: Work, q: Any, v: Any, tau: Any, external: Any) -> Scalar:
    """As `aba.articulate`, with the prescribed accelerations among the biases.  O(n)."""
    place_bodies(model, work, q)
    move_bodies(model, work, q, v)
    for k in range(model.walk.shape[0]):
        bias = load(work.body, k, BIAS, 6)
        for d in range(model.walk[k, V], model.walk[k, END]):
            bias = plus_times(bias, work.dof[d, GIVEN], load(work.dof, d, S, 6))
        store(work.body, k, BIAS, bias)
    load_tree(model, work, q, v, tau, external)
    return eliminate_joints(model, work)


@jit
def finish_prescribed(model: KernelModel, work: Work, out: Any, torques: Any) -> None:
    """Put the prescribed accelerations into `out`, and the torques that they take into `torques`, 0 for all other joints."""
    walk, dof, world = model.walk, work.dof, rising_world(model, work.body[0, R])
    for k in range(walk.shape[0]):
        a = parent_motion(work.body, walk[k, PARENT], A, world)
        for d in range(walk[k, V], walk[k, END]):
            torques[d] = 0.0
            if math.isinf(dof[d, HELD]):
                out[d] = dof[d, GIVEN]
                rotor = model.settings[ARMATURE, d] * dof[d, GIVEN]
                torques[d] = power(load(dof, d, U, 6), a) - dof[d, TAU] + rotor


# --- what Python calls, and what `simulate` calls by address --------------------------------------------------------------


@entry
def prescribed_dynamics(handle: int, x: Floats, tau: Floats, external: Table, out: Floats, torques: Floats) -> float:
    """Accelerations of a tree at x = (q, v), and the torques of prescribed motions; returns the least MARGIN."""
    m, w, nq = model_at(handle), work_at(handle, x), positions_in(handle)
    worst = articulate_prescribed(m, w, x[:nq], x[nq:], tau, external)
    accelerate(m, w, rising_world(m, w.body[0, R]), out)
    finish_prescribed(m, w, out, torques)
    return worst


@entry
def prescribed_closed_dynamics(
    handle: int, x: Floats, tau: Floats, external: Table, out: Floats, torques: Floats
) -> tuple[float, float]:
    """The same with loops and couplings; returns the least MARGIN and the largest gap."""
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    worst = hold_together(m, w, closed, x[:nq], out, articulate_prescribed(m, w, x[:nq], x[nq:], tau, external))
    finish_prescribed(m, w, out, torques)
    return worst, closed.scratch[GAP, 0]


@long_entry
def prescribed_step(handle: int, q: int, v: int, tau: int, external: int, pushed: int, out: int) -> float:
    """Accelerations of a tree, with addresses of arrays; returns the least MARGIN."""
    m, w, nv = model_at(handle), work_at(handle, 0.0), velocities_in(handle)
    position, velocity, rate = vector_at(q, positions_in(handle)), vector_at(v, nv), vector_at(out, nv)
    worst = articulate_prescribed(m, w, position, velocity, vector_at(tau, nv), table_at(external, pushed, EXTERNAL, 0.0))
    accelerate(m, w, rising_world(m, w.body[0, R]), rate)
    return impose_rates(w, rate, worst)


@long_entry
def prescribed_closed_step(handle: int, q: int, v: int, tau: int, external: int, pushed: int, out: int) -> float:
    """The same with loops and couplings."""
    m, w, closed, nv = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0), velocities_in(handle)
    position, velocity, rate = vector_at(q, positions_in(handle)), vector_at(v, nv), vector_at(out, nv)
    worst = articulate_prescribed(m, w, position, velocity, vector_at(tau, nv), table_at(external, pushed, EXTERNAL, 0.0))
    return impose_rates(w, rate, hold_together(m, w, closed, position, rate, worst))


@long_entry
def prescribed_closing(handle: int, q: int, v: int, step: int, best: int, result: int, what: int) -> float:
    """`closure.loop_closing`; what is only the error of a velocity does not follow prescribed motions."""
    closed = loops_at(handle, 0.0)
    if what == CLOSE_VELOCITIES:
        set_velocities_aside(closed, True)
    gap = close_with(handle, q, v, step, best, result, what)
    if what == CLOSE_VELOCITIES:
        set_velocities_aside(closed, False)
    return gap


@jit
def impose_rates(work: Work, out: Any, worst: float) -> float:
    """Put the prescribed accelerations into `out`; `worst` becomes NaN where one is not finite."""
    for d in range(out.shape[0]):
        if math.isinf(work.dof[d, HELD]):
            out[d] = work.dof[d, GIVEN]
        worst += 0.0 * out[d]
    return worst
