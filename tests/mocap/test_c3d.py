"""C3D files: own ones with known answers, damaged ones, and OpenSim's reading of a real one."""

import numpy as np
import pytest

import regraft as rg
from regraft.errors import FileError
from regraft.mocap.formats.c3d import read_c3d
from regraft.mocap.formats.c3d_checks import check_c3d
from regraft.mocap.formats.c3d_plates import plate_axes
from regraft.mocap.formats.storage import read_storage

ezc3d = pytest.importorskip("ezc3d", reason="needs ezc3d: pip install 'regraft[c3d]'")

RATE, SAMPLES, FRAMES = 100.0, 10, 8
CORNERS = np.array([[0.5, 0.6, 0.0], [0.0, 0.6, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])[[1, 0, 3, 2]]  # z of the plate is down
FORCE = np.array([30.0, -50.0, 700.0])
POINT = np.array([0.31, 0.22, 0.0])
TWIST = 4.0
ORIGIN = {1: (0.0, 0.0, 0.0), 2: (0.001, -0.002, -0.04), 3: (0.12, 0.2, -0.05), 4: (0.001, -0.002, -0.04)}
MATRIX = np.diag([10.0, 11.0, 12.0, 1300.0, 1400.0, 1500.0]) + 0.5


def channels_of(kind, force=FORCE, point=POINT, twist=TWIST):
    """What a plate of a type measures, in newtons and millimetres, when the ground pushes like this."""
    axes, middle = plate_axes(CORNERS)
    f, p, m = axes.T @ force, 1000.0 * axes.T @ (point - middle), 1000.0 * np.array([0, 0, axes[2, 2] * twist])
    sensor = -1000.0 * np.array(ORIGIN[kind]) * ([0, 0, 1] if kind == 3 else 1)
    moment = m + np.cross(p - sensor, f)
    if kind == 1:
        return np.array([*f, p[0], p[1], m[2]])
    if kind == 2:
        return np.array([*f, *moment])
    if kind == 4:
        return np.linalg.solve(MATRIX, np.array([*f, *moment]))
    a, b = 1000.0 * np.array(ORIGIN[3][:2])
    rows = [[1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, b, b, -b, -b],
            [0, 0, 0, 0, -a, a, a, -a], [-b, b, a, -a, 0, 0, 0, 0]]  # fmt: skip
    return np.linalg.lstsq(np.array(rows), np.array([*f, *moment]), rcond=None)[0]


def written(path, kinds=(2,), channels=None, labels=("heel ", "toe"), units="mm", **more):
    """A C3D file with two markers and plates that are loaded in the second half."""
    c3d = ezc3d.c3d()
    c3d["parameters"]["POINT"]["RATE"]["value"] = [RATE]
    c3d["parameters"]["POINT"]["LABELS"]["value"] = list(labels)
    c3d["parameters"]["POINT"]["UNITS"]["value"] = [units]
    points = np.ones((4, len(labels), FRAMES))
    points[:3] = 1000.0 * np.arange(1, 1 + 3 * len(labels) * FRAMES).reshape(3, len(labels), FRAMES) / 100.0
    c3d["data"]["points"] = points
    if kinds:
        loads = [channels_of(kind) if channels is None else channels for kind in kinds]
        values = np.concatenate(loads)[:, None] * np.ones((1, FRAMES * SAMPLES))
        values[:, : FRAMES * SAMPLES // 2] = 0.0
        count = len(values)
        c3d["parameters"]["ANALOG"]["RATE"]["value"] = [RATE * SAMPLES]
        c3d["parameters"]["ANALOG"]["LABELS"]["value"] = [f"c{i}" for i in range(count)]
        c3d["parameters"]["ANALOG"]["UNITS"]["value"] = ["V"] * count
        c3d["data"]["analogs"] = values[None]
        place(c3d, kinds, [len(load) for load in loads], **more)
    c3d.write(str(path))
    return path


def place(c3d, kinds, counts, corners=CORNERS, **more):
    most = max(counts)
    numbers = np.zeros((most, len(kinds)))
    for i, count in enumerate(counts):
        numbers[:count, i] = 1 + sum(counts[:i]) + np.arange(count)
    group = {
        "USED": [len(kinds)],
        "TYPE": list(kinds),
        "ZERO": [0, 0],
        "CORNERS": np.repeat(1000.0 * corners.T[..., None], len(kinds), axis=2),
        "ORIGIN": 1000.0 * np.array([ORIGIN.get(kind, (0, 0, 0)) for kind in kinds]).T,
        "CHANNEL": numbers,
        "CAL_MATRIX": np.repeat(MATRIX[..., None], len(kinds), axis=2),
        **more,
    }
    for name, value in group.items():
        c3d.add_parameter("FORCE_PLATFORM", name, value)
        if name in ("USED", "TYPE", "CHANNEL"):
            c3d["parameters"]["FORCE_PLATFORM"][name]["type"] = 2


def test_markers_are_in_metres_at_their_instants(tmp_path):
    rec = rg.mocap.load(written(tmp_path / "walk.c3d", kinds=()))
    assert list(rec.markers) == ["heel", "toe"]
    assert rec.t == pytest.approx(np.arange(FRAMES) / RATE)
    assert rec.markers["toe"][0] == pytest.approx([0.09, 0.25, 0.41])
    assert any("mm" in note for note in rec.notes)
    assert not rec.plates
    assert not rec.analogs


@pytest.mark.parametrize(("units", "metres"), [("mm", 0.001), ("m", 1.0), ("cm", 0.01), ("parsec", 0.001)])
def test_units_of_length_are_told(tmp_path, units, metres):
    rec = read_c3d(written(tmp_path / "walk.c3d", kinds=(), units=units))
    assert rec.markers["heel"][0, 0] == pytest.approx(10.0 * metres)
    assert any(repr(units) in note or f"in {units}" in note for note in rec.notes)
    assert read_c3d(tmp_path / "walk.c3d", scale=2.0).markers["heel"][0, 0] == pytest.approx(20.0)


def test_the_upward_axis_can_be_given(tmp_path):
    path = written(tmp_path / "walk.c3d", kinds=())
    x, y, z = read_c3d(path, up="z").markers["heel"][0]
    assert read_c3d(path, up="y").markers["heel"][0] == pytest.approx([x, -z, y])


def test_points_that_were_not_seen_are_nan(tmp_path):
    path = written(tmp_path / "walk.c3d", kinds=())
    c3d = ezc3d.c3d(str(path))
    c3d["data"]["points"][:3, 0, 2] = np.nan
    c3d["data"]["points"][:3, 1, 3] = 0.0
    c3d["data"]["meta_points"]["residuals"][0, 1, 4] = -1.0
    c3d.write(str(path))
    rec = read_c3d(path)
    assert np.flatnonzero(np.isnan(rec.markers["heel"]).all(axis=1)).tolist() == [2]
    assert np.flatnonzero(np.isnan(rec.markers["toe"]).all(axis=1)).tolist() == [3, 4]


def test_labels_that_are_blank_or_there_twice_get_numbers(tmp_path):
    rec = read_c3d(written(tmp_path / "walk.c3d", kinds=(), labels=("toe", "toe  ", " ")))
    assert len(rec.markers) == 3
    assert "toe" in rec.markers
    assert any("'toe'" in note for note in rec.notes)


def test_computed_points_are_no_markers(tmp_path):
    path = written(tmp_path / "walk.c3d", kinds=(), labels=("toe", "RKneeAngles"))
    c3d = ezc3d.c3d(str(path))
    c3d.add_parameter("POINT", "ANGLES", ["RKneeAngles"])
    c3d.write(str(path))
    rec = read_c3d(path)
    assert list(rec.markers) == ["toe"]
    assert any("RKneeAngles" in note for note in rec.notes)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_a_plate_gives_the_force_on_the_body_where_it_acts(tmp_path, kind):
    rec = read_c3d(written(tmp_path / "walk.c3d", kinds=(2, kind)), up="z")
    assert len(rec.analog_t) == FRAMES * SAMPLES
    plate = rec.plates[1]
    assert plate.t == pytest.approx(np.arange(FRAMES * SAMPLES) / (RATE * SAMPLES))
    half = FRAMES * SAMPLES // 2
    assert np.isnan(plate.point[:half]).all()
    assert not plate.force[:half].any()
    assert plate.force[half:] == pytest.approx(np.tile(FORCE, (half, 1)), rel=1e-5)
    assert plate.point[half:] == pytest.approx(np.tile(POINT, (half, 1)), abs=1e-6)
    assert plate.moment[half:] == pytest.approx(np.tile([0, 0, TWIST], (half, 1)), abs=1e-4)
    assert plate.corners == pytest.approx(CORNERS)


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_plates_agree_with_what_ezc3d_makes_of_them(tmp_path, kind):
    path = written(tmp_path / "walk.c3d", kinds=(kind,))
    plate = read_c3d(path, up="z").plates[0]
    other = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"][0]
    assert plate.force[-1] == pytest.approx(other["force"][:, -1], rel=1e-6)
    assert plate.point[-1] == pytest.approx(other["center_of_pressure"][:, -1] / 1000, abs=1e-7)
    assert plate.moment[-1] == pytest.approx(other["Tz"][:, -1] / 1000, abs=1e-5)


def test_plates_turn_with_the_axes(tmp_path):
    plate = read_c3d(written(tmp_path / "walk.c3d"), up="z").plates[0]
    x, y, z = plate.force[-1]
    turned = CORNERS[:, [0, 2, 1]] * [1, 1, -1]  # the same laboratory with y up
    path = written(tmp_path / "other.c3d", corners=turned)
    other = read_c3d(path, up="y").plates[0]
    assert other.force[-1] == pytest.approx([x, y, z], rel=1e-6)
    assert other.point[-1] == pytest.approx(plate.point[-1], abs=1e-9)


def test_the_force_on_the_plate_gets_the_other_sign(tmp_path):
    rec = read_c3d(written(tmp_path / "walk.c3d", channels=-channels_of(2)), up="z")
    assert rec.plates[0].force[-1] == pytest.approx(FORCE, rel=1e-5)
    assert rec.plates[0].point[-1] == pytest.approx(POINT, abs=1e-6)
    assert rec.plates[0].moment[-1] == pytest.approx([0, 0, TWIST], abs=1e-4)
    assert any("sign is changed" in note for note in rec.notes)


def test_an_origin_above_the_surface_is_turned_round_and_told(tmp_path):
    rec = read_c3d(written(tmp_path / "walk.c3d", ORIGIN=-1000.0 * np.array([ORIGIN[2]]).T), up="z")
    assert rec.plates[0].point[-1] == pytest.approx(POINT, abs=1e-6)
    assert any("other sign" in note for note in rec.notes)


def test_plates_of_other_types_are_left_out_and_told(tmp_path):
    rec = read_c3d(written(tmp_path / "walk.c3d", channels=channels_of(2), TYPE=[7]))
    assert not rec.plates
    assert any("plate1" in note and "7" in note for note in rec.notes)


def test_a_centre_of_pressure_beside_the_plate_is_told(tmp_path):
    far = channels_of(2, point=POINT + np.array([1.0, 0, 0]))
    assert any("outside" in note for note in read_c3d(written(tmp_path / "walk.c3d", channels=far), up="z").notes)


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"CHANNEL": np.array([[1.0, 2, 3, 4, 5, 60]]).T}, "CHANNEL"),
        ({"CORNERS": np.zeros((3, 4, 1))}, "CORNERS"),
        ({"CORNERS": np.zeros((3, 3, 1))}, "CORNERS"),
        ({"ORIGIN": np.zeros((2, 1))}, "ORIGIN"),
    ],
)
def test_plates_that_lack_something_are_errors(tmp_path, more, word):
    with pytest.raises(FileError, match=word):
        read_c3d(written(tmp_path / "walk.c3d", **more))


