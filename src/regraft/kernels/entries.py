"""What Python calls: each entry hands its arrays to a kernel. Compiled on first use for each scalar, then kept on disk."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import call_kernel, load, load_pose, store, store_pose, table_at, vector_at
from ..algebra.spatial import add, at_point, compose, invert
from ..compilation import (
    Blocks,
    Complexes,
    ComplexTable,
    Floats,
    Integers,
    IntegerTable,
    Scalars,
    Table,
    entry,
    generic_entry,
    inline,
    long_entry,
)
from . import configuration
from . import energy as energy_kernel
from . import jacobian as jacobian_kernel
from .aba import aba
from .batch import aba_batch
from .constraints import closure
from .constraints import rows as loop_kernel
from .constraints import torques as own_torques
from .constraints.delassus import REDUNDANT, largest_residual
from .constraints.tables import DRIVE, GAP, loops_at
from .crba import crba
from .derivatives import closed_derivatives, rnea_derivatives
from .impact import impact
from .kinematics import frame, move_bodies, place_bodies
from .rnea import reactions, rnea
from .tables import EXTERNAL, ORIGIN, ROOT, VEL, Model, Work, model_at, positions_in, velocities_in, work_at


@entry
def forward_dynamics(handle: int, x: Floats, tau: Floats, out: Floats) -> float:
    """`aba` without external forces at the state x = (q, v); NaN where tau has the wrong length or gaps."""
    if tau.shape[0] != out.shape[0] or tau.strides[0] != out.strides[0]:
        return np.nan
    nq = positions_in(handle)
    nothing = table_at(handle, 0, EXTERNAL, x)
    return aba(model_at(handle), work_at(handle, x), x[:nq], x[nq:], tau, nothing, out)


@entry
def pushed_dynamics(handle: int, q: Floats, v: Floats, tau: Floats, external: Table, out: Floats) -> Any:
    """`aba` with external forces."""
    return aba(model_at(handle), work_at(handle, q), q, v, tau, external, out)


@entry
def inverse_dynamics(handle: int, q: Floats, v: Floats, a: Floats, external: Table, out: Floats) -> None:
    """`rnea`."""
    rnea(model_at(handle), work_at(handle, q), q, v, a, external, out)


@entry
def joint_reactions(handle: int, q: Floats, v: Floats, a: Floats, external: Table, tau: Floats, out: Table) -> None:
    """`rnea`, then `reactions`."""
    rnea(model_at(handle), work_at(handle, q), q, v, a, external, tau)
    reactions(model_at(handle), work_at(handle, q), q, out)


@entry
def mass_matrix(handle: int, q: Floats, out: Table) -> None:
    """`crba`."""
    crba(model_at(handle), work_at(handle, q), q, out)


@entry
def jacobian(handle: int, q: Floats, k: int, local: Floats, out: Table) -> None:
    """`jacobian` of a point fixed to row k."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    jacobian_kernel.jacobian(model_at(handle), work_at(handle, q), k, local, out)


@entry
def jacobian_rate(handle: int, q: Floats, v: Floats, k: int, local: Floats, out: Table) -> None:
    """`jacobian_rate` of a point fixed to row k."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    jacobian_kernel.jacobian_rate(model_at(handle), work_at(handle, q), k, local, out)


@entry
def energy(handle: int, q: Floats, v: Floats) -> Any:
    """Kinetic and potential energy."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    return energy_kernel.energy(model_at(handle), work_at(handle, q), q)


