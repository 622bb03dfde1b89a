"""When steps count as collapsed: numbers alone, without a run."""

import pytest

from regraft.simulate.pace import PATIENCE, Pace


def looks(sizes, span=1.0):
    """The number of the look that finds a collapse, with steps of a given size between looks; None where none does."""
    pace, t, steps = Pace(0.0, span), 0.0, 0
    for look, size in enumerate(sizes):
        left = pace.until_look(steps)
        assert left > 0
        assert not pace.has_collapsed(steps + left - 1, t)  # not yet
        steps, t = steps + left, t + left * size
        if pace.has_collapsed(steps, t):
            assert pace.lately == pytest.approx(size)
            return look
    return None


def test_looks_are_farther_apart_until_they_are_4096_steps_apart():
    pace, at, steps = Pace(0.0, 1.0), [], 0
    for _ in range(6):
        steps += pace.until_look(steps)
        pace.has_collapsed(steps, 1e-3 * steps)
        at.append(steps)
    assert at == [512, 1024, 2048, 4096, 8192, 12288]


@pytest.mark.parametrize(
    ("sizes", "span", "collapsed"),
    [
        ([1e-3] * 20, 1.0, None),
        ([0.9e-9] * 20, 1.0, 4),  # from the start
        ([1.1e-9] * 20, 1.0, None),
        ([0.9e-9] * 20, 1e9, 4),  # a long run that an event is to end
        ([1e-2] * 20, 1e9, None),
        ([0.9e-12] * 20, 1e-3, 4),
        ([1e-2, *[0.9e-7] * 20], 1.0, 5),  # after longer steps
        ([1e-3, *[0.9e-7] * 20], 1.0, None),
        ([1e-1, *[1.1e-7] * 20], 1.0, None),
        ([1e-2, *[1e-9] * (PATIENCE - 1), 1e-2, *[1e-9] * (PATIENCE - 1)], 1.0, None),  # it has recovered in between
        ([1e-2, 1e-9, 1e-3, *[1e-8] * 9], 1.0, 7),
    ],
)
def test_what_has_collapsed(sizes, span, collapsed):
    assert looks(sizes, span) == collapsed
