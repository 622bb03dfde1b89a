"""Changes of structure: pure functions from a mechanism and a state to new ones; the old ones stay valid."""

from .connect import Connection, connect, connect_all
from .cut import cut
from .derivatives import ChangeDerivatives, change_derivatives
from .reroot import reroot

__all__ = ["ChangeDerivatives", "Connection", "change_derivatives", "connect", "connect_all", "cut", "reroot"]
