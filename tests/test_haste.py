"""What Numba is spared while kernels are compiled and loaded: it changes nothing, and ends."""

from __future__ import annotations

import dis
import gc
import json
import subprocess
import sys

import llvmlite.binding as llvm
import pytest
from numba.core.compiler import Flags
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction

from regraft.compilation import ENTRIES
from regraft.compilation.haste import Haste, loading_quickly
from regraft.compilation.ingredients import _codes, global_names, merged

LOADS = """
import json, sys
import numba, numpy as np
import regraft as rg
place = float(rg.Prismatic((1, 0, 0)).pose([2.0]).translation[0])
before = "scipy.linalg" in sys.modules

@numba.njit
def length(x):
    return np.dot(x, x)

print(json.dumps([place, before, length(np.array([3.0, 4.0])), "scipy.linalg" in sys.modules]))
"""


@pytest.fixture
def haste():
    found = Haste()
    yield found
    found.end()


def test_numba_is_left_as_it_was(haste):
    before = TargetConfig.__eq__, BaseFunction.get_call_type, [*llvm.ffi.lib._lock._cblist]
    haste.begin()
    assert TargetConfig.__eq__ is not before[0]
    assert BaseFunction.get_call_type is not before[1]
    assert not llvm.ffi.lib._lock._cblist
    haste.end()
    assert (TargetConfig.__eq__, BaseFunction.get_call_type, llvm.ffi.lib._lock._cblist) == before


def test_who_listens_to_llvm_meanwhile_goes_on_to(haste):
    told = []
    haste.begin()
    llvm.ffi.register_lock_callback(told.append, told.append)
    haste.end()
    assert (told.append, told.append) == llvm.ffi.lib._lock._cblist[-1]
    llvm.ffi.unregister_lock_callback(told.append, told.append)


def flags(**settings):
    found = Flags()
    for name, value in settings.items():
        setattr(found, name, value)
    return found


def test_flags_compare_as_they_do_otherwise(haste):
    ways = [flags(), flags(nrt=True), flags(nrt=False), flags(forceinline=True), flags(nrt=True, forceinline=False)]
    thorough = [[one == other for other in ways] for one in ways]
    haste.begin()
    assert [[one == other for other in ways] for one in ways] == thorough
    assert flags() != 1
    haste.end()
    assert thorough[0][2]  # what is set to what it is anyway makes no difference


class Ring:
    """Garbage that only a look for it finds."""

    def __init__(self, ended):
        self.itself, self.ended = self, ended

    def __del__(self):
        self.ended.append(True)


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_lies_meanwhile_and_is_found_after(haste, enabled):
    ended = []
    try:
        if not enabled:
            gc.disable()
        haste.begin()
        assert not gc.isenabled()
        Ring(ended)
        haste.end()
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
    gc.collect()
    assert ended == [True]


@pytest.mark.parametrize("many", [True, False])
def test_garbage_is_looked_for_where_there_are_many_objects(monkeypatch, many):
    """Once, and then as many objects as there are then are nothing new."""
    looked, counts = [], [0, 1_000_000 if many else 200_000, 0]
    objects = [150_000, 1_000_000]
    monkeypatch.setattr(gc, "collect", lambda: looked.append(True))
    monkeypatch.setattr(gc, "get_freeze_count", iter(counts).__next__)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "unfreeze", lambda: None)
    monkeypatch.setattr(gc, "get_objects", lambda: [0] * 400_000)
    monkeypatch.setattr("regraft.compilation.haste._objects", objects)
    with loading_quickly():
        pass
    assert (looked, objects) == (([True], [400_000, 400_000]) if many else ([], [150_000, 200_000]))
    with loading_quickly():
        pass
    assert len(looked) == many


def test_objects_are_counted_only_where_there_may_be_many(monkeypatch):
    """To count them takes longer than to load a kernel."""
    counted = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counted.append(True) or 0)
    monkeypatch.setattr("regraft.compilation.haste._objects", [10_000_000, 10_000_000])
    for _ in range(3):
        with loading_quickly():
            pass
    assert len(counted) == 3  # whether anything is frozen, which takes no time where nothing is


def test_garbage_that_nobody_looks_for_does_not_pile_up(monkeypatch):
    """However little each kernel leaves behind."""
    ended = []
    monkeypatch.setattr("regraft.compilation.haste._objects", [len(gc.get_objects()) // 5, 0])
    for _ in range(100):
        with loading_quickly():
            rings = [Ring(ended) for _ in range(10_000)]
            del rings
        if ended:
            return
    raise AssertionError("garbage was never looked for")


def test_what_users_have_frozen_stays_so():
    before = gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with loading_quickly():
            assert not gc.isenabled()
        assert gc.get_freeze_count() >= frozen // 2 > 0  # single objects go as nobody needs them any more
    finally:
        if before == 0:
            gc.unfreeze()


def test_global_names_are_those_of_dis():
    functions = {function for entry in ENTRIES.values() for function in merged(entry.py_func)}
    for function in functions:
        for code in _codes(function.__code__):
            told = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
            assert global_names(code) == told, function


def test_more_than_256_names_are_found():
    names = [f"name_{k}" for k in range(300)]
    code = compile(f"def f(): return ({', '.join(names)})", "f", "exec").co_consts[0]
    assert global_names(code) == set(names)


def test_kernels_are_loaded_without_scipys_linear_algebra_and_users_have_it():
    done = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [2.0, False, 25.0, True]
