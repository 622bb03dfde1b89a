"""Stages of algorithms on contacts."""

from __future__ import annotations

from typing import Any, cast

from numba import int64

from ...compilation import declared, inline, stage, star
from ..memory import model_at, work_at
from ..stages import F, named
from .memory import contacts_at


def contact_stage(function: F) -> F:
    """A function of (model, work, contacts, ...) as a stage."""
    inner: Any = inline(function)

    def compiled(handle: int, *given: Any) -> Any:
        return inner(model_at(handle), work_at(handle, 0.0), contacts_at(handle), *given)

    called = stage(named(compiled, function), lambda scalar: (int64, star(declared(function, scalar, 3))))

    @inline
    def call(model: Any, _work: Any, _contacts: Any, *given: Any) -> Any:
        return called(model.handle, *given)

    return cast("F", call)
