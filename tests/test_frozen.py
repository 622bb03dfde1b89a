"""Poses, inertias and joint types cannot be changed, and are good keys."""

import pytest

import regraft as rg

KINDS = {
    "pose": (rg.Pose, "translation", lambda x: rg.Pose(translation=(x, 0.0, 0.0))),
    "inertia": (rg.Inertia, "mass", lambda x: rg.Inertia(1.0, (x, 0.0, 0.0))),
    "joint": (rg.Revolute, "axis", lambda x: rg.Revolute((1.0, x, 0.0))),
}


@pytest.mark.parametrize(("kind", "name", "make"), KINDS.values(), ids=KINDS)
def test_what_is_made_stays_as_it_is(kind, name, make):
    made = make(2.0)
    with pytest.raises(AttributeError, match=rf"{kind.__name__} cannot be changed; make a new one with another {name}"):
        setattr(made, name, 3.0)
    assert made == make(2.0)


@pytest.mark.parametrize("make", [make for *_, make in KINDS.values()], ids=KINDS)
def test_equal_ones_are_one_key_and_others_are_told_apart_at_once(make):
    assert hash(make(0.0)) == hash(make(-0.0))
    assert make(0.0) == make(-0.0)
    assert len({hash(make(float(x))) for x in range(100)}) == 100
