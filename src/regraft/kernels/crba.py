"""The joint-space inertia matrix of trees: the composite-rigid-body algorithm (Walker, Orin), in world axes."""

from __future__ import annotations

from typing import Any

from .._jit import inline, jit
from ..memory import load, store
from ..spatial import Force, Motion, momentum_of, power
from .inertia import body_inertia
from .kinematics import place_body
from .layout import END, PARENT, I, Model, S, V, Work

_COMPOSITE = 10  # m, h, J: what a rigid-body inertia needs


@inline
def composite_momentum(c: tuple[Any, ...], s: Motion) -> Force:
    """The momentum of a composite body, given as ten numbers, that moves along s."""
    return momentum_of((c[0], (c[1], c[2], c[3]), (c[4], c[5], c[6], c[7], c[8], c[9])), s)


@jit
def crba(model: Model, work: Work, q: Any, M: Any) -> None:
    """M(q), both halves filled.  O(n depth), and O(nv²) to clear the matrix.

    In one common frame the inertias of bodies that move together simply add up.
    """
    walk, body, dof = model.walk, work.body, work.dof
    for k in range(walk.shape[0]):
        m, h, J = body_inertia(model, k, place_body(model, work, q, k))
        store(body, k, I, (m, h[0], h[1], h[2], J[0], J[1], J[2], J[3], J[4], J[5]))
    M[:] = 0.0
    for k in range(walk.shape[0] - 1, -1, -1):
        composite = load(body, k, I, _COMPOSITE)
        for d in range(walk[k, V], walk[k, END]):
            force = composite_momentum(composite, load(dof, d, S, 6))
            for e in range(walk[k, V], d + 1):
                fill(M, d, e, power(load(dof, e, S, 6), force))
            above = walk[k, PARENT]
            while above >= 0:
                for e in range(walk[above, V], walk[above, END]):
                    fill(M, d, e, power(load(dof, e, S, 6), force))
                above = walk[above, PARENT]
        parent = walk[k, PARENT]
        if parent >= 0:
            p, c = load(body, parent, I, _COMPOSITE), composite
            total = (p[0] + c[0], p[1] + c[1], p[2] + c[2], p[3] + c[3], p[4] + c[4], p[5] + c[5])
            store(body, parent, I, total)
            store(body, parent, I + 6, (p[6] + c[6], p[7] + c[7], p[8] + c[8], p[9] + c[9]))


@inline
def fill(M: Any, d: int, e: int, value: Any) -> None:
    """Set an entry and its mirror image."""
    M[d, e] = value
    M[e, d] = value
