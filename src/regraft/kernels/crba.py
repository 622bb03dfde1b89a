"""The joint-space inertia matrix of trees: the composite-rigid-body algorithm (Walker, Orin), in world axes."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load
from ..algebra.scalars import zero
from ..algebra.spatial import joined, momentum_of, power
from ..compilation import Floats, Table, entry, inline, jit
from .inertia import body_inertia, load_rigid, store_rigid
from .kinematics import place_body
from .memory import model_at, work_at
from .tables import ARMATURE, END, PARENT, KernelModel, R, S, V, Work


@jit
def crba(model: KernelModel, work: Work, q: Any, M: Any) -> None:
    """M(q), both halves filled.  O(n depth), and O(nv²) to clear the matrix.

    In one common frame the inertias of bodies that move together simply add up. Rotors add to the diagonal alone.
    """
    walk, body, dof = model.walk, work.body, work.dof
    for k in range(walk.shape[0]):
        store_rigid(body, k, body_inertia(model, k, place_body(model, work, q, k)))
    for d in range(M.shape[0]):
        for e in range(M.shape[1]):
            M[d, e] = zero(body[0, R])
    for k in range(walk.shape[0] - 1, -1, -1):
        composite = load_rigid(body, k)
        for d in range(walk[k, V], walk[k, END]):
            force = momentum_of(composite, load(dof, d, S, 6))
            for e in range(walk[k, V], d + 1):
                fill(M, d, e, power(load(dof, e, S, 6), force))
            above = walk[k, PARENT]
            while above >= 0:
                for e in range(walk[above, V], walk[above, END]):
                    fill(M, d, e, power(load(dof, e, S, 6), force))
                above = walk[above, PARENT]
        parent = walk[k, PARENT]
        if parent >= 0:
            store_rigid(body, parent, joined(load_rigid(body, parent), composite))
    if model.rotors > 0:
        for d in range(dof.shape[0]):
            M[d, d] += model.settings[ARMATURE, d]


@inline
def fill(M: Any, d: int, e: int, value: Any) -> None:
    """Set an entry and its mirror image."""
    M[d, e] = value
    M[e, d] = value


@entry
def mass_matrix(handle: int, q: Floats, out: Table) -> None:
    """`crba`."""
    crba(model_at(handle), work_at(handle, q), q, out)
