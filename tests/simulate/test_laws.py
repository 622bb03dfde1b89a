"""Laws are bound to joints by name: they do the same in every structure, and what they may not do is told."""

import numba
import numpy as np
import pytest

import regraft as rg
from simple_mechanisms import ball

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


@numba.njit
def hold(_t, q, v, out):
    for d in range(out.shape[0]):
        out[d] = -3.0 * q[d] - 0.2 * v[d] - 0.1 * d


@numba.njit
def fill_all(_t, _q, v, out):
    for d in range(out.shape[0]):
        out[d] = -0.3 * v[d]


def hold_in_python(_t, q, v, out):
    out[:] = -3.0 * q - 0.2 * v - 0.1 * np.arange(len(out))


def chain(names=("a", "b", "c", "d")):
    """Boxes on hinges, one after the other."""
    mech, above = rg.Mechanism(), "world"
    for i, name in enumerate(names):
        mech.add_body(name, rg.Inertia.box(1.0 + 0.1 * i, (0.1, 0.2, 0.4), at=(0, 0, -0.2)))
        place = rg.Pose(translation=(0, 0, 0.0 if above == "world" else -0.4))
        mech.add_joint(f"{name} joint", rg.Revolute((0, 1, 0.1 * i), damping=0.01), above, name, parent_pose=place)
        above = name
    return mech, mech.state(q=np.linspace(0.5, -0.4, mech.nq))


def by_names(*names):
    """What `hold` does to these joints, in Python and by name."""

    def torque(_t, mech, state):
        found = {}
        for d, name in enumerate(names):
            if name in mech.joints:
                found[name] = -3.0 * mech.joint_position(state, name) - 0.2 * mech.joint_velocity(state, name) - 0.1 * d
        return found

    return torque


def apart(one, other):
    """How far two trajectories of the same structures end from each other."""
    assert one.final[0].layout.same_structure(other.final[0].layout)
    return np.abs(np.concatenate((one.final[1].q - other.final[1].q, one.final[1].v - other.final[1].v))).max()


CHANGES = {
    "nothing": lambda mech, state: (mech, mech.state(q=state.q, v=0.9 * state.v)),
    "the first joint is cut": lambda mech, state: rg.cut(mech, state, "a joint"),
    "another body is the base": lambda mech, state: rg.reroot(mech, state, "d"),
}


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize("function", [hold, hold_in_python], ids=["compiled", "python"])
@pytest.mark.parametrize(
    "change", [c for n, c in CHANGES.items() if "loop" not in n], ids=[n for n in CHANGES if "loop" not in n]
)
def test_a_law_follows_its_joints_through_changes_of_structure(change, function, coordinates):
    names = ("d joint", "b joint")
    event = rg.at_time(0.15, change, name="change")
    options = {"events": event, "coordinates": coordinates, "rtol": 1e-10, "atol": 1e-11}
    found, expected = (rg.simulate(*chain(), 0.4, torque=way, **options) for way in (rg.law(names, function), by_names(*names)))
    assert apart(found, expected) < 1e-9  # both see the same numbers; 1e-12 is rounding of other sums
    assert apart(found, rg.simulate(*chain(), 0.4, **options)) > 1e-2  # or the law would do nothing


def test_a_law_follows_its_joint_into_a_loop():
    """The joint that closes the loop is driven too; a law for it gets its numbers, which have no place in q and v."""
    mech, state = chain()
    there = rg.frame_position(mech, state, "d")
    close = rg.at_time(0.0, lambda m, s: rg.connect(m, s, "d", "world", joint=rg.Revolute((0, 1, 0.3)), at=there, name="pin"))
    law = rg.law(("pin", "b joint"), hold, absent="skip")
    found, expected = (
        rg.simulate(mech, state, 0.3, torque=way, events=close, **TIGHT) for way in (law, by_names("pin", "b joint"))
    )
    assert "pin" in found.final[0].loop_joints
    assert apart(found, expected) < 1e-10
    without = rg.simulate(mech, state, 0.3, torque=rg.law("b joint", hold), events=close, **TIGHT)
    assert apart(found, without) > 1e-4


