"""How far contact points are from leaving their modes by their forces: the guards of release and of the onset of slip."""

from __future__ import annotations

from typing import Any

from ...compilation import Floats, Integers, Table, entry, jit
from .distribution import margin_of, widest_margin
from .problem import PUSH, Contacts, count_points


@jit
def cone_margin(
    A: Any, b: Any, kinds: Any, mu_s: Any, mu_k: Any, modes: Any, directions: Any, lam: Any, margins: Any, scratch: Any
) -> tuple[float, float, int]:
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
def margins_of_modes(
    A: Table, b: Floats, kinds: Integers, mu_s: Floats, mu_k: Floats, modes: Integers, directions: Table,
    lam: Floats, margins: Floats, scratch: Table,
) -> tuple[float, float, int]:  # fmt: skip
    """`cone_margin`."""
    return cone_margin(A, b, kinds, mu_s, mu_k, modes, directions, lam, margins, scratch)