@entry
def momentum(handle: int, q: Floats, v: Floats) -> Any:
    """Angular and linear momentum, first moment and mass."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    return energy_kernel.momentum(model_at(handle), work_at(handle, q))


@generic_entry
def integrate(walk: IntegerTable, q: Scalars, step: Scalars, out: Scalars) -> None:
    """q ⊕ step."""
    configuration.integrate(walk, q, step, out)


@entry
def difference(walk: IntegerTable, q1: Floats, q0: Floats, out: Floats) -> None:
    """q1 ⊖ q0."""
    configuration.difference(walk, q1, q0, out)


@entry
def normalise(walk: IntegerTable, q: Floats) -> None:
    """Back onto the manifold."""
    configuration.normalise(walk, q)


@long_entry
def inverse_derivatives(
    handle: int, q: Complexes, v: Complexes, a: Complexes, external: ComplexTable, scratch: ComplexTable, out: Table
) -> None:
    """`rnea_derivatives`."""
    rnea_derivatives((model_at(handle), work_at(handle, q)), q, v, a, external, scratch, out)


@long_entry
def forward_dynamics_batch(
    handle: int, external: Blocks, lanes: Blocks, q: Table, v: Table, tau: Table, first: int, end: int, out: Table, worst: Floats
) -> None:
    """`aba_batch`."""
    aba_batch(handle, external, lanes, q, v, tau, first, end, out, worst)


@long_entry
def off_manifold(starts: Integers, q: Table, first: int, end: int, slack: float) -> int:
    """The first of the rows from first to end with a quaternion whose numbers are off those of its unit by more; −1 for none."""
    for b in range(first, end):
        for i in starts:
            square = q[b, i] ** 2 + q[b, i + 1] ** 2 + q[b, i + 2] ** 2 + q[b, i + 3] ** 2
            if abs(square - 1.0) > slack:
                largest = max(abs(q[b, i]), abs(q[b, i + 1]), abs(q[b, i + 2]), abs(q[b, i + 3]))
                if not abs(1.0 / np.sqrt(square) - 1.0) * largest <= slack:
                    return b
    return -1


@entry
def motion(handle: int, x: Floats, far: Table, out: Table) -> None:
    """Pose (R, p) in the world and twist at its own origin, world axes, of each row's body at x = (q, v).

    far[k] is the frame, on the body, that the tables give it.
    """
    m, w, nq = model_at(handle), work_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    for k in range(m.walk.shape[0]):
        store_motion(m, w, far, k, out, k)


@inline
def store_motion(m: Model, w: Work, far: Any, k: int, out: Any, row: int) -> None:
    """Pose in the world and twist at its own origin of the body of row k into a row of `out`."""
    R_k, p_k = compose(frame(w.body, k), invert(load_pose(far, k)))
    store_pose(out, row, (R_k, add(p_k, load(w.body, m.walk[k, ROOT], ORIGIN, 3))))
    store(out, row, 12, at_point(load(w.body, k, VEL, 6), p_k))


@long_entry
def motion_of_many(handle: int, states: Table, far: Table, k: int, out: Table) -> None:
    """Pose and twist of row k's body, as `motion` gives them, at each row of `states`."""
    m, w, nq = model_at(handle), work_at(handle, states), positions_in(handle)
    for i in range(states.shape[0]):
        place_bodies(m, w, states[i, :nq])
        move_bodies(m, w, states[i, :nq], states[i, nq:])
        store_motion(m, w, far, k, out, i)


@long_entry
def balance_of_many(handle: int, states: Table, out: Table) -> None:
    """Kinetic and potential energy, angular and linear momentum at each row of `states`: (rows, 8)."""
    m, w, nq = model_at(handle), work_at(handle, states), positions_in(handle)
    for i in range(states.shape[0]):
        q = states[i, :nq]
        place_bodies(m, w, q)
        move_bodies(m, w, q, states[i, nq:])
        store(out, i, 0, energy_kernel.energy(m, w, q))
        turning, moving, _, _ = energy_kernel.momentum(m, w)
        store(out, i, 2, turning)
        store(out, i, 5, moving)


# --- closed chains -------------------------------------------------------------------------------------------------------
# The two long ones are called by their addresses (`kernel`), by other entries too, so that they are compiled once.


@long_entry
def loop_dynamics(handle: int, loops: int, q: int, v: int, tau: int, external: int, pushed: int, out: int) -> float:
    """`closed_dynamics`, with addresses of arrays; returns the least MARGIN. The largest gap of a loop is left in GAP."""
    m, w, closed = model_at(handle), work_at(handle, 0.0), loops_at(loops, 0.0)
    nq, nv = positions_in(handle), velocities_in(handle)
    position, velocity, torque, rate = vector_at(q, nq), vector_at(v, nv), vector_at(tau, nv), vector_at(out, nv)
    forces = table_at(external, pushed, EXTERNAL, 0.0)
    worst, closed.scratch[GAP, 0] = closure.closed_dynamics(m, w, closed, position, velocity, torque, forces, rate)
    return worst


