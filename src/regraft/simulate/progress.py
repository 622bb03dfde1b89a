"""Progress of runs that take longer than a second; silent where nobody looks."""

from __future__ import annotations

from types import TracebackType

from ..progress_bar import LateBar


class Progress:
    """Shows how far a simulation has come, once it has taken a second; None: only on a terminal."""

    def __init__(self, start: float, end: float, wanted: bool | None) -> None:
        self._start, self._end = start, end
        self._bar = LateBar(end - start, wanted)

    def __enter__(self) -> Progress:
        return self

    def update(self, t: float) -> None:
        """The simulated time that has been reached."""
        if self._bar.is_due:
            self._bar.update(t - self._start, f"simulating t = {t:.3g} of {self._end:.3g} s")

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.__exit__(kind, problem, trace)
