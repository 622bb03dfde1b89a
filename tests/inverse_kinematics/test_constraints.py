"""Inverse kinematics keeps joints within their limits and loops closed, and is the best that these allow."""

import math

import numpy as np
import pytest
from fitting_problems import cost, gradient, marked, moved, sample
from scipy.optimize import minimize

import regraft as rg
from random_mechanisms import random_mechanism, random_state
from regraft.kernels.constraints.closure import closed_positions


def arm(**limits):
    mech = rg.Mechanism()
    for i, below in enumerate(("world", "upper", "lower")):
        name = ("upper", "lower", "hand")[i]
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        place = rg.Pose(translation=(0.5 if i else 0, 0, 0))
        mech.add_joint(f"j{i}", rg.Revolute((0, 0, 1), limits=limits.get(f"j{i}")), below, name, place)
    mech.add_frame("tip", "hand", rg.Pose(translation=(0.3, 0, 0)))
    return mech


def test_a_joint_stops_at_its_limit_and_the_others_make_up_for_it():
    goal = {"tip": (0.2, 0.9, 0.0)}
    free = rg.inverse_kinematics(arm(), goal, start=[0.3, 0.3, 0.3])
    assert free.rms[0] < 1e-12
    bound = rg.inverse_kinematics(arm(j0=(-1.0, 1.0), j1=(-0.2, 0.2), j2=(-math.inf, 0.4)), goal, start=[0.3, 0.1, 0.3])
    assert bound.converged.all()
    assert bound.q[0, 0] == 1.0  # exactly: rounding does not put it beyond
    assert bound.q[0, 1] == 0.2
    slope = gradient(arm(), {"tip": rg.Marker(goal["tip"])}, bound.q[0])
    assert slope[0] < -1e-3  # it would go on upwards
    assert slope[1] < -1e-3
    assert abs(slope[2]) < 1e-8 or (bound.q[0, 2] == 0.4 and slope[2] < 0)


def limit_measures(mech, q):
    """(value, gradient by v, lower, upper) of every limited measure."""
    found = []
    for name in mech.layout.names:
        kind, numbers, at = mech.joints[name].type, q[mech.q_slice(name)], mech.v_slice(name).start
        if kind.limits is None:
            continue
        for c, (low, high) in enumerate(zip(kind.limits.lower, kind.limits.upper, strict=True)):
            slope = np.zeros(mech.nv)
            if isinstance(kind, rg.Spherical):
                turn = rg.difference(single := ball(), numbers, single.state().q)
                value = float(np.linalg.norm(turn))
                slope[at : at + 3] = turn / value if value > 0 else 0
            else:
                value, slope[at + c] = float(numbers[c]), 1.0
            found.append((value, slope, low, high))
    return found


def ball():
    mech = rg.Mechanism()
    mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("ball", rg.Spherical(), "world", "top")
    return mech


@pytest.mark.parametrize("seed", range(30))
def test_within_limits_nothing_better_is_nearby(seed):
    """The conditions of Karush, Kuhn and Tucker: the cost falls only where limits are in the way, and no limit pulls."""
    rng, mech, state = sample(seed, limits=True)
    targets = marked(rng, mech, state, 0.02)
    found = rg.inverse_kinematics(mech, targets, start=moved(rng, mech, state, 0.2))
    q = found.q[0]
    assert found.converged.all()
    slope, rows = gradient(mech, targets, q), []
    for value, of_measure, low, high in limit_measures(mech, q):
        assert low - 1e-10 <= value <= high + 1e-10
        if min(value - low, high - value) < 1e-9 and of_measure.any():
            side = 1.0 if high - value < 1e-9 else -1.0
            assert slope @ of_measure * side < 1e-7  # it is pushed back from its bound
            rows.append(of_measure)
    if rows:
        rows = np.array(rows)
        slope = slope - rows.T @ np.linalg.lstsq(rows.T, slope, rcond=None)[0]
    assert np.abs(slope).max() < 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_as_good_as_a_solver_with_bounds_finds(seed):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies=4, kinds=(rg.Revolute, rg.Prismatic, rg.Universal, rg.Cylindrical), limits=True)
    state = random_state(rng, mech)
    targets = marked(rng, mech, state, 0.05)
    found = rg.inverse_kinematics(mech, targets)
    bounds = [(-np.inf, np.inf)] * mech.nq
    for name in mech.layout.names:
        kind, at = mech.joints[name].type, mech.q_slice(name).start
        if kind.limits is not None:
            bounds[at : at + kind.nq] = list(zip(kind.limits.lower, kind.limits.upper, strict=True))
    other = minimize(lambda q: cost(mech, targets, q), found.q[0], method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15})
    assert cost(mech, targets, found.q[0]) <= other.fun * (1 + 1e-9)


