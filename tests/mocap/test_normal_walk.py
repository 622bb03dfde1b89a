"""A walk from published angles is one that a body can do: feet stand, and forces are a walker's."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import regraft as rg
from regraft.mocap.normal_walk_angles import ANKLE, HIP, KNEE
from regraft.mocap.normal_walk_fit import HEEL_UP, TOE_OFF, TOES_DOWN, published, wave

SHARE = np.arange(200) / 200
SOLE = ("heel", "ball_inner", "ball_outer", "toe")


@pytest.fixture(scope="module")
def walk():
    return rg.mocap.normal_walk(mass=70.0, height=1.75)


@pytest.fixture(scope="module")
def soles(walk):
    """{frame: (n, 3)} of the body that the recording became."""
    mech, q = walk.motion.mech, walk.motion.q
    names = [f"{side}_{point}" for side in ("left", "right") for point in SOLE]
    found = {name: np.empty((len(q), 3)) for name in names}
    for k in range(len(q)):
        state = mech.state(q=q[k])
        for name in names:
            found[name][k] = rg.frame_pose(mech, state, name).translation
    return found


def ground_force(walk):
    """Force of the ground by the weight (n, 3), and the centre of mass (n, 3), of the second stride."""
    motion, mech = walk.motion, walk.motion.mech
    com = np.array([rg.center_of_mass(mech, mech.state(q=q)) for q in motion.q])
    pull = make_interp_spline(motion.t, com, 5).derivative(2)(motion.t)
    middle = (walk.share >= 1.0) & (walk.share <= 2.0)
    return ((pull - mech.gravity) / 9.81)[middle], com[middle]


def strides(walk, side):
    return np.floor(walk.share + (0.5 if side == "left" else 0.0))


# --- the table -----------------------------------------------------------------------------------------------------------


def test_the_table_is_of_one_whole_stride():
    for column in (HIP, KNEE, ANKLE):
        assert len(column) == 51
        assert abs(column[0] - column[-1]) < 2.0


def test_eight_harmonics_are_the_table():
    at_rows = np.degrees(wave(published(), np.arange(50) / 50))
    assert np.abs(at_rows - np.array([HIP, KNEE, ANKLE])[:, :-1]).max() < 1.0


# --- feet ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
def test_flat_feet_do_not_slip(walk, soles, side):
    flat, stride = walk.flat(side), strides(walk, side)
    for k in np.unique(stride[flat]):
        for point in SOLE:
            places = soles[f"{side}_{point}"][flat & (stride == k)]
            assert np.ptp(places[:, :2], axis=0).max() < 0.0005
            assert np.abs(places[:, 2]).max() < 0.0015


def test_standing_points_stay_at_their_places(walk):
    points, legs = walk.stride.points(SHARE), walk.stride.legs
    for name, first, last in (("heel", 0.01, HEEL_UP), ("ball", TOES_DOWN, 0.55), ("toe", TOES_DOWN, TOE_OFF)):
        x, z = points[name][:, int(200 * first) : int(200 * last) + 1]
        assert np.abs(x - legs.places()[name]).max() < 0.004, name
        assert np.abs(z).max() < 0.005, name


def test_nothing_is_in_the_ground(soles):
    assert min(places[:, 2].min() for places in soles.values()) > -0.002


def test_swinging_feet_are_clear_of_the_ground(walk):
    points = walk.stride.points(SHARE)
    swing = (SHARE > 0.68) & (SHARE < 0.94)
    assert min(points[name][1, swing].min() for name in ("heel", "ball", "toe")) > 0.006


def test_soles_are_where_the_walk_has_them(walk, soles):
    for name, frame in (("heel", "right_heel"), ("toe", "right_toe")):
        x, z = walk.stride.points(walk.share)[name]
        assert np.abs(soles[frame][:, 0] - x).max() < 0.002
        assert np.abs(soles[frame][:, 2] - z).max() < 0.002


# --- time and space ------------------------------------------------------------------------------------------------------


def test_speed_cadence_and_steps_are_an_adults(walk, soles):
    assert 1.3 < walk.speed < 1.45
    assert 105.0 < walk.cadence < 115.0
    way = walk.motion.q[:, 0]
    assert abs((way[-1] - way[0]) / walk.motion.t[-1] - walk.speed) < 0.01
    right = soles["right_heel"][walk.flat("right") & (strides(walk, "right") == 1), 0].mean()
    left = soles["left_heel"][walk.flat("left") & (strides(walk, "left") == 1), 0].mean()
    assert abs(right - left - 0.5 * walk.stride.length) < 0.001


def test_events_are_in_order_and_in_time(walk):
    period = 120.0 / walk.cadence
    times = [event.time for event in walk.events]
    assert times == sorted(times)
    assert times[0] == 0.0
    strikes = {side: [e.time for e in walk.events if e.foot == side and e.kind == "strike"] for side in ("left", "right")}
    offs = {side: [e.time for e in walk.events if e.foot == side and e.kind == "off"] for side in ("left", "right")}
    assert np.allclose(strikes["right"], period * np.arange(4))
    assert np.allclose(strikes["left"], period * (np.arange(3) + 0.5))
    assert np.allclose(offs["right"], period * (np.arange(3) + 0.61))
    assert np.allclose(offs["left"], period * (np.arange(3) + 0.11))


def test_phases_are_those_of_the_events(walk):
    stands = {"left": True, "right": False}  # before the first strike of the right heel
    events = list(walk.events)
    for t, phase in zip(walk.recording.t, walk.phase, strict=True):
        while events and events[0].time <= t - 1e-9:
            event = events.pop(0)
            stands[event.foot] = event.kind == "strike"
        if not any(abs(event.time - t) < 1e-6 for event in walk.events):
            assert phase == ("both" if all(stands.values()) else "left" if stands["left"] else "right")


def test_events_are_when_feet_touch_and_leave(walk):
    share = np.arange(-400, 800) / 1000
    points = walk.stride.points(share)
    touches = share[(points["heel"][1] > 0.003) & (share < 0.1)].max()
    leaves = share[(points["toe"][1] > 0.003) & (share > 0.3)].min()
    assert abs(touches) < 0.01
    assert abs(leaves - TOE_OFF) < 0.015


def test_one_stride_is_like_the_next(walk):
    rec = rg.mocap.normal_walk(rate=walk.cadence / 120.0 * 100).recording
    assert len(rec) == 301
    assert np.abs(rec.turns[100:] - rec.turns[:-100]).max() < 1e-9
    way = rec.origins[100:, 0] - rec.origins[:-100, 0]
    assert np.abs(way - (walk.stride.length, 0.0, 0.0)).max() < 1e-9


def test_left_is_right_half_a_stride_later(walk):
    rec = rg.mocap.normal_walk(rate=walk.cadence / 120.0 * 100).recording
    axes, places = rec.poses()
    order = {bone.name: k for k, bone in enumerate(rec.bones)}
    mirror = np.diag([1.0, -1.0, 1.0])
    for name, k in order.items():
        other = order[name.replace("left", "RIGHT").replace("right", "left").lower()]
        assert np.abs(axes[50:, other] - mirror @ axes[:-50, k] @ mirror).max() < 1e-9, name
        assert np.abs(places[50:, other] - places[:-50, k] @ mirror - (0.5 * walk.stride.length, 0, 0)).max() < 1e-9, name


# --- angles --------------------------------------------------------------------------------------------------------------


def test_ranges_of_motion_are_those_of_normal_gait(walk):
    hip, knee, ankle, toes = np.ptp(np.degrees(wave(walk.stride.angles, SHARE)), axis=1)
    assert 38.0 < hip < 50.0
    assert 55.0 < knee < 67.0
    assert 25.0 < ankle < 38.0
    assert 15.0 < toes < 40.0


def test_angles_are_near_the_published_ones(walk):
    off = np.degrees(walk.stride.departures())
    assert np.all(np.sqrt(np.mean(off**2, axis=1)) < (7.0, 3.0, 6.0))
    assert np.all(np.abs(off).max(axis=1) < (10.5, 4.5, 10.5))
    assert "hip 6.4° (at most 10.0°)" in walk.recording.notes[1]


def test_knees_bend_one_way_only(walk):
    assert np.degrees(wave(walk.stride.angles, SHARE)[1]).min() > 3.0


def test_arms_swing_against_legs(walk):
    points, order = walk.recording.points(), {bone.name: k for k, bone in enumerate(walk.recording.bones)}
    for side in ("left", "right"):
        hand = points[:, order[f"{side}_hand"], 0] - points[:, 0, 0]
        foot = points[:, order[f"{side}_foot"], 0] - points[:, 0, 0]
        assert np.corrcoef(hand, foot)[0, 1] < -0.8


# --- mass and forces -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sex", ["male", "female", None])
def test_masses_add_up(sex):
    motion = rg.mocap.normal_walk(mass=63.0, height=1.68, sex=sex).motion
    assert abs(sum(part.inertia.mass for part in motion.mech.bodies.values()) - 63.0) < 1e-9
    assert set(motion.feet) == {"left", "right"}
    assert any("scaled by 1.0000" in note for note in motion.notes)


def test_the_force_of_the_ground_is_a_walkers(walk):
    force, com = ground_force(walk)
    assert abs(force[:, 2].mean() - 1.0) < 0.01
    assert 0.7 < force[:, 2].min() < 0.85
    assert 1.15 < force[:, 2].max() < 1.25
    up = force[:, 2] > 1.0
    assert np.sum(np.diff(up.astype(int)) == 1) == 2, "one rise for each step"
    assert 0.03 < np.ptp(com[:, 2]) < 0.06
    assert 0.015 < np.ptp(com[:, 1]) < 0.05
    assert 0.1 < np.abs(force[:, 0]).max() < 0.25


def test_the_centre_of_pressure_is_under_the_foot_that_stands_alone(walk):
    motion, mech = walk.motion, walk.motion.mech
    legs, root = walk.stride.legs, mech.v_slice("root")
    alone = np.flatnonzero((walk.share > 1.13) & (walk.share < 1.48))
    for k in alone:
        wrench = rg.inverse_dynamics(mech, mech.state(q=motion.q[k], v=motion.v[k]), motion.a[k])[root]
        pelvis = rg.frame_pose(mech, mech.state(q=motion.q[k]), "pelvis")
        force, moment = pelvis.rotation @ wrench[:3], pelvis.rotation @ wrench[3:]
        moment = moment + np.cross(pelvis.translation, force)
        along = (-moment[1] / force[2] - walk.stride.length) / legs.foot
        aside = moment[0] / force[2]
        assert walk.phase[k] == "right"
        assert 0.1 < along < 1.0
        assert abs(aside + 0.031 * 1.75) < 0.5 * 0.055 * 1.75


# --- what may be asked for -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.95, 1.2, 1.6])
def test_speeds(speed):
    walk = rg.mocap.normal_walk(speed=speed)
    assert abs(walk.speed - speed) < 1e-12
    points = walk.stride.points(SHARE)
    flat = (SHARE >= TOES_DOWN) & (SHARE <= HEEL_UP)
    assert np.ptp(points["heel"][0, flat]) < 0.001
    assert min(points[name][1].min() for name in ("heel", "ball", "toe")) > -0.003


def test_tall_bodies_walk_alike_in_more_time(walk):
    tall = rg.mocap.normal_walk(height=2.0)
    assert np.allclose(tall.speed / walk.speed, np.sqrt(2.0 / 1.75))
    assert np.abs(wave(tall.stride.angles, SHARE) - wave(walk.stride.angles, SHARE)).max() < 0.002


def test_the_recording_goes_through_a_file(walk, tmp_path):
    walk.recording.save(tmp_path / "walk.bvh")
    again = rg.mocap.body(rg.mocap.load(tmp_path / "walk.bvh"), mass=70.0, height=1.75, sex="male", cutoff=None)
    assert again.mech.nv == walk.motion.mech.nv
    assert np.abs(again.q[:, :3] - walk.motion.q[:, :3]).max() < 1e-6


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"speed": 3.0}, "walks like this at 0.93 to 1.72 m/s, not at 3.0"),
        ({"mass": -1.0}, "mass must be a positive number"),
        ({"height": 0.0}, "height must be a positive number"),
        ({"cycles": 2.5}, "whole number of strides"),
        ({"sex": "robot"}, "sex must be"),
    ],
)
def test_what_no_walk_can_have(wrong, words):
    with pytest.raises(rg.ModelError, match=words):
        rg.mocap.normal_walk(**wrong)
