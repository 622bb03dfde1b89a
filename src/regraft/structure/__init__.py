"""Changes of structure: pure functions from a mechanism and a state to new ones; the old ones stay valid."""

from .cut import cut
from .reroot import reroot

__all__ = ["cut", "reroot"]
