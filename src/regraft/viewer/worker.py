"""The thread behind a page: it does what the page asks for, one thing after the other, and draws a frame whenever one is due."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

logger = logging.getLogger("regraft.viewer")

Task = tuple[Callable[..., object], tuple[Any, ...]]


class Worker:
    """A thread with a list of things to do.

    All that touches a page is done in its one thread, in the order in which it was asked for; so two clicks that come together
    do not mix, and what vanishes with its page ends with it.

    Parameters
    ----------
    frame : callable
        Draws a frame; returns the time of `time.perf_counter` at which the next one is due.
    failed : callable
        Is told of an error that nobody expected; the thread goes on.
    """

    def __init__(
        self, frame: Callable[[], float], failed: Callable[[BaseException], object], name: str = "regraft viewer"
    ) -> None:
        self._frame, self._failed = frame, failed
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._said, self._since = "", 0.0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.spent = 0.0
        """The processor's time that the thread has taken, s."""

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def post(self, task: Callable[..., object], *given: Any) -> None:
        """Have something done soon; from any thread."""
        self._tasks.put((task, given))

    def stop(self, patience: float = 5.0) -> None:
        """Do nothing more, and wait until what is being done is done."""
        self._stopped.set()
        self._tasks.put(None)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(patience)

    @property
    def alive(self) -> bool:
        """Whether the thread is there."""
        return self._thread.is_alive()

    def _run(self) -> None:
        due = time.perf_counter()
        while not self._stopped.is_set():
            try:
                task = self._tasks.get(timeout=max(0.0, due - time.perf_counter()))
            except queue.Empty:
                due = self._guarded(self._frame)
            else:
                if task is not None:
                    self._guarded(task[0], *task[1])
                if time.perf_counter() >= due:  # many tasks in a row do not stop the frames
                    due = self._guarded(self._frame)
            self.spent = time.thread_time()

    def _guarded(self, work: Callable[..., Any], *given: Any) -> float:
        try:
            found = work(*given)
        except Exception as problem:  # of a page; the others go on
            if not self._stopped.is_set():
                logger.exception("an error in the viewer")
                self._tell(problem)
            found = None
        return found if isinstance(found, float) else time.perf_counter() + _AFTER_ERROR

    def _tell(self, problem: Exception) -> None:
        """Once, where the same error comes again and again, as it does from every frame."""
        said = f"{type(problem).__name__}: {problem}"
        if said == self._said and time.monotonic() - self._since < _AGAIN:
            return
        self._said, self._since = said, time.monotonic()
        try:
            self._failed(problem)
        except Exception:  # of a page that has gone meanwhile; the thread goes on until it is stopped
            logger.exception("an error in the viewer cannot be told")


_AGAIN = 10.0  # s: when an error that comes again is told again
_AFTER_ERROR = 0.1  # s
