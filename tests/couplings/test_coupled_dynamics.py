"""Couplings against dense algebra, closed forms and MuJoCo."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from couplings.coupled_mechanisms import SIMPLE, coupled_rows, gap_of, kkt, random_coupled
from loops.closed_mechanisms import clear_cut, rows_of
from oracles.complex_step import complex_closed_derivatives
from random_mechanisms import relative_error

SEEDS = st.integers(0, 2**32 - 1)


def geared(ratio=-3.0, offset=0.0, motor=0.02, wheel=1.5):
    """A motor and a wheel on axles of their own, with a gear between them."""
    mech = rg.Mechanism()
    for name, inertia in (("motor", motor), ("wheel", wheel)):
        mech.add_body(name, rg.Inertia(1.0, tensor=np.diag((inertia, inertia, inertia))))
        mech.add_joint(f"{name}_axle", rg.Revolute((0, 0, 1)), "world", name)
    mech.add_coupling("gear", "motor_axle", "wheel_axle", ratio=ratio, offset=offset)
    return mech


def test_a_geared_pair_is_one_joint_with_reflected_inertia():
    mech = geared(ratio=-0.25)
    a = rg.forward_dynamics(mech, mech.state(), {"motor_axle": 0.7})
    expected = 0.7 / (0.02 + 0.25**2 * 1.5)
    assert np.allclose(a, (expected, -0.25 * expected), rtol=1e-13, atol=0)


def test_a_chain_of_mimics_moves_as_one():
    mech, count = rg.Mechanism(), 5
    for i in range(count):
        mech.add_body(f"b{i}", rg.Inertia.sphere(1.0 + i, 0.1))
        mech.add_joint(f"j{i}", rg.Revolute((0, 0, 1)), "world", f"b{i}")
        if i:
            mech.add_coupling(f"c{i}", f"j{i - 1}", f"j{i}", ratio=2.0, offset=0.1)
    state = rg.assemble(mech, mech.state(q={"j0": 0.3}), hold="j0")
    q = [0.3]
    for _ in range(count - 1):
        q.append(2.0 * q[-1] + 0.1)
    assert np.allclose(state.q, q, rtol=0, atol=1e-12)
    inertia = sum(4.0**i * 0.4 * (1.0 + i) * 0.01 for i in range(count))
    assert np.allclose(rg.forward_dynamics(mech, state, {"j0": 1.0}), 2.0 ** np.arange(count) / inertia, rtol=1e-12)


def test_a_differential_splits_its_torque_and_adds_its_speeds():
    mech = rg.Mechanism()
    for name in ("left", "right", "cage"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(name, rg.Revolute((1, 0, 0)), "world", name)
    mech.add_coupling("differential", {"left": 0.5, "right": 0.5}, "cage")
    state = rg.assemble(mech, mech.state(v={"left": 1.0, "right": 3.0}), hold=("left", "right"))
    assert np.allclose(state.v, (1.0, 3.0, 2.0), atol=1e-12)
    a = rg.forward_dynamics(mech, state, {"cage": 1.0})
    assert a[0] == pytest.approx(a[1], rel=1e-12)
    assert a[2] == pytest.approx(a[0], rel=1e-12)
    found = rg.mobility(mech, state)
    assert (found.dof, found.rank) == (2, 1)


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 8), st.integers(1, 3), st.integers(1, 3))
def test_coupled_trees_solve_the_equations_with_multipliers(seed, bodies, couplings, roots):
    rng = np.random.default_rng(seed)
    mech, state = random_coupled(rng, bodies, couplings, roots=min(roots, bodies), damping=True, springs=1)
    assume(mech.couplings)
    tau, J = rng.standard_normal(mech.nv), coupled_rows(mech)
    expected, multipliers = kkt(rg.mass_matrix(mech, state), J, tau - rg.bias_force(mech, state), np.zeros(len(J)))
    a = rg.forward_dynamics(mech, state, tau)
    assert relative_error(a, expected) < 1e-9
    assert np.abs(J @ a).max() < 1e-10 * (1.0 + np.abs(a).max())
    power = state.v @ J.T @ multipliers
    assert abs(power) < 1e-9 * (1.0 + np.abs(multipliers).max())


@settings(max_examples=40)
@given(SEEDS, st.integers(3, 7), st.integers(1, 2), st.integers(1, 2))
def test_couplings_and_loops_together(seed, bodies, couplings, loops):
    rng = np.random.default_rng(seed)
    mech, state = random_coupled(rng, bodies, couplings, loops, kinds=(rg.Spherical, rg.Cylindrical, rg.Planar))
    tree_joints = set(mech.layout.v_slices)
    assume(mech.couplings and all(set(c.joints) <= tree_joints for c in mech.couplings.values()))
    loop_rows, wanted = rows_of(mech, state)
    J = np.vstack((loop_rows, coupled_rows(mech)))
    sizes = np.linalg.svd(J, compute_uv=False)
    assume(sizes.min() > 1e-3 and np.abs(state.v).max() < 50)
    tau = rng.standard_normal(mech.nv)
    wanted = np.concatenate((wanted, np.zeros(len(mech.couplings))))
    expected, _ = kkt(rg.mass_matrix(mech, state), J, tau - rg.bias_force(mech, state), wanted)
    assert relative_error(rg.forward_dynamics(mech, state, tau), expected) < 1e-8


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 5))
def test_a_coupled_loop_joint_accelerates_as_its_coupling_says(seed, bodies):
    """The velocity of a coupled loop joint is J v with J from `loop_jacobian`; the equations of motion use it and its rate."""
    rng = np.random.default_rng(seed)
    mech, state = random_coupled(rng, bodies, 1, 1, kinds=SIMPLE, tree_kinds=(rg.Spherical, rg.Revolute, rg.Free))
    assume(mech.couplings and any(set(c.joints) & set(mech.loop_joints) for c in mech.couplings.values()))
    assume(clear_cut(mech, state) and np.abs(state.v).max() < 50)
    J, rate = rg.loop_jacobian(mech, state, reduced=True), rg.loop_jacobian_rate(mech, state, reduced=True)
    sizes = np.linalg.svd(J, compute_uv=False)
    assume(sizes.min() > 1e-3)
    tau = rng.standard_normal(mech.nv)
    expected, _ = kkt(rg.mass_matrix(mech, state), J, tau - rg.bias_force(mech, state), -rate @ state.v)
    a = rg.forward_dynamics(mech, state, tau)
    assert relative_error(a, expected) < 1e-7
    assert abs(gap_of(mech, state, "coupling 0")) < 1e-9


def test_redundant_couplings_are_one_and_contradictory_ones_are_refused():
    mech = rg.Mechanism()
    for name in "abc":
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(name, rg.Revolute((0, 0, 1)), "world", name)
    mech.add_coupling("ab", "a", "b", ratio=2.0)
    mech.add_coupling("bc", "b", "c", ratio=3.0)
    round_about = mech.copy()
    round_about.add_coupling("ca", "c", "a", ratio=1.0 / 6.0)
    state = rg.assemble(round_about, round_about.state(q={"a": 0.2}), hold="a")
    assert np.allclose(state.q, (0.2, 0.4, 1.2), atol=1e-12)
    assert np.allclose(
        rg.forward_dynamics(round_about, state, {"a": 1.0}), rg.forward_dynamics(mech, state, {"a": 1.0}), rtol=1e-10
    )
    assert rg.mobility(round_about, state).rank == 2
    assert rg.joint_reactions(round_about, state, {"a": 1.0}).redundant == ()
    mech.add_coupling("ca", "c", "a", ratio=1.0 / 6.0, offset=0.5)
    with pytest.raises(rg.AssemblyError, match=r"couplings .*'(ab|bc|ca)'.* cannot be held.*contradict.*without"):
        rg.assemble(mech, mech.state())


@pytest.mark.parametrize("ratio", [0.0, 1e-300, 1e-9, 1e3, 1e6, 1e10])
def test_any_ratio_that_is_taken_gives_the_reflected_inertia(ratio):
    mech = geared(ratio=ratio)
    a = rg.forward_dynamics(mech, mech.state(), {"motor_axle": 1.0})
    motor, wheel = (mech.bodies[name].inertia.tensor[2, 2] for name in ("motor", "wheel"))
    free = 1.0 / motor
    assert a[0] == pytest.approx(1.0 / (motor + ratio**2 * wheel), rel=1e-9, abs=1e-14 * free)
    assert a[1] == pytest.approx(ratio / (motor + ratio**2 * wheel), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("ratio", [2e10, -1e150, 1e300])
def test_a_ratio_that_leaves_nothing_of_the_driver_is_refused(ratio):
    """Its square cannot be represented, and a coupling that was lost in that would be held by nobody."""
    with pytest.raises(rg.ModelError, match=r"coupling 'gear': the ratio .* larger than 1e\+10.*reciprocal"):
        geared(ratio=ratio)


def test_an_open_coupling_is_named():
    mech = geared(offset=0.2)
    for ask in (rg.forward_dynamics, rg.mobility, rg.loop_jacobian, lambda m, s: rg.simulate(m, s, 0.1)):
        with pytest.raises(rg.StructureError, match=r"'gear'.*assemble"):
            ask(mech, mech.state())
    with pytest.raises(rg.StructureError, match=r"coupling 'gear'.*consistent_acceleration"):
        rg.inverse_dynamics(mech, rg.assemble(mech, mech.state()), [1.0, 1.0])


@settings(max_examples=30)
@given(SEEDS, st.integers(2, 6), st.integers(0, 1))
def test_inverse_dynamics_undoes_forward_dynamics(seed, bodies, loops):
    rng = np.random.default_rng(seed)
    mech, state = random_coupled(rng, bodies, 2, loops, kinds=(rg.Spherical, rg.Planar), damping=True)
    assume(mech.couplings and mech.nv and clear_cut(mech, state) and np.abs(state.v).max() < 50)
    tau = rng.standard_normal(mech.nv)
    a = rg.forward_dynamics(mech, state, tau)
    assume(np.abs(a).max() < 1e3)
    W = rg.mobility(mech, state).W
    needed = rg.inverse_dynamics(mech, state, a)
    assert relative_error(W.T @ needed, W.T @ tau) < 1e-7  # the same work in every motion that there is
    some = rg.consistent_acceleration(mech, state, rng.standard_normal(mech.nv))
    there = rg.inverse_dynamics(mech, state, some)
    assert relative_error(rg.forward_dynamics(mech, state, there), some) < 1e-6


def complex_along(mech, state, tau, W):
    """Derivatives by the complex step: by q and v along allowed motions, and by torques."""
    by_q, by_v, by_tau = complex_closed_derivatives(mech, state, tau)
    return by_q @ W, by_v @ W, by_tau


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 5))
def test_derivatives_are_those_of_differences_and_of_the_complex_step(seed, bodies):
    rng = np.random.default_rng(seed)
    mech, state = random_coupled(rng, bodies, 1)
    assume(mech.couplings)
    tau, found = rng.standard_normal(mech.nv), None
    found = rg.derivatives(mech, state, tau)
    W, h = rg.mobility(mech, state).W, 1e-5
    for along in W.T[:2]:
        ends = [rg.forward_dynamics(mech, mech.state(q=state.q, v=state.v + side * h * along), tau) for side in (1.0, -1.0)]
        assert relative_error(found.v @ along, (ends[0] - ends[1]) / (2 * h)) < 1e-5
    for derivative, other in zip((found.q @ W, found.v @ W, found.tau), complex_along(mech, state, tau, W), strict=True):
        assert relative_error(derivative, other) < 1e-8
    push = rng.standard_normal(mech.nv)
    moved = rg.forward_dynamics(mech, state, tau + push) - rg.forward_dynamics(mech, state, tau)
    assert relative_error(found.tau @ push, moved) < 1e-8


def test_reactions_balance_what_couplings_do():
    mech = geared(ratio=-0.25)
    state = mech.state()
    reactions = rg.joint_reactions(mech, state, {"motor_axle": 0.7})
    a = rg.forward_dynamics(mech, state, {"motor_axle": 0.7})
    assert reactions["motor_axle"][2] == pytest.approx(0.02 * a[0], rel=1e-12)  # all that turns the motor, the gear included
    assert reactions["wheel_axle"][2] == pytest.approx(1.5 * a[1], rel=1e-12)


def test_inverse_kinematics_keeps_couplings():
    mech = rg.Mechanism()
    parent = "world"
    for i in range(3):
        mech.add_body(f"b{i}", rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (1, 0, 0)))
        mech.add_joint(f"j{i}", rg.Revolute((0, 0, 1)), parent, f"b{i}", rg.Pose(translation=(1.0 if i else 0.0, 0, 0)))
        parent = f"b{i}"
    mech.add_coupling("finger", "j1", "j2", ratio=0.5, offset=0.1)
    mech.add_frame("tip", "b2", rg.Pose(translation=(1, 0, 0)))
    wanted = rg.assemble(mech, mech.state(q={"j0": 0.3, "j1": 0.6}), hold=("j0", "j1"))
    target = rg.frame_pose(mech, wanted, "tip").translation
    found = rg.inverse_kinematics(mech, {"tip": target}, rg.assemble(mech, mech.state(q={"j0": 0.1, "j1": 0.3})))
    state = found.state if hasattr(found, "state") else found.states[0]
    assert abs(gap_of(mech, state, "finger")) < 1e-9
    assert np.allclose(rg.frame_pose(mech, state, "tip").translation, target, atol=1e-6)


def test_mujocos_stiffest_joint_equality_agrees():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string("""
        <mujoco><option gravity="0 0 -9.81" timestep="1e-5"><flag contact="disable"/></option><worldbody>
        <body><joint name="a" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
          <body pos="0.5 0 0"><joint name="b" axis="0 1 0"/><inertial pos="0.1 0 0.1" mass="0.7" diaginertia="0.02 0.01 0.02"/>
          </body></body></worldbody>
        <equality>
          <joint joint1="b" joint2="a" polycoef="0.1 -0.6 0 0 0" solref="2e-5 1" solimp="0.9999 0.9999 0.001 0.5 1"/>
        </equality>
        </mujoco>""")
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = (0.3, 0.1 - 0.6 * 0.3), (1.0, -0.6)
    mujoco.mj_forward(model, data)
    mech = rg.Mechanism()
    mech.add_body("one", rg.Inertia(1.0, (0.2, 0, 0), np.diag((0.02, 0.03, 0.04))))
    mech.add_body("two", rg.Inertia(0.7, (0.1, 0, 0.1), np.diag((0.02, 0.01, 0.02))))
    mech.add_joint("a", rg.Revolute((0, 1, 0)), "world", "one")
    mech.add_joint("b", rg.Revolute((0, 1, 0)), "one", "two", rg.Pose(translation=(0.5, 0, 0)))
    mech.add_coupling("mimic", "a", "b", ratio=-0.6, offset=0.1)
    a = rg.forward_dynamics(mech, mech.state(q=data.qpos, v=data.qvel))
    assert relative_error(a, data.qacc) < 1e-3  # MuJoCo lets its row give way by a part of 1e-4 of the unconstrained acceleration


def test_a_mechanism_is_printed_with_its_couplings():
    mech = rg.Mechanism()
    for name in ("a", "b", "c"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(name, rg.Revolute((0, 0, 1)), "world", name)
    mech.add_coupling("same", "a", "b")
    mech.add_coupling("differential", {"a": 0.5, "b": -2.0}, "c", offset=-0.1)
    first, *_, same, differential = str(mech).splitlines()
    assert "3 degrees of freedom of the tree" in first
    assert same == "coupling same: b = a"
    assert differential == "coupling differential: c = 0.5 · a - 2 · b - 0.1"
    assert "H=" not in repr(rg.mobility(mech, rg.assemble(mech, mech.state())))
