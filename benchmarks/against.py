"""Whether a version is slower than another: ``python benchmarks/against.py REVISION`` times every row of both, in turns.

Each version runs in a process of its own, with its own sources and benchmarks. They take turns row by row, many times, so that
what else the machine does meets both alike; the best turn of each counts.

Both compile their kernels anew, in the same order, which takes minutes: what a process has compiled before changes the machine
code of a kernel, and its time by up to 15 %.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from revisions import ROOT, checked_out

ROUNDS = 40
LIMIT = 1.03
"""What counts as slower."""


def main(revision: str) -> None:
    """Print the ratio of times, this version's over the other's, for each row that both have."""
    with tempfile.TemporaryDirectory() as folder, checked_out(revision, Path(folder) / "other") as other:
        roots = ROOT, other
        for compiled in (False, True):  # a kernel that comes from the cache is not the one that was just compiled
            workers = [Worker(root, Path(folder) / f"cache{side}") for side, root in enumerate(roots)]
            if compiled:
                _compare(workers, revision)
            for worker in workers:
                worker.end()


def _compare(workers: list[Worker], revision: str) -> None:
    this, other = workers
    rows = [row for row in this.rows if row in other.rows]
    best: dict[str, list[float]] = {row: [float("inf")] * 2 for row in rows}
    sides = [(0, this), (1, other)]
    for _ in range(ROUNDS):
        sides.reverse()  # whoever comes second in a row finds the machine warmer
        for row in rows:
            for side, worker in sides:
                best[row][side] = min(best[row][side], worker.time(row))
    print(f"{'row':95} {'now':>10} {'then':>10}  ratio (then: {revision})")
    for row, (now, then) in best.items():
        print(f"{row:95} {now:10.2f} {then:10.2f}  {now / then:.3f}" + ("  SLOWER" if now > LIMIT * then else ""))


class Worker:
    """A process that times rows of one version, one at a time."""

    def __init__(self, root: Path, cache: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(root / "src"), "REGRAFT_CACHE_DIR": str(cache)}
        command = [sys.executable, str(Path(__file__).resolve()), "--worker", str(root)]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    @cached_property
    def rows(self) -> list[str]:
        """The rows that it has, once all is compiled."""
        found: list[str] = self._read()
        return found

    def end(self) -> None:
        """Let it end, once all is compiled."""
        assert self.rows
        self._process.communicate()

    def time(self, row: str) -> float:
        """Microseconds of a row, of one turn."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(row) + "\n")
        return float(self._read())

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


def work(root: Path) -> None:
    """Answer with times of the rows that are asked for, as one worker."""
    sys.path[0] = str(root / "benchmarks")  # of that version, instead of the folder of this file
    from timing import _turn

    calls = _calls()
    print(json.dumps(list(calls)), flush=True)
    for line in sys.stdin:
        ours, count, per_call = calls[json.loads(line)]
        print(json.dumps(_turn(ours, count) / per_call), flush=True)


def _calls() -> dict[str, tuple[Callable[[], object], int, int]]:
    """What the rows call, by their names: the benchmarks run with a `compare` that times nothing."""
    import timing

    found: dict[str, tuple[Callable[[], object], int, int]] = {}

    def collect(
        what: str,
        subject: str,
        ours: Callable[[], object],
        reference: str,
        _theirs: Callable[[], object],
        _target: float | None = None,
        per_call: int = 1,
        calls: int = 400,
    ) -> timing.Comparison:
        ours()
        _HELD.append(sys._getframe(1).f_locals)  # what the caller has, of which `ours` may have an address only
        found[f"{what}: {subject}"] = ours, max(1, calls // per_call), per_call
        return timing.Comparison(what, subject, 1.0, reference, 1.0, None)

    timing.compare = collect  # type: ignore[assignment]
    import closed
    import maximal
    import run
    import simulation
    import structure
    import subjects

    mechanisms = [subjects.humanoid(), subjects.arm(), subjects.chain(30), subjects.chain(100)]
    for mechanism in mechanisms:
        run.comparisons(mechanism)
    structure.reroot_comparisons(mechanisms[0])
    closed.grip_comparison(mechanisms[0])
    closed.high_bar_comparisons()
    simulation.stepping(mechanisms[0])
    simulation.walking()
    maximal.skeleton_comparison()
    return found


_HELD: list[Any] = []

if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        work(Path(sys.argv[2]))
    else:
        main(sys.argv[1])
