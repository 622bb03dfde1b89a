"""Bad input to what closed chains are asked and how they are changed: each error names the thing and says the way out."""

import math
import warnings

import numpy as np
import pytest

import regraft as rg
from loops.closed_mechanisms import four_bars, moving_four_bar

HINGE = rg.Revolute((0, 0, 1))
NAN, INF = math.nan, math.inf
REST = (0.0, 0.0, 0.0)


def refused(call, message, error):
    """The call raises our error with this message, without a warning on the way."""
    mech, state = moving_four_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(error, match=message):
            call(mech, state)


def cases(table):
    return pytest.mark.parametrize(("call", "message"), table.values(), ids=table)


# --- names ------------------------------------------------------------------------------------------------------------

UNKNOWN = {
    "torque": (lambda m, s: rg.forward_dynamics(m, s, {"motor": 1.0}), "tau: there is no joint 'motor'.*'end 1'"),
    "torque of a body": (lambda m, s: rg.forward_dynamics(m, s, {"level 0": 1.0}), "no joint 'level 0'"),
    "torque of no name": (lambda m, s: rg.forward_dynamics(m, s, {3: 1.0}), "no joint 3"),
    "reactions": (lambda m, s: rg.joint_reactions(m, s, {"motor": 1.0}), "tau: there is no joint 'motor'"),
    "pushed body": (lambda m, s: rg.forward_dynamics(m, s, wrenches={"end 1": np.zeros(6)}), "no body 'end 1'"),
    "pushed world": (lambda m, s: rg.joint_reactions(m, s, wrenches={"world": np.zeros(6)}), "no body 'world'"),
    "actuated": (lambda m, s: rg.actuator_torques(m, s, REST, ["motor"]), "actuated: there is no joint 'motor'"),
    "independent": (lambda m, s: rg.mobility(m, s, independent=["motor"]), "independent: there is no joint 'motor'"),
    "independent number": (lambda m, s: rg.mobility(m, s, independent=[3]), "independent: there is no joint 3"),
    "held": (lambda m, s: rg.assemble(m, s, hold=["motor"]), "no joint 'motor'"),
    "held loop": (lambda m, s: rg.assemble(m, s, hold=["end 1"]), "'end 1' is a loop joint"),
    "position of a loop": (lambda m, _: m.state(q={"end 1": 0.1}), "'end 1' is a loop joint"),
}


@cases(UNKNOWN)
def test_names_that_nothing_has_are_refused(call, message):
    refused(call, message, rg.ModelError)


UNKNOWN_TO_CHANGE = {
    "cut": (lambda m, s: rg.cut(m, s, "grip"), "no joint 'grip' to cut.*'end 1'"),
    "cut a body": (lambda m, s: rg.cut(m, s, "level 0"), "no joint 'level 0' to cut"),
    "cut nothing": (lambda m, s: rg.cut(m, s, None), "no joint None to cut"),
    "cut a list": (lambda m, s: rg.cut(m, s, ["end 1"]), "no joint .* to cut"),
    "reroot": (lambda m, s: rg.reroot(m, s, "hand"), "no body 'hand'"),
    "reroot to a joint": (lambda m, s: rg.reroot(m, s, "end 1"), "no body 'end 1'"),
    "reroot to the world": (lambda m, s: rg.reroot(m, s, "world"), "world"),
    "reroot to a number": (lambda m, s: rg.reroot(m, s, 3), "no body 3"),
    "connect": (lambda m, s: rg.connect(m, s, "world", "hand"), "no body 'hand' to connect"),
    "connect a list": (lambda m, s: rg.connect(m, s, ["level 0"], "world"), "no body .* to connect"),
    "connect all": (lambda m, s: rg.connect_all(m, s, [rg.Connection("hand", "world")]), "no body 'hand' to connect"),
    "connect all pairs": (lambda m, s: rg.connect_all(m, s, ["level 0", "world"]), "Connection"),
    "connect all at once": (lambda m, s: rg.connect_all(m, s, rg.Connection("level 0", "world")), "a list of Connection"),
    "connect all of nothing": (lambda m, s: rg.connect_all(m, s, None), "a list of Connection"),
    "registry": (lambda m, s: rg.connect(m, s, "level 0", "world", joint=rg.Revolute), "joint type"),
}


