"""A progress bar for runs that take longer than a second; silent where nobody looks."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_PATIENCE = 1.0  # seconds before a bar appears


class Progress:
    """Shows how far a simulation has come, once it has taken a second; None: only on a terminal."""

    def __init__(self, start: float, end: float, wanted: bool | None) -> None:
        self._start, self._end = start, end
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._began = time.perf_counter()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def update(self, t: float) -> None:
        """The simulated time that has been reached."""
        if not self._wanted:
            return
        if self._bar is None:
            if time.perf_counter() - self._began < _PATIENCE:
                return
            self._open()
        self._bar.update(self._task, completed=t - self._start, description=f"t = {t:.3g} of {self._end:.3g} s")

    def _open(self) -> None:
        from rich.console import Console  # only for runs that need it
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = TextColumn("simulating {task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        console = Console(stderr=True)
        self._bar = Bar(*columns, console=console, transient=console.is_terminal)  # elsewhere its last line is all there is
        self._task = self._bar.add_task("", total=self._end - self._start)
        self._bar.start()

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
