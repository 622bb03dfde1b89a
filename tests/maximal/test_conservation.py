"""S3's theorem along simulated motions, by the order in which drifts fall with the step; and what `traj.invariants()` says."""

import numpy as np
import pytest

import regraft as rg
from maximal.skeletons import random_skeleton
from random_mechanisms import relative_error
from simulate.recorded_motions import cut_arm

DURATION = 0.4
STEPS = {"rk4": tuple(0.02 / 2**k for k in range(6)), "hakenberg": (2e-3, 1e-3, 5e-4)}
ROUNDING = 1e-12
"""SI units: smaller drifts say nothing of an order, for momenta and energies are of order 1 to 100."""


def simulated(mech, state, integrator, step, torque=None, duration=DURATION):
    """In maximal coordinates, with joints left as the integrator leaves them."""
    return rg.simulate(
        mech, state, duration, torque, coordinates="maximal", integrator=integrator, step=step, stabilise=False
    )  # fmt: skip


def orders(mech, state, integrator, names, torque=None):
    """With which power of the step each drift falls, from one step to the next: the last two such powers before rounding."""
    worst = [simulated(mech, state, integrator, step, torque).invariants().worst for step in STEPS[integrator]]
    found = {}
    for name in names:
        drifts = np.array([each[name] for each in worst])
        assert (drifts[:3] > ROUNDING).all(), name  # these steps are long enough to see a drift
        found[name] = -np.diff(np.log2(drifts[drifts > ROUNDING]))[-2:]
    return found


def assert_orders(found, integrator):
    for name, slopes in found.items():
        if integrator == "rk4":
            assert (slopes >= 3.8).all(), (name, slopes)
        else:
            assert slopes == pytest.approx([1.0, 1.0], abs=0.05), name


def momenta(traj):
    """How large the momenta are that add up: the sum over all bodies, not what is left of it."""
    mech, state = traj.segments[0].mech, traj.state(traj.t[0])
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    total = 0.0
    for name, body in mech.bodies.items():
        arm = poses[name].rotation @ body.inertia.com
        total += body.inertia.mass * np.linalg.norm(twists[name][3:] + np.cross(twists[name][:3], arm))
    return total


def motors(mech):
    """A constant torque on every hinge."""
    tau = np.zeros(mech.nv)
    for name, joint in mech.joints.items():
        if isinstance(joint.type, rg.Revolute):
            tau[mech.v_slice(name)] = 1.0
    assert tau.any()
    return lambda _t, _mech, _state: tau


on_some_skeletons = pytest.mark.parametrize("seed", [0, 1, 2, 3])
BOTH = ("linear", "angular")


@on_some_skeletons
def test_without_torques_momentum_and_energy_stay_to_the_fourth_order(seed):
    mech, state = random_skeleton(np.random.default_rng(seed), 4, damping=False)
    assert_orders(orders(mech, state, "rk4", (*BOTH, "energy", "position gap")), "rk4")


@on_some_skeletons
def test_with_s3s_step_they_stay_to_the_first_order(seed):
    mech, state = random_skeleton(np.random.default_rng(seed), 4, damping=False)
    assert_orders(orders(mech, state, "hakenberg", ("angular", "energy", "position gap")), "hakenberg")


@on_some_skeletons
@pytest.mark.parametrize("damping", [False, True], ids=["free", "friction"])
@pytest.mark.parametrize("driven", [False, True], ids=["passive", "motors"])
def test_with_s3s_step_linear_momentum_stays_to_rounding(seed, damping, driven):
    """Joints come apart, but what one body gets the other one loses. To rounding of what adds up, in 200 steps."""
    mech, state = random_skeleton(np.random.default_rng(seed), 4, damping=damping)
    traj = simulated(mech, state, "hakenberg", 2e-3, motors(mech) if driven else None)
    assert traj.invariants().worst["linear"] < 1e-12 * momenta(traj)
    assert traj.loop_error().position.max() > 1e-5


@on_some_skeletons
@pytest.mark.parametrize("integrator", STEPS)
def test_with_friction_energy_falls_and_momentum_stays(seed, integrator):
    mech, state = random_skeleton(np.random.default_rng(seed), 4, damping=True)
    energy = simulated(mech, state, integrator, STEPS[integrator][-1]).energy().total
    assert (np.diff(energy) < 0.0).all()
    assert energy[-1] < 0.9 * energy[0] or energy[0] - energy[-1] > 0.1
    assert_orders(orders(mech, state, integrator, BOTH if integrator == "rk4" else ("angular",)), integrator)


