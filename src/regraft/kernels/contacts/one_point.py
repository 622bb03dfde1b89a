"""The forces of one point of contact that alone is closed, as that of a foot: three rows, solved as they come.

What is not clear here, as where one row nearly follows from the others, `modes` decides.
"""

from __future__ import annotations

import math

from ...algebra.spatial import Vector
from ...compilation import inline
from ...tolerances import CLEAR_PIVOT, LARGE_PIVOT, ROUNDING, TINY
from ..tables import KernelModel, Work
from .memory import KINETIC, NONE, Contacts, active_rows, posed
from .modes import solve_modes
from .problem import IDLE_SCALE, STICK, scale_rows
from .problem import Contacts as Problem
from .stages import contact_stage

Half = tuple[float, float, float, float, float, float]
"""The numbers xx, xy, xz, yy, yz and zz of a symmetric matrix."""


@inline
def solve_between_events(model: KernelModel, work: Work, contacts: Contacts, problem: Problem, rubs: bool) -> tuple[int, float]:
    """λ in given modes, with BEND = 0: how many forces are not unique, and the largest residual relative to the sizes of its row.

    The problem is `memory.problem_of`, or without `rubs` that without friction.
    """
    if problem.points == 1 and active_rows(contacts) == 3:
        left = solve_one_point(model, work, contacts, rubs)
        if left < ROUNDING:
            return 0, left
    unknowns, rank, left = solve_modes(problem, False)
    return unknowns - rank, left


@contact_stage
def solve_one_point(model: KernelModel, work: Work, contacts: Contacts, rubs: bool) -> float:  # noqa: ARG001 (those of a stage)
    """λ of the only active item, a point; the residual relative to the sizes of its rows, infinite where λ is not clear."""
    c = posed(contacts, KINETIC if rubs else NONE)
    scale_rows(c)
    A, b = (c.A[0, 0], c.A[0, 1], c.A[0, 2], c.A[1, 1], c.A[1, 2], c.A[2, 2]), (c.b[0], c.b[1], c.b[2])
    scales = c.scratch[IDLE_SCALE, 0], c.scratch[IDLE_SCALE, 1], c.scratch[IDLE_SCALE, 2]
    sticks = c.modes[0] == STICK
    if sticks:
        force, clear = hold(A, scales, b)
    else:
        force, clear = slide(A, scales[0], b[0], c.mu_k[0], (c.directions[0, 0], c.directions[0, 1]))
    c.lam[0], c.lam[1], c.lam[2] = force
    return residual(A, b, force, scales, sticks) if clear else math.inf


@inline
def hold(A: Half, scales: Vector, b: Vector) -> tuple[Vector, bool]:
    """The force with which A λ + b = 0 in all rows but idle ones, whose scale is 0; and whether all pivots are clear."""
    k, l, m = scales
    xy, xz, yz = k * l * A[1], k * m * A[2], l * m * A[4]  # beside a diagonal of ones
    second = 1.0 - xy * xy
    factor = (yz - xy * xz) / second
    third = 1.0 - xz * xz - factor * factor * second
    x = -k * b[0]
    y = -l * b[1] - xy * x
    z = (-m * b[2] - xz * x - factor * y) / third
    y = y / second - factor * z
    return (k * (x - xy * y - xz * z), l * y, m * z), min(second, third) > CLEAR_PIVOT


@inline
def slide(A: Half, scale: float, b: float, mu: float, along: tuple[float, float]) -> tuple[Vector, bool]:
    """The force with friction µ against the slip along a direction that keeps the normal row at rest; and whether it is clear."""
    response = A[0] - mu * (along[0] * A[1] + along[1] * A[2])
    press = -b / response
    return (press, -mu * press * along[0], -mu * press * along[1]), scale * scale * response > LARGE_PIVOT * math.sqrt(
        1.0 + mu * mu
    )


@inline
def residual(A: Half, b: Vector, force: Vector, scales: Vector, sticks: bool) -> float:
    """What is left in the rows that are held, relative to the largest sum of what rows are made of."""
    f, g, h = force
    x, y, z = A[0] * f + A[1] * g + A[2] * h + b[0], A[1] * f + A[3] * g + A[4] * h + b[1], A[2] * f + A[4] * g + A[5] * h + b[2]
    size = abs(A[0] * f) + abs(A[1] * g) + abs(A[2] * h) + abs(b[0])
    worst = abs(x) if scales[0] > 0.0 else 0.0
    if sticks:
        size = max(size, abs(A[1] * f) + abs(A[3] * g) + abs(A[4] * h) + abs(b[1]))
        size = max(size, abs(A[2] * f) + abs(A[4] * g) + abs(A[5] * h) + abs(b[2]))
        worst = max(worst, abs(y) if scales[1] > 0.0 else 0.0, abs(z) if scales[2] > 0.0 else 0.0)
    return worst / (size + TINY)
