"""Coordinates over time and external loads of OpenSim: own files with known answers, and OpenSim's own inverse dynamics."""

import csv

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import regraft as rg
from mocap.osim_files import Model, Part, axis, linear, spline
from mocap.test_osim import LEG
from regraft.errors import FileError, ModelError
from regraft.mocap.bases import free_base
from regraft.mocap.external_loads import read_external_loads
from regraft.mocap.formats.storage import read_storage, write_storage
from regraft.mocap.opensim_motion import motion

T = np.linspace(0.0, 1.0, 51)
PARTS = [
    Part(
        "cart",
        "ground",
        "CustomJoint",
        "base",
        ("way", "turn"),
        mass=3.0,
        about="<default_value>0.25</default_value>",
        axes=axis("translation1", "1 0 0", "way", linear()) + axis("rotation1", "0 0 1", "turn", linear()),
    ),
    Part(
        "arm_r",
        "cart",
        "CustomJoint",
        "elbow_r",
        ("bend",),
        mass=1.0,
        axes=axis("rotation1", "0 0 1", "bend", spline("-2 0 1 2", "-2 0 1 2.5")),
    ),
]
LOADS = """<OpenSimDocument Version="30000"><ExternalLoads name="x"><objects>
<ExternalForce name="right"><applied_to_body>arm_r</applied_to_body><force_expressed_in_body>ground</force_expressed_in_body>
<point_expressed_in_body>ground</point_expressed_in_body><force_identifier>f_v</force_identifier>
<point_identifier>f_p</point_identifier><torque_identifier>f_t</torque_identifier></ExternalForce>
</objects><datafile>forces.mot</datafile></ExternalLoads></OpenSimDocument>"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.osim"
    path.write_text(Model(PARTS).new())
    return path


def table(tmp_path, columns, in_degrees=True, t=T):
    path = tmp_path / "ik.mot"
    write_storage(path, "ik", t, columns, in_degrees)
    return path


def test_only_rotations_are_in_degrees(tmp_path, model):
    found = motion(model, table(tmp_path, {"way": 2.0 * T, "turn": 90.0 * T, "bend": T}), cutoff=None)
    assert found.q[-1] == pytest.approx([2.0, np.pi / 2, 1.0])
    assert found.v[25] == pytest.approx([2.0, np.pi / 2, 1.0], abs=1e-9)
    assert found.a == pytest.approx(np.zeros((51, 3)), abs=1e-6)
    assert found.raw is None
    assert found.cutoff is None
    assert found.joints == {"right_elbow": ("bend",)}


def test_radians_stay(tmp_path, model):
    assert motion(model, table(tmp_path, {"turn": T}, False), cutoff=None).q[-1, 1] == pytest.approx(1.0)


def test_a_file_that_does_not_say_its_unit(tmp_path, model):
    small = table(tmp_path, {"turn": T}, None)
    found = motion(model, small, cutoff=None)
    assert found.q[-1, 1] == pytest.approx(1.0)
    assert any("radians are taken" in note for note in found.notes)
    assert motion(model, small, cutoff=None, degrees=True).q[-1, 1] == pytest.approx(np.pi / 180)
    large = motion(model, table(tmp_path, {"turn": 90 * T}, None), cutoff=None)
    assert large.q[-1, 1] == pytest.approx(np.pi / 2)
    assert any("degrees are taken" in note for note in large.notes)


def test_missing_coordinates_and_unknown_columns_are_told(tmp_path, model):
    found = motion(model, table(tmp_path, {"turn": T, "heel_tx": T}), cutoff=None)
    assert found.q[:, 0] == pytest.approx(0.25)
    assert any("'way' (0.25)" in note and "'bend'" in note for note in found.notes)
    assert any("'heel_tx'" in note for note in found.notes)


def test_paths_of_states_are_understood(tmp_path, model):
    columns = {"/jointset/base/turn/value": 2 * T, "/jointset/base/turn/speed": T}
    assert motion(model, table(tmp_path, columns, False), cutoff=None).q[-1, 1] == pytest.approx(2.0)


def test_the_filter_is_told(tmp_path, model):
    noisy = np.sin(2 * np.pi * T) + 0.1 * np.sin(2 * np.pi * 20 * T)
    found = motion(model, table(tmp_path, {"way": noisy}), cutoff=6.0)
    assert found.raw[:, 0] == pytest.approx(noisy)
    assert found.q[10:-10, 0] == pytest.approx(np.sin(2 * np.pi * T)[10:-10], abs=0.02)
    assert found.cutoff == 6.0


def test_columns_that_are_none_of_the_model(tmp_path, model):
    with pytest.raises(FileError, match=r"no coordinate of the model.*'knee'.*'way'"):
        motion(model, table(tmp_path, {"knee": T}))


def test_a_cut_off_above_the_nyquist_frequency(tmp_path, model):
    with pytest.raises(ModelError, match="30"):
        motion(model, table(tmp_path, {"turn": T}), cutoff=30.0)


def lowest(found):
    foot = found.feet["right"]
    names = (foot.heel, *foot.ball, foot.toe)
    return min(rg.frame_position(found.mech, found.mech.state(q=q), name)[2] for q in found.q for name in names)


def test_soles_are_where_the_feet_stand(tmp_path):
    path = tmp_path / "leg.osim"
    path.write_text(LEG.new())
    standing = table(tmp_path, {"ty": 1.0 + 0 * T}, False)
    as_read = motion(path, standing, cutoff=None, ground=None)
    gap = lowest(as_read)
    found = motion(path, standing, cutoff=None, ground=gap - 0.03)
    assert lowest(found) == pytest.approx(gap - 0.03)
    assert any("right foot is taken 30 mm lower" in note for note in found.notes)
    assert found.mech.joints == as_read.mech.joints
    assert set(found.mech.frames) == set(as_read.mech.frames)
    far = motion(path, standing, cutoff=None, ground=gap - 0.5)
    assert lowest(far) == pytest.approx(gap)
    assert any("no nearer than 500 mm" in note for note in far.notes)


# --- external loads --------------------------------------------------------------------------------------------------


def loads(tmp_path, text=LOADS, **changed):
    force, point, torque = np.array([1.0, 700.0, 3.0]), np.array([0.2, 0.0, 0.1]), np.array([0.0, 5.0, 0.0])
    values = {
        **{f"f_v{x}": force[i] + 0 * T for i, x in enumerate("xyz")},
        **{f"f_p{x}": point[i] + 0 * T for i, x in enumerate("xyz")},
        **{f"f_t{x}": torque[i] + 0 * T for i, x in enumerate("xyz")},
        **changed,
    }
    write_storage(tmp_path / "forces.mot", "forces", T, {name: column for name, column in values.items() if column is not None})
    (tmp_path / "loads.xml").write_text(text)
    return read_external_loads(tmp_path / "loads.xml")


def test_external_loads_are_turned_up(tmp_path):
    (load,), notes = loads(tmp_path)
    assert (load.name, load.body) == ("right", "arm_r")
    assert load.force[0] == pytest.approx([1.0, -3.0, 700.0])
    assert load.point[0] == pytest.approx([0.2, -0.1, 0.0])
    wrench = load.wrenches([0.5], [[0.0, -0.1, 0.0]])[0]
    assert wrench == pytest.approx([0.0, -140.0, 5.0 - 0.6, 1.0, -3.0, 700.0])
    assert notes == ()


def test_where_nothing_acts_there_is_no_point(tmp_path):
    off = np.where(T < 0.5, 0.0, 1.0)
    (load,), _ = loads(tmp_path, f_vx=0 * T, f_vy=700 * off, f_vz=0 * T)
    assert np.isnan(load.plate.point[0]).all()
    assert load.plate.point[-1] == pytest.approx([0.2, -0.1, 0.0])


def test_times_outside_of_the_data_are_an_error(tmp_path):
    (load,), _ = loads(tmp_path)
    with pytest.raises(ModelError, match="from 0 s to 1 s"):
        load.wrenches([3.0], np.zeros((1, 3)))


def test_loads_that_are_switched_off_are_told(tmp_path):
    found, notes = loads(tmp_path, LOADS.replace("<applied_to_body>", "<isDisabled>true</isDisabled><applied_to_body>"))
    assert found == ()
    assert any("'right'" in note for note in notes)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("forces.mot", "elsewhere.mot"), "elsewhere.mot"),
        (("<datafile>forces.mot</datafile>", ""), "no <datafile>"),
        (("f_v<", "g_v<"), "'g_v'"),
        (("<point_identifier>f_p", "<point_identifier>"), "point_identifier"),
        (("<force_expressed_in_body>ground", "<force_expressed_in_body>arm_r"), "'arm_r'"),
        (("<applied_to_body>arm_r", "<applied_to_body>"), "applied_to_body"),
        (("ExternalLoads", "InverseDynamicsTool"), "ExternalLoads"),
        (("ExternalForce", "Force"), "ExternalForce"),
    ],
)
def test_bad_external_loads(tmp_path, change, reason):
    with pytest.raises(FileError, match=reason):
        loads(tmp_path, LOADS.replace(*change))


# --- OpenSim's own results -------------------------------------------------------------------------------------------

WALK = "mocap/gait10dof18musc"


def inverse_dynamics(mech, q, v, a, wrenches=None):
    states = [mech.state(q=x, v=y) for x, y in zip(q, v, strict=True)]
    pushes = wrenches(states) if wrenches else [None] * len(states)
    return np.array([rg.inverse_dynamics(mech, state, x, push) for state, x, push in zip(states, a, pushes, strict=True)])


def pushes_of(mech, external, t):
    def at(states):
        places = [rg.body_poses(mech, state) for state in states]
        found = {load.body: load.wrenches(t, [place[load.body].translation for place in places]) for load in external}
        return [{body: rows[k] for body, rows in found.items()} for k in range(len(states))]

    return at


def generalised(path, names):
    found = read_storage(path)
    columns = [next(found.columns[key] for key in (f"{name}_moment", f"{name}_force") if key in found.columns) for name in names]
    return found.t, np.stack(columns, axis=1)


def given_kinematics(path, names, t):
    """q, u and u̇ that OpenSim used; its results are half a microsecond earlier than the table."""
    rows = list(csv.reader(path.read_text().splitlines()))
    values = np.array(rows[1:], float)
    numbers = CubicSpline(values[:, 0], values[:, 1:])(t)
    return [numbers[:, [rows[0].index(f"{name}_{kind}") - 1 for name in names]] for kind in ("q", "u", "udot")]


@pytest.mark.parametrize("plates", [True, False])
def test_the_given_kinematics_of_a_walk_need_opensims_forces(shared_data, plates):
    read = rg.mocap.read_osim(shared_data(f"{WALK}/subject01.osim"))
    t, wanted = generalised(
        shared_data(f"{WALK}/opensim46_id_gait10dof18musc_lp6{'' if plates else '_nogrf'}.sto"), read.coordinates
    )
    q, v, a = given_kinematics(shared_data(f"{WALK}/opensim46_kinematics_gait10dof18musc_lp6.csv"), read.coordinates, t)
    external, _ = read_external_loads(shared_data(f"{WALK}/subject01_walk_grf.xml"))
    found = inverse_dynamics(read.mech, q, v, a, pushes_of(read.mech, external, t) if plates else None)
    assert found == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize(
    ("folder", "names", "bound"),
    [
        (
            "gait10dof18musc",
            ("subject01.osim", "subject01_walk_IK.mot", "subject01_walk_grf.xml", "opensim46_id_gait10dof18musc_lp6.sto"),
            0.1,
        ),
        ("arm26", ("arm26.osim", "arm26_InverseKinematics.mot", None, "std_arm26_InverseDynamics.sto"), 0.02),
    ],
)
def test_recorded_coordinates_with_our_filter_need_opensims_forces(shared_data, folder, names, bound):
    model, coordinates, plates, result = (name and shared_data(f"mocap/{folder}/{name}") for name in names)
    found = motion(model, coordinates, cutoff=6.0)
    external = read_external_loads(plates)[0] if plates else ()
    moving = [name for name, where in found.mech.layout.v_slices.items() if where.stop > where.start]
    _, wanted = generalised(result, moving)
    forces = inverse_dynamics(found.mech, found.q, found.v, found.a, pushes_of(found.mech, external, found.t))
    assert np.sqrt(((forces - wanted) ** 2).mean(axis=0)).max() < 0.2 * bound
    assert forces == pytest.approx(wanted, abs=bound)


def test_a_free_base_changes_no_moment(shared_data):
    walk = motion(shared_data("mocap/gait2354/subject01_simbody.osim"), shared_data("mocap/gait2354/subject01_walk1_ik.mot"))
    free = free_base(walk)
    frames = slice(None, None, 12)
    before = inverse_dynamics(walk.mech, walk.q[frames], walk.v[frames], walk.a[frames])
    after = inverse_dynamics(free.mech, free.q[frames], free.v[frames], free.a[frames])
    for name in ("hip_flexion_r", "knee_angle_l", "subtalar_angle_r", "lumbar_rotation"):
        assert after[:, free.mech.v_slice(name)] == pytest.approx(before[:, walk.mech.v_slice(name)], abs=1e-8)
