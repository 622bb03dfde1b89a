"""`check` on real robots: it finds the few that cannot move, and says little about most."""

from __future__ import annotations

import pytest
from example_robots import FILES, WITHOUT, label, robot

import regraft as rg

STUCK = {"romeo_description/romeo_laas_small": ("l_gripper_joint", "r_gripper_joint")}
"""Robots with joints that move no mass: their grippers have none."""


@pytest.mark.skipif(not FILES, reason=WITHOUT)
@pytest.mark.parametrize("file", FILES, ids=label)
def test_errors_are_joints_that_move_no_mass_and_nothing_else(file):
    found = robot(file)
    remarks = rg.check(found.mech, found.state)
    wrong = [part for one in remarks if one.level == "error" for part in one.parts]
    assert tuple(wrong) == STUCK.get(label(file), ())
    assert len(remarks) <= 8  # those of one kind are told together
    for one in remarks:
        assert set(one.parts) <= {*found.mech.bodies, *found.mech.joints}


@pytest.mark.skipif(not FILES, reason=WITHOUT)
def test_half_of_them_have_nothing_unusual_but_where_they_start():
    quiet = 0
    for file in FILES:
        found = robot(file)
        quiet += {one.kind for one in rg.check(found.mech, found.state)} <= {"limits"}
    assert quiet >= len(FILES) // 2
