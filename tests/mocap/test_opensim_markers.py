"""OpenSim models follow their own markers: small models with known answers, and recordings beside what OpenSim found."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import regraft as rg
from mocap.osim_files import Model, Part, axis, linear
from regraft.errors import ModelError
from regraft.mocap.formats.storage import read_storage
from regraft.mocap.recording import Recording

T = np.linspace(0.0, 1.0, 61)
ARM = [
    Part(
        "cart",
        "ground",
        "CustomJoint",
        "base",
        ("way", "turn"),
        axes=axis("translation1", "1 0 0", "way", linear()) + axis("rotation1", "0 0 1", "turn", linear()),
    ),
    Part("arm", "cart", "PinJoint", "elbow", ("bend",), at="0 0.5 0"),
    Part("tip", "arm", "PinJoint", "wrist", ("twist",), at="0 0.3 0"),
]
LOCKED = "<default_value>0.2</default_value><locked>true</locked>"
MARKERS = [("A", "cart", "0.1 0 0"), ("B", "cart", "0 0.3 0.1"), ("C", "arm", "0.05 0.2 0"), ("D", "arm", "0 0.1 0.2")]
MARKERS += [("E", "tip", "0.1 0.1 0"), ("F", "tip", "0 0.2 -0.1")]


def arm(tmp_path, parts=ARM, markers=MARKERS):
    path = tmp_path / "arm.osim"
    path.write_text(Model(parts, markers).new())
    return path


def moved(path, **coordinates):
    """A recording of the model's markers while its coordinates do this, and the coordinates (n, nq)."""
    model = rg.mocap.read_osim(path)
    q = np.tile(model.default.q, (len(T), 1))
    for name, values in coordinates.items():
        q[:, model.place(name)[1]] = values
    states = [model.mech.state(q=row) for row in q]
    tracks = {name: np.array([rg.frame_position(model.mech, s, name) for s in states]) for name in model.markers}
    return Recording("arm.trc", T, markers=tracks), q


MOTION = {"way": 0.5 * T, "turn": 0.4 * np.sin(5 * T), "bend": 0.9 * T, "twist": 0.3 * np.cos(4 * T)}


def test_coordinates_come_back_from_a_file(tmp_path):
    rec, q = moved(arm(tmp_path), **MOTION)
    rec.save(tmp_path / "arm.trc")
    found = rg.mocap.motion(arm(tmp_path), tmp_path / "arm.trc", cutoff=None)
    assert found.q == pytest.approx(q, abs=1e-5)
    assert found.v[30] == pytest.approx(np.gradient(q, T, axis=0)[30], abs=0.01)
    assert set(found.residuals) == set("ABCDEF")
    assert max(miss.max() for miss in found.residuals.values()) < 1e-5
    assert any("6 markers are missed by 0.00 mm (RMS)" in note for note in found.notes)


def test_coordinates_come_back_exactly(tmp_path):
    rec, q = moved(arm(tmp_path), **MOTION)
    assert rg.mocap.motion(arm(tmp_path), rec, cutoff=None).q == pytest.approx(q, abs=1e-9)


def test_labels_with_a_subject_and_markers_that_do_not_fit(tmp_path):
    rec, q = moved(arm(tmp_path), **MOTION)
    tracks = {f"Ann:{label.lower()}": x for label, x in rec.markers.items() if label != "B"} | {"Z": rec.markers["A"]}
    found = rg.mocap.motion(arm(tmp_path), Recording("arm.trc", T, markers=tracks), cutoff=None)
    assert found.q == pytest.approx(q, abs=1e-9)
    assert any("the model's markers that 'arm.trc' does not have are left out: 'B'." in note for note in found.notes)
    assert any("markers of 'arm.trc' that the model does not have are left out: 'Z'." in note for note in found.notes)


def test_locked_coordinates_stay(tmp_path):
    locked = [*ARM[:1], Part("arm", "cart", "PinJoint", "elbow", ("bend",), at="0 0.5 0", about=LOCKED), ARM[2]]
    rec, q = moved(arm(tmp_path, locked), way=MOTION["way"], turn=MOTION["turn"], twist=MOTION["twist"])
    path = arm(tmp_path, locked)
    found = rg.mocap.motion(path, rec, cutoff=None)
    assert found.q == pytest.approx(q, abs=1e-9)
    assert found.q[:, found.mech.q_slice("bend")] == pytest.approx(np.full((len(T), 1), 0.2), abs=1e-12)
    assert any("locked coordinates stay at their defaults: 'bend'" in note for note in found.notes)
    other, _ = moved(path, **MOTION)  # which it cannot follow
    held = rg.mocap.motion(path, other, cutoff=None)
    assert held.q[:, held.mech.q_slice("bend")] == pytest.approx(np.full((len(T), 1), 0.2), abs=1e-12)
    assert max(miss.max() for miss in held.residuals.values()) > 0.05


