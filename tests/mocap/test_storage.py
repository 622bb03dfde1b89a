"""MOT and STO files: tables as they are, and force plates by the names of their columns; what is refused."""

import numpy as np
import pytest
from own_files import assert_refused, random_recording

import regraft as rg
from regraft.mocap.formats.storage import read_storage, write_storage


def table(labels, rows, *, head=("own", "version=1", "inDegrees=no"), separator="\t", counts=True):
    counted = [f"nRows={len(rows)}", f"nColumns={len(labels)}"] if counts else []
    lines = [*head, *counted, "endheader", separator.join(labels), *(separator.join(map(str, row)) for row in rows), ""]
    return "\n".join(lines)


ROWS = [[0.0, 10.0, 0.5], [0.1, 20.0, 0.6], [0.2, -3e1, 0.7]]
LABELS = ["time", "knee_angle_r", "pelvis_tx"]


@pytest.fixture
def file(written):
    return lambda text, name="own.mot": written(text, name)


def told(rec, *words):
    return [note for note in rec.notes if all(word in note for word in words)]


@pytest.mark.parametrize(
    ("line", "flag", "words"),
    [
        ("inDegrees=yes", True, "degrees"),
        ("InDegrees = no", False, "radians"),
        ("Angles are in degrees.", True, "degrees"),
        ("", None, "not tell"),
    ],
)
def test_columns_keep_their_numbers_and_the_unit_of_angles_is_told(file, line, flag, words):
    path = file(table(LABELS, ROWS, head=("own", "version=1", line)))
    found = read_storage(path)
    assert found.name == "own"
    assert found.in_degrees is flag
    assert found.header["version"] == "1"
    np.testing.assert_array_equal(found.columns["knee_angle_r"], [10.0, 20.0, -30.0])
    rec = rg.mocap.load(path)
    assert rec.in_degrees is flag
    assert told(rec, words)
    np.testing.assert_array_equal(rec.columns["knee_angle_r"], [10.0, 20.0, -30.0])
    np.testing.assert_array_equal(rec.columns["pelvis_tx"], [0.5, 0.6, 0.7])
    np.testing.assert_array_equal(rec.t, [0.0, 0.1, 0.2])
    assert rec.plates == ()


@pytest.mark.parametrize("variant", ["blanks", "SIMM", "trailing tabs", "CRLF", "capital", "blank line"])
def test_variants_that_programs_write(file, variant):
    text = table(LABELS, ROWS)
    if variant == "blanks":
        text = table(LABELS, ROWS, separator="   ")
    elif variant == "SIMM":
        text = table(LABELS, ROWS, head=("name some motion", "datacolumns 3", "datarows 3", "range 0 0.2"), counts=False)
        assert read_storage(file(text)).name == "some motion"
    elif variant == "trailing tabs":
        text = "\n".join(line + "\t\t" for line in text.split("\n"))
    elif variant == "CRLF":
        text = text.replace("\n", "\r\n")
    elif variant == "capital":
        text = text.replace("time", "Time").replace("endheader", "EndHeader")
    else:
        text = text.replace("endheader", "\nUnits are S.I. units (second, meters, Newtons, ...)\n\nendheader\n")
    np.testing.assert_array_equal(rg.mocap.load(file(text)).columns["knee_angle_r"], [10.0, 20.0, -30.0])


NAMINGS = {
    "OpenSim, two": (["ground_force_v{}", "ground_force_p{}", "ground_torque_{}"], "ground_force"),
    "OpenSim, the other": (["1_ground_force_v{}", "1_ground_force_p{}", "1_ground_torque_{}"], "1_ground_force"),
    "by side, in front": (["R_ground_force_v{}", "R_ground_force_p{}", "R_ground_torque_{}"], "R_ground_force"),
    "by side, within": (["ground_force_r_v{}", "ground_force_r_p{}", "ground_moment_r_m{}"], "ground_force_r"),
    "by side, at the end": (["ground_force_v{}_l", "ground_force_p{}_l", "ground_torque_{}_l"], "ground_force_l"),
    "numbered": (["ground_force_1_v{}", "ground_force_1_p{}", "ground_force_1_m{}"], "ground_force_1"),
    "plates": (["FP2_v{}", "FP2_p{}", "FP2_m{}"], "FP2"),
}


