"""Kernels in a compiled loop, as a simulation runs them."""

from __future__ import annotations

from regraft.compilation import Floats, Table, entry
from regraft.kernels.aba import aba
from regraft.kernels.crba import crba
from regraft.kernels.memory import model_at, work_at
from regraft.kernels.rnea import rnea


@entry
def repeat_aba(count: int, handle: int, q: Floats, v: Floats, tau: Floats, external: Table, out: Floats) -> None:
    """Forward dynamics, `count` times."""
    for _ in range(count):
        aba(model_at(handle), work_at(handle, q), q, v, tau, external, out)


@entry
def repeat_rnea(count: int, handle: int, q: Floats, v: Floats, a: Floats, external: Table, out: Floats) -> None:
    """Inverse dynamics, `count` times."""
    for _ in range(count):
        rnea(model_at(handle), work_at(handle, q), q, v, a, external, out)


@entry
def repeat_crba(count: int, handle: int, q: Floats, out: Table) -> None:
    """The mass matrix, `count` times."""
    for _ in range(count):
        crba(model_at(handle), work_at(handle, q), q, out)