def test_what_no_marker_determines_stays_at_its_default(tmp_path):
    rest = [
        *ARM[:2],
        Part("tip", "arm", "PinJoint", "wrist", ("twist",), at="0 0.3 0", about="<default_value>0.7</default_value>"),
    ]
    path = arm(tmp_path, rest, MARKERS[:4])
    rec, q = moved(path, way=MOTION["way"], turn=MOTION["turn"], bend=MOTION["bend"])
    found = rg.mocap.motion(path, rec, cutoff=None)
    assert found.q == pytest.approx(q, abs=1e-9)
    assert any("no markers determine 'twist'" in note for note in found.notes)


def test_a_locked_coordinate_before_one_that_no_marker_determines(tmp_path):
    rest = Part("tip", "arm", "PinJoint", "wrist", ("twist",), at="0 0.3 0", about="<default_value>0.7</default_value>")
    path = arm(tmp_path, [ARM[0], Part("arm", "cart", "PinJoint", "elbow", ("bend",), about=LOCKED), rest], MARKERS[:4])
    rec, q = moved(path, way=MOTION["way"], turn=MOTION["turn"])
    assert rg.mocap.motion(path, rec, cutoff=None).q == pytest.approx(q, abs=1e-9)


def test_gaps(tmp_path):
    rec, q = moved(arm(tmp_path), **MOTION)
    tracks = {label: x.copy() for label, x in rec.markers.items()}
    tracks["C"][5:9] = np.nan
    tracks["E"][20:40], tracks["F"][20:40] = np.nan, np.nan
    found = rg.mocap.motion(arm(tmp_path), Recording("arm.trc", T, markers=tracks), cutoff=None)
    assert np.isnan(found.q[20:40]).any(axis=1).all()
    assert found.q[:20] == pytest.approx(q[:20], abs=1e-9)
    assert any("too few markers in 20 of 61 frames" in note for note in found.notes)
    assert np.isnan(found.residuals["C"][5:9]).all()


def test_weights(tmp_path):
    rec, q = moved(arm(tmp_path), **MOTION)
    tracks = {**rec.markers, "F": rec.markers["F"] + np.array([0.02, 0.0, 0.01])}
    wrong = Recording("arm.trc", T, markers=tracks)
    assert abs(rg.mocap.motion(arm(tmp_path), wrong, cutoff=None).q - q).max() > 0.01
    found = rg.mocap.motion(arm(tmp_path), wrong, cutoff=None, weights={"F": 0.0})
    assert found.q == pytest.approx(q, abs=1e-9)
    assert found.residuals["F"] == pytest.approx(np.full(len(T), np.hypot(0.02, 0.01)))
    with pytest.raises(ModelError, match="weights: 'G' is no marker"):
        rg.mocap.motion(arm(tmp_path), wrong, weights={"G": 1.0})


def test_no_marker_fits(tmp_path):
    rec, _ = moved(arm(tmp_path), **MOTION)
    with pytest.raises(ModelError, match="has no marker of the model 'small': it has 'x'"):
        rg.mocap.motion(arm(tmp_path), Recording("x.trc", T, markers={"x": rec.markers["A"]}))
    hidden = {label: np.full((len(T), 3), np.nan) for label in rec.markers}
    with pytest.raises(ModelError, match="there is no marker to follow"):
        rg.mocap.motion(arm(tmp_path), Recording("x.trc", T, markers=hidden))


# --- recordings ---------------------------------------------------------------------------------------------------------

WALKS = {
    "gait10dof18musc": ("subject01.osim", "subject01_walk.trc", "subject01_walk_IK.mot"),
    "gait2354": ("subject01_simbody.osim", "subject01_walk1.trc", "subject01_walk1_ik.mot"),
}


def opensims(shared_data, folder):
    """Times, and angles in degrees by name, of OpenSim's inverse kinematics."""
    table = read_storage(shared_data(f"mocap/{folder}/{WALKS[folder][2]}"))
    return table.t, table.columns


