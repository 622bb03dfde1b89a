"""Loops that are open by rounding of a user's numbers are closed before anything is asked of them."""

import numpy as np
import pytest

import regraft as rg
from loops.test_mobility import in_line, slider_crank

GAP = 1e-7


def nearly_closed():
    mech, _ = slider_crank(1.0)
    return mech, mech.state(q={"motor": GAP})


def test_mobility_is_that_of_the_closed_state():
    mech, nearly = nearly_closed()
    closed = rg.assemble(mech, nearly)
    assert np.abs(closed.q - nearly.q).max() > 0.3 * GAP
    found, expected = rg.mobility(mech, nearly, ["motor"]), rg.mobility(mech, closed, ["motor"])
    assert pytest.approx(expected.W, abs=1e-14) == found.W  # at the open state it would differ by 2e-8
    assert pytest.approx(expected.H, abs=1e-14) == found.H


def test_a_parallelogram_that_is_almost_one_moves_as_one():
    mech, state = in_line(1, tilt=0.4)
    nearly = mech.state(q=state.q + GAP * np.array([1.0, -2.0, 3.0]))
    assert pytest.approx(np.array([[1], [-1], [1]]), abs=1e-13) == rg.mobility(mech, nearly, ["foot 0"]).W


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_a_run_begins_with_closed_loops(coordinates):
    mech, nearly = nearly_closed()
    start = rg.simulate(mech, nearly, 1e-3, coordinates=coordinates).state(0.0)
    assert start.q == pytest.approx(rg.assemble(mech, nearly).q, abs=1e-12)


def test_joints_that_are_held_stay_and_the_others_close_the_loop():
    mech, nearly = nearly_closed()
    closed = rg.assemble(mech, nearly, hold="motor")
    assert closed.q[0] == pytest.approx(GAP, rel=1e-9)
    assert closed.q == pytest.approx(rg.assemble(mech, nearly, hold=["motor"]).q, abs=0.0)
