"""The derivatives of forward dynamics: ∂v̇ = −M⁻¹ ∂τ, with ∂τ at fixed v̇, and M⁻¹ = ∂v̇/∂τ.

Nothing is factorised again. The articulated-body algorithm leaves U^A = I^A S and D = 1 / (S · U^A) of each degree of freedom,
and in one frame these are the sparse factors of M = Lᵀ D⁻¹ L, with L_de = D_d U^A_d · S_e for e above d. Columns are solved for
along the tree: through Lᵀ from the leaves, through D and L from the roots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import load, store, table_at
from ...algebra.pack_rows import less_times, load_packs, store_packs
from ...algebra.scalars import LANES
from ...algebra.spatial import minus, momentum_of, plus
from ...compilation import Floats, Table, entry, inline
from ..aba import aba
from ..inertia import carrying_force, load_rigid
from ..kinematics import frame
from ..memory import model_at, positions_in, work_at
from ..passive import external_force, spring_forces
from ..tables import EXTERNAL, VEL, A, D, F, KernelModel, Work
from .tables import BELOW, DEPTH, NUMBER, Slopes, slopes_at
from .torques import differentiate, finite

MANY, FEW = 7, 3
"""Packs of columns that are solved for together: so many that they hide the latency of a multiplication, and for what is left."""


@entry
def forward_derivatives(handle: int, slopes: int, x: Floats, tau: Floats, a: Floats, out: Table) -> float:
    """v̇ into a, and ∂v̇/∂q, ∂v̇/∂v and M⁻¹ side by side into the rows of `out`; returns what `aba` does, NaN also where
    a derivative is not finite.  O(n depth) a column.
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
    model, work, s, nq = model_at(handle), work_at(handle, x), slopes_at(slopes), positions_in(handle)
    q, v, n = x[:nq], x[nq:], a.shape[0]
    worst = aba(model, work, q, v, tau, external, a)
    need_again(model, work, external)
    differentiate(model, work, s, q, v, a, external, out, True)
    for d in range(n):
        out[d, 2 * n + d] = 1.0
    through_transposed(work, s, out)
    through_factors(work, s, out)
    return worst + finite(out)


@inline
def need_again(model: KernelModel, work: Work, external: Any) -> None:
    """F that each body needs by itself, as `rnea.need_forces` has it, after `aba`."""
    body = work.body
    for k in range(model.walk.shape[0]):
        inertia = load_rigid(body, k)
        force = plus(momentum_of(inertia, load(body, k, A, 6)), carrying_force(inertia, load(body, k, VEL, 6)))
        store(body, k, F, minus(force, external_force(external, k, frame(body, k))))
    spring_forces(model, work)


@inline
def through_transposed(work: Work, slopes: Slopes, X: Any) -> None:
    """The three blocks of X become L⁻ᵀ X: what is left of torques; the last packs reach beyond them.  O(n depth) a column."""
    column, columns = 0, 3 * work.dof.shape[0]
    while columns - column >= MANY * LANES:
        many_through_transposed(slopes, X, column)
        column += MANY * LANES
    while column < columns:
        few_through_transposed(slopes, X, column)
        column += FEW * LANES


@inline
def through_factors(work: Work, slopes: Slopes, X: Any) -> None:
    """They become L⁻¹ D X: accelerations.  O(n depth) a column."""
    column, columns = 0, 3 * work.dof.shape[0]
    while columns - column >= MANY * LANES:
        many_through_factors(work, slopes, X, column)
        column += MANY * LANES
    while column < columns:
        few_through_factors(work, slopes, X, column)
        column += FEW * LANES


def _solvers(count: int) -> tuple[Any, Any]:
    """Both for so many packs of columns."""

    @inline
    def some_through_transposed(slopes: Slopes, X: Any, column: int) -> None:
        plan, factors = slopes.plan, slopes.factors
        for t in range(plan.shape[0] - 1, -1, -1):
            d, depth = plan[t, NUMBER], plan[t, DEPTH]
            left = load_packs(X, d, column, count)
            for below in range(t + 1, plan[t, BELOW]):
                left = less_times(left, factors[below, depth], load_packs(X, plan[below, NUMBER], column, count))
            store_packs(X, d, column, left)

    @inline
    def some_through_factors(work: Work, slopes: Slopes, X: Any, column: int) -> None:
        plan, numbers, factors, dof = slopes.plan, slopes.numbers, slopes.factors, work.dof
        for t in range(plan.shape[0]):
            d, depth = plan[t, NUMBER], plan[t, DEPTH]
            numbers[0, depth] = d
            left = load_packs(X, d, column, count)
            left = less_times(left, 1.0 - dof[d, D], left)  # D times it
            for j in range(depth):
                left = less_times(left, factors[t, j], load_packs(X, numbers[0, j], column, count))
            store_packs(X, d, column, left)

    return some_through_transposed, some_through_factors


many_through_transposed, many_through_factors = _solvers(MANY)
few_through_transposed, few_through_factors = _solvers(FEW)