@pytest.mark.parametrize("folder", WALKS)
def test_beside_opensims_own(shared_data, folder):
    """OpenSim had weights of its own: with equal ones the shoulders, missed by 7 cm, tilt the pelvis; the rest is near."""
    model, markers, _ = (shared_data(f"mocap/{folder}/{name}") for name in WALKS[folder])
    t, angles = opensims(shared_data, folder)
    found = rg.mocap.motion(model, markers, cutoff=None)
    rows = np.searchsorted(found.t, t - 1e-6)
    for side in ("r", "l"):
        for name, most in ((f"knee_angle_{side}", 3.0), (f"ankle_angle_{side}", 3.0), (f"hip_flexion_{side}", 10.0)):
            own = np.degrees(found.q[rows][:, found.mech.q_slice(name)].ravel())
            assert np.sqrt(np.mean((own - angles[name]) ** 2)) < most, name
            assert np.std(own - angles[name]) < 2.0, name
            assert np.corrcoef(own, angles[name])[0, 1] > 0.97, name
    heavier = rg.mocap.motion(model, markers, cutoff=None, weights={"R.Acromium": 0.0, "L.Acromium": 0.0})
    for name in ("pelvis_tilt", "hip_flexion_r", "hip_flexion_l"):
        own = np.degrees(heavier.q[rows][:, heavier.mech.q_slice(name)].ravel())
        assert np.sqrt(np.mean((own - angles[name]) ** 2)) < 4.0, name


def flexion(motion, joint):
    return -np.degrees(Rotation.from_quat(motion.q[:, motion.mech.q_slice(joint)], scalar_first=True).as_euler("YXZ")[:, 0])


@pytest.mark.parametrize(("folder", "ankle"), [("gait2354", 0.97), ("gait10dof18musc", 0.92)])
def test_a_body_from_markers_alone_beside_opensims_model(shared_data, folder, ankle):
    """The recording has no marker at knees or ankles. The model of 10 coordinates is planar: its ankles bear what is not."""
    rec = rg.mocap.load(shared_data(f"mocap/{folder}/{WALKS[folder][1]}"))
    motion = rg.mocap.body(rec, mass=72.6, cutoff=None)
    t, angles = opensims(shared_data, folder)
    rows = np.searchsorted(motion.t, t - 1e-6)
    for side in ("right", "left"):
        for joint, name, least in (("hip", "hip_flexion", 0.98), ("knee", "knee_angle", 0.98), ("ankle", "ankle_angle", ankle)):
            assert np.corrcoef(flexion(motion, f"{side}_{joint}")[rows], angles[f"{name}_{side[0]}"])[0, 1] > least, joint
    assert np.sqrt(np.mean(np.concatenate(list(motion.residuals.values())) ** 2)) < 0.004
    lengths = [np.linalg.norm(motion.mech.joints[f"{side}_knee"].parent_pose.translation) for side in ("left", "right")]
    assert lengths == pytest.approx([0.454, 0.454], abs=0.015)  # OpenSim's scaled thigh


def test_the_force_of_the_ground_from_markers_alone(shared_data):
    """No plate was asked: mass times acceleration, and the weight."""
    rec = rg.mocap.load(shared_data("mocap/gait10dof18musc/subject01_walk.trc"))
    motion = rg.mocap.body(rec, mass=72.6, height=1.8, sex="male", cutoff=6.0)
    forces = []
    for q, v, a in zip(motion.q, motion.v, motion.a, strict=True):
        state = motion.mech.state(q, v)
        wrench = rg.inverse_dynamics(motion.mech, state, a)[motion.mech.v_slice("root")]
        forces.append(rg.frame_pose(motion.mech, state, "pelvis").rotation @ wrench[:3])
    plates = read_storage(shared_data("mocap/gait10dof18musc/subject01_walk_grf.mot"))
    up, ahead = (
        np.interp(motion.t, plates.t, plates.columns[f"ground_force_{x}"] + plates.columns[f"1_ground_force_{x}"])
        for x in ("vy", "vx")
    )
    inner = slice(8, -8)
    found = np.array(forces)[inner]
    assert np.sqrt(np.mean((found[:, 2] - up[inner]) ** 2)) < 0.035 * 72.6 * 9.81
    assert np.corrcoef(found[:, 2], up[inner])[0, 1] > 0.97
    assert np.corrcoef(found[:, 0], ahead[inner])[0, 1] > 0.95


def test_a_walk_with_gaps_and_joint_centres(shared_data):
    rec = rg.mocap.load(shared_data("mocap/c3d/walking2.c3d"))
    motion = rg.mocap.body(rec, mass=75.0)
    whole = np.isfinite(motion.q).all(axis=1)
    assert 500 < whole.sum() < 700
    assert any("hips are the recorded hip centres" in note for note in motion.notes)
    assert any("no markers, or too few, show left upper arm" in note for note in motion.notes)
    centres = rec.markers["LKJC"]
    seen = np.flatnonzero(whole & np.isfinite(centres).all(axis=1))[::20]
    poses = [rg.body_poses(motion.mech, motion.mech.state(q=motion.q[k]))["left_shank"].translation for k in seen]
    assert np.linalg.norm(poses - centres[seen], axis=1).max() < 0.02
