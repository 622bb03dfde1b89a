"""Controls of actuators: the torques of motors and servos, as a question and in a run."""

import copy
import json
import math
import pickle

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg

HINGE = rg.Revolute((0, 1, 0))
LINK = rg.Inertia.box(1.0, (0.1, 0.12, 0.5), at=(0, 0, -0.25))
DOWN = rg.Pose(translation=(0, 0, -0.5))


def arm(effort=math.inf):
    """Three links, with a servo, one that pulls two joints, and a motor."""
    mech = rg.Mechanism()
    for name, upper in (("a", "world"), ("b", "a"), ("c", "b")):
        mech.add_body(name, LINK)
        kind = rg.Revolute((0, 1, 0), damping=0.1, effort=effort) if name == "b" else HINGE
        mech.add_joint(f"j{name}", kind, upper, name, rg.Pose() if upper == "world" else DOWN)
    mech.add_actuator("servo", "ja", gain=60.0, bias=(0.0, -60.0, -6.0), gear=2.0, effort=30.0, control_range=(-1.0, 1.5))
    mech.add_actuator(
        "cable", {"jb": 0.7, "jc": -0.4}, gear=3.0, gain=(2.0, 0.3, -0.2), bias=(0.5, -4.0, -1.0), force_range=(-9, None)
    )
    mech.add_actuator("motor", "jb", gear=5.0, control_range=(-2.0, 2.0))
    return mech


def by_hand(mech, state, controls):
    """The same law, written down once more."""
    tau = dict.fromkeys(mech.joints, 0.0)
    for name, control in controls.items():
        one = mech.actuators[name]
        l, rate = (sum(gear * float(state[joint].q if x == "q" else state[joint].v) for joint, gear in one.joints) for x in "qv")
        u = np.clip(control, *one.control_range)
        f = np.dot(one.gain, (1, l, rate)) * u + np.dot(one.bias, (1, l, rate))
        for joint, gear in one.joints:
            tau[joint] += gear * np.clip(f, *one.force_range)
    return np.array([np.clip(tau[name], -kind.effort[0], kind.effort[0]) for name, kind, *_ in mech.layout.joints])


def random_state(mech, rng):
    return mech.state(q=rng.normal(size=mech.nq), v=rng.normal(size=mech.nv))


@given(seed=st.integers(0, 10**6))
def test_torques_follow_the_law_within_all_bounds(seed):
    rng = np.random.default_rng(seed)
    mech = arm(effort=float(rng.uniform(1.0, 20.0)))
    state, controls = random_state(mech, rng), rng.normal(size=3) * 3.0
    named = dict(zip(mech.actuators, controls.tolist(), strict=True))
    assert np.allclose(rg.control_torques(mech, state, controls), by_hand(mech, state, named), rtol=1e-13, atol=1e-12)
    some = {name: named[name] for name in named if rng.uniform() < 0.5}
    assert np.allclose(rg.control_torques(mech, state, some), by_hand(mech, state, some), rtol=1e-13, atol=1e-12)


def test_who_is_not_named_exerts_nothing():
    mech = arm()
    assert not rg.control_torques(mech, random_state(mech, np.random.default_rng(1)), {}).any()


# --- in a run ----------------------------------------------------------------------------------------------------------


@numba.njit
def compiled(t, out):
    out[0] = 0.5 * np.sin(3.0 * t)
    out[1] = 1.0
    out[2] = t


def of_time(t):
    return [0.5 * np.sin(3.0 * t), 1.0, t]


def by_name(t):
    return dict(zip(("servo", "cable", "motor"), of_time(t), strict=True))


def in_python(t, mech, state):
    return rg.control_torques(mech, state, of_time(t))


@pytest.mark.parametrize("options", [{}, {"integrator": "rk4", "step": 1e-3}, {"coordinates": "maximal", "rtol": 1e-8}])
def test_a_run_has_the_torques_of_its_controls(options):
    mech = arm(effort=6.0)
    runs = [
        rg.simulate(mech, mech.state(q={"ja": 0.3}), 0.5, torque=torque, **options)
        for torque in (in_python, rg.controls(of_time), rg.controls(by_name), rg.controls(compiled))
    ]
    for run in runs[1:]:
        assert np.allclose(run.final[1].q, runs[0].final[1].q, rtol=0, atol=1e-9)
    torques, last = runs[3].torques(), runs[3].final
    assert np.allclose([torques[name][-1] for name in ("ja", "jb", "jc")], in_python(0.5, *last), rtol=0, atol=1e-9)


