"""Sweeps on a cluster of Dask, here of two workers on this machine: the same numbers, whoever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path

import distributed
import pytest
import xarray as xr

import regraft as rg
from sweeping.swept import pendulum, slow_square

HERE = Path(__file__).parent.parent
GRID = {"length": [0.5, 1.0, 2.0], "angle": [0.1, 1.2]}


@pytest.fixture(scope="module")
def cluster():
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), before]))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as found:
        yield found
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as found:
        found.wait_for_workers(2)
        yield found


def test_a_cluster_finds_what_this_process_finds(client):
    alone = rg.sweep(pendulum, GRID)
    xr.testing.assert_identical(rg.sweep(pendulum, GRID, executor=client.get_executor()), alone)
    xr.testing.assert_identical(rg.sweep(pendulum, GRID, client=client), alone)
    xr.testing.assert_identical(rg.sweep(pendulum, GRID, executor=client.scheduler.address), alone)
    assert client.status == "running"


def test_a_worker_that_is_killed_loses_nothing(client, tmp_path):
    killed: list[int] = []

    def kill_one():
        while not (running := [file.name.split("-") for file in tmp_path.iterdir()]):
            time.sleep(0.01)
        killed.append(int(running[0][1]))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    found = rg.sweep(partial(slow_square, folder=str(tmp_path), pause=0.3), {"x": range(10)}, client=client)
    killer.join()
    assert killed
    assert found.value.values.tolist() == [x * x for x in range(10)]
    assert (found.status == "done").all()


def test_a_client_that_is_killed_goes_on_from_its_store(client, tmp_path):
    notes, store, script = tmp_path / "notes", tmp_path / "c.zarr", tmp_path / "script.py"
    notes.mkdir()
    script.write_text(
        textwrap.dedent(
            f"""
            from functools import partial
            import regraft as rg
            from sweeping.swept import slow_square

            function = partial(slow_square, folder={str(notes)!r}, pause=0.05)
            found = rg.sweep(function, {{"x": range(40)}}, store={str(store)!r}, executor={client.scheduler.address!r})
            print(found.value.values.tolist())
            """
        )
    )
    command = [sys.executable, str(script)]
    first = subprocess.Popen(command, stdout=subprocess.PIPE)
    end = time.monotonic() + 60.0
    while not (store / "status").exists() or len(list((store / "status").glob("[0-9]*"))) < 5:
        assert time.monotonic() < end
        time.sleep(0.01)
    first.kill()
    first.wait()
    assert len(list((store / "status").glob("[0-9]*"))) < 40
    again = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert again.stdout.strip() == str([x * x for x in range(40)])


def test_a_scheduler_that_does_not_answer_is_an_error(monkeypatch):
    monkeypatch.setattr("regraft.sweeping.crews._PATIENCE", "1s")
    with pytest.raises(rg.RegraftError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        rg.sweep(pendulum, GRID, executor="tcp://127.0.0.1:9")
    with pytest.raises(rg.RegraftError, match="no Dask scheduler answers"):
        rg.sweep(pendulum, GRID, executor="nonsense://x")
