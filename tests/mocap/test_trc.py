"""TRC files: markers as they were, gaps and all; what is guessed; what is refused."""

import numpy as np
import pytest
from own_files import assert_refused, random_recording

import regraft as rg

HEAD = ["C7", "R.Heel", "L.Heel"]


def trc(rows=None, names=HEAD, *, unit="mm", rate="100", frames=None, count=None, labels=True, header=None, blank=True):
    """A file by its rows, each a frame number, a time and the numbers or texts of all markers."""
    rows = DEFAULT if rows is None else rows
    frames, count = len(rows) if frames is None else frames, len(names) if count is None else count
    lines = [
        "PathFileType\t4\t(X/Y/Z)\town.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{frames}\t{count}\t{unit}\t{rate}\t1\t{len(rows)}",
        header or ("Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t"),
    ]
    if labels:
        lines.append("\t\t" + "\t".join(f"{axis}{k + 1}" for k in range(len(names)) for axis in "XYZ"))
    if blank:
        lines.append("")
    return "\n".join([*lines, *("\t".join(map(str, row)) for row in rows), ""])


def row(k, *, time=None, heel=None):
    x = 10.0 * k
    return [k + 1, 0.01 * k if time is None else time, x, 1400.0, 5.0, *(heel or [x + 50.0, 40.0, 100.0]), x - 50.0, 60.0, -100.0]


DEFAULT = [row(k) for k in range(12)]


@pytest.fixture
def file(written):
    return lambda text, name="own.trc": written(text, name)


def told(rec, *words):
    return [note for note in rec.notes if all(word in note for word in words)]


def test_markers_become_metres_with_z_up(file):
    rec = rg.mocap.load(file(trc()))
    assert list(rec.markers) == HEAD
    np.testing.assert_allclose(rec.markers["R.Heel"][3], [0.08, -0.1, 0.04])
    np.testing.assert_allclose(rec.t, 0.01 * np.arange(12))
    assert told(rec, "y axis", "up=")
    assert told(rec, "mm")


UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "MM": 1e-3, "um": 1e-6, "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "ft": 0.3048}
UNITS |= {"meters": 1.0, "metres": 1.0, "millimeters": 1e-3, "millimetres": 1e-3}


@pytest.mark.parametrize(("unit", "metres"), UNITS.items())
def test_units_of_the_header(file, unit, metres):
    rec = rg.mocap.load(file(trc(unit=unit)))
    np.testing.assert_allclose(rec.markers["R.Heel"][0], metres * np.array([50.0, -100.0, 40.0]))
    given = rg.mocap.load(file(trc(unit=unit)), scale=2.0, up="z")
    np.testing.assert_allclose(given.markers["R.Heel"][0], [100.0, 80.0, 200.0])
    assert told(given, "2 m", "as given")


