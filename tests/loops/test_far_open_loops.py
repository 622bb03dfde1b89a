"""`assemble` from far away: loops are closed again wherever that is possible, and where not there is an error in bounded time."""

import time
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import regraft as rg
from loops.closed_mechanisms import four_bars, random_closed
from regraft.ask.loop_measures import loop_measures

PARALLEL = Path(__file__).parents[3] / "shared" / "data" / "robots" / "parallel"


def gap(mech, state):
    return loop_measures(mech, state._x[None])[0, 0]


def opened(seed):
    """A random mechanism with a closed pose, opened by a random amount: rad and m, up to 2 for each coordinate."""
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, int(rng.integers(2, 8)), int(rng.integers(1, 4)))
    move = rng.uniform(0.0, 2.0) * rng.uniform(-1.0, 1.0, mech.nv)
    return mech, mech.state(q=rg.integrate(mech, state.q, move))


def closes(seed):
    mech, rough = opened(seed)
    try:
        return gap(mech, rg.assemble(mech, rough)) < 1e-9
    except rg.AssemblyError:
        return False


@pytest.mark.filterwarnings("ignore::regraft.RegraftWarning")
def test_what_was_closed_and_opened_is_closed_again():
    failed = [seed for seed in range(400) if not closes(seed)]
    assert len(failed) <= 4, failed


@pytest.mark.filterwarnings("ignore::regraft.RegraftWarning")
@pytest.mark.parametrize("seed", range(50))
def test_a_body_on_a_ball_joint_is_closed_from_anywhere(seed):
    rng = np.random.default_rng(seed)
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.box(1.0, (0.1, 0.1, 1.2)))
    mech.add_joint("ball", rg.Spherical(), "world", "rod", rg.Pose(), rg.Pose(translation=(0, 0, 0.6)))
    there = mech.state(q=rg.integrate(mech, mech.state().q, rng.normal(size=3)))
    tip = rg.Pose(translation=(0.1, 0, -0.5))
    mech.add_joint("loop", rg.Spherical(), "world", "rod", rg.body_poses(mech, there)["rod"] @ tip, tip)
    far = mech.state(q=rg.integrate(mech, mech.state().q, 2.0 * rng.normal(size=3)))
    assert gap(mech, rg.assemble(mech, far)) < 1e-9


@pytest.mark.filterwarnings("ignore::regraft.RegraftWarning")
def test_the_same_pose_is_found_each_time():
    for seed in range(20):
        mech, rough = opened(seed)
        assert np.array_equal(rg.assemble(mech, rough).q, rg.assemble(mech.copy(), rough).q)


def stretched(*names):
    """A chain, hinged to a pin that the stretched chain points away from: no small step brings them nearer."""
    mech, hinge = rg.Mechanism(), rg.Revolute((0, 1, 0))
    for upper, name in pairwise(("world", *names)):
        mech.add_body(name, rg.Inertia.box(1.0, (1.0, 0.1, 0.1), at=(0.5, 0, 0)))
        mech.add_joint(f"{name} hinge", hinge, upper, name, rg.Pose() if upper == "world" else rg.Pose(translation=(1, 0, 0)))
    mech.add_joint("pin", hinge, "world", names[-1], rg.Pose(translation=(-0.8, 0, 0)), rg.Pose(translation=(1, 0, 0)))
    return mech


def test_a_dead_end_is_left_and_told():
    mech = stretched("crank", "rod")
    with pytest.warns(rg.RegraftWarning, match="closed from another one, number 1 of those around it, and '.* hinge' has moved"):
        state = rg.assemble(mech, mech.state())
    assert gap(mech, state) < 1e-9


def test_what_is_held_stays_where_it_is():
    mech = stretched("crank", "rod", "end")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rg.RegraftWarning)
        state = rg.assemble(mech, mech.state(q={"crank hinge": 0.5}, v={"crank hinge": 0.3}), hold="crank hinge")
    assert state["crank hinge"].q == pytest.approx(0.5, abs=1e-12)
    assert state["crank hinge"].v == pytest.approx(0.3, abs=1e-12)
    assert gap(mech, state) < 1e-9


@pytest.mark.filterwarnings("ignore::regraft.RegraftWarning")
@pytest.mark.parametrize("name", ["pin", "crank hinge"])
def test_joints_that_are_to_be_somewhere_are_there_from_far_away_too(name):
    """A loop joint, which has rows of its own, and one of the tree."""
    mech = stretched("crank", "rod", "end")
    state = rg.assemble(mech, mech.state(), q={name: 0.7}, v={name: 0.2})
    assert mech.joint_position(state, name)[0] == pytest.approx(0.7, abs=1e-9)
    assert mech.joint_velocity(state, name)[0] == pytest.approx(0.2, abs=1e-9)
    assert gap(mech, state) < 1e-9


def test_no_joint_goes_round_and_round_where_there_is_another_way():
    for seed in range(100):
        mech, rough = opened(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rg.RegraftWarning)
            try:
                found = rg.assemble(mech, rough)
            except rg.AssemblyError:
                continue
        turning = [name for name, kind, *_ in mech.layout.joints if type(kind) is rg.Revolute]
        assert all(abs(found[name].q - rough[name].q) <= 2.0 * np.pi for name in turning)


@pytest.mark.parametrize("count", [1, 40])
def test_what_cannot_be_closed_is_an_error_with_the_gap_and_the_loop_in_bounded_time(count):
    mech = rg.Mechanism.from_dict(four_bars(count).to_dict())
    mech.add_joint("too far", rg.Spherical(), "world", next(reversed(mech.bodies)), rg.Pose(translation=(1000.0, 0, 0)))
    begin = time.process_time()
    with pytest.raises(rg.AssemblyError, match=r"'too far' cannot be closed: a gap of \d\d\d.* is left.* other poses"):
        rg.assemble(mech, mech.state())
    assert time.process_time() - begin < 30.0


@pytest.mark.skipif(not PARALLEL.is_dir(), reason="the parallel robots are not on this machine")
@pytest.mark.filterwarnings("ignore::regraft.RegraftWarning")
@pytest.mark.parametrize("name", ["5bar_linkage", "cassie_like", "robot_delta"])
def test_real_robots_are_closed_from_the_zero_pose_without_winding_up(name):
    mech = rg.read(PARALLEL / name / "robot.urdf", ignore="all", inertia="repair").mech
    state = rg.assemble(mech, mech.state())
    assert gap(mech, state) < 1e-9
    assert np.abs(rg.difference(mech, state.q, mech.state().q)).max() < 2.0 * np.pi