def test_constant_controls_are_an_array_or_by_name_and_add_to_other_torques():
    mech = arm()
    state = mech.state(q={"ja": 0.3})
    wanted = rg.simulate(
        mech, state, 0.3, torque=lambda _t, m, s: rg.control_torques(m, s, [0.2, 0.0, 1.0]) + np.array([0, 0, 0.5])
    )
    for given_controls in ([0.2, 0.0, 1.0], {"servo": 0.2, "cable": 0.0, "motor": 1.0}):
        found = rg.simulate(mech, state, 0.3, torque=[rg.controls(given_controls), {"jc": 0.5}])
        assert np.allclose(found.final[1].q, wanted.final[1].q, rtol=0, atol=1e-9)
    solver = rg.as_ivp(mech, torque=rg.controls([0.2, 0.0, 1.0]))
    rate = solver.fun(0.0, np.concatenate((state.q, state.v)))[mech.nq :]
    assert np.allclose(rate, rg.forward_dynamics(mech, state, rg.control_torques(mech, state, [0.2, 0.0, 1.0])), rtol=1e-12)


def test_a_servo_holds_what_it_is_told():
    mech = arm()
    mech.add_actuator("wrist", "jc", gain=80.0, bias=(0.0, -80.0, -8.0))
    mech.add_actuator("elbow", "jb", gain=80.0, bias=(0.0, -80.0, -8.0))
    stiff = {"servo": 1.0, "wrist": 0.3, "elbow": -0.4}
    final = rg.simulate(mech, mech.state(), 6.0, torque=rg.controls(stiff)).final
    assert np.abs(final[1].v).max() < 1e-3
    assert np.abs(rg.control_torques(*final, stiff) - rg.bias_force(*final)).max() < 0.01


def test_an_actuator_rests_while_its_joint_is_gone():
    mech = arm()
    drop = rg.at_time(0.1, lambda mech, state: rg.cut(mech, state, "jb"))
    traj = rg.simulate(mech, mech.state(q={"ja": 0.3}), 0.3, torque=rg.controls([0.5, 1.0, 1.0]), events=drop)
    assert list(traj.final[0].actuators) == ["servo"]
    torques = traj.torques()
    wanted = rg.control_torques(*traj.final, {"servo": 0.5})[traj.final[0].v_slice("ja")]
    assert torques["ja"][-1] == pytest.approx(wanted[0], rel=1e-12)
    assert torques["jb"][0] != 0.0
    assert np.isnan(torques["jb"][-1])


def test_motors_of_loop_joints_are_driven_in_a_run():
    mech, state = rg.models.four_bar().start
    mech = mech.copy()
    mech.add_actuator("knee servo", "knee", gain=3.0, bias=(0.0, -3.0, -0.5))
    with pytest.raises(rg.StructureError, match="'knee servo' drive joints that close loops, 'knee'"):
        rg.control_torques(mech, state, [0.2])

    def same(_t, mech, state):
        q, v = (float(numbers[0]) for numbers in (mech.joint_position(state, "knee"), mech.joint_velocity(state, "knee")))
        return {"knee": 3.0 * (0.2 - q) - 0.5 * v}

    one, other = (rg.simulate(mech, state, 0.4, torque=torque).final[1].q for torque in (rg.controls([0.2]), same))
    assert np.allclose(one, other, rtol=0, atol=1e-8)


# --- changes of structure, and what comes back -------------------------------------------------------------------------


def test_actuators_survive_a_change_of_root_with_the_same_torques():
    mech = arm()
    state = random_state(mech, np.random.default_rng(3))
    before = rg.control_torques(mech, state, {"cable": 0.4, "motor": -1.0})
    turned, after = rg.reroot(mech, state, "c", joint=rg.Free(), name="float")
    assert list(turned.actuators) == ["cable", "motor"]
    assert list(turned.former_actuators) == ["servo"]
    found = rg.control_torques(turned, after, {"cable": 0.4, "motor": -1.0})
    for joint in ("jb", "jc"):
        assert np.allclose(found[turned.v_slice(joint)], before[mech.v_slice(joint)], rtol=1e-12)