def test_files_that_are_none(tmp_path):
    for content in (b"", b"c3d", b"HIERARCHY\nROOT Hips\n" * 100):
        (tmp_path / "x.c3d").write_bytes(content)
        with pytest.raises(FileError, match=r"x\.c3d"):
            rg.mocap.load(tmp_path / "x.c3d")
    with pytest.raises(FileError, match="nowhere"):
        rg.mocap.load(tmp_path / "nowhere.c3d")


def test_a_file_that_was_cut_off_is_an_error_wherever_it_ends(tmp_path):
    data = written(tmp_path / "walk.c3d").read_bytes()
    end = int.from_bytes(data[16:18], "little") * 512 - 512 + FRAMES * 4 * (4 * 2 + 6 * SAMPLES)
    for length in (*range(0, end, 251), end - 1):
        (tmp_path / "cut.c3d").write_bytes(data[:length])
        with pytest.raises(FileError, match=r"cut\.c3d"):
            read_c3d(tmp_path / "cut.c3d")
    (tmp_path / "cut.c3d").write_bytes(data[:end])
    assert len(read_c3d(tmp_path / "cut.c3d")) == FRAMES


def test_damaged_bytes_are_an_error_or_harmless(tmp_path):
    """Nothing but a FileError, and the process lives on."""
    data = written(tmp_path / "walk.c3d", kinds=(2, 3)).read_bytes()
    begin = int.from_bytes(data[16:18], "little") * 512 - 512
    rng, refused = np.random.default_rng(5), 0
    for _ in range(300):
        damaged = bytearray(data)
        for place in rng.integers(0, begin, rng.integers(1, 4)):
            damaged[place] = rng.choice([0, 1, 127, 128, 255, rng.integers(256)])
        (tmp_path / "damaged.c3d").write_bytes(damaged)
        try:
            read_c3d(tmp_path / "damaged.c3d")
        except FileError:
            refused += 1
    assert refused > 50


