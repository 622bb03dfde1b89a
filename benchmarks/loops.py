"""Kernels in a compiled loop, as a simulation runs them."""

from __future__ import annotations

from typing import Any

from regraft.compilation import entry
from regraft.kernels.aba import aba
from regraft.kernels.crba import crba
from regraft.kernels.layout import model_at, work_at
from regraft.kernels.rnea import rnea


@entry
def repeat_aba(count: int, handle: int, q: Any, v: Any, tau: Any, external: Any, out: Any) -> None:
    """Forward dynamics, `count` times."""
    for _ in range(count):
        aba(model_at(handle), work_at(handle, q), q, v, tau, external, out)


@entry
def repeat_rnea(count: int, handle: int, q: Any, v: Any, a: Any, external: Any, out: Any) -> None:
    """Inverse dynamics, `count` times."""
    for _ in range(count):
        rnea(model_at(handle), work_at(handle, q), q, v, a, external, out)


@entry
def repeat_crba(count: int, handle: int, q: Any, out: Any) -> None:
    """The mass matrix, `count` times."""
    for _ in range(count):
        crba(model_at(handle), work_at(handle, q), q, out)
