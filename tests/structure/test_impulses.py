"""What the joints exchange in an impact: Newton's and Euler's laws of each body by itself, for the joints that were there too."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import HOLDING, random_closed
from random_mechanisms import ALL_JOINTS, random_joint, random_mechanism
from regraft.joints import screws

SEEDS = st.integers(0, 2**32 - 1)
HINGE = rg.Revolute((0, 1, 0))
ROUNDING = 1e-9  # of the largest impulse; loops that are stiff lose some digits


def momenta(mech, state):
    """(moment about the world's origin, linear momentum) of each body, from its pose, its twist and its inertia."""
    found, poses, twists = {}, rg.body_poses(mech, state), rg.body_twists(mech, state)
    for name, body in mech.bodies.items():
        R, spin, inertia = poses[name].rotation, twists[name][:3], body.inertia
        arm = R @ inertia.com
        linear = inertia.mass * (twists[name][3:] + np.cross(spin, arm))
        found[name] = np.concatenate([R @ inertia.tensor @ R.T @ spin + np.cross(poses[name].translation + arm, linear), linear])
    return found


def assert_momenta_change_by_the_impulses(before, after, tolerance=ROUNDING):
    """Every joint is there, and the momentum of each body changes by what the joints on it exchanged."""
    mech, state = after
    assert list(state.impulse) == list(mech.joints)
    assert len(state.impulse) == len(mech.joints)
    poses = {"world": rg.Pose(), **rg.body_poses(mech, state)}
    was, found = momenta(*before), momenta(*after)
    lacking = {"world": np.zeros(6), **{name: found[name] - was[name] for name in found}}
    size = 1.0 + max(np.abs(change).max() for change in lacking.values())
    for name, impulse in state.impulse.items():
        joint = mech.joints[name]
        at = poses[joint.child].apply(joint.child_pose.translation)
        wrench = np.concatenate([impulse[:3] + np.cross(at, impulse[3:]), impulse[3:]])
        lacking[joint.child] -= wrench
        lacking[joint.parent] += wrench
        size = max(size, np.abs(wrench).max())
    for name in mech.bodies:
        assert np.abs(lacking[name]).max() < tolerance * size
    assert_no_work_along_the_freedom(mech, state, tolerance * size)


def assert_no_work_along_the_freedom(mech, state, tolerance):
    poses = {"world": rg.Pose(), **rg.body_poses(mech, state)}
    for name, joint in mech.joints.items():
        axes = (poses[joint.child] @ joint.child_pose).rotation
        own = np.concatenate([axes.T @ part for part in (state.impulse[name][:3], state.impulse[name][3:])])
        along = screws(joint.type, mech.joint_position(state, name)) @ own
        assert np.abs(along).max(initial=0.0) < 10 * tolerance


def moving(seed, loops, roots=1):
    """Bodies in motion, with loops that are closed."""
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, bodies=5, loops=loops, roots=roots, kinds=HOLDING)
    return rng, mech, rg.assemble(mech, state)


@settings(max_examples=60)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.integers(0, 2), st.integers(1, 2))
def test_connect(seed, kind, loops, roots):
    rng, mech, state = moving(seed, loops, roots)
    a, b = (str(name) for name in rng.choice(["world", *mech.bodies], 2, replace=False))
    held = rg.connect(mech, state, a, b, joint=random_joint(rng, kind), at=rng.uniform(-1, 1, 3), name="grip")
    assert_momenta_change_by_the_impulses((mech, state), held)


@settings(max_examples=40)
@given(SEEDS, st.tuples(st.sampled_from(ALL_JOINTS), st.sampled_from(ALL_JOINTS)), st.integers(0, 2))
def test_connect_all(seed, kinds, loops):
    rng, mech, state = moving(seed, loops)
    wanted = []
    for k, kind in enumerate(kinds):
        a, b = (str(name) for name in rng.choice(["world", *mech.bodies], 2, replace=False))
        wanted.append(rg.Connection(a, b, random_joint(rng, kind), at=rng.uniform(-1, 1, 3), name=f"grip {k}"))
    assert_momenta_change_by_the_impulses((mech, state), rg.connect_all(mech, state, wanted))


@settings(max_examples=60)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.integers(0, 2), st.integers(1, 2))
def test_reroot(seed, kind, loops, roots):
    rng, mech, state = moving(seed, loops, roots)
    at, top, joint = rng.uniform(-1, 1, 3), str(rng.choice(list(mech.bodies))), random_joint(rng, kind)
    turned = rg.reroot(mech, state, top, at=at, joint=joint, align="current", velocity="impact", name="grip")
    assert_momenta_change_by_the_impulses((mech, state), turned)


def test_reroot_to_a_former_base_that_was_described_from_the_body():
    """The impulse is on the joint's child, which is the world here."""
    mech = random_mechanism(np.random.default_rng(3), bodies=4, reverse=1.0, kinds=(rg.Spherical,))
    state = mech.state(v=np.random.default_rng(4).standard_normal(mech.nv))
    assert mech.joints["j0"].child == "world"
    at = rg.body_poses(mech, state)["b0"].apply(mech.joints["j0"].parent_pose.translation)
    away, flying = rg.reroot(mech, state, "b3", name="flight")
    faster = away.state(q=flying.q, v=flying.v + 0.1)
    back = rg.reroot(away, faster, "b0", at=at, joint=rg.Spherical(), name="j0", velocity="impact")
    assert back[0] == mech
    assert np.abs(back[1].impulse["j0"][3:]).max() > 0.1
    assert_momenta_change_by_the_impulses((away, faster), back)