def test_blocks_are_named(tmp_path):
    data = bytearray(written(tmp_path / "walk.c3d").read_bytes())
    data[512 + 3] = 7
    (tmp_path / "walk.c3d").write_bytes(data)
    with pytest.raises(FileError, match="block 2: the kind of processor"):
        check_c3d(tmp_path / "walk.c3d")


def test_a_real_file_as_opensim_reads_it(shared_data):
    rec = rg.mocap.load(shared_data("mocap/c3d/walking2.c3d"))
    forces = read_storage(shared_data("mocap/c3d/std_cop_walking2_grfs.sto"))
    for i, plate in enumerate(rec.plates, 1):
        at = np.round(forces.t * 2000).astype(int)
        at = at[at < len(plate.t)]
        force, point, moment = (np.stack([forces.columns[f"{k}{i}_{x}"][: len(at)] for x in "123"], axis=1) for k in "fpm")
        loaded = np.isfinite(plate.point[at]).all(axis=1)
        assert loaded.sum() > 9
        assert plate.force[at] == pytest.approx(force, abs=1e-6)
        assert plate.point[at][loaded] == pytest.approx(point[loaded] / 1000, abs=1e-9)
        assert plate.moment[at][loaded] == pytest.approx(moment[loaded] / 1000, abs=1e-8)
    markers = rg.mocap.load(shared_data("mocap/c3d/std_walking2_markers.trc"), up="z")
    frames = np.round(markers.t * 250).astype(int)
    for name, track in markers.markers.items():
        assert rec.markers[name][frames] == pytest.approx(track, abs=1e-4, nan_ok=True)  # the table has tenths of millimetres


@pytest.mark.parametrize("name", ["SCALE", "OFFSET"])
def test_parameters_without_which_ezc3d_would_crash_are_asked_for(tmp_path, name):
    data = bytearray(written(tmp_path / "walk.c3d").read_bytes())
    at = data.rfind(name.encode(), 0, int.from_bytes(data[16:18], "little") * 512)
    data[at : at + 1] = b"Q"
    (tmp_path / "walk.c3d").write_bytes(data)
    with pytest.raises(FileError, match=f"ANALOG:(GEN_)?{name}"):
        check_c3d(tmp_path / "walk.c3d")
