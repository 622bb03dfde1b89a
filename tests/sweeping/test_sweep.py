"""Sweeps in this process and in others: the same numbers, every cell with its own fate."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import regraft as rg
from sweeping.swept import arrays, drawn, ends_the_program, kills_always, kills_once, kind_by_number, pendulum, sometimes_fails

GRID = {"length": [0.5, 1.0, 2.0], "angle": [0.1, 1.2]}
HERE = Path(__file__).parent.parent


@pytest.fixture(scope="module", autouse=True)
def _importable():
    """Other processes find the functions of these tests."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), before]))
    yield
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


def test_every_cell_is_what_the_function_gives_there():
    found = rg.sweep(pendulum, GRID)
    assert dict(found.sizes) == {"length": 3, "angle": 2, "q_0": 1}
    for length in GRID["length"]:
        for angle in GRID["angle"]:
            cell, alone = found.sel(length=length, angle=angle), pendulum(length, angle)
            assert cell.q.values.tolist() == alone["q"].tolist()
            assert cell.energy.item() == alone["energy"]
            assert (cell.steps.item(), cell["name"].item(), cell.far.item()) == (alone["steps"], alone["name"], alone["far"])
    assert (found.status == "done").all()
    assert (found.error == "").all()
    assert found.steps.dtype == np.int64
    assert found.far.dtype == bool
    assert found.attrs["function"] == "sweeping.swept.pendulum"
    assert rg.__version__ in found.attrs["versions"]


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor, None])
def test_others_find_the_same_numbers(pool):
    alone = rg.sweep(pendulum, GRID)
    if pool is None:
        xr.testing.assert_identical(rg.sweep(pendulum, GRID, executor=2), alone)
        return
    with pool(2) as executor:
        xr.testing.assert_identical(rg.sweep(pendulum, GRID, executor=executor), alone)
        assert executor.submit(abs, -1).result() == 1  # it still belongs to its owner


def test_a_list_of_points_has_one_axis():
    points = [{"length": 1.0, "angle": 0.1}, {"length": 3.0, "angle": 0.5}]
    found = rg.sweep(pendulum, points)
    assert dict(found.sizes) == {"point": 2, "q_0": 1}
    assert found.length.values.tolist() == [1.0, 3.0]
    assert found.q[1].values.tolist() == pendulum(3.0, 0.5)["q"].tolist()
    frame = found[["length", "angle"]].to_dataframe()
    xr.testing.assert_identical(rg.sweep(pendulum, frame), found)


def test_random_numbers_belong_to_cells_and_not_to_processes():
    alone = rg.sweep(drawn, {"width": [1.0, 2.0, 3.0]}, seed=7)
    with ProcessPoolExecutor(2) as executor:
        xr.testing.assert_identical(rg.sweep(drawn, {"width": [1.0, 2.0, 3.0]}, executor=executor, seed=7), alone)
    assert len(np.unique(alone.value)) == 9
    assert not alone.equals(rg.sweep(drawn, {"width": [1.0, 2.0, 3.0]}, seed=8))


@pytest.mark.parametrize("pool", [nullcontext, partial(ProcessPoolExecutor, 2)], ids=["here", "others"])
def test_a_cell_that_fails_disturbs_no_other(pool):
    failed = r"1 of 6 cells failed; the first one, at x=3: StructureError: three cannot"
    with pool() as executor, pytest.warns(rg.RegraftWarning, match=failed):
        found = rg.sweep(sometimes_fails, {"x": range(6)}, executor=executor)
    assert found.status.values.tolist() == ["done"] * 3 + ["failed"] + ["done"] * 2
    assert "three cannot be done" in found.error.sel(x=3).item()
    assert np.isnan(found.value.sel(x=3))
    assert found.value.sel(x=[0, 1, 2, 4, 5]).values.tolist() == [0, 1, 4, 16, 25]


def test_a_process_that_dies_once_loses_nothing(tmp_path):
    found = rg.sweep(partial(kills_once, folder=str(tmp_path)), {"x": range(8)}, executor=2)
    assert found.value.values.tolist() == [x * x for x in range(8)]
    assert len(list(tmp_path.glob("2-*"))) == 2


