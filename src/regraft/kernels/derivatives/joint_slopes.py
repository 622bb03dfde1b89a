"""How joints by themselves change with their coordinates: their columns, and the torques of their limits and springs.

These are closed forms in a few numbers, which the joint types give for any scalar; so their derivatives are taken by the complex
step: the imaginary part of f(x + i ε) is ε f'(x), exact to rounding, as ε² is far below it. No joint type needs to know of it.

Called by its address, so mechanisms whose joints have none of this need not wait until it is compiled.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load, store, table_at
from ...algebra.spatial import Motion, Transform, plus_times, zero_spatial
from ...compilation import entry, inline, jit
from ...joints import joint_integrate, joint_pull, joint_rates, parameters
from ..kinematics import joint_frame
from ..memory import model_at, positions_in, velocities_in, work_at
from ..passive import limit_push, measured, pick, wind
from ..tables import COILED, DOFS, KIND, LIMITED, PAR, POLARITY, VARIES, KernelModel, Q, V, Work
from .tables import BEND, CHANGES, COMPLEX_COLUMNS, COMPLEX_ROWS, HEADER, KAPPA, QUICK, SCRATCH_AT, Slopes, slopes_at

STEP = 1e-30
"""The imaginary step: its square is below rounding."""

# rows of the scratch
SCREWS = 0  # 6 rows: the rates of a joint's columns
HERE, MOVED = 6, 7  # its position, and that moved by an imaginary step
STILL, GOING = 8, 9  # no velocity, and its own
WAY, PULL = 10, 11  # of its spring


@entry
def joint_slopes_kernel(handle: int, slopes: int, q: int, v: int, a: int, out: int, columns: int) -> float:
    """TURNED of all joints whose columns change; or, where `out` is the address of ∂τ/∂q and ∂τ/∂v, limits and springs.

    Rows of `out` have so many columns; where that is negative, all is subtracted. q, v and a are the addresses of these vectors.
    """
    model, work, s = model_at(handle), work_at(handle, 0.0), slopes_at(slopes)
    scratch = table_at(table_at(slopes, 1, HEADER, slopes)[0, SCRATCH_AT], COMPLEX_ROWS, COMPLEX_COLUMNS, 0j)
    nq, nv = positions_in(handle), velocities_in(handle)
    place, rate = table_at(q, 1, nq, 0.0)[0], table_at(v, 1, nv, 0.0)[0]
    if out == 0:
        for k in range(model.walk.shape[0]):
            if model.walk[k, VARIES]:
                turn_columns(model, work, s, k, place, rate, table_at(a, 1, nv, 0.0)[0], scratch)
    else:
        table = table_at(out, nv, abs(columns), 0.0)
        limits_and_springs(model, place, rate, table, -1.0 if columns < 0 else 1.0, scratch)
    return 0.0


@inline
def stand(model: KernelModel, k: int, q: Any, v: Any, scratch: Any) -> None:
    """HERE and GOING: position and velocity of a joint as complex numbers; STILL is zero."""
    for c in range(min(COMPLEX_COLUMNS, q.shape[0] - model.walk[k, Q])):
        scratch[HERE, c] = q[model.walk[k, Q] + c]
    for c in range(model.walk[k, DOFS]):
        scratch[GOING, c], scratch[STILL, c] = v[model.walk[k, V] + c], 0.0


@inline
def step_along(kind: int, e: int, scratch: Any) -> None:
    """MOVED = HERE ⊕ an imaginary step along the coordinate e."""
    scratch[STILL, e] = complex(0.0, STEP)
    joint_integrate(kind, scratch[HERE], 0, scratch[STILL], 0, scratch[MOVED])
    scratch[STILL, e] = 0.0


@inline
def step_on(kind: int, e: int, by_v: int, scratch: Any) -> None:
    """The same, or an imaginary step of the velocity e in GOING, and MOVED = HERE."""
    if by_v:
        for c in range(COMPLEX_COLUMNS):
            scratch[MOVED, c] = scratch[HERE, c]
        scratch[GOING, e] += complex(0.0, STEP)
    else:
        step_along(kind, e, scratch)


# --- columns ------------------------------------------------------------------------------------------------------------------


@jit
def turn_columns(model: KernelModel, work: Work, slopes: Slopes, k: int, q: Any, v: Any, a: Any, scratch: Any) -> None:
    """TURNED of one joint: `rates` for a unit of each velocity are how the columns change with each coordinate."""
    walk = model.walk
    par, X = parameters(model.geometry, k, PAR, 0j), complex_frame(joint_frame(model, work, q, k))
    stand(model, k, q, v, scratch)
    change_columns(walk[k, KIND], walk[k, DOFS], par, X, float(walk[k, POLARITY]), v, a, walk[k, V], slopes.turned, scratch)


@inline
def change_columns(
    kind: int, nv: int, par: Any, X: Transform, sign: float, v: Any, a: Any, first: int, turned: Any, scratch: Any
) -> None:
    """TURNED of a joint from HERE and GOING, into the rows of `turned` from `first` on, as its velocity and acceleration are."""
    for e in range(nv):
        scratch[STILL, e] = complex(0.0, STEP)
        joint_rates(kind, par, scratch[HERE], 0, scratch[STILL], X, scratch, SCREWS, 0)
        scratch[STILL, e] = 0.0
        kappa, bend = zero_spatial(0.0), zero_spatial(0.0)
        for d in range(nv):
            change = slope_of(scratch, SCREWS + d, sign)
            store(turned, first + e, CHANGES + 6 * d, change)
            kappa, bend = plus_times(kappa, v[first + d], change), plus_times(bend, a[first + d], change)
        step_along(kind, e, scratch)
        joint_rates(kind, par, scratch[MOVED], 0, scratch[GOING], X, scratch, SCREWS, 0)
        for d in range(nv):
            bend = plus_times(bend, v[first + d], slope_of(scratch, SCREWS + d, sign))
        store(turned, first + e, KAPPA, kappa)
        store(turned, first + e, BEND, bend)
    for e in range(nv):
        quick = load(turned, first + e, KAPPA, 6)
        for f in range(nv):
            quick = plus_times(quick, v[first + f], load(turned, first + f, CHANGES + 6 * e, 6))
        store(turned, first + e, QUICK, quick)


@inline
def complex_frame(X: Transform) -> Transform:
    """A frame in complex numbers."""
    (a, b, c, d, e, f, g, h, i), (x, y, z) = X
    turn = (complex(a), complex(b), complex(c), complex(d), complex(e), complex(f), complex(g), complex(h), complex(i))
    return turn, (complex(x), complex(y), complex(z))


@inline
def slope_of(scratch: Any, row: int, sign: float) -> Motion:
    """The derivative that a row has in its imaginary parts."""
    z, scale = load(scratch, row, 0, 6), sign / STEP
    return (z[0].imag * scale, z[1].imag * scale, z[2].imag * scale, z[3].imag * scale, z[4].imag * scale, z[5].imag * scale)


# --- torques ------------------------------------------------------------------------------------------------------------------


@jit
def limits_and_springs(model: KernelModel, q: Any, v: Any, out: Any, sign: float, scratch: Any) -> None:
    """Take the derivatives of the torques of limits and springs out of ∂τ/∂q and ∂τ/∂v, which stand side by side."""
    walk, nv, part = model.walk, v.shape[0], sign / STEP
    for row in range(model.tree_limits):
        k = model.limit_rows[row, LIMITED]
        first, count = walk[k, V], min(walk[k, DOFS], 3)
        stand(model, k, q, v, scratch)
        for by_v in range(2):
            for e in range(count):
                step_on(walk[k, KIND], e, by_v, scratch)
                value, gradient = measured(model, row, scratch[MOVED], 0)
                push = limit_push(model, row, value, gradient, scratch[GOING], 0)
                scratch[GOING, e] = scratch[GOING, e].real
                for d in range(count):
                    out[first + d, by_v * nv + first + e] -= part * (push * pick(gradient, d)).imag
    for row in range(model.tree_coils):
        k = model.coil_rows[row, COILED]
        first, count = walk[k, V], walk[k, DOFS]
        stand(model, k, q, v, scratch)
        for e in range(count):
            step_along(walk[k, KIND], e, scratch)
            wind(model, row, scratch[MOVED], 0, scratch[WAY], 0, scratch[PULL], 0)
            joint_pull(walk[k, KIND], scratch[WAY], 0, scratch[PULL], 0)
            for d in range(count):
                out[first + d, first + e] += part * scratch[PULL, d].imag
