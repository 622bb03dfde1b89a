"""Laws of contacts on random mechanisms with random contacts."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import regraft as rg
from contacts.laws import check_balance, check_flight, check_impacts, check_laws, same_motion
from contacts.machines import falling_figure, quadruped, shifting
from contacts.random_scenes import random_scene
from contacts.reading import impact_times
from contacts.scenes import G

SEEDS = st.integers(0, 2**32 - 1)
DOWN = np.array([0.0, 0.0, -G])
EXACT = {"rtol": 1e-11, "atol": 1e-12}
FEW = settings(max_examples=3, phases=(Phase.explicit, Phase.generate))
"""Of runs that take seconds; `test_more_of_the_same` is for long sweeps."""


@FEW
@given(SEEDS)
def test_forces_gaps_and_slips_obey_the_laws(seed):
    scene = random_scene(seed)
    traj = scene.run(0.8)
    check_laws(traj, scene)
    check_impacts(traj)


@pytest.mark.slow
@settings(max_examples=1000)
@given(SEEDS)
def test_forces_gaps_and_slips_obey_the_laws_a_thousand_times(seed):
    scene = random_scene(seed)
    traj = scene.run(1.5)
    check_laws(traj, scene)
    check_impacts(traj)


@FEW
@given(SEEDS, st.sampled_from(["poisson", "stronge"]), st.sampled_from(["simultaneous", "sequential"]))
def test_impacts_never_add_energy(seed, law, impacts):
    scene = random_scene(seed, height=(0.1, 0.6), law=law, damping=False)
    traj = scene.run(0.7, impacts=impacts)
    check_impacts(traj)
    total = traj.energy().total
    assert (np.diff(total) < 1e-8 * max(1.0, np.abs(total).max())).all()


@FEW
@given(SEEDS)
def test_energy_is_balanced_by_the_work_of_friction(seed):
    scene = random_scene(seed, damping=False, restitution=0.0)
    check_balance(scene.run(0.5, step=1e-3, **EXACT), scene)


@FEW
@given(SEEDS)
def test_without_friction_energy_stays_between_impacts(seed):
    scene = random_scene(seed, damping=False, friction=0.0)
    traj = scene.run(0.6, **EXACT)
    check_balance(traj, scene)
    check_impacts(traj)
    # level ground without friction: nothing pushes sideways, nothing turns it about the vertical
    momentum = traj.momentum()
    sideways = np.column_stack((momentum.linear[:, :2], momentum.angular[:, 2]))
    assert np.ptp(sideways, axis=0).max() < 1e-8 * max(1.0, np.abs(sideways).max())


@FEW
@given(SEEDS)
def test_one_elastic_point_without_friction_keeps_energy(seed):
    """With one point every law of impact agrees, and e = 1 loses nothing."""
    scene = random_scene(seed, points=(1, 1), damping=False, friction=0.0, restitution=1.0)
    traj = scene.run(0.8, **EXACT)
    total = traj.energy().total
    assert np.ptp(total) < 1e-8 * max(1.0, np.abs(total).max())


@FEW
@given(SEEDS)
def test_bodies_in_flight_keep_their_momentum(seed):
    scene = random_scene(seed, damping=False, restitution=0.7)
    assert check_flight(scene.run(0.6, **EXACT), scene, DOWN) > 0


def rerooted(scene, seed):
    """The same mechanism hung on the world by another of its bodies."""
    rng = np.random.default_rng(seed)
    body = str(rng.choice(list(scene.mech.bodies)))
    return rg.reroot(scene.mech, scene.state, body, joint=rg.Free(), name="elsewhere")


@FEW
@given(SEEDS)
def test_the_root_makes_no_difference(seed):
    scene = random_scene(seed, bodies=(2, 4))
    one = scene.run(0.4, **EXACT)
    other = rg.simulate(*rerooted(scene, seed), 0.4, contacts=scene.contacts, **EXACT)
    same_motion(one, other, np.linspace(0, 0.4, 9), scene.mech.bodies, 1e-7)


@FEW
@given(SEEDS)
def test_the_coordinates_make_no_difference(seed):
    scene = random_scene(seed, bodies=(2, 4))
    one, other = (scene.run(0.4, coordinates=which, **EXACT) for which in ("reduced", "maximal"))
    same_motion(one, other, np.linspace(0, 0.4, 9), scene.mech.bodies, 1e-7)


@FEW
@given(SEEDS)
def test_the_order_of_contacts_makes_no_difference(seed):
    scene = random_scene(seed)
    one = scene.run(0.4, **EXACT)
    other = rg.simulate(scene.mech, scene.state, 0.4, contacts=scene.contacts[::-1], **EXACT)
    same_motion(one, other, np.linspace(0, 0.4, 9), scene.mech.bodies, 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    "few",
    [
        test_energy_is_balanced_by_the_work_of_friction,
        test_without_friction_energy_stays_between_impacts,
        test_one_elastic_point_without_friction_keeps_energy,
        test_bodies_in_flight_keep_their_momentum,
        test_the_root_makes_no_difference,
        test_the_coordinates_make_no_difference,
        test_the_order_of_contacts_makes_no_difference,
    ],
)
def test_more_of_the_same(few):
    settings(max_examples=25)(given(SEEDS)(few.hypothesis.inner_test))()


def test_a_run_is_the_same_each_time():
    scene = random_scene(3)
    one, other = scene.run(0.8), scene.run(0.8)
    assert np.array_equal(one.t, other.t)
    assert np.array_equal(one.final[1].q, other.final[1].q)


@pytest.mark.parametrize("duration", [0.3, pytest.param(3.0, marks=pytest.mark.slow)])
def test_a_quadruped_obeys_the_laws_while_it_shifts_its_weight(duration):
    scene = quadruped()
    traj = scene.run(duration, torque=shifting(scene))
    check_laws(traj, scene)
    assert all(len(impact_times(traj, touch.a)) == 0 for touch in scene.touches)  # it stands all the while
    height = traj.body("trunk").position[:, 2]
    assert np.ptp(height) < 0.1


def test_a_falling_figure_obeys_the_laws_as_it_lands():
    scene = falling_figure()
    traj = scene.run(0.5)
    check_laws(traj, scene)
    check_impacts(traj)
    assert len(traj.events) > 5


@pytest.mark.slow
def test_a_falling_figure_obeys_the_laws_and_comes_to_rest():
    scene = falling_figure()
    traj = scene.run(8.0)
    check_laws(traj, scene)
    check_impacts(traj)
    assert rg.energy(*traj.final).kinetic < 1e-4
    assert traj.body("trunk").position[-1, 2] < 0.5
