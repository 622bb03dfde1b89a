"""Trajectories: what they answer, at other times and in other forms."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_motions import assert_same, cut_arm

import regraft as rg
from random_mechanisms import samples
from simple_mechanisms import arm, ball, brick, chain, welded

# --- by time and by name --------------------------------------------------------------------------------------------------


def test_states_between_samples_are_those_of_a_finer_run():
    mech, state = arm()
    coarse, fine = (rg.simulate(mech, state, 0.5, rtol=rtol, atol=rtol) for rtol in (1e-9, 1e-13))
    for t in np.linspace(0.0, 0.5, 57):
        a, b = coarse.state(t), fine.state(t)
        assert np.abs(rg.difference(mech, a.q, b.q)).max() < 1e-8
        assert np.abs(a.v - b.v).max() < 1e-7
        assert abs(np.linalg.norm(a.q[mech.q_slice("shoulder")]) - 1.0) < 1e-14


def test_a_state_at_a_sample_is_the_sample():
    traj = cut_arm()
    for segment in traj.segments:
        for i in (0, 3, len(segment.t) - 1):
            assert np.array_equal(segment.state(segment.t[i])._x, segment.x[i])
    assert traj.final[1] == traj.state(traj.t[-1])
    assert traj.final[0] is traj.mechanism(traj.t[-1])


def test_at_an_event_the_later_state_counts():
    traj = cut_arm()
    assert traj.mechanism(0.3 - 1e-9).nv == 12
    assert traj.mechanism(0.3).nv == traj.mechanism(0.3 + 1e-9).nv == 17
    assert np.array_equal(traj.state(0.3)._x, traj.segments[1].x[0])
    assert (traj.t == 0.3).sum() == 2
    assert traj.events == [(0.3, "break")]
    assert [segment.event for segment in traj.segments] == ["break", None]


def test_times_outside_are_refused():
    mech, state = ball()
    traj = rg.simulate(mech, state, 1.0, start=2.0)
    assert traj.state(2.0) == state
    for t in (1.9, 3.1, float("nan"), float("inf"), -2.5):
        for ask in (traj.state, traj.mechanism, lambda t: traj.resample([t])):
            with pytest.raises(rg.ModelError, match=r"from t = 2 to 3|finite"):
                ask(t)


def test_histories_are_what_the_functions_of_states_say():
    traj = cut_arm()
    energy, momentum = traj.energy(), traj.momentum()
    finger, hand, elbow = traj.frame("finger"), traj.body("hand"), traj.joint("elbow")
    row = 0
    for segment in traj.segments:
        for x in segment.x:
            mech = segment.mech
            state = mech.state(q=x[: mech.nq], v=x[mech.nq :])
            pose, twist = rg.frame_pose(mech, state, "finger"), rg.frame_twist(mech, state, "finger")
            assert np.abs(finger.position[row] - pose.translation).max() < 1e-12
            assert np.abs(finger.rotation[row] - pose.rotation).max() < 1e-12
            assert np.abs(finger.angular_velocity[row] - twist[:3]).max() < 1e-12
            assert np.abs(finger.velocity[row] - twist[3:]).max() < 1e-12
            assert np.abs(hand.position[row] - rg.body_poses(mech, state)["hand"].translation).max() < 1e-12
            e, p = rg.energy(mech, state), rg.momentum(mech, state)
            assert abs(energy.kinetic[row] - e.kinetic) + abs(energy.potential[row] - e.potential) < 1e-11
            assert np.abs(np.concatenate((momentum.angular[row] - p.angular, momentum.linear[row] - p.linear))).max() < 1e-11
            there = "elbow" in mech.joints
            assert elbow.q[row] == mech.joint_position(state, "elbow")[0] if there else np.isnan(elbow.q[row])
            row += 1
    assert row == len(traj.t) == len(elbow.q) == len(energy.total)


def test_names_that_a_trajectory_does_not_have():
    traj = cut_arm()
    for ask, match in (
        (traj.joint, r"no joint 'knee'; it has: 'float', .*'fore_free'"),
        (traj.body, r"no body 'knee'; it has: 'base'"),
        (traj.frame, r"no frame 'knee'; it has: 'finger'"),
    ):
        with pytest.raises(rg.ModelError, match=match):
            ask("knee")
    assert np.array_equal(traj.frame("hand").position, traj.body("hand").position)
    assert not traj.body("world").position.any()


def test_what_is_there_for_a_while_only_is_nan_for_the_rest():
    mech, state = ball(1.0)

    def grow(mech, state):
        mech.add_body("rider", rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint("saddle", rg.Spherical(), "ball", "rider", parent_pose=rg.Pose(translation=(0, 0, 1)))
        mech.add_frame("hat", "rider", rg.Pose(translation=(0, 0, 1)))
        return mech, mech.state(q={"fall": state.q[0]}, v={"fall": state.v[0]})

    traj = rg.simulate(mech, state, 0.5, events=rg.at_time(0.25, grow))
    later = np.arange(len(traj.t)) >= len(traj.segments[0].t)
    for history in (traj.body("rider").position, traj.frame("hat").velocity, traj.joint("saddle").q, traj.joint("saddle").v):
        assert np.isnan(history[~later]).all()
        assert np.isfinite(history[later]).all()
    assert np.abs(traj.frame("hat").position[later, 2] - traj.joint("fall").q[later] - 2.0).max() < 1e-12
    assert np.isfinite(traj.joint("fall").q).all()


def test_a_joint_that_changes_its_size():
    mech, state = ball(1.0)
    other = rg.Mechanism()
    other.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    other.add_joint("fall", rg.Free(), "world", "ball")
    traj = rg.simulate(mech, state, 0.5, events=rg.at_time(0.25, lambda _m, _s: (other, other.state())))
    assert traj.joint("fall").q.shape == (len(traj.t),)
    assert np.isnan(traj.joint("fall").q[-1])


def test_answers_do_not_depend_on_freed_memory():
    """The scratch of a long kernel must live as long as the kernel runs."""
    mech, state = chain(40)
    traj = rg.simulate(mech, state, 0.2)
    first = traj.energy().total, traj.body("rod39").position
    for _ in range(30):
        keep = [np.full((40, 60), np.nan) for _ in range(20)]
        assert np.array_equal(traj.energy().total, first[0])
        assert np.array_equal(traj.body("rod39").position, first[1])
        del keep


@pytest.mark.parametrize("make", [welded, lambda: (rg.Mechanism(), rg.Mechanism().state())])
@pytest.mark.parametrize("options", [{}, {"integrator": "rk4", "step": 0.25}, {"integrator": "rk4", "step": 0.25, "every": 2}])
def test_mechanisms_that_cannot_move(make, options, tmp_path):
    mech, state = make()
    traj = rg.simulate(mech, state, 1.0, events=rg.at_time(0.5), **options)
    assert traj.t[0] == 0.0
    assert traj.t[-1] == 1.0
    assert traj.state(0.3) == state
    assert not traj.energy().kinetic.any()
    assert set(traj.to_arrays()) == {"t", "segment"}
    assert len(traj.resample(0.125).t) == 9
    for body in mech.bodies:
        assert np.array_equal(traj.body(body).position, np.tile((1.0, 2.0, 3.0), (len(traj.t), 1)))
    if "weld" in mech.joints:
        assert traj.joint("weld").q.shape == (len(traj.t), 0)
    traj.save(tmp_path / "still.npz")
    assert_same(rg.load(tmp_path / "still.npz"), traj)


def test_no_duration_at_all(tmp_path):
    mech, state = ball(1.0, -2.0)
    traj = rg.simulate(mech, state, 0.0)
    assert traj.t.tolist() == [0.0]
    assert traj.state(0.0) == state
    assert traj.final == (mech, state)
    assert traj.resample(0.1).t.tolist() == [0.0]
    assert traj.joint("fall").v.tolist() == [-2.0]
    traj.save(tmp_path / "x.npz")
    assert_same(rg.load(tmp_path / "x.npz"), traj)
    changed = rg.simulate(mech, state, 0.0, events=rg.at_time(0.0, lambda mech, state: (mech, mech.state())))
    assert changed.t.tolist() == [0.0, 0.0]
    assert changed.state(0.0) == mech.state()


# --- resample ---------------------------------------------------------------------------------------------------------------


def test_resampling_by_a_step_and_by_times():
    traj = cut_arm()
    even = traj.resample(0.1)
    assert np.allclose(even.t, [0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6], rtol=0, atol=1e-15)
    for t in (0.1, 0.2, 0.4):
        assert np.array_equal(even.state(t)._x, traj.state(t)._x)
    odd = traj.resample([0.45, 0.11, 0.11])
    assert odd.t.tolist() == [0.0, 0.11, 0.3, 0.3, 0.45, 0.6]
    assert odd.events == traj.events
    assert traj.resample(5.0).t.tolist() == [0.0, 0.3, 0.3, 0.6]
    assert traj.resample([]).t.tolist() == [0.0, 0.3, 0.3, 0.6]
    assert (np.diff(traj.resample(1e-3).t) > 5e-4).sum() == 600


@pytest.mark.parametrize("times", [0.0, -0.1, float("nan"), "x", [[0.1]], [0.1, float("nan")], None])
def test_bad_times_to_resample(times):
    mech, state = ball()
    with pytest.raises(rg.ModelError, match="resample"):
        rg.simulate(mech, state, 1.0).resample(times)


def test_between_plain_samples_positions_have_errors_of_the_fourth_and_velocities_of_the_third_order():
    mech, state = arm()
    times = np.linspace(0.0, 0.5, 301)
    exact = rg.simulate(mech, state, 0.5, rtol=1e-12, atol=1e-13).segments[0].states(times)
    errors = []
    for every in (20, 10):
        found = rg.simulate(mech, state, 0.5, integrator="rk4", step=2e-4, every=every).segments[0].states(times)
        off = [rg.difference(mech, x[: mech.nq], y[: mech.nq]) for x, y in zip(found, exact, strict=True)]
        errors.append((np.abs(off).max(), np.abs(found - exact)[:, mech.nq :].max()))
    orders = np.log2(np.divide(*errors))
    assert abs(orders[0] - 4.0) < 0.3
    assert abs(orders[1] - 3.0) < 0.3


@settings(max_examples=20)
@given(samples(max_bodies=4), st.lists(st.floats(0.0, 0.2), max_size=8))
def test_many_states_at_once_are_those_one_by_one(sample, times):
    segment = rg.simulate(sample.mech, sample.state, 0.2).segments[0]
    many = segment.states(np.array(times))
    assert many.shape == (len(times), sample.mech.nq + sample.mech.nv)
    assert all(np.array_equal(x, segment.state(t)._x) for x, t in zip(many, times, strict=True))


def test_resampling_is_fast():
    """A hundred thousand states of a brick in well under a second: they are computed in one compiled loop."""
    import time

    mech, state = brick()
    traj = rg.simulate(mech, state, 10.0)
    traj.resample(1.0)
    began = time.process_time()
    assert len(traj.resample(1e-4).t) == 100_001
    assert time.process_time() - began < 1.0


# --- tables -------------------------------------------------------------------------------------------------------------------


def test_arrays_by_name():
    traj = cut_arm()
    arrays = traj.to_arrays()
    joints = ["float", "shoulder", "elbow", "wrist", "fore_free"]
    assert set(arrays) == {"t", "segment", *(f"{joint}.{what}" for joint in joints for what in "qv")}
    assert all(len(values) == len(traj.t) for values in arrays.values())
    assert arrays["shoulder.q"].shape[1:] == (4,)
    assert arrays["shoulder.v"].shape[1:] == (3,)
    assert arrays["elbow.q"].ndim == 1
    assert np.array_equal(arrays["segment"], np.isnan(arrays["elbow.q"]).astype(int))
    assert np.array_equal(np.isnan(arrays["fore_free.v"]).all(axis=1), arrays["segment"] == 0)


def test_pandas():
    pytest.importorskip("pandas")
    traj = cut_arm()
    frame = traj.to_pandas()
    assert frame.index.name == "t"
    assert np.array_equal(frame.index, traj.t)
    assert np.array_equal(frame["shoulder.q[2]"], traj.joint("shoulder").q[:, 2])
    assert np.array_equal(frame["elbow.q"], traj.joint("elbow").q, equal_nan=True)
    assert frame.attrs["events"] == [(0.3, "break")]
    assert frame[frame["segment"] == 1]["elbow.q"].isna().all()


def test_xarray():
    pytest.importorskip("xarray")
    traj = cut_arm()
    data = traj.to_xarray()
    assert np.array_equal(data["t"], traj.t)
    assert data["shoulder.q"].shape == (len(traj.t), 4)
    assert np.array_equal(data["shoulder.q"], traj.joint("shoulder").q)
    assert data.attrs["event_names"] == ["break"]
    assert data.attrs["event_times"].tolist() == [0.3]


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_packages_that_are_not_installed(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    mech, state = ball()
    with pytest.raises(rg.RegraftError, match=rf"needs {package}.*pip install 'regraft\[tables\]'"):
        getattr(rg.simulate(mech, state, 0.1), f"to_{package}")()


@pytest.mark.parametrize("t", [None, "x", [0.1], np.nan, 1j])
def test_times_that_are_none(t):
    traj = rg.simulate(*ball(), 0.2)
    for ask in (traj.state, traj.mechanism):
        with pytest.raises(rg.ModelError, match=r"^t "):
            ask(t)


@pytest.mark.parametrize("name", [None, 3, [], {}])
def test_names_that_are_none(name):
    traj = rg.simulate(*ball(), 0.2)
    for ask in (traj.joint, traj.body, traj.frame):
        with pytest.raises(rg.ModelError, match="the trajectory has no"):
            ask(name)


def test_the_angle_of_a_loop_joint_goes_on_through_whole_turns():
    """The crank of a four-bar goes around its coupler: what a pose gives is in one turn, the history is continuous."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name, length in (("crank", 0.3), ("rocker", 0.8), ("coupler", 1.0)):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (length, 0, 0)))
    hinge = rg.Revolute((0, 0, 1))
    mech.add_joint("motor", hinge, "world", "crank")
    mech.add_joint("pivot", hinge, "world", "rocker", parent_pose=rg.Pose(translation=(1, 0, 0)))
    mech.add_joint("far", hinge, "rocker", "coupler", parent_pose=rg.Pose(translation=(0.8, 0, 0)))
    mech.add_joint("near", hinge, "crank", "coupler", rg.Pose(translation=(0.3, 0, 0)), rg.Pose(translation=(1.0, 0, 0)))
    rough = mech.state(q={"motor": 1.5, "pivot": 1.6, "far": 2.0}, v={"motor": 5.0})
    traj = rg.simulate(mech, rg.assemble(mech, rough, hold=("motor",)), 3.0)
    near = traj.joint("near")
    assert np.ptp(near.q) > 4 * np.pi
    whole = near.q - (traj.joint("pivot").q + traj.joint("far").q - traj.joint("motor").q)
    assert np.ptp(whole) < 1e-8  # the loop's angles add up, turn after turn
    even = traj.resample(1e-3).joint("near")
    assert np.abs(np.gradient(even.q, even.t)[1:-1] - even.v[1:-1]).max() < 1e-3