@cases(UNKNOWN_TO_CHANGE)
def test_changes_of_what_is_not_there_are_refused(call, message):
    refused(call, message, rg.StructureError)


NAMED_BADLY = {
    "taken": (lambda m, s: rg.connect(m, s, "world", "level 0", name="end 1"), "already a joint 'end 1'"),
    "empty": (lambda m, s: rg.connect(m, s, "world", "level 0", name=""), "name must be a text"),
    "number": (lambda m, s: rg.connect(m, s, "world", "level 0", name=3), "name must be a text"),
    "base": (lambda m, s: rg.reroot(m, s, "level 0", name="end 1"), "already a joint 'end 1'"),
    "base number": (lambda m, s: rg.reroot(m, s, "level 0", name=3), "name must be a text"),
    "twice": (
        lambda m, s: rg.connect_all(m, s, [rg.Connection("world", "level 0", name="grip")] * 2),
        "already a joint 'grip'",
    ),
}


@cases(NAMED_BADLY)
def test_joints_need_names_of_their_own(call, message):
    refused(call, message, rg.ModelError)


# --- numbers ----------------------------------------------------------------------------------------------------------

NUMBERS = {
    "torque: shape": (lambda m, s: rg.forward_dynamics(m, s, np.zeros(4)), r"tau must have shape \(3,\)"),
    "torque: list": (lambda m, s: rg.forward_dynamics(m, s, [1.0, 2.0]), r"tau must have shape \(3,\)"),
    "torque: NaN": (lambda m, s: rg.forward_dynamics(m, s, np.array([0, NAN, 0])), "tau.*not finite"),
    "torque: infinite": (lambda m, s: rg.joint_reactions(m, s, [INF, 0, 0]), "tau.*not finite"),
    "torque: text": (lambda m, s: rg.forward_dynamics(m, s, "much"), "tau"),
    "torque by name: shape": (lambda m, s: rg.forward_dynamics(m, s, {"end 1": [1, 2]}), r"tau of joint 'end 1'.*\(1,\)"),
    "torque by name: NaN": (lambda m, s: rg.forward_dynamics(m, s, {"end 1": NAN}), "tau of joint 'end 1'.*not finite"),
    "torque by name: tree": (lambda m, s: rg.forward_dynamics(m, s, {"foot 0": NAN}), "tau of joint 'foot 0'.*not finite"),
    "torque by name: text": (lambda m, s: rg.forward_dynamics(m, s, {"end 1": "much"}), "tau of joint 'end 1'"),
    "torque by name: nothing": (lambda m, s: rg.forward_dynamics(m, s, {"end 1": None}), "tau of joint 'end 1'"),
    "reaction: NaN": (lambda m, s: rg.joint_reactions(m, s, {"end 1": NAN}), "tau of joint 'end 1'.*not finite"),
    "wrench: shape": (lambda m, s: rg.forward_dynamics(m, s, wrenches={"level 0": np.zeros(3)}), r"'level 0'.*\(6,\)"),
    "wrench: NaN": (lambda m, s: rg.joint_reactions(m, s, wrenches={"level 0": [NAN] * 6}), "'level 0'.*not finite"),
    "wrenches: array": (lambda m, s: rg.joint_reactions(m, s, wrenches=np.zeros((3, 6))), "wrenches must be given by the names"),
    "acceleration: shape": (lambda m, s: rg.inverse_dynamics(m, s, [0.0]), r"a must have shape \(3,\)"),
    "acceleration: NaN": (lambda m, s: rg.inverse_dynamics(m, s, [0, NAN, 0]), "a .*not finite"),
    "actuators: NaN": (lambda m, s: rg.actuator_torques(m, s, [0, NAN, 0], ["end 1"]), "a .*not finite"),
    "consistent: NaN": (lambda m, s: rg.consistent_acceleration(m, s, [0, NAN, 0]), "a .*not finite"),
    "consistent: shape": (lambda m, s: rg.consistent_acceleration(m, s, np.zeros((3, 1))), r"a must have shape \(3,\)"),
    "no state": (lambda m, s: rg.forward_dynamics(m, s.q), "give a State"),
    "no state to cut": (lambda m, _: rg.cut(m, None, "end 1"), "give a State"),
    "no state to connect": (lambda m, _: rg.connect(m, {}, "world", "level 0"), "give a State"),
    "no state to connect all": (lambda m, _: rg.connect_all(m, {}, []), "give a State"),
    "state of another": (lambda _, s: rg.forward_dynamics(four_bars(2), s), "another structure"),
    "reactions of another": (lambda _, s: rg.joint_reactions(four_bars(2), s), "another structure"),
    "mobility of another": (lambda _, s: rg.mobility(four_bars(2), s), "another structure"),
    "energy of another": (lambda _, s: rg.energy(four_bars(2), s), "another structure"),
    "cut of another": (lambda _, s: rg.cut(four_bars(2), s, "end 1"), "another structure"),
    "connect of another": (lambda _, s: rg.connect(four_bars(2), s, "world", "level 0"), "another structure"),
    "reroot of another": (lambda _, s: rg.reroot(four_bars(2), s, "level 0"), "another structure"),
}


