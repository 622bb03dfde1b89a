"""Rods on their tips: a falling pencil, and Painlevé's paradox."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import MOST_NEEDED, painleve_angles, painleve_friction, pencil_forces, pencil_rate, pencil_slips_at
from contacts.reading import OPEN, SLIDING, STICKING, changes, points_of
from contacts.scenes import rod

DEGREE = math.pi / 180


def falling(start, mu):
    """A pencil that was upright, from a tilt on."""
    return rod(start, pencil_rate(start), friction=mu)


def tilt_at(traj, t):
    return -float(traj.state(t).q[2])


def at_tilt(tilt):
    """Stops the run there."""
    return rg.Event("there", lambda _, state: -state.q[2] - tilt, rg.STOP, 1)


# --- what needs no contacts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tilt", [0.2, MOST_NEEDED[1], math.acos(2 / 3), 1.1, math.acos(1 / 3)])
def test_the_forces_on_a_pinned_pencil_are_the_known_ones(tilt):
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, 1)))
    mech.add_joint("pin", rg.Revolute((0, 1, 0)), "world", "rod")
    state = mech.state(q={"pin": tilt}, v={"pin": pencil_rate(tilt)})
    force = rg.joint_reactions(mech, state)["pin"][3:]
    assert (force[0], force[2]) == pytest.approx(pencil_forces(tilt), abs=1e-12)


def tip_answer(angle, mu):
    """How the acceleration of a sliding tip away from the ground grows with the normal force, at an angle from the ground.

    The rod leans towards +x and its tip slides towards −x, so that friction pushes the tip below the falling body.
    """
    scene = rod(math.pi / 2 - angle, slip=-1.0)
    J = rg.jacobian(scene.mech, scene.state, "tip")[[3, 5]]
    A = J @ np.linalg.solve(rg.mass_matrix(scene.mech, scene.state), J.T)
    return A[1, 1] + mu * A[1, 0], A[1, 1] - mu * A[1, 0]


@pytest.mark.parametrize("angle", [0.6, math.atan(2), 1.3])
def test_the_paradox_begins_at_the_known_friction(angle):
    mu = painleve_friction(angle)
    assert min(map(abs, tip_answer(angle, mu))) < 1e-12
    assert min(tip_answer(angle, mu + 1e-3)) < 0.0 < min(tip_answer(angle, mu - 1e-3))


# --- a pencil ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.3705])
def test_a_pencil_slips_backwards_where_friction_is_spent(mu):
    traj = falling(0.05, mu).run(3.0, events=[at_tilt(1.0)])
    t = changes(traj, "tip", SLIDING)[0]
    assert tilt_at(traj, t) == pytest.approx(pencil_slips_at(mu), abs=1e-9 if mu < 0.37 else 1e-8)
    found = points_of(traj, "tip")
    soon = 0.05 if mu < 0.37 else 0.005  # so near to the most that is needed, it slips for some 20 ms only
    later = (traj.t > t + 1e-3) & (traj.t < t + soon)
    assert later.any()
    assert (found.slip[later, 0, 0] < 0).all()


@pytest.mark.parametrize("mu", [0.3706, 0.8, 2.0])
def test_a_pencil_on_rougher_ground_slips_forwards_later(mu):
    traj = falling(0.05, mu).run(3.0, events=[at_tilt(1.25)])
    t = changes(traj, "tip", SLIDING)[0]
    assert tilt_at(traj, t) == pytest.approx(pencil_slips_at(mu), abs=1e-9)
    assert math.acos(2 / 3) < tilt_at(traj, t) < math.acos(1 / 3)


@pytest.mark.parametrize(("beside", "step"), [(1e-6, None), (1e-8, 1e-5)])  # in the second case it slips for some 0.1 ms only
def test_the_border_between_the_two_is_where_it_should_be(beside, step):
    for mu, backwards in ((MOST_NEEDED[0] - beside, True), (MOST_NEEDED[0] + beside, False)):
        traj = falling(0.55, mu).run(3.0, events=[at_tilt(0.7)], step=step)
        assert (len(changes(traj, "tip", SLIDING)) > 0) == backwards


def test_forces_on_a_pencil_that_sticks_are_the_known_ones():
    traj = falling(0.05, 2.0).run(3.0, events=[at_tilt(math.acos(2 / 3))])
    found = points_of(traj, "tip")
    assert (found.mode == STICKING).all()
    expected = np.array([pencil_forces(-state[2]) for state in np.concatenate([s.q for s in traj.segments])])
    assert found.friction[:, 0, 0] == pytest.approx(expected[:, 0], abs=1e-8)
    assert found.normal[:, 0] == pytest.approx(expected[:, 1], abs=1e-8)
    assert abs(found.friction[-1, 0, 0]) < 1e-8  # it changes sign at cos θ = 2/3
    assert abs(tilt_at(traj, traj.t[-1]) - math.acos(2 / 3)) < 1e-10


def test_a_pencil_without_friction_sinks_straight_down():
    traj = rod(0.2, friction=0.0).run(1.0, events=[at_tilt(1.3)])
    middle = traj.body("rod").position[:, 0] + 0.5 * np.sin([-q[2] for s in traj.segments for q in s.q])
    assert np.ptp(middle) < 1e-9
    assert np.ptp(traj.energy().total) < 1e-9
    assert OPEN not in points_of(traj, "tip").mode


# --- Painlevé's rod ---------------------------------------------------------------------------------------------------


def told(scene, duration):
    """Whether a run says that it met the paradox: an event or an error that has its name; never silently."""
    try:
        said = " ".join(event.name for event in scene.run(duration).events)
    except rg.SimulationError as error:
        said = str(error)
        if "Painlevé" not in said or "tip" not in said:
            raise
    return "Painlevé" in said


@pytest.mark.parametrize("beside", [1e-8, 1e-4])
def test_a_rod_meets_the_paradox_between_two_angles(beside):
    for angle, inwards in zip(painleve_angles(1.4), (1, -1), strict=True):
        for sign in (1, -1):
            # near these angles forces are as large as 1 / beside, so all but the first moment is another angle
            scene = rod(math.pi / 2 - angle - sign * inwards * beside, slip=paradox_direction(angle), friction=1.4)
            assert told(scene, 1e-12) == (sign > 0)


def paradox_direction(angle):
    """Which way the tip of a rod that leans towards +x has to slide."""
    with_minus, with_plus = tip_answer(angle, 10.0)
    return -1.0 if with_minus < with_plus else 1.0


@pytest.mark.parametrize("degrees", [50.0, 60.0, 65.0, 75.0])
def test_sliding_the_other_way_is_never_a_paradox(degrees):
    angle = degrees * DEGREE
    scene = rod(math.pi / 2 - angle, slip=-paradox_direction(angle), friction=1.4)
    assert not told(scene, 0.01)


@pytest.mark.parametrize("degrees", [55.0, 60.0, 65.0])
def test_a_strike_without_collision_is_told_once_and_ends_a_slip(degrees):
    angle = degrees * DEGREE
    scene = rod(math.pi / 2 - angle, slip=5.0 * paradox_direction(angle), friction=1.6)
    traj = scene.run(0.02)
    energy, contacts = traj.energy().total, traj.contacts()
    (tip,) = contacts.values()
    assert "without collision" in traj.events[0].name
    (strike,) = tip.impacts
    assert strike.energy == pytest.approx(energy[0] - energy[1], rel=1e-12)
    assert contacts.dissipated[1] == pytest.approx(strike.energy, rel=1e-12)
    assert tip.mode[0] == SLIDING
    assert np.isnan(tip.normal[0])  # no forces obey Coulomb's law there, which is why it strikes
    assert np.isfinite(tip.normal[1:]).all()
