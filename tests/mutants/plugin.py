"""A plugin for pytest: notes which lines of the sources each test runs, or runs chosen tests in a chosen order.

The task is a JSON file that the environment names: ``{"record": file}``, ``{"mutants": [...], "verdicts": file}`` or
``{"tests": [...], "verdict": file}``.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from hypothesis import Phase, settings
from numba.core import event

TASK = "REGRAFT_MUTANTS_TASK"
NOT_PLAIN = 77
"""The exit status of a process in which a kernel of ours was about to be compiled: the mutation was not one of plain code."""

UNFIT = 78
"""The exit status of a child that cannot try a mutation; it needs a process of its own."""
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
            ours = code.co_filename.startswith(self._prefix) and code.co_flags & inspect.CO_OPTIMIZED  # a function
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
        start = time.process_time()  # others may use the machine too
        test = self._tests[item.nodeid] = {"passed": True}
        self._lines.start()
        try:
            return (yield)
        finally:
            test["lines"] = self._lines.stop()
            test["time"] = time.process_time() - start
            test["compiles"] = self._compilations.any

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._tests[report.nodeid]["passed"] = False

    def pytest_sessionfinish(self) -> None:
        self._file.write_text(json.dumps(self._tests))


def _limit_memory() -> None:
    """A mutant that never stops must not take the machine with it."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


class Chooser:
    """Runs the tests of a list, in its order, and notes the first that fails."""

    def __init__(self, tests: list[str], verdict: str) -> None:
        self._order, self._verdict = {test: place for place, test in enumerate(tests)}, Path(verdict)
        event.register("numba:compile", Compilations(forbidden=True))
        _limit_memory()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._verdict.write_text(report.nodeid)


class Nursery:
    """Tries mutants in children of one process, which has imported everything and run nothing.

    A child exchanges the code of the functions that a mutation changes, and runs tests until one fails. What is made while
    modules are imported cannot be changed so, and is left to processes of its own.
    """

    def __init__(self, mutants: list[dict[str, Any]], verdicts: str, folder: Path) -> None:
        self._mutants, self._verdicts, self._folder = mutants, Path(verdicts), folder
        self._imported = Lines(folder)
        self._imported.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        imported = self._imported.stop()
        items = {item.nodeid: item for item in session.items}
        for mutant in self._mutants:
            chosen = [items[name] for name in mutant["tests"] if name in items]
            if not chosen or set(mutant["lines"]) & set(imported.get(mutant["file"], ())):
                status, by = UNFIT, ""
            else:
                status, by = self._try(mutant, chosen)
            with self._verdicts.open("a") as file:
                file.write(json.dumps({"key": mutant["key"], "status": status, "by": by}) + "\n")
        return True

    def _try(self, mutant: dict[str, Any], items: list[pytest.Item]) -> tuple[int | None, str]:
        """The exit status of a child, None where it did not end in time, and the test that failed."""
        failed = Path(f"{self._verdicts}.failed")
        failed.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            os.setsid()
            _limit_memory()
            event.register("numba:compile", Compilations(forbidden=True))
            os._exit(self._child(mutant, items, failed))
        end, done = time.monotonic() + mutant["seconds"], 0
        try:
            while time.monotonic() < end:
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    return os.waitstatus_to_exitcode(status), failed.read_text() if failed.exists() else ""
                time.sleep(0.02)
        finally:
            if not done:  # not in time, or interrupted
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
        return None, ""

    def _child(self, mutant: dict[str, Any], items: list[pytest.Item], failed: Path) -> int:
        try:
            exchange(self._folder / mutant["file"], mutant["source"])
        except (ValueError, LookupError):
            return UNFIT
        config = items[0].config
        config.pluginmanager.register(First(failed))
        for item, following in zip(items, [*items[1:], None], strict=True):
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return 0


class First:
    """Ends the process when a test fails."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._file.write_text(report.nodeid)
            os._exit(1)


def exchange(file: Path, source: str) -> None:
    """Give the functions of an imported file the code that they have in another text of it."""
    old, new = (_codes(compile(text, str(file), "exec")) for text in (file.read_text(), source))
    changed = {key: code for key, code in new.items() if key in old and old[key] != code}
    found = set()
    for function in gc.get_objects():
        if issubclass(type(function), FunctionType) and function.__code__.co_filename == str(file):
            key = _key(function.__code__)
            if key in changed:
                function.__code__ = changed[key]
                found.add(key)
    if not any("<locals>" not in name for name, _ in found):
        raise LookupError("no function has that code")


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """The code of all functions in another code."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    found = {_key(each): each for each in inner if each.co_flags & inspect.CO_OPTIMIZED}
    for each in inner:
        found.update(_codes(each))
    return found


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def pytest_configure(config: pytest.Config) -> None:
    """Do what the task asks for."""
    task = json.loads(Path(os.environ[TASK]).read_text())
    folder = config.rootpath / "src" / "regraft"
    if "record" in task:
        config.pluginmanager.register(Recorder(task["record"], folder))
    elif "mutants" in task:
        config.pluginmanager.register(Nursery(task["mutants"], task["verdicts"], folder))
    else:
        config.pluginmanager.register(Chooser(task["tests"], task["verdict"]))


def pytest_sessionstart() -> None:
    """A failure is enough: no smaller example is looked for."""
    settings.register_profile("mutants", settings.default, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")