LOOK_AT_ROWS, TAKE_HOLD, CLOSE_VELOCITIES, CLOSE_STATE = -4, -3, -2, -1
"""What `loop_closing` does, other than `close_positions` in so many trials as it is told."""


@long_entry
def loop_closing(handle: int, loops: int, q: int, v: int, step: int, best: int, results: int, what: int) -> float:
    """All that moves positions and velocities to where loops are closed, with addresses of arrays; returns the gap.

    `step` and `best` are scratch (nv,) and (nq,). What else `take_hold` returns goes to `results`, the impulses last; what
    `close_again` does, as 0 or 1.
    """
    m, w, closed = model_at(handle), work_at(handle, 0.0), loops_at(loops, 0.0)
    nq, nv = positions_in(handle), velocities_in(handle)
    position, velocity, change, kept = vector_at(q, nq), vector_at(v, nv), vector_at(step, nv), vector_at(best, nq)
    if what == TAKE_HOLD:
        found, impulses = vector_at(results, 2), table_at(results + 2 * velocity.itemsize, closed.loops.shape[0], 6, 0.0)
        gap, found[0], found[1] = closure.take_hold(m, w, closed, position, velocity, change, kept, impulses)
        return gap
    if what == LOOK_AT_ROWS:
        closure.look_at_rows(m, w, closed, position)
        return 0.0
    if what == CLOSE_VELOCITIES:
        return closure.close_velocities(m, w, closed, position, velocity, change)
    if what == CLOSE_STATE:
        gap, stopped = closure.close_again(m, w, closed, position, velocity, change, kept)
        vector_at(results, 1)[0] = 1.0 if stopped else 0.0
        return gap
    return closure.close_positions(m, w, closed, position, change, kept, what, REDUNDANT)


@entry
def closed_dynamics(
    handle: int, loops: int, kernel: int, x: Floats, tau: Floats, external: Table, out: Floats
) -> tuple[float, float]:
    """`loop_dynamics` at the state x = (q, v); returns the least MARGIN and the largest gap."""
    return dynamics_of(handle, loops, kernel, x, tau, external.ctypes.data, external.shape[0], out)


@inline
def dynamics_of(
    handle: int, loops: int, kernel: int, x: Any, tau: Any, external: int, pushed: int, out: Any
) -> tuple[float, float]:
    """The same with the address of the external forces, and how many they are."""
    q = x.ctypes.data
    v = q + positions_in(handle) * x.itemsize
    worst = call_kernel(kernel, handle, loops, q, v, tau.ctypes.data, external, pushed, out.ctypes.data)
    return worst, loops_at(loops, x).scratch[GAP, 0]


@entry
def acceleration_lack(handle: int, loops: int, x: Floats) -> float:
    """What the accelerations lack along the rows of loops, those that are left out too; after `closed_dynamics` at x."""
    closed = loops_at(loops, x)
    loop_kernel.acceleration_gaps(model_at(handle), work_at(handle, x), closed)
    return largest_residual(closed)


@entry
def quick_closed_dynamics(handle: int, loops: int, kernel: int, x: Floats, tau: Floats, out: Floats) -> float:
    """The same without external forces; NaN where tau has the wrong length or gaps, or where loops are open."""
    if tau.shape[0] != out.shape[0] or tau.strides[0] != out.strides[0]:
        return np.nan
    worst, gap = dynamics_of(handle, loops, kernel, x, tau, 0, 0, out)
    return worst if gap <= closure.ASSEMBLED else np.nan


@entry
def close(handle: int, loops: int, kernel: int, q: Floats, v: Floats, what: int) -> float:
    """`loop_closing` of q and v."""
    step, best = np.empty(v.shape[0]), np.empty(q.shape[0])
    return call_kernel(kernel, handle, loops, q.ctypes.data, v.ctypes.data, step.ctypes.data, best.ctypes.data, 0, what)


