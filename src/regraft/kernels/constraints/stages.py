"""Stages of algorithms on closed chains."""

from __future__ import annotations

from typing import Any, cast

from numba import int64

from ...algebra.scalars import zero
from ...compilation import declared, inline, inline_once, stage, star
from ..memory import loops_at, model_at, work_at
from ..stages import F, named
from ..tables import R


def loop_stage(function: F) -> F:
    """A function of (model, work, closed, ...) as a stage."""
    inner: Any = inline_once(function)

    def compiled(handle: int, like: Any, *given: Any) -> Any:
        return inner(model_at(handle), work_at(handle, like), loops_at(handle, like), *given)

    called = stage(named(compiled, function), lambda scalar: (int64, scalar, star(declared(function, scalar, 3))))

    @inline
    def call(model: Any, work: Any, _closed: Any, *given: Any) -> Any:
        return called(model.handle, zero(work.body[0, R]), *given)

    return cast("F", call)
