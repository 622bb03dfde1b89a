"""Numbers of a mechanism that may differ from lane to lane of a pack: inertias, gravity and damping.

Most computations have one mechanism, whose numbers all lanes share. A workspace of packs may have a table of its own instead,
with a number for each lane: VARIANTS_AT in its header. Only kernels on packs look for it; of those on other numbers nothing is
left of the question when they are compiled.
"""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, table_at
from ..algebra.scalars import Scalar, lanes, lift
from ..algebra.spatial import Vector
from ..compilation import inline
from .tables import INERTIA, JOINT_DAMPING, MASS, VARIED_GRAVITY, KernelModel


@inline
def own_inertia(model: KernelModel, k: int, like: Scalar) -> tuple[Scalar, Vector, Any]:
    """Mass, centre of mass and moments about it of the body of row k, in the frame of its row."""
    if lanes(like) > 1 and model.variants != 0:
        c = load(table_at(model.variants, k + 1, INERTIA, like), k, 0, INERTIA)
    else:
        g = load(model.geometry, k, MASS, INERTIA)
        c = (
            lift(g[0], like), lift(g[1], like), lift(g[2], like), lift(g[3], like), lift(g[4], like),
            lift(g[5], like), lift(g[6], like), lift(g[7], like), lift(g[8], like), lift(g[9], like),
        )  # fmt: skip
    return c[0], (c[1], c[2], c[3]), (c[4], c[5], c[6], c[7], c[8], c[9])


@inline
def own_gravity(model: KernelModel, like: Scalar) -> Vector:
    """The acceleration of free fall."""
    if lanes(like) > 1 and model.variants != 0:
        first = INERTIA * model.walk.shape[0]
        return load(table_at(model.variants, 1, first + VARIED_GRAVITY, like), 0, first, 3)
    g = load(model.gravity, 0, 0, 3)
    return lift(g[0], like), lift(g[1], like), lift(g[2], like)


@inline
def own_damping(model: KernelModel, d: int, like: Scalar) -> Scalar:
    """The damping of the joint that has the velocity v[d]."""
    if lanes(like) > 1 and model.variants != 0:
        first = INERTIA * model.walk.shape[0] + VARIED_GRAVITY
        return table_at(model.variants, 1, first + d + 1, like)[0, first + d]
    return lift(model.settings[JOINT_DAMPING, d], like)