@pytest.mark.parametrize("up", ["x", "y", "z", "-x", "-y", "-z"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_written_is_read_again(seed, up, tmp_path):
    rec = random_recording(seed)
    rec.save(tmp_path / "own.trc", up=up, scale=None if seed % 2 else 1.0)
    again = rg.mocap.load(tmp_path / "own.trc", up=up)
    assert list(again.markers) == list(rec.markers)
    for name, track in rec.markers.items():
        np.testing.assert_allclose(again.markers[name], track, atol=1e-15, rtol=1e-15)
    np.testing.assert_allclose(again.t, rec.t, atol=1e-15)


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_the_axis_upwards_is_found_by_the_markers(file, tmp_path, up):
    rec = rg.mocap.load(file(trc()))
    for names in (HEAD, ["a", "b", "c"]):  # by their names, and without
        renamed = rg.mocap.Recording("", rec.t, markers=dict(zip(names, rec.markers.values(), strict=True)))
        renamed.save(tmp_path / "turned.trc", up=up)
        again = rg.mocap.load(tmp_path / "turned.trc")
        assert told(again, f"{up} axis")
        np.testing.assert_allclose(list(again.markers.values()), list(rec.markers.values()), atol=1e-12)


def test_markers_that_are_seldom_seen_do_not_lead_astray(file):
    names = ["C7", "Head", "R.Heel"]
    rows = [
        [k + 1, 0.01 * k, 9e5, 1400.0, 9e5, *((9e5, 1500.0, 9e5) if k == 3 else 3 * ("",)), 9e5, 40.0, 9e5] for k in range(12)
    ]
    rec = rg.mocap.load(file(trc(rows, names, unit="um")))  # far from the origin, at which nothing is
    assert told(rec, "y axis", "names")


def test_empty_fields_and_zeros_are_not_seen_and_told(file):
    rows = [row(k) for k in range(12)]
    rows[2] = row(2, heel=["", "", ""])
    rows[3] = row(3, heel=["NaN", "nan", " "])
    rows[4] = row(4, heel=[0, 0.0, "-0"])
    rows[5] = row(5, heel=[1.0, "", 2.0])
    rows[6][-3:] = ["", "", ""]
    rec = rg.mocap.load(file(trc(rows)))
    assert np.flatnonzero(np.isnan(rec.markers["R.Heel"]).all(axis=1)).tolist() == [2, 3, 4, 5]
    assert np.flatnonzero(np.isnan(rec.markers["R.Heel"]).any(axis=1)).tolist() == [2, 3, 4, 5]
    assert np.flatnonzero(np.isnan(rec.markers["L.Heel"]).any(axis=1)).tolist() == [6]
    assert told(rec, "0, 0, 0", "R.Heel")
    assert told(rec, "2 of 3 markers")
    never = rg.mocap.load(file(trc([row(k, heel=["", "", ""]) for k in range(4)])))
    assert told(never, "never seen", "R.Heel")


def test_names_that_are_blank_or_there_twice_get_a_number(file):
    rec = rg.mocap.load(file(trc(names=["C7", "", "C7"])))
    assert list(rec.markers) == ["C7", "marker_2", "C7_2"]
    assert told(rec, "marker_2", "C7_2")


def test_names_that_are_not_above_their_columns_are_taken_in_their_order(file):
    rec = rg.mocap.load(file(trc(header="Frame#\tTime\t\tC7\t\tR.Heel\t\tL.Heel")))
    assert list(rec.markers) == HEAD


@pytest.mark.parametrize(
    "kind", ["header blank", "no blank line", "no labels", "CRLF", "tabs at the end", "blanks for tabs", "mark"]
)
def test_variants_that_programs_write(file, kind):
    text = trc(blank=kind != "no blank line", labels=kind != "no labels")
    if kind == "header blank":
        text = text.replace("mm\t100\t1\t", "mm\t\t1\t")
    elif kind == "CRLF":
        text = text.replace("\n", "\r\n")
    elif kind == "tabs at the end":
        text = "\n".join(line + "\t\t" for line in text.split("\n"))
    elif kind == "blanks for tabs":
        text = "\n".join("  ".join(line.split()) for line in text.split("\n"))
    elif kind == "mark":
        text = "\ufeff" + text
    plain = rg.mocap.load(file(trc()))
    rec = rg.mocap.load(file(text))
    for name, track in plain.markers.items():
        np.testing.assert_array_equal(rec.markers[name], track)


def test_times_with_few_digits_get_all_of_them_where_the_rate_agrees(file):
    rows = [row(k, time=f"{k / 60:.3f}000") for k in range(12)]
    np.testing.assert_allclose(rg.mocap.load(file(trc(rows, rate="60.00"))).t, np.arange(12) / 60, atol=1e-15)
    rec = rg.mocap.load(file(trc(rows, rate="50")))
    np.testing.assert_allclose(rec.t, np.round(np.arange(12) / 60, 3))
    assert told(rec, "50 frames a second", "times are taken")
    jumpy = [row(k, time=f"{k / 60 + 0.003 * (k % 2):.3f}") for k in range(12)]
    np.testing.assert_allclose(rg.mocap.load(file(trc(jumpy, rate="60"))).t, [float(r[1]) for r in jumpy])


def test_frames_that_are_missing_are_told(file):
    rows = [row(k) for k in (0, 1, 2, 6, 7, 9)]
    rec = rg.mocap.load(file(trc(rows)))
    assert told(rec, "missing", "4 to 6, 9")
    np.testing.assert_allclose(rec.t, [0, 0.01, 0.02, 0.06, 0.07, 0.09])
    rows = [[k + 1, *row(j)[1:]] for k, j in enumerate((0, 1, 2, 6, 7))]
    assert told(rg.mocap.load(file(trc(rows))), "time jumps", "3")
    assert told(rg.mocap.load(file(trc(frames=10))), "10", "12")


GOOD = trc()
DAMAGED = {
    "empty": ("", ["empty"]),
    "another kind": ("HIERARCHY\nROOT a\n", ["line 1", "PathFileType"]),
    "binary": (b"PathFileType\t4\n\x00\x01\x02", ["line 2", "no text"]),
    "cut in the header": (GOOD[:60], ["cut off"]),
    "cut off": (GOOD[: GOOD.rindex("\n", 0, -2) + 1], ["line 17", "11 frames", "12", "line 3"]),
    "cut in a row": (GOOD[:-20], ["line 18", "values, not 11"]),
    "no rows": (trc([]), ["no frame"]),
    "unknown unit": (trc(unit="furlong"), ["line 3", "'furlong'", "scale="]),
    "no unit": (GOOD.replace("Units", "Length"), ["line 2", "Units"]),
    "header values": (GOOD.replace("100\t100\t12", "100\t12"), ["line 3", "7 values", "8 words"]),
    "frames no number": (trc(frames="x"), ["line 3", "NumFrames", "'x'"]),
    "markers no number": (trc(count="-3"), ["line 3", "NumMarkers", "'-3'"]),
    "no markers": (trc(count=0), ["line 3", "no markers"]),
    "more names": (trc(count=2), ["line 4", "3 names", "2"]),
    "no names": (trc(header="1\t2\t3"), ["line 4", "Frame#"]),
    "labels": (GOOD.replace("\t\tX1", "\t\tQ1"), ["line 5", "X1"]),
    "a word": (GOOD.replace("1400.0", "high", 1), ["line 7", "value 4", "'high'"]),
    "a comma": (GOOD.replace("1400.0", "1400,0", 1), ["line 7", "decimal commas"]),
    "too many values": (GOOD.replace("1400.0", "1400.0\t1", 1), ["line 7", "12 values, not 11"]),
    "infinite": (GOOD.replace("1400.0", "inf", 1), ["line 7", "number 4"]),
    "no time": (trc([row(0), row(1, time="")]), ["line 8", "time"]),
    "time backwards": (trc([row(0), row(1), row(2, time=0.01)]), ["line 9", "not after"]),
    "frame backwards": (trc([row(0), row(1), [1, *row(2)[1:]]]), ["line 9", "frame 1 comes after frame 2"]),
    "frame no number": (trc([row(0), [1.5, *row(1)[1:]]]), ["line 8", "whole"]),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_refused_with_its_line(file, kind):
    text, words = DAMAGED[kind]
    path = file(text)
    assert_refused(path, [str(path), *words])


def test_what_cannot_be_a_trc_file_is_not_written(tmp_path):
    with pytest.raises(rg.ModelError, match="no markers"):
        rg.mocap.Recording("", np.arange(3.0)).save(tmp_path / "no.trc")
    rec = rg.mocap.Recording("", np.arange(2.0), markers={"a\tb": np.zeros((2, 3))})
    with pytest.raises(rg.ModelError, match="name of a marker"):
        rec.save(tmp_path / "no.trc")
    with pytest.raises(rg.ModelError, match="unit"):
        rg.mocap.Recording("", np.arange(2.0), markers={"a": np.zeros((2, 3))}).save(tmp_path / "no.trc", scale=0.3)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["gait10dof18musc/subject01_walk.trc", "gait2354/subject01_walk1.trc"])
def test_a_real_walk(shared_data, name):
    rec = rg.mocap.load(shared_data(f"mocap/{name}"))
    assert len(rec) == 151
    assert len(rec.markers) == 41
    assert rec.rate == pytest.approx(60)
    np.testing.assert_allclose(np.diff(rec.t), 1 / 60)  # the file has three digits after the point
    np.testing.assert_allclose(rec.markers["R.ASIS"][0], [0.61724762, -0.17078198, 1.05527502])


def test_a_real_walk_with_z_up_whose_header_is_out_of_step(shared_data):
    rec = rg.mocap.load(shared_data("mocap/c3d/std_walking2_markers.trc"))
    assert len(rec) == 126
    assert len(rec.markers) == 44
    assert list(rec.markers)[:3] == ["RTH1", "RFHD", "RTH3"]
    assert told(rec, "z axis")
    assert told(rec, "250", "25")
    assert np.nanmedian(rec.markers["C7"][:, 2]) == pytest.approx(1.5, abs=0.2)