def test_laws_and_other_torques_add_up():
    mech, state = chain()
    several = [
        rg.law("c joint", hold),
        {"a joint": 0.7, "c joint": [0.1]},
        lambda _t, mech, state: {"b joint": -0.5 * mech.joint_velocity(state, "b joint")},
        np.array([0.1, 0.2, 0.3, 0.4]),
        fill_all,
    ]

    def together(_t, mech, state):
        total = np.array([0.1, 0.2, 0.3, 0.4]) - 0.3 * state.v
        total[0] += 0.7
        total[1] -= 0.5 * state.v[1]
        total[2] += 0.1 - 3.0 * state.q[2] - 0.2 * state.v[2]
        return total

    for coordinates in ("reduced", "maximal"):
        options = {"coordinates": coordinates, **TIGHT}
        found, expected = (rg.simulate(mech, state, 0.3, torque=way, **options) for way in (several, together))
        assert apart(found, expected) < 1e-10


# --- constants ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_constant_torques_are_the_same_as_functions(coordinates):
    mech, state = chain()
    tau = np.array([0.5, -0.2, 0.3, 0.1])
    ways = [
        tau,
        tau.tolist(),
        dict(zip(mech.joints, tau, strict=True)),
        rg.law(tuple(mech.joints), tau),
        [rg.law(name, torque) for name, torque in zip(mech.joints, tau, strict=True)],
    ]
    expected = rg.simulate(mech, state, 0.3, torque=lambda _t, _mech, _state: tau, coordinates=coordinates)
    for way in ways:
        assert apart(rg.simulate(mech, state, 0.3, torque=way, coordinates=coordinates), expected) == 0.0
    assert apart(rg.simulate(mech, state, 0.3, coordinates=coordinates), expected) > 1e-2


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_constant_torques_of_loop_joints(coordinates):
    mech, state = rg.models.four_bar().start
    (loop,) = mech.loop_joints
    options = {"coordinates": coordinates, "rtol": 1e-10, "atol": 1e-11}
    found, expected = (
        rg.simulate(mech, state, 0.3, torque=way, **options) for way in ({loop: 2.0}, lambda _t, _mech, _state: {loop: 2.0})
    )
    assert apart(found, expected) == 0.0
    assert apart(found, rg.simulate(mech, state, 0.3, **options)) > 1e-2
    energy = found.energy().total
    turned = found.mechanism(0.0).joint_position(found.final[1], loop) - mech.joint_position(state, loop)
    assert abs(energy[-1] - energy[0] - 2.0 * turned[0]) < 1e-7  # the motor's work


def test_constant_torques_by_name_follow_a_change_of_structure():
    mech, state = rg.cut(*chain(), "a joint")
    turn = rg.at_time(0.1, lambda mech, state: rg.reroot(mech, state, "d"))
    plain, turned = (rg.simulate(mech, state, 0.3, torque={"c joint": 0.5}, events=events, **TIGHT) for events in ((), turn))
    assert np.abs(plain.body("d").position[-1] - turned.body("d").position[-1]).max() < 1e-9


# --- motors of loop joints -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize("in_loop", [True, False], ids=["loop joint", "tree joint"])
def test_a_motor_that_a_later_call_leaves_out_stands_still(coordinates, in_loop):
    """A torque is what the function says now, not what it said before."""
    mech, state = rg.models.four_bar().start
    name = mech.loop_joints[0] if in_loop else mech.layout.names[0]

    def left_out(t, _mech, _state):
        return {name: 3.0} if t < 0.1 else {}

    def zero(t, _mech, _state):
        return {name: 3.0 if t < 0.1 else 0.0}

    options = {"coordinates": coordinates, "integrator": "rk4", "step": 0.01}
    found, expected, driven = (
        rg.simulate(mech, state, 0.3, torque=way, **options) for way in (left_out, zero, lambda *_: {name: 3.0})
    )
    assert apart(found, expected) == 0.0
    assert apart(found, driven) > 1e-3


