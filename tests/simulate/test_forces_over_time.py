"""Torques, reactions and the centre of mass over a trajectory: those of its states, across structures, files and processes."""

import copy
import pickle
import warnings

import numba
import numpy as np
import pytest

import regraft as rg
from simple_mechanisms import arm, ball, pendulum


def driven_arm(**options):
    """An arm with a motor at its elbow that comes off on the way; a push on its hand."""

    def torque(t, mech, state):
        return {"elbow": 3.0 * np.sin(9.0 * t)} if "elbow" in mech.joints else {"wrist": (t, -t)}

    def wrenches(t, mech, state):
        return {"hand": (0.1 * t, 0.0, 0.2, 1.0, -t, 0.5)}

    cut = rg.at_time(0.2, lambda m, s: rg.cut(m, s, "elbow"), name="break")
    return rg.simulate(*arm(), 0.4, events=cut, torque=torque, wrenches=wrenches, **options), torque, wrenches


def every_sample(traj):
    """(number, time, mechanism, state) of all samples."""
    number = 0
    for segment in traj.segments:
        for t, x in zip(segment.t, segment.seen, strict=True):
            yield number, t, segment.mech, rg.State(segment.mech.layout, x)
            number += 1


@pytest.mark.parametrize("options", [{}, {"every": 3}, {"coordinates": "maximal"}])
def test_they_are_those_of_the_states(options):
    traj, torque, wrenches = driven_arm(**options)
    torques, reactions, centres = traj.torques(), traj.reactions(), traj.center_of_mass()
    assert centres.shape == (len(traj.t), 3)
    assert torques["elbow"].shape == (len(traj.t),)
    assert torques["wrist"].shape == (len(traj.t), 2)
    assert set(reactions) == {"float", "shoulder", "elbow", "wrist", "fore_free"}
    for i, t, mech, state in every_sample(traj):
        given = torque(t, mech, state)
        for name in ("shoulder", "elbow", "wrist", "fore_free"):
            expected = given.get(name, 0.0) if name in mech.joints else np.nan
            assert np.array_equal(torques[name][i], np.broadcast_to(expected, torques[name][i].shape), equal_nan=True)
        held = rg.joint_reactions(mech, state, given, wrenches(t, mech, state))
        for name, found in reactions.items():
            assert np.array_equal(found[i], held.get(name, np.full(6, np.nan)), equal_nan=True)
        assert centres[i] == pytest.approx(rg.center_of_mass(mech, state), abs=1e-12)


def test_without_functions_torques_are_zero():
    traj = rg.simulate(*ball(), 0.2)
    assert not traj.torques()["fall"].any()
    assert traj.reactions()["fall"][:, 5] == pytest.approx(0.0, abs=1e-12)
    pushed = rg.simulate(*ball(), 0.2, wrenches={"ball": (0, 0, 0, 7.0, 0, 0)})
    assert pushed.reactions()["fall"][:, 3] == pytest.approx(-7.0, abs=1e-12)


def test_compiled_functions_are_asked_too():
    @numba.njit
    def torque(t, q, v, out):
        out[0] = 2.0 * t - v[0]

    @numba.njit
    def wrenches(t, q, v, out):
        out[0, 3] = t

    traj = rg.simulate(*ball(), 0.3, torque=torque, wrenches=wrenches)
    assert np.array_equal(traj.torques()["fall"], 2.0 * traj.t - traj.joint("fall").v)
    assert traj.reactions()["fall"][:, 3] == pytest.approx(-traj.t, abs=1e-12)


def test_motors_of_loop_joints_are_there():
    mech, state = rg.models.four_bar().start
    traj = rg.simulate(mech, state, 0.1, torque=lambda t, m, s: {"knee": 1.0 + t, "motor": -0.5})
    torques = traj.torques()
    assert np.array_equal(torques["knee"], 1.0 + traj.t)
    assert (torques["motor"] == -0.5).all()
    assert (torques["pivot"] == 0.0).all()
    held = traj.reactions()
    for i, t, _, at in list(every_sample(traj))[::5]:
        for name, wrench in rg.joint_reactions(mech, at, {"knee": 1.0 + t, "motor": -0.5}).items():
            assert np.array_equal(held[name][i], wrench)


