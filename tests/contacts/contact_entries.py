"""Kernels of contacts by themselves, as entries: problems that tests state, and what points of a mechanism meet."""

from __future__ import annotations

from regraft.compilation import Floats, Integers, IntegerTable, Table, entry
from regraft.kernels.contacts.complementarity import find_modes
from regraft.kernels.contacts.distribution import margin_of, widest_margin
from regraft.kernels.contacts.modes import solve_modes
from regraft.kernels.contacts.points import meet_point
from regraft.kernels.contacts.problem import BEND, PUSH, Contacts, count_points
from regraft.kernels.kinematics import move_bodies, place_bodies
from regraft.kernels.memory import model_at, positions_in, work_at


@entry
def coulomb(
    A: Table, b: Floats, kinds: Integers, mu_s: Floats, mu_k: Floats, directions: Table, modes: Integers, lam: Floats,
    scratch: Table,
) -> tuple[int, int]:  # fmt: skip
    """`find_modes` where nothing pushes beside b."""
    scratch[PUSH] = 0.0
    return find_modes(Contacts(A, b, kinds, mu_s, mu_k, directions, modes, lam, scratch, count_points(kinds), 0.0))


@entry
def mode_forces(
    A: Table, b: Floats, kinds: Integers, mu_k: Floats, modes: Integers, directions: Table, lam: Floats, scratch: Table
) -> tuple[int, int, float]:
    """λ in given modes: (unknowns, rank, the largest residual relative to the sizes of its row).

    Where the rank is less than the unknowns, forces are not unique: λ is the shortest. A residual beyond rounding tells that no
    forces keep these modes.
    """
    scratch[BEND] = 0.0
    scratch[PUSH] = 0.0
    return solve_modes(Contacts(A, b, kinds, mu_k, mu_k, directions, modes, lam, scratch, count_points(kinds), 0.0), False, False)


@entry
def margins_of_modes(
    A: Table, b: Floats, kinds: Integers, mu_s: Floats, mu_k: Floats, modes: Integers, directions: Table,
    lam: Floats, margins: Floats, scratch: Table,
) -> tuple[float, float, int]:  # fmt: skip
    """λ in given modes and the margin of each item: (the least margin, the residual of rows, how many forces are free).

    The margin of a point that sticks is the distance of its force from the surface of its friction cone, (µ_s λ_n − |λ_t|) /
    √(1 + µ_s²); of one that slides, or has no friction, it is λ_n; of a joint that sticks µ_s − |λ|. It is negative beyond, and
    infinite for what has no bound. The mode of all of them is feasible where the least margin is not negative.

    Where forces are not unique, λ is the shortest if that is within all cones, and otherwise the distribution with the largest
    least margin: so the least margin is negative exactly where no distribution keeps these modes. It jumps from one to the other
    among positive numbers. A residual beyond rounding tells that no forces at all keep them.
    """
    scratch[PUSH] = 0.0
    c = Contacts(A, b, kinds, mu_s, mu_k, directions, modes, lam, scratch, count_points(kinds), 0.0)
    least, residual, free = widest_margin(c, False)
    for i in range(kinds.shape[0]):
        margins[i] = margin_of(c, i)
    return least, residual, free


@entry
def meetings_at(handle: int, x: Floats, points: IntegerTable, shapes: Table, profiles: Floats, out: Table) -> None:
    """`meet_point` for all points at x = (q, v)."""
    m, w, nq = model_at(handle), work_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    for i in range(points.shape[0]):
        meet_point(m, w, points, shapes, profiles, out, i)
