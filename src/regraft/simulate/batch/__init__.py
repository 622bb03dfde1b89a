"""Many motions of one mechanism at once."""

from .measures import Measure
from .result import Batch
from .simulation import simulate_batch

__all__ = ["Batch", "Measure", "simulate_batch"]
