"""States by the names of their joints: read, changed, saved; and mechanisms with other numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import random_mechanism, random_state
from simple_mechanisms import arm, pendulum

Y = (0, 1, 0)


def closed():
    """A four-bar with its state."""
    return rg.models.four_bar().start


def states():
    """Mechanisms of every joint type with states of theirs, and closed ones."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        if seed % 4 == 0:
            return closed()
        mech = random_mechanism(rng)
        return mech, random_state(rng, mech)

    return st.integers(0, 10_000).map(draw)


# --- by name -----------------------------------------------------------------------------------------------------------


@given(states())
def test_a_joint_has_the_numbers_that_the_mechanism_says(both):
    mech, state = both
    for name in mech.layout.names:
        found = state[name]
        assert np.array_equal(np.ravel(found.q), mech.joint_position(state, name))
        assert np.array_equal(np.ravel(found.v), mech.joint_velocity(state, name))
        again = mech.state(q={name: found.q}, v={name: found.v})[name]
        assert all(np.allclose(a, b, rtol=0.0, atol=1e-15) for a, b in zip(again, found, strict=True))


def test_one_number_is_as_good_as_a_float():
    _, state = arm()
    q, v = state["elbow"]
    assert (float(q), float(v), q.shape, v.shape) == (0.3, 2.0, (), ())
    assert f"{q:.2f}" == "0.30"
    assert q + 1.0 == 1.3
    assert state["shoulder"].q.shape == (4,)
    assert state["shoulder"].v.shape == (3,)


def test_what_a_joint_gives_cannot_be_written_to():
    _, state = arm()
    for array in (*state["elbow"], *state["shoulder"]):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1.0


@pytest.mark.parametrize("name", ["knee", None, 3, [], slice(0, 1)])
def test_joints_that_are_not_there(name):
    _, state = arm()
    with pytest.raises(rg.ModelError, match=r"there is no joint .*'float', 'shoulder', 'elbow', 'wrist'"):
        state[name]


def test_a_loop_joint_has_no_numbers_of_its_own():
    mech, state = closed()
    (loop,) = mech.loop_joints
    with pytest.raises(rg.ModelError, match=f"joint {loop!r} is a loop joint"):
        state[loop]


# --- changed -----------------------------------------------------------------------------------------------------------


@given(states(), st.data())
def test_replacing_changes_what_is_given_and_nothing_else(both, data):
    mech, state = both
    movable = [name for name in mech.layout.names if state[name].q.size]
    name = data.draw(st.sampled_from(movable))
    there = mech.state()
    changed = state.replace(q={name: there[name].q}, v={name: 2.0 * state[name].v})
    mech.check_state(changed)
    for other in mech.layout.names:
        expected = (there[name].q, 2.0 * state[name].v) if other == name else state[other]
        assert all(np.array_equal(a, b) for a, b in zip(changed[other], expected, strict=True))
    assert state.replace() == state
    assert state.replace(q=there.q, v=there.v) == there
    assert np.array_equal(state.replace(v=there.v).q, state.q)


def test_replacing_leaves_the_state_as_it_was_and_drops_its_impulse():
    mech, state = pendulum()
    hit = rg.State(mech.layout, state._x, {"hinge": np.ones(6)})
    before = state.q.copy()
    assert hit.replace(q={"hinge": 9.0}).impulse is None
    assert np.array_equal(hit.q, before)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"q": {"knee": 1.0}}, "there is no joint 'knee'"),
        ({"q": {"elbow": np.nan}}, "q of joint 'elbow'.*not finite"),
        ({"q": {"elbow": (1.0, 2.0)}}, "q of joint 'elbow' must have shape"),
        ({"v": {"wrist": "fast"}}, "v of joint 'wrist'"),
        ({"q": {"shoulder": (1, 1, 1, 1)}}, "'shoulder'.*length 1"),
        ({"q": [1.0]}, "q must have shape"),
        ({"v": 3.0}, "v must have shape"),
    ],
)
def test_replacing_by_what_does_not_fit(change, match):
    _, state = arm()
    with pytest.raises(rg.ModelError, match=match):
        state.replace(**change)


# --- saved -------------------------------------------------------------------------------------------------------------


@given(states())
def test_files_come_back_equal_and_belong_to_the_mechanism(tmp_path_factory, both):
    mech, state = both
    file = tmp_path_factory.getbasetemp() / "state.json"
    state.save(file)
    again = rg.load(file)
    assert isinstance(again, rg.State)
    assert again == state
    assert again._x.tobytes() == state._x.tobytes()
    mech.check_state(again)
    assert np.array_equal(rg.forward_dynamics(mech, again), rg.forward_dynamics(mech, state))
    assert rg.State.from_dict(json.loads(json.dumps(state.to_dict()))) == state


def test_the_impulse_is_kept(tmp_path):
    biped = rg.models.compass_biped()
    _, state = biped.start
    state.save(tmp_path / "start.json")
    again = rg.load(tmp_path / "start.json")
    assert again.impulse.keys() == state.impulse.keys()
    assert all(np.array_equal(again.impulse[name], wrench) for name, wrench in state.impulse.items())
    assert np.abs(again.impulse["stance"]).max() > 0.1


def test_a_state_of_another_structure_stays_one(tmp_path):
    mech, state = closed()
    state.save(tmp_path / "x.json")
    again = rg.load(tmp_path / "x.json")
    (loop,) = mech.loop_joints
    cut, _ = rg.cut(mech, state, loop)
    with pytest.raises(rg.ModelError, match="another structure"):
        cut.check_state(again)
    with pytest.raises(rg.ModelError, match="another structure"):
        pendulum()[0].check_state(again)


