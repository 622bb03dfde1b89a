"""Thousands of joints that follow one another: in time that grows with their number, or an error at once."""

from __future__ import annotations

import time

import numpy as np
import pytest

import regraft as rg


def followers(count, *, serial):
    """Joints that each follow the one before at 0.999 of its angle; of a row of bodies, or of bodies that hang on the world."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for i in range(count):
        mech.add_body(f"b{i}", rg.Inertia.box(1.0, (0.1, 0.1, 0.1)))
        mech.add_joint(f"j{i}", rg.Revolute((0, 0, 1)), f"b{i - 1}" if serial and i else "world", f"b{i}")
    for i in range(1, count):
        mech.add_coupling(f"c{i}", f"j{i - 1}", f"j{i}", ratio=0.999)
    return mech


def test_bodies_on_the_world_that_follow_one_another_take_time_in_proportion():
    rg.forward_dynamics(followers(3, serial=False), followers(3, serial=False).state())
    mech = followers(20_000, serial=False)
    begin = time.process_time()
    a = rg.forward_dynamics(mech, mech.state(), {"j0": 1.0})
    assert time.process_time() - begin < 30.0  # each is compared with all others in some minutes
    ratios = 0.999 ** np.arange(20_000)
    inertia = 1.0 / 6.0 * 0.1**2
    # the condition of the equations of a chain grows with the square of its length: 20 000² times rounding is 1e-7
    np.testing.assert_allclose(a, ratios / (inertia * (ratios**2).sum()), rtol=0.0, atol=1e-8)


def test_a_row_with_more_couplings_than_there_is_room_for_is_an_error_at_once():
    mech = followers(8_000, serial=True)
    begin = time.process_time()
    with pytest.raises(rg.StructureError, match=r"have 7999 rows, up to 8000 joints .* more than 4 GiB.*without"):
        rg.forward_dynamics(mech, mech.state())
    (remark,) = rg.check(mech)
    assert remark.level == "error"
    assert "7999 rows" in remark.message
    assert time.process_time() - begin < 60.0
