"""Gauss–Seidel sweeps over contact points, each solved by itself: they bring a search near a solution.

See Jourdan, Alart and Jean (1998), "A Gauss–Seidel like algorithm to solve frictional contact problems".
"""

from __future__ import annotations

import math

from ...compilation import inline, stage
from ...tolerances import REDUNDANT_FORCE
from .problem import BOX, IDLE_SCALE, PUSH, RAY, Contacts, row_of

_DIRECTIONS = 4  # corrections of a slip direction in each visit


@stage
def sweep(c: Contacts, count: int) -> None:
    """Improve λ by so many sweeps, after `scale_rows`.  O(rows²) each."""
    lam = c.lam
    for _ in range(count):
        for i in range(c.kinds.shape[0]):
            row = row_of(c, i)
            if i < c.points:
                visit_point(c, i)
            elif c.kinds[i] == BOX and c.scratch[IDLE_SCALE, row] > 0.0:
                free = lam[row] - row_value(c, row) / c.A[row, row]
                lam[row] = free if abs(free) <= c.mu_s[i] else math.copysign(c.mu_k[i], free)


@inline
def row_value(c: Contacts, row: int) -> float:
    """One row of A λ + b."""
    total = c.b[row]
    for j in range(c.A.shape[0]):
        total += c.A[row, j] * c.lam[j]
    return total


@inline
def visit_point(c: Contacts, i: int) -> None:
    """Solve the law of one point, all other forces given."""
    A, lam, scratch, slips, mu = c.A, c.lam, c.scratch, c.kinds[i] == RAY, c.mu_k[i]
    n = row_of(c, i)
    t, u = n + 1, n + 2
    a_nn, a_nt, a_nu, a_tt, a_tu, a_uu = A[n, n], A[n, t], A[n, u], A[t, t], A[t, u], A[u, u]
    o_n, o_t, o_u = lam[n], lam[t], lam[u]
    q_n = row_value(c, n) - a_nn * o_n - a_nt * o_t - a_nu * o_u
    q_t = row_value(c, t) - a_nt * o_n - a_tt * o_t - a_tu * o_u if scratch[IDLE_SCALE, t] > 0.0 else 0.0
    q_u = row_value(c, u) - a_nu * o_n - a_tu * o_t - a_uu * o_u if scratch[IDLE_SCALE, u] > 0.0 else 0.0
    push = scratch[PUSH, i]
    if scratch[IDLE_SCALE, n] == 0.0 or not (q_n < 0.0 or push > 0.0):
        lam[n] = lam[t] = lam[u] = 0.0
        return
    s_1, s_2 = c.directions[i, 0], c.directions[i, 1]
    if not slips:
        f_n, f_t, f_u = holding_force(a_nn, a_nt, a_nu, a_tt, a_tu, a_uu, q_n, q_t, q_u)
        size = math.sqrt(f_t * f_t + f_u * f_u)
        if f_n < push and push > 0.0:
            f_n, f_t, f_u = push, *holding_friction(a_tt, a_tu, a_uu, q_t + a_nt * push, q_u + a_nu * push)
            size = math.sqrt(f_t * f_t + f_u * f_u)
        if f_n >= 0.0 and size <= c.mu_s[i] * f_n:
            lam[n], lam[t], lam[u] = f_n, f_t, f_u
            return
        s_1, s_2 = (-f_t / size, -f_u / size) if size > 0.0 else (1.0, 0.0)
    own = a_nn - mu * (a_nt * s_1 + a_nu * s_2)  # positive along what would have held the point
    f_n = max(-q_n / (own if own > 0.0 else a_nn), push)
    largest = max(a_tt, a_uu) + abs(a_tu)
    for _ in range(0 if slips or largest == 0.0 else _DIRECTIONS):
        w_t = q_t + a_nt * f_n - mu * f_n * (a_tt * s_1 + a_tu * s_2)
        w_u = q_u + a_nu * f_n - mu * f_n * (a_tu * s_1 + a_uu * s_2)
        z_t, z_u = mu * f_n * s_1 + w_t / largest, mu * f_n * s_2 + w_u / largest
        size = math.sqrt(z_t * z_t + z_u * z_u)
        turned = a_nn - mu * (a_nt * z_t + a_nu * z_u) / size if size > 0.0 else 0.0
        if not turned > 0.0:
            break
        s_1, s_2, f_n = z_t / size, z_u / size, max(-q_n / turned, push)
    lam[n], lam[t], lam[u] = f_n, -mu * f_n * s_1, -mu * f_n * s_2


@inline
def holding_force(
    a_nn: float, a_nt: float, a_nu: float, a_tt: float, a_tu: float, a_uu: float, q_n: float, q_t: float, q_u: float
) -> tuple[float, float, float]:
    """The force of one point that makes its three rows zero; of redundant rows it is zero."""
    l_t, l_u = a_nt / a_nn, a_nu / a_nn
    d_t, d_u = without(a_tt, l_t * a_nt), without(a_uu, l_u * a_nu)
    f_t, f_u = holding_friction(d_t, a_tu - l_t * a_nu, d_u, q_t - l_t * q_n, q_u - l_u * q_n)
    return (-q_n - a_nt * f_t - a_nu * f_u) / a_nn, f_t, f_u


@inline
def holding_friction(a_tt: float, a_tu: float, a_uu: float, q_t: float, q_u: float) -> tuple[float, float]:
    """The friction of one point that makes its two tangential rows zero; of redundant rows it is zero."""
    f_t, f_u = 0.0, 0.0
    if a_tt > 0.0 and a_tt >= a_uu:
        rest = without(a_uu, a_tu * a_tu / a_tt)
        f_u = (a_tu / a_tt * q_t - q_u) / rest if rest > 0.0 else 0.0
        f_t = (-q_t - a_tu * f_u) / a_tt
    elif a_uu > 0.0:
        rest = without(a_tt, a_tu * a_tu / a_uu)
        f_t = (a_tu / a_uu * q_u - q_t) / rest if rest > 0.0 else 0.0
        f_u = (-q_u - a_tu * f_t) / a_uu
    return f_t, f_u


@inline
def without(size: float, part: float) -> float:
    """A pivot after an elimination; 0 where it is rounding."""
    return size - part if size - part > REDUNDANT_FORCE * size else 0.0