def test_laws_come_back_from_copies_json_and_pickles():
    mech = arm()
    for again in (
        copy.deepcopy(mech),
        pickle.loads(pickle.dumps(mech)),
        rg.Mechanism.from_dict(json.loads(json.dumps(mech.to_dict()))),
    ):
        assert again == mech
        assert list(again.actuators.items()) == list(mech.actuators.items())


def test_merging_and_taking_away_keep_laws():
    mech = arm()
    both = rg.merge(mech, mech, prefix="other ")
    assert both.actuators["other cable"].joints == tuple((f"other {name}", gear) for name, gear in mech.actuators["cable"].joints)
    state = random_state(mech, np.random.default_rng(4))
    one = rg.control_torques(mech, state, [0.1, 0.2, 0.3])
    assert np.array_equal(
        rg.control_torques(both, rg.merge_states(both, state, state, prefix="other "), [0.1, 0.2, 0.3] * 2), [*one, *one]
    )
    assert list(mech.without("c").actuators) == ["servo", "motor"]
    assert list(mech.without("cable").actuators) == ["servo", "motor"]


# --- what is refused ---------------------------------------------------------------------------------------------------


def test_an_actuator_of_several_joints_has_no_single_one():
    with pytest.raises(rg.ModelError, match="'cable' drives 2 joints"):
        _ = arm().actuators["cable"].joint


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"joint": {}}, "name a joint"),
        ({"joint": {"ja": 0.0}}, "gear must not be 0"),
        ({"joint": {"ja": 1.0, "ball": 1.0}}, "only joints with one coordinate are driven together"),
        ({"gain": (1.0, 2.0)}, "gain must have shape"),
        ({"gain": math.nan}, "gain"),
        ({"bias": math.inf}, "bias"),
        ({"control_range": (1.0, -1.0)}, "lower bound must not be above"),
        ({"control_range": 3.0}, "control_range must be"),
        ({"force_range": (math.nan, 1.0)}, "force_range"),
        ({"force_range": (3.0, 4.0), "effort": 1.0}, "force_range and effort"),
    ],
)
def test_what_is_no_actuator_is_refused(options, message):
    mech = arm()
    mech.add_body("d", LINK)
    mech.add_joint("ball", rg.Spherical(), "c", "d")
    with pytest.raises(rg.ModelError, match=message):
        mech.add_actuator("new", **{"joint": "ja", **options})
    assert "new" not in mech.actuators


@numba.njit
def gives_nan(t, out):
    out[1] = np.nan


@numba.njit
def gives_infinity(t, out):
    out[1] = np.inf


@numba.njit
def takes_too_much(t, q, v, out):
    out[0] = 1.0


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ([1.0], r"controls must have shape \(3,\)"),
        ([1.0, math.nan, 0.0], "controls has a value that is not finite"),
        ({"serwo": 1.0}, "there is no actuator 'serwo'"),
        ({"servo": "x"}, "control of actuator 'servo'"),
        (lambda _t: {"serwo": 1.0}, "there is no actuator 'serwo'"),
        (lambda _t: 1.0, r"controls must have shape \(3,\)"),
        (gives_nan, "'controls'"),
        (gives_infinity, "'controls'"),
        (takes_too_much, r"It must be f\(t, out\)"),
        (None, "give numbers for all actuators"),
    ],
)
def test_what_are_no_controls_is_refused(controls, message):
    mech = arm()
    with pytest.raises(rg.RegraftError, match=message):
        rg.simulate(mech, mech.state(), 0.1, torque=rg.controls(controls))


def test_controls_need_actuators_of_joints_with_one_coordinate():
    mech = rg.Mechanism()
    mech.add_body("a", LINK)
    mech.add_joint("ball", rg.Spherical(), "world", "a")
    with pytest.raises(rg.ModelError, match="no actuators to give controls to"):
        rg.simulate(mech, mech.state(), 0.1, torque=rg.controls([]))
    mech.add_actuator("m", "ball")
    for controls in ([0.0], {"m": 0.0}):
        with pytest.raises(rg.ModelError, match="'m' drives the joint 'ball', which has more than one coordinate"):
            rg.control_torques(mech, mech.state(), controls)
    assert not rg.control_torques(mech, mech.state(), {}).any()
    rg.simulate(mech, mech.state(), 0.01, torque=rg.controls({}))
