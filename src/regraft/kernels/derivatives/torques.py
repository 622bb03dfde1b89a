"""The derivatives of inverse dynamics: ∂τ/∂q, ∂τ/∂v and M, for pairs of degrees of freedom of which one carries the other.

With I, B, E and F of all that d carries (`carried`, `loads`), U = I S, W = Bᵀ S, N = Eᵀ S and e at or above d:

    ∂τ_d/∂q_e = U_d · Ψ̈_e + W_d · Ψ̇_e + N_d · S_e     ∂τ_d/∂v_e = U_d · Φ_e + W_d · S_e      M_de = U_d · S_e
    ∂τ_e/∂q_d = S_e · y_d,  y = I Ψ̈ + B Ψ̇ + E S + S ×* F        ∂τ_e/∂v_d = S_e · z_d,  z = I Φ + B S

(Carpentier & Mansard 2018; Singh, Russell & Wensing 2022.) A pair costs some forty multiplications, for as many e at a time as a
pack has lanes. Of two degrees of freedom of one joint the one may turn the other's screw or not, see `within_joint`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import call_kernel, clear, load, table_at
from ...algebra.pack_rows import load_packs, store_packs
from ...algebra.scalars import LANES, lane, square_root, zero
from ...algebra.spatial import (
    Force,
    Motion,
    Vector,
    add,
    angular,
    cross,
    dot,
    force_cross,
    linear,
    momentum_of,
    motion_cross,
    plus,
    power,
    rotate,
    rotate_back,
    spatial,
)
from ...compilation import Floats, Table, entry, inline, jit
from ...tolerances import SLIP_SPEED
from ..kinematics import move_bodies, place_bodies
from ..memory import model_at, positions_in, work_at
from ..passive import spring_forces
from ..rnea import need_forces
from ..tables import ARMATURE, END, EXTERNAL, FRICTION, JOINT_DAMPING, POLARITY, VARIES, KernelModel, S, V, Work
from .carried import sum_carried
from .directions import find_directions
from .loads import hold_steady, stretch_springs
from .tables import (
    CHANGES,
    CORIOLIS,
    DEPTH,
    FORCE,
    LOWER_Q,
    LOWER_V,
    MASS,
    MOMENTUM,
    ON_PATH,
    PACKS,
    PATH_PHI,
    PATH_PSI1,
    PATH_PSI2,
    PHI,
    PSI1,
    PSI2,
    STEADY,
    STEADY_FORCE,
    UPPER_Q,
    UPPER_V,
    Slopes,
    slopes_at,
)


@entry
def inverse_derivatives(handle: int, slopes: int, x: Floats, a: Floats, out: Table) -> float:
    """∂τ/∂q, ∂τ/∂v and M side by side in the rows of `out`, at the state x = (q, v) with the accelerations a.  O(n depth).

    Returns 0, and NaN where a result is not finite or `a` has the wrong length or gaps.
    """
    if a.shape[0] != out.shape[0] or a.strides[0] != 8:
        return np.nan
    return rnea_derivatives(handle, slopes, x, a, table_at(handle, 0, EXTERNAL, x), out)


@entry
def pushed_inverse_derivatives(handle: int, slopes: int, x: Floats, a: Floats, external: Table, out: Table) -> float:
    """The same with external forces."""
    return rnea_derivatives(handle, slopes, x, a, external, out)


@inline
def rnea_derivatives(handle: int, slopes: int, x: Any, a: Any, external: Any, out: Any) -> float:
    """`inverse_derivatives`."""
    model, work, s, nq = model_at(handle), work_at(handle, x), slopes_at(slopes), positions_in(handle)
    q, v = x[:nq], x[nq:]
    place_bodies(model, work, q)
    move_bodies(model, work, q, v)
    need_forces(model, work, a, external)
    spring_forces(model, work)
    differentiate(model, work, s, q, v, a, external, out, False)
    for d in range(a.shape[0]):
        out[d, 2 * a.shape[0] + d] += model.settings[ARMATURE, d]
    return finite(out)


@inline
def finite(table: Any) -> float:
    """0 where all numbers of a table are finite, else NaN."""
    total = zero(load_packs(table, 0, 0, 1)[0])
    a, b, c = total, total, total
    for d in range(table.shape[0]):
        for column in range(0, table.shape[1], PACKS * LANES):
            x = load_packs(table, d, column, PACKS)
            a, b, c = a + 0.0 * x[0], b + 0.0 * x[1], c + 0.0 * x[2]
    total, left = a + b + c, 0.0
    for k in range(LANES):
        left += lane(total, k)
    return left


@inline
def differentiate(
    model: KernelModel, work: Work, slopes: Slopes, q: Any, v: Any, a: Any, external: Any, out: Any, forward: bool
) -> None:
    """∂τ/∂q and ∂τ/∂v, with A and F of each body; and M or, with `forward`, the others alone, negative."""
    loaded = hold_steady(model, work, slopes, external)
    sum_carried(model, work, slopes, loaded)
    find_directions(model, work, slopes, q, v, a)
    clear(out)
    pair_all(model, work, slopes, out, loaded, forward)
    sign = -1.0 if forward else 1.0
    if model.springs.shape[0] > 0:
        stretch_springs(model, work, slopes, out, sign)
    resist_more(model, work, slopes, q, v, a, out, sign)


@jit
def resist_more(model: KernelModel, work: Work, slopes: Slopes, q: Any, v: Any, a: Any, out: Any, sign: float) -> None:
    """Add what damping, friction, limits and springs of joints do.  O(n + limits + springs)."""
    nv = work.dof.shape[0]
    for d in range(nv):
        out[d, nv + d] += sign * model.settings[JOINT_DAMPING, d]
    if model.rubbing > 0:
        for d in range(nv):
            root = square_root(v[d] * v[d] + SLIP_SPEED * SLIP_SPEED)
            out[d, nv + d] += sign * model.settings[FRICTION, d] * SLIP_SPEED * SLIP_SPEED / (root * root * root)
    if model.tree_limits + model.tree_coils > 0:
        handle, own, columns = model.handle, slopes.address, int(sign) * out.shape[1]
        call_kernel(slopes.joint_slopes, (handle, own, q.ctypes.data, v.ctypes.data, a.ctypes.data, out.ctypes.data, columns))


# --- pairs of degrees of freedom ---------------------------------------------------------------------------------------------


@inline
def pair_all(model: KernelModel, work: Work, slopes: Slopes, out: Any, loaded: bool, forward: bool) -> None:
    """Roots to leaves: each degree of freedom with all those on its path."""
    walk, dof, plan, t, n = model.walk, work.dof, slopes.plan, 0, work.dof.shape[0]
    numbers, found = slopes.numbers, slopes.found
    for k in range(walk.shape[0]):
        for d in range(walk[k, V], walk[k, END]):
            depth, s = plan[t, DEPTH], load(dof, d, S, 6)
            put_on_path(slopes, depth, d, s)
            U_d, W_d, N_d, y, z = responses(slopes, k, d, s, loaded)
            pair(slopes, depth // LANES + 1, U_d, W_d, N_d, y, z, forward)
            for j in range(depth + 1):
                e = numbers[0, j]
                if not forward:
                    out[d, 2 * n + e] = out[e, 2 * n + d] = found[MASS, j]
                out[e, d], out[e, n + d] = found[UPPER_Q, j], found[UPPER_V, j]
                out[d, e], out[d, n + e] = found[LOWER_Q, j], found[LOWER_V, j]
            t += 1
        if walk[k, END] - walk[k, V] > 1 or walk[k, VARIES]:
            within_joint(model, work, slopes, k, out, -1.0 if forward else 1.0)


@inline
def put_on_path(slopes: Slopes, depth: int, d: int, s: Motion) -> None:
    """Write a degree of freedom into its lane."""
    path, b, lane = slopes.path, depth // LANES, depth % LANES
    slopes.numbers[0, depth] = d
    put(path, b, ON_PATH * LANES + lane, s)
    put(path, b, PATH_PSI2 * LANES + lane, load(slopes.directions, d, PSI2, 6))
    put(path, b, PATH_PHI * LANES + lane, load(slopes.directions, d, PHI, 6))
    for i in range(3):
        path[b, (PATH_PSI1 + i) * LANES + lane] = slopes.directions[d, PSI1 + i]


@inline
def put(path: Any, b: int, at: int, x: Motion) -> None:
    """Write six numbers into a lane."""
    path[b, at], path[b, at + LANES], path[b, at + 2 * LANES] = x[0], x[1], x[2]
    path[b, at + 3 * LANES], path[b, at + 4 * LANES], path[b, at + 5 * LANES] = x[3], x[4], x[5]


@inline
def responses(slopes: Slopes, k: int, d: int, s: Motion, loaded: bool) -> tuple[Force, Vector, Vector, Force, Force]:
    """U, W, N, y and z of a degree of freedom of row k; of W and N the angular half, as they have no other."""
    carried, directions = slopes.carried, slopes.directions
    c, a = load(carried, k, 0, 10), angular(s)
    inertia = c[0], (c[1], c[2], c[3]), (c[4], c[5], c[6], c[7], c[8], c[9])
    F, G, P = load(carried, k, FORCE, 6), load(carried, k, CORIOLIS, 9), load(carried, k, MOMENTUM, 3)
    psi1 = load(directions, d, PSI1, 3)
    W_d = add(rotate_back(G, a), cross(P, linear(s)))
    y = plus(momentum_of(inertia, load(directions, d, PSI2, 6)), spatial(rotate(G, psi1), cross(psi1, P)))
    y = plus(y, force_cross(s, F))
    z = plus(momentum_of(inertia, load(directions, d, PHI, 6)), spatial(rotate(G, a), cross(a, P)))
    N_d = (0.0, 0.0, 0.0)
    if loaded:
        E, f = load(carried, k, STEADY, 9), load(carried, k, STEADY_FORCE, 3)
        N_d = add(rotate_back(E, a), cross(f, linear(s)))
        y = plus(y, spatial(rotate(E, a), cross(a, f)))
    return momentum_of(inertia, s), W_d, N_d, y, z


@inline
def pair(slopes: Slopes, blocks: int, U_d: Force, W_d: Vector, N_d: Vector, y: Force, z: Force, forward: bool) -> None:
    """The entries that a degree of freedom shares with all those on its path, LANES of them at a time."""
    sign = -1.0 if forward else 1.0
    for b in range(blocks):
        s, psi2 = load_packs(slopes.path, b, ON_PATH * LANES, 6), load_packs(slopes.path, b, PATH_PSI2 * LANES, 6)
        phi, psi1 = load_packs(slopes.path, b, PATH_PHI * LANES, 6), load_packs(slopes.path, b, PATH_PSI1 * LANES, 3)
        lower_q = sign * (power(U_d, psi2) + dot(W_d, psi1) + dot(N_d, angular(s)))
        lower_v = sign * (power(U_d, phi) + dot(W_d, angular(s)))
        store_packs(slopes.found, LOWER_Q, b * LANES, (lower_q,))
        store_packs(slopes.found, LOWER_V, b * LANES, (lower_v,))
        store_packs(slopes.found, UPPER_Q, b * LANES, (sign * power(y, s),))
        store_packs(slopes.found, UPPER_V, b * LANES, (sign * power(z, s),))
        if not forward:
            store_packs(slopes.found, MASS, b * LANES, (power(U_d, s),))


@jit
def within_joint(model: KernelModel, work: Work, slopes: Slopes, k: int, out: Any, sign: float) -> None:
    """Mend ∂τ/∂q for two degrees of freedom of one joint: its screws go with the far body, or where it is walked backwards not.

    With c_de, how column d changes with the coordinate e as the child sees it, F · c_de is added as well.
    """
    walk, dof, F = model.walk, work.dof, load(slopes.carried, k, FORCE, 6)
    first, end = walk[k, V], walk[k, END]
    for d in range(first, end):
        for e in range(first, d):
            turn = sign * power(motion_cross(load(dof, d, S, 6), load(dof, e, S, 6)), F)
            if walk[k, POLARITY] > 0:
                out[e, d] += turn
            else:
                out[d, e] += turn
        if walk[k, VARIES]:
            for e in range(first, end):
                out[d, e] += sign * power(load(slopes.turned, e, CHANGES + 6 * (d - first), 6), F)
