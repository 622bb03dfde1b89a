"""Maximal coordinates: states are converted to the mechanism's joints once each, however many events there are."""

from __future__ import annotations

import numpy as np
import pytest

import regraft as rg
from regraft.maximal import FreeBodies


@pytest.fixture
def converted(monkeypatch):
    """The numbers of states in all conversions so far."""
    counts = []
    convert = FreeBodies.reduced_of_many

    def counted(self, x, *rest):
        counts.append(len(x))
        return convert(self, x, *rest)

    monkeypatch.setattr(FreeBodies, "reduced_of_many", counted)
    return counts


def spun(events, steps=200):
    """A body that makes several turns on a hinge, in maximal coordinates."""
    mech = rg.Mechanism()
    mech.add_body("wheel", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "wheel")
    looks = [rg.at_time((k + 0.5) / events, name=f"look {k}") for k in range(events)]
    start = mech.state(v={"hinge": 30.0})
    return rg.simulate(mech, start, 1.0, events=looks, integrator="rk4", step=1.0 / steps, coordinates="maximal")


@pytest.mark.parametrize("events", [1, 50])
def test_events_do_not_convert_the_whole_segment_again(events, converted):
    traj = spun(events)
    rows = len(traj.t)
    assert len(traj.segments) == 1
    assert len(traj.events) == events
    assert sum(converted) <= rows + 2 * (events + 1)
    assert np.isfinite(traj.joint("hinge").q).all()
    assert sum(converted) <= rows + 2 * (events + 2)  # what was converted at events is not converted again


def test_a_run_that_nobody_looks_at_is_not_converted(converted):
    spun(0)
    assert not converted


def test_states_are_the_same_with_and_without_events():
    many, none = spun(50), spun(0)
    assert many.final[1].q[0] == pytest.approx(30.0, abs=1e-9)
    assert none.final[1].q[0] == pytest.approx(30.0, abs=1e-9)
    assert (np.diff(many.joint("hinge").q) > 0.0).all()
