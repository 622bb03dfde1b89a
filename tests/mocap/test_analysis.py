"""Support-rooted inverse dynamics: what Regraft simulates itself comes back, and recordings of people look like walking."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import regraft as rg
from mocap.simulated import figure, simulated
from regraft.mocap import Plate, analyse
from regraft.mocap.gait_result import pressure_of

WEIGHT = 70.0 * 9.81


@pytest.fixture(scope="module")
def one_foot():
    return simulated(("left_foot",))


@pytest.fixture(scope="module")
def two_feet():
    return simulated(("left_foot", "right_foot"))


@pytest.fixture(scope="module")
def flight():
    return simulated(())


def worst_torque(gait, known):
    return max(np.abs(gait.moment[name] - known.tau[name]).max() for name in gait.moment)


def as_plates(known):
    plates = []
    for foot, wrench in known.reactions.items():
        point, turning = pressure_of(wrench, np.zeros(len(wrench)))
        moment = np.stack((0 * turning, 0 * turning, turning), axis=1)
        plates.append(Plate(foot, known.motion.t, wrench[:, 3:], point, moment))
    return plates


# --- the closed circle -------------------------------------------------------------------------------------------------------


def test_on_one_foot_torques_and_reactions_come_back(one_foot):
    gait = analyse(one_foot.motion)
    assert set(gait.phase) == {"left"}
    assert set(gait.root) == {"left_foot"}
    assert worst_torque(gait, one_foot) < 1e-9 * WEIGHT
    np.testing.assert_allclose(gait.reaction["left"], one_foot.reactions["left_foot"][:, 3:], atol=1e-9 * WEIGHT)
    point, turning = pressure_of(one_foot.reactions["left_foot"], gait.pressure["left"][:, 2])
    np.testing.assert_allclose(gait.pressure["left"], point, atol=1e-9)
    np.testing.assert_allclose(gait.free_moment["left"], turning, atol=1e-8)
    assert np.abs(gait.residual).max() < 1e-9 * WEIGHT
    assert (gait.reaction["right"] == 0.0).all()


def test_in_flight_nothing_is_left_over(flight):
    gait = analyse(flight.motion)
    assert set(gait.phase) == {"none"}
    assert worst_torque(gait, flight) < 1e-9 * WEIGHT
    assert np.abs(gait.residual).max() < 1e-9 * WEIGHT
    assert any("flight" in note for note in gait.notes)


def test_in_flight_a_wrong_mass_is_no_residual_but_a_wrong_motion_is(flight):
    wrong = replace(flight.motion, a=flight.motion.a + 0.5)
    assert np.abs(analyse(wrong).residual).max() > 0.1 * 70.0


@pytest.mark.parametrize("feet", ["one_foot", "two_feet"])
def test_with_plates_torques_come_back_on_one_foot_and_on_two(feet, request):
    known = request.getfixturevalue(feet)
    gait = analyse(known.motion, plates=as_plates(known))
    assert worst_torque(gait, known) < 1e-8 * WEIGHT
    if feet == "two_feet":
        assert set(gait.phase) == {"both"}
        assert gait.measured == ("left", "right")
    assert np.abs(gait.residual).max() < 1e-8 * WEIGHT


def test_a_plate_under_one_foot_leaves_the_rest_to_the_other(two_feet):
    plates = [plate for plate in as_plates(two_feet) if plate.name == "right_foot"]
    gait = analyse(two_feet.motion, plates=plates)
    assert gait.measured == ("right",)
    np.testing.assert_allclose(gait.reaction["left"], two_feet.reactions["left_foot"][:, 3:], atol=1e-8 * WEIGHT)
    assert worst_torque(gait, two_feet) < 1e-8 * WEIGHT


@pytest.mark.parametrize("sharing", ["effort", "smooth"])
def test_what_two_feet_share_is_what_the_body_needs(two_feet, sharing):
    """Reactions and residual together, and the torques are those of inverse dynamics with these reactions."""
    gait = analyse(two_feet.motion, sharing=sharing)
    total = sum(wrench[:, 3:] for wrench in two_feet.reactions.values())
    np.testing.assert_allclose(gait.reaction["left"] + gait.reaction["right"] + gait.residual[:, 3:], total, atol=1e-8 * WEIGHT)
    mech, motion = two_feet.motion.mech, two_feet.motion
    for i in (0, 60, 120):
        state, wrenches = mech.state(motion.q[i], motion.v[i]), {}
        poses = rg.body_poses(mech, state)
        for side, foot in (("left", "left_foot"), ("right", "right_foot")):
            at, force = gait.pressure[side][i], gait.reaction[side][i]
            if np.isnan(at).any():
                continue
            moment = np.cross(at - poses[foot].translation, force) + np.array([0.0, 0.0, gait.free_moment[side][i]])
            wrenches[foot] = np.concatenate((moment, force))
        base = gait.residual[i].copy()
        wrenches["pelvis"] = base
        tau = rg.inverse_dynamics(mech, state, motion.a[i], wrenches=wrenches)
        for name in ("right_hip", "right_knee", "neck"):
            np.testing.assert_allclose(gait.moment[name][i], tau[mech.v_slice(name)], atol=1e-5 * WEIGHT)


def test_shared_forces_stay_in_their_cones_and_soles(two_feet):
    gait = analyse(two_feet.motion, friction=0.5)
    for side in ("left", "right"):
        force = gait.reaction[side]
        assert (np.hypot(force[:, 0], force[:, 1]) <= 0.5 * force[:, 2] + 1e-9 * WEIGHT).all()
        loaded = force[:, 2] > 20.0
        foot = gait.motion.feet[side]
        frames = (foot.heel, *foot.ball, foot.toe)
        for i in np.flatnonzero(loaded)[::25]:
            state = gait.motion.mech.state(gait.motion.q[i])
            points = np.array([rg.frame_position(gait.motion.mech, state, name) for name in frames])[:, :2]
            at = gait.pressure[side][i, :2]
            low, high = points.min(axis=0) - 0.02, points.max(axis=0) + 0.02  # points are not all at one height
            assert (at >= low).all()
            assert (at <= high).all()


def test_the_order_of_bodies_and_the_root_of_the_recording_do_not_matter(one_foot):
    """The same motion described from another root: the same torques."""
    motion = one_foot.motion
    mech = motion.mech
    base = next(name for name, joint in mech.joints.items() if joint.parent == "world")
    rows = []
    for i in range(0, len(motion.t), 4):
        state = mech.state(motion.q[i], motion.v[i])
        other, found, rate = rg.reroot(mech, state, "head", joint=rg.Free(), name=base, acceleration=motion.a[i])
        rows.append((found.q, found.v, rate))
    q, v, a = (np.array(x) for x in zip(*rows, strict=True))
    gait = analyse(replace(motion, mech=other, t=motion.t[::4], q=q, v=v, a=a))
    for name, torque in one_foot.tau.items():
        if name in gait.moment:
            np.testing.assert_allclose(gait.moment[name], torque[::4], atol=1e-8 * WEIGHT)


def test_power_is_moment_times_velocity_and_moments_are_given_in_all_axes(one_foot):
    gait = analyse(one_foot.motion)
    mech = gait.motion.mech
    own = mech.v_slice("left_knee")
    power = np.sum(gait.moment["left_knee"] * gait.motion.v[:, own], axis=1)
    np.testing.assert_allclose(gait.power["left_knee"], power, atol=1e-12)
    world, segment, joint = (gait.moments(axes) for axes in ("world", "segment", "joint"))
    lengths = [np.linalg.norm(x["left_knee"], axis=1) for x in (world, segment, joint)]
    np.testing.assert_allclose(lengths[0], lengths[1], rtol=1e-12)
    np.testing.assert_allclose(lengths[0], lengths[2], rtol=1e-9)  # a spherical joint holds no moment by itself
    np.testing.assert_allclose(gait.moments("joint", per_kg=True)["left_knee"], gait.moment["left_knee"] / 70.0, rtol=1e-12)
    forces = gait.forces("segment")["left_knee"]
    np.testing.assert_allclose(
        np.linalg.norm(forces, axis=1), np.linalg.norm(gait.wrench["left_knee"][:, 3:], axis=1), rtol=1e-12
    )
    with pytest.raises(rg.ModelError, match="axes"):
        gait.moments("foot")


def test_frames_that_were_not_recorded_are_nan(one_foot):
    motion = one_foot.motion
    q = motion.q.copy()
    q[40:50] = np.nan
    gait = analyse(replace(motion, q=q))
    assert np.isnan(gait.reaction["left"][40:50]).all()
    assert np.isfinite(gait.reaction["left"][:40]).all()
    assert set(gait.phase[40:50]) == {"none"}
    assert any("10 frames" in note for note in gait.notes)


def test_results_as_a_table(one_foot):
    gait = analyse(one_foot.motion)
    table = gait.to_pandas()
    assert table.index.name == "t"
    assert len(table) == len(gait.t)
    np.testing.assert_array_equal(table["left_reaction_z"], gait.reaction["left"][:, 2])
    np.testing.assert_array_equal(table["left_knee_moment_1"], gait.moment["left_knee"][:, 0])
    assert "left 100 %" in repr(gait)


# --- bad input ---------------------------------------------------------------------------------------------------------------


def test_a_body_without_feet_is_told():
    standing, _ = figure()
    with pytest.raises(rg.ModelError, match=r"no left and no right foot.*names="):
        analyse(replace(standing, feet={}))


def test_plates_must_fit_in_time_and_in_space(one_foot):
    (plate,) = as_plates(one_foot)
    with pytest.raises(rg.ModelError, match="do not fit in time"):
        analyse(one_foot.motion, plates=plate._replace(t=plate.t + 10.0))
    with pytest.raises(rg.ModelError, match=r"\d\.\d+ m away from the nearest foot"):
        analyse(one_foot.motion, plates=plate._replace(point=plate.point + np.array([0.0, 2.0, 0.0])))
    with pytest.raises(rg.ModelError, match="no plate carries anything"):
        analyse(one_foot.motion, plates=plate._replace(force=0.0 * plate.force))
    with pytest.raises(rg.ModelError, match="has no force plates"):
        analyse(one_foot.motion, plates=[])
    with pytest.raises(rg.ModelError, match="plates must be"):
        analyse(one_foot.motion, plates=[1, 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sharing": "equal"}, "sharing is one of effort, smooth"),
        ({"friction": 0.0}, "friction must be a positive number"),
        ({"friction": np.nan}, "friction must be a positive number"),
        ({"cutoff": 200.0}, "Nyquist"),
        ({"belt": "quick"}, "belt must be a speed"),
    ],
)
def test_other_arguments_are_checked(one_foot, options, message):
    with pytest.raises(rg.ModelError, match=message):
        analyse(one_foot.motion, **options)


def test_a_motion_is_needed():
    with pytest.raises(rg.ModelError, match="takes a Motion"):
        analyse("walk.bvh")


def test_loops_are_refused(one_foot):
    motion = one_foot.motion
    state = motion.mech.state(motion.q[0])
    held, after = rg.connect(motion.mech, state, "left_hand", "right_hand", at=(0.0, 0.0, 1.0))
    with pytest.raises(rg.StructureError, match="one tree without loops"):
        analyse(replace(motion, mech=held, q=np.tile(after.q, (len(motion.t), 1))))


def test_a_joint_that_is_not_there_is_named(one_foot):
    with pytest.raises(KeyError, match=r"no joint 'tail'.*left_knee"):
        analyse(one_foot.motion).moment["tail"]


@pytest.fixture(scope="module")
def walk():
    motion = rg.mocap.normal_walk(cycles=2).motion
    return motion, analyse(motion)


def plates_of(motion, gait, stances=None):
    """What `gait` has found as plates, or only some stances of it."""
    plates = []
    for side in ("left", "right"):
        on = np.isfinite(gait.pressure[side][:, 0])
        if stances is not None:
            on &= np.any([(np.arange(len(motion.t)) >= s.start) & (np.arange(len(motion.t)) < s.stop)
                          for s in stances if s.foot == side], axis=0)  # fmt: skip
        turning = np.stack((0 * motion.t, 0 * motion.t, gait.free_moment[side]), axis=1)
        parts = (np.where(on[:, None], np.nan_to_num(x), 0.0) for x in (gait.reaction[side], gait.pressure[side], turning))
        plates.append(Plate(side, motion.t, *parts))
    return plates


@pytest.mark.parametrize("drift", [-25.0, 4.0, 19.0])
def test_a_plate_that_drifts_adds_no_more_than_its_drift(walk, drift):
    motion, gait = walk
    plates = [plate._replace(force=plate.force + np.array([0.0, 0.0, drift])) for plate in plates_of(motion, gait)]
    found = analyse(motion, plates=plates)
    for side in ("left", "right"):
        assert np.abs(found.reaction[side] - gait.reaction[side]).max() < abs(drift) + 21.0


def test_steps_beside_the_plates_are_the_root(walk):
    """A walkway with one step of each foot on a plate: the other steps are found from the motion."""
    motion, gait = walk
    whole = [stance for stance in gait.stances if stance.start > 0 and stance.stop < len(motion.t)]
    chosen = [next(stance for stance in whole if stance.foot == side) for side in ("left", "right")]
    found = analyse(motion, plates=plates_of(motion, gait, chosen))
    assert (found.phase != "none").all()
    assert np.mean(found.phase == gait.phase) > 0.95
    assert np.abs(found.residual[:, 3:]).max() < 0.05 * WEIGHT
    assert any("beside the plates" in note for note in found.notes)


def test_two_feet_may_land_together():
    standing, state = figure()
    t = np.arange(0.0, 2.0, 0.01)
    up = np.clip(t - 0.7, 0.0, 0.5)
    q = np.tile(state.q, (len(t), 1))
    q[:, 2] += 0.5 * 9.81 * up * (0.5 - up)
    still = np.zeros((len(t), standing.mech.nv))
    gait = analyse(replace(standing, t=t, q=q, v=still, a=still, raw=None, cutoff=None), cutoff=10.0)
    assert (gait.phase[85:105] == "none").all()
    assert (gait.phase[[5, -5]] == "both").all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: {"t": m.t[:-5]}, "q of a motion must have shape"),
        (lambda m: {"q": m.q[:, :-1]}, "q of a motion must have shape"),
        (lambda m: {"a": m.a[:-1]}, "a of a motion must have shape"),
        (lambda m: {"t": m.t[::-1]}, "numbers that increase"),
        (lambda m: {"t": 0.0 * m.t}, "numbers that increase"),
        (lambda _: {"v": None}, "v of a motion"),
        (lambda _: {"mech": None}, "must be a Mechanism"),
        (lambda m: {"feet": {**m.feet, "left": ("left_foot",)}}, "the left foot must be a Foot"),
        (lambda m: {"feet": {**m.feet, "left": m.feet["left"]._replace(heel="nix")}}, "does not have: 'nix'"),
    ],
)
def test_a_motion_of_ones_own_is_checked(one_foot, change, message):
    with pytest.raises(rg.ModelError, match=message):
        analyse(replace(one_foot.motion, **change(one_foot.motion)))


def test_lists_will_do(one_foot):
    motion = one_foot.motion
    listed = replace(motion, t=motion.t.tolist(), q=motion.q.tolist(), v=motion.v.tolist(), a=motion.a.tolist())
    np.testing.assert_array_equal(analyse(listed).reaction["left"], analyse(motion).reaction["left"])


def test_up_is_z():
    standing, _ = figure()
    tilted = rg.Mechanism.from_dict({**standing.mech.to_dict(), "gravity": [0.0, -9.81, 0.0]})
    with pytest.raises(rg.ModelError, match="gravity must point down along z"):
        analyse(replace(standing, mech=tilted))


def test_motions_and_gaits_can_be_sent_elsewhere(one_foot):
    motion = pickle.loads(pickle.dumps(one_foot.motion))
    gait = pickle.loads(pickle.dumps(analyse(motion)))
    np.testing.assert_array_equal(gait.reaction["left"], analyse(one_foot.motion).reaction["left"])
