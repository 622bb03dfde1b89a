"""How near the tests' bounds are to what is found: ``pytest -p margins --margins=file`` lists the comparisons of numbers by that.

A bound that holds on one processor by a hair fails on another, whose vectors are wider or which fuses operations. `make margins`
runs the suite for several processors and prints the tightest bounds of all. Bounds from 1e-3 on are about physics, not about
rounding, and are left out.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import pytest

_NUMBER = re.compile(r"np\.(?:float64|int64)\(([^()]*)\)")
_COMPARED = re.compile(r"^\(?(\S+) (<=?) ([-+*/() \d.e]+)$")
_LARGEST = 1e-3
_worst: dict[str, tuple[float, str]] = defaultdict(lambda: (0.0, ""))
_running = ""


def pytest_addoption(parser):
    parser.addoption("--margins", help="write to this file how near each bound is to what was found")


def pytest_configure(config):
    if config.getoption("--margins"):
        _attend_approx()


def pytest_runtest_setup(item):
    global _running  # noqa: PLW0603 (one test runs at a time in a process)
    _running = item.nodeid


def pytest_assertion_pass(item, lineno, orig, expl):
    found = _COMPARED.match(_NUMBER.sub(r"\1", expl.splitlines()[0]))
    if found is None:
        return
    try:
        value, bound = float(found[1]), float(eval(found[3], {"__builtins__": {}}))
    except (ValueError, SyntaxError, TypeError, ArithmeticError):
        return
    _note(f"{item.nodeid.split('::')[0]}:{lineno}", value, bound, orig)


def _attend_approx():
    """Look at every comparison with `pytest.approx`, which does one for each number of an array."""
    scalar = type(pytest.approx(1.0))
    compare = scalar.__eq__

    def compared(self, actual):
        same = compare(self, actual)
        if same:
            with suppress(TypeError, ValueError):  # what is no number has no margin
                _note(_running, abs(self.expected - actual), self.tolerance, "approx")
        return same

    scalar.__eq__ = compared


def _note(where, value, bound, what):
    if 0.0 < bound < _LARGEST and value >= 0.0 and value / bound > _worst[where][0]:
        _worst[where] = value / bound, f"{value:.2e} of {bound:.2e}  {what}"


def pytest_sessionfinish(session):
    file = session.config.getoption("--margins")
    if file and _worst:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        lines = [f"{part:.4f}\t{where}\t{what}\n" for where, (part, what) in _worst.items()]
        Path(f"{file}.{worker}").write_text("".join(lines), encoding="utf-8")


def tightest(files, most=25):
    """The lines of all files with the smallest margins: (part of the bound, place, what)."""
    rows = {}
    for file in files:
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            part, where, what = line.split("\t", 2)
            if float(part) > rows.get(where, (0.0,))[0]:
                rows[where] = float(part), f"{where}  {what}  [{Path(file).name}]"
    return sorted(rows.values(), reverse=True)[:most]


if __name__ == "__main__":
    for used, text in tightest(sys.argv[1:], most=60):
        print(f"{used:7.2%} of the bound: {text}")
