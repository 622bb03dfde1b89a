"""The same mechanism with every body free by itself: accelerations, reactions, states there and back, changes of structure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import body_accelerations, body_motions, clear_cut, closed_sample, moving_four_bar
from loops.newton_euler import imbalance
from maximal.skeletons import driven, on_random_skeletons, random_skeleton
from random_mechanisms import random_mechanism, random_sample, random_state, relative_error
from regraft.maximal import accelerations, joint_forces

SEEDS = st.integers(0, 2**32 - 1)
WITHOUT_QUATERNIONS = (rg.Revolute, rg.Prismatic, rg.Fixed, rg.Universal, rg.Cylindrical, rg.Planar, rg.Helical)


def accelerations_differ(mech, state, torques=None, wrenches=None):
    """The largest difference of a body's acceleration in the two coordinates, relative to the largest acceleration."""
    free, bodies = rg.to_maximal(mech, state)
    expected = body_accelerations(mech, state, rg.forward_dynamics(mech, state, torques, wrenches))
    found = body_accelerations(free, bodies, rg.forward_dynamics(free, bodies, torques, wrenches))
    return relative_error(found, expected)


def reactions_differ(mech, state, torques=None, wrenches=None):
    """The same of the wrenches in the joints, relative to the largest of them."""
    free, bodies = rg.to_maximal(mech, state)
    expected, found = (rg.joint_reactions(*where, torques, wrenches) for where in ((mech, state), (free, bodies)))
    return relative_error([found[name] for name in mech.joints], [expected[name] for name in mech.joints])


def pushes(rng, mech):
    """Torques by joint and wrenches by body."""
    torques = {name: 5 * rng.standard_normal(joint.type.nv) for name, joint in mech.joints.items()}
    return torques, {body: rng.standard_normal(6) for body in mech.bodies}


# --- dynamics ----------------------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(SEEDS, st.integers(1, 8), st.integers(1, 3), st.booleans())
def test_trees_of_all_joint_types_move_and_push_alike(seed, bodies, roots, limits):
    rng = np.random.default_rng(seed)
    sample = random_sample(
        rng, bodies=bodies, roots=min(roots, bodies), damping=True, limits=limits, own=True, rotors=False, springs=2
    )
    mech, state, given_pushes = sample.mech, sample.state, pushes(rng, sample.mech)
    assert accelerations_differ(mech, state, *given_pushes) < 1e-9
    assert reactions_differ(mech, state, *given_pushes) < 1e-9


@settings(max_examples=80)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_loops_of_all_joint_types_move_and_push_alike(seed, bodies, loops, roots):
    """Between bodies and through the world; redundant ones may share their forces otherwise, but every body has its balance."""
    mech, state = closed_sample(
        seed, bodies, loops, roots=min(roots, bodies), damping=True, limits=True, own=True, rotors=False, springs=2, alike=True
    )
    given_pushes = pushes(np.random.default_rng(seed), mech)
    assert accelerations_differ(mech, state, *given_pushes) < 1e-9
    assert imbalance(*rg.to_maximal(mech, state), *given_pushes) < 1e-9
    if not rg.joint_reactions(mech, state).redundant:
        assert reactions_differ(mech, state, *given_pushes) < 1e-9


def swinging_bricard():
    mech = rg.models.bricard().mech
    return mech, rg.assemble(mech, mech.state(v={"hinge 1": 0.5}), hold=["hinge 1"])


