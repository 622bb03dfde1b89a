"""What follows from the parts of a mechanism: made when it is first asked for, and shared by all threads that ask."""

from __future__ import annotations

import os
from threading import Lock
from typing import Any, TypeVar

from .description import Description, Exchange
from .layout import Layout
from .tree import Tree

T = TypeVar("T")


class Derived:
    """The layout, the arrays and the tables of one structure; a field is None until somebody has asked for it.

    Several threads may ask first at the same time. Each then makes what is missing, and all go on with the one that was published
    first: nothing that is published is ever replaced. So mechanisms with the same parts share one `Derived`. A change of the
    parts makes a new one, and whoever holds this one has a layout, a tree and tables of loops that belong together, whatever
    other threads do to the mechanism.
    """

    __slots__ = ("closed", "description", "exchange", "layout", "open_layout", "tree")

    def __init__(
        self,
        layout: Layout | None = None,
        description: Description | None = None,
        exchange: Exchange | None = None,
        tree: Tree | None = None,
    ) -> None:
        self.layout = layout
        self.open_layout = None if layout is None or layout.loops else layout
        """The same where there are no loops: the layout of states whose dynamics is that of the tree alone."""
        self.closed: Any = None
        """The tables of the loops."""
        self.description = description
        self.exchange = exchange
        """How to make the description from another one."""
        self.tree = tree

    def publish(self, field: str, made: T) -> T:
        """Keep what was made for a field, unless another thread was faster; returns what is kept."""
        with _publishing:
            kept: T | None = getattr(self, field)
            if kept is None:
                setattr(self, field, made)
                return made
            return kept

    def lay_out(self, layout: Layout) -> Layout:
        """Publish a layout."""
        if not layout.loops:  # first, so that nobody takes a tree for a closed chain for want of it
            layout = self.publish("open_layout", layout)
        return self.publish("layout", layout)

    def with_layout(self, layout: Layout) -> Derived:
        """The same for a mechanism with the same tree whose loops may be others."""
        exchange = self.exchange  # before the description, which it is settled by
        return Derived(layout, self.description, exchange, self.tree)

    def __reduce__(self) -> Any:
        # trees and tables hold addresses of this process; they are derived again where they are needed
        return Derived, (self.layout,)


_publishing = Lock()


def _renew() -> None:
    """A process that was forked while another thread published would find the lock taken for ever."""
    global _publishing  # noqa: PLW0603
    _publishing = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
