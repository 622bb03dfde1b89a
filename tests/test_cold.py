"""The benchmark of a new user's waits: what it runs and prints. How long these waits are is nothing that a test could say."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import regraft as rg

ROOT = Path(__file__).parent.parent
STEPS = ["import regraft", "first forward_dynamics", "then simulate", "then connect", "whole process"]


@pytest.fixture
def cold(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("cold")


def test_the_first_calls_are_timed_step_by_step(cold):
    environment = os.environ | {"PYTHONPATH": str(Path(rg.__file__).parent.parent)}
    found = cold.first_calls("warm", environment)
    assert list(found) == [f"warm: {step}" for step in STEPS]
    *steps, whole = found.values()
    assert sum(step.wall for step in steps) < whole.wall
    assert sum(step.cpu for step in steps) < whole.cpu + 0.1  # which is counted in ticks


def test_what_fails_is_shown(cold):
    with pytest.raises(SystemExit, match="no module of this name"):
        cold._run([sys.executable, "-c", "raise ImportError('no module of this name')"], os.environ)


def test_the_table_has_a_row_for_each_wait_and_a_ratio_of_cpu_seconds(cold):
    ours, theirs = {"import": cold.Seconds(1.0, 2.0)}, {"import": cold.Seconds(4.0, 3.0)}
    head, units, row = cold.table({"this version": ours, "main (abc)": theirs}).splitlines()
    assert head.split() == ["this", "version", "main", "(abc)"]
    assert units.split() == ["CPU", "s", "wall", "s", "CPU", "s", "wall", "s", "ratio", "of", "CPU"]
    assert row.split() == ["import", "1.00", "2.00", "4.00", "3.00", "0.25"]
    assert len(head) <= len(units) == len(row)
    *_, row = cold.table({"this version": ours}).splitlines()
    assert row.split() == ["import", "1.00", "2.00"]


def test_a_row_that_took_no_cpu_time_has_no_ratio(cold):
    nothing = {"import": cold.Seconds(0.0, 0.0)}
    *_, row = cold.table({"this version": nothing, "main": nothing}).splitlines()
    assert row.split() == ["import", "0.00", "0.00", "0.00", "0.00"]


def test_the_figures_are_written_and_each_version_has_its_own_folders(cold, tmp_path, monkeypatch, capsys):
    """Two versions side by side, where nothing is run but noted."""
    ran = []

    def note(command, environment):
        ran.append((command, environment))
        steps = [json.dumps([step, 1.0, 2.0]) for step in STEPS[:-1]]
        return cold.Seconds(5.0, 6.0), "\n".join(steps) if command[-1] == cold.FIRST_CALLS else ""

    def pretend(command, **_):
        return subprocess.CompletedProcess(command, 0, stdout="abc1234\n")

    monkeypatch.setattr(cold, "_run", note)
    monkeypatch.setattr("revisions.subprocess.run", pretend)
    monkeypatch.setattr(sys, "argv", ["cold.py", "main", "--demo", "--json", str(tmp_path / "cold.json")])
    cold.main()
    figures = json.loads((tmp_path / "cold.json").read_text(encoding="utf-8"))
    assert figures["commit"] == "abc1234"
    assert list(figures["seconds"]) == ["this version", "main (abc1234)"]
    for waits in figures["seconds"].values():
        assert len(waits) == 12
        assert waits["nothing compiled: then simulate"] == {"cpu": 1.0, "wall": 2.0}
        assert waits["python -m regraft.warmup"] == waits["make demo, fresh checkout"] == {"cpu": 5.0, "wall": 6.0}
    assert "make demo, fresh checkout" in capsys.readouterr().out
    kept = [environment["REGRAFT_CACHE_DIR"] for command, environment in ran if command[-1] != "import regraft"]
    assert len(kept) == 8
    assert len(set(kept)) == 6  # the second process finds what the first one has compiled, and nothing else is shared
    assert all("MAKEFLAGS" not in environment for command, environment in ran if command[0] == "make")
    sources = {environment["PYTHONPATH"] for command, environment in ran if command[0] != "make"}
    assert len(sources) == 2