@pytest.mark.parametrize("kind", NAMINGS)
def test_force_plates_are_known_by_the_names_of_their_columns(file, kind):
    patterns, name = NAMINGS[kind]
    labels = ["time", "knee", *(pattern.format(axis) for pattern in patterns for axis in "xyz")]
    rows = [[0.1 * k, 1.0, 3.0, 700.0, -20.0, 0.5, 0.01, 0.2, 0.0, 5.0, 0.1] for k in range(3)]
    rows[1][2:5] = [0, 0, 0]
    rec = rg.mocap.load(file(table(labels, rows)))
    assert list(rec.columns) == ["knee"]
    (plate,) = rec.plates
    assert plate.name == name
    np.testing.assert_allclose(plate.force[0], [3.0, 20.0, 700.0])
    np.testing.assert_allclose(plate.point[0], [0.5, -0.2, 0.01])
    np.testing.assert_allclose(plate.moment[0], [0.0, -0.1, 5.0])
    assert np.isnan(plate.point[1]).all()  # nothing is on it
    np.testing.assert_array_equal(plate.t, rec.t)
    assert told(rec, "y axis", "up=")
    assert told(rec, "metres", "scale=")


def test_plates_with_numbers_for_axes_in_millimetres_with_z_up(file):
    labels = ["time", *(f"{kind}{k}_{axis}" for k in (1, 2) for kind in "fpm" for axis in (1, 2, 3))]
    rows = [[0.1 * k, *([3.0, -20.0, 700.0, 918.0, 611.0, 0.0, 0.0, 0.0, 5000.0] * 2)] for k in range(3)]
    rec = rg.mocap.load(file(table(labels, rows), "own.sto"))
    assert [plate.name for plate in rec.plates] == ["plate1", "plate2"]
    np.testing.assert_allclose(rec.plates[1].force[0], [3.0, -20.0, 700.0])
    np.testing.assert_allclose(rec.plates[1].point[0], [0.918, 0.611, 0.0])
    np.testing.assert_allclose(rec.plates[1].moment[0], [0.0, 0.0, 5.0])
    assert told(rec, "z axis")
    assert told(rec, "millimetres")
    given = rg.mocap.load(file(table(labels, rows), "own.sto"), up="y", scale=1.0)
    np.testing.assert_allclose(given.plates[0].force[0], [3.0, -700.0, -20.0])
    np.testing.assert_allclose(given.plates[0].point[0], [918.0, 0.0, 611.0])


def test_columns_of_a_plate_that_are_missing_are_told(file):
    labels = ["time", "ground_force_vx", "ground_force_vy", "ground_force_vz", "ground_force_px", "2_ground_force_vy"]
    rec = rg.mocap.load(file(table(labels, [[0.0, 1, 2, 3, 4, 5], [0.1, 1, 2, 3, 4, 5]])))
    assert [plate.name for plate in rec.plates] == ["ground_force"]
    assert list(rec.columns) == ["2_ground_force_vy"]
    assert told(rec, "2_ground_force_vy", "no force plate")
    assert told(rec, "ground_force has no point y, z", "NaN")
    assert told(rec, "ground_force has no moment", "taken as 0")


def test_names_that_are_there_twice_are_two_plates(file):
    once = [f"ground_force_{kind}{axis}" for kind in "vp" for axis in "xyz"]
    rec = rg.mocap.load(file(table(["time", *once, *once], [[0.1 * k, *range(1, 13)] for k in range(2)])))
    assert [plate.name for plate in rec.plates] == ["ground_force", "ground_force_2"]
    assert told(rec, "ground_force_vx_2")