@pytest.mark.parametrize("integrator", ["dopri5", "hakenberg"])
def test_motors_of_loop_joints_act_in_maximal_coordinates(integrator):
    mech, state = rg.models.four_bar().start
    (loop,) = mech.loop_joints
    options = {"step": 1e-4} if integrator == "hakenberg" else {}
    moved = rg.simulate(mech, state, 0.2, torque=lambda *_: {loop: 5.0})
    found = rg.simulate(mech, state, 0.2, torque=lambda *_: {loop: 5.0}, coordinates="maximal", integrator=integrator, **options)
    still = rg.simulate(mech, state, 0.2)
    error = np.abs(found.final[1].q - moved.final[1].q).max()
    assert error < (1e-3 if options else 1e-7)
    assert np.abs(still.final[1].q - moved.final[1].q).max() > 100 * error


# --- absent joints -------------------------------------------------------------------------------------------------------


def cut_the_last(mech, state):
    return rg.cut(mech, state, "d joint")


def test_a_law_without_its_joint_stops_the_run_at_the_event():
    for way in (rg.law(("b joint", "d joint"), hold), {"d joint": 1.0}, rg.law("d joint", 1.0)):
        with pytest.raises(rg.SimulationError, match=r"after event 'cut'.*there is no joint 'd joint'.*absent=") as problem:
            rg.simulate(*chain(), 0.4, torque=way, events=rg.at_time(0.2, cut_the_last, name="cut"))
        assert problem.value.trajectory.t[-1] == 0.2


def test_a_law_for_a_joint_that_never_was_is_refused_at_once():
    for way in (rg.law("typo", hold), {"typo": 1.0}):
        with pytest.raises(rg.ModelError, match="there is no joint 'typo'"):
            rg.simulate(*chain(), 0.4, torque=way)
    with pytest.raises(rg.ModelError, match=r"'typo' has not been there yet.*say absent=.skip."):
        rg.simulate(*chain(), 0.4, torque=rg.law("typo", hold, absent="nan"))


def test_a_law_is_told_that_a_joint_is_absent():
    seen = []

    def watch(t, q, v, out):
        seen.append((t, q.copy(), v.copy()))
        out[:] = np.where(np.isnan(q), 100.0, -3.0 * q)  # what it fills for an absent joint is dropped

    law = rg.law(("d joint", "b joint"), watch, absent="nan")
    event = rg.at_time(0.2, cut_the_last, name="cut")
    found = rg.simulate(*chain(), 0.4, torque=law, events=event, **TIGHT)
    before, after = ([(q, v) for t, q, v in seen if (t < 0.2) == early] for early in (True, False))
    assert np.isfinite([x for x, _ in before]).all()
    assert all(np.isnan(q[0]) and np.isnan(v[0]) and np.isfinite(q[1]) and np.isfinite(v[1]) for q, v in after[10:])

    def expected(_t, mech, state):
        return {name: -3.0 * mech.joint_position(state, name) for name in ("d joint", "b joint") if name in mech.joints}

    assert apart(found, rg.simulate(*chain(), 0.4, torque=expected, events=event, **TIGHT)) < 1e-10


def test_a_law_rests_until_its_joints_are_there():
    mech, state = chain()
    grip = rg.at_time(0.2, lambda m, s: rg.connect(m, s, "d", "world", joint=rg.Spherical(), at=rg.frame_position(m, s, "d"),
                                                   name="grip"), name="grip")  # fmt: skip
    calls = []

    def twist(t, q, v, out):
        calls.append(t)
        assert (len(q), len(v), len(out)) == (4, 3, 3)
        out[1] = 2.0

    found = rg.simulate(mech, state, 0.3, torque=rg.law("grip", twist, absent="skip"), events=grip)
    assert min(calls) >= 0.2
    expected = rg.simulate(mech, state, 0.3, torque=rg.law("grip", [0, 2.0, 0], absent="skip"), events=grip)
    assert apart(found, expected) == 0.0
    assert apart(found, rg.simulate(mech, state, 0.3, events=grip)) > 1e-4


