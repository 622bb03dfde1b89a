"""A plugin for pytest: notes which lines of the sources each test runs, or runs chosen tests in a chosen order.

The task is a JSON file that the environment names: ``{"record": file}`` or ``{"tests": [...], "verdict": file}``.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from hypothesis import Phase, settings
from numba.core import event

TASK = "REGRAFT_MUTANTS_TASK"
NOT_PLAIN = 77
"""The exit status of a process in which a kernel of ours was about to be compiled: the mutation was not one of plain code."""

MEMORY = 6 << 30
"""Bytes that a mutant may take."""


class Lines:
    """The lines of files in a folder that run while this is on."""

    def __init__(self, folder: Path) -> None:
        self._prefix = f"{folder}/"
        self._codes: dict[CodeType, tuple[set[int], int] | None] = {}

    def start(self) -> None:
        self._codes = {}
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self) -> dict[str, list[int]]:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        found: dict[str, set[int]] = {}
        for code, lines in self._codes.items():
            if lines is not None:
                found.setdefault(code.co_filename.removeprefix(self._prefix), set()).update(lines[0])
        return {file: sorted(lines) for file, lines in found.items()}

    def _enter(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        try:
            lines = self._codes[code]
        except KeyError:
            ours = code.co_filename.startswith(self._prefix) and code.co_name != "<module>"
            lines = (set(), len({line for _, _, line in code.co_lines() if line})) if ours else None
            self._codes[code] = lines
        if lines is None or len(lines[0]) == lines[1]:  # each line that has run costs nothing any more
            return None
        seen = lines[0]

        def step(frame: FrameType, _event: str, _argument: Any) -> Any:
            seen.add(frame.f_lineno)
            return step

        return step


class Compilations(event.Listener):  # type: ignore[misc]
    """Whether kernels of ours are compiled; `forbidden`, the process ends."""

    def __init__(self, forbidden: bool) -> None:
        self.any, self._forbidden = False, forbidden

    def on_start(self, happening: event.Event) -> None:
        if happening.data["dispatcher"].py_func.__module__.startswith("regraft"):
            self.any = True
            if self._forbidden:
                os._exit(NOT_PLAIN)

    def on_end(self, happening: event.Event) -> None:
        pass


class Recorder:
    """Writes for each test its time, the lines it runs, and whether it can be used to judge mutants."""

    def __init__(self, file: str, folder: Path) -> None:
        self._file, self._lines, self._compilations = Path(file), Lines(folder), Compilations(forbidden=False)
        self._tests: dict[str, dict[str, Any]] = {}
        event.register("numba:compile", self._compilations)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._compilations.any = False
        start = time.perf_counter()
        test = self._tests[item.nodeid] = {"passed": True}
        self._lines.start()
        try:
            return (yield)
        finally:
            test["lines"] = self._lines.stop()
            test["time"] = time.perf_counter() - start
            test["compiles"] = self._compilations.any

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._tests[report.nodeid]["passed"] = False

    def pytest_sessionfinish(self) -> None:
        self._file.write_text(json.dumps(self._tests))


class Chooser:
    """Runs the tests of a list, in its order, and notes the first that fails."""

    def __init__(self, tests: list[str], verdict: str) -> None:
        self._order, self._verdict = {test: place for place, test in enumerate(tests)}, Path(verdict)
        event.register("numba:compile", Compilations(forbidden=True))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._verdict.write_text(report.nodeid)


def _limit_memory() -> None:
    """A mutant that never stops must not take the machine with it."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def pytest_configure(config: pytest.Config) -> None:
    """Do what the task asks for."""
    task = json.loads(Path(os.environ[TASK]).read_text())
    if "record" in task:
        config.pluginmanager.register(Recorder(task["record"], config.rootpath / "src" / "regraft"))
    else:
        _limit_memory()
        config.pluginmanager.register(Chooser(task["tests"], task["verdict"]))


def pytest_sessionstart() -> None:
    """A failure is enough: no smaller example is looked for."""
    settings.register_profile("mutants", settings.default, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")
