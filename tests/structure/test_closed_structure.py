"""Cutting and re-rooting where there are loops: S2's figures 10–15, and what no change of structure may change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import body_accelerations, body_motions, clear_cut, four_bars, random_closed

SEEDS = st.integers(0, 2**32 - 1)
HINGE = rg.Revolute((0, 1, 0))


def figure_10():
    """Two branches on a base: links 1 and 3 on one, 2 and 4 on the other; the ends of links 3 and 4 meet."""
    mech = rg.Mechanism()
    for name in ("base", "link 1", "link 2", "link 3", "link 4"):
        mech.add_body(name, rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, 1)))
    down = rg.Pose(translation=(0, 0, 1))
    mech.add_joint("ground", rg.Fixed(), "world", "base")
    mech.add_joint("left shoulder", HINGE, "base", "link 1", rg.Pose(translation=(-0.5, 0, 0)))
    mech.add_joint("right shoulder", HINGE, "base", "link 2", rg.Pose(translation=(0.5, 0, 0)))
    mech.add_joint("left elbow", HINGE, "link 1", "link 3", down)
    mech.add_joint("right elbow", HINGE, "link 2", "link 4", down)
    bend = {"left shoulder": -0.4, "left elbow": 0.9, "right shoulder": 0.4, "right elbow": -0.9}
    rates = {"left shoulder": 1.0, "left elbow": -0.3, "right shoulder": 0.4, "right elbow": 0.8}
    return mech, mech.state(q=bend, v=rates)


def grasped():
    """Figure 10 after the connection: a hinge between links 3 and 4."""
    mech, state = figure_10()
    hand = rg.body_poses(mech, state)["link 3"].apply((0, 0, 1))
    return rg.connect(mech, state, "link 3", "link 4", joint=HINGE, at=hand, name="grip")


def unchanged(before, after):
    """Every body moves as it did, and every joint that stays has its position and velocity."""
    assert body_motions(*after) == pytest.approx(body_motions(*before), rel=1e-9, abs=1e-9)
    for name in set(before[0].joints) & set(after[0].joints):
        if before[0].joints[name] == after[0].joints[name]:
            for ask in ("joint_position", "joint_velocity"):
                was, found = (getattr(m, ask)(s, name) for m, s in (before, after))
                assert found == pytest.approx(was, abs=1e-8)


def test_a_loop_within_a_chain_is_made_and_its_joint_cut_again():
    """Figures 10 and 11."""
    mech, state = figure_10()
    held, after = grasped()
    assert held.loop_joints == ("grip",)
    assert held.layout.joints == mech.layout.joints
    assert rg.energy(held, after).kinetic < rg.energy(mech, state).kinetic
    opened, loose = rg.cut(held, after, "grip")
    assert opened == mech
    assert loose == rg.State(mech.layout, after._x)
    unchanged((held, after), (opened, loose))


def test_a_tree_joint_inside_a_loop_is_cut_and_the_loop_becomes_tree():
    """Figure 15: link 3 leaves link 1 and hangs on link 4."""
    held, state = grasped()
    opened, after = rg.cut(held, state, "left elbow")
    assert opened.loop_joints == ()
    assert opened.layout.names == ("ground", "left shoulder", "right shoulder", "right elbow", "grip")
    unchanged((held, state), (opened, after))


def test_a_bridge_is_cut_and_what_it_held_floats_with_its_loop():
    held, state = grasped()
    opened, after = rg.cut(held, state, "ground")
    assert opened.joints["base_free"].type == rg.Free()
    assert opened.loop_joints == ("grip",)
    unchanged((held, state), (opened, after))


def test_a_floating_chain_is_caught_by_the_world_and_by_another_chain():
    """Figures 12–14: nothing is turned round, the free joint stays."""
    mech, state = figure_10()
    flying, state = rg.cut(mech, state, "ground")
    tip = rg.body_poses(flying, state)["link 4"].apply((0, 0, 1))
    held, after = rg.connect(flying, state, "world", "link 4", joint=HINGE, at=tip, name="bar")
    assert held.layout.names == flying.layout.names
    assert held.loop_joints == ("bar",)
    assert rg.body_twists(held, after)["link 4"][3:] == pytest.approx(
        np.cross(rg.body_poses(held, after)["link 4"].translation - tip, -rg.body_twists(held, after)["link 4"][:3]), abs=1e-9
    )
    both = flying.copy()
    both.add_body("other", rg.Inertia.sphere(3.0, 0.2))
    both.add_joint("flight", rg.Free(), "world", "other", rg.Pose(translation=tip))
    moving = both.state(q={n: flying.joint_position(state, n) for n in flying.layout.names},
                        v={n: flying.joint_velocity(state, n) for n in flying.layout.names})  # fmt: skip
    caught, after = rg.connect(both, moving, "other", "link 4", joint=HINGE, at=tip, name="catch")
    assert rg.momentum(caught, after).linear == pytest.approx(rg.momentum(both, moving).linear, abs=1e-10)
    opened, loose = rg.cut(caught, after, "base_free")  # the chain then hangs on the other body
    assert opened.loop_joints == ()
    unchanged((caught, after), (opened, loose))


def random_state(seed, bodies=6, loops=2, damping=True):
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, bodies, loops, damping=damping, springs=1, root_kinds=(rg.Free,))
    return rng, mech, rg.assemble(mech, state)


def test_structures_with_the_same_tree_have_their_own_loops():
    """Whichever was asked last, each accelerates as one that was never changed and shares nothing."""
    start = figure_10()
    once = grasped()
    twice = rg.connect(*once, "world", "link 1", joint=rg.Spherical(), pose_b=rg.Pose(translation=(0, 0, 0.5)))
    opened = rg.cut(*twice, "grip")
    for mech, state in (start, once, twice, opened, once, start, twice):
        alone = rg.Mechanism.from_dict(mech.to_dict())
        expected = rg.forward_dynamics(alone, alone.state(state.q, state.v))
        walks = [other[0].structure.walk for other in (start, once)]
        assert any(np.array_equal(mech.structure.walk, walk) for walk in walks)
        assert rg.forward_dynamics(mech, state) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 3))
def test_cutting_any_joint_changes_no_motion(seed, loops):
    rng, mech, state = random_state(seed, loops=loops)
    name = str(rng.choice(list(mech.joints)))
    opened, after = rg.cut(mech, state, name)
    assert name not in opened.joints or isinstance(mech.joints[name].type, rg.Free)
    unchanged((mech, state), (opened, after))
    assert rg.energy(opened, after).total == pytest.approx(rg.energy(mech, state).total, rel=1e-8, abs=1e-8)
    rg.forward_dynamics(opened, after)


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 3))
def test_whichever_body_is_the_top_the_bodies_accelerate_the_same(seed, loops):
    """Re-rooting a closed mechanism that floats, on a base without damping: same motion, same accelerations; revertible."""
    rng, mech, state = random_state(seed, loops=loops, damping=False)
    if not clear_cut(mech, state):
        return
    top = str(rng.choice(list(mech.bodies)))
    base = mech.structure.joint_names[mech.structure.walk[mech.structure.walk[mech.structure.row_of[top], 8], 2]]
    a = rg.forward_dynamics(mech, state)
    turned, after, rates = rg.reroot(mech, state, top, name=base, acceleration=a)
    unchanged((mech, state), (turned, after))
    size = 1.0 + np.abs(a).max()
    accelerations = body_accelerations(mech, state, a)
    assert body_accelerations(turned, after, rates) == pytest.approx(accelerations, abs=1e-7 * size)
    assert body_accelerations(turned, after, rg.forward_dynamics(turned, after)) == pytest.approx(accelerations, abs=1e-6 * size)
    (old,) = {mech.joints[base].parent, mech.joints[base].child} - {"world"}
    back, again = rg.reroot(turned, after, old, name=base)
    unchanged((mech, state), (back, again))


@settings(max_examples=30)
@given(SEEDS)
def test_an_impact_at_a_new_base_takes_the_loops_along(seed):
    rng, mech, state = random_state(seed)
    top = str(rng.choice(list(mech.bodies)))
    at = rg.body_poses(mech, state)[top].apply(rng.uniform(-0.3, 0.3, 3))
    turned, after = rg.reroot(mech, state, top, at=at, joint=rg.Spherical(), name="foot", velocity="impact")
    floating, flying = rg.reroot(mech, state, top)
    held, expected = rg.connect(floating, flying, "world", top, joint=rg.Spherical(), at=at, name="foot")
    assert body_motions(turned, after) == pytest.approx(body_motions(held, expected), rel=1e-7, abs=1e-7)
    assert after.impulse["foot"] == pytest.approx(expected.impulse["foot"], rel=1e-7, abs=1e-7)


def test_a_loop_that_is_open_cannot_become_tree():
    held, state = grasped()
    torn = held.state(q=state.q + 0.1 * np.arange(held.nq), v=state.v)
    with pytest.raises(rg.StructureError, match=r"'grip' is open .* assemble"):
        rg.cut(held, torn, "left elbow")


@pytest.mark.parametrize("torn", [{"q": 1e-4, "v": 0.0}, {"q": 0.0, "v": 1e-4}], ids=["in position", "in velocity"])
def test_a_loop_that_is_open_in_one_way_cannot_become_tree(torn):
    held, state = grasped()
    still = held.state(q=state.q) if torn["v"] == 0.0 else state
    opened = held.state(q=still.q + torn["q"], v=still.v + torn["v"])
    with pytest.raises(rg.StructureError, match=r"'grip' is open .* assemble"):
        rg.cut(held, opened, "left elbow")


def test_cutting_a_four_bar_in_motion_lets_it_fall_apart():
    mech = four_bars(2)
    state = rg.assemble(mech, mech.state(v={"foot 0": -1.0}), hold=["foot 0"])
    breaks = rg.at_time(0.5, lambda m, s: rg.cut(m, s, "top 1"))
    traj = rg.simulate(mech, state, 1.0, events=[breaks])
    assert [segment.mech.loop_joints for segment in traj.segments] == [("end 1", "end 2"), ("end 1",)]
    energy = traj.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-6
    assert traj.loop_error().position.max() < 1e-9
    assert traj.joint("end 2").q[-1] == pytest.approx(traj.final[0].joint_position(traj.final[1], "end 2")[0], abs=1e-12)


# --- loops that are open by a little -----------------------------------------------------------------------------------------


def tilted_four_bar(tilt):
    """Four bars that float, in a plane but for one hinge, whose axis is tilted; it closes the loop. They move at some rad/s."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for k in range(4):
        mech.add_body(f"bar {k}", rg.Inertia.box(1.0 + k, (1.0, 0.1, 0.2), at=(0.5, 0, 0)))
    mech.add_joint("float", rg.Free(), "world", "bar 0")
    for k in range(3):
        mech.add_joint(f"corner {k}", rg.Revolute((0, 0, 1)), f"bar {k}", f"bar {k + 1}", rg.Pose(translation=(1, 0, 0)))
    bent = {f"corner {k}": angle for k, angle in enumerate((1.2, np.pi - 1.2, 1.2))}
    state = mech.state(q=bent, v={"float": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), "corner 0": 10.0})
    return rg.connect(mech, state, "bar 3", "bar 0", joint=rg.Revolute((tilt, 0, 1)), at=(0, 0, 0), name="closing")