@cases(NUMBERS)
def test_numbers_that_do_not_fit_are_refused(call, message):
    refused(call, message, rg.ModelError)


PLACES = {
    "at: NaN": (lambda m, s: rg.connect(m, s, "world", "level 0", at=(0, NAN, 0)), "at.*absolute position"),
    "at: shape": (lambda m, s: rg.connect(m, s, "world", "level 0", at=(0, 0)), "at.*absolute position"),
    "at: text": (lambda m, s: rg.connect(m, s, "world", "level 0", at="here"), "at.*absolute position"),
    "at of many": (
        lambda m, s: rg.connect_all(m, s, [rg.Connection("world", "level 0", at=(INF, 0, 0))]),
        "at.*absolute position",
    ),
    "pose: array": (lambda m, s: rg.connect(m, s, "world", "level 0", pose_a=np.eye(4)), "pose_a must be a Pose"),
    "pose: point": (lambda m, s: rg.connect(m, s, "world", "level 0", pose_b=(0, 0, 0)), "pose_b must be a Pose"),
    "pose and point": (lambda m, s: rg.connect(m, s, "world", "level 0", pose_b=rg.Pose(), at=REST), "either at"),
    "base: NaN": (lambda m, s: rg.reroot(m, s, "level 0", at=(0, NAN, 0)), "at.*absolute position"),
    "base: velocity": (lambda m, s: rg.reroot(m, s, "level 0", velocity="stop"), "velocity must be"),
    "base: joint": (lambda m, s: rg.reroot(m, s, "level 0", joint="Free"), "joint type"),
    "base: hinge": (lambda m, s: rg.reroot(m, s, "level 0", joint=rg.Fixed(), align="current"), "cannot carry this motion"),
}


@cases(PLACES)
def test_places_that_are_none_are_refused(call, message):
    refused(call, message, rg.StructureError)


# --- open loops -------------------------------------------------------------------------------------------------------