@entry
def take_hold(handle: int, loops: int, kernel: int, x: Floats, results: Floats) -> float:
    """`loop_closing` of x = (q, v), which is changed; `results` (2 + 6 loops,) gets what else `take_hold` returns."""
    nq, q = positions_in(handle), x.ctypes.data
    step, best = np.empty(x.shape[0] - nq), np.empty(nq)
    v, at = q + nq * x.itemsize, results.ctypes.data
    return call_kernel(kernel, handle, loops, q, v, step.ctypes.data, best.ctypes.data, at, TAKE_HOLD)


@long_entry
def closed_dynamics_batch(
    handle: int, loops: int, kernel: int, q: Table, v: Table, tau: Table, first: int, end: int, out: Table, worst: Floats
) -> None:
    """`loop_dynamics` of the rows from first to end; NaN into `worst` where loops are open."""
    gaps = loops_at(loops, q).scratch[GAP]
    for b in range(first, end):
        q_at, v_at, tau_at, out_at = q[b].ctypes.data, v[b].ctypes.data, tau[b].ctypes.data, out[b].ctypes.data
        worst[b] = call_kernel(kernel, handle, loops, q_at, v_at, tau_at, 0, 0, out_at)
        if not gaps[0] <= closure.ASSEMBLED:
            worst[b] = np.nan


@long_entry
def loop_derivatives(
    handle: int, loops: int, q: Complexes, v: Complexes, tau: Complexes, external: ComplexTable, scratch: ComplexTable, out: Table
) -> None:
    """`closed_derivatives`."""
    tables = model_at(handle), work_at(handle, q), loops_at(loops, q)
    closed_derivatives(tables, q, v, tau, external, scratch, out)


@entry
def row_wrenches(handle: int, loops: int, q: Floats, out: Table) -> None:
    """`row_wrenches`."""
    m, w = model_at(handle), work_at(handle, q)
    place_bodies(m, w, q)
    loop_kernel.row_wrenches(m, w, loops_at(loops, q), out)


@entry
def row_jacobian(handle: int, loops: int, q: Floats, out: Table) -> None:
    """`row_jacobian`."""
    m, w, closed = model_at(handle), work_at(handle, q), loops_at(loops, q)
    closure.factorise(m, w, q)
    loop_kernel.hold(m, w, closed)
    loop_kernel.row_jacobian(m, w, closed, out)


@entry
def loop_torques(handle: int, loops: int, x: Floats, out: Table) -> None:
    """(loops, 6): the wrench of each loop joint's own torques, `loop_torques`."""
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(loops, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    for l in range(out.shape[0]):
        own_torques.loop_torques(m, w, closed, l)
        store(out, l, 0, load(closed.scratch, DRIVE, 0, 6))


@long_entry
def joint_states(handle: int, loops: int, places: IntegerTable, states: Table, out: Table) -> None:
    """`loop_states` at each row of `states`."""
    m, w, closed, nq = model_at(handle), work_at(handle, states), loops_at(loops, states), positions_in(handle)
    for i in range(states.shape[0]):
        place_bodies(m, w, states[i, :nq])
        move_bodies(m, w, states[i, :nq], states[i, nq:])
        loop_kernel.loop_states(m, w, closed, places, out[i])


@long_entry
def loops_of_many(handle: int, loops: int, states: Table, out: Table) -> None:
    """At each row of `states` the gaps of each loop in position and in velocity, and last the energy in limits of loop joints."""
    m, w, closed, nq = model_at(handle), work_at(handle, states), loops_at(loops, states), positions_in(handle)
    for i in range(states.shape[0]):
        closure.factorise(m, w, states[i, :nq])
        move_bodies(m, w, states[i, :nq], states[i, nq:])
        loop_kernel.hold(m, w, closed)
        loop_kernel.residuals(closed, out[i], 0)
        loop_kernel.velocity_gaps(m, w, closed)
        loop_kernel.residuals(closed, out[i], 1)
        out[i, out.shape[1] - 1] = own_torques.limit_energy(m, w, closed)


@entry
def plastic_impact(handle: int, x: Floats, top: int, motion: Table, out: Floats) -> float:
    """`impact` of the tree whose root is row `top`; `motion` is how that row's body moves, in its own frame."""
    nq = positions_in(handle)
    X, twist = load_pose(motion, 0), load(motion, 0, 12, 6)
    return impact(model_at(handle), work_at(handle, x), x[:nq], x[nq:], top, X[1], twist, out)