def test_a_cell_that_kills_its_process_is_the_only_one_that_fails():
    with pytest.warns(rg.RegraftWarning, match=r"1 of 8 cells failed; the first one, at x=2: .* the process that ran it died"):
        found = rg.sweep(kills_always, {"x": range(8)}, executor=2)
    assert found.status.values.tolist() == ["done"] * 2 + ["failed"] + ["done"] * 5


def test_a_broken_executor_of_the_user_keeps_what_was_done():
    with ProcessPoolExecutor(1) as executor, pytest.raises(rg.SweepError, match="takes no more work") as caught:
        rg.sweep(kills_always, {"x": range(4)}, executor=executor)
    assert caught.value.results.status.values.tolist()[2] == "not run"


def test_labelled_arrays_keep_their_axes():
    def curve(slope):
        return xr.DataArray([slope, 2 * slope], dims="t", coords={"t": [0.5, 1.0]}, name="curve")

    found = rg.sweep(curve, {"slope": [1.0, 2.0]})
    assert found.value.sel(slope=2.0, t=1.0) == 4.0


@pytest.mark.parametrize(
    ("function", "grid", "message"),
    [
        (abs, {}, "there is no parameter"),
        (abs, [], "is empty"),
        (abs, {"x": []}, "no value for 'x', so the grid has no points"),
        (abs, {"x": 3}, "a list of values for 'x'"),
        (abs, {"status": [1]}, "'status' cannot be a parameter"),
        (abs, {"a b": [1]}, "by its name"),
        (abs, {"x": [1, "a"]}, "numbers, texts together"),
        (abs, {"x": [True, 2]}, "numbers, truth values together"),
        (abs, {"x": np.array([2**63 + 5], np.uint64)}, "too large a whole number"),
        (abs, {"x": [[1, 2], [3, 4]]}, "must be numbers, truth values or texts"),
        (abs, {"x": [float("nan")]}, "not finite"),
        (abs, [{"x": 1}, {"y": 1}], "the same parameters"),
        (abs, 3, "by name, or a list"),
        ("abs", {"x": [1]}, "must be a function"),
        (sometimes_fails, {"y": [1]}, "cannot be called with y"),
        (drawn, {"width": [1.0]}, "give sweep a seed"),
    ],
)
def test_bad_grids_and_functions_are_errors(function, grid, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.sweep(function, grid)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "threads"}, "executor must be None"),
        ({"executor": 0}, "executor must be None"),
        ({"seed": -1}, "seed must be"),
        ({"block": 0}, "block must be"),
        ({"grid": {"rng": [1]}, "seed": 1}, "call the parameter otherwise"),
        ({"client": 3}, "client of Dask's"),
    ],
)
def test_bad_options_are_errors(options, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.sweep(lambda x=0, rng=None: (x, rng), **{"grid": {"x": [1]}, **options})


def test_a_function_that_cannot_be_pickled_is_an_error_before_anything_runs():
    lock = threading.Lock()
    with pytest.raises(rg.ModelError, match="cannot be sent to other processes"):
        rg.sweep(lambda x: lock.locked() == x, {"x": [1]}, executor=2)


def test_values_of_other_shapes_names_or_kinds_fail_in_their_cells():
    with pytest.warns(rg.RegraftWarning, match=r"has the shape \(3,\), and that of the first cell \(2,\)"):
        rg.sweep(arrays, {"n": [2, 3]})
    with pytest.warns(rg.RegraftWarning, match="and for the first cell a"):
        rg.sweep(lambda x: {"ab"[x]: 1.0}, {"x": [0, 1]})
    with pytest.warns(rg.RegraftWarning, match="is a text, unlike"):
        rg.sweep(lambda x: "text" if x else 1.0, {"x": [0, 1]})
    with pytest.warns(rg.RegraftWarning, match="too large a whole number"):
        rg.sweep(lambda x: np.uint64(2**63 + x), {"x": [0]})
    with pytest.warns(rg.RegraftWarning, match="not a number, a text"):
        rg.sweep(lambda x: [x, object()], {"x": [0]})
    with pytest.warns(rg.RegraftWarning, match="name of a parameter"):
        rg.sweep(lambda x: {"x": x}, {"x": [0]})
    with pytest.warns(rg.RegraftWarning, match="cannot be called 'status'"):
        rg.sweep(lambda x: {"status": x}, {"x": [0]})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a_0: {"a": np.ones(a_0)}, "'a' has an axis 'a_0', and something else has that name"),
        (lambda a_0: xr.DataArray([1.0, a_0], dims="a_0"), "'value' has an axis 'a_0'"),
        (lambda a_0: {"a": 1.0, "b": xr.DataArray(a_0), "c": xr.DataArray([1.0], dims="b")}, "'c' has an axis 'b'"),
        (lambda a_0: {"a": xr.DataArray([1.0, a_0], dims="t"), "b": xr.DataArray([1.0], dims="t")}, "length 1 in 'b'"),
        (lambda a_0: xr.DataArray([1.0], dims="t", coords={"t": [a_0]}), "other labels along them"),
    ],
)
def test_axes_that_cannot_be_those_of_one_dataset_fail_in_their_cells(function, message):
    with pytest.warns(rg.RegraftWarning, match=message):
        found = rg.sweep(function, {"a_0": [1, 2]})
    assert found.status.values[1] == "failed"