NEEDS_CLOSED_LOOPS = {
    "forward_dynamics": rg.forward_dynamics,
    "forward_dynamics by name": lambda m, s: rg.forward_dynamics(m, s, {"end 1": 1.0}),
    "joint_reactions": rg.joint_reactions,
    "inverse_dynamics": lambda m, s: rg.inverse_dynamics(m, s, REST),
    "actuator_torques": lambda m, s: rg.actuator_torques(m, s, REST, ["end 1"]),
    "consistent_acceleration": lambda m, s: rg.consistent_acceleration(m, s, REST),
    "mobility": rg.mobility,
    "loop_jacobian": rg.loop_jacobian,
    "loop_jacobian_rate": rg.loop_jacobian_rate,
    "simulate": lambda m, s: rg.simulate(m, s, 0.1),
    "connect": lambda m, s: rg.connect(m, s, "world", "level 0"),
    "connect_all": lambda m, s: rg.connect_all(m, s, [rg.Connection("world", "level 0")]),
    "cut of a joint in the loop": lambda m, s: rg.cut(m, s, "top 0"),
    "reroot with an impact": lambda m, s: rg.reroot(m, s, "level 0", joint=rg.Spherical(), velocity="impact", align="current"),
}


@pytest.mark.parametrize("call", NEEDS_CLOSED_LOOPS.values(), ids=NEEDS_CLOSED_LOOPS)
def test_open_loops_are_refused_with_the_way_to_close_them(call):
    mech = four_bars(1)
    torn = mech.state(q={"foot 0": 0.3, "top 0": 0.1})
    with pytest.raises(rg.StructureError, match=r"open.*state = assemble\(mech, state\)"):
        call(mech, torn)


CLOSED_IN_VELOCITY = ("inverse_dynamics", "actuator_torques", "consistent_acceleration", "loop_jacobian_rate", "simulate")


@pytest.mark.parametrize("name", [*CLOSED_IN_VELOCITY, "cut of a joint in the loop"])
def test_loops_that_are_about_to_open_are_refused_too(name):
    mech = four_bars(1)
    with pytest.raises(rg.StructureError, match=r"in velocity.*state = assemble\(mech, state\)"):
        NEEDS_CLOSED_LOOPS[name](mech, mech.state(v={"foot 0": 0.3}))


def test_a_refused_change_leaves_mechanism_and_state_as_they_were():
    mech, state = moving_four_bar()
    data, q, v = mech.to_dict(), state.q.copy(), state.v.copy()
    a = rg.forward_dynamics(mech, state)
    for call in (
        lambda: rg.connect(mech, state, "world", "level 0", name="end 1"),
        lambda: rg.connect_all(mech, state, [rg.Connection("world", "level 0", name="one"), rg.Connection("hand", "world")]),
        lambda: rg.connect(mech, state, "world", "level 0", impact=False),
        lambda: rg.reroot(mech, state, "level 0", joint=rg.Fixed(), align="current"),
        lambda: rg.cut(mech, state, "grip"),
        lambda: rg.forward_dynamics(mech, state, {"end 1": NAN}),
    ):
        with pytest.raises(rg.RegraftError):
            call()
    assert mech.to_dict() == data
    assert np.array_equal(state.q, q)
    assert np.array_equal(state.v, v)
    assert np.array_equal(rg.forward_dynamics(mech, state), a)


def test_torques_by_name_leave_nothing_behind():
    """A torque of a loop joint in one call is not there in the next."""
    mech, state = moving_four_bar()
    before = rg.forward_dynamics(mech, state)
    driven = rg.forward_dynamics(mech, state, {"end 1": 3.0})
    assert np.abs(driven - before).max() > 0.1
    assert np.array_equal(rg.forward_dynamics(mech, state), before)
    assert np.array_equal(rg.forward_dynamics(mech, state, {}), rg.forward_dynamics(mech, state, np.zeros(3)))


def test_connecting_nothing_changes_nothing():
    mech, state = moving_four_bar()
    same, after = rg.connect_all(mech, state, [])
    assert same == mech
    assert after.v == pytest.approx(state.v, abs=1e-12)
    assert set(after.impulse) == set(mech.joints)
    assert max(np.abs(impulse).max() for impulse in after.impulse.values()) < 1e-12
