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
    first: nothing that is published is ever replaced. So mechanisms with the same parts share one `Derived`. A change of the
    parts makes a new one, and whoever holds this one has a layout, a tree and tables of loops that belong together, whatever
    other threads do to the mechanism.
    """

    layout: Layout | None = None
    open_layout: Layout | None = None
    """The same where there are no loops: the layout of states whose dynamics is that of the tree alone."""
    closed: Any = None
    """The tables of the loops."""
    description: Description | None = None
    exchange: Exchange | None = None
    """How to make the description from another one."""
    tree: Tree | None = None

    def __init__(self, published: dict[str, Any] | None = None) -> None:
        self.__dict__ = {} if published is None else published

    def publish(self, field: str, made: T) -> T:
        """Keep what was made for a field, unless another thread was faster; returns what is kept."""
        kept: T = self.__dict__.setdefault(field, made)  # one step, which no other thread can come between
        return kept

    def lay_out(self, layout: Layout) -> Layout:
        """Publish a layout."""
        if not layout.loops:  # first, so that nobody takes a tree for a closed chain for want of it
            layout = self.publish("open_layout", layout)
        return self.publish("layout", layout)

    def with_layout(self, layout: Layout) -> Derived:
        """The same for a mechanism with the same tree whose loops may be others."""
        published = self.__dict__.copy()
        published["layout"] = layout
        published["open_layout"] = None if layout.loops else layout
        published.pop("closed", None)
        return Derived(published)

    def __reduce__(self) -> Any:
        # trees and tables hold addresses of this process; they are derived again where they are needed
        return Derived, ({field: made for field, made in self.__dict__.copy().items() if field in ("layout", "open_layout")},)
