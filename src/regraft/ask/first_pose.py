"""Where inverse kinematics starts if nobody says: poses in which each tree is placed as a rigid body onto what was seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..joints.single import position
from ..kernels.tables import BODY, JOINT, PARENT, ROOT
from ..structure.structure import Structure
from .manifold import integrate
from .targets import Tables

Array = NDArray[np.float64]


def best_seen(tables: Tables) -> int:
    """The first of the frames in which most is seen."""
    return int(np.argmax((tables.weights > 0.0).sum(axis=1)))


def first_poses(mech: Mechanism, structure: Structure, tables: Tables, frame: int, count: int) -> list[Array]:
    """Positions to start from: the bind pose placed onto the markers of a frame, the bind pose, and others around the first."""
    neutral = structure.layout.neutral.copy()
    placed = _placed(mech, structure, tables, frame, neutral)
    rng = np.random.default_rng(0)  # the same ones always
    moves = np.where(_at_roots(structure), 0.0, 1.0)
    others = [integrate(mech, placed, rng.uniform(-1.0, 1.0, mech.nv) * moves) for _ in range(max(0, count - 2))]
    return [placed, neutral, *others][:count]


def _at_roots(structure: Structure) -> Array:
    """(nv,): whether a number of v belongs to a joint at the world."""
    found = np.zeros(structure.nv, bool)
    for k in np.flatnonzero(structure.walk[:, PARENT] < 0):
        found[structure.layout.v_slices[structure.layout.names[structure.walk[k, JOINT]]]] = True
    return found


def _placed(mech: Mechanism, structure: Structure, tables: Tables, frame: int, neutral: Array) -> Array:
    """The bind pose with each root where a rigid body would be, on which the points of its tree sit as in the bind pose."""
    q, walk, layout = neutral.copy(), structure.walk, structure.layout
    seen = tables.point_weights[frame] > 0.0
    for root in np.flatnonzero(walk[:, PARENT] < 0).tolist():
        own = np.flatnonzero(seen & (walk[tables.point_rows, ROOT] == root))
        if own.size == 0:
            continue
        there = np.array([_in_bind_pose(structure, tables.point_rows[i], tables.points[i]) for i in own])
        goals = tables.point_goals[frame].reshape(-1, 3)[own]
        name, body = layout.names[walk[root, JOINT]], structure.body_names[walk[root, BODY]]
        moved = _rigid_fit(there, goals, tables.point_weights[frame][own]) @ Pose.from_row(structure.bind[root])
        joint = mech.joints[name]
        ends = {WORLD: Pose(), body: moved}
        on_parent, on_child = ends[joint.parent] @ joint.parent_pose, ends[joint.child] @ joint.child_pose
        q[layout.q_slices[name]] = position(joint.type, on_parent.inverse() @ on_child)[0]
    return q


def _in_bind_pose(structure: Structure, row: int, point: Array) -> Array:
    """Where a point of a row's body, as kernels have it, is in the world in the bind pose."""
    on_body: Array = Pose.from_row(structure.far[row]).apply(point)
    return Pose.from_row(structure.bind[row]).apply(on_body)


def _rigid_fit(points: Array, goals: Array, weights: Array) -> Pose:
    """The pose that takes points as near as possible to their goals (Kabsch)."""
    share = weights / weights.sum()
    middle, wanted = share @ points, share @ goals
    U, _, Vt = np.linalg.svd((points - middle).T @ (share[:, None] * (goals - wanted)))
    turn = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt)) or 1.0])
    R = Vt.T @ turn @ U.T
    return Pose(R, wanted - R @ middle)