# --- compiled functions that know places ------------------------------------------------------------------------------------


@numba.njit
def third(_t, q, v, out):
    out[2] = -3.0 * q[2] - 0.1 * v[2]


@numba.njit
def falling(_t, q, _v):
    return q[2] + 100.0


@numba.njit
def wind(_t, _q, v, out):
    out[0, 3] = -v[0]


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"torque": third}, "the function 'torque' is compiled"),
        ({"torque": np.ones(4)}, "the function 'torque' is an array"),
        ({"wrenches": wind}, "the function 'wrenches' is compiled"),
        ({"events": rg.Event("e", falling)}, "the guard is compiled"),
    ],
    ids=["torque", "array", "wrenches", "guard"],
)
def test_what_knows_places_meets_no_other_structure(options, what, coordinates):
    """After a cut the third place is another joint's; before, such a function went on and drove that one."""
    event = rg.at_time(0.2, lambda mech, state: rg.cut(mech, state, "b joint"), name="cut")
    given = {**options, "events": [*([options["events"]] if "events" in options else []), event]}
    with pytest.raises(
        rg.SimulationError, match=f"after event 'cut'.*{what} and knows places.*by the names of its joints"
    ) as problem:
        rg.simulate(*chain(), 0.4, coordinates=coordinates, **given)
    assert problem.value.trajectory.t[-1] == 0.2


def test_what_knows_places_goes_on_where_they_stay():
    """Another velocity, or a new loop, moves no number."""
    mech, state = chain()

    def close(mech, state):
        return rg.connect(mech, state, "d", "world", joint=rg.Spherical(), at=rg.frame_position(mech, state, "d"))

    for change in (CHANGES["nothing"], close):
        traj = rg.simulate(mech, state, 0.1, torque=third, events=rg.at_time(0.05, change))
        assert traj.t[-1] == 0.1
        assert len(traj.segments) == 2


def test_a_function_of_all_joints_says_that_it_can_take_any_structure():
    event = rg.at_time(0.2, lambda mech, state: rg.cut(mech, state, "b joint"), name="cut")
    found, expected = (
        rg.simulate(*chain(), 0.4, torque=way, events=event, **TIGHT)
        for way in (rg.law(rg.ALL, fill_all), lambda _t, _mech, state: -0.3 * state.v)
    )
    assert apart(found, expected) < 1e-10


def test_guards_are_laws_too():
    """The number of a joint by its name, also after its place has changed."""

    @numba.njit
    def straight(_t, q, _v):
        return q[0] - 0.1

    cut = rg.at_time(0.05, lambda mech, state: rg.cut(mech, state, "a joint"), name="cut")
    times = []
    for guard in (
        rg.law("b joint", straight),
        rg.law("b joint", lambda t, q, v: q[0] - 0.1),
        rg.when_joint("b joint", 0.1).guard,
    ):
        for coordinates in ("reduced", "maximal"):
            event = rg.Event("straight", guard, rg.STOP, direction=0)
            traj = rg.simulate(*chain(), 2.0, events=[cut, event], coordinates=coordinates, **TIGHT)
            assert [name for _, name in traj.events] == ["cut", "straight"]
            times.append(traj.t[-1])
    assert np.ptp(times) < 1e-9


# --- what compiled functions may not do ----------------------------------------------------------------------------------


@numba.njit
def helper(values, i, x):
    values[i] = x


def compiled_with(body, arguments="t, q, v, out"):
    scope = {"np": np, "helper": helper, "__name__": __name__}
    exec(f"def f({arguments}):\n    {body}", scope)
    return numba.njit(scope["f"])


