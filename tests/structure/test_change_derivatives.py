"""Derivatives of changes of structure: against extrapolated differences, in closed form, and by the laws of impacts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import closed_sample
from random_mechanisms import ALL_JOINTS, random_joint, random_mechanism, random_pose, random_state, relative_error
from regraft.ask.tangents import closed_directions
from regraft.gait.differences import jacobian_at_zero
from regraft.gait.match import apart, moved

SEEDS = st.integers(0, 2**32 - 1)


def differences(mech, state, change, directions=None):
    """The state after a change by the one before, along some directions, by extrapolated differences."""
    directions = np.eye(2 * mech.nv) if directions is None else directions
    after_mech, after = change(mech, state)

    def image(step):
        beside = moved(mech, state, directions @ step)
        if mech.layout.is_constrained:
            beside = rg.assemble(mech, beside)
        return apart(after_mech, change(mech, beside)[1], after)

    if not directions.size:
        return np.zeros((2 * after_mech.nv, directions.shape[1]))
    return jacobian_at_zero(image, np.full(directions.shape[1], 0.5), levels=6)


def agree(mech, state, change, made, directions=None):
    """Whether derivatives and differences of the same change are the same."""
    found = made.matrix if directions is None else made.matrix @ directions
    return relative_error(found, differences(mech, state, change, directions)) < 1e-9


def hands(rng, mech):
    """The mechanism with a frame somewhere on one of its bodies, and another body or the world."""
    framed, body = mech.copy(), f"b{rng.integers(len(mech.bodies))}"
    framed.add_frame("hand", body, random_pose(rng))
    others = [name for name in ("world", *mech.bodies) if name != body]
    return framed, body, str(rng.choice(others))


@pytest.mark.parametrize("velocity", ["impact", "carry"])
@settings(max_examples=30)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.integers(1, 5), st.sampled_from(["bind", "current"]), st.booleans())
def test_of_a_new_root(velocity, seed, kind, bodies, align, somewhere):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies=bodies, own=True, roots=min(2, bodies))
    state, body = random_state(rng, mech), f"b{rng.integers(bodies)}"
    joint = random_joint(rng, kind if align == "current" and velocity == "impact" else rg.Free)
    given = {"joint": joint, "velocity": velocity, "align": align, "name": "new base"}
    if somewhere:
        given["at"] = rng.standard_normal(3)
    found = rg.change_derivatives(rg.reroot, mech, state, body, **given)
    assert agree(mech, state, lambda mech, state: rg.reroot(mech, state, body, **given), found)


@settings(max_examples=30)
@given(SEEDS, st.sampled_from([rg.Free, rg.Spherical]), st.integers(1, 5))
def test_of_a_strike(seed, kind, bodies):
    """The joint is where the foot is, which moves with the state."""
    rng = np.random.default_rng(seed)
    mech, _, _ = hands(rng, random_mechanism(rng, bodies=bodies, own=True))
    state, strike = random_state(rng, mech), rg.strike("hand", kind(armature=0.2))
    assert agree(mech, state, strike, rg.change_derivatives(strike, mech, state))


@settings(max_examples=40)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.integers(1, 5), st.integers(0, 4))
def test_of_connections(seed, kind, bodies, place):
    """At a point, where a hand is, or with frames of which one goes with its body."""
    rng = np.random.default_rng(seed)
    mech, body, other = hands(rng, random_mechanism(rng, bodies=bodies, own=True, roots=min(2, bodies)))
    state, joint = random_state(rng, mech), random_joint(rng, kind, armature=0.3)
    if place == 0:
        grip = rg.grip("hand", other, joint)
        assert agree(mech, state, grip, rg.change_derivatives(grip, mech, state))
        return
    where = [{"at": rng.standard_normal(3)}, {"pose_a": random_pose(rng)}, {"pose_b": random_pose(rng)}, {}][place - 1]
    if not where:
        other = "world"
    found = rg.change_derivatives(rg.connect, mech, state, body, other, joint=joint, **where)
    assert agree(mech, state, lambda mech, state: rg.connect(mech, state, body, other, joint=joint, **where), found)


# --- closed mechanisms -------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 5), st.integers(1, 2))
def test_directions_that_keep_loops_closed_are_those_in_which_they_stay_closed(seed, bodies, loops):
    mech, state = closed_sample(seed, bodies, loops, own=True)
    free = closed_directions(mech, state)
    assert free.shape == (2 * mech.nv, 2 * rg.mobility(mech, state).dof)
    assert np.abs(free.T @ free - np.eye(free.shape[1])).max(initial=0.0) < 1e-12
    for column in free.T:
        beside = rg.assemble(mech, moved(mech, state, 1e-4 * column))
        assert np.abs(apart(mech, beside, state) - 1e-4 * column).max() < 1e-6


def change_of(what, body, other, joint):
    """A change of structure and its arguments."""
    return {
        "grip": (rg.grip("hand", other, joint),),
        "at a point": (rg.connect, body, other, {"joint": joint, "at": (0.3, -0.2, 0.5)}),
        "on a body": (rg.connect, body, other, {"joint": joint, "pose_a": rg.Pose()}),
        "strike": (rg.strike("hand", rg.Spherical(armature=0.1)),),
        "new root": (rg.reroot, body, {"joint": joint, "velocity": "impact", "align": "current"}),
        "carried": (rg.reroot, body, {"at": (0.3, -0.2, 0.5)}),
        "cut": (rg.cut, "loop 0"),
        "release": (rg.release("j0"),),
    }[what]


@pytest.mark.parametrize("change", ["grip", "at a point", "on a body", "strike", "new root", "carried", "cut", "release"])
@settings(max_examples=20)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.integers(2, 4), st.integers(1, 2))
def test_of_closed_mechanisms(change, seed, kind, bodies, loops):
    rng = np.random.default_rng(seed)
    mech, state = closed_sample(seed, bodies, loops, own=True)
    mech, body, other = hands(rng, mech)
    what, *given = change_of(change, body, other, random_joint(rng, kind, armature=0.2))
    options = given.pop() if given and isinstance(given[-1], dict) else {}
    found = rg.change_derivatives(what, mech, mech.state(q=state.q, v=state.v), *given, **options)
    free = closed_directions(mech, state)
    assert agree(mech, state, lambda mech, state: what(mech, state, *given, **options), found, free)
    if change in ("release", "cut"):
        kept = closed_directions(found.mech, found.state)
        after = found.matrix @ free
        assert np.abs(after - kept @ (kept.T @ after)).max(initial=0.0) < 1e-9 * (1.0 + np.abs(after).max(initial=0.0))


# --- laws ---------------------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.integers(1, 5))
def test_a_plastic_impact_is_a_projection_of_velocities(seed, kind, bodies):
    """Linear in the velocity, symmetric in the metric of kinetic energy, and the second one changes nothing."""
    rng = np.random.default_rng(seed)
    mech, _, other = hands(rng, random_mechanism(rng, bodies=bodies))
    state, grip = random_state(rng, mech), rg.grip("hand", other, random_joint(rng, kind))
    found, n = rg.change_derivatives(grip, mech, state), mech.nv
    onto, M = found.v[n:], rg.mass_matrix(mech, state)
    assert found.v[:n] == pytest.approx(np.zeros((n, n)), abs=0.0)
    assert found.q[:n] == pytest.approx(np.eye(n), abs=0.0)
    assert onto @ onto == pytest.approx(onto, abs=1e-9)
    assert M @ onto == pytest.approx((M @ onto).T, abs=1e-9 * max(1.0, np.abs(M).max(initial=0.0)))
    assert onto @ state.v == pytest.approx(found.state.v, abs=1e-10)


@settings(max_examples=30)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.integers(2, 5))
def test_momentum_is_kept_in_every_direction_of_the_state(seed, kind, bodies):
    """Of bodies that float and take hold of each other."""
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies=bodies, roots=2, root_kinds=(rg.Free,))
    state = random_state(rng, mech)
    found = rg.change_derivatives(rg.connect, mech, state, "b0", "b1", joint=random_joint(rng, kind), at=(0.1, 0.2, 0.3))
    before, after = rg.momentum_derivatives(mech, state), rg.momentum_derivatives(found.mech, found.state)
    n = mech.nv
    total = after.q @ found.matrix[:n] + after.v @ found.matrix[n:]
    assert total == pytest.approx(np.hstack((before.q, before.v)), abs=1e-9 * max(1.0, np.abs(total).max()))


def test_a_rod_that_is_caught_at_its_end_in_closed_form():
    """A rod of length l that falls and turns: about its caught end ω⁺ = ¼ ω + 3/2 (v × r) / l, with both by the angle."""
    length, angle, spin, fall = 2.0, 0.7, 0.6, -1.5
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(3.0, (-length / 2, 0, 0), (length / 2, 0, 0)))
    mech.add_joint("plane", rg.Planar((0, 0, 1)), "world", "rod")
    mech.add_frame("end", "rod", rg.Pose(translation=(-length / 2, 0, 0)))
    x, y, turn = (int(np.argmax(np.abs(rg.jacobian(mech, mech.state(), "rod")[row]))) for row in (3, 4, 2))
    numbers = np.zeros((2, 3))
    numbers[0, turn], numbers[1, turn], numbers[1, y] = angle, spin, fall
    state = mech.state(q=numbers[0], v=numbers[1])
    # speed of the middle across the rod, in world axes: the velocities of a planar joint are those of q
    across = fall * np.cos(angle)
    d = rg.change_derivatives(rg.strike("end", rg.Revolute((0, 0, 1)), "caught"), mech, state)
    assert d.state.v == pytest.approx([0.25 * spin + 1.5 * across / length], abs=1e-12)
    assert d.matrix[1, 3 + turn] == pytest.approx(0.25, abs=1e-12)
    assert d.matrix[1, 3 + y] == pytest.approx(1.5 * np.cos(angle) / length, abs=1e-12)
    assert d.matrix[1, 3 + x] == pytest.approx(-1.5 * np.sin(angle) / length, abs=1e-12)
    assert d.matrix[1, turn] == pytest.approx(-1.5 * fall * np.sin(angle) / length, abs=1e-12)
    assert d.matrix[0].tolist() == pytest.approx(np.eye(6)[turn].tolist(), abs=1e-12)


# --- what cannot be differentiated -------------------------------------------------------------------------------------------


def two_balls():
    mech = rg.Mechanism()
    for name in ("left", "right"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name}_rail", rg.Prismatic((1, 0, 0)), "world", name)
    return mech, mech.state(v=[2.0, 0.0])


@pytest.mark.parametrize(
    ("change", "given", "message"),
    [
        (rg.simulate, (), "only connect, connect_all, reroot, cut"),
        (rg.release("left_rail"), ("left_rail",), "says all there is to say"),
        (rg.strike("left", rg.Free(), past="right", least=5.0), (), "passes this state over"),
        (rg.cut, ("rail",), "no joint 'rail'"),
    ],
)
def test_what_cannot_be_differentiated_is_refused(change, given, message):
    with pytest.raises(rg.StructureError, match=message):
        rg.change_derivatives(change, *two_balls(), *given)


def test_carried_accelerations_are_refused():
    with pytest.raises(rg.StructureError, match="leave acceleration out"):
        rg.change_derivatives(rg.reroot, *two_balls(), "left", acceleration=np.zeros(2))


def test_several_connections_are_one_change():
    mech, state = two_balls()
    both = [rg.Connection("left", "right", at=(0, 0, 0), name="a"), rg.Connection("left", "world", at=(0, 0, 0), name="b")]
    d = rg.change_derivatives(rg.connect_all, mech, state, both)
    assert d.state.v == pytest.approx([0.0, 0.0], abs=1e-14)
    assert d.v[2:] == pytest.approx(np.zeros((2, 2)), abs=1e-14)
    assert d.q[2:] == pytest.approx(np.zeros((2, 2)), abs=1e-14)
