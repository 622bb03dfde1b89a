"""Which joints there are on each body."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compilation import allocating


@allocating
def incidence(joints: Any, parent: int, child: int, bodies: int) -> tuple[Any, Any]:
    """The joints on each body, as lists in one array, and where each list starts; the world is 0, body b is b + 1.  O(n).

    A joint's bodies are in the columns `parent` and `child`, the world as −1.
    """
    first, incident = np.zeros(bodies + 2, np.int64), np.empty(2 * joints.shape[0], np.int64)
    for j in range(joints.shape[0]):
        first[joints[j, parent] + 2] += 1
        first[joints[j, child] + 2] += 1
    for b in range(1, bodies + 2):
        first[b] += first[b - 1]
    filled = first.copy()
    for j in range(joints.shape[0]):
        for side in (parent, child):
            b = joints[j, side] + 1
            incident[filled[b]] = j
            filled[b] += 1
    return incident, first