def thickened(mech, state):
    """The same mechanism with a ball at the origin of every body, so that rods have moments of inertia about all axes."""
    twin = rg.Mechanism(mech.gravity)
    for body in mech.bodies.values():
        twin.add_body(body.name, body.inertia + rg.Inertia.sphere(0.2, 0.1))
    for joint in mech.joints.values():
        twin.add_joint(joint.name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    return twin, twin.state(q=state.q, v=state.v)


REDUNDANT = {
    "four-bar": lambda: rg.models.four_bar(speed=2.0).start,
    "parallelogram": lambda: thickened(*moving_four_bar()),
    "parallelogram with damping": lambda: thickened(*moving_four_bar(damping=3.0)),
    "parallelogram at a limit": lambda: thickened(*moving_four_bar(limits=rg.Limits(-0.1, 0.1, 200.0))),
    "bricard": swinging_bricard,
    "five coupled four-bars": lambda: thickened(*rg.models.four_bars(5).start),
}


@pytest.mark.parametrize("build", REDUNDANT.values(), ids=REDUNDANT)
def test_redundant_loops_move_alike_and_every_body_has_its_balance(build):
    mech, state = build()
    assert rg.joint_reactions(mech, state).redundant
    free, bodies = rg.to_maximal(mech, state)
    assert set(mech.joints) <= set(free.loop_joints)
    assert accelerations_differ(mech, state) < 1e-9
    assert imbalance(free, bodies) < 1e-9
    assert rg.joint_reactions(free, bodies).redundant


@pytest.mark.parametrize("build", [rg.models.high_bar, rg.models.swing], ids=["high bar", "swing"])
def test_human_figures_with_loops_move_alike(build):
    mech, state = build().start
    assert accelerations_differ(mech, state) < 1e-9
    assert imbalance(*rg.to_maximal(mech, state)) < 1e-9


def test_the_loops_of_a_high_bar_push_alike():
    """None of its rows is redundant, so that forces are determined."""
    mech, state = rg.models.high_bar().start
    assert not rg.joint_reactions(mech, state).redundant
    assert not rg.joint_reactions(*rg.to_maximal(mech, state)).redundant
    assert reactions_differ(mech, state) < 1e-9


@pytest.mark.parametrize("build", [rg.models.high_bar, rg.models.swing], ids=["high bar", "swing"])
def test_human_figures_with_motors_move_alike(build):
    mech, state = build().start
    strengths = np.random.default_rng(0).standard_normal(len(mech.joints))
    torques = {name: np.full(mech.joints[name].type.nv, tau) for name, tau in zip(mech.joints, strengths, strict=True)}
    assert accelerations_differ(mech, state, torques) < 1e-9
    assert imbalance(*rg.to_maximal(mech, state), torques) < 1e-9


@pytest.mark.parametrize("build", [rg.models.high_bar, rg.models.swing], ids=["high bar", "swing"])
def test_small_moments_of_inertia_cost_no_digits(build):
    """Hands are light against the trunk that they hold; what rounding makes of that is solved for again."""
    mech, state = build().start
    for seed in range(20):
        strengths = np.random.default_rng(seed).standard_normal(len(mech.joints)) * 10.0 ** (seed % 4 - 1)
        torques = {name: np.full(mech.joints[name].type.nv, tau) for name, tau in zip(mech.joints, strengths, strict=True)}
        assert accelerations_differ(mech, state, torques) < 1e-10


@on_random_skeletons
def test_forces_and_accelerations_are_those_of_the_dense_reference(seed, bodies):
    rng = np.random.default_rng(seed)
    mech, state = random_skeleton(rng, bodies)
    skeleton, at, tau = driven(rng, mech, state)
    free, moving = rg.to_maximal(mech, state)
    torques = {name: tau[mech.v_slice(name)] for name in mech.joints}
    rates = body_accelerations(free, moving, rg.forward_dynamics(free, moving, torques))
    arms = np.einsum("iab,ib->ia", at.R, [body.inertia.com for body in mech.bodies.values()])
    spins = np.einsum("iab,ib->ia", at.R, at.w)
    a, w_dot = accelerations(skeleton, at)
    pushed = rates[:, 3:] + np.cross(rates[:, :3], arms) + np.cross(spins, np.cross(spins, arms))
    assert relative_error(pushed, a) < 1e-9
    assert relative_error(np.einsum("iba,ib->ia", at.R, rates[:, :3]), w_dot) < 1e-9
    c, d, e = joint_forces(skeleton, at)
    axes = np.array([at.R[first] @ skeleton.axis(j, first) for j, (first, _) in enumerate(skeleton.E)])
    found = rg.joint_reactions(free, moving, torques)
    assert relative_error([found[name] for name in skeleton.joints], np.hstack([np.cross(axes, d) + e, c])) < 1e-9


def long_chain(bodies):
    """Cylinders on hinges about x and y in turn, which all turn a little and move."""
    mech, below = rg.Mechanism(), "world"
    for i in range(bodies):
        mech.add_body(f"rod {i}", rg.Inertia.cylinder(0.5, 0.05, (0, 0, 0), (0, 0, -0.1)))
        place = rg.Pose(translation=(0, 0, -0.1 if i else 0.0))
        mech.add_joint(f"hinge {i}", rg.Revolute((1, 0, 0) if i % 2 else (0, 1, 0)), below, f"rod {i}", place)
        below = f"rod {i}"
    rng = np.random.default_rng(0)
    return mech, mech.state(q=rng.uniform(-0.2, 0.2, bodies), v=rng.uniform(-0.2, 0.2, bodies))


def star(rays, length=1):
    """Rays of some bodies each on one hub, which floats."""
    mech, rng = rg.Mechanism(), np.random.default_rng(1)
    mech.add_body("hub", rg.Inertia.sphere(5.0, 0.5))
    mech.add_joint("float", rg.Free(), "world", "hub")
    for i in range(rays):
        before, place = "hub", rg.Pose.about((0, 0, 1), 2 * np.pi * i / rays) @ rg.Pose(translation=(0.5, 0, 0))
        for k in range(length):
            mech.add_body(f"ray {i} {k}", rg.Inertia.box(0.2, (0.3, 0.05, 0.04), at=(0.15, 0, 0)))
            kind = rg.Spherical() if (i + k) % 2 else rg.Revolute((0, 1, 0), damping=0.01)
            mech.add_joint(f"joint {i} {k}", kind, before, f"ray {i} {k}", place)
            before, place = f"ray {i} {k}", rg.Pose(translation=(0.3, 0, 0))
    return mech, random_state(rng, mech)


LARGE = {"chain": long_chain(200), "star": star(60), "star of chains": star(8, 20)}


@pytest.mark.parametrize("where", LARGE.values(), ids=LARGE)
def test_large_trees_move_and_push_alike(where):
    assert accelerations_differ(*where) < 1e-9
    assert reactions_differ(*where) < 1e-9


# --- states ------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 8), st.integers(1, 3))
def test_states_go_there_and_back(seed, bodies, roots):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies, roots=min(roots, bodies), damping=True, limits=True, springs=2)
    state = random_state(rng, mech)
    free, moving = rg.to_maximal(mech, state)
    assert (free.nq, free.nv) == (7 * bodies, 6 * bodies)
    assert relative_error(body_motions(free, moving), body_motions(mech, state)) < 1e-12
    for near in (None, state):
        again, found = rg.to_reduced(free, moving, near=near)
        assert again == mech
        assert np.abs(rg.difference(mech, found.q, state.q)).max(initial=0.0) < 1e-12  # no turn is beyond half a turn here
        assert relative_error(found.v, state.v) < 1e-12


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 6), st.integers(1, 2))
def test_states_of_closed_chains_go_there_and_back(seed, bodies, loops):
    mech, state = closed_sample(seed, bodies, loops)
    again, found = rg.to_reduced(*rg.to_maximal(mech, state), near=state)
    assert again == mech
    assert again.loop_joints == mech.loop_joints
    assert np.abs(rg.difference(mech, found.q, state.q)).max() < 1e-12
    assert relative_error(found.v, state.v) < 1e-12


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 6))
def test_whole_turns_are_those_of_the_state_that_is_near(seed, bodies):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies, kinds=WITHOUT_QUATERNIONS)
    state = mech.state(q=rng.uniform(-20, 20, mech.nq), v=rng.standard_normal(mech.nv))
    near = mech.state(q=state.q + rng.uniform(-3, 3, mech.nq))
    free, moving = rg.to_maximal(mech, state)
    _, found = rg.to_reduced(free, moving, near=near)
    assert np.abs(found.q - state.q).max(initial=0.0) < 1e-12 * 20
    _, plain = rg.to_reduced(free, moving)
    for name, joint in mech.joints.items():
        q, turns = plain.q[mech.q_slice(name)], list(joint.type.turns)
        assert (np.abs(q[turns]) < np.pi + 1e-12).all()
        off = q - state.q[mech.q_slice(name)]
        off[turns] = np.angle(np.exp(1j * off[turns]))
        assert np.abs(off).max(initial=0.0) < 1e-12 * 20


