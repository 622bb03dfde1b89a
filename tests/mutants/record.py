"""Which test runs which lines, and so which tests can judge a mutation.

What a file of tests runs is noted once, and again when that file changes. Where sources have changed since, lines are those that
they were: what was noted stays good enough to choose tests, and ``--fresh`` notes all of it again.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import Queue
from typing import Any

from .mutations import Mutation
from .plugin import TASK

PACKAGE = Path("src/regraft")
NO_JUDGES = ("test_cache.py", "test_first_compilation.py", "test_threads.py", "test_demo", "test_docs", "test_mutants.py")
"""They start other processes, compile, or draw: too slow to judge mutants."""
EXAMPLES = "src/regraft/*.py"
"""The group of the examples in files that are in no folder."""

Record = dict[str, dict[str, Any]]


def environment(tree: Path, task: Path) -> dict[str, str]:
    """For a process that tests a tree of the project."""
    path = os.pathsep.join((str(tree / "src"), str(tree / "tests")))
    return {**os.environ, "PYTHONPATH": path, TASK: str(task), "PYTHONHASHSEED": "0"}


def pytest_command(*arguments: str) -> list[str]:
    """Pytest with the plugin, in one process."""
    plugins = ("-p", "mutants.plugin", "-p", "no:cacheprovider", "-p", "no:xdist")
    return [sys.executable, "-m", "pytest", *plugins, "--tb=no", *arguments]


def make_record(trees: list[Path], kept: Path, note: bool = True) -> Record:
    """For each test its time and its lines, as of the sources in trees that are alike; without `note` what is known of them."""
    (kept / "sources").mkdir(parents=True, exist_ok=True)
    tree, free = trees[0], Queue[Path]()
    for each in trees:
        free.put(each)

    def known(group: str) -> dict[str, Any] | None:
        file = kept / f"{group.replace('/', '.').replace('*', 'files')}.json"
        noted = json.loads(file.read_text()) if file.exists() else None
        if note and (noted is None or (group in noted["hashes"] and noted["hashes"][group] != _hash(tree / group))):
            there = free.get()
            try:
                print(f"what {group} runs ...", flush=True)
                noted = _noted(there, group, kept)
            finally:
                free.put(there)
            file.write_text(json.dumps(noted))
        return noted

    found: Record = {}
    with ThreadPoolExecutor(len(trees)) as pool:
        for noted in pool.map(known, _groups(tree)):
            if noted is not None:
                found.update(_as_of_now(noted, tree, kept / "sources"))
    return found


def _groups(tree: Path) -> list[str]:
    """What is run in one process: a file of tests, the examples of a folder, those of all files that are in none."""
    groups = [file.relative_to(tree).as_posix() for file in sorted((tree / "tests").rglob("test_*.py"))]
    groups += [EXAMPLES, *(place.parent.relative_to(tree).as_posix() for place in sorted((tree / PACKAGE).glob("*/__init__.py")))]
    return [group for group in groups if not any(name in group for name in (*NO_JUDGES, "demos"))]


def _noted(tree: Path, group: str, kept: Path) -> dict[str, Any]:
    """Run the tests of one file, or the examples in the docstrings of one package, in a process of their own."""
    task, file = tree / "mutants.task", tree / "mutants.tests"
    task.write_text(json.dumps({"record": str(file)}))
    file.write_text("{}")
    files = [group] if group != EXAMPLES else [str(file.relative_to(tree)) for file in sorted((tree / PACKAGE).glob("[a-z]*.py"))]
    command = pytest_command(*files, "-q")
    status = subprocess.run(command, cwd=tree, env=environment(tree, task), stdout=subprocess.DEVNULL, check=False).returncode
    if status not in (0, 1, 5):  # all pass, some fail, there are none
        sys.exit(f"pytest stopped with status {status}: {' '.join(command)}")
    tests: Record = json.loads(file.read_text())
    sources = {str(PACKAGE / name) for test in tests.values() for name in test["lines"]}
    hashes = {name: _hash(tree / name) for name in sources}
    for name, digest in hashes.items():
        (kept / "sources" / digest).write_bytes((tree / name).read_bytes())
    if (tree / group).is_file() and group not in sources:
        hashes[group] = _hash(tree / group)
    return {"hashes": hashes, "tests": tests}


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _as_of_now(noted: dict[str, Any], tree: Path, sources: Path) -> Record:
    """What was noted, in the lines that the sources have now."""
    found: Record = {}
    for name, test in noted["tests"].items():
        if not (tree / _file(name)).exists():
            continue
        lines = {}
        for file, ran in test["lines"].items():
            now = tree / PACKAGE / file
            if now.exists():
                moved = _moved(sources / noted["hashes"][str(PACKAGE / file)], now)
                lines[file] = sorted(ran if moved is None else {new for line in ran for new in moved.get(line, ())})
        found[name] = {**test, "lines": lines}
    return found


@cache
def _moved(then: Path, now: Path) -> dict[int, list[int]] | None:
    """Where each line of a file is now, with the new lines just before it; None where nothing has changed."""
    if then.read_bytes() == now.read_bytes():
        return None
    old, new = then.read_text().splitlines(), now.read_text().splitlines()
    places: dict[int, list[int]] = {}
    for tag, start, stop, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            places.update({start + k + 1: [first + k + 1] for k in range(stop - start)})
        else:  # whoever ran what was there, or the line before, may run what is there now
            for line in range(max(start, 1), stop + 1):
                places.setdefault(line, []).extend(range(first + 1, last + 1))
    return places


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
