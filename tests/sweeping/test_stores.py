"""Sweeps that are kept on disk: whatever ends the program, what was done is there and the rest is run when it is called again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import regraft as rg
from regraft.sweeping.store import block_shape, blocks_of
from sweeping.swept import drawn, pendulum, slow_square, sometimes_fails

HERE = Path(__file__).parent.parent
GRID = {"length": [0.5, 1.0, 2.0], "angle": [0.1, 1.2]}


def test_a_store_has_what_the_sweep_gives_and_gives_it_back(tmp_path):
    alone = rg.sweep(pendulum, GRID)
    kept = rg.sweep(pendulum, GRID, store=tmp_path / "a.zarr")
    xr.testing.assert_identical(kept, alone)
    xr.testing.assert_identical(rg.sweep(pendulum, GRID, store=str(tmp_path / "a.zarr")), alone)
    opened = xr.open_zarr(tmp_path / "a.zarr", chunks=None)  # by anybody else, too
    for name in ("q", "energy", "steps", "far"):
        assert np.array_equal(opened[name], alone[name])
    assert opened["name"].values.tolist() == alone["name"].values.tolist()
    assert opened.status.attrs["flag_meanings"] == "not_run done failed"


def test_a_list_of_points_with_texts_is_kept(tmp_path):
    points = [{"x": 1, "who": "anna"}, {"x": 2, "who": "bo"}]
    store = tmp_path / "list.zarr"

    def say(x, who):
        return {"said": who * x}

    for _ in range(2):
        assert rg.sweep(say, points, store=store).said.values.tolist() == ["anna", "bobo"]
    assert xr.open_zarr(store, chunks=None).who.values.tolist() == ["anna", "bo"]


def test_only_what_is_missing_is_run_again(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    function, store = partial(slow_square, folder=str(notes), pause=0.0), tmp_path / "s.zarr"
    whole = rg.sweep(function, {"x": range(6)}, store=store, block=2)
    (store / "status" / "1").unlink()  # as if it had been killed just before this block was done
    again = rg.sweep(function, {"x": range(6)}, store=store)
    xr.testing.assert_identical(whole, again)
    counts = [len(list(notes.glob(f"{x}-*"))) for x in range(6)]
    assert counts == [1, 1, 2, 2, 1, 1]


def test_cells_that_failed_are_run_again_on_demand(tmp_path):
    store = tmp_path / "f.zarr"
    for _ in range(2):
        with pytest.warns(rg.RegraftWarning, match="1 of 6 cells failed"):
            found = rg.sweep(sometimes_fails, {"x": range(6)}, store=store)
        assert found.status.sel(x=3) == "failed"
        assert "three cannot" in found.error.sel(x=3).item()
    with pytest.warns(rg.RegraftWarning, match="1 of 6 cells failed"):
        rg.sweep(sometimes_fails, {"x": range(6)}, store=store, retry=True)


def test_ctrl_c_leaves_blocks_that_are_not_complete(tmp_path):
    store, stop = tmp_path / "c.zarr", [True]

    def stops(x):
        if x == 4 and stop[0]:
            raise KeyboardInterrupt
        return float(x)

    with pytest.warns(rg.RegraftWarning, match="interrupted"):
        rg.sweep(stops, {"x": range(7)}, store=store, block=3)
    status = xr.open_zarr(store, chunks=None).status.values.tolist()
    assert status == [1, 1, 1, 1, 0, 0, 0]
    stop[0] = False
    assert rg.sweep(stops, {"x": range(7)}, store=store).value.values.tolist() == list(map(float, range(7)))


def test_a_store_of_another_sweep_is_an_error(tmp_path):
    store = tmp_path / "x.zarr"
    rg.sweep(drawn, {"width": [1.0, 2.0]}, store=store, seed=1)
    for options, message in (
        ({"grid": {"width": [1.0, 3.0]}}, "other parameters"),
        ({"function": lambda width, rng: width * rng.random()}, "another function"),
        ({"seed": 2}, r"another seed \(1, not 2\)"),
    ):
        with pytest.raises(rg.FileError, match=message):
            rg.sweep(**{"function": drawn, "grid": {"width": [1.0, 2.0]}, "store": store, "seed": 1, **options})
    folder = tmp_path / "folder"
    folder.mkdir()
    rg.sweep(drawn, {"width": [1.0]}, store=folder, seed=1)  # there is nothing in it
    for other in (Path(__file__), Path(__file__).parent):
        with pytest.raises(rg.FileError, match="is there and is no store"):
            rg.sweep(drawn, {"width": [1.0]}, store=other, seed=1)
    with pytest.raises(rg.ModelError, match="must be a path"):
        rg.sweep(drawn, {"width": [1.0]}, store=3, seed=1)
    with pytest.raises(rg.RegraftError, match="cannot write to"):
        rg.sweep(drawn, {"width": [1.0]}, store="/dev/null/x.zarr", seed=1)


def test_two_programs_cannot_write_to_one_store(tmp_path):
    store = tmp_path / "two.zarr"

    def other(x):
        with pytest.raises(rg.FileError, match="another program is writing to"):
            rg.sweep(drawn, {"width": [1.0]}, store=store, seed=1)
        return x

    assert rg.sweep(other, {"x": [1, 2]}, store=store).value.values.tolist() == [1, 2]
    assert rg.sweep(other, {"x": [1, 2]}, store=store).value.values.tolist() == [1, 2]


def test_a_function_that_has_changed_is_an_error(tmp_path):
    def made(text):
        names = {}
        exec(f"def f(x):\n    return {text}", names)
        return names["f"]

    rg.sweep(made("x"), {"x": [1]}, store=tmp_path / "f.zarr")
    rg.sweep(made("x"), {"x": [1]}, store=tmp_path / "f.zarr")
    with pytest.raises(rg.FileError, match="has changed since"):
        rg.sweep(made("x + 1"), {"x": [1]}, store=tmp_path / "f.zarr")


def test_a_damaged_store_is_an_error(tmp_path):
    store = tmp_path / "d.zarr"
    rg.sweep(sometimes_fails, {"x": [1, 2]}, store=store)
    for file in (store / "value").glob("[0-9]*"):
        file.write_bytes(b"nonsense")
    with pytest.raises(rg.FileError, match="damaged"):
        rg.sweep(sometimes_fails, {"x": [1, 2]}, store=store)


@pytest.mark.parametrize("executor", [None, 2])
def test_a_killed_program_goes_on_where_it_was(tmp_path, executor):
    notes, store = tmp_path / "notes", tmp_path / "k.zarr"
    notes.mkdir()
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            f"""
            from functools import partial
            import regraft as rg
            from sweeping.swept import slow_square

            if __name__ == "__main__":
                function = partial(slow_square, folder={str(notes)!r}, pause=0.05)
                found = rg.sweep(function, {{"x": range(40)}}, store={str(store)!r}, executor={executor})
                print(found.value.values.tolist())
            """
        )
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(script)]
    first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, start_new_session=True)
    wait_for(lambda: store.exists() and len(list((store / "status").glob("[0-9]*"))) >= 5)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    before = len(list((store / "status").glob("[0-9]*")))
    assert 5 <= before < 40
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    assert again.stdout.strip() == str([x * x for x in range(40)])
    assert len(list(notes.iterdir())) <= 40 + 2 * 20  # what was under way is run again, and no more


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_program(tmp_path, how):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            f"""
            from functools import partial
            import signal
            import regraft as rg
            from sweeping.swept import notes_and_sleeps

            if __name__ == "__main__":
                signal.signal(signal.SIGINT, signal.default_int_handler)
                rg.sweep(partial(notes_and_sleeps, folder={str(tmp_path)!r}), {{"x": range(9)}}, executor=2)
            """
        )
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    program = subprocess.Popen([sys.executable, str(script)], env=environment, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: len(list(tmp_path.glob("*-*-*"))) == 2)
    program.send_signal(how)
    told = program.communicate(timeout=60)[1]
    workers = [int(file.name.split("-")[1]) for file in tmp_path.glob("*-*-*")]
    wait_for(lambda: not any(alive(process) for process in workers))
    if how == signal.SIGINT:
        assert "the sweep was interrupted; 0 of 9 cells" in told
        assert "Traceback" not in told


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(ready, longest=60.0):
    end = time.monotonic() + longest
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("shape", [(7,), (3, 5), (4, 3, 5), (1, 9), (6, 1)])
@pytest.mark.parametrize("most", [1, 2, 5, 7, 15, 1000])
def test_blocks_cover_the_grid_in_the_order_of_its_cells(shape, most):
    cells = np.arange(int(np.prod(shape))).reshape(shape)
    block = block_shape(shape, most)
    assert np.prod(block) <= max(most, 1)
    found = [cells[at].ravel().tolist() == list(range(row.start, row.stop)) for at, row in blocks_of(shape, block)]
    assert all(found)
    assert sum(row.stop - row.start for _, row in blocks_of(shape, block)) == cells.size