@pytest.mark.parametrize("up", ["x", "y", "z"])
@pytest.mark.parametrize("suffix", [".mot", ".sto"])
def test_what_is_written_is_read_again(tmp_path, up, suffix):
    for seed in range(4):
        rec = random_recording(seed)
        rec.save(tmp_path / f"own{suffix}", up=up)
        again = rg.mocap.load(tmp_path / f"own{suffix}", up=up, scale=1.0)
        assert again.in_degrees is False
        np.testing.assert_array_equal(again.t, rec.t)
        for name, column in rec.columns.items():
            np.testing.assert_array_equal(again.columns[name], column)
        assert [plate.name for plate in again.plates] == [plate.name for plate in rec.plates]
        for theirs, ours in zip(again.plates, rec.plates, strict=True):
            for kind in ("t", "force", "point", "moment"):
                np.testing.assert_allclose(getattr(theirs, kind), getattr(ours, kind), rtol=1e-15)


def test_plates_are_written_in_other_units(tmp_path):
    rec = random_recording(2)
    rec.save(tmp_path / "own.mot", scale=1e-3)
    table = read_storage(tmp_path / "own.mot")
    x, y, z = rec.plates[0].point[0]
    np.testing.assert_allclose([table.columns[f"ground_force_p{axis}"][0] for axis in "xyz"], [1e3 * x, 1e3 * z, -1e3 * y])
    np.testing.assert_allclose(table.columns["ground_torque_y"], 1e3 * rec.plates[0].moment[:, 2])
    np.testing.assert_allclose(table.columns["ground_force_vy"], rec.plates[0].force[:, 2])


def test_a_table_is_written_with_all_digits(tmp_path):
    t, x = np.array([0.0, 1 / 3]), np.array([np.pi, np.nan])
    write_storage(tmp_path / "own.sto", "two\nlines", t, {"x": x}, in_degrees=True)
    again = read_storage(tmp_path / "own.sto")
    assert again.name == "two lines"
    assert again.in_degrees is True
    np.testing.assert_array_equal(again.t, t)
    np.testing.assert_array_equal(again.columns["x"], x)
    assert [note for note in again.notes if "NaN" in note and "'x'" in note]
    for columns in ({"x": np.zeros(3)}, {"a\tb": t}, {" ": t}):
        with pytest.raises(rg.ModelError, match="column"):
            write_storage(tmp_path / "no.sto", "own", t, columns)
    assert not (tmp_path / "no.sto").exists()


def test_what_cannot_be_one_table_is_not_written(tmp_path):
    rec = random_recording(0)
    with pytest.raises(rg.ModelError, match="no columns"):
        rg.mocap.Recording("", rec.t).save(tmp_path / "no.mot")
    other = rg.mocap.Recording("", rec.t, columns=rec.columns, plates=(rec.plates[0]._replace(t=rec.t + 1),))
    with pytest.raises(rg.ModelError, match="one column of times"):
        other.save(tmp_path / "no.mot")
    same = rg.mocap.Recording("", rec.t, columns={"ground_force_vx": rec.t}, plates=rec.plates)
    with pytest.raises(rg.ModelError, match="'ground_force_vx'"):
        same.save(tmp_path / "no.mot")
    assert not list(tmp_path.iterdir())


