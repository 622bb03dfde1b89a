"""How far a long computation has come, on the standard error: a bar where Rich is installed, and plain lines where it is not."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Protocol, Self

_BETWEEN_LINES = 2.0  # seconds
_PATIENCE = 1.0  # seconds before a bar appears


class ProgressBar:
    """Is told how much is done, and shows it, until it is closed; it can be used as a context.

    Parameters
    ----------
    total : float
        How much there is to do, in any unit.
    stays : bool, optional
        Whether a bar is still to be seen on a terminal when it is closed.
    """

    def __init__(self, total: float, stays: bool = False) -> None:
        try:
            self._shown: _Shown = _Bar(total, stays)
        except ImportError:  # Rich is for looks
            self._shown = _Lines(total)

    def __enter__(self) -> Self:
        return self

    def update(self, done: float, text: str) -> None:
        """So much is done; `text` says it in words."""
        self._shown.update(done, text)

    def close(self) -> None:
        """Show no more."""
        self._shown.close()

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class LateBar:
    """A bar that appears once the work has taken a second, where anybody looks; used as a context.

    Parameters
    ----------
    total : float
        How much there is to do, in any unit.
    wanted : bool, optional
        Whether it is to appear; by default on a terminal alone.
    """

    def __init__(self, total: float, wanted: bool | None) -> None:
        self._total, self._wanted = total, wanted
        self._began = time.perf_counter()
        self._bar: ProgressBar | None = None

    def __enter__(self) -> Self:
        return self

    @property
    def is_due(self) -> bool:
        """Whether it is there, or is to appear now."""
        if self._wanted is False or time.perf_counter() - self._began < _PATIENCE:
            return False
        if self._wanted is None:
            self._wanted = sys.stderr.isatty()
        return self._wanted

    def update(self, done: float, text: str) -> None:
        """So much is done; `text` says it in words."""
        if not self.is_due:
            return
        if self._bar is None:
            self._bar = ProgressBar(self._total)
        self._bar.update(done, text)

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()


class _Shown(Protocol):
    def update(self, done: float, text: str) -> None: ...

    def close(self) -> None: ...


class _Bar:
    """Rich's bar."""

    def __init__(self, total: float, stays: bool) -> None:
        from rich.console import Console  # only for computations that need it
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        console = Console(stderr=True)
        fleeting = console.is_terminal and not stays  # elsewhere its end is all that is shown
        self._bar = Progress(*columns, console=console, transient=fleeting)
        self._task = self._bar.add_task("", total=total)
        self._bar.start()

    def update(self, done: float, text: str) -> None:
        self._bar.update(self._task, completed=done, description=text)

    def close(self) -> None:
        self._bar.stop()


class _Lines:
    """A line at the start, every few seconds, and when all is done."""

    def __init__(self, total: float) -> None:
        self._total = total
        self._last = float("-inf")

    def update(self, done: float, text: str) -> None:
        if done >= self._total or time.monotonic() - self._last >= _BETWEEN_LINES:
            print(text, file=sys.stderr, flush=True)
            self._last = time.monotonic()

    def close(self) -> None:
        """Nothing to put away."""
