"""Inverse dynamics with what carries the body as its root: how forces add up for each root, and the call of all frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..errors import StructureError
from ..kernels import tables
from ..structure.structure import Structure
from .body_motion import Foot, Hold, Motion
from .support_kernels import point_motions, support_dynamics
from .support_tables import FROM, LINK, ONTO, SIGN, Cost, Frames, Results, Ways

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Roots:
    """The ways of forces to each root of a body: as it was recorded, and each of its supports."""

    structure: Structure
    names: tuple[str, ...]
    """Of the supports."""
    frames: tuple[str, ...]
    """The frames of all points."""
    ways: Ways

    @property
    def owner(self) -> Integers:
        """(points,): which support each point belongs to."""
        found: Integers = self.ways.owner[0]
        return found

    @property
    def is_planar(self) -> bool:
        """Whether the body cannot move in all six directions as it was recorded."""
        return int(self.ways.base.shape[1]) < 6

    @property
    def rows(self) -> list[int]:
        """The row of each root: the base first, then what each support acts on."""
        return [self.top, *self.ways.feet[0].tolist()]

    @property
    def top(self) -> int:
        """The row of the base: the body that is the root in the recording."""
        return int(self.ways.steps[len(self.structure.body_names) - 1, FROM])

    def motions(self, motion: Motion) -> tuple[Array, Array]:
        """(n, points, 3) each: where the points are in the world, and how they move."""
        return self.motions_of(motion, self.ways.rows, self.ways.points)

    def motions_of(self, motion: Motion, rows: Integers, points: Array) -> tuple[Array, Array]:
        """The same for other points, (1, k) rows and (k, 3) places in the frames of these."""
        out = np.empty((len(motion.t), 6 * len(points)))
        q, v = np.ascontiguousarray(motion.q), np.ascontiguousarray(motion.v)
        point_motions(self.structure.new_work(), q, v, rows, points, out)
        found = out.reshape(len(motion.t), len(points), 6)
        return found[:, :, :3], found[:, :, 3:]

    def solve(
        self, motion: Motion, root: Integers, shares: Integers, given: Array, yields: Array, pressed: Array, cost: Cost
    ) -> Results:
        """All frames at once; see `Frames` and `Results` for what goes in and comes out."""
        n, bodies = len(motion.t), len(self.structure.body_names)
        frames = Frames(
            q=np.ascontiguousarray(motion.q),
            v=np.ascontiguousarray(motion.v),
            a=np.ascontiguousarray(motion.a),
            root=root.reshape(n, 1),
            shares=np.ascontiguousarray(shares),
            given=np.ascontiguousarray(given),
            yields=np.ascontiguousarray(yields),
            pressed=np.ascontiguousarray(pressed.reshape(n, -1)),
        )
        out = Results(
            np.zeros((n, self.structure.nv)), np.zeros((n, 6)), np.zeros((n, 6 * len(self.names))), np.zeros((n, 6 * bodies))
        )
        support_dynamics(self.structure.new_work(), self.ways, frames, cost, out)
        return out


def roots_of(mech: Mechanism, feet: Mapping[str, Foot | Hold]) -> Roots:
    """The ways of a body whose supports are given by name, the feet first."""
    structure = mech.structure
    walk = structure.walk
    if structure.layout.is_constrained or (walk[1:, tables.PARENT] < 0).any():
        raise StructureError(
            "the motion of a body is analysed as one tree without loops; cut the loops of the mechanism, and leave out what is "
            "not connected to the body."
        )
    rows = {name: structure.row(foot.bodies[0]) for name, foot in feet.items()}
    base, top = _base(walk)
    steps = [_steps(walk, root) for root in (top, *rows.values())]
    places = np.array([np.argsort(way[:, FROM]) for way in steps])
    names, points, point_rows, owner = [], [], [], []
    for s, foot in enumerate(feet.values()):
        for name in foot.points:
            body, at = (
                (mech.frames[name].body, mech.frames[name].pose.translation) if name in mech.frames else (name, np.zeros(3))
            )
            names.append(name)
            points.append(structure.point(body, at))
            point_rows.append(structure.row(body))
            owner.append(s)
    ways = Ways(
        steps=np.concatenate(steps),
        place=places,
        dofs=np.ascontiguousarray(walk[:, (tables.V, tables.END)].T),
        base=_table(base),
        feet=_table(list(rows.values())),
        rows=_table(point_rows),
        points=np.array(points, float).reshape(-1, 3),
        owner=_table(owner),
    )
    return Roots(structure, tuple(feet), tuple(names), ways)


def _table(numbers: Sequence[int] | Integers) -> Integers:
    return np.array(numbers, np.int64).reshape(1, -1)


def _base(walk: Integers) -> tuple[list[int], int]:
    """The degrees of freedom between the world and the first body that carries several others, and the row of that body."""
    children = np.bincount(walk[1:, tables.PARENT], minlength=len(walk))
    dofs: list[int] = []
    k = 0
    while True:
        dofs += range(walk[k, tables.V], walk[k, tables.END])
        if children[k] != 1 or len(dofs) >= 6:
            return dofs, k
        k += 1


def _steps(walk: Integers, root: int) -> Integers:
    """How forces add up at a root: see `Ways.steps`."""
    n = len(walk)
    towards = walk[:, tables.PARENT].copy()
    links, signs = np.arange(n), np.ones(n, np.int64)
    k, onto, joint = root, -1, -1
    while k >= 0:  # the way from the root of the recording to this one is turned round
        above = towards[k]
        towards[k], was = onto, links[k]
        links[k], signs[k] = joint, -1 if onto >= 0 else 1
        onto, joint, k = k, was, above
    depth = np.zeros(n, np.int64)
    for row in range(n):
        k = row
        while towards[k] >= 0:
            depth[row] += 1
            k = towards[k]
    order = np.argsort(-depth, kind="stable")
    found = np.empty((n, 4), np.int64)
    found[:, FROM], found[:, ONTO] = order, towards[order]
    found[:, LINK], found[:, SIGN] = np.maximum(links[order], 0), signs[order]
    return found