def damaged(change):
    _, state = closed()
    data = state.to_dict()
    change(data)
    return data


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(version=2),
        lambda d: d.pop("joints"),
        lambda d: d.pop("loops"),
        lambda d: d.pop("q"),
        lambda d: d.update(q=[1.0]),
        lambda d: d.update(q=None),
        lambda d: d.update(joints=None),
        lambda d: d["joints"][0].pop("parent"),
        lambda d: d["joints"][0].update(parent=[]),
        lambda d: d["joints"][0].update(parent="\x1b"),
        lambda d: d["joints"][0].update(joint=None),
        lambda d: d["joints"][0]["joint"].update(type="Hinge"),
        lambda d: d["joints"][0].update(name=d["joints"][1]["name"]),
        lambda d: d["joints"].append({**d["joints"][0], "name": "again"}),
        lambda d: d["loops"][0].update(name=d["joints"][1]["name"]),
        lambda d: d["loops"][0].update(child="nobody"),
        lambda d: d["q"].update(nothing=1.0),
        lambda d: d["v"].update({d["joints"][0]["name"]: float("nan")}),
        lambda d: d.update(impulse={"x": [1.0]}),
        lambda d: d.update(impulse=3),
    ],
)
def test_damaged_files(change, tmp_path):
    (tmp_path / "damaged.json").write_text(json.dumps(damaged(change)))
    with pytest.raises(rg.ModelError, match=r"damaged\.json"):
        rg.load(tmp_path / "damaged.json")


def test_numbers_alone_are_no_state(tmp_path):
    (tmp_path / "numbers.json").write_text('{"q": {"hip": 0.5}}')
    with pytest.raises(rg.ModelError, match=r"numbers\.json.*without the joints.*mech\.state"):
        rg.load(tmp_path / "numbers.json")


# --- mechanisms with other numbers -------------------------------------------------------------------------------------


def test_a_changed_mechanism_is_the_one_that_was_described_so():
    heavy, slow = rg.Inertia.point(3.0, at=(0, 0, -2)), (0, 0, -1.62)
    mech, state = pendulum()
    before = mech.to_dict()
    changed = mech.replace(gravity=slow, inertia={"bob": heavy}, damping={"hinge": 0.5}, limits={"hinge": (-1, 1)})
    same = rg.Mechanism(gravity=slow)
    same.add_body("bob", heavy)
    same.add_joint("hinge", rg.Revolute(Y, damping=0.5, limits=(-1, 1)), "world", "bob")
    same.add_frame("tip", "bob", rg.Pose(translation=(0, 0, -1)))
    assert changed.to_dict() == same.to_dict()
    assert mech.to_dict() == before
    changed.check_state(state)
    moving = state.replace(v={"hinge": 2.0})
    assert np.array_equal(rg.forward_dynamics(changed, moving), rg.forward_dynamics(same, moving))
    assert rg.forward_dynamics(changed, moving) != rg.forward_dynamics(mech, moving)
    with pytest.raises(ValueError, match="read-only"):
        changed.gravity[0] = 1.0


def test_what_is_not_named_stays():
    mech, _ = arm()
    assert mech.replace().to_dict() == mech.to_dict()
    changed = mech.replace(damping={"elbow": 1.0})
    assert changed.joints["shoulder"] is mech.joints["shoulder"]
    assert changed.joints["elbow"].type.damping.tolist() == [1.0]
    limited = mech.replace(limits={"elbow": (0, 2)})
    assert limited.joints["elbow"].type.damping.tolist() == [0.02]
    assert limited.replace(limits={"elbow": None}).to_dict() == mech.to_dict()


def test_a_changed_mechanism_keeps_its_former_bases():
    mech, state = pendulum()
    mech, state = rg.reroot(mech, state, "bob", name="base")
    assert mech.replace(gravity=(0, 0, -1)).former_bases.keys() == {"hinge"}


def test_loop_joints_can_be_changed_too():
    mech, state = closed()
    (loop,) = mech.loop_joints
    moving = rg.assemble(mech, state.replace(v=np.ones(mech.nv)))
    damped = mech.replace(damping={loop: 5.0})
    assert damped.loop_joints == (loop,)
    assert np.abs(rg.forward_dynamics(damped, moving) - rg.forward_dynamics(mech, moving)).max() > 1e-3


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"gravity": (0, 0)}, "gravity must have shape"),
        ({"gravity": (0, 0, np.inf)}, "gravity.*not finite"),
        ({"inertia": {"leg": rg.Inertia.sphere(1.0, 0.1)}}, "no body 'leg'.*'bob'"),
        ({"inertia": {"world": rg.Inertia.sphere(1.0, 0.1)}}, "no body 'world'"),
        ({"inertia": {"bob": 3.0}}, "body 'bob': inertia must be an Inertia"),
        ({"inertia": rg.Inertia.sphere(1.0, 0.1)}, "inertia must be given by the names of the bodies"),
        ({"damping": 0.3}, "damping must be given by the names of the joints"),
        ({"damping": {"knee": 0.3}}, "there is no joint 'knee'"),
        ({"damping": {"hinge": -1.0}}, "damping must be finite and not negative"),
        ({"limits": {"hinge": (1, -1)}}, "limits"),
    ],
)
def test_changes_that_do_not_fit(change, match):
    with pytest.raises(rg.ModelError, match=match):
        pendulum()[0].replace(**change)
