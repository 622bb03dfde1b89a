"""Closed chains: loop closure, assembly and dynamics."""

from .assembly import ASSEMBLED, assemble, assembled
from .tables import fresh_loops, loops_of

__all__ = ["ASSEMBLED", "assemble", "assembled", "fresh_loops", "loops_of"]