@pytest.mark.parametrize("first", [0, 1, 2])
def test_numbers_have_the_widest_kind_whichever_cell_comes_first(first, tmp_path):
    cells = [{"x": x} for x in (first, *(x for x in range(9) if x != first))]
    found = rg.sweep(kind_by_number, cells, store=tmp_path / "w.zarr")
    assert found.n.values.tolist() == [float(kind_by_number(cell["x"])["n"]) for cell in cells]
    assert found.n.dtype == float
    xr.testing.assert_identical(rg.sweep(kind_by_number, cells, store=tmp_path / "w.zarr"), found)
    assert np.array_equal(xr.open_zarr(tmp_path / "w.zarr", chunks=None).n, found.n)


def test_a_failed_cell_is_nan_although_the_first_numbers_were_whole():
    def fails(x):
        if x == 1:
            raise ValueError("no")
        return 0.5 * x if x > 1 else x

    with pytest.warns(rg.RegraftWarning, match="ValueError: no"):
        found = rg.sweep(fails, {"x": range(4)})
    np.testing.assert_array_equal(found.value, [0.0, np.nan, 1.0, 1.5])


@pytest.mark.parametrize("executor", [None, 1])
def test_a_function_that_ends_the_program_fails_in_its_cell(executor):
    with pytest.warns(rg.RegraftWarning, match="1 of 3 cells failed; the first one, at x=1: SystemExit: 3"):
        found = rg.sweep(ends_the_program, {"x": range(3)}, executor=executor)
    assert found.status.values.tolist() == ["done", "failed", "done"]


def test_an_error_without_words_is_told():
    class SilentError(Exception):
        def __str__(self):
            raise ValueError

    def fails(x):
        raise SilentError(x)

    with pytest.warns(rg.RegraftWarning, match="SilentError: it cannot say what"):
        rg.sweep(fails, {"x": [1]})


def test_ctrl_c_returns_what_is_there():
    def stops(x):
        if x == 2:
            raise KeyboardInterrupt
        return x

    with pytest.warns(rg.RegraftWarning, match="interrupted; 2 of 5"):
        found = rg.sweep(stops, {"x": range(5)})
    assert found.status.values.tolist() == ["done"] * 2 + ["not run"] * 3


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import regraft as rg
            def f(x):
                return x
            rg.sweep(f, {"x": [1, 2]}, executor=2)
            """
        )
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode != 0
    assert "if __name__ == '__main__':" in run.stderr


def test_samples_fill_their_ranges_and_repeat():
    for method in ("sobol", "latin", "random"):
        points = rg.samples({"a": (0.0, 1.0), "b": (-2.0, 5.0)}, 50, seed=3, method=method)
        a, b = (np.array([p[name] for p in points]) for name in "ab")
        assert len(points) == 50
        assert a.min() >= 0.0
        assert a.max() <= 1.0
        assert b.min() >= -2.0
        assert b.max() <= 5.0
        assert abs(a.mean() - 0.5) < 0.15
        assert points == rg.samples({"a": (0.0, 1.0), "b": (-2.0, 5.0)}, 50, seed=3, method=method)
    for bad in (
        {"ranges": {}},
        {"count": 0},
        {"method": "grid"},
        {"ranges": {"a": (1.0, 0.0)}},
        {"ranges": {"a": (0.0, np.inf)}},
    ):
        with pytest.raises(rg.ModelError):
            rg.samples(**{"ranges": {"a": (0.0, 1.0)}, "count": 3, **bad})