def test_angles_are_within_the_limits_of_their_joint():
    mech = rg.Mechanism()
    mech.add_body("door", rg.Inertia.box(1.0, (1.0, 0.1, 2.0)))
    mech.add_joint("hinge", rg.Revolute((0, 0, 1), limits=(5.0, 9.0)), "world", "door")
    _, found = rg.to_reduced(*rg.to_maximal(mech, mech.state(q={"hinge": 7.0})))
    assert found.q[0] == pytest.approx(7.0, abs=1e-12)


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 6), st.integers(0, 2))
def test_energy_and_momentum_agree(seed, bodies, loops):
    settings = {"damping": True, "limits": True, "own": True, "rotors": False}
    sample = closed_sample(seed, bodies, loops if bodies > 1 else 0, springs=2, alike=True, **settings)
    there = rg.to_maximal(*sample)
    for what in ("kinetic", "potential"):
        assert relative_error(getattr(rg.energy(*there), what), getattr(rg.energy(*sample), what)) < 1e-12
    for what in ("angular", "linear"):
        assert relative_error(getattr(rg.momentum(*there), what), getattr(rg.momentum(*sample), what)) < 1e-12


# --- changes of structure ----------------------------------------------------------------------------------------------


def assert_same_motion(found, expected):
    """Both have the same bodies, which move and are accelerated alike."""
    assert relative_error(body_motions(*found), body_motions(*expected)) < 1e-9
    rates = [body_accelerations(*where, rg.forward_dynamics(*where)) for where in (found, expected)]
    assert relative_error(*rates) < 1e-9


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 7))
def test_what_is_cut_in_maximal_coordinates_moves_as_in_reduced_ones(seed, bodies):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies, damping=True, springs=1)
    state = random_state(rng, mech)
    name = f"j{rng.integers(bodies)}"
    expected = rg.cut(mech, state, name)
    apart = rg.cut(*rg.to_maximal(mech, state), name)
    assert name not in apart[0].joints
    assert_same_motion(apart, expected)
    again = rg.to_reduced(*apart)
    assert_same_motion(again, expected)
    assert set(again[0].joints) - set(mech.joints) <= {f"{body}_free" for body in mech.bodies}
    assert len(again[0].joints) == len(mech.joints)


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 6))
def test_what_is_connected_in_maximal_coordinates_jumps_as_in_reduced_ones(seed, bodies):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies, root_kinds=(rg.Free,), damping=True)
    state = random_state(rng, mech)
    parent, child = (str(name) for name in rng.choice(["world", *mech.bodies], 2, replace=False))
    grip = {"joint": rg.Spherical(), "at": rng.uniform(-0.5, 0.5, 3), "name": "grip"}
    expected = rg.connect(mech, state, parent, child, **grip)
    if not clear_cut(*expected):
        return
    held = rg.connect(*rg.to_maximal(mech, state), parent, child, **grip)
    assert_same_motion(held, expected)
    if not rg.joint_reactions(*expected).redundant:
        assert relative_error(held[1].impulse["grip"], expected[1].impulse["grip"]) < 1e-9
    again = rg.to_reduced(*held)
    assert (list(again[0].joints), again[0].loop_joints) == (list(expected[0].joints), expected[0].loop_joints)
    assert_same_motion(again, expected)