def test_limits_may_be_left_out():
    mech = arm(j0=(-1.0, 1.0))
    found = rg.inverse_kinematics(mech, {"j0": 2.0}, start=[0.0, 0.0, 0.0], limits=False)
    assert found.q[0, 0] == pytest.approx(2.0)
    assert rg.inverse_kinematics(mech, {"j0": 2.0, "j1": 0.0, "j2": 0.0}).q[0, 0] == 1.0


# --- loops ----------------------------------------------------------------------------------------------------------------------


def gaps(mech, q):
    work = mech.structure.new_work()
    return closed_positions.call(work, np.array(q), 0)


MODELS = {
    "four_bar": rg.models.four_bar,
    "bricard": rg.models.bricard,
    "high_bar": rg.models.high_bar,
    "swing": rg.models.swing,
    "squeezer": rg.models.squeezer,
}


@pytest.mark.parametrize("name", MODELS)
def test_loops_stay_closed_and_what_was_measured_is_found(name):
    mech, state = MODELS[name]().start
    rng = np.random.default_rng(3)
    other = rg.assemble(mech, mech.state(q=rg.integrate(mech, state.q, 0.05 * rng.standard_normal(mech.nv))))
    poses = rg.body_poses(mech, other)
    targets = {
        f"{body} {j}": rg.Marker(poses[body].apply(at), on=body, at=at)
        for body in mech.bodies
        for j, at in enumerate(rng.uniform(-0.3, 0.3, (3, 3)))
    }
    found = rg.inverse_kinematics(mech, targets, start=state, limits=False)
    assert found.converged.all()
    assert found.rms[0] < 1e-9
    assert gaps(mech, found.q[0]) < 1e-10
    assert found.gap[0] < 1e-10
    noisy = {
        name: target._replace(positions=target.positions + 0.02 * rng.standard_normal((4, 3))) for name, target in targets.items()
    }
    found = rg.inverse_kinematics(mech, noisy, start=state, limits=False)
    assert found.converged.all()
    for i in range(4):
        assert gaps(mech, found.q[i]) < 1e-10
        allowed = allowed_motions(mech, found.states[i])
        assert np.abs(gradient(mech, noisy, found.q[i], i) @ allowed).max(initial=0.0) < 1e-7  # along the loops nothing falls


def allowed_motions(mech, state):
    """(nv, mobility): a basis of the velocities that loops allow."""
    J = rg.loop_jacobian(mech, state)
    _, sizes, Vt = np.linalg.svd(J)
    free = Vt[int((sizes > 1e-7 * sizes[0]).sum()) :]
    basis, sizes, _ = np.linalg.svd(free.T[: mech.nv], full_matrices=False)
    return basis[:, sizes > 1e-9]


def test_a_crank_is_found_from_where_its_rocker_is():
    mech, state = rg.models.four_bar().start
    names = mech.layout.names
    turned = [
        rg.assemble(mech, state.replace(q={names[0]: float(state[names[0]].q) + a}), hold=names[0]) for a in (0.1, 0.2, 0.3)
    ]
    body = list(mech.bodies)[-1]
    seen = [rg.body_poses(mech, there)[body].apply((0.1, 0, 0.2)) for there in turned]
    found = rg.inverse_kinematics(mech, {"dot": rg.Marker(seen, on=body, at=(0.1, 0, 0.2))}, start=state)
    assert found.residuals["dot"].max() < 1e-9
    assert max(gaps(mech, q) for q in found.q) < 1e-10
    assert np.abs(found.q - [there.q for there in turned]).max() < 1e-7


def test_limits_and_loops_together():
    mech, state = rg.models.four_bar().start
    first = mech.layout.names[0]
    now = float(state[first].q)
    joint = mech.joints[first]
    limited = with_limits(mech, first, joint.type.with_limits(rg.Limits(now - 0.1, now + 0.1)))
    found = rg.inverse_kinematics(limited, {"wish": rg.JointTarget(now + 1.0, on=first)}, start=limited.state(q=state.q))
    assert found.q[0, limited.q_slice(first)] == pytest.approx(now + 0.1, abs=1e-12)
    assert gaps(limited, found.q[0]) < 1e-10


def with_limits(mech, name, kind):
    """A copy of a mechanism with another type for one joint."""
    found = rg.Mechanism(gravity=mech.gravity)
    for body in mech.bodies.values():
        found.add_body(body.name, body.inertia)
    for joint in mech.joints.values():
        of_joint = kind if joint.name == name else joint.type
        found.add_joint(joint.name, of_joint, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    return found


def test_loops_that_cannot_close_are_told():
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("pin", rg.Revolute((0, 1, 0)), "world", "rod")
    mech.add_joint("out of reach", rg.Spherical(), "world", "rod", rg.Pose(translation=(3, 0, 0)), rg.Pose(translation=(1, 0, 0)))
    with pytest.warns(rg.RegraftWarning, match="did not converge in frame 0: loops stay open"):
        found = rg.inverse_kinematics(mech, {"rod": (0, 0, 0)}, start=mech.state())
    assert not found.converged[0]
    assert found.gap[0] > 0.1
