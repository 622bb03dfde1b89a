"""A motion with a change of structure in it, and how two trajectories are compared."""

import numpy as np

import regraft as rg
from simple_mechanisms import arm

ARRAYS = ("t", "x", "terms", "sizes")


def cut_arm(**options):
    mech, state = arm()
    mech.add_frame("finger", "hand", rg.Pose.about((1, 0, 0), 0.3) @ rg.Pose(translation=(0, 0, -0.5)))
    return rg.simulate(mech, state, 0.6, events=rg.at_time(0.3, lambda m, s: rg.cut(m, s, "elbow"), name="break"), **options)


def assert_same(a, b):
    """Equal to the last digit."""
    assert len(a.segments) == len(b.segments)
    for x, y in zip(a.segments, b.segments, strict=True):
        assert x.mech == y.mech
        assert x.event == y.event
        for name in ARRAYS:
            p, q = getattr(x, name), getattr(y, name)
            assert (p is None) == (q is None)
            assert p is None or (p.dtype == q.dtype and np.array_equal(p, q))
    assert a.events == b.events
    assert (a.steps, a.rejected, a.interrupted) == (b.steps, b.rejected, b.interrupted)
