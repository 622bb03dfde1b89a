"""The derivatives of forward dynamics: ∂v̇ = −M⁻¹ ∂τ, with ∂τ at fixed v̇, and M⁻¹ = ∂v̇/∂τ.

Nothing is factorised again. The articulated-body algorithm leaves U^A = I^A S and D = 1 / (S · U^A) of each degree of freedom,
and in one frame these are the factors of M = Lᵀ D⁻¹ L, with L_de = D_d U^A_d · S_e for e above d. No L is made: what it does to a
column is one force that is summed from the leaves, L⁻ᵀ, or one motion from the roots, L⁻¹, as in the algorithm itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import load, store, table_at
from ...algebra.pack_rows import load_packs, store_packs
from ...algebra.scalars import LANES
from ...algebra.spatial import Force, Motion, minus, momentum_of, plus, plus_times, power, times, zero_spatial
from ...compilation import Floats, Table, entry, inline, jit
from ..aba import aba
from ..inertia import carrying_force, load_rigid
from ..kinematics import frame
from ..memory import model_at, positions_in, work_at
from ..passive import external_force, spring_forces
from ..tables import EXTERNAL, VEL, A, D, F, KernelModel, S, U, Work
from .tables import DEPTH, FIRST, LAST, NUMBER, PACKS, Slopes, slopes_at
from .torques import differentiate, finite


@entry
def forward_derivatives(handle: int, slopes: int, x: Floats, tau: Floats, a: Floats, out: Table) -> float:
    """v̇ into a, and ∂v̇/∂q, ∂v̇/∂v and M⁻¹ side by side into the rows of `out`; returns what `aba` does, NaN also where
    a derivative is not finite.  O(n) a column.
    """
    if tau.shape[0] != a.shape[0] or tau.strides[0] != a.strides[0]:
        return np.nan
    return aba_derivatives(handle, slopes, x, tau, table_at(handle, 0, EXTERNAL, x), a, out)


@entry
def pushed_derivatives(handle: int, slopes: int, x: Floats, tau: Floats, external: Table, a: Floats, out: Table) -> float:
    """The same with external forces."""
    return aba_derivatives(handle, slopes, x, tau, external, a, out)


@inline
def aba_derivatives(handle: int, slopes: int, x: Any, tau: Any, external: Any, a: Any, out: Any) -> float:
    """`forward_derivatives`."""
    nq = positions_in(handle)
    worst = forward_slopes(model_at(handle), work_at(handle, x), slopes_at(slopes), x[:nq], x[nq:], tau, external, a, out)
    return worst + finite(out)


@inline
def forward_slopes(
    model: KernelModel, work: Work, slopes: Slopes, q: Any, v: Any, tau: Any, external: Any, a: Any, out: Any
) -> float:
    """The same for position and velocity in two places; only accelerations are looked at."""
    worst, n = aba(model, work, q, v, tau, external, a), v.shape[0]
    need_again(model, work, external)
    differentiate(model, work, slopes, q, v, a, external, out, True)
    for d in range(n):
        out[d, 2 * n + d] = 1.0
    through_transposed(work, slopes, out)
    through_factors(work, slopes, out)
    return worst


@inline
def need_again(model: KernelModel, work: Work, external: Any) -> None:
    """F that each body needs by itself, as `rnea.need_forces` has it, after `aba`."""
    body = work.body
    for k in range(model.walk.shape[0]):
        inertia = load_rigid(body, k)
        force = plus(momentum_of(inertia, load(body, k, A, 6)), carrying_force(inertia, load(body, k, VEL, 6)))
        store(body, k, F, minus(force, external_force(external, k, frame(body, k))))
    spring_forces(model, work)


# --- packs of columns, along the tree ------------------------------------------------------------------------------------------


@inline
def through_transposed(work: Work, slopes: Slopes, X: Any) -> None:
    """The three blocks of X become L⁻ᵀ X: what is left of torques; the last packs reach beyond them.  O(n) a column."""
    for column in range(0, 3 * work.dof.shape[0], PACKS * LANES):
        some_through_transposed(work, slopes, X, column)


@inline
def through_factors(work: Work, slopes: Slopes, X: Any) -> None:
    """They become L⁻¹ D X: accelerations.  O(n) a column."""
    for column in range(0, 3 * work.dof.shape[0], PACKS * LANES):
        some_through_factors(work, slopes, X, column)


@jit
def some_through_transposed(work: Work, slopes: Slopes, X: Any, column: int) -> None:
    """From the leaves: x = X − S · p, where p is the sum of D U^A x over all that is below."""
    plan, dof, waiting = slopes.plan, work.dof, slopes.waiting
    none = nothing(X)
    p = none
    for t in range(plan.shape[0] - 1, -1, -1):
        d, depth = plan[t, NUMBER], plan[t, DEPTH]
        x = less_powers(load_packs(X, d, column, PACKS), load(dof, d, S, 6), p)
        store_packs(X, d, column, x)
        p = plus_multiples(p, x, times(dof[d, D], load(dof, d, U, 6)))
        if plan[t, LAST] == 0:
            others = waiting_at(waiting, depth)
            p = plus(p[0], others[0]), plus(p[1], others[1]), plus(p[2], others[2])
        if plan[t, FIRST] == 0:
            let_wait(waiting, depth, p)
            p = none


@jit
def some_through_factors(work: Work, slopes: Slopes, X: Any, column: int) -> None:
    """From the roots: x = D (X − U^A · a), where a is the sum of S x over all that is above."""
    plan, dof, waiting = slopes.plan, work.dof, slopes.waiting
    a = nothing(X)
    for t in range(plan.shape[0]):
        d, depth = plan[t, NUMBER], plan[t, DEPTH]
        if plan[t, FIRST] == 0:
            a = waiting_at(waiting, depth)
        elif plan[t, LAST] == 0:
            let_wait(waiting, depth, a)
        x = less_powers(load_packs(X, d, column, PACKS), load(dof, d, U, 6), a)
        x = dof[d, D] * x[0], dof[d, D] * x[1], dof[d, D] * x[2]
        store_packs(X, d, column, x)
        a = plus_multiples(a, x, load(dof, d, S, 6))


@inline
def less_powers(x: Any, s: Motion, p: Any) -> Any:
    """x − s · p of each pack of columns."""
    return x[0] - power(s, p[0]), x[1] - power(s, p[1]), x[2] - power(s, p[2])


@inline
def plus_multiples(p: Any, x: Any, u: Force) -> Any:
    """p + x u of each pack of columns."""
    return plus_times(p[0], x[0], u), plus_times(p[1], x[1], u), plus_times(p[2], x[2], u)


@inline
def nothing(X: Any) -> Any:
    """A zero force or motion for each pack of columns."""
    none = zero_spatial(load_packs(X, 0, 0, 1)[0])
    return none, none, none


@inline
def let_wait(waiting: Any, depth: int, p: Any) -> None:
    """Put a force or motion for each pack of columns by, until another degree of freedom of this depth asks for it."""
    store_packs(waiting, depth, 0, p[0])
    store_packs(waiting, depth, 6 * LANES, p[1])
    store_packs(waiting, depth, 12 * LANES, p[2])


@inline
def waiting_at(waiting: Any, depth: int) -> Any:
    """What waits there."""
    first, second = load_packs(waiting, depth, 0, 6), load_packs(waiting, depth, 6 * LANES, 6)
    return first, second, load_packs(waiting, depth, 12 * LANES, 6)
