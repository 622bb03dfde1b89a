"""The loops of a mechanism as the tables that kernels run on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..joints import kind_of, padded_parameters
from ..kernels.layout import END, PARENT, ROOT, V
from ..kernels.loops import (
    CHILD_ROW,
    FIRST,
    LOOP,
    LOOP_KIND,
    LOOP_NUMBERS,
    LOOP_PAR,
    LOOP_V,
    ON_CHILD,
    PARENT_ROW,
    PATH,
    REACH,
    ROW,
    SINCE,
    VARIES_TOO,
    Loops,
)
from ..mechanism import Mechanism
from ..parts import WORLD
from ..pose import Pose
from ..tree import Tree

Integers = NDArray[np.int64]


def loops_of(mech: Mechanism) -> Loops:
    """The tables of a mechanism's loops; made once for each structure."""
    tree = mech.tree
    if tree.closed is None:
        tree.closed = _tables(mech, tree)
    found: Loops = tree.closed
    return found


def fresh_loops(mech: Mechanism) -> Loops:
    """The tables with scratch of their own, for a computation that runs beside others."""
    found = loops_of(mech)
    return found._replace(rows=found.rows.copy(), Y=found.Y.copy(), W=found.W.copy(), scratch=found.scratch.copy())


def _tables(mech: Mechanism, tree: Tree) -> Loops:
    names = [name for name, *_ in tree.layout.loops]
    loops, numbers = np.zeros((len(names), LOOP), np.int64), np.zeros((len(names), LOOP_NUMBERS))
    ranks, dofs = _order(tree)
    paths: list[list[int]] = []
    rows = 0
    for l, name in enumerate(names):
        joint = mech.joints[name]
        ends = [-1 if body == WORLD else tree.row_of[body] for body in (joint.parent, joint.child)]
        for column, k, place in ((0, ends[0], joint.parent_pose), (ON_CHILD, ends[1], joint.child_pose)):
            local = place if k < 0 else Pose.from_row(tree.far[k].copy()).inverse() @ place
            numbers[l, column : column + 12] = local.to_row()
        numbers[l, LOOP_PAR:] = padded_parameters(joint.type)
        loops[l, [PARENT_ROW, CHILD_ROW, LOOP_KIND, LOOP_V]] = *ends, kind_of(joint.type), joint.type.nv
        loops[l, FIRST], loops[l, VARIES_TOO] = rows, joint.type.kernels.rates is not None
        paths.append(_path(tree, ranks, ends))
        loops[l, PATH] = len(paths[-1])
        rows += 6 - joint.type.nv
    band = _reaches(tree, loops, rows)
    longest = max([1, *map(len, paths)])
    path = np.full((len(names), longest), -1, np.int64)
    for l, found in enumerate(paths):
        path[l, : len(found)] = found
    table: Any = np.zeros((rows, ROW))
    return Loops(loops, numbers, path, ranks, dofs, table, np.zeros((rows, longest)), np.zeros((rows, band)), np.zeros((14, 7)))


def _order(tree: Tree) -> tuple[Integers, Integers]:
    """Place in the walk of each row's first degree of freedom, and the degree of freedom at each place."""
    counts = tree.walk[:, END] - tree.walk[:, V]
    ranks = np.concatenate(([0], np.cumsum(counts)))[:-1].astype(np.int64)
    dofs = np.concatenate([np.zeros(0, np.int64), *(np.arange(row[V], row[END]) for row in tree.walk)])
    return ranks, dofs


def _path(tree: Tree, ranks: Integers, ends: list[int]) -> list[int]:
    """The degrees of freedom on the ways from two bodies to their roots, by their places in the walk."""
    rows = set()
    for end in ends:
        k = end
        while k >= 0 and k not in rows:
            rows.add(k)
            k = int(tree.walk[k, PARENT])
    return [int(ranks[k]) + i for k in sorted(rows) for i in range(int(tree.walk[k, END] - tree.walk[k, V]))]


def _reaches(tree: Tree, loops: Integers, rows: int) -> int:
    """Fill REACH and SINCE of each loop; returns the width of the band."""
    first_of: dict[int, int] = {}
    band = 1
    for l, row in enumerate(loops):
        trees = {int(tree.walk[k, ROOT]) for k in row[[PARENT_ROW, CHILD_ROW]] if k >= 0}
        since = min([l, *(first_of[root] for root in trees if root in first_of)])
        for root in trees:
            first_of.setdefault(root, l)
        row[SINCE], row[REACH] = since, loops[since, FIRST]
        end = loops[l + 1, FIRST] if l + 1 < len(loops) else rows
        band = max(band, int(end - row[REACH]))
    return band
