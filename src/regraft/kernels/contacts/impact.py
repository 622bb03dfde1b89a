"""Temporary."""
from __future__ import annotations
from typing import Any
from ...compilation import jit
from .complementarity import find_modes
from .problem import STICK, SOLVED

@jit
def collide(problem: Any, e: Any, laws: Any, sequential: bool) -> int:
    for a in range(problem.kinds.shape[0]):
        problem.modes[a] = STICK
    status, item = find_modes(problem)
    for r in range(problem.lam.shape[0]):
        problem.lam[r] *= 1.0 + e[r//3]
    return 0 if status == SOLVED else 8
