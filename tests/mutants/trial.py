"""Mutants against their tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .mutations import Mutation
from .plugin import NOT_PLAIN, UNFIT
from .record import PACKAGE, Record, environment, judges, pytest_command

START = 60.0  # seconds that a process may take beside its tests
SLOWER = 5.0  # a mutant may take so many times the tests' own time


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: "killed", "stuck" (no end in sight, which is seen too), "alive" or "compiles"."""

    mutation: Mutation
    outcome: str
    by: str
    before: str
    after: str

    @property
    def seen(self) -> bool:
        """Whether the tests see it."""
        return self.outcome in ("killed", "stuck")


def try_all(mutations: list[Mutation], record: Record, seconds: float, tree: Path) -> Iterator[Verdict]:
    """The verdicts on mutants, as they come; the tree is used for one at a time."""
    tests = {mutation.key: judges(mutation, record, seconds) for mutation in mutations}
    times = {key: START + SLOWER * sum(record[name]["time"] for name in own) for key, own in tests.items()}
    sources = {mutation.file: (tree / PACKAGE / mutation.file).read_bytes() for mutation in mutations}
    by_key = {mutation.key: mutation for mutation in mutations}

    def verdict(key: str, status: int | None, by: str) -> Verdict:
        if status == 4:
            sys.exit(f"pytest cannot find the tests of {by_key[key].file}; note again what they run, with --fresh.")
        outcome = {0: "alive", 5: "alive", NOT_PLAIN: "compiles", None: "stuck"}.get(status, "killed")
        mutation = by_key[key]
        if outcome == "killed" and not by:
            by = "an error that ends the process"
        return Verdict(mutation, outcome, by, *mutation.difference(sources[mutation.file]))

    waiting = [mutation.key for mutation in mutations if tests[mutation.key]]
    yield from (verdict(key, 0, "no test runs it") for key, own in tests.items() if not own)
    fit = [key for key in waiting if by_key[key].lines] if hasattr(os, "fork") else []
    alone = [key for key in waiting if key not in set(fit)]
    mutants = [
        {
            "key": key, "file": by_key[key].file, "lines": by_key[key].lines, "tests": tests[key], "seconds": times[key],
            "source": by_key[key].applied(sources[by_key[key].file]).decode(),
        }
        for key in fit
    ]  # fmt: skip
    for key, status, by in _in_children(mutants, tree):
        if status == UNFIT:
            alone.append(key)
        else:
            yield verdict(key, status, by)
    for key in alone:
        yield verdict(key, *_alone(by_key[key], tests[key], times[key], tree))


def _in_children(mutants: list[dict[str, object]], tree: Path) -> Iterator[tuple[str, int | None, str]]:
    """Key, status and the test that failed, for each mutant that children of one process can try."""
    if not mutants:
        return
    task, verdicts = tree / "mutants.task", tree / "mutants.verdicts"
    task.write_text(json.dumps({"mutants": mutants, "verdicts": str(verdicts)}))
    verdicts.write_text("")
    files = sorted({test.partition("::")[0] for mutant in mutants for test in mutant["tests"]})  # type: ignore[attr-defined]
    process = subprocess.Popen(
        pytest_command("-x", *files), cwd=tree, env=environment(tree, task), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    left = {str(mutant["key"]) for mutant in mutants}
    with verdicts.open() as news:
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
            for line in news:
                found = json.loads(line)
                left.discard(found["key"])
                yield found["key"], found["status"], found["by"]
            if process.poll() is not None:
                break
    yield from ((key, UNFIT, "") for key in left)  # the process ended early


def _alone(mutation: Mutation, tests: list[str], seconds: float, tree: Path) -> tuple[int | None, str]:
    """Make the mistake in a tree, run the tests in a process of their own until one fails, and mend it."""
    file = tree / PACKAGE / mutation.file
    source, times = file.read_bytes(), file.stat()
    task, failed = tree / "mutants.task", tree / "mutants.failed"
    failed.unlink(missing_ok=True)
    task.write_text(json.dumps({"tests": tests, "verdict": str(failed)}))
    file.write_bytes(mutation.applied(source))
    try:
        status = _run(tree, task, sorted({test.partition("::")[0] for test in tests}), seconds)
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # its compiled form is good again
    return status, failed.read_text() if failed.exists() else ""


def _run(tree: Path, task: Path, files: list[str], seconds: float) -> int | None:
    """The exit status of pytest, None where it did not end in time."""
    process = subprocess.Popen(
        pytest_command("-x", *files),
        cwd=tree,
        env={**environment(tree, task), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=sys.platform != "win32",
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, and those that its tests started."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