def slip_of(mech, state):
    return np.abs(rg.loop_jacobian(mech, state, reduced=True) @ state.v).max()


def pushes_along_what_is_free(before, after):
    """Σ Jᵀ I ΔV, with the change of each body's twist: zero for the nearest motion in the metric of kinetic energy."""
    (mech, state), (changed, new) = before, after
    was, found, total = rg.body_twists(mech, state), rg.body_twists(changed, new), np.zeros(changed.nv)
    for name, body in changed.bodies.items():
        R, change = rg.body_poses(changed, new)[name].rotation, found[name] - was[name]
        arm = R @ body.inertia.com
        force = body.inertia.mass * (change[3:] + np.cross(change[:3], arm))
        moment = R @ body.inertia.tensor @ R.T @ change[:3] + np.cross(arm, force)
        total += rg.jacobian(changed, new, name).T @ np.concatenate([moment, force])
    return total


@pytest.mark.parametrize("name", ["corner 0", "corner 1", "corner 2"])
def test_a_joint_that_slipped_becomes_tree_and_momentum_is_kept(name):
    """The tilt is too small to count, so the loop slips along a row that is left out; as a joint of the tree it cannot."""
    mech, state = tilted_four_bar(2e-7)
    slip = slip_of(mech, state)
    assert 1e-8 < slip < 1e-6 * 6.0
    opened, after = rg.cut(mech, state, name)
    assert opened.loop_joints == ()
    change = np.abs(body_motions(opened, after) - body_motions(mech, state))
    assert change[:, :12].max() < 1e-12
    assert slip / 10 < change[:, 12:].max() < 2 * slip
    for part in ("linear", "angular"):
        assert getattr(rg.momentum(opened, after), part) == pytest.approx(getattr(rg.momentum(mech, state), part), abs=1e-12)
    assert rg.energy(opened, after).kinetic <= rg.energy(mech, state).kinetic * (1.0 + 1e-12)
    assert np.abs(pushes_along_what_is_free((mech, state), (opened, after))).max() < 1e-12


