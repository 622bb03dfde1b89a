"""The entries of `free_bodies`, for maximal coordinates; `closure` calls them by their addresses.

So closed chains in reduced coordinates, which do not need them, need not wait until they are compiled.
"""

from __future__ import annotations

from typing import Any

from ...compilation import entry, inline
from ..memory import loops_at, model_at, work_at
from .free_bodies import balance_links, eliminate_links, push_links
from .tables import BALANCE, ELIMINATE, GAP, REDUNDANT_BELOW


@entry
def links_kernel(handle: int, what: int) -> float:
    """Eliminate, balance, or take the forces of all rows back; see `closure.ask_links`."""
    do_links(handle, what, 0.0)
    return 0.0


@inline
def do_links(handle: int, what: int, like: Any) -> None:
    """What a kernel does, in the scalar of `like`."""
    model, work, closed = model_at(handle), work_at(handle, like), loops_at(handle, like)
    if what == ELIMINATE:
        eliminate_links(model, work, closed, closed.scratch[GAP, REDUNDANT_BELOW].real)
    elif what == BALANCE:
        balance_links(model, work, closed)
    else:
        push_links(model, work, closed, -1.0)
