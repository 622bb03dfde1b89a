"""What closed chains demand of positions, velocities and accelerations: how far those of a state are from fulfilling it.

Beside it are the constraint Jacobian J_C and its rate, as Python asks for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import clear, load
from ...algebra.spatial import angular, compose, invert, linear, minus, power
from ...compilation import Floats, Table, entry, jit
from ...joints import nearest_position, nearest_velocity, parameters
from ...tolerances import ROUNDING
from ..kinematics import move_bodies, place_bodies
from ..memory import loops_at, model_at, positions_in, work_at
from ..tables import DOFS, KIND, PAR, VARIES, KernelModel, V, Work
from .jacobian import (
    constraint_columns,
    constraint_rates,
    longest_of,
    loop_columns,
    places_of_loops,
    row_of_coupling,
    turned,
)
from .rows import ask_couplings, held_directions, in_frame, loop_frames, loop_twists
from .tables import (
    ALONG,
    COUNT,
    DRIVE,
    END_TERM,
    FACTOR,
    FIRST,
    FIRST_TERM,
    NORMAL,
    POSITION,
    RESIDUAL,
    SCREWS,
    SOFTNESS,
    TERM_JOINT,
    TERM_V,
    TERMS_ALONE,
    VELOCITY,
    Loops,
)

GAP_THERE, SLIP, OPENING, OPENING_OF = range(4)
DEMANDS = 4
"""Four numbers for each block, a loop or a coupling: its gap in position; its gap in velocity, relative to 1 + the speed; what
accelerations lack along its rows; and the sum of the sizes of all that this is a sum of, by which its rounding is measured."""


@entry
def constraint_matrices(handle: int, x: Floats, size: float, demands: Table, velocities: Floats, J: Table, rate: Table) -> None:
    """J_C and dJ_C/dt at the state x = (q, v), the velocities of all joints, and GAP_THERE and SLIP of each block to `demands`.

    `size` is as for `allowed_motions`.
    """
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    constraint_columns(m, w, closed, J)
    clear(rate)
    size = places_of_loops(m, w, closed, size)
    for d in range(w.dof.shape[0]):
        velocities[d] = x[nq + d]
    for l in range(closed.loops.shape[0]):
        settle_loop(m, w, closed, l, size, demands)
        for d in range(closed.loops[l, DOFS]):
            velocities[closed.loops[l, V] + d] = closed.scratch[VELOCITY, d]
        constraint_rates(m, w, closed, l, rate)
    settle_couplings(closed, x[:nq], velocities, demands)


@entry
def loop_demands(handle: int, x: Floats, a: Floats, size: float, wrenches: Table, own: Floats, out: Table) -> None:
    """DEMANDS of each block to `out` at the state x = (q, v) with the accelerations a, and the loop joints' own torques.

    The torques are those of `wrenches`, given as on the joints' children in the joints' frames there: Sᵀ wrench. `size` is as
    for `allowed_motions`.
    """
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    rows, columns = row_of_coupling(closed, out.shape[0]), a.shape[0] + own.shape[0]
    rates, accelerations = np.empty(columns), np.empty(columns)  # of all joints
    for d in range(a.shape[0]):
        rates[d], accelerations[d] = x[nq + d], a[d]
    J, rate = np.empty((rows, columns)), np.zeros((rows, columns))
    ask_couplings(closed, TERMS_ALONE, x[:nq])
    constraint_columns(m, w, closed, J)
    size = places_of_loops(m, w, closed, size)
    for l in range(closed.loops.shape[0]):
        settle_loop(m, w, closed, l, size, out)
        for d in range(closed.loops[l, DOFS]):
            own[closed.loops[l, V] - a.shape[0] + d] = power(load(closed.scratch, SCREWS + d, 0, 6), load(wrenches, l, 0, 6))
            rates[closed.loops[l, V] + d] = closed.scratch[VELOCITY, d]
        constraint_rates(m, w, closed, l, rate)
        opening(m, w, closed, l, (x[nq:], a), (J, rate), out)
        if closed.loops[l, DOFS] == 1:  # which a coupling may name
            accelerations[closed.loops[l, V]] = own_acceleration(closed, l, J)
        turn_rotors(m, w, closed, l, own)
    settle_couplings(closed, x[:nq], rates, out)
    for b in range(closed.loops.shape[0], closed.hard):
        out[b, 2], out[b, 3] = coupled_sum(closed, b, accelerations)


@jit
def settle_loop(model: KernelModel, work: Work, closed: Loops, l: int, size: float, out: Any) -> None:
    """POSITION, VELOCITY and SCREWS of a loop joint, nearest to how its bodies are and move; GAP_THERE and SLIP."""
    loops, scratch = closed.loops, closed.scratch
    kind, nv, par = loops[l, KIND], loops[l, DOFS], closed.geometry[l : l + 1, PAR:]
    X_p, X_c, apart = loop_frames(model, work, closed, l)
    V_c, V_p = loop_twists(work, closed, l, apart)
    rounding = ROUNDING * size
    out[l, 0] = nearest_position(kind, par, compose(invert(X_p), X_c), scratch[POSITION], rounding)
    twist = in_frame(X_c, minus(V_c, V_p))
    left = nearest_velocity(kind, par, scratch[POSITION], twist, scratch[VELOCITY][:nv], scratch)
    swept = rounding * (longest_of(angular(V_p)) + longest_of(angular(V_c)))
    speed = max(longest_of(angular(twist)), longest_of(linear(twist)))
    out[l, 1] = (left - min(left, swept)) / (1.0 + speed)
    if loops[l, VARIES]:
        first = closed.cuts[l, FIRST]
        held_directions(kind, parameters(par, 0, 0, 0.0), scratch[POSITION], nv, first, closed.rows, scratch)
    loop_columns(closed, l)


@jit
def opening(
    model: KernelModel, work: Work, closed: Loops, l: int, rates: tuple[Any, Any], matrices: tuple[Any, Any], out: Any
) -> None:
    """OPENING and OPENING_OF of a loop: J_C θ̈ + dJ_C/dt θ̇ along its rows, in which the loop joint's own θ̈ has no part.

    DRIVE becomes the sum itself, without that part.
    """
    loops, scratch, nv = closed.loops, closed.scratch, work.dof.shape[0]
    (v, a), (J, rate) = rates, matrices
    out[l, 3] = 0.0
    for r in range(6):
        total, summands = 0.0, 0.0
        for d in range(nv):
            total += J[6 * l + r, d] * a[d] + rate[6 * l + r, d] * v[d]
            summands += abs(J[6 * l + r, d] * a[d]) + abs(rate[6 * l + r, d] * v[d])
        for d in range(loops[l, DOFS]):
            own = rate[6 * l + r, loops[l, V] + d] * scratch[VELOCITY, d]
            total += own
            summands += abs(own)
        scratch[DRIVE, r] = total
        out[l, 3] = max(out[l, 3], summands)
    _, X_c, _ = loop_frames(model, work, closed, l)
    out[l, 2] = 0.0
    for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
        held = turned(X_c[0], load(closed.rows, r, NORMAL, 6))
        found = abs(power(held, load(scratch, DRIVE, 0, 6)))
        out[l, 2] = found if not found <= out[l, 2] else out[l, 2]  # NaN too


@jit
def turn_rotors(model: KernelModel, work: Work, closed: Loops, l: int, own: Any) -> None:
    """Add −A θ̈ of the rotors of a loop joint to its own torques, with θ̈ from what DRIVE leaves to it; after `opening`."""
    _, X_c, _ = loop_frames(model, work, closed, l)
    for b in range(closed.hard, closed.cuts.shape[0]):
        i = closed.cuts[b, FIRST_TERM]
        if closed.terms[i, TERM_JOINT] == model.walk.shape[0] + l:
            rate = power(turned(X_c[0], load(closed.pairs, i, ALONG, 6)), load(closed.scratch, DRIVE, 0, 6))
            own[closed.terms[i, TERM_V] - work.dof.shape[0]] -= rate / closed.term_numbers[i, SOFTNESS]


@jit
def own_acceleration(closed: Loops, l: int, J: Any) -> float:
    """The acceleration of a loop joint with one coordinate, nearest to what DRIVE leaves to it; after `opening`."""
    total, size = 0.0, 0.0
    for r in range(6):
        screw = -J[6 * l + r, closed.loops[l, V]]
        total += screw * closed.scratch[DRIVE, r]
        size += screw * screw
    return total / size


@jit
def coupled_sum(closed: Loops, b: int, rates: Any) -> tuple[float, float]:
    """Σ factor · rate of a coupling's joints as a size, and the sum of the sizes of its terms; `rates` has all joints."""
    total, summands = 0.0, 0.0
    for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
        part = closed.term_numbers[i, FACTOR] * rates[closed.terms[i, TERM_V]]
        total += part
        summands += abs(part)
    return abs(total), summands


@jit
def settle_couplings(closed: Loops, q: Any, rates: Any, out: Any) -> None:
    """GAP_THERE and SLIP of each coupling, where all joints have the velocities `rates`; after `place_bodies`."""
    ask_couplings(closed, TERMS_ALONE, q)
    for b in range(closed.loops.shape[0], closed.hard):
        out[b, 0] = abs(closed.rows[closed.cuts[b, FIRST], RESIDUAL])
        slip, summands = coupled_sum(closed, b, rates)
        out[b, 1] = slip / (1.0 + summands)
