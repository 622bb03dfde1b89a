"""What is made when it is first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Owner = TypeVar("Owner")
T = TypeVar("T")


class once(Generic[Owner, T]):  # noqa: N801 (a decorator, as functools.cached_property)
    """A property that is computed once.

    Several threads may ask first at the same time. Each then makes one, and all go on with the one that was kept first: nothing
    that somebody has seen is ever replaced, and there is no lock that a forked process could find taken.
    """

    def __init__(self, make: Callable[[Owner], T]) -> None:
        self._make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> once[Owner, T]: ...

    @overload
    def __get__(self, instance: Owner, owner: type) -> T: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        """What is kept, which hides this property from then on."""
        if instance is None:
            return self
        return kept_first(instance, self._name, self._make(instance))


def kept_first(owner: Any, name: str, made: T) -> T:
    """Keep what was made as an attribute, unless another thread was faster; returns what is kept."""
    found: T = owner.__dict__.setdefault(name, made)
    return found
