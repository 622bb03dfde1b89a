"""States from files: no name in them can act on a terminal."""

import pytest

import regraft as rg


@pytest.mark.parametrize("key", ["name", "parent", "child"])
def test_a_state_with_an_unprintable_name_is_refused(key):
    mech = rg.Mechanism()
    for name in ("arm", "hand"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("elbow", rg.Revolute((0, 1, 0)), "arm", "hand")
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0)), "world", "arm")
    data = mech.state().to_dict()
    assert rg.State.from_dict(data) == mech.state()
    next(joint for joint in data["joints"] if joint["name"] == "elbow")[key] = "\x1b[31mred"
    with pytest.raises(rg.ModelError, match="cannot be shown"):
        rg.State.from_dict(data)
