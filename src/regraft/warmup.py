"""Compile every kernel ahead of time: ``python -m regraft.warmup``. Without it each kernel compiles when it is first needed."""

from __future__ import annotations

import os
import queue
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from functools import cache
from multiprocessing import get_context

from .compilation import ENTRIES, Unit, compile_if_free, compile_quietly, unit_named, units_of
from .progress_bar import ProgressBar

_PATIENCE = 20.0  # seconds without a request after which an assistant ends


@cache
def units() -> tuple[Unit, ...]:
    """Every stage, those that others need first; then every entry as it is declared, those that take long first."""
    found = dict.fromkeys(
        unit for entry in ENTRIES.values() for signature in entry.declared for unit in units_of(entry, signature)
    )
    stages = [unit for unit in found if not hasattr(unit.dispatcher, "declared")]
    entries = [unit for unit in found if hasattr(unit.dispatcher, "declared")]
    return (*stages, *sorted(entries, key=lambda unit: -unit.size))


def compile_kernels() -> None:
    """Compile all that is not on disk yet, on all cores and with a progress bar."""
    missing = {number: unit.name for number, unit in enumerate(units()) if not unit.is_kept}
    context = get_context("spawn")  # a fork would share the compiler's locks
    with (
        ProgressBar(len(missing), stays=True) as progress,
        ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=compile_quietly) as processes,
    ):
        progress.update(0, f"compiling {len(missing)} kernels")
        waiting = {processes.submit(_compile, number): name for number, name in missing.items()}
        for count, done in enumerate(as_completed(waiting), 1):
            done.result()
            progress.update(count, f"compiled {count} of {len(missing)}: {waiting[done]}")
        progress.update(len(missing), "all kernels are compiled")


def assist() -> None:
    """Compile for another process what comes in on the standard input, until that is closed or nothing comes any more."""
    compile_quietly()
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    gone = threading.Event()
    threading.Thread(target=_read, args=(requests, gone), daemon=True).start()
    with suppress(queue.Empty):
        while not gone.is_set():
            compile_if_free(unit_named(requests.get(timeout=_PATIENCE), ENTRIES))


def _read(requests: queue.SimpleQueue[str], gone: threading.Event) -> None:
    """Requests as they come, until the process that asks is gone."""
    for request in sys.stdin:
        requests.put(request)
    gone.set()


def _compile(number: int) -> None:
    """Compile one of the `units`, or load it if another process has meanwhile."""
    unit = units()[number]
    unit.dispatcher.compile(unit.signature)


if __name__ == "__main__":
    compile_kernels()
