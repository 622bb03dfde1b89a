"""What follows from the parts of a mechanism: made when it is first asked for, and shared by all threads that ask."""

from __future__ import annotations

from typing import Any, TypeVar

from .description import Description, Exchange
from .slots import Layout
from .tree import Tree

T = TypeVar("T")


class Derived:
    """The layout, the arrays and the tables of one structure; a field is None until somebody has asked for it.

    Several threads may ask first at the same time. Each then makes what is missing, and all go on with the one that was published
    first: nothing that is published is ever replaced. A change of the parts makes a new `Derived`, so whoever holds this one
    has a layout, a tree and tables of loops that belong together, whatever other threads do to the mechanism.
    """

    __slots__ = ("_kept", "closed", "description", "exchange", "layout", "open_layout", "tree")

    def __init__(self, kept: dict[str, Any] | None = None, exchange: Exchange | None = None) -> None:
        self._kept = {} if kept is None else kept
        """What is published, by field. The fields have the same, and are read faster."""
        self.layout: Layout | None = self._kept.get("layout")
        self.open_layout: Layout | None = self._kept.get("open_layout")
        """The same where there are no loops: the layout of states whose dynamics is that of the tree alone."""
        self.closed: Any = self._kept.get("closed")
        """The tables of the loops."""
        self.description: Description | None = self._kept.get("description")
        self.exchange = exchange
        """How to make the description from another one."""
        self.tree: Tree | None = self._kept.get("tree")

    def publish(self, field: str, made: T) -> T:
        """Keep what was made for a field, unless another thread was faster; returns what is kept."""
        kept: T = self._kept.setdefault(field, made)  # one step, which no other thread can come between
        setattr(self, field, kept)
        return kept

    def lay_out(self, layout: Layout) -> Layout:
        """Publish a layout."""
        if not layout.loops:  # first, so that nobody takes a tree for a closed chain for want of it
            layout = self.publish("open_layout", layout)
        return self.publish("layout", layout)

    def copy(self) -> Derived:
        """The same for a mechanism with the same parts."""
        return Derived(self._kept.copy(), self.exchange)

    def with_layout(self, layout: Layout) -> Derived:
        """The same for a mechanism with the same tree whose loops may be others."""
        before = self._kept.copy()
        twin = Derived({field: before[field] for field in ("description", "tree") if field in before}, self.exchange)
        twin.lay_out(layout)
        return twin

    def __reduce__(self) -> Any:
        # trees and tables hold addresses of this process; they are derived again where they are needed
        return Derived, ({field: made for field, made in self._kept.copy().items() if field in ("layout", "open_layout")},)