@pytest.mark.parametrize("way", ["file", "pickle", "deepcopy"])
def test_they_survive_where_the_functions_do_not(way, tmp_path):
    traj, *_ = driven_arm()
    if way == "file":
        traj.save(tmp_path / "x.npz")
        again = rg.load(tmp_path / "x.npz")
    else:
        again = pickle.loads(pickle.dumps(traj)) if way == "pickle" else copy.deepcopy(traj)
    for ask in (rg.Trajectory.torques, rg.Trajectory.reactions):
        found, expected = ask(again), ask(traj)
        assert found.keys() == expected.keys()
        assert all(np.array_equal(found[name], expected[name], equal_nan=True) for name in expected)
    again.save(tmp_path / "again.npz")
    assert np.array_equal(rg.load(tmp_path / "again.npz").torques()["elbow"], traj.torques()["elbow"], equal_nan=True)


def test_constant_wrenches_are_kept_once(tmp_path):
    traj = rg.simulate(*ball(), 0.5, wrenches={"ball": (0, 0, 0, 7.0, 0, 0)})
    traj.save(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as arrays:
        assert arrays["segment0.wrenches"].shape == (1, 1, 6)
        assert "segment0.torques" not in arrays
    assert np.array_equal(rg.load(tmp_path / "x.npz").reactions()["fall"], traj.reactions()["fall"])


def test_resampled_functions_are_asked_at_the_new_samples(tmp_path):
    traj, *_ = driven_arm()
    even = traj.resample(0.01)
    before = even.t < 0.2
    assert even.torques()["elbow"][before] == pytest.approx(3.0 * np.sin(9.0 * even.t[before]), abs=1e-12)
    traj.save(tmp_path / "x.npz")
    for ask in (rg.Trajectory.torques, rg.Trajectory.reactions):
        with pytest.raises(rg.ModelError, match=r"are not known.*before resampling"):
            ask(rg.load(tmp_path / "x.npz").resample(0.01))
    pushed = rg.simulate(*ball(), 0.2, wrenches={"ball": (0, 0, 0, 7.0, 0, 0)})
    pushed.save(tmp_path / "z.npz")
    assert rg.load(tmp_path / "z.npz").resample(0.01).reactions()["fall"][:, 3] == pytest.approx(-7.0, abs=1e-12)
    undriven = rg.simulate(*ball(), 0.2)
    undriven.save(tmp_path / "y.npz")
    assert not rg.load(tmp_path / "y.npz").resample(0.01).torques()["fall"].any()


def test_a_function_that_fails_later_does_not_lose_the_motion(tmp_path):
    asked = []

    def torque(t, mech, state):
        if asked:
            raise RuntimeError("the motor is off")
        return np.zeros(1)

    traj = rg.simulate(*ball(), 0.2, torque=torque)
    asked.append(True)
    with pytest.raises(RuntimeError, match="the motor is off"):
        traj.torques()
    with pytest.warns(RuntimeWarning, match="not kept.*the motor is off"):
        traj.save(tmp_path / "x.npz")
    again = rg.load(tmp_path / "x.npz")
    assert again.state(0.1) == traj.state(0.1)
    with pytest.raises(rg.ModelError, match="not known"):
        again.torques()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again.save(tmp_path / "y.npz")


def test_a_segment_alone_does_not_forget_that_it_was_driven():
    traj, *_ = driven_arm()
    again = pickle.loads(pickle.dumps(traj.segments[0]))
    with pytest.raises(rg.ModelError, match="not known"):
        rg.Trajectory([again], []).torques()


def test_files_of_before_have_no_torques(tmp_path):
    file = tmp_path / "x.npz"
    rg.simulate(*ball(), 0.2).save(file)
    with np.load(file) as arrays:
        kept = dict(arrays)
    kept["header"] = np.frombuffer(kept["header"].tobytes().replace(b', "forces": true', b""), np.uint8)
    np.savez(file, **kept)
    with pytest.raises(rg.ModelError, match="not known"):
        rg.load(file).torques()


@pytest.mark.parametrize("what", ["torques", "wrenches"])
def test_damaged_forces_are_found(what, tmp_path):
    file = tmp_path / "damaged.npz"
    driven_arm()[0].save(file)
    with np.load(file) as arrays:
        kept = dict(arrays)
    kept[f"segment0.{what}"] = kept[f"segment0.{what}"][:-1]
    np.savez(file, **kept)
    with pytest.raises(rg.ModelError, match=r"damaged\.npz"):
        rg.load(file)


# --- one after another --------------------------------------------------------------------------------------------------


def test_a_motion_in_two_parts_is_the_motion_in_one():
    mech, state = pendulum()
    whole = rg.simulate(mech, state, 1.0, events=rg.at_time(0.7, name="bell"))
    first = rg.simulate(mech, state, 0.4)
    second = rg.simulate(*first.final, 0.6, start=first.t[-1], events=rg.at_time(0.7, name="bell"))
    both = first + second
    assert both.events == whole.events
    assert both.steps == first.steps + second.steps
    assert np.array_equal(both.t, np.concatenate((first.t, second.t)))
    for t in np.linspace(0.0, 1.0, 21):
        assert both.state(t).q == pytest.approx(whole.state(t).q, abs=1e-8)
    assert both.joint("hinge").q.shape == both.t.shape


def test_parts_can_be_moved_in_time():
    mech, state = pendulum()

    def torque(t, mech, state):
        return [t]

    first = rg.simulate(mech, state, 0.4, torque=torque)
    second = rg.simulate(*first.final, 0.3, torque=torque, events=rg.at_time(0.1, name="bell"))
    with pytest.raises(rg.ModelError, match=r"starts at t = 0, and the one before ends at 0\.4.*shift=True"):
        rg.join(first, second)
    both = rg.join(first, second, second_again := rg.simulate(*second.final, 0.1, torque=torque), shift=True)
    assert both.t[-1] == pytest.approx(0.8, abs=1e-15)
    assert [(round(t, 12), name) for t, name in both.events] == [(0.5, "bell")]
    assert both.state(0.55).q == pytest.approx(second.state(0.15).q, abs=1e-14)
    own = np.concatenate((first.t, second.t, second_again.t))
    assert both.torques()["hinge"] == pytest.approx(own, abs=1e-15)
    assert second.t[0] == 0.0


def test_the_structure_may_change_in_between(tmp_path):
    mech, state = arm()
    first = rg.simulate(mech, state, 0.2)
    second = rg.simulate(*rg.cut(*first.final, "elbow"), 0.2, start=0.2)
    both = first + second
    assert np.isnan(both.joint("elbow").q[-1])
    both.save(tmp_path / "x.npz")
    assert rg.load(tmp_path / "x.npz").state(0.3) == second.state(0.3)


def test_parts_that_do_not_meet():
    mech, state = pendulum()
    first = rg.simulate(mech, state, 0.4)
    elsewhere = rg.simulate(mech, state, 0.4, start=0.4)
    with pytest.raises(rg.ModelError, match=r"body 'bob' is off by .*traj\.final"):
        first + elsewhere
    with pytest.raises(rg.ModelError, match="no body in common"):
        rg.join(first, rg.simulate(*ball(), 0.4, start=0.4))
    with pytest.raises(rg.ModelError, match="join takes trajectories"):
        rg.join(first, None)
    with pytest.raises(TypeError):
        first + 3
