"""One mutant against its tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .mutations import Mutation
from .plugin import NOT_PLAIN
from .record import PACKAGE, environment, pytest_command

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
        return self.outcome in ("killed", "stuck")


def try_mutation(mutation: Mutation, tests: list[str], seconds: float, tree: Path) -> Verdict:
    """Make the mistake in a tree, run the tests until one fails, and mend it."""
    file = tree / PACKAGE / mutation.file
    source, times = file.read_bytes(), file.stat()
    before, after = mutation.difference(source)
    if not tests:
        return Verdict(mutation, "alive", "no test runs it", before, after)
    task, failed = tree / "mutants.task", tree / "mutants.failed"
    failed.unlink(missing_ok=True)
    task.write_text(json.dumps({"tests": tests, "verdict": str(failed)}))
    file.write_bytes(mutation.applied(source))
    try:
        status = _run(tree, task, sorted({test.partition("::")[0] for test in tests}), seconds)
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # its compiled form is good again
    by = failed.read_text() if failed.exists() else ""
    outcome = {0: "alive", 5: "alive", NOT_PLAIN: "compiles", None: "stuck"}.get(status, "killed")
    return Verdict(mutation, outcome, by or ("an error at import" if outcome == "killed" else ""), before, after)


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
        return process.wait(START + SLOWER * seconds)
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