@pytest.mark.parametrize(
    ("kind", "body", "coordinates"),
    [
        ("torque", "q[0] = 1.0", "reduced"),
        ("torque", "v[:] = 0.0", "maximal"),
        ("wrenches", "v[0] = 1.0", "reduced"),
        ("guard", "q[:] = 0.0", "reduced"),
        ("guard", "v[0] = 1.0", "maximal"),
        ("law", "q += 1.0", "reduced"),
    ],
)
def test_a_compiled_function_cannot_write_to_the_state(kind, body, coordinates):
    if kind == "guard":
        options = {"events": rg.Event("e", compiled_with(f"{body}; return 1.0", "t, q, v"))}
    elif kind == "law":
        options = {"torque": rg.law("b joint", compiled_with(body))}
    else:
        options = {kind: compiled_with(body)}
    with pytest.raises(rg.ModelError, match=r"writes to q or v, which it may only read.*f\(t, q, v"):
        rg.simulate(*chain(), 0.1, coordinates=coordinates, **options)


def test_a_python_law_cannot_write_to_the_state():
    def write(_t, q, _v, _out):
        q[0] = 1.0

    with pytest.raises(rg.SimulationError, match=r"the law of joints 'b joint' failed.*read-only"):
        rg.simulate(*chain(), 0.1, torque=rg.law("b joint", write))


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"coordinates": "maximal", "torque": compiled_with("out[0] = v[4]")}, "the function 'torque'"),
        ({"coordinates": "maximal", "torque": compiled_with("helper(out, 5, 1.0)")}, "the function 'torque'"),
        ({"torque": compiled_with("out[4] = 1.0")}, "the function 'torque'"),
        ({"torque": compiled_with("out[0] = q[4]")}, "the function 'torque'"),
        ({"torque": compiled_with("helper(out, 4, 1.0)")}, "the function 'torque'"),
        ({"torque": compiled_with("helper(out, 7, 1.0)")}, "the function 'torque'"),
        ({"torque": [rg.law("a joint", hold), rg.law("b joint", compiled_with("out[1] = 1.0"))]}, "the law of joints 'b joint'"),
        ({"torque": rg.law("b joint", compiled_with("helper(out, 1, 1.0)"))}, "the law of joints 'b joint'"),
        ({"wrenches": compiled_with("out[4, 0] = 1.0")}, "the function 'wrenches'"),
        ({"wrenches": compiled_with("out[0, 6] = 1.0")}, "the function 'wrenches'"),
        ({"events": rg.Event("e", compiled_with("return q[4]", "t, q, v"))}, "the guard of event 'e'"),
    ],
)
def test_an_index_beyond_the_end_is_told(options, name):
    with pytest.raises(rg.SimulationError, match=f"{name} failed.*(past the end|out of bounds)"):
        rg.simulate(*chain(), 0.1, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"torque": compiled_with("pass", "t, q, v")}, r"does not take 4 arguments. It must be f\(t, q, v, out\)"),
        ({"torque": compiled_with("pass", "t, q, v, out, more")}, r"does not take 4 arguments. It must be f\(t, q, v, out\)"),
        ({"torque": compiled_with("out.x = 1.0")}, r"'torque' cannot be compiled.*f\(t, q, v, out\)"),
        ({"wrenches": compiled_with("out[0, 0, 0] = 1.0")}, r"'wrenches' cannot be compiled.*\(bodies, 6\)"),
        ({"events": rg.Event("e", compiled_with("pass", "t, q, v, out"))}, r"does not take 3 arguments. It must be f\(t, q, v\)"),
        ({"events": rg.Event("e", compiled_with("pass", "t, q, v"))}, r"cannot be compiled.*return a number"),
        ({"events": rg.Event("e", compiled_with("return q", "t, q, v"))}, r"cannot be compiled.*return a number"),
        ({"torque": rg.law("b joint", compiled_with("pass", "t, q"))}, r"the law of joints 'b joint' does not take 4 arguments"),
    ],
)
def test_a_compiled_function_of_another_form_is_refused(options, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.simulate(*chain(), 0.1, **options)


def test_a_function_with_a_signature_of_its_own_is_taken():
    """Numba would refuse arrays that cannot be written to; what the function does counts."""

    @numba.njit("void(f8, f8[:], f8[:], f8[:])", fastmath=True)
    def declared(_t, _q, v, out):
        for d in range(out.shape[0]):
            out[d] = -0.3 * v[d]

    found, expected = (rg.simulate(*chain(), 0.2, torque=way) for way in (declared, fill_all))
    assert apart(found, expected) < 1e-12


def test_what_people_write_in_compiled_functions_is_taken():
    gains = np.diag([1.0, 2.0, 3.0, 4.0])

    @numba.njit
    def usual(t, q, v, out):
        error = np.zeros(4) - q
        out[:] = gains @ error - 0.1 * v + np.dot(gains, v) * 0.0
        out[0] += np.linalg.norm(q) + np.sum(v) + q.copy()[0] + np.sin(t) + q[1:].max()

    def same(t, _mech, state):
        q, v = state.q, state.v
        out = gains @ -q - 0.1 * v
        out[0] += np.linalg.norm(q) + np.sum(v) + q[0] + np.sin(t) + q[1:].max()
        return out

    found, expected = (rg.simulate(*chain(), 0.2, torque=way, **TIGHT) for way in (usual, same))
    assert apart(found, expected) < 1e-10


# --- laws that are none ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rg.law((), hold), "give the names of joints"),
        (lambda: rg.law(3, hold), "give the names of joints"),
        (lambda: rg.law(("a", 3), hold), "give the names of joints"),
        (lambda: rg.law(("a", "a"), hold), "'a' is there several times"),
        (lambda: rg.law("a", hold, absent="maybe"), "absent must be one of 'error', 'nan', 'skip'"),
        (lambda: rg.law("a", rg.law("a", hold)), "is a law already"),
        (lambda: rg.law("a", "torque"), "law: the torques"),
        (lambda: rg.law("a", [np.nan]), "law: the torques.*finite"),
        (
            lambda: rg.simulate(*chain(), 0.1, torque=3.0),
            "torque must be a function, a law, controls of actuators, numbers by joint name",
        ),
        (lambda: rg.simulate(*chain(), 0.1, torque="strong"), "torque must be a function"),
        (lambda: rg.simulate(*chain(), 0.1, torque=[1.0, 2.0]), r"torque.*\(4,\)"),
        (lambda: rg.simulate(*chain(), 0.1, torque=[hold, 2.0]), "torque must be a function.*not 2.0"),
        (lambda: rg.simulate(*chain(), 0.1, torque={"a joint": [1.0, 2.0]}), "torque of joint 'a joint'"),
        (lambda: rg.simulate(*chain(), 0.1, torque={"a joint": hold}), "torque of joint 'a joint'"),
        (lambda: rg.simulate(*chain(), 0.1, torque=rg.law("a joint", [1.0, 2.0])), "joints 'a joint' takes 1 torques, not 2"),
        (
            lambda: rg.simulate(*chain(), 0.1, wrenches=rg.law("a joint", 1.0)),
            "wrenches must be a function, a law with a function",
        ),
        (lambda: rg.simulate(*chain(), 0.1, wrenches=3.0), "wrenches must be a function"),
        (lambda: rg.Event("e", rg.law("a joint", 1.0)), "event 'e': the guard must be a function"),
    ],
)
def test_what_is_no_law_is_refused(call, message):
    with pytest.raises(rg.ModelError, match=message):
        call()


