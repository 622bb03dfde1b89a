"""Ten thousand bodies in a chain and in a star: no recursion, no quadratic time, little memory."""

from __future__ import annotations

import itertools
import math
import sys
import tracemalloc

import numpy as np
import pytest

import regraft as rg

COUNT = 10_000
LINK = rg.Inertia.box(1.0, (0.1, 0.05, 0.05), at=(0.05, 0.0, 0.0))
END = rg.Pose(translation=(0.1, 0.0, 0.0))


def chain(count, joint=None):
    """Links of 10 cm one after the other; every third joint is described from its far side."""
    mech = rg.Mechanism()
    hinge = joint or rg.Revolute((0, 0, 1))
    upper = "world"
    for i in range(count):
        name = f"b{i}"
        mech.add_body(name, LINK)
        if i % 3 == 2:
            mech.add_joint(f"j{i}", hinge, name, upper, rg.Pose(), END)
        else:
            mech.add_joint(f"j{i}", hinge, upper, name, END)
        upper = name
    return mech


def star(count):
    """A floating hub with one joint for each child."""
    mech = rg.Mechanism()
    mech.add_body("hub", rg.Inertia.sphere(1000.0, 1.0))
    mech.add_joint("base", rg.Free(), "world", "hub")
    for i in range(count):
        turn = 2 * math.pi * i / count
        mech.add_body(f"b{i}", LINK)
        rim = rg.Pose(translation=(math.cos(turn), math.sin(turn), 0.0))
        mech.add_joint(f"j{i}", rg.Revolute((0, 0, 1)), "hub", f"b{i}", rim)
    return mech


DIGITS_OF_TORQUES = 1e-8
"""Rounding of the torques alone may change accelerations by ε |M⁻¹| |M| |a|: 7.3e-11 with 1 000 hinges and 1.2e-9 with 4 000, as
the square, so 7e-9 with 10 000; and 2.6e-9 with 1 000 ball joints. A solution with the dense mass matrix is off twice as far."""


def curled(mech):
    """A state that winds the chain up into a triangle: in world axes digits go with (extent / size of a body)²."""
    rng = np.random.default_rng(0)
    sign = np.where(np.arange(mech.nv) % 3 == 2, -1.0, 1.0)
    return mech.state(q=sign * 2 * math.pi / 3, v=rng.uniform(-0.1, 0.1, mech.nv))


@pytest.fixture(scope="module")
def long_chain():
    return chain(COUNT)


@pytest.fixture(scope="module")
def wide_star():
    return star(COUNT)


def test_a_long_chain_forward_dynamics_undoes_inverse_dynamics(long_chain):
    state = curled(long_chain)
    reach = np.array([pose.translation for pose in rg.body_poses(long_chain, state).values()])
    assert np.abs(reach).max() < 0.5
    a = np.random.default_rng(1).standard_normal(COUNT)
    tau = rg.inverse_dynamics(long_chain, state, a)
    assert np.abs(rg.forward_dynamics(long_chain, state, tau) - a).max() < DIGITS_OF_TORQUES


def test_a_long_chain_answers_everything_of_linear_cost(long_chain):
    state = curled(long_chain)
    assert rg.energy(long_chain, state).kinetic > 0.0
    assert rg.momentum(long_chain, state).linear.shape == (3,)
    assert rg.center_of_mass(long_chain, state) == pytest.approx(np.zeros(3), abs=0.2)
    assert rg.jacobian(long_chain, state, f"b{COUNT - 1}").shape == (6, COUNT)
    tip = rg.frame_twist(long_chain, state, f"b{COUNT - 1}")
    assert tip == pytest.approx(rg.body_twists(long_chain, state)[f"b{COUNT - 1}"], abs=1e-9)
    assert rg.normalise(long_chain, rg.integrate(long_chain, state.q, state.v)).shape == (COUNT,)
    weight = rg.joint_reactions(long_chain, long_chain.state())["j0"][3:]
    assert weight.shape == (3,)


def test_the_energy_of_a_long_chain_is_the_sum_over_its_bodies(long_chain):
    state = curled(long_chain)
    poses, twists = rg.body_poses(long_chain, state), rg.body_twists(long_chain, state)
    rotations = np.array([pose.rotation for pose in poses.values()])
    moves = np.array([twists[name] for name in poses])
    arms = rotations @ LINK.com
    velocities = moves[:, 3:] + np.cross(moves[:, :3], arms)
    spins = np.einsum("nij,nj->ni", rotations.transpose(0, 2, 1), moves[:, :3])
    kinetic = 0.5 * (velocities**2).sum() + 0.5 * np.einsum("ni,ij,nj->", spins, LINK.tensor, spins)
    assert rg.energy(long_chain, state).kinetic == pytest.approx(kinetic, rel=1e-9)


def test_a_long_chain_is_drawn_in_part(long_chain):
    lines = repr(long_chain).splitlines()
    assert lines[0].startswith(f"Mechanism: {COUNT} bodies, {COUNT} joints, {COUNT} degrees of freedom")
    assert len(lines) <= 210
    assert max(map(len, lines)) < 200
    assert sum("more bodies" in line for line in lines) == 1


