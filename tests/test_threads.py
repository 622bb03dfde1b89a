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
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import many_threads
import regraft as rg
from regraft.kernels.aba import forward_dynamics
from regraft.structure import structure
from regraft.structure.once import once

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


def check(*arguments):
    done = run(*arguments)
    assert (done.returncode, done.stdout.strip()) == (0, "all alike"), done.stdout[-2000:] + done.stderr[-4000:]


@pytest.mark.parametrize("half", range(2))
def test_threads_get_what_one_thread_gets_from_mechanisms_that_all_use_for_the_first_time(half, expected):
    """Each half of all tasks is begun with in one process."""
    check(half, expected, half, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(103))
def test_the_same_in_a_hundred_processes(seed, expected):
    check(seed, expected)


def test_the_threads_call_every_public_function_that_takes_a_mechanism():
    functions = {name: getattr(rg, name) for name in rg.__all__ if inspect.isfunction(getattr(rg, name))}
    ours = [name for name, function in functions.items() if next(iter(inspect.signature(function).parameters), "") == "mech"]
    source = PROGRAM.read_text()
    assert len(ours) > 30
    assert [name for name in ours if f"rg.{name}" not in source] == []


def test_only_one_file_knows_addresses():
    """All others hand on a workspace, which keeps alive what it leads to: no address can outlive its owner."""
    known = re.compile(r"\w\.handle\b|__array_interface__")
    python = [path for path in Path(rg.__file__).parent.rglob("*.py") if not {"kernels", "algebra"} & set(path.parts)]
    found = {path.name for path in python if known.search(path.read_text())}
    assert found == set()
    assert known.search("entries.jacobian(self._mech.structure.handle, q)")


def test_a_workspace_keeps_alive_what_it_leads_to():
    mech, state = many_threads.arm()
    expected, out = rg.forward_dynamics(mech, state), np.empty(mech.nv)
    work, x, torque = mech.structure.new_work(), state._x.copy(), np.zeros(mech.nv)
    memory = weakref.ref(mech.structure.work.memory)
    del mech, state
    gc.collect()
    assert memory() is not None
    assert forward_dynamics.call(work, x, torque, out) > 0.0
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(TypeError, match="memory of this process"):
        pickle.dumps(work)
    del work
    gc.collect()
    assert memory() is None


def test_what_is_made_once_is_the_same_for_all_who_ask_at_the_same_time():
    class Slow:
        @once
        def thing(self):
            barrier.wait()  # all of them are making one
            return object()

    barrier, slow = threading.Barrier(4), Slow()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: slow.thing, range(4)))
    assert len({id(thing) for thing in found}) == 1
    assert slow.thing is found[0]
    mech, _ = many_threads.arm()
    assert mech.copy().structure is mech.structure


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
    tables = weakref.ref(mech.structure.work.memory)
    del mech
    gc.collect()
    np.testing.assert_array_equal(state.q, before)
    np.testing.assert_array_equal(traj.energy().total, energies)
    del traj, state
    gc.collect()
    assert tables() is None  # and then nothing keeps the tables alive


def test_what_was_derived_before_a_change_is_not_seen_after_it(monkeypatch):
    """A thread that is still at it when a part is added leaves the mechanism as it has become."""
    mech, _ = many_threads.arm()
    before, inside, go = mech.nv, threading.Event(), threading.Event()
    mech = rg.Mechanism.from_dict(mech.to_dict())
    described = structure.describe

    def slowly(*given):
        found = described(*given)
        monkeypatch.setattr(structure, "describe", described)
        inside.set()
        assert go.wait(60)
        return found

    monkeypatch.setattr(structure, "describe", slowly)
    thread = threading.Thread(target=lambda: mech.nv)
    thread.start()
    assert inside.wait(60)
    mech.add_body("late", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("lately", rg.Revolute((0, 1, 0)), "world", "late")
    go.set()
    thread.join()
    assert mech.nv == before + 1 == len(mech.state().v)
    assert "late" in rg.body_poses(mech, mech.state())


def test_parts_that_come_while_others_are_described_wait_for_the_next_structure(monkeypatch):
    mech, _ = many_threads.arm()
    mech = rg.Mechanism.from_dict(mech.to_dict())
    described, bodies = structure.describe, len(mech.bodies)

    def meanwhile(*given):
        monkeypatch.setattr(structure, "describe", described)
        for number in range(50):
            mech._bodies[f"late {number}"] = next(iter(mech.bodies.values()))
        return described(*given)

    monkeypatch.setattr(structure, "describe", meanwhile)
    assert len(mech.structure.body_names) == len(mech.structure.description.inertias) == bodies