def test_a_law_says_what_it_is():
    assert repr(rg.law(("a", "b"), hold)) == "law(('a', 'b'), hold)"
    assert repr(rg.law(rg.ALL, hold)) == "law(ALL, hold)"
    assert repr(rg.law("a", 1.0)) == "law(('a',), constant)"


# --- other ways to a motion ------------------------------------------------------------------------------------------------


def test_an_initial_value_problem_takes_the_same_forms():
    mech, state = chain()
    problems = [
        rg.as_ivp(mech, torque=way, wrenches=push)
        for way, push in [
            (rg.law(("d joint", "b joint"), hold), rg.law("a joint", wind)),
            ([rg.law(("d joint", "b joint"), hold_in_python)], wind),
            (by_names("d joint", "b joint"), lambda _t, _mech, state: {"a": (0, 0, 0, -state.v[0], 0, 0)}),
        ]
    ]
    y = problems[0].y0(mech.state(q=state.q, v=[1.0, -2.0, 0.5, 0.3]))
    rates = [problem.fun(0.0, y) for problem in problems]
    assert np.ptp(rates, axis=0).max() < 1e-10
    assert np.abs(rates[0] - rg.as_ivp(mech).fun(0.0, y)).max() > 1.0
    constant = rg.as_ivp(mech, torque={"c joint": 1.0}).fun(0.0, y)
    assert np.array_equal(constant, rg.as_ivp(mech, torque=[0.0, 0.0, 1.0, 0.0]).fun(0.0, y))
    assert np.abs(constant[4:] - rg.forward_dynamics(mech, problems[0].state(y), [0.0, 0.0, 1.0, 0.0])).max() < 1e-12


