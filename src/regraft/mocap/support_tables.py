"""What the kernels of inverse dynamics with supports as roots take and give: the ways of forces, frames, costs and results."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import float64, int64, types

from ..compilation import declare

# columns of `Ways.steps`
FROM, ONTO, LINK, SIGN = range(4)


class Ways(NamedTuple):
    """How forces add up for each root: that of the recording first, then each support; and the points of the supports."""

    steps: Any
    """(roots · bodies, 4): row, the row that its force goes onto (−1 at the root), the row of the joint between them, +1 where
    the first is that joint's body in the walk, else −1; the leaves first."""
    place: Any
    """(roots, bodies): where in its root's steps each row is."""
    dofs: Any
    """(2, bodies): the first degree of freedom of each row's joint, and one past its last."""
    base: Any
    """(1, k): the degrees of freedom that hold the body to the world in the recording."""
    feet: Any
    """(1, supports): the row of the body on which each support's reaction acts."""
    rows: Any
    """(1, points): the row of the body of each point."""
    points: Any
    """(points, 3): the point in the frame of that row."""
    owner: Any
    """(1, points): which support it belongs to."""


class Frames(NamedTuple):
    """What is known of each frame."""

    q: Any
    v: Any
    a: Any
    root: Any
    """(n, 1): which root."""
    shares: Any
    """(n, supports): 1 for the supports that share the load, where there are several; 0 where nothing is to be shared."""
    given: Any
    """(n, 6 · supports): wrenches on the supports that are known, about the world's origin."""
    yields: Any
    """(n, points): how easily each point is loaded, from 0 to 1."""
    pressed: Any
    """(n, 3 · supports): where the pressure of each support has its centre; NaN where that is not known."""


class Cost(NamedTuple):
    """How shared loads are weighed."""

    friction: float
    weight: float
    """Of the body, in N."""
    torque: float
    """The torque that counts as much as its weight, in N m."""
    effort: float
    """How much torques count beside forces."""
    turning: float
    """How much a moment counts that is left over about the line between two feet, or about the vertical."""
    astray: float
    """How much the moment counts that a support has about the known centre of its pressure."""
    sideways: float
    """How much forces along the ground count beside those across it."""


class Results(NamedTuple):
    """What comes out for each frame."""

    tau: Any
    """(n, nv)."""
    total: Any
    """(n, 6): the wrench that the world must put on the body, about the world's origin."""
    reactions: Any
    """(n, 6 · supports): the wrench on each support, about the world's origin."""
    transmitted: Any
    """(n, 6 · bodies): moment and force that the joint of each row puts on its child, about the joint's frame there."""


class Sharing(NamedTuple):
    """Scratch for loads that several supports share."""

    members: Any
    """Which points share."""
    columns: Any
    """(3 · points, 6): wrenches of unit forces at them."""
    H: Any
    M: Any
    numbers: Any
    """(5, 3 · points): r, the forces, two rows of a step, and one for anything."""


_I, _X = int64[:, ::1], float64[:, ::1]
declare("Ways", types.NamedTuple([_I, _I, _I, _I, _I, _I, _X, _I], Ways))
declare("Frames", types.NamedTuple([_X, _X, _X, _I, _I, _X, _X, _X], Frames))
declare("Cost", types.NamedUniTuple(float64, 7, Cost))
declare("Results", types.NamedUniTuple(_X, 4, Results))
