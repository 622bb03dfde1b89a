"""Basins: each start has the fate that a simulation gives it, whoever runs it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import regraft as rg

SECTION = ("left strike", "right strike")
STANCE, HIP = np.linspace(-1.4, -0.8, 7), np.linspace(-1.2, 0.4, 5)


@pytest.fixture(scope="module")
def biped():
    return rg.models.compass_biped()


@pytest.fixture(scope="module")
def cycle(biped):
    return rg.gait.limit_cycle(*biped.start, biped.events, section=SECTION)


@pytest.fixture(scope="module")
def found(cycle):
    return rg.gait.basin(cycle, v={"stance": STANCE, "hip": HIP})


def test_every_fate_is_that_of_a_simulation(biped, cycle, found):
    assert {"reached", "stopped"} <= set(found.fate.values.ravel().tolist())
    for stance in STANCE:
        for hip in HIP:
            cell = found.sel({"stance v": stance, "hip v": hip})
            begun = cycle.state.replace(v={"stance": stance, "hip": hip})
            traj = rg.simulate(cycle.mech, begun, 25.0, events=biped.events, rtol=1e-9, atol=1e-10)
            falls = traj.events[-1].name == "fall"
            assert falls == (cell.fate.item() == "stopped"), (stance, hip)
            if falls:
                assert (cell.event.item(), cell.cycle.item()) == ("fall", -1)
                assert cell.returns.item() == len([name for _, name in traj.events if name in SECTION])
            else:
                assert (cell.fate.item(), cell.cycle.item()) == ("reached", 0)


def test_two_processes_and_a_store_find_the_same(cycle, found, tmp_path):
    for _ in range(2):
        again = rg.gait.basin(cycle, v={"stance": STANCE, "hip": HIP}, executor=2, store=tmp_path / "basin.zarr")
        xr.testing.assert_identical(again, found)
    with pytest.raises(rg.FileError, match="has changed"):
        rg.gait.basin(cycle, v={"stance": STANCE + 0.1, "hip": HIP}, store=tmp_path / "basin.zarr")


def test_functions_in_python_find_the_same_and_this_is_told(biped, found):
    def own(event):
        def action(mech, state):
            return event.action(mech, state)

        return replace(event, action=action) if callable(event.action) else event

    slow = rg.gait.limit_cycle(*biped.start, [own(event) for event in biped.events], section=SECTION)
    with pytest.warns(rg.RegraftWarning, match="go through Python at each event"):
        again = rg.gait.basin(slow, v={"stance": STANCE[2:5], "hip": HIP[1:4]})
    part = found.isel({"stance v": slice(2, 5), "hip v": slice(1, 4)})
    for name in ("fate", "cycle", "event", "returns"):
        assert again[name].values.tolist() == part[name].values.tolist()


def test_starts_of_ones_own(cycle):
    def start(speed):
        return cycle.state.replace(v=speed * cycle.state.v) if speed < 1.5 else None

    found = rg.gait.basin(cycle, grid={"speed": [0.1, 1.0, 2.0]}, start=start)
    assert found.fate.values.tolist() == ["stopped", "reached", "not a start"]


def test_a_start_elsewhere_is_not_reached_within_few_returns(cycle):
    found = rg.gait.basin(cycle, v={"stance": [1.03 * cycle.state.v[0]]}, returns=2, near=1e-6)
    assert found.fate.values.tolist() == ["elsewhere"]
    assert found.returns.values.tolist() == [2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no axis"),
        ({"v": {"knee": [1.0]}}, "no joint with one coordinate"),
        ({"v": {"hip": []}}, "list of finite numbers"),
        ({"v": {"hip": [np.nan]}}, "list of finite numbers"),
        ({"grid": {"a": [1.0]}}, "a function start"),
        ({"v": {"hip": [1.0]}, "returns": 0}, "returns must be"),
        ({"v": {"hip": [1.0]}, "near": 0.0}, "near positive"),
    ],
)
def test_bad_basins_are_errors(cycle, options, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.gait.basin(cycle, **options)


def test_a_basin_needs_a_cycle():
    with pytest.raises(rg.ModelError, match="give the cycle"):
        rg.gait.basin([], v={"hip": [1.0]})
