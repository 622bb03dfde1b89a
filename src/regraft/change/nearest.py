"""Projection of a motion onto another structure: where its joints cannot carry the motion of the bodies, the nearest they can."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import least_squares
from ..algebra.pose import POSE
from ..ask.assembly import assemble
from ..ask.manifold import integrate
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels import crba
from ..kernels.jacobian import frame_jacobian
from ..kernels.tables import BODY
from ..structure.structure import Structure
from .impulses import momenta

Array = NDArray[np.float64]


def nearest_state(mech: Mechanism, state: State, changed: Mechanism, after: State) -> State:
    """The state near `after` in which the bodies are nearest to where they were, and their velocities nearest to what they were.

    Nearest in the metric of kinetic energy, as after a plastic impact: M v = Σ Jᵀ I V, with V, I and J the twist, inertia and
    Jacobian of each body. So momentum is kept along every free direction, and energy does not grow. Positions move by small
    displacements that solve the same equation, which keeps the centre of mass.
    """
    structure, old = changed.structure, mech.structure
    was = old.motion(state._x)[[old.row_of[structure.body_names[b]] for b in structure.walk[:, BODY].tolist()]]
    q, v = after._q, after._v
    q = integrate(changed, q, _spread(changed, structure, q, _displacements(was, structure.motion(after._x))))
    missing = structure.motion(np.concatenate((q, v)))
    missing[:, POSE:] = was[:, POSE:] - missing[:, POSE:]
    v = v + _spread(changed, structure, q, missing)
    return State(after.layout, assemble(changed, State(after.layout, np.concatenate((q, v))))._x, after.impulse)


def _displacements(was: Array, found: Array) -> Array:
    """(rows, 18): the poses of `found`, with the small turn and translation from each to that of `was` in place of its twist."""
    R, there = found[:, :9].reshape(-1, 3, 3), was[:, :9].reshape(-1, 3, 3)
    turn = there @ R.transpose(0, 2, 1)
    turn = 0.5 * (turn - turn.transpose(0, 2, 1))  # of a small angle all but its cube
    angles = np.stack((turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]), axis=1)
    return np.concatenate((found[:, :POSE], angles, was[:, 9:POSE] - found[:, 9:POSE]), axis=1)


def _spread(mech: Mechanism, structure: Structure, q: Array, wanted: Array) -> Array:
    """(nv,): the v whose body twists are nearest to the wanted ones: M v = Σ Jᵀ I V. `wanted` has motions (rows, 18)."""
    J, M, pushes = np.empty((6, structure.nv)), np.empty((structure.nv, structure.nv)), np.zeros(structure.nv)
    for k, (momentum, origin) in enumerate(zip(momenta(mech, structure, wanted), structure.origins(), strict=True)):
        frame_jacobian.call(structure.work, q, k, origin, J)
        pushes += momentum @ J
    crba.mass_matrix.call(structure.work, q, M)
    return least_squares(M, pushes)  # what moves no inertia stays