def test_a_limit_cycle_takes_the_same_forms():
    """A ball that is lifted by a constant force: closed form, period 2 v / (g − f / m)."""
    mech, _ = ball()
    mass = mech.bodies["ball"].inertia.mass

    @numba.njit
    def lift(_t, _q, _v, out):
        out[0] = 0.5 * 9.81 * mass

    def bounce(mech, state):
        return mech, mech.state(q=state.q, v=[1.0 + 0.5 * abs(state.v[0])])

    hit = rg.when_joint("fall", 0.0, bounce, direction=-1)
    for way in ({"fall": 0.5 * 9.81 * mass}, [0.5 * 9.81 * mass], rg.law("fall", lift), rg.law("fall", 0.5 * 9.81 * mass)):
        cycle = rg.gait.limit_cycle(mech, mech.state(v={"fall": 1.9}), hit, torque=way)
        assert cycle.period == pytest.approx(4.0 / (0.5 * 9.81), rel=1e-8)
        assert cycle.state.v[0] == pytest.approx(2.0, rel=1e-8)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_a_trajectory_knows_what_laws_did(coordinates):
    cut = rg.at_time(0.1, lambda mech, state: rg.cut(mech, state, "a joint"), name="cut")
    ways = [rg.law(("d joint", "b joint"), hold), rg.law("a joint", 0.5, absent="skip")]
    traj = rg.simulate(*chain(), 0.2, torque=ways, events=cut, coordinates=coordinates)
    torques, b = traj.torques(), traj.joint("b joint")
    assert np.abs(torques["b joint"] - (-3.0 * b.q - 0.2 * b.v - 0.1)).max() < 1e-12
    there = np.isfinite(torques["a joint"])
    assert (torques["a joint"][there] == 0.5).all()
    assert (traj.t[there] <= 0.1).all()
    assert not torques["c joint"].any()


def test_a_trajectory_knows_what_motors_of_loop_joints_did():
    mech, state = rg.models.four_bar().start
    (loop,) = mech.loop_joints
    traj = rg.simulate(mech, state, 0.1, torque=[{loop: 2.0}, lambda _t, _mech, _state: {loop: 1.0}])
    assert (traj.torques()[loop] == 3.0).all()


def test_runs_in_several_threads_do_not_disturb_each_other():
    from concurrent.futures import ThreadPoolExecutor

    mech, state = chain()
    loop, closed = rg.models.four_bar().start
    ways = [
        (mech, state, rg.law(("d joint", "b joint"), hold)),
        (mech, state, rg.law(("a joint",), hold_in_python)),
        (mech, state, third),
        (loop, closed, lambda _t, mech, state: 0.1 * rg.forward_dynamics(mech, state)),
        (loop, closed, [rg.law(loop.loop_joints, hold), {loop.layout.names[0]: 1.0}]),
    ]

    def run(k):
        mech, state, torque = ways[k % len(ways)]
        return rg.simulate(mech, state, 0.2, torque=torque).final[1]

    alone = [run(k) for k in range(len(ways))]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(run, range(4 * len(ways))))
    assert all(found == alone[k % len(ways)] for k, found in enumerate(together))
