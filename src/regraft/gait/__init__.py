"""Limit cycles of hybrid motions: fixed points of return maps, their derivatives, their stability, and how they change."""

from .branch import Branch
from .branch_points import BranchPoint
from .continuing import continuation
from .cycle import Convergence, LimitCycle, limit_cycle

__all__ = ["Branch", "BranchPoint", "Convergence", "LimitCycle", "continuation", "limit_cycle"]
