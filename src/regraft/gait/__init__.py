"""Limit cycles of hybrid motions: fixed points of return maps, their derivatives, their stability, and how they change."""

from .basins import basin
from .branch import Branch
from .branch_points import BranchPoint
from .continuing import continuation
from .cycle import Convergence, LimitCycle, limit_cycle
from .diagrams import bifurcation_diagram

__all__ = ["Branch", "BranchPoint", "Convergence", "LimitCycle", "basin", "bifurcation_diagram", "continuation", "limit_cycle"]