def test_a_long_chain_comes_back_from_a_file(long_chain, tmp_path):
    long_chain.save(tmp_path / "chain.json")
    again = rg.load(tmp_path / "chain.json")
    assert again == long_chain
    state = curled(long_chain)
    assert np.array_equal(rg.forward_dynamics(again, state), rg.forward_dynamics(long_chain, state))


def test_a_long_chain_can_be_copied_and_compared(long_chain):
    twin = long_chain.copy()
    assert twin == long_chain
    twin.add_body("more", LINK)
    assert twin != long_chain


def test_a_long_chain_does_not_need_a_deep_stack():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(list(frames())) + 60)
    try:
        mech = chain(2000)
        state = mech.state()
        rg.forward_dynamics(mech, state)
        assert repr(mech)
        assert rg.Mechanism.from_dict(mech.to_dict()) == mech
    finally:
        sys.setrecursionlimit(limit)


def frames():
    """The calls that lead here."""
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back


def test_a_chain_of_three_dimensional_joints_keeps_its_identities():
    """A ball joint every link, wound up as tightly."""
    mech = chain(1000, rg.Spherical())
    rng = np.random.default_rng(2)
    turn = np.tile([math.cos(math.pi / 3), 0.0, 0.0, math.sin(math.pi / 3)], 1000)
    turn[[4 * i + 3 for i in range(2, 1000, 3)]] *= -1.0
    state = mech.state(q=turn, v=rng.uniform(-0.1, 0.1, mech.nv))
    a = rng.standard_normal(mech.nv)
    assert np.abs(rg.forward_dynamics(mech, state, rg.inverse_dynamics(mech, state, a)) - a).max() < DIGITS_OF_TORQUES


@pytest.mark.parametrize("count", [100, 300, 1000])
def test_a_stretched_chain_of_ball_joints_is_not_taken_for_one_without_inertia(count):
    """In world axes the inertia of the last link about its joint is a difference of numbers (count)² times as large."""
    mech = chain(count, rg.Spherical())
    a = np.random.default_rng(4).standard_normal(mech.nv)
    found = rg.forward_dynamics(mech, mech.state(), rg.inverse_dynamics(mech, mech.state(), a))
    assert np.abs(found - a).max() < 1e-10 * count**2


def test_a_wide_star_forward_dynamics_undoes_inverse_dynamics(wide_star):
    rng = np.random.default_rng(3)
    q = rg.integrate(wide_star, wide_star.state().q, rng.uniform(-1, 1, wide_star.nv))
    state = wide_star.state(q=q, v=rng.standard_normal(wide_star.nv))
    a = rng.standard_normal(wide_star.nv)
    found = rg.forward_dynamics(wide_star, state, rg.inverse_dynamics(wide_star, state, a))
    assert np.abs(found - a).max() < 1e-9
    assert len(repr(wide_star).splitlines()) <= 210
    assert len(rg.body_poses(wide_star, state)) == COUNT + 1


def test_a_wide_star_falls_freely(wide_star):
    """At rest nothing but gravity acts, so all bodies fall alike and no joint turns."""
    a = rg.forward_dynamics(wide_star, wide_star.state())
    assert a[:3] == pytest.approx([0, 0, -9.81], abs=1e-12)
    assert np.abs(a[3:]).max() < 1e-9


def test_ten_thousand_roots_do_not_feel_each_other():
    mech = rg.Mechanism()
    for i in range(COUNT):
        mech.add_body(f"b{i}", rg.Inertia.point(1.0 + i, at=(0, 0, -1)))
        mech.add_joint(f"j{i}", rg.Revolute((0, 1, 0)), "world", f"b{i}", rg.Pose(translation=(float(i), 0, 0)))
    q = np.linspace(-3, 3, COUNT)
    assert rg.forward_dynamics(mech, mech.state(q=q)) == pytest.approx(-9.81 * np.sin(q), abs=1e-12)


def unlike(count):
    """A chain in which no two bodies share an inertia, a joint type or a pose."""
    mech = rg.Mechanism()
    upper = "world"
    for i in range(count):
        mech.add_body(f"b{i}", rg.Inertia.box(1.0 + i, (0.1, 0.05, 0.05), at=(0.05, 0.0, 0.0)))
        hinge = rg.Revolute((0.0, 1.0, float(i)), damping=0.1)
        mech.add_joint(f"j{i}", hinge, upper, f"b{i}", rg.Pose(translation=(0.1, 0.0, float(i))))
        upper = f"b{i}"
    return mech


def test_a_body_takes_at_most_four_kibibytes():
    """All that a mechanism, its tree and one work space hold, at the highest point while they are made."""
    rg.forward_dynamics(small := unlike(3), small.state())  # kernels are loaded before the count
    tracemalloc.start()
    try:
        mech = unlike(COUNT)
        work = mech.structure.new_work()
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert work is not None
    assert held / COUNT > 500.0  # the count did see the mechanism
    assert peak / COUNT <= 4096.0


def test_the_walk_is_depth_first_and_parents_come_before_children():
    from regraft.kernels.tables import BODY, PARENT

    mech = star(50)
    walk = mech.structure.walk
    assert walk[0, PARENT] == -1
    assert all(parent < row for row, parent in enumerate(walk[:, PARENT].tolist()))
    assert sorted(walk[:, BODY].tolist()) == list(range(51))
    long = chain(20).structure.walk
    assert [(a, b) for a, b in itertools.pairwise(long[:, BODY].tolist()) if b != a + 1] == []
