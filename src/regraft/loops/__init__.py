"""Closed chains: loop closure, assembly and dynamics."""

from .assembly import assemble
from .tables import loops_of

__all__ = ["assemble", "loops_of"]
