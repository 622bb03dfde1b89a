"""Many threads and processes on the same mechanisms: the same numbers as alone, and no memory that is used after it was freed."""

from __future__ import annotations

import copy
import gc
import inspect
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import many_threads
import regraft as rg
from regraft.structure.derived import Derived

PROGRAM = Path(many_threads.__file__)
FREED = 165  # what glibc writes over memory when it is freed; elsewhere the setting does nothing


def run(*arguments):
    # one BLAS thread: which of several adds up what is no matter of ours
    environment = os.environ | {"MALLOC_PERTURB_": str(FREED), "OPENBLAS_NUM_THREADS": "1"}
    source = str(Path(rg.__file__).parent.parent)
    command = [sys.executable, "-X", "faulthandler", str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment | {"PYTHONPATH": source})


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What one thread gets, in a file."""
    path = tmp_path_factory.mktemp("threads") / "expected.pickle"
    done = run("alone", path)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize("seed", range(5))
def test_threads_get_what_one_thread_gets_from_mechanisms_that_all_use_for_the_first_time(seed, expected):
    done = run(seed, expected)
    assert (done.returncode, done.stdout.strip()) == (0, "all alike"), done.stdout[-2000:] + done.stderr[-4000:]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5, 105))
def test_the_same_in_a_hundred_processes(seed, expected):
    test_threads_get_what_one_thread_gets_from_mechanisms_that_all_use_for_the_first_time(seed, expected)


def test_the_threads_call_every_public_function_that_takes_a_mechanism():
    functions = {name: getattr(rg, name) for name in rg.__all__ if inspect.isfunction(getattr(rg, name))}
    ours = [name for name, function in functions.items() if next(iter(inspect.signature(function).parameters), "") == "mech"]
    source = PROGRAM.read_text()
    assert len(ours) > 30
    assert [name for name in ours if f"rg.{name}" not in source] == []


def test_an_address_is_taken_only_from_what_the_caller_holds():
    """`mech.tree.handle` or `loops_of(mech).handle`: by the time the kernel has it, another thread may have freed the owner."""
    taken = re.compile(r"(mech|mechanism|changed|moved|free|seen)\.tree\.(work\.)?handle|\)\.handle")
    source = Path(rg.__file__).parent
    found = [path.name for path in source.rglob("*.py") if taken.search(path.read_text())]
    assert found == []
    assert taken.search("entries.jacobian(self._mech.tree.handle, q)")


def test_what_is_derived_is_published_once():
    derived, first, late = Derived(), object(), object()
    assert derived.publish("tree", first) is first
    assert derived.publish("tree", late) is first
    assert derived.tree is first
    mech, _ = many_threads.arm()
    assert mech.copy().tree is mech.tree


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_a_mechanism_that_was_used_goes_to_other_processes(way):
    sample = many_threads.linkage()
    here = rg.forward_dynamics(*sample)
    if way not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {way} on this machine")
    with multiprocessing.get_context(way).Pool(2) as pool:
        there = pool.starmap(rg.forward_dynamics, [sample, sample])
    for found in there:
        np.testing.assert_array_equal(found, here)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["deepcopy", "pickle"])
def test_trajectories_that_were_looked_at_can_be_copied(copied):
    mech, state = many_threads.arm()
    for coordinates in ("reduced", "maximal"):
        traj = rg.simulate(mech, state, 0.02, integrator="rk4", step=2e-3, coordinates=coordinates)
        seen = traj.state(0.013)
        assert copied(traj).state(0.013) == seen


def test_threads_may_look_at_one_trajectory():
    mech, state = many_threads.arm()
    traj = rg.simulate(mech, state, 0.5, integrator="rk4", step=1e-3, coordinates="maximal", every=1)
    alone = pickle.loads(pickle.dumps(traj))
    times = np.linspace(0.0, 0.5, 200)
    expected = [alone.state(t) for t in times]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: [traj.state(t) for t in times], range(8)))
    assert all(states == expected for states in found)


def test_states_and_trajectories_outlive_their_mechanism():
    mech, state = many_threads.linkage()
    traj = rg.simulate(mech, state, 0.02)
    before, energies = state.q.copy(), traj.energy().total.copy()
    tree = weakref.ref(mech.tree.work.keep[0])
    del mech
    gc.collect()
    np.testing.assert_array_equal(state.q, before)
    np.testing.assert_array_equal(traj.energy().total, energies)
    del traj, state
    gc.collect()
    assert tree() is None  # and then nothing keeps the tables alive