GOOD = table(LABELS, ROWS)
DAMAGED = {
    "empty": ("", ["empty"]),
    "another kind": ("HIERARCHY\nROOT a\n", ["line 1", "endheader"]),
    "binary": (b"own\nendheader\n\x00", ["line 3", "no text"]),
    "cut after the header": (GOOD[: GOOD.index("time")], ["line 6", "cut off"]),
    "no rows": (table(LABELS, []), ["no row"]),
    "cut off": (GOOD[: GOOD.index("0.2")], ["line 9", "2 rows", "3", "line 4"]),
    "cut in a row": (GOOD[: GOOD.rindex("\t")], ["line 10", "2 values, not 3"]),
    "columns": (GOOD.replace("nColumns=3", "nColumns=4"), ["line 7", "3 names", "line 5"]),
    "rows no number": (GOOD.replace("nRows=3", "nRows=three"), ["line 4", "'three'"]),
    "no time": (GOOD.replace("time", "knee"), ["line 7", "'knee'"]),
    "only time": ("endheader\ntime\n0\n", ["line 2", "no column"]),
    "time backwards": (GOOD.replace("0.2\t", "0.1\t"), ["line 10", "not after"]),
    "time missing": (GOOD.replace("0.2\t", "nan\t"), ["line 10", "time"]),
    "a word": (GOOD.replace("20.0", "much"), ["line 9", "value 2", "'much'"]),
    "degrees": (GOOD.replace("inDegrees=no", "inDegrees=maybe"), ["line 3", "'maybe'"]),
    "vectors": (GOOD.replace("version=1", "DataType=Vec3"), ["line 2", "'Vec3'"]),
    "huge": (GOOD.replace("20.0", "1e300"), ["line 9", "number 2"]),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_refused_with_its_line(file, kind):
    text, words = DAMAGED[kind]
    path = file(text)
    assert_refused(path, [str(path), *words])


def test_more_rows_than_declared_are_read_and_told(file):
    rec = rg.mocap.load(file(GOOD.replace("nRows=3", "nRows=2")))
    assert len(rec) == 3
    assert told(rec, "2 rows", "has 3")


def test_options_for_plates_are_refused_where_there_are_none(file):
    with pytest.raises(rg.ModelError, match="force plates"):
        rg.mocap.load(file(GOOD), up="y")


@pytest.mark.parametrize("folder", ["gait10dof18musc/subject01_walk", "gait2354/subject01_walk1"])
def test_plates_of_a_real_walk(shared_data, folder):
    rec = rg.mocap.load(shared_data(f"mocap/{folder}_grf.mot"))
    assert len(rec) == 1501
    assert [plate.name for plate in rec.plates] == ["ground_force", "1_ground_force"]
    assert not rec.columns
    np.testing.assert_allclose(rec.plates[0].force[0], [101.5119767, 47.44870554, 745.4661142])
    np.testing.assert_allclose(rec.plates[0].point[0], [0.37898285, -0.12774652, -0.0075])
    np.testing.assert_allclose(rec.plates[0].moment[0], [0.0, 0.0, 13.53783445])
    total = sum(plate.force for plate in rec.plates)
    assert total[:, 2].mean() == pytest.approx(72.6 * 9.81, rel=0.03)


def test_coordinates_of_real_walks(shared_data):
    table = read_storage(shared_data("mocap/gait10dof18musc/subject01_walk_IK.mot"))
    assert (table.name, len(table.t), len(table.columns), table.in_degrees) == ("Coordinates", 151, 10, True)
    assert table.columns["pelvis_tilt"][0] == 10.32995988
    assert read_storage(shared_data("mocap/gait2354/subject01_walk1_ik.mot")).t[0] == 0.4
    assert read_storage(shared_data("mocap/arm26/arm26_InverseKinematics.mot")).in_degrees is None
    moments = read_storage(shared_data("mocap/gait10dof18musc/subject01_walk_ID.sto"))
    assert moments.in_degrees is False
    assert moments.columns["ankle_angle_r_moment"][0] == -122.88720153


def test_plates_of_a_real_walk_in_millimetres(shared_data):
    rec = rg.mocap.load(shared_data("mocap/c3d/std_walking2_grfs.sto"))
    assert [plate.name for plate in rec.plates] == ["plate1", "plate2"]
    assert len(rec) == 101
    np.testing.assert_allclose(rec.plates[0].point[0], [0.91859997559, 0.6110949707, 0.0])
    assert 700 < rec.plates[0].force[:, 2].max() < 1000
    assert told(rec, "z axis")
