"""Bifurcation diagrams: what a walker settles to, where continuation finds its periods to double."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import xarray as xr

import regraft as rg


def goswami(slope):
    """The compass of Goswami and others."""
    return rg.models.compass_biped(hip_mass=10.0, leg_mass=5.0, slope=np.radians(slope))


def distinct(times):
    """How many different steps a walk has settled to."""
    return len(np.unique(np.round(times, 4)))


def test_periods_double_where_they_are_published_to():
    found = rg.gait.bifurcation_diagram(goswami, [3.0, 4.2, 4.6, 5.0], name="slope", settle=400, keep=16)
    assert [distinct(times) for times in found.time.values] == [1, 1, 2, 4]  # they double near 4.4 and 4.9 degrees
    assert found.coordinate.values.tolist() == ["stance", "hip"]
    cycle = rg.gait.limit_cycle(*goswami(3.0).start, goswami(3.0).events, section=("left strike", "right strike"))
    assert np.abs(found.q.sel(slope=3.0).values - cycle.state.q).max() < 1e-6
    assert np.abs(found.time.sel(slope=3.0).values - cycle.period).max() < 1e-6


def test_each_model_can_begin_by_itself_in_any_process():
    values = [3.0, 3.5, 4.0]
    here = rg.gait.bifurcation_diagram(goswami, values, begin="model", settle=60, keep=3)
    with ProcessPoolExecutor(2) as executor:
        there = rg.gait.bifurcation_diagram(goswami, values, begin="model", settle=60, keep=3, executor=executor)
    xr.testing.assert_identical(here, there)


def test_a_walk_that_falls_is_told():
    found = rg.gait.bifurcation_diagram(goswami, [12.0, 3.0], settle=30, keep=2)
    assert found.fate.values.tolist() == ["stopped", "goes on"]
    assert np.isnan(found.time.values[0]).all()
    assert np.isfinite(found.time.values[1]).all()


def test_models_that_fail_are_told_wherever_they_are():
    def fails(slope):
        if slope < 3.2:
            raise ValueError("too flat")
        return goswami(slope)

    with pytest.warns(rg.RegraftWarning, match="1 of 2 cells failed; the first one, at value=3.0: ValueError: too flat"):
        found = rg.gait.bifurcation_diagram(fails, [3.0, 3.5], settle=3, keep=2)
    assert found.fate.values.tolist() == ["failed", "goes on"]
    assert found.coordinate.values.tolist() == ["stance", "hip"]
    with pytest.warns(rg.RegraftWarning, match="1 of 1 cells failed"):
        assert rg.gait.bifurcation_diagram(fails, [3.0]).fate.values.tolist() == ["failed"]


def heavy(hip):
    """A function of a function: models with such a hip."""
    return lambda slope: rg.models.compass_biped(hip_mass=hip, leg_mass=5.0, slope=np.radians(slope))


def test_a_store_belongs_to_one_model(tmp_path):
    options = {"begin": "model", "settle": 2, "keep": 2, "store": tmp_path / "d.zarr"}
    found = rg.gait.bifurcation_diagram(heavy(10.0), [3.0], **options)
    xr.testing.assert_identical(rg.gait.bifurcation_diagram(heavy(10.0), [3.0], **options), found)
    with pytest.raises(rg.FileError, match="has changed since"):
        rg.gait.bifurcation_diagram(heavy(11.0), [3.0], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"values": []}, "give values"),
        ({"values": 3.0}, "give values of the parameter, as a list"),
        ({"model_of": None}, "model_of must be a function"),
        ({"values": [np.nan]}, "not finite"),
        ({"values": ["a"]}, "values"),
        ({"name": "time"}, "cannot be called 'time'"),
        ({"keep": 0}, "keep positive"),
        ({"begin": "end"}, "begin must be"),
        ({"executor": 2}, 'begin="model"'),
    ],
)
def test_bad_diagrams_are_errors(options, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.gait.bifurcation_diagram(**{"model_of": goswami, "values": [3.0], **options})
