"""The IFToMM benchmark problems A01 to A03 against their published solutions."""

import pytest

import regraft as rg

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
SQUEEZER_AT_30_MS = {
    "beta": 15.81077119629904,
    "theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}


def test_a01_the_pendulum_is_where_the_closed_solution_has_it():
    traj = rg.simulate(*rg.models.pendulum().start, 10.0, **TIGHT)
    bob = traj.resample([5.0]).frame("bob").position
    assert bob[0] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-15)
    assert bob[1] == pytest.approx([-0.942305435044, -0.334754338414, 0.0], abs=1e-8)
    assert bob[2] == pytest.approx([-0.275087462576, -0.961419205099, 0.0], abs=1e-8)


def test_a02_begins_as_published():
    """Where it is after 10 s is a test of its own, of passing singular positions."""
    top = rg.simulate(*rg.models.four_bars(2).start, 0.0).frame("B0")
    assert top.position[0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)
    assert top.velocity[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("count", [1, 3, 10])
def test_a02_has_any_number_of_loops_between_neighbours(count):
    model = rg.models.four_bars(count)
    assert len(model.mech.bodies) == 2 * count + 1
    assert len(model.mech.loop_joints) == count
    assert model.state.v == pytest.approx([-1.0, *(1.0, -1.0) * count], abs=1e-12)
    for name, parent, child in model.mech.layout.loops:
        number = int(name.removeprefix("end "))
        assert (parent, child) == (f"level {number - 1}", f"upright {number}")


def test_a03_the_squeezer_has_the_published_angles():
    model = rg.models.squeezer()
    assert len(model.mech.bodies) == 7
    assert set(model.mech.loop_joints) == {"P3", "P4", "P6"}
    traj = rg.simulate(*model.start, 0.03, wrenches=model.wrenches)
    for name, angle in SQUEEZER_AT_30_MS.items():
        assert model.mech.joint_position(traj.final[1], name)[0] == pytest.approx(angle, abs=1e-8)
    assert traj.loop_error().position.max() < 1e-11


def test_a03_the_torque_does_all_the_work():
    model = rg.models.squeezer()
    traj = rg.simulate(*model.start, 0.03, wrenches=model.wrenches)
    turned = traj.joint("beta").q - traj.joint("beta").q[0]
    energy = traj.energy().total
    assert energy - energy[0] == pytest.approx(0.033 * turned, abs=1e-9 * energy.max())


@pytest.mark.parametrize("count", [0, -1, 2.0, True])
def test_no_number_of_four_bars_is_refused(count):
    with pytest.raises(rg.ModelError, match="whole number of linkages"):
        rg.models.four_bars(count)
