"""Around each compilation of one of our kernels: a word on what the wait is for and how much is left, and what LLVM may do."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numba
from numba.core import event

from .assistants import ask_for_help
from .cache import KernelCache, cache_home, why_not_kept
from .haste import Haste
from .plan import Unit, shown_name, units_of

_WIDTH = 60  # of the line that says what is being compiled


class _Compilation(event.Listener):  # type: ignore[misc]
    """Says what the wait is for, lets LLVM vectorise straight-line code, and makes haste.

    Numba leaves vectorising off. Algebra on tuples gains a tenth from it; what others compile is left alone.
    """

    quiet = False
    said = False

    def __init__(self) -> None:
        self.others = self.running = 0
        self.haste = Haste()
        self.left: list[Unit] = []

    def on_start(self, happening: event.Event) -> None:
        dispatcher = happening.data["dispatcher"]
        if not _is_ours(dispatcher):
            return
        if self.running == 0:
            self.others, numba.config.SLP_VECTORIZE = numba.config.SLP_VECTORIZE, 1
            self.haste.begin()
            self._begin(dispatcher, tuple(happening.data["args"]))
        self.running += 1
        if _is_kernel(dispatcher):
            self._show(dispatcher)

    def on_end(self, happening: event.Event) -> None:
        dispatcher = happening.data["dispatcher"]
        if not _is_ours(dispatcher):
            return
        self.running -= 1
        self.left = [unit for unit in self.left if unit.dispatcher is not dispatcher]
        if self.running == 0:
            numba.config.SLP_VECTORIZE = self.others
            self.haste.end()
            if _in_terminal() and not self.quiet:
                print(" " * _WIDTH, end="\r", file=sys.stderr, flush=True)

    def _begin(self, dispatcher: Any, signature: tuple[Any, ...]) -> None:
        """Say once in a process that kernels are compiled, and find out how many there are."""
        known = hasattr(dispatcher, "declared") and signature in dispatcher.declared
        self.left = [unit for unit in units_of(dispatcher, signature) if not unit.is_there] if known and not self.quiet else []
        if known and not self.quiet:
            ask_for_help(dispatcher, signature)
        if self.said or self.quiet:
            return
        _Compilation.said = True
        problem = why_not_kept()
        where = f"kept in {cache_home()}" if problem is None else f"not kept: {problem}"
        print(f"regraft: compiling kernels, once for this version and machine ({where}) ...", file=sys.stderr)

    def _show(self, dispatcher: Any) -> None:
        if _in_terminal() and not self.quiet:
            line = f"  compiling {shown_name(dispatcher)}" + (f", {len(self.left)} to go" if self.left else "")
            print(f"{line:{_WIDTH}}", end="\r", file=sys.stderr, flush=True)


def compile_quietly() -> None:
    """Say nothing of compilations, in a process whose parent shows progress."""
    _Compilation.quiet = True


def _in_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _is_ours(dispatcher: Any) -> bool:
    return str(dispatcher.py_func.__module__).startswith("regraft")  # None for functions made by exec


def _is_kernel(dispatcher: Any) -> bool:
    return isinstance(dispatcher._cache, KernelCache)


@cache
def attend_compilations() -> None:
    """Listen from now on."""
    event.register("numba:compile", _Compilation())
