"""Which joints there are on each body."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compilation import allocating


@allocating
def incidence(ends: Any, bodies: int) -> tuple[Any, Any]:
    """The joints on each body, as lists in one array, and where each list starts; the world is 0, body b is b + 1.  O(n).

    The first two columns of `ends` are a joint's bodies, the world as −1.
    """
    first, incident = np.zeros(bodies + 2, np.int64), np.empty(2 * ends.shape[0], np.int64)
    for j in range(ends.shape[0]):
        first[ends[j, 0] + 2] += 1
        first[ends[j, 1] + 2] += 1
    for b in range(1, bodies + 2):
        first[b] += first[b - 1]
    filled = first.copy()
    for j in range(ends.shape[0]):
        for side in range(2):
            b = ends[j, side] + 1
            incident[filled[b]] = j
            filled[b] += 1
    return incident, first
