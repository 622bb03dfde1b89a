"""Limit cycles of hybrid motions: fixed points of return maps, their derivatives and their stability."""

from .basins import basin
from .cycle import Convergence, LimitCycle, limit_cycle

__all__ = ["Convergence", "LimitCycle", "basin", "limit_cycle"]