@on_some_skeletons
@pytest.mark.parametrize("integrator", STEPS)
def test_motors_change_energy_but_no_momentum(seed, integrator):
    mech, state = random_skeleton(np.random.default_rng(seed), 4, damping=False)
    torque = motors(mech)
    assert simulated(mech, state, integrator, STEPS[integrator][-1], torque).invariants().worst["energy"] > 0.1
    assert_orders(orders(mech, state, integrator, BOTH if integrator == "rk4" else ("angular",), torque), integrator)


@on_some_skeletons
def test_with_default_settings_all_of_them_stay(seed):
    mech, state = random_skeleton(np.random.default_rng(seed), 4, damping=False)
    traj = rg.simulate(mech, state, 2.0, coordinates="maximal")
    worst, start = traj.invariants().worst, rg.energy(mech, state).total
    assert worst["linear"] < 1e-7 * momenta(traj)
    assert worst["angular"] < 1e-7 * max(1.0, np.linalg.norm(rg.momentum(mech, state).angular))
    assert worst["energy"] < 1e-7 * start
    assert max(worst["position gap"], worst["velocity gap"]) < 1e-9


# --- what the trajectory says ------------------------------------------------------------------------------------------


def test_invariants_are_the_changes_of_what_the_trajectory_knows():
    mech, state = random_skeleton(np.random.default_rng(5), 4)
    traj = simulated(mech, state, "hakenberg", 1e-3)
    found = traj.invariants()
    momentum, energy = traj.momentum(), traj.energy().total
    assert np.array_equal(found.t, traj.t)
    assert np.array_equal(found.linear, momentum.linear - momentum.linear[0])
    assert np.array_equal(found.angular, momentum.angular - momentum.angular[0])
    assert relative_error(found.energy, energy - energy[0]) < 1e-14
    assert list(found.gaps) == [name for name, joint in mech.joints.items() if joint.type.nv < 6]
    for what in ("position", "velocity"):
        gaps = np.max([getattr(gap, what) for gap in found.gaps.values()], axis=0)
        assert np.array_equal(gaps, getattr(traj.loop_error(), what))
        assert found.worst[f"{what} gap"] == gaps.max()
    assert found.worst["linear"] == np.linalg.norm(found.linear, axis=1).max()
    assert found.worst["angular"] == np.linalg.norm(found.angular, axis=1).max()
    assert found.worst["energy"] == np.abs(found.energy).max()


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
def test_they_are_counted_from_the_last_change_of_structure(coordinates):
    def halved(mech, state):
        mech, state = rg.cut(mech, state, "j2")
        return mech, mech.state(q=state.q, v=0.5 * state.v)

    mech, state = random_skeleton(np.random.default_rng(5), 4, damping=False)
    traj = rg.simulate(mech, state, 0.6, coordinates=coordinates, events=rg.at_time(0.3, halved, name="break"))
    found, energy = traj.invariants(), traj.energy().total
    assert energy[-1] < 0.5 * energy[0]
    (_, after) = np.flatnonzero(traj.t == 0.3)
    for drift in (found.linear, found.angular, found.energy):
        assert not drift[0].any()
        assert not drift[after].any()
    assert max(found.worst.values()) < 1e-6
    if coordinates == "maximal":
        assert np.isnan(found.gaps["j2"].position[after:]).all()
        assert not np.isnan(found.gaps["j2"].position[:after]).any()
        assert not np.isnan(found.gaps["j1"].position).any()
    else:
        assert found.gaps == {}


def test_gaps_of_reduced_coordinates_are_those_of_loop_joints():
    traj = rg.simulate(*rg.models.four_bar(speed=2.0).start, 0.3)
    found = traj.invariants()
    assert list(found.gaps) == ["knee"]
    assert np.array_equal(found.gaps["knee"].position, traj.loop_error().position)


@pytest.mark.parametrize("options", [{}, {"coordinates": "maximal"}], ids=["reduced", "maximal"])
def test_a_picture_of_them(options, tmp_path):
    figure = cut_arm(**options).invariants().plot(tmp_path / "drifts.png")
    assert len(figure.axes) == 4
    assert (tmp_path / "drifts.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert len(cut_arm(**options).invariants().plot().axes) == 4