def test_a_body_that_is_cut_loose_floats_by_its_name():
    mech, state = star(3, 2)
    free, moving = rg.cut(*rg.to_maximal(mech, state), "joint 1 0")
    again, found = rg.to_reduced(free, moving)
    expected, _ = rg.cut(mech, state, "joint 1 0")
    assert dict(again.joints) == dict(expected.joints)  # in another order
    assert again.joints["ray 1 0_free"].type == rg.Free()
    assert found.q.size == expected.nq


# --- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        (rg.Inertia.point(1.0, at=(0, 0, -1)), "body 'bob' is a point mass or a thin rod"),
        (rg.Inertia.point(1.0), "body 'bob' is a point mass or a thin rod"),
        (rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)), "body 'bob' is a point mass or a thin rod"),
        (rg.Inertia(0.0), "body 'bob' has no mass"),
    ],
)
def test_a_body_that_cannot_move_by_itself_is_named(inertia, message):
    mech = rg.Mechanism()
    mech.add_body("link", rg.Inertia.sphere(1.0, 0.1))
    mech.add_body("bob", inertia)
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "link")
    mech.add_joint("end", rg.Revolute((0, 1, 0)), "link", "bob", rg.Pose(translation=(0, 0, -1)))
    with pytest.raises(rg.ModelError, match=message):
        rg.to_maximal(mech, mech.state())
    with pytest.raises(rg.ModelError, match=message):
        rg.simulate(mech, mech.state(), 0.1, coordinates="maximal")


def test_a_mechanism_that_is_not_from_to_maximal_is_refused():
    mech, state = star(2)
    with pytest.raises(rg.ModelError, match="to_reduced takes a mechanism from to_maximal"):
        rg.to_reduced(mech, state)
    free, moving = rg.to_maximal(mech, state)
    with pytest.raises(rg.ModelError, match="to_reduced takes a mechanism from to_maximal"):
        rg.to_reduced(*rg.cut(free, moving, "hub (free)"))
    with pytest.raises(rg.RegraftError):
        rg.to_reduced(free, state)
    with pytest.raises(rg.RegraftError):
        rg.to_reduced(free, moving, near=moving)


def test_a_joint_with_the_name_of_one_that_frees_a_body():
    mech = rg.Mechanism()
    mech.add_body("door", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("door (free)", rg.Revolute((0, 0, 1)), "world", "door")
    with pytest.raises(rg.ModelError, match=r"joint 'door \(free\)' has the name of one that makes a body free"):
        rg.to_maximal(mech, mech.state())


def test_an_empty_mechanism_stays_one():
    mech = rg.Mechanism()
    free, moving = rg.to_maximal(mech, mech.state())
    assert rg.to_reduced(free, moving) == (mech, mech.state())
    assert free.nv == 0
