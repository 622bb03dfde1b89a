"""The command: sample mutants, try them, and say which live."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from mutants.mutations import Mutation, mutations_of  # noqa: E402
from mutants.record import PACKAGE, Record, make_record  # noqa: E402
from mutants.trial import Verdict, try_all  # noqa: E402

WORK = ROOT / "build" / "mutants"
ASKED = 0.9
"""The least part of all mutants that must be seen."""
_COPIED = (
    "src",
    "tests",
    "docs",
    "examples",
    "benchmarks",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "mkdocs.yml",
)


def main() -> int:
    """Try a sample of mutants; 1 where the tests see too few of them."""
    options = _options()
    began = time.monotonic()
    trees = [_copy(ROOT, WORK / f"tree{number}") for number in range(options.processes)]
    if options.fresh:
        shutil.rmtree(WORK / "record", ignore_errors=True)
    record = make_record(trees, WORK / "record", note=not options.as_noted)
    chosen = _chosen(options, _without_equivalents(mutations_of(ROOT / PACKAGE)))
    print(f"{len(chosen)} mutants, {len(record)} tests", flush=True)
    verdicts = _try_all(chosen, record, options.seconds, trees)
    (WORK / "alive.json").write_text(json.dumps([verdict.mutation.key for verdict in verdicts if verdict.outcome == "alive"]))
    rate = _report(verdicts)
    print(f"{(time.monotonic() - began) / 60.0:.1f} minutes")
    return int(rate < ASKED)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/mutants", description="Find tests that cannot fail.")
    parser.add_argument("only", nargs="*", help="packages or files of them, such as gait or loops/mobility.py; all by default")
    parser.add_argument("-n", "--processes", type=int, default=1)
    parser.add_argument("--per-package", type=int, default=14, help="mutants of each folder; a single file gets a third")
    parser.add_argument("--all", action="store_true", help="every mutant")
    parser.add_argument("--again", action="store_true", help="those that lived the last time")
    parser.add_argument("--fresh", action="store_true", help="note again which test runs what")
    parser.add_argument("--as-noted", action="store_true", help="note nothing now, and do with what was noted earlier")
    parser.add_argument("--seed", default="", help="another one gives another sample")
    parser.add_argument("--seconds", type=float, default=40.0, help="the most time that tests take with a mutant they do not see")
    return parser.parse_args()


def _copy(source: Path, tree: Path) -> Path:
    """The project in a place where it may be changed."""
    tree.mkdir(parents=True, exist_ok=True)
    for name in _COPIED:
        place = source / name
        if place.is_dir():
            shutil.rmtree(tree / name, ignore_errors=True)
            shutil.copytree(place, tree / name)
        elif place.exists():
            shutil.copy2(place, tree / name)
    return tree


def _without_equivalents(mutations: list[Mutation]) -> list[Mutation]:
    """Leave out what no test can see, as a list with reasons says."""
    listed = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text()).get("equivalent", [])
    known = {(entry["file"], entry["before"], entry["after"]) for entry in listed}
    sources = {file.relative_to(ROOT / PACKAGE).as_posix(): file.read_bytes() for file in (ROOT / PACKAGE).rglob("*.py")}
    return [mutation for mutation in mutations if (mutation.file, *mutation.difference(sources[mutation.file])) not in known]


def _chosen(options: argparse.Namespace, mutations: list[Mutation]) -> list[Mutation]:
    """A sample that an edit elsewhere leaves as it is: of each package those whose keys come first."""
    if options.only:
        mutations = [it for it in mutations if it.package in options.only or it.file in options.only]
    if options.again:
        alive = set(json.loads((WORK / "alive.json").read_text()))
        return [mutation for mutation in mutations if mutation.key in alive]
    packages: dict[str, list[Mutation]] = {}
    for mutation in sorted(mutations, key=lambda it: hashlib.sha256(f"{options.seed}{it.key}".encode()).digest()):
        packages.setdefault(mutation.package, []).append(mutation)
    if options.all:
        return [mutation for package in packages.values() for mutation in package]
    folder, single = options.per_package, -(-options.per_package // 3)
    return [it for name, package in packages.items() for it in package[: folder if (ROOT / PACKAGE / name).is_dir() else single]]


def _try_all(mutations: list[Mutation], record: Record, seconds: float, trees: list[Path]) -> list[Verdict]:
    """Each tree gets a part of them."""

    def part(number: int) -> list[Verdict]:
        found = []
        for verdict in try_all(mutations[number :: len(trees)], record, seconds, trees[number]):
            found.append(verdict)
            print(f"{verdict.outcome:8} {verdict.mutation.file}:{verdict.mutation.line}  {verdict.mutation.kind}  {verdict.by}")
            if verdict.outcome == "alive":
                print(f"    - {verdict.before}\n    + {verdict.after}", flush=True)
        return found

    with ThreadPoolExecutor(len(trees)) as pool:
        return [verdict for found in pool.map(part, range(len(trees))) for verdict in found]


def _report(verdicts: list[Verdict]) -> float:
    """Print the rates and the mutants that live; the rate of all."""
    counted = [verdict for verdict in verdicts if verdict.outcome != "compiles"]
    lines = ["", "seen by the tests, of the mutants of each package:"]
    for package in sorted({verdict.mutation.package for verdict in counted}):
        own = [verdict.seen for verdict in counted if verdict.mutation.package == package]
        lines.append(f"  {package:14} {sum(own):4} of {len(own):4}")
    rate = sum(verdict.seen for verdict in counted) / max(1, len(counted))
    lines += ["", "alive:"]
    for verdict in counted:
        if not verdict.seen:
            place = f"{PACKAGE / verdict.mutation.file}:{verdict.mutation.line}"
            lines += [
                f"  {place}  {verdict.mutation.kind}; {verdict.by}".rstrip("; "),
                f"    - {verdict.before}",
                f"    + {verdict.after}",
            ]
    lines += ["", f"{rate:.1%} of {len(counted)} mutants seen; {ASKED:.0%} are asked for"]
    text = "\n".join(lines)
    (WORK / "report.txt").write_text(text + "\n")
    print(text)
    return rate


if __name__ == "__main__":
    sys.exit(main())
