"""In which order degrees of freedom are differentiated and solved for."""

from __future__ import annotations

from typing import Any

from ...compilation import IntegerTable, entry, inline
from ..memory import model_at
from ..tables import END, PARENT, V
from .tables import DEPTH, FIRST, LAST, NUMBER


@entry
def plan_dofs(handle: int, plan: IntegerTable) -> int:
    """Fill `plan`: as the walk is depth first, what is below a degree of freedom follows it.  O(nv depth).

    Returns the length of the longest path.
    """
    walk, t, longest = model_at(handle).walk, 0, 0
    for k in range(walk.shape[0]):
        above = dofs_above(walk, k)
        for d in range(walk[k, V], walk[k, END]):
            plan[t, NUMBER], plan[t, DEPTH], plan[t, LAST] = d, above, 1
            plan[t, FIRST] = t == 0 or plan[t - 1, DEPTH] < above
            t, above = t + 1, above + 1
        longest = max(longest, above)
    for i in range(t):
        for j in range(i + 1, t):
            if plan[j, DEPTH] <= plan[i, DEPTH]:
                plan[i, LAST] = plan[j, DEPTH] < plan[i, DEPTH]
                break
    return longest


@inline
def dofs_above(walk: Any, k: int) -> int:
    """How many degrees of freedom are above those of row k."""
    count, k = 0, walk[k, PARENT]
    while k >= 0:
        count, k = count + walk[k, END] - walk[k, V], walk[k, PARENT]
    return count
