"""Coupled mechanisms that move: energy, both coordinates, events, changes of structure, threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from couplings.coupled_mechanisms import SIMPLE, gap_of, random_coupled
from random_mechanisms import relative_error

SEEDS = st.integers(0, 2**32 - 1)


def swinging(ratio=-1.5, offset=0.3):
    """Two double pendulums on the world whose hinges are geared together, across two trees and within one."""
    mech = rg.Mechanism()
    for side in ("left", "right"):
        for part, parent in (("upper", "world"), ("lower", f"{side}_upper")):
            mech.add_body(f"{side}_{part}", rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (0, 0, -0.5)))
            on_parent = rg.Pose(translation=(0, 0, -0.5)) if part == "lower" else rg.Pose(translation=(1.0, 0, 0))
            mech.add_joint(f"{side}_{part}", rg.Revolute((0, 1, 0)), parent, f"{side}_{part}", on_parent)
    mech.add_coupling("across", "left_upper", "right_upper", ratio=ratio, offset=offset)
    mech.add_coupling("within", "left_upper", "left_lower", ratio=0.5)
    start = mech.state(q={"left_upper": 0.8}, v={"left_upper": 1.0, "right_lower": 2.0})
    return mech, rg.assemble(mech, start, hold=("left_upper", "right_lower"))


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_energy_is_kept_and_couplings_hold_over_a_long_run(coordinates):
    mech, state = swinging()
    traj = rg.simulate(mech, state, 10.0, rtol=1e-9, atol=1e-9, coordinates=coordinates)
    total = traj.energy().total
    assert np.abs(total - total[0]).max() < 1e-5
    errors = traj.loop_error()
    assert errors.position.max() < 1e-10
    assert errors.velocity.max() < 1e-8
    assert {"across", "within"} <= set(traj.invariants().gaps)
    assert abs(gap_of(mech, traj.final[1], "across")) < 1e-9


def test_both_coordinates_and_both_integrators_give_one_motion():
    mech, state = swinging()
    ends = [
        rg.simulate(mech, state, 1.0, rtol=1e-10, atol=1e-10).final[1],
        rg.simulate(mech, state, 1.0, integrator="rk4", step=1e-3).final[1],
        rg.simulate(mech, state, 1.0, rtol=1e-10, atol=1e-10, coordinates="maximal").final[1],
    ]
    for other in ends[1:]:
        assert relative_error(other.q, ends[0].q) < 1e-7
        assert relative_error(other.v, ends[0].v) < 1e-7


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 5), st.integers(0, 1))
def test_maximal_coordinates_accelerate_bodies_alike(seed, bodies, loops):
    rng = np.random.default_rng(seed)
    mech, state = random_coupled(rng, bodies, 2, loops, kinds=(rg.Spherical, rg.Planar), tree_kinds=(*SIMPLE, rg.Free))
    assume(mech.couplings and np.abs(state.v).max() < 30)
    J = rg.loop_jacobian(mech, state, reduced=True)
    assume(np.linalg.svd(J, compute_uv=False).min() > 1e-2)
    free, there = rg.to_maximal(mech, state)
    a, b = rg.forward_dynamics(mech, state), rg.forward_dynamics(free, there)
    assume(np.abs(a).max() < 1e3)
    for body in mech.bodies:
        rate = rg.jacobian(mech, state, body) @ a + rg.jacobian_rate(mech, state, body) @ state.v
        other = rg.jacobian(free, there, body) @ b + rg.jacobian_rate(free, there, body) @ there.v
        assert relative_error(other, rate) < 1e-6
    again, back = rg.to_reduced(free, there)
    assert again == mech
    for name in mech.couplings:
        assert abs(gap_of(again, back, name)) < 1e-9


def test_many_turns_of_a_gear_come_back_from_poses():
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name in ("motor", "wheel"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(name, rg.Revolute((0, 0, 1)), "world", name)
    mech.add_coupling("gear", "motor", "wheel", ratio=-3.5, offset=0.4)
    state = rg.assemble(mech, mech.state(q={"motor": 9.0}, v={"motor": 5.0}), hold="motor")
    traj = rg.simulate(mech, state, 3.0, coordinates="maximal")
    assert traj.final[1].q[0] == pytest.approx(24.0, abs=1e-6)
    assert abs(gap_of(mech, traj.final[1], "gear")) < 1e-8
    _, alone = rg.to_reduced(*rg.to_maximal(mech, state))
    assert abs(gap_of(mech, alone, "gear")) < 1e-9


def test_a_ratio_that_poses_cannot_tell_is_refused():
    mech, state = swinging(ratio=-np.sqrt(2.0))
    assert np.isfinite(rg.forward_dynamics(mech, state)).all()
    with pytest.raises(rg.StructureError, match=r"coupling 'across'.*whole turns.*ratio of whole numbers"):
        rg.forward_dynamics(*rg.to_maximal(mech, state))


def test_couplings_survive_changes_of_other_joints():
    mech, state = swinging()
    held, after = rg.connect(mech, state, "left_lower", "world", joint=rg.Spherical(), at=(1.0, 0.3, -0.9))
    assert list(held.couplings) == ["across", "within"]
    for name in held.couplings:
        assert abs(gap_of(held, after, name)) < 1e-9
    rates = [rg.loop_jacobian(held, after, reduced=True) @ after.v]
    assert np.abs(rates).max() < 1e-9
    energy = [rg.energy(m, s).kinetic for m, s in ((mech, state), (held, after))]
    assert energy[1] <= energy[0] + 1e-12
    loose, free = rg.cut(held, after, held.loop_joints[0])
    assert loose == mech
    assert np.array_equal(free.q, after.q)


def test_an_impact_through_a_gear_conserves_what_it_must():
    """M Δv = Jᵀ λ: the change of momentum lies in the rows of the couplings and of the joint that takes hold."""
    mech, state = swinging()
    held, after = rg.connect(mech, state, "right_lower", "world", joint=rg.Revolute((0, 1, 0)), at=(1.0, 0, -0.7))
    J = rg.loop_jacobian(held, after, reduced=True)
    change = rg.mass_matrix(mech, state) @ (after.v - state.v)
    left = change - J.T @ np.linalg.lstsq(J.T, change, rcond=1e-9)[0]
    assert np.abs(left).max() < 1e-9
    assert np.abs(change).max() > 1e-2


def test_rerooting_keeps_couplings_and_motion():
    mech = rg.Mechanism()
    mech.add_body("trunk", rg.Inertia.box(5.0, (0.2, 0.3, 0.4)))
    mech.add_joint("float", rg.Free(), "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        mech.add_body(side, rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (0, 0, -0.4)))
        mech.add_joint(f"{side}_hip", rg.Revolute((0, 1, 0)), "trunk", side, rg.Pose(translation=(0, y, -0.2)))
    mech.add_coupling("gait", "left_hip", "right_hip", ratio=-1.0)
    state = rg.assemble(mech, mech.state(q={"left_hip": 0.3}, v={"left_hip": 2.0}), hold="left_hip")
    a = rg.forward_dynamics(mech, state)
    other, there, carried = rg.reroot(mech, state, "left", acceleration=a)
    assert list(other.couplings) == ["gait"]
    assert relative_error(rg.forward_dynamics(other, there), carried) < 1e-9
    assert there.v[other.v_slice("right_hip")] == pytest.approx(state.v[mech.v_slice("right_hip")])


def test_a_coupled_joint_cannot_go():
    mech, state = swinging()
    for change in (
        lambda: rg.cut(mech, state, "left_lower"),
        lambda: rg.reroot(mech, state, "left_lower"),
    ):
        with pytest.raises(rg.StructureError, match=r"coupling '(across|within)'.*without\('(across|within)'\)"):
            change()


def test_a_coupled_loop_joint_that_becomes_a_tree_joint_keeps_its_turns():
    """A four-bar whose loop joint drives a flywheel by a gear; the loop is cut elsewhere after more than a turn."""
    mech = rg.models.four_bar().mech.copy()
    state = rg.models.four_bar().start[1]
    closing = mech.loop_joints[0]
    mech.add_body("flywheel", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("flywheel", rg.Revolute((0, 1, 0)), "world", "flywheel")
    mech.add_coupling("gear", closing, "flywheel", ratio=0.4)
    rough = mech.state(q={name: state.q[rg.models.four_bar().mech.q_slice(name)] for name in state.layout.names})
    state = rg.assemble(mech, rough)
    assert rg.mobility(mech, state).dof == 1
    moving = rg.assemble(mech, state.replace(v={"motor": 3.0}), hold="motor")
    traj = rg.simulate(mech, moving, 0.5, rtol=1e-9, atol=1e-9)
    total = traj.energy().total
    assert np.abs(total - total[0]).max() < 1e-6
    end = traj.final[1]
    opened, loose = rg.cut(mech, end, next(name for name in mech.layout.names if name not in ("motor", "flywheel")))
    assert closing in opened.layout.names
    assert abs(gap_of(opened, loose, "gear")) < 1e-9


def test_an_event_finds_its_place_in_coupled_motion():
    mech, state = swinging()
    event = rg.when_joint("right_upper", -0.5, rg.STOP, direction=0)
    for integrator in ({}, {"integrator": "rk4", "step": 0.01}):
        traj = rg.simulate(mech, state, 5.0, events=event, **integrator)
        assert traj.t[-1] < 5.0
        assert traj.final[1].q[mech.q_slice("right_upper")] == pytest.approx(-0.5, abs=1e-9)
        assert abs(gap_of(mech, traj.final[1], "across")) < 1e-10


def test_threads_share_a_coupled_mechanism():
    mech, state = swinging()
    expected = rg.forward_dynamics(mech, state)

    def ask(_):
        return all(np.array_equal(rg.forward_dynamics(mech, state), expected) for _ in range(200))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(8)))
    runs = [rg.simulate(mech, state, 0.3) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: rg.simulate(mech, state, 0.3), range(2)))
    assert all(np.array_equal(run.final[1].q, runs[0].final[1].q) for run in found)


def test_a_coupling_comes_back_from_a_file(tmp_path):
    mech, state = swinging()
    mech.save(tmp_path / "geared.json")
    again = rg.load(tmp_path / "geared.json")
    assert again == mech
    assert np.array_equal(rg.forward_dynamics(again, again.state(q=state.q, v=state.v)), rg.forward_dynamics(mech, state))
