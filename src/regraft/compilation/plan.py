"""What there is to compile, and in which order: stages before what calls them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .ingredients import merged, stages_of
from .signatures import PACKS, scalar_of


class Unit(NamedTuple):
    """A stage or an entry, with the types that it is compiled for."""

    dispatcher: Any
    signature: tuple[Any, ...]

    @property
    def name(self) -> str:
        """As it is told to people."""
        return shown_name(self.dispatcher)

    @property
    def size(self) -> int:
        """How many functions it is made of, by which its compilation takes longer or shorter."""
        return len(merged(self.dispatcher.py_func))

    @property
    def is_kept(self) -> bool:
        """Whether its machine code lies on disk."""
        return bool(self.dispatcher._cache.has(self.signature))

    @property
    def is_there(self) -> bool:
        """Whether it need not be compiled: it lies on disk, or comes with the package."""
        return self.is_kept or bool(self.dispatcher._cache.is_shipped(self.signature))


def shown_name(dispatcher: Any) -> str:
    """What people are told that is being compiled."""
    return str(dispatcher.py_func.__name__).strip("_")


def units_of(dispatcher: Any, signature: tuple[Any, ...]) -> list[Unit]:
    """All that an entry needs, itself last."""
    found: dict[Unit, None] = {}
    _add(dispatcher, signature, PACKS[0] if _takes_packs(dispatcher) else scalar_of(signature), found)
    return list(found)


def _takes_packs(dispatcher: Any) -> bool:
    """Whether an entry takes its arrays as packs, in which all of its stages compute then."""
    return any("as_packs" in part.__code__.co_names for part in merged(dispatcher.py_func))


def _add(dispatcher: Any, signature: tuple[Any, ...], scalar: Any, found: dict[Unit, None]) -> None:
    for stage in stages_of(dispatcher.py_func):
        own = stage.declared_in(scalar)
        if Unit(stage, own) not in found:
            _add(stage, own, scalar, found)
    found[Unit(dispatcher, signature)] = None
