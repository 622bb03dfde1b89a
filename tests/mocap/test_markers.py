"""Markers become a body in motion: joints and poses come back, gaps and missing markers are told."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import regraft as rg
from mocap.marker_figures import UPPER_BODY, walker
from regraft.errors import ModelError
from regraft.mocap.recording import Recording

EXACT = 1e-7  # m and rad


def without(rec, *ends):
    """The recording without markers of some labels, whichever side."""
    return replace(rec, markers={k: x for k, x in rec.markers.items() if k not in ends and k[1:] not in ends})


def misses(motion, truth, bodies=None):
    """(body, m, rad): how far joints and turns from the first frame are from those that are known, at most."""
    rows = np.flatnonzero(np.isfinite(motion.q).all(axis=1))[::7]
    poses = [rg.body_poses(motion.mech, motion.mech.state(q=motion.q[k])) for k in rows]
    found = []
    for name in bodies or motion.mech.bodies:
        turns, places = truth[name][0][rows], truth[name][1][rows]
        own = np.array([pose[name].rotation for pose in poses])
        off = np.linalg.norm([pose[name].translation for pose in poses] - places, axis=1).max()
        relative = (own @ own[0].T) @ np.swapaxes(turns @ turns[0].T, 1, 2)
        found.append((name, off, Rotation.from_matrix(relative).magnitude().max()))
    return found


def told(motion, words):
    return [note for note in motion.notes if words in note]


def test_joints_and_poses_come_back_from_a_file(tmp_path):
    rec, truth = walker()
    rec.save(tmp_path / "walk.trc")
    motion = rg.mocap.body(rg.mocap.load(tmp_path / "walk.trc"), mass=70.0, cutoff=None)
    assert set(motion.mech.bodies) == set(truth)
    for name, off, turned in misses(motion, truth):
        assert off < 1e-5, name  # the file has six digits of a millimetre
        assert turned < 1e-4, name
    assert sum(motion.mech.bodies[name].inertia.mass for name in motion.mech.bodies) == pytest.approx(70.0)


def test_joints_and_poses_come_back():
    rec, truth = walker()
    motion = rg.mocap.body(rec, mass=70.0, cutoff=None)
    for name, off, turned in misses(motion, truth):
        assert off < EXACT, name
        assert turned < EXACT, name
    assert set(motion.residuals) == set(rec.markers)
    assert max(miss.max() for miss in motion.residuals.values()) < EXACT
    assert told(motion, "Harrington (2007), from a pelvis 240 mm wide and 160 mm deep")


def test_markers_are_frames_of_their_bodies():
    rec, _ = walker()
    motion = rg.mocap.body(rec, mass=70.0, cutoff=None)
    state = motion.mech.state(q=motion.q[120])
    for label in ("LASI", "RTOE", "LFIN"):
        assert rg.frame_position(motion.mech, state, label) == pytest.approx(rec.markers[label][120], abs=EXACT)


def test_with_noise_of_two_millimetres():
    rec, truth = walker(noise=0.002)
    motion = rg.mocap.body(rec, mass=70.0, cutoff=None)
    for name, off, turned in misses(motion, truth):
        assert off < 0.008, name
        assert turned < np.radians(15.0), name  # a foot's or a wrist's markers are a few centimetres apart
    (said,) = told(motion, "44 markers are missed by")
    assert 2.0 < float(said.split("missed by ")[1].split(" mm")[0]) < 2.0 * np.sqrt(3.0)
    smoothed = rg.mocap.body(rec, mass=70.0, cutoff=6.0)
    assert smoothed.raw is not None
    assert all(off < 0.005 for name, off, _ in misses(smoothed, truth, ["pelvis", "left_thigh", "left_shank", "left_foot"]))


def test_soles_are_on_the_ground_below_their_markers():
    rec, _ = walker()
    motion = rg.mocap.body(rec, mass=70.0, cutoff=None)
    state = motion.mech.state(q=motion.q[0])
    heel, ball = (rg.frame_position(motion.mech, state, name) for name in ("left_heel", "left_ball_inner"))
    assert heel == pytest.approx(rec.markers["LHEE"][0] * (1, 1, 0) + (0.01, 0, 0), abs=1e-6)
    assert ball[[0, 2]] == pytest.approx([rec.markers["LTOE"][0, 0], 0.0], abs=1e-6)
    assert motion.feet["left"].bodies == ("left_foot",)
    lifted = rg.mocap.body(rec, mass=70.0, cutoff=None, ground=-0.01)
    toe = rg.frame_position(lifted.mech, lifted.mech.state(q=lifted.q[0]), "left_toe")
    assert toe[2] == pytest.approx(-0.01, abs=1e-6)


def test_a_floor_that_is_not_at_zero_is_told():
    rec, _ = walker()
    raised = replace(rec, markers={label: x + np.array([0.0, 0.0, 0.5]) for label, x in rec.markers.items()})
    motion = rg.mocap.body(raised, mass=70.0, cutoff=None)
    (said,) = told(motion, "the ground is taken at z = 0.5")
    assert "ground= says otherwise" in said


def test_gaps_leave_markers_out_of_frames():
    rec, truth = walker()
    rng = np.random.default_rng(1)
    holes = {label: np.where(rng.random((len(rec.t), 1)) < 0.05, np.nan, x) for label, x in rec.markers.items()}
    motion = rg.mocap.body(replace(rec, markers=holes), mass=70.0, cutoff=None)
    for name, off, _ in misses(motion, truth, ["pelvis", "left_thigh", "left_shank", "left_foot", "trunk"]):
        assert off < 1e-6, name
    seen = np.isfinite(holes["LKNE"]).all(axis=1)
    assert np.isnan(motion.residuals["LKNE"][~seen]).all()


def test_frames_with_too_few_markers_are_left_out_and_told():
    rec, truth = walker()
    hidden = {label: x.copy() for label, x in rec.markers.items()}
    for label in ("LHEE", "LTOE", "LMT5"):
        hidden[label][60:90] = np.nan
    motion = rg.mocap.body(replace(rec, markers=hidden), mass=70.0, cutoff=None)
    assert np.isnan(motion.q[60:90]).any(axis=1).all()
    assert np.isfinite(motion.q[:60]).all()
    assert told(motion, "too few markers in 30 of 150 frames")
    assert all(off < EXACT for _, off, _ in misses(motion, truth))


def test_a_static_trial_has_the_inner_markers():
    still, _ = walker(size=0.0, n=30)
    rec, truth = walker()
    moving = without(rec, "KNM", "MMA", "ELBM")
    motion = rg.mocap.body(moving, mass=70.0, cutoff=None, static=still)
    for name, off, turned in misses(motion, truth):
        assert off < EXACT, name
        assert turned < EXACT, name
    assert told(motion, "places of markers and joints are those of 'figure.trc'")
    assert "LKNM" not in motion.residuals


def test_wands_and_widths_stand_for_inner_markers():
    rec, truth = walker()
    moving = without(rec, "KNM", "MMA", "ELBM")
    motion = rg.mocap.body(moving, mass=70.0, cutoff=None, widths={"knee": 0.104, "ankle": 0.072, "elbow": 0.07})
    for name, off, _ in misses(motion, truth, ["left_shank", "right_shank", "left_foot", "right_foot"]):
        assert off < 0.012, name  # a wand shows the plane of the joint to some degrees only
    assert told(motion, "the left knee is taken 52 mm beside its marker, in the plane of its wand (Davis 1991)")
    guessed = rg.mocap.body(moving, mass=70.0, cutoff=None)
    assert all(off < 0.02 for _, off, _ in misses(guessed, truth, ["left_shank", "left_foot"]))


def test_clusters_show_joints_by_motion():
    """No marker beside knee or ankle: joints are found from how the segments turn."""
    rec, truth = walker(n=400, size=0.6)
    more = {}
    for side, letter in (("left", "L"), ("right", "R")):
        for part in ("thigh", "shank"):
            turns, places = truth[f"{side}_{part}"]
            for k, at in enumerate(((0.08, 0.02, -0.15), (0.05, -0.06, -0.25), (-0.07, 0.03, -0.3))):
                more[f"{letter}.{part.title()}.{('Upper', 'Front', 'Rear')[k]}"] = places + turns @ np.array(at)
    moving = without(rec, "THI", "KNE", "KNM", "TIB", "ANK", "MMA")
    motion = rg.mocap.body(replace(moving, markers={**moving.markers, **more}), mass=70.0, cutoff=None)
    for name, off, turned in misses(motion, truth, ["left_shank", "right_shank", "left_foot", "right_foot"]):
        assert off < 0.01, name
        assert turned < np.radians(2.0), name
    assert len(told(motion, "it was found from how the segments turn")) == 4


def test_legs_alone_carry_one_segment():
    rec, truth = walker()
    motion = rg.mocap.body(without(rec, *UPPER_BODY), mass=70.0, cutoff=None)
    legs = [f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank", "foot")]
    assert set(motion.mech.bodies) == {"pelvis", *legs}
    assert all(off < EXACT for _, off, _ in misses(motion, truth))
    assert told(motion, "head, arms and trunk are one segment")
    inertia = motion.mech.bodies["pelvis"].inertia
    assert inertia.mass == pytest.approx(70.0 - sum(motion.mech.bodies[name].inertia.mass for name in legs))
    com = rg.frame_pose(motion.mech, motion.mech.state(q=motion.q[0]), "pelvis").apply(inertia.com)
    assert 1.1 < com[2] < 1.3
    assert abs(com[0] - truth["pelvis"][1][0, 0]) < 0.06


def test_one_marker_on_the_sacrum_stands_for_two_behind():
    rec, truth = walker()
    markers = {**without(rec, *UPPER_BODY, "PSI").markers, "SACR": 0.5 * (rec.markers["LPSI"] + rec.markers["RPSI"])}
    motion = rg.mocap.body(replace(rec, markers=markers), mass=70.0, cutoff=None)
    assert all(off < EXACT for _, off, _ in misses(motion, truth))


def test_a_marker_seen_never_together_with_the_others_is_told():
    rec, _ = walker()
    markers = {label: x.copy() for label, x in rec.markers.items()}
    markers["LTHI"][:70], markers["LKNM"][70:], markers["LKNE"][70:] = np.nan, np.nan, np.nan
    with pytest.raises(ModelError, match="in no frame all markers of the left thigh are seen: LTHI, LKNE, LKNM"):
        rg.mocap.body(replace(rec, markers=markers), mass=70.0)


def test_a_trunk_without_arms():
    rec, truth = walker()
    motion = rg.mocap.body(without(rec, "SHO", "UPA", "ELB", "ELBM", "WRA", "WRB", "FIN"), mass=70.0, cutoff=None)
    assert {"trunk", "head"} < set(motion.mech.bodies)
    assert "left_upper_arm" not in motion.mech.bodies
    assert all(off < 1e-6 for _, off, _ in misses(motion, truth, ["trunk", "head", "left_foot"]))


def test_an_arm_with_a_marker_at_each_joint():
    """How an upper arm turns about its own length is left open, and told; elbows and wrists are where they were."""
    rec, truth = walker(n=300, size=0.6)
    arms = without(rec, "UPA", "ELBM", "WRB", "FIN")
    motion = rg.mocap.body(arms, mass=70.0, cutoff=None, widths={"elbow": 0.07})
    assert {"left_upper_arm", "right_forearm"} < set(motion.mech.bodies)
    assert told(motion, "one marker is on left_upper_arm, left_forearm")
    for name, off, _ in misses(motion, truth, ["left_upper_arm", "right_upper_arm", "trunk"]):
        assert off < 0.005, name
    for name, off, _ in misses(motion, truth, ["left_forearm", "right_forearm"]):
        assert off < 0.05, name  # beside the marker at the elbow, on one side of it or another
    assert max(motion.residuals[label].max() for label in ("LELB", "RELB", "LWRA", "RWRA")) < 0.02


def test_a_hand_with_one_marker_is_told():
    rec, _ = walker()
    assert told(rg.mocap.body(rec, mass=70.0), "one marker is on left_hand, right_hand")


def test_a_height_scales_nothing():
    rec, truth = walker()
    motion = rg.mocap.body(rec, mass=70.0, height=1.9, cutoff=None)
    assert all(off < EXACT for _, off, _ in misses(motion, truth))
    assert told(motion, "1.9 m tall, as given")


def test_weights_of_zero_only_tell():
    rec, truth = walker()
    markers = {**rec.markers, "LTHI": rec.markers["LTHI"] + np.sin(9.0 * rec.t)[:, None] * (0.0, 0.03, 0.0)}
    motion = rg.mocap.body(replace(rec, markers=markers), mass=70.0, cutoff=None, weights={"LTHI": 0.0}, static=rec)
    assert all(off < EXACT for _, off, _ in misses(motion, truth, ["left_shank"]))
    assert motion.residuals["LTHI"].max() == pytest.approx(0.03, rel=0.01)


# --- labels -------------------------------------------------------------------------------------------------------------


def renamed(rec, new):
    return replace(rec, markers={new(label): x for label, x in rec.markers.items()})


@pytest.mark.parametrize("new", [lambda x: f"Subject 1:{x}", str.lower, lambda x: x + " "])
def test_prefixes_and_small_letters(new):
    rec, truth = walker()
    motion = rg.mocap.body(renamed(rec, new), mass=70.0, cutoff=None)
    assert all(off < EXACT for _, off, _ in misses(motion, truth))


def test_opensims_labels():
    words = {"ASI": "ASIS", "PSI": "PSIS", "THI": "Thigh.Upper", "KNE": "Knee.Lat", "KNM": "Knee.Med", "TIB": "Shank.Upper"}
    words |= {"ANK": "Ankle.Lat", "MMA": "Ankle.Med", "HEE": "Heel", "MT5": "Toe.Lat", "SHO": "Acromium", "UPA": "Bicep"}
    words |= {"ELB": "Elbow", "ELBM": "Elbow.Med", "WRA": "Wrist.Lat", "WRB": "Wrist.Med", "FIN": "Hand", "FHD": "Temple"}
    rec, truth = walker()
    found = renamed(rec, lambda x: f"{x[0]}.{words[x[1:]]}" if x[1:] in words else x)
    motion = rg.mocap.body(found, mass=70.0, cutoff=None)
    assert all(off < EXACT for _, off, _ in misses(motion, truth))


def test_other_labels_by_a_table():
    rec, truth = walker()
    strange = renamed(rec, lambda x: {"LKNE": "K1", "RTOE": "point 7"}.get(x, x))
    with pytest.raises(ModelError, match=r"no markers for: right ball or toe|left knee") as problem:
        rg.mocap.body(without(strange, "LKNM", "RMT5"), mass=70.0)
    assert "K1" in str(problem.value)
    assert 'names={"...": "' in str(problem.value)
    motion = rg.mocap.body(strange, mass=70.0, cutoff=None, names={"K1": "left knee", "point 7": "Right_Ball"})
    assert all(off < EXACT for _, off, _ in misses(motion, truth))


def test_what_is_missing_is_listed():
    rec, _ = walker()
    with pytest.raises(ModelError) as problem:
        rg.mocap.body(without(rec, "LASI", "PSI", "RHEE"), mass=70.0)
    said = str(problem.value)
    assert "left asis; left psis or sacrum; right psis or sacrum; right heel" in said
    assert "left or right knee medial" in said


def test_unknown_markers_are_left_out_and_told():
    rec, truth = walker()
    motion = rg.mocap.body(replace(rec, markers={**rec.markers, "*17": rec.markers["LKNE"] + 0.3}), mass=70.0, cutoff=None)
    assert told(motion, "markers of no known place are left out: '*17'")
    assert all(off < EXACT for _, off, _ in misses(motion, truth))


def test_a_marker_that_was_never_seen():
    rec, truth = walker()
    hidden = replace(rec, markers={**rec.markers, "LMT5": np.full((len(rec.t), 3), np.nan)})
    with pytest.raises(ModelError, match=r"'LMT5' was seen in no frame .*ignore=\['LMT5'\]"):
        rg.mocap.body(hidden, mass=70.0)
    motion = rg.mocap.body(hidden, mass=70.0, cutoff=None, ignore=["LMT5"])
    assert told(motion, "left out as wanted: 'LMT5'")
    assert all(off < EXACT for _, off, _ in misses(motion, truth))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ignore": ["nose"]}, "has no marker 'nose'"),
        ({"names": {"nose": None}}, "has no marker 'nose'"),
        ({"names": {"LKNE": "left nose"}}, "'LKNE' cannot be 'left nose'"),
        ({"names": {"LKNM": "left knee"}}, "both 'LKNE' and 'LKNM' are the left knee"),
        ({"widths": {"hip": 0.1}}, "widths: there is no 'hip'"),
        ({"weights": {"LKNE": -1.0}}, "must not be negative"),
        ({"height": -1.0}, "height must be a positive number"),
        ({"mass": None}, "mass of the body is missing"),
    ],
)
def test_what_cannot_be(given, said):
    rec, _ = walker(n=60)
    with pytest.raises(ModelError, match=said):
        rg.mocap.body(rec, **{"mass": 70.0, **given})


def test_too_short_and_never_together():
    rec, _ = walker(n=60)
    short = Recording("x.trc", rec.t[:2], markers={label: x[:2] for label, x in rec.markers.items()})
    with pytest.raises(ModelError, match="has 2 frames"):
        rg.mocap.body(short, mass=70.0)
    apart = {label: x.copy() for label, x in rec.markers.items()}
    apart["LASI"][::2], apart["RASI"][1::2] = np.nan, np.nan
    with pytest.raises(ModelError, match="in no frame all markers of the pelvis are seen"):
        rg.mocap.body(replace(rec, markers=apart), mass=70.0)


def test_options_of_markers_are_not_for_skeletons():
    from mocap.recorded_skeletons import skeleton

    with pytest.raises(ModelError, match="ignore= is for these only"):
        rg.mocap.body(skeleton(), mass=70.0, ignore=["x"])
