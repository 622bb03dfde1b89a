"""Inverse kinematics finds what was measured, and otherwise the least sum of squares, for every joint type."""

import numpy as np
import pytest
from fitting_problems import cost, gradient, marked, mixed, moved, sample, weighted_misses
from scipy.optimize import least_squares

import regraft as rg
from random_mechanisms import ALL_JOINTS, random_mechanism, random_state


@pytest.mark.parametrize("seed", range(25))
def test_markers_lead_back_to_the_position_they_were_taken_at(seed):
    rng, mech, state = sample(seed, roots=1 + seed % 2)
    found = rg.inverse_kinematics(mech, marked(rng, mech, state), start=moved(rng, mech, state))
    assert found.converged.all()
    assert max(residual.max() for residual in found.residuals.values()) < 1e-12
    assert np.abs(rg.difference(mech, found.q[0], state.q)).max() < 1e-9


@pytest.mark.parametrize("kind", [kind for kind in ALL_JOINTS if kind.nv], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("reverse", [0.0, 1.0])
def test_each_joint_type_by_itself_walked_both_ways(kind, reverse):
    rng = np.random.default_rng(7)
    mech = random_mechanism(rng, bodies=3, kinds=(kind,), reverse=reverse)
    state = random_state(rng, mech)
    found = rg.inverse_kinematics(mech, marked(rng, mech, state), start=moved(rng, mech, state))
    assert found.converged.all()
    assert found.rms[0] < 1e-12
    assert np.abs(rg.difference(mech, found.q[0], state.q)).max() < 1e-9


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("make", [marked, mixed])
def test_no_position_nearby_has_a_smaller_cost(seed, make):
    rng, mech, state = sample(seed)
    targets = make(rng, mech, state, 0.1)
    found = rg.inverse_kinematics(mech, targets, start=moved(rng, mech, state, 0.1))
    q = found.q[0]
    assert found.converged.all()
    other = least_squares(
        lambda d: weighted_misses(mech, targets, rg.integrate(mech, q, d)), np.zeros(mech.nv), xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    here = cost(mech, targets, q)
    assert here <= other.cost * (1 + 1e-9)
    assert np.abs(gradient(mech, targets, q)).max() < 1e-8
    assert found.rms[0] == pytest.approx(np.sqrt(2 * here / total_weight(mech, targets)), rel=1e-9)


def total_weight(mech, targets):
    total = 0.0
    for name, target in targets.items():
        if isinstance(target, rg.Marker):
            total += target.weight
        elif isinstance(target, rg.PoseTarget):
            total += (target.weight if target.position is not None else 0) + (
                target.turn_weight if target.orientation is not None else 0
            )
        else:
            total += target.weight * len(range(*mech.v_slice(name).indices(mech.nv)))
    return total


def test_weights_decide_between_targets_that_contradict_each_other():
    mech = rg.Mechanism()
    mech.add_body("cart", rg.Inertia.box(1.0, (1, 1, 1)))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart")
    targets = {"a": rg.Marker((1, 0, 0), weight=3.0, on="cart"), "b": rg.Marker((5, 0, 0), weight=1.0, on="cart")}
    found = rg.inverse_kinematics(mech, targets)
    assert found.q[0, 0] == pytest.approx(2.0, abs=1e-12)
    assert found.residuals["a"][0] == pytest.approx(1.0)
    assert found.residuals["b"][0] == pytest.approx(3.0)
    assert found.rms[0] == pytest.approx(np.sqrt((3 * 1 + 9) / 4))
    targets["c"] = rg.Marker((100, 0, 0), weight=0.0, on="cart")  # only reported
    again = rg.inverse_kinematics(mech, targets)
    assert again.q[0, 0] == pytest.approx(2.0, abs=1e-12)
    assert again.residuals["c"][0] == pytest.approx(98.0)
    over_time = {"a": rg.Marker([[1, 0, 0]] * 2, weight=[1, 0], on="cart"), "b": rg.Marker((5, 0, 0), weight=[0, 1], on="cart")}
    assert rg.inverse_kinematics(mech, over_time).q[:, 0] == pytest.approx([1, 5])


@pytest.mark.parametrize("kind", [rg.Spherical, rg.Free])
def test_orientations_are_followed_all_the_way_round(kind):
    mech = rg.Mechanism()
    mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("ball", kind(), "world", "top")
    angles = np.linspace(0, 4 * np.pi, 60)
    poses = [rg.Pose.about((1, 2, 3), angle) for angle in angles]
    for given in (poses, rg.PoseTarget((0, 0, 0), [pose.quaternion for pose in poses])):
        found = rg.inverse_kinematics(mech, {"top": given}, start=mech.state())
        assert found.converged.all()
        assert found.residuals["top"].shape == (60, 2)
        assert found.residuals["top"].max() < 1e-9
        for state, pose in zip(found.states, poses, strict=True):
            assert np.abs(rg.frame_pose(mech, state, "top").rotation - pose.rotation).max() < 1e-9


def test_an_orientation_half_a_turn_away_is_found():
    mech = rg.Mechanism()
    mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("ball", rg.Spherical(), "world", "top")
    for angle in (np.pi - 1e-9, np.pi, np.pi + 1e-9):
        goal = rg.Pose.about((1, -1, 0.5), angle).rotation
        found = rg.inverse_kinematics(mech, {"top": rg.PoseTarget(orientation=goal)}, start=mech.state())
        assert found.residuals["top"][0] < 1e-9


def test_joint_coordinates_of_every_type_are_reached():
    for seed in range(10):
        rng, mech, state = sample(seed)
        names = [name for name in mech.layout.names if mech.v_slice(name) != slice(0, 0) and len(state[name].q.ravel())]
        targets = {name: rg.JointTarget(state[name].q) for name in names}
        found = rg.inverse_kinematics(mech, targets, start=moved(rng, mech, state, 0.5))
        assert np.abs(rg.difference(mech, found.q[0], state.q)).max() < 1e-12


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3, 1e6])
def test_neither_the_unit_of_length_nor_that_of_weights_matters(size):
    def arm(unit):
        mech = rg.Mechanism()
        for i, below in enumerate(("world", "l0", "l1")):
            mech.add_body(f"l{i}", rg.Inertia.sphere(1.0, 0.1))
            mech.add_joint(f"j{i}", rg.Spherical(), below, f"l{i}", rg.Pose(translation=(0, 0, unit)))
        return mech

    rng = np.random.default_rng(1)
    at = {f"m{i}": (f"l{i % 3}", rng.uniform(-0.4, 0.4, 3), rng.standard_normal(3)) for i in range(9)}

    def solve(unit, weight):
        targets = {name: rg.Marker(unit * goal, weight, on, unit * place) for name, (on, place, goal) in at.items()}
        return rg.inverse_kinematics(arm(unit), targets)

    usual, other = solve(1.0, 1.0), solve(size, size)
    assert other.converged.all()
    assert np.abs(np.abs(other.q) - np.abs(usual.q)).max() < 1e-6
    assert other.rms[0] == pytest.approx(size * usual.rms[0], rel=1e-9)
