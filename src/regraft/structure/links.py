"""The tree that loop joints make of bodies which are all free by themselves (S3); and cycles and couplings besides."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compilation import allocating
from ..kernels.constraints.tables import FAR, LINK, LINK_LOOP, NEAR, NEAR_IS_CHILD
from ..kernels.tables import CHILD, DOFS, PARENT
from .incidence import incidence


@allocating
def link(loops: Any, walk: Any, couplings: int) -> tuple[Any, Any]:
    """`links` and `cycles` of `Loops` where every body is free by itself; nothing where bodies hang on each other.  O(n)."""
    n, number = walk.shape[0], loops.shape[0]
    if number == 0:
        return np.zeros((0, LINK), np.int64), np.zeros((0, 1), np.int64)
    for k in range(n):
        if walk[k, PARENT] >= 0 or walk[k, DOFS] != 6:
            return np.zeros((0, LINK), np.int64), np.zeros((0, 1), np.int64)
    incident, first = incidence(loops, PARENT, CHILD, n)
    links, needed = np.zeros((n, LINK), np.int64), np.zeros(number, np.int64)
    reached, found, at = np.zeros(n + 1, np.int64), 0, 0
    for root in range(n + 1):  # the world, then what it does not reach; breadth first
        if reached[root]:
            continue
        reached[root] = 1
        here = root
        if root > 0:
            links[found, LINK_LOOP], links[found, NEAR], links[found, FAR] = -1, root - 1, -1
            found += 1
            at = found
        while True:
            for e in range(first[here], first[here + 1]):
                l = incident[e]
                far_is_child = loops[l, CHILD] == here - 1
                near = loops[l, PARENT] if far_is_child else loops[l, CHILD]
                if loops[l, DOFS] < 6 and not reached[near + 1]:
                    reached[near + 1], needed[l] = 1, 1
                    links[found, LINK_LOOP], links[found, NEAR], links[found, FAR] = l, near, here - 1
                    links[found, NEAR_IS_CHILD] = 0 if far_is_child else 1
                    found += 1
            if at == found:
                break
            here, at = links[at, NEAR] + 1, at + 1
    cycles, count = np.zeros((number + couplings, 1), np.int64), 0
    for l in range(number):
        if loops[l, DOFS] < 6 and not needed[l]:
            cycles[count, 0] = l
            count += 1
    for b in range(number, number + couplings):
        cycles[count, 0] = b
        count += 1
    return links[::-1].copy(), cycles[:count].copy()
