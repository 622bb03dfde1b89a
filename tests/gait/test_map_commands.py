"""`regraft map` and `regraft basin`: what they say and write."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

import regraft as rg
from known_maps import as_motion, henon
from regraft.cli import app
from regraft.show.map_pictures import multipliers_between
from regraft.show.map_terminal import WALKERS, MapOptions, settled_walks


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_map_has_its_flip_a_picture_tables_and_a_report(tmp_path):
    asked = "--slope", "3.5:4.6", "--doublings", 1, "--values", 6, "--settle", 40, "--keep", 4
    found = run("map", "walker", *asked, "--out", tmp_path / "map")
    assert found.exit_code == 0, found.output
    assert "4.390898" in found.output
    assert {file.name for file in (tmp_path / "map").iterdir()} == {"map.png", "branches.csv", "walks.csv", "index.html"}
    with (tmp_path / "map" / "branches.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["returns"] for row in rows} == {"1", "2"}
    flips = [row for row in rows if row["kind"] == "flip"]
    assert abs(float(flips[0]["slope"]) - 0.0766356315784) < 1e-9
    with (tmp_path / "map" / "walks.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 6 * 4
    page = (tmp_path / "map" / "index.html").read_text()
    assert "4.390898" in page
    assert "data:image/png" in page


def test_a_basin_has_a_picture_a_table_and_a_report(tmp_path):
    found = run("basin", "walker", "--grid", 7, "--out", tmp_path / "basin", "--store", tmp_path / "kept.zarr")
    assert found.exit_code == 0, found.output
    assert "reached" in found.output
    assert {file.name for file in (tmp_path / "basin").iterdir()} == {"basin.png", "basin.csv", "index.html"}
    with (tmp_path / "basin" / "basin.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 49
    assert {row["fate"] for row in rows} >= {"reached", "stopped"}
    assert (tmp_path / "kept.zarr").is_dir()


def test_multipliers_are_drawn_smoothly_between_the_points_that_were_computed():
    """Of Hénon's map they are known at every place: two that meet, turn and part."""
    branch = rg.gait.continuation(as_motion(henon, [1.0, 0.3]), (0.05, 0.9), start=0.2, name="a")
    a, size = multipliers_between(branch, 7)
    assert len(a) > 5 * len(branch)
    x = (-0.7 + np.sqrt(0.49 + 4.0 * a)) / (2.0 * a)
    exact = np.abs([np.roots([1.0, 2.0 * p * at, -0.3]) for p, at in zip(a, x, strict=True)]).max(axis=1)
    assert np.abs(size - exact).max() < 1e-2
    assert np.abs(size[::7][: len(branch)] - np.abs(branch.multipliers).max(axis=1)).max() < 1e-6


def test_settled_walks_begin_on_the_gait_with_most_steps():
    walker = WALKERS["walker"].model_of
    branch = rg.gait.continuation(walker, np.radians((4.2, 4.6)), name="slope")
    double = branch.switch()
    found = settled_walks(walker, [branch, double], MapOptions(tuple(np.radians((4.2, 4.6))), 1, 4, 30, 6))
    assert len(np.unique(found.time.values[0].round(5))) == 1
    assert len(np.unique(found.time.values[-1].round(5))) == 2
    there = double.period[-1]
    assert found.time.values[-1].reshape(3, 2).sum(axis=1) == pytest.approx(np.full(3, there), abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("map", "wlker"), "Did you mean 'walker'?"),
        (("map", "walker", "--slope", "3"), "FROM:TO"),
        (("map", "walker", "--slope", "4:3"), "FROM:TO"),
        (("basin", "walker", "--slope", "4.6", "--grid", "3"), "is not stable"),
        (("map", "walker", "--cores", "2", "--cluster", "tcp://127.0.0.1:9"), "give one of them"),
        (("basin", "walker", "--cores", "2", "--cluster", "tcp://127.0.0.1:9"), "give one of them"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message, tmp_path):
    found = run(*arguments, "--out", tmp_path / "out")
    assert found.exit_code != 0
    assert message in found.output
    assert "Traceback" not in found.output