def test_a_segment_says_which_event_ended_it_and_the_steps_add_up():
    mech, state = ball(1.0)
    events = [rg.at_time(t, lambda m, s: (m, m.state(q=s.q, v=0.5 * s.v)), name=f"{t}") for t in (0.1, 0.2)]
    traj = rg.simulate(mech, state, 0.3, events=events, integrator="rk4", step=0.01)
    assert [segment.event for segment in traj.segments] == ["0.1", "0.2", None]
    assert traj.steps == 30
    assert sum(len(segment.t) - 1 for segment in traj.segments) == 30


def test_the_total_energy_is_kinetic_and_potential_together():
    mech, state = ball(1.0, 2.0)
    energy = rg.simulate(mech, state, 0.3).energy()
    assert np.array_equal(energy.total, energy.kinetic + energy.potential)
    assert energy.total == pytest.approx(np.full(len(energy.t), 9.81 + 2.0), rel=1e-12)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_a_segment_in_the_mechanisms_own_coordinates_has_its_times_and_its_event(coordinates):
    mech, state = ball(1.0)
    stop = rg.when_frame_below("ball", 0.5, rg.STOP, name="half")
    segment = rg.simulate(mech, state, 1.0, events=stop, coordinates=coordinates).segments[0]
    reduced = segment.reduced()
    assert reduced.x.shape == (len(segment.t), 2)
    assert np.array_equal(reduced.t, segment.t)
    assert np.array_equal(reduced.x, segment.seen)
    assert (reduced.event, reduced.bodies) == ("half", None)