def test_a_hanging_rod_is_stopped_at_its_lower_end():
    """1 kg, 1 m, 2 rad/s: about the pivot there was m l² ω / 3, so the catch gives m l ω / 3; the pivot the rest of m l ω / 2."""
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -1)))
    mech.add_joint("pivot", HINGE, "world", "rod")
    _, after = rg.connect(mech, mech.state(v={"pivot": 2.0}), "world", "rod", joint=HINGE, at=(0, 0, -1), name="catch")
    assert after.impulse["catch"] == pytest.approx([0, 0, 0, 2 / 3, 0, 0], abs=1e-12)
    assert after.impulse["pivot"] == pytest.approx([0, 0, 0, 1 / 3, 0, 0], abs=1e-12)


def test_loops_that_were_there_are_pulled_too():
    """A parallelogram, whose loop is closed by the hinge "end 1", is stopped at one of its feet."""
    mech, state = rg.models.four_bars(1).start
    held, after = rg.connect(mech, state, "world", mech.joints["foot 1"].child, at=(1, 0, 0), name="brake")
    assert np.abs(after.v).max() < 1e-9
    for name in ("end 1", "top 0", "foot 0"):
        assert np.abs(after.impulse[name]).max() > 0.1
    assert_momenta_change_by_the_impulses((mech, state), (held, after))


def test_of_redundant_joints_those_that_close_loops_give_the_least():
    """As in `joint_reactions`: a weld beside a weld of the tree gives nothing, and two welds that take hold share."""
    mech = rg.Mechanism()
    for name in ("a", "b"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1, at=(0, 0, 0.2)))
    mech.add_joint("a_free", rg.Free(), "world", "a")
    mech.add_joint("weld", rg.Fixed(), "a", "b", rg.Pose(translation=(1, 0, 0)))
    mech.add_joint("spare", rg.Fixed(), "a", "b", rg.Pose(translation=(1, 0, 0)))
    state = mech.state(v={"a_free": (1, 2, 3, 0.1, 0.2, 0.3)})
    held = rg.connect_all(mech, state, [rg.Connection("world", "b", at=(1, 0, 0), name=name) for name in ("one", "two")])
    assert held[1].impulse["spare"] == pytest.approx(np.zeros(6), abs=1e-12)
    assert held[1].impulse["one"] == pytest.approx(held[1].impulse["two"], abs=1e-12)
    assert np.abs(held[1].impulse["weld"]).max() > 1.0
    assert_momenta_change_by_the_impulses((mech, state), held)


# --- the mapping ---------------------------------------------------------------------------------------------------------


def pulled():
    rng, mech, state = moving(5, loops=1)
    return mech, rg.connect(mech, state, "world", "b4", joint=rg.Spherical(), at=rng.uniform(-1, 1, 3), name="grip")


def test_impulses_are_the_same_whenever_they_are_asked_for():
    """Also after the mechanism has been used and parts have been added to it."""
    _, (_, expected) = pulled()
    at_once = {name: impulse.copy() for name, impulse in expected.impulse.items()}
    _, (held, after) = pulled()
    rg.forward_dynamics(held, after)
    rg.connect(held, after, "world", "b0", at=(0, 0, 0), name="other")
    rg.forward_dynamics(held, held.state(q=rg.integrate(held, after.q, 1e-9 * np.ones(held.nv)), v=0 * after.v))
    held.add_body("new", rg.Inertia.sphere(1.0, 0.1))
    held.add_joint("flight", rg.Free(), "world", "new")
    assert list(after.impulse) == list(at_once)
    for name, impulse in at_once.items():
        assert np.array_equal(after.impulse[name], impulse)


@pytest.mark.parametrize("first", ["new", "old", "loop", "length"])
def test_impulses_are_a_mapping_of_all_joints(first):
    """Whatever is asked for first."""
    mech, (held, after) = pulled()
    ask = {"new": lambda: after.impulse["grip"], "old": lambda: after.impulse["j0"], "loop": lambda: after.impulse["loop 0"],
           "length": lambda: len(after.impulse)}  # fmt: skip
    ask[first]()
    assert set(after.impulse) == {*mech.joints, "grip"}
    assert list(after.impulse) == list(held.joints)
    assert len(after.impulse) == len(mech.joints) + 1
    assert "j0" in after.impulse
    assert "grip" in after.impulse
    assert "nothing" not in after.impulse
    with pytest.raises(KeyError, match="nothing"):
        after.impulse["nothing"]
    for name in held.joints:
        assert repr(name) in repr(after.impulse)


@pytest.mark.parametrize(
    "twin", [lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy, copy.copy], ids=["pickle", "deep", "copy"]
)
def test_impulses_are_pickled_and_compared(twin):
    _, (_, one) = pulled()
    _, (_, other) = pulled()
    again = twin(one)
    assert again.impulse == one.impulse == other.impulse == dict(one.impulse)
    assert again == one
    assert one.impulse != {**one.impulse, "grip": np.zeros(6)}
    assert one.impulse != {"grip": one.impulse["grip"]}
    assert one.impulse != 3
