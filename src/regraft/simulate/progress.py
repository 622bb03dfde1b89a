"""Progress of runs that take longer than a second; silent where nobody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType

from ..progress_bar import ProgressBar

_PATIENCE = 1.0  # seconds before a bar appears


class Progress:
    """Shows how far a simulation has come, once it has taken a second; None: only on a terminal.

    `text` makes words of what it is told, where that is not the simulated time.
    """

    def __init__(self, start: float, end: float, wanted: bool | None, text: Callable[[float], str] | None = None) -> None:
        self._start, self._end = start, end
        self._text = self._simulated if text is None else text
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._began = time.perf_counter()
        self._bar: ProgressBar | None = None

    def __enter__(self) -> Progress:
        return self

    def update(self, t: float) -> None:
        """The simulated time, or whatever counts, that has been reached."""
        if not self._wanted:
            return
        if self._bar is None:
            if time.perf_counter() - self._began < _PATIENCE:
                return
            self._bar = ProgressBar(self._end - self._start)
        self._bar.update(t - self._start, self._text(t))

    def _simulated(self, t: float) -> str:
        return f"simulating t = {t:.3g} of {self._end:.3g} s"

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()
