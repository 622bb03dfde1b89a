"""Compile every kernel ahead of time: ``python -m regraft.warmup``. Without it each kernel compiles when it is first needed."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context

from .compilation import ENTRIES, Unit, compile_quietly, units_of
from .progress_bar import ProgressBar


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


def _compile(number: int) -> None:
    """Compile one of the `units`, or load it if another process has meanwhile."""
    unit = units()[number]
    unit.dispatcher.compile(unit.signature)


if __name__ == "__main__":
    compile_kernels()
