"""Forces that keep their direction while bodies turn, and springs between points, which do not.

A wrench of the user, with moment μ and force f in world axes at a point x of its body, does not turn with the body. Against one
that did, the force that is needed grows by E α = (α × μ + x × (α × f), α × f) where the body turns by α. This has the same form
(G α, α × P) as the terms of velocity in `carried`, and adds up likewise. A spring is such a force at each of its ends, and then
changes with its own length and its rate.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load, store
from ...algebra.scalars import square_root
from ...algebra.spatial import (
    Vector,
    add,
    angular,
    at_point,
    cross,
    dot,
    linear,
    rotate,
    scale,
    subtract,
    zero_vector,
)
from ...compilation import inline, jit
from ...tolerances import TINY
from ..kinematics import frame
from ..passive import spring_span
from ..tables import DAMPING, END, PARENT, PUSH, PUSH_POINT, REST, STIFFNESS, VEL, KernelModel, S, V, Work
from .tables import ALONG, FASTER, FOLLOWS, PSI1, STEADY, STEADY_FORCE, Slopes


@jit
def hold_steady(model: KernelModel, work: Work, slopes: Slopes, external: Any) -> bool:
    """STEADY of each body by itself: of external wrenches and of springs; False where there are none.  O(n + springs)."""
    carried, springs = slopes.carried, model.springs
    if external.shape[0] + springs.shape[0] == 0:
        return False
    for k in range(carried.shape[0]):
        for c in range(STEADY, STEADY + 12):
            carried[k, c] = 0.0
        if external.shape[0] > 0:
            R_k, p_k = frame(work.body, k)
            push = load(external, k, PUSH, 6)
            steady_wrench(slopes, k, add(p_k, rotate(R_k, load(external, k, PUSH_POINT, 3))), angular(push), linear(push))
    for row in range(springs.shape[0]):
        x_a, x_b, span, rate = spring_span(model, work, row, 0.0)
        length, pull = spring_pull(model, row, span, rate)
        force, none = scale(pull / length, span), zero_vector(0.0)
        a, b = model.spring_rows[row, 0], model.spring_rows[row, 1]
        if a >= 0:
            steady_wrench(slopes, a, x_a, none, force)
        if b >= 0:
            steady_wrench(slopes, b, x_b, none, scale(-1.0, force))
    return True


@inline
def steady_wrench(slopes: Slopes, k: int, x: Vector, m: Vector, f: Vector) -> None:
    """Add G = (x · f) 1 − f xᵀ − [μ] and P = f of one wrench on row k."""
    t, carried = dot(x, f), slopes.carried
    add_row(carried, k, STEADY, (t - f[0] * x[0], m[2] - f[0] * x[1], -m[1] - f[0] * x[2]))
    add_row(carried, k, STEADY + 3, (-m[2] - f[1] * x[0], t - f[1] * x[1], m[0] - f[1] * x[2]))
    add_row(carried, k, STEADY + 6, (m[1] - f[2] * x[0], -m[0] - f[2] * x[1], t - f[2] * x[2]))
    add_row(carried, k, STEADY_FORCE, f)


@inline
def add_row(table: Any, k: int, column: int, x: Vector) -> None:
    """Add three numbers to those in a row."""
    store(table, k, column, add(load(table, k, column, 3), x))


@inline
def spring_pull(model: KernelModel, row: int, span: Vector, rate: Vector) -> tuple[float, float]:
    """The length of a spring, and with what force it pulls its ends together."""
    length = square_root(dot(span, span) + TINY)
    stretch = model.springs[row, STIFFNESS] * (length - model.springs[row, REST])
    return length, stretch + model.springs[row, DAMPING] * (dot(span, rate) / length)


@jit
def stretch_springs(model: KernelModel, work: Work, slopes: Slopes, out: Any, sign: float) -> None:
    """Add to ∂τ/∂q and ∂τ/∂v, side by side in `out`, what the change of each spring's force makes of them.

    O(springs · depth²).
    """
    nv, ends, numbers = work.dof.shape[0], slopes.ends, slopes.numbers
    for row in range(model.springs.shape[0]):
        count = follow_spring(model, work, slopes, row)
        for i in range(count):
            along = load(ends, i, ALONG, 3)
            for j in range(count):
                out[numbers[0, i], numbers[0, j]] += sign * dot(along, load(ends, j, FOLLOWS, 3))
                out[numbers[0, i], nv + numbers[0, j]] += sign * dot(along, load(ends, j, FASTER, 3))


@jit
def follow_spring(model: KernelModel, work: Work, slopes: Slopes, row: int) -> int:
    """Of each degree of freedom that moves an end of a spring: how the span grows (ALONG), and how its force does with q and v.

    Returns how many there are; they are listed in `numbers`.
    """
    walk, body, ends = model.walk, work.body, slopes.ends
    x_a, x_b, span, rate = spring_span(model, work, row, 0.0)
    length, pull = spring_pull(model, row, span, rate)
    n, k, c = scale(1.0 / length, span), model.springs[row, STIFFNESS], model.springs[row, DAMPING]
    a, b, count = model.spring_rows[row, 0], model.spring_rows[row, 1], 0
    u_a = point_velocity(body, a, x_a)
    u_b = point_velocity(body, b, x_b)
    while max(a, b) >= 0:  # parents come before their children, so the two ways meet
        row_of, on_a, on_b = max(a, b), a >= b, b >= a
        for d in range(walk[row_of, V], walk[row_of, END]):
            s, psi1 = load(work.dof, d, S, 6), load(slopes.directions, d, PSI1, 6)
            grows, quickens = zero_vector(0.0), zero_vector(0.0)
            if on_b:
                grows = linear(at_point(s, x_b))
                quickens = add(linear(at_point(psi1, x_b)), cross(angular(s), u_b))
            if on_a:
                grows = subtract(grows, linear(at_point(s, x_a)))
                quickens = subtract(quickens, add(linear(at_point(psi1, x_a)), cross(angular(s), u_a)))
            longer = dot(n, grows)
            harder = k * longer + c * (dot(rate, grows) - dot(n, rate) * longer) / length + c * dot(n, quickens)
            turned = scale(pull / length, subtract(grows, scale(longer, n)))
            store(ends, count, ALONG, grows)
            store(ends, count, FOLLOWS, add(scale(harder, n), turned))
            store(ends, count, FASTER, scale(c * longer, n))
            slopes.numbers[0, count] = d
            count += 1
        a = walk[row_of, PARENT] if on_a else a
        b = walk[row_of, PARENT] if on_b else b
    return count


@inline
def point_velocity(body: Any, k: int, x: Vector) -> Vector:
    """The velocity of the point x of row k, or of the world."""
    return linear(at_point(load(body, k, VEL, 6), x)) if k >= 0 else zero_vector(0.0)
