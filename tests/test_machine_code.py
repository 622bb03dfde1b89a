"""Kernels from disk: what is loaded is what was compiled, and the compiler stays out of it until it has something to do."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import llvmlite.binding as llvm
import pytest
from numba.core.registry import cpu_target

from forks import Forks
from regraft.compilation.loading import can_load
from regraft.compilation.sealing import seal, unseal
from test_first_compilation import SLIDE, run

PROGRAM = """
import json, sys
import numba, numpy as np
import regraft as rg
from regraft.algebra.dense import definite

report = {}

def note(step):
    report[step] = ["numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules]

def solved(function):
    found = np.array([[1.0, 4.0]])
    return function(np.array([[2.0, 1.0], [1.0, 3.0]]), found), found.tolist()

note("imported")
report["itself"] = solved(definite)[1]
report["looked at"] = definite.inspect_llvm(definite.declared[0]).count("define ")
note("called")

@numba.njit
def merging(M, Y):
    definite(M, Y)
    return np.dot(Y[0], Y[0])

report["merged"] = solved(merging)
note("compiled")
print(json.dumps(report))
"""


WALK = """
import sys
import regraft as rg
biped = rg.models.compass_biped()
traj = rg.simulate(*biped.start, 1.0, events=biped.events)
samples = traj.resample([0.25, 0.5, 0.75])
energy = rg.energy(*samples.final)
cycle = rg.gait.limit_cycle(*biped.start, events=biped.events)
print("numba.np.arraymath" in sys.modules)
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Of a process that compiles and of one that loads; a fork would have the compiler ready."""
    environment = os.environ | {"REGRAFT_CACHE_DIR": str(tmp_path_factory.mktemp("loading"))}
    command = [sys.executable, "-c", PROGRAM]
    done = [subprocess.run(command, env=environment, capture_output=True, text=True, check=False) for _ in range(2)]
    assert [each.returncode for each in done] == [0, 0], done
    return [json.loads(each.stdout) for each in done]


def test_what_is_loaded_does_what_was_compiled(reports):
    compiled, loaded = reports
    assert loaded["itself"] == compiled["itself"]
    assert loaded["itself"][0] == pytest.approx([-0.2, 1.4], rel=1e-14)


def test_functions_of_users_merge_what_was_loaded(reports):
    for report in reports:
        assert report["merged"] == [pytest.approx(2.0, rel=1e-14), [pytest.approx([-0.2, 1.4], rel=1e-14)]]


def test_what_was_loaded_can_be_looked_at(reports):
    for report in reports:
        assert report["looked at"] >= 1


def test_only_a_compilation_makes_the_compiler_ready(reports):
    compiled, loaded = reports
    assert [compiled["imported"], loaded["imported"]] == [[False, False]] * 2
    assert compiled["called"] == [True, False]  # without SciPy's linear algebra, which nothing of ours needs
    assert loaded["called"] == [False, False]
    assert loaded["compiled"] == [True, True]  # where users need it, it is there


def test_nor_do_kernels_with_more_in_them():
    """What of Numba's own code is part of a kernel is imported with it, and its array algebra would take as long as a walk."""
    for _ in range(2):  # the first process may have to compile
        done = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_machine_code_without_its_function_is_compiled_again(tmp_path):
    """As of another kind of file than this system's: it must not be called."""
    with Forks() as forks:
        run(SLIDE, tmp_path, forks=forks)
        for file in tmp_path.glob("*.kernel"):
            described, calls, ((name, kind, (_, intermediate)), *rest) = pickle.loads(unseal(file.read_bytes()))
            nothing = cpu_target.target_context.codegen()._tm.emit_object(llvm.parse_assembly(""))
            file.write_bytes(seal(pickle.dumps((described, calls, ((name, kind, (nothing, intermediate)), *rest)))))
        healed, _ = run(SLIDE, tmp_path, forks=forks)
        again, _ = run(SLIDE, tmp_path, forks=forks)
    assert healed["slide"] == again["slide"] == 2.0
    assert healed["compiled"] > again["compiled"] == 0


@pytest.mark.parametrize(
    ("name", "declared", "can"),
    [
        ("sin", True, True),
        ("NRT_Free", True, True),
        ("_numba_hashsecret_siphash_k0", True, False),
        (".numba.unresolved$again", True, False),
        (".numba.unresolved$again", False, True),
    ],
)
def test_what_needs_more_of_numba_than_is_there_is_not_kept(name, declared, can):
    symbol = SimpleNamespace(name=name, is_declaration=declared)
    for kinds in ({"functions": [symbol], "global_variables": []}, {"functions": [], "global_variables": [symbol]}):
        assert can_load(SimpleNamespace(_final_module=SimpleNamespace(**kinds))) == can
