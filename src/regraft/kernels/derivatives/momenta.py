"""The derivatives of momentum by position and velocity.

If q_e grows, all that e moves is carried along by S_e with its momentum H, and its velocities grow by Ψ̇_e besides; if v_e grows,
by S_e. With the inertia I of all that e carries these are S_e ×* H + I Ψ̇_e and I S_e, a column of the centroidal momentum matrix
(Orin, Goswami & Lee 2013), about the world's origin.
"""

from __future__ import annotations

from ...algebra.memory import load, store
from ...algebra.spatial import Force, Vector, add, angular, cross, force_cross, linear, momentum_of, plus, spatial
from ...compilation import Floats, Table, entry, inline
from ..inertia import body_inertia, store_rigid
from ..jacobian import put_column
from ..kinematics import frame, move_bodies, place_bodies
from ..memory import model_at, positions_in, work_at
from ..tables import END, ORIGIN, ROOT, VEL, F, S, V
from .carried import sum_carried
from .directions import find_directions
from .tables import FORCE, PSI1, slopes_at


@entry
def momentum_slopes(handle: int, slopes: int, x: Floats, by_q: Table, by_v: Table) -> None:
    """(6, nv) each, (angular, linear), at the state x = (q, v).  O(n)."""
    model, work, s, nq = model_at(handle), work_at(handle, x), slopes_at(slopes), positions_in(handle)
    walk, body, q, v = model.walk, work.body, x[:nq], x[nq:]
    place_bodies(model, work, q)
    move_bodies(model, work, q, v)
    for k in range(walk.shape[0]):
        inertia = body_inertia(model, k, frame(body, k))
        store_rigid(body, k, inertia)
        store(body, k, F, momentum_of(inertia, load(body, k, VEL, 6)))  # what is summed as forces are
    sum_carried(model, work, s, False)
    find_directions(model, work, s, q, v, v)  # accelerations do not matter
    for k in range(walk.shape[0]):
        c, H, origin = load(s.carried, k, 0, 10), load(s.carried, k, FORCE, 6), load(body, walk[k, ROOT], ORIGIN, 3)
        inertia = c[0], (c[1], c[2], c[3]), (c[4], c[5], c[6], c[7], c[8], c[9])
        for d in range(walk[k, V], walk[k, END]):
            screw = load(work.dof, d, S, 6)
            grows = plus(force_cross(screw, H), momentum_of(inertia, load(s.directions, d, PSI1, 6)))
            put_column(by_q, d, about_world(grows, origin))
            put_column(by_v, d, about_world(momentum_of(inertia, screw), origin))


@inline
def about_world(momentum: Force, origin: Vector) -> Force:
    """A momentum about the origin of a tree, about the world's."""
    return spatial(add(angular(momentum), cross(origin, linear(momentum))), linear(momentum))
