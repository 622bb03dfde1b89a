"""Which test runs which lines, and so which tests can judge a mutation."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .mutations import Mutation
from .plugin import TASK

PACKAGE = Path("src/regraft")
NO_JUDGES = ("test_cache.py", "test_first_compilation.py", "test_demo", "test_cli.py", "test_docs.py")
"""They start other processes, compile, or draw: too slow to judge mutants."""

Record = dict[str, dict[str, Any]]


def environment(tree: Path, task: Path) -> dict[str, str]:
    """For a process that tests a tree of the project."""
    path = os.pathsep.join((str(tree / "src"), str(tree / "tests")))
    return {**os.environ, "PYTHONPATH": path, TASK: str(task), "PYTHONHASHSEED": "0"}


def pytest_command(*arguments: str) -> list[str]:
    """Pytest with the plugin, in one process."""
    plugins = ("-p", "mutants.plugin", "-p", "no:cacheprovider", "-p", "no:xdist")
    return [sys.executable, "-m", "pytest", *plugins, "--tb=no", *arguments]


def make_record(tree: Path, kept: Path) -> Record:
    """For each test its time and its lines; what has been noted earlier is used where nothing it depends on has changed."""
    kept.mkdir(parents=True, exist_ok=True)
    groups = [file.relative_to(tree).as_posix() for file in sorted((tree / "tests").rglob("test_*.py"))]
    groups += [place.relative_to(tree).as_posix() for place in sorted((tree / PACKAGE).iterdir()) if place.suffix in ("", ".py")]
    found: Record = {}
    for group in groups:
        if not any(name in group for name in (*NO_JUDGES, "__pycache__", "demos", "cli.py", "__main__")):
            file = kept / f"{group.replace('/', '.')}.json"
            if not _is_fresh(tree, file):
                print(f"what {group} runs ...", flush=True)
                _record(tree, group, file)
            found.update(json.loads(file.read_text())["tests"])
    return found


def _record(tree: Path, group: str, file: Path) -> None:
    """Run the tests of one file, or the examples in the docstrings of one package, in a process of their own."""
    task, tests = file.with_suffix(".task"), file.with_suffix(".tests")
    task.write_text(json.dumps({"record": str(tests)}))
    tests.write_text("{}")
    command = pytest_command(group, "-q")
    subprocess.run(command, cwd=tree, env=environment(tree, task), stdout=subprocess.DEVNULL, check=False)
    found: Record = json.loads(tests.read_text())
    sources = {str(PACKAGE / name) for test in found.values() for name in test["lines"]}
    hashes = {name: _hash(tree / name) for name in {group, *sources} if (tree / name).is_file()}
    file.write_text(json.dumps({"hashes": hashes, "tests": found}))
    task.unlink()
    tests.unlink()


def _is_fresh(tree: Path, file: Path) -> bool:
    return file.exists() and all(_hash(tree / name) == known for name, known in json.loads(file.read_text())["hashes"].items())


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""


def judges(mutation: Mutation, record: Record, seconds: float) -> list[str]:
    """The tests that run a mutated line, the likeliest to fail and the quickest first, as many as `seconds` have room for."""
    usable = {name: test for name, test in record.items() if test["passed"] and not test["compiles"]}
    chosen = [name for name, test in usable.items() if _runs(mutation, test["lines"])]
    if not chosen:  # constants of a file that has no functions
        folder = f"{mutation.package}/"
        chosen = [name for name, test in usable.items() if any(file.startswith(folder) for file in test["lines"])]
    files = {_file(name) for name in chosen}
    beside = [name for name in usable if _file(name) in files and name not in set(chosen)]  # what a shared fixture ran
    order = _ordered(mutation, chosen, usable) + _ordered(mutation, beside, usable)
    result, spent = [], 0.0
    for name in order:
        spent += usable[name]["time"]
        if spent <= seconds or not result:
            result.append(name)
    return result


def _runs(mutation: Mutation, lines: dict[str, list[int]]) -> bool:
    own = lines.get(mutation.file)
    return own is not None and (not mutation.lines or not set(mutation.lines).isdisjoint(own))


def _file(test: str) -> str:
    return test.partition("::")[0]


def _ordered(mutation: Mutation, tests: list[str], usable: Record) -> list[str]:
    """One case of each test, then the others; file by file, since those of one file may share what is slow to make."""
    words = {mutation.package, Path(mutation.file).stem}
    first: dict[str, str] = {}
    for name in sorted(tests, key=lambda name: usable[name]["time"]):
        first.setdefault(name.partition("[")[0], name)
    once = set(first.values())

    def rank(part: list[str]) -> list[str]:
        total: dict[str, float] = {}
        for name in part:
            total[_file(name)] = total.get(_file(name), 0.0) + usable[name]["time"]
        far = {file: not any(word in file for word in words) for file in total}
        return sorted(part, key=lambda name: (far[_file(name)], total[_file(name)], _file(name), usable[name]["time"]))

    return rank([name for name in tests if name in once]) + rank([name for name in tests if name not in once])
