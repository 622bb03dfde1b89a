"""Errors about a name that is not there offer the names that are like it."""

from __future__ import annotations

import time

import numpy as np
import pytest

import regraft as rg
from regraft.errors import meant


def many_links(count=40):
    """A row of links, of which an error lists only the first ones."""
    mech = rg.Mechanism()
    for name in (*(f"link_{i}" for i in range(count)), "Gripper"):
        mech.add_body(name, rg.Inertia.box(1.0, (0.1, 0.1, 0.1)))
        mech.add_joint(f"{name}_joint", rg.Revolute((0, 0, 1)), "world", name)
    return mech


MISSPELT = {
    "add_joint": lambda mech: mech.add_joint("new", rg.Fixed(), "world", "griper"),
    "add_shape": lambda mech: mech.add_shape("griper", rg.Sphere(0.1)),
    "connect": lambda mech: rg.connect(mech, mech.state(), "world", "gripper"),
    "reroot": lambda mech: rg.reroot(mech, mech.state(), "Griper"),
    "cut": lambda mech: rg.cut(mech, mech.state(), "Gripper_jont"),
    "state": lambda mech: mech.state(q={"gripper_joint": 1.0}),
    "tau": lambda mech: rg.forward_dynamics(mech, mech.state(), {"Griper_joint": 1.0}),
    "wrenches": lambda mech: rg.forward_dynamics(mech, mech.state(), wrenches={"Grippper": np.zeros(6)}),
    "jacobian": lambda mech: rg.jacobian(mech, mech.state(), "Griper"),
    "replace": lambda mech: mech.replace(inertia={"gripper": rg.Inertia(2.0)}),
    "without": lambda mech: mech.without("Gripper_jiont"),
    "simulate": lambda mech: rg.simulate(mech, mech.state(), 0.1, {"Gripper_jiont": 1.0}),
    "prescribed": lambda mech: rg.prescribed_torques(mech, mech.state(), {"Gripper_jiont": 1.0}),
}


@pytest.mark.parametrize("what", MISSPELT)
def test_names_that_are_nearly_right_are_offered(what):
    with pytest.raises(rg.RegraftError, match=r"Did you mean 'Gripper(_joint)?'"):
        MISSPELT[what](many_links())


def test_names_are_offered_where_one_is_like_it_in_no_time():
    with pytest.raises(rg.ModelError) as told:
        many_links().add_frame("tip", "something else")
    assert "Did you mean" not in str(told.value)
    names = [f"a_long_name_of_link_{i}" for i in range(200_000)]
    begin = time.process_time()
    assert "'a_long_name_of_link_12345'" in meant("a_lnog_name_of_link_12345", names)
    assert meant(3, names) == ""
    assert time.process_time() - begin < 5.0
