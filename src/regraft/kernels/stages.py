"""Stages: parts of algorithms that are compiled once, and called by all entries that need them.

A stage finds the tables by their handles. Its callers have the tables already, and hand them to it like to any other function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import int64

from ..algebra.scalars import pack, zero
from ..compilation import PACKS, declared, inline, inline_once, stage, star
from .memory import model_at, work_at
from .tables import R

F = TypeVar("F", bound=Callable[..., Any])

PACKS[:] = [pack]  # for what plans compilations, which lies below scalars


def tree_stage(function: F) -> F:
    """A function of (model, work, ...) as a stage."""
    inner: Any = inline_once(function)

    def compiled(handle: int, like: Any, *given: Any) -> Any:
        return inner(model_at(handle), work_at(handle, like), *given)

    called = stage(named(compiled, function), lambda scalar: (int64, scalar, star(declared(function, scalar, 2))))

    @inline
    def call(model: Any, work: Any, *given: Any) -> Any:
        return called(model.handle, zero(work.body[0, R]), *given)

    return cast("F", call)


def named(compiled: F, function: Any) -> F:
    """With the name of the function that it stands for."""
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(compiled, attribute, getattr(function, attribute))
    return compiled
