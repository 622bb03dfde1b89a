"""The state of a changed structure that is nearest to how its bodies were and moved, where its joints cannot have just that."""

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
from ..structure.tree import Tree
from .impulses import momenta

Array = NDArray[np.float64]


def nearest_state(mech: Mechanism, state: State, changed: Mechanism, after: State) -> State:
    """The state near `after` in which the bodies are nearest to where they were, and move most as they did.

    Nearest in the metric of kinetic energy, so momentum and the centre of mass are kept along everything that is free, and energy
    does not grow: as in an impact, M v = Σ Jᵀ I V. The same for small displacements.
    """
    tree, old = changed.tree, mech.tree
    was = old.motion(state._x)[[old.row_of[tree.body_names[b]] for b in tree.walk[:, BODY].tolist()]]
    q, v = after._q, after._v
    q = integrate(changed, q, _spread(changed, tree, q, _displacements(was, tree.motion(after._x))))
    missing = tree.motion(np.concatenate((q, v)))
    missing[:, POSE:] = was[:, POSE:] - missing[:, POSE:]
    v = v + _spread(changed, tree, q, missing)
    return State(after.layout, assemble(changed, State(after.layout, np.concatenate((q, v))))._x, after.impulse)


def _displacements(was: Array, found: Array) -> Array:
    """(rows, 18): the second poses, with the small turns and translations from these to the first in place of twists."""
    R, there = found[:, :9].reshape(-1, 3, 3), was[:, :9].reshape(-1, 3, 3)
    turn = there @ R.transpose(0, 2, 1)
    turn = 0.5 * (turn - turn.transpose(0, 2, 1))  # of a small angle all but its cube
    angles = np.stack((turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]), axis=1)
    return np.concatenate((found[:, :POSE], angles, was[:, 9:POSE] - found[:, 9:POSE]), axis=1)


def _spread(mech: Mechanism, tree: Tree, q: Array, wanted: Array) -> Array:
    """(nv,): the velocities with which the bodies come nearest to the twists that they are to have, as motions (rows, 18)."""
    J, M, pushes = np.empty((6, tree.nv)), np.empty((tree.nv, tree.nv)), np.zeros(tree.nv)
    for k, (momentum, origin) in enumerate(zip(momenta(mech, tree, wanted), tree.origins(), strict=True)):
        frame_jacobian(tree.handle, q, k, origin, J)
        pushes += momentum @ J
    crba.mass_matrix(tree.handle, q, M)
    return least_squares(M, pushes)  # what moves no inertia stays
