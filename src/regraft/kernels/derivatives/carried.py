"""What each body carries, itself included, summed from the leaves to the roots: inertia, force, and the terms of velocity.

If the velocity of a body grows by x and its acceleration by y − V × x, the force f = I A + V ×* I V that it needs grows by
I y + B x with B x = V ×* I x − I (V × x) + x ×* I V. That is the Coriolis force 2 Σ m α × ṙ of its particles in a frame that
turns at α, the angular half of x, so it needs no more than twelve numbers, which add up over bodies as inertias do:

    B x = (G α, α × P),   G = 2 (tr Γ − Γ),   Γ = Σ m ṙ rᵀ = [ω] (tr J / 2 − J) + u hᵀ,   P = 2 Σ m ṙ
"""

from __future__ import annotations

from ...algebra.memory import load, store
from ...algebra.spatial import Force, Motion, RigidInertia, Rotation, Vector, add, angular, cross, linear, scale
from ...compilation import inline
from ..inertia import load_rigid
from ..tables import LAST, LEAF, PARENT, VEL, F, KernelModel, Work
from .tables import STEADY, Slopes


@inline
def sum_carried(model: KernelModel, work: Work, slopes: Slopes, loaded: bool) -> None:
    """INERTIA, FORCE, CORIOLIS and MOMENTUM, from RIGID, VEL and F of each body; where `loaded` STEADY too, from there.  O(n)."""
    walk, body, carried = model.walk, work.body, slopes.carried
    for k in range(walk.shape[0] - 1, -1, -1):
        total = own_terms(load_rigid(body, k), load(body, k, VEL, 6), load(body, k, F, 6))
        if not walk[k, LEAF]:
            total = plus_28(total, load(carried, k, 0, 28))
        store(carried, k, 0, total)
        parent = walk[k, PARENT]
        if parent >= 0:  # the last child comes first here, so there is nothing yet to add to
            store(carried, parent, 0, total if walk[k, LAST] else plus_28(total, load(carried, parent, 0, 28)))
    if loaded:
        for k in range(walk.shape[0] - 1, -1, -1):
            parent = walk[k, PARENT]
            if parent >= 0:
                for c in range(STEADY, STEADY + 12):
                    carried[parent, c] += carried[k, c]


@inline
def own_terms(inertia: RigidInertia, twist: Motion, force: Force) -> tuple[float, ...]:
    """What a body by itself has of it."""
    m, h, J = inertia
    G, P = coriolis(inertia, twist)
    return (m, *h, *J, *force, *G, *P)


@inline
def coriolis(inertia: RigidInertia, twist: Motion) -> tuple[Rotation, Vector]:
    """G, in row order, and P of a body."""
    m, h, J = inertia
    w, u = scale(2.0, angular(twist)), scale(2.0, linear(twist))
    t = 0.5 * (J[0] + J[3] + J[5])
    x = add(cross(w, (t - J[0], -J[1], -J[2])), scale(h[0], u))  # the columns of 2 Γ
    y = add(cross(w, (-J[1], t - J[3], -J[4])), scale(h[1], u))
    z = add(cross(w, (-J[2], -J[4], t - J[5])), scale(h[2], u))
    G = (y[1] + z[2], -y[0], -z[0], -x[1], x[0] + z[2], -z[1], -x[2], -y[2], x[0] + y[1])
    return G, add(scale(m, u), cross(w, h))


@inline
def plus_28(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    """a + b."""
    return (
        *(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6]),
        *(a[7] + b[7], a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11], a[12] + b[12], a[13] + b[13]),
        *(a[14] + b[14], a[15] + b[15], a[16] + b[16], a[17] + b[17], a[18] + b[18], a[19] + b[19], a[20] + b[20]),
        *(a[21] + b[21], a[22] + b[22], a[23] + b[23], a[24] + b[24], a[25] + b[25], a[26] + b[26], a[27] + b[27]),
    )
