"""How long a new user waits: ``python benchmarks/cold.py [REVISION]``, also by ``make bench-cold``. Takes minutes.

Each version has its own folder for kernels, which is empty at first: a process imports the package and makes the first calls, a
second one makes them again with what the first one has compiled, and ``python -m regraft.warmup`` compiles everything into a
folder that is empty too. With ``--demo`` and ``--test`` the commands of the README run in a fresh checkout, of what is committed.

CPU seconds are of the process, its threads, and the processes that it has waited for. They say more than wall seconds where
others work on the same machine; the load that is printed tells whether they do.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from regraft.atomic import writing
from revisions import ROOT, checked_out, commit

# Reports the seconds of each step as a line of JSON.
FIRST_CALLS = """
import json, os, time

def cpu():
    return sum(os.times()[:4])

def timed(step, call):
    start = cpu(), time.perf_counter()
    found = call()
    print(json.dumps([step, cpu() - start[0], time.perf_counter() - start[1]]), flush=True)
    return found

rg = timed("import regraft", lambda: __import__("regraft"))
mech = rg.Mechanism()
mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1, at=(0, 0, -1)))
mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
state = mech.state()
timed("first forward_dynamics", lambda: rg.forward_dynamics(mech, state))
timed("then simulate", lambda: rg.simulate(mech, state, 1.0))
timed("then connect", lambda: rg.connect(mech, state, "world", "bob", joint=rg.Revolute((0, 1, 0)), at=(0, 0, 0)))
"""
FROM_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHONPATH")  # what a make inside of `make bench-cold` must not see


class Seconds(NamedTuple):
    """What something took."""

    cpu: float
    wall: float


Waits = dict[str, Seconds]


def main() -> None:
    """Measure what is asked for, print it, and write it."""
    options = _options()
    targets = [target for target in ("demo", "test") if getattr(options, target)]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        found = {"this version": waits(ROOT, folder / "this", "HEAD", targets)}
        if options.revision is not None:
            label = f"{options.revision} ({commit(options.revision)})"
            root = stack.enter_context(checked_out(options.revision, folder / "checkout"))
            found[label] = waits(root, folder / "other", options.revision, targets)
    loads = load, os.getloadavg()[0]
    print(table(found))
    print(f"\nload of the machine before and after: {loads[0]:.1f} and {loads[1]:.1f}, with {os.cpu_count()} cores")
    if options.json is not None:
        with writing(options.json) as beside:
            beside.write_text(json.dumps(report(found, loads), indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How long a new user waits.")
    parser.add_argument("revision", nargs="?", help="another revision, to be shown beside this version")
    parser.add_argument("--demo", action="store_true", help="time `make demo` in a fresh checkout as well")
    parser.add_argument("--test", action="store_true", help="time `make test` in a fresh checkout as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    return parser.parse_args()


def waits(root: Path, folder: Path, revision: str, targets: list[str]) -> Waits:
    """All waits of the version whose sources are in a folder; `revision` is what a fresh checkout of it gets."""
    folder.mkdir()
    sources = os.environ | {"PYTHONPATH": str(root / "src")}
    _run([sys.executable, "-c", "import regraft"], sources)  # what Python compiles, an installation brings
    found: Waits = {}
    for kernels in ("nothing compiled", "all from disk"):
        _tell(f"{root}: the first calls, {kernels}")
        found |= first_calls(kernels, sources | {"REGRAFT_CACHE_DIR": str(folder / "kernels")})
    _tell(f"{root}: python -m regraft.warmup")
    warming = sources | {"REGRAFT_CACHE_DIR": str(folder / "warm")}
    found["python -m regraft.warmup"], _ = _run([sys.executable, "-m", "regraft.warmup"], warming)
    for target in targets:
        _tell(f"{revision}: make {target}")
        fresh = {name: value for name, value in os.environ.items() if name not in FROM_MAKE}
        with checked_out(revision, folder / target) as checkout:
            kept = fresh | {"REGRAFT_CACHE_DIR": str(folder / f"{target} kernels")}
            found[f"make {target}, fresh checkout"], _ = _run(["make", "-C", str(checkout), target], kept)
    return found


def first_calls(kernels: str, environment: Mapping[str, str]) -> Waits:
    """The steps of a fresh process, and the process as a whole."""
    whole, output = _run([sys.executable, "-c", FIRST_CALLS], environment)
    steps = (json.loads(line) for line in output.splitlines())
    return {f"{kernels}: {step}": Seconds(cpu, wall) for step, cpu, wall in steps} | {f"{kernels}: whole process": whole}


def _run(command: list[str], environment: Mapping[str, str]) -> tuple[Seconds, str]:
    """What a command took, with all that it has started, and what it printed."""
    start, began = os.times(), time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    end = os.times()
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    cpu = end.children_user + end.children_system - start.children_user - start.children_system
    return Seconds(cpu, time.perf_counter() - began), done.stdout


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def table(found: Mapping[str, Waits]) -> str:
    """A row for each wait, two columns for each version, and the ratio of CPU seconds where there are two."""
    first, *others = found
    width = max(map(len, found[first]))
    wide = max(18, *map(len, found))
    lines = ["  ".join((" " * width, *(f"{label:>{wide}}" for label in found)))]
    lines.append(
        "  ".join((" " * width, *(f"{'CPU s':>{wide - 9}}{'wall s':>9}" for _ in found), *("ratio of CPU" for _ in others)))
    )
    for what in found[first]:
        figures = [waits[what] for waits in found.values()]
        cells = [f"{seconds.cpu:{wide - 9}.2f}{seconds.wall:9.2f}" for seconds in figures]
        ratios = [f"{figures[0].cpu / other.cpu:12.2f}" for other in figures[1:] if other.cpu > 0.0]
        lines.append("  ".join((f"{what:{width}}", *cells, *ratios)))
    return "\n".join(lines)


def report(found: Mapping[str, Waits], loads: tuple[float, float]) -> dict[str, Any]:
    """The figures as plain data, with where they were measured."""
    return {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count(), "load": loads},
        "python": platform.python_version(),
        "commit": commit("HEAD"),
        "seconds": {label: {what: seconds._asdict() for what, seconds in waits.items()} for label, waits in found.items()},
    }


if __name__ == "__main__":
    main()
