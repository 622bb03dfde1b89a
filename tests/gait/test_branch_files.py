"""Branches that are kept in a file while they grow: killed, they go on to the same last bit."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import regraft as rg
from known_maps import as_motion, henon

RANGE, START = (0.0, 1.0), 0.9

CHILD = """
import os, signal, sys
import regraft as rg
from known_maps import as_motion, henon
model_of, calls = as_motion(henon, [0.63, 0.19]), 0

def deadly(a):
    global calls
    calls += 1
    if calls == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return model_of(a)

rg.gait.continuation(deadly, (0.0, 1.0), start=0.9, store=sys.argv[1])
"""


def model_of(a):
    return as_motion(henon, [0.63, 0.19])(a)


CALLS = [0]
"""How often the uninterrupted branch asks for a model."""


@pytest.fixture(scope="module")
def whole():
    def counted(a):
        CALLS[0] += 1
        return model_of(a)

    return rg.gait.continuation(counted, RANGE, start=START)


def same(found, expected):
    assert np.array_equal(found.parameter, expected.parameter)
    assert np.array_equal(found.v, expected.v)
    assert np.array_equal(found.multipliers, expected.multipliers)
    assert found.kinds == expected.kinds
    assert found.ends == expected.ends
    assert found.points == expected.points


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_killed_branch_goes_on_from_its_file(whole, tmp_path):
    file = tmp_path / "branch.npz"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])}
    child = subprocess.run([sys.executable, "-c", CHILD, str(file), "150"], env=environment, check=False, capture_output=True)
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()
    asked = []

    def counted(a):
        asked.append(a)
        return model_of(a)

    found = rg.gait.continuation(counted, RANGE, start=START, store=file)
    same(found, whole)
    assert 10 < len(asked) < 0.9 * CALLS[0]
    assert list(tmp_path.iterdir()) == [file]


def test_a_branch_of_few_points_goes_on_with_more(whole, tmp_path):
    file = tmp_path / "branch.npz"
    with pytest.warns(rg.RegraftWarning, match="most points, 7"):
        few = rg.gait.continuation(model_of, RANGE, start=START, store=file, most=7)
    assert len(few) == 7
    same(rg.gait.continuation(model_of, RANGE, start=START, store=file), whole)
    same(rg.gait.continuation(model_of, RANGE, start=START, store=file), whole)  # there is nothing left to do


def test_switched_branches_have_files_too(whole, tmp_path):
    file = tmp_path / "double.npz"
    expected = whole.switch(parameter=(0.3, 0.6))
    with pytest.warns(rg.RegraftWarning, match="most points, 3"):
        whole.switch(parameter=(0.3, 0.6), store=file, most=3)
    same(whole.switch(parameter=(0.3, 0.6), store=file), expected)


def test_a_file_of_another_branch_is_refused(tmp_path):
    file = tmp_path / "branch.npz"
    with pytest.warns(rg.RegraftWarning):
        rg.gait.continuation(model_of, RANGE, start=START, store=file, most=3)
    with pytest.raises(rg.ModelError, match=r"holds another branch: range is \[0.0, 1.0\] there and \[0.1, 1.0\] here"):
        rg.gait.continuation(model_of, (0.1, 1.0), start=START, store=file, most=3)

    def another(a):
        return as_motion(lambda x, a: henon(x, a, 0.31), [0.63, 0.19])(a)

    with pytest.raises(rg.ModelError, match="holds another branch: state is"):
        rg.gait.continuation(another, RANGE, start=START, store=file, most=3)


@pytest.mark.parametrize("content", [b"", b"no file of NumPy", b"PK\x03\x04 cut off"], ids=["empty", "text", "damaged"])
def test_what_is_no_branch_is_refused_and_left_alone(content, tmp_path):
    file = tmp_path / "branch.npz"
    file.write_bytes(content)
    with pytest.raises(rg.ModelError, match="is no file of a branch"):
        rg.gait.continuation(model_of, RANGE, start=START, store=file, most=3)
    assert file.read_bytes() == content


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    file = tmp_path / "branch.npz"
    with pytest.warns(rg.RegraftWarning):
        rg.gait.continuation(model_of, RANGE, start=START, store=file, most=3)
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(rg.ModelError, match="is no file of a branch"):
        rg.gait.continuation(model_of, RANGE, start=START, store=file, most=3)