def test_a_loop_that_holds_to_rounding_becomes_tree_without_any_change():
    mech, state = tilted_four_bar(0.0)
    opened, after = rg.cut(mech, state, "corner 1")
    assert np.abs(body_motions(opened, after) - body_motions(mech, state)).max() < 1e-13
    kept = [name for name in mech.layout.names if name != "corner 1"]
    assert all(np.array_equal(opened.joint_velocity(after, n), mech.joint_velocity(state, n)) for n in kept)


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 2))
def test_a_state_with_few_digits_is_cut_with_the_least_change(seed, loops):
    """Positions and velocities rounded to eight digits: what the loops lack is spread, and the centre of mass stays."""
    rng, mech, state = random_state(seed, loops=loops)
    if not clear_cut(mech, state):
        return
    rough = mech.state(q=rg.normalise(mech, state.q.round(8)), v=state.v.round(8))
    inside = [name for name in mech.layout.names if mech.layout.q_slices[name] != slice(0, 7)]
    opened, after = rg.cut(mech, rough, str(rng.choice(inside)))
    change = np.abs(body_motions(opened, after) - body_motions(mech, rough)).max()
    assert change < 1e-5
    if all(isinstance(joint.type, rg.Free) for joint in opened.joints.values() if "world" in (joint.parent, joint.child)):
        assert rg.center_of_mass(opened, after) == pytest.approx(rg.center_of_mass(mech, rough), abs=1e-11)
    if opened.loop_joints and len(opened.loop_joints) < loops:
        assert slip_of(opened, after) < 1e-10 * (1.0 + np.abs(rough.v).max())  # those that stay are closed too
    if not opened.loop_joints:
        size = 1.0 + np.abs(body_motions(mech, rough)).max()
        assert np.abs(pushes_along_what_is_free((mech, rough), (opened, after))).max() < 1e-11 * size


def test_an_impact_at_a_new_base_whatever_the_other_joints_are_called():
    """The body floats in between, on a joint that needs a name of its own."""
    mech, state = tilted_four_bar(0.0)
    corner = mech.joints["corner 0"]
    for name in ("foot_", "foot__"):
        ends = corner.parent, corner.child, corner.parent_pose, corner.child_pose
        named = mech.with_joint("corner 0", rg.Joint(name, corner.type, *ends))
        moving = named.state(q=state.q, v=state.v)
        at = rg.body_poses(named, moving)["bar 2"].translation
        turned, after = rg.reroot(named, moving, "bar 2", at=at, joint=rg.Spherical(), name="foot", velocity="impact")
        assert set(turned.joints) == {"foot", *named.joints} - {"float"}
        assert np.abs(rg.body_twists(turned, after)["bar 2"][3:]).max() < 1e-12
