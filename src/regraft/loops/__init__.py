"""Closed chains: loop closure, assembly, impacts and forces of loops."""

from ..kernels.closure import ASSEMBLED
from .assembly import assemble, assembled
from .forces import loop_wrenches
from .impact import take_hold
from .tables import LoopTables, loop_measures, loops_of

__all__ = ["ASSEMBLED", "LoopTables", "assemble", "assembled", "loop_measures", "loop_wrenches", "loops_of", "take_hold"]
