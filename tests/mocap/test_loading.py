"""`load` and `save`: whatever happens to a file, there is a recording or an error that names it."""

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from own_files import random_recording, walker, walking
from test_asf_amc import ASF, MOTION
from test_storage import GOOD as TABLE
from test_trc import GOOD as MARKERS

import regraft as rg
from regraft.mocap.formats import READERS, WRITERS

PLATES = "own\ninDegrees=no\nnRows=3\nendheader\ntime\t" + "\t".join(f"ground_force_{k}{a}" for k in "vp" for a in "xyz")
PLATES += "\n" + "".join(f"{0.1 * k}\t1\t700\t3\t0.5\t0\t{k}\n" for k in range(3))
OWN = {
    "own.bvh": walker(walking(8, first=[0.0, 92.0, 0.0, *[0.0] * 15])),
    "own.amc": MOTION,
    "own.asf": ASF,
    "own.trc": MARKERS,
    "own.mot": TABLE,
    "own.sto": PLATES,
}


def damaged(data, draw):
    """A file that was cut, in which bytes were changed, or of which parts are missing or there twice."""
    data = bytearray(data)
    for _ in range(int(draw.integers(1, 4))):
        kind, a = draw.integers(6), int(draw.integers(len(data) or 1))
        b = min(len(data), a + int(draw.integers(1, 40)))
        if kind == 0:
            del data[a:]
        elif kind == 1 and data:
            data[a] ^= 1 << int(draw.integers(8))
        elif kind == 2 and data:
            data[a] = int(draw.choice(list(b"0123456789.-eE{}\t\n :#=")))
        elif kind == 3:
            del data[a:b]
        elif kind == 4:
            data[a:a] = data[a:b]
        else:
            lines = bytes(data).split(b"\n")
            del lines[int(draw.integers(len(lines)))]
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def outcome(path, folder):
    """Whether a file is read, as a recording that makes sense, or refused, by its name."""
    try:
        rec = rg.mocap.load(path)
    except rg.FileError as problem:
        return "refused" if str(folder / "own.") in str(problem) else str(problem)
    assert len(rec) > 0
    assert np.isfinite(rec.t).all()
    assert (np.diff(rec.t) > 0).all()
    assert rec.points().shape[1] == len(rec.bones)
    assert repr(rec)
    return "read"


@pytest.mark.parametrize("name", OWN)
def test_whatever_happens_to_a_file_there_is_a_recording_or_an_error_that_names_it(name, tmp_path):
    for other, text in OWN.items():
        (tmp_path / other).write_text(text, newline="")
    loaded = tmp_path / name.replace(".asf", ".amc")
    assert isinstance(rg.mocap.load(loaded), rg.mocap.Recording)
    outcomes = set()
    for seed in range(400):
        (tmp_path / name).write_bytes(damaged(OWN[name].encode(), np.random.default_rng(seed)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcomes.add(outcome(loaded, tmp_path))
    assert outcomes == {"read", "refused"}


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("other", OWN)
def test_a_file_of_another_kind_is_refused(name, other, tmp_path):
    same = {("own.mot", "own.sto"), ("own.sto", "own.mot")}
    if name == other or (name, other) in same:
        return
    (tmp_path / "own.asf").write_text(ASF)
    (tmp_path / name).write_text(OWN[other])
    with pytest.raises(rg.FileError):
        rg.mocap.load(tmp_path / name)


def test_files_that_are_not_there_or_no_files_are_refused(tmp_path):
    with pytest.raises(rg.FileError, match="nothing"):
        rg.mocap.load(tmp_path / "nothing.bvh")
    (tmp_path / "folder.trc").mkdir()
    with pytest.raises(rg.FileError, match="folder"):
        rg.mocap.load(tmp_path / "folder.trc")
    with pytest.raises(rg.FileError, match=r"must end in \.bvh, \.amc"):
        rg.mocap.load(tmp_path / "walk.fbx")
    with pytest.raises(rg.ModelError, match="path"):
        rg.mocap.load(17)


def test_options_that_are_not_for_a_format_are_refused(tmp_path):
    path = tmp_path / "own.trc"
    path.write_text(MARKERS)
    with pytest.raises(rg.ModelError, match=r"skeleton= is not for .*\.trc.*up or scale"):
        rg.mocap.load(path, skeleton="x.asf")
    with pytest.raises(rg.ModelError, match="keep_first_frame"):
        rg.mocap.load(path, keep_first_frame=False)


@pytest.mark.parametrize("option", [{"up": "q"}, {"up": 3}, {"scale": 0}, {"scale": -1.0}, {"scale": np.nan}, {"scale": "big"}])
@pytest.mark.parametrize("name", ["own.bvh", "own.amc", "own.trc", "own.sto"])
def test_options_that_make_no_sense_are_refused(tmp_path, name, option):
    for other, text in OWN.items():
        (tmp_path / other).write_text(text)
    with pytest.raises(rg.ModelError, match=next(iter(option))):
        rg.mocap.load(tmp_path / name, **option)
    if name != "own.amc":
        with pytest.raises(rg.ModelError, match=next(iter(option))):
            random_recording(1).save(tmp_path / f"new{name[3:]}", **option)
        assert not (tmp_path / f"new{name[3:]}").exists()


def test_only_formats_that_can_be_written_are(tmp_path):
    with pytest.raises(rg.ModelError, match=r"must end in \.bvh, \.trc"):
        rg.mocap.save(random_recording(1), tmp_path / "x.c3d")
    with pytest.raises(rg.RegraftError, match="cannot write"):
        random_recording(1).save(tmp_path / "nowhere" / "x.trc")


def test_every_format_has_its_reader_and_writer():
    assert set(READERS) == {".bvh", ".amc", ".trc", ".mot", ".sto", ".c3d"}
    assert set(WRITERS) <= set(READERS)


def test_a_recording_says_in_one_line_what_is_in_it():
    rec = random_recording(3)
    text = repr(rec)
    assert "\n" not in text
    for words in ("'own'", "7 frames in 0.04688 s at 128 Hz", "4 markers", "2 columns", "2 force plates", "bone"):
        assert words in text
    assert "note" not in text
    one = rg.mocap.Recording("one", np.zeros(1), notes=("a",))
    assert repr(one) == "<Recording of 'one': 1 frame, 1 note>"
    assert np.isnan(one.rate)
    assert len(one) == 1


def test_a_recording_can_be_copied_and_sent_elsewhere():
    rec = random_recording(3)
    again = pickle.loads(pickle.dumps(rec))
    np.testing.assert_array_equal(again.turns, rec.turns)
    np.testing.assert_array_equal(again.markers["marker 2"], rec.markers["marker 2"])
    assert repr(copy.deepcopy(again)) == repr(rec)


def test_readers_are_imported_when_they_are_needed():
    code = "import sys, regraft; print([m for m in sys.modules if m.startswith('regraft.mocap.formats.')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("name", OWN)
def test_wherever_a_file_was_cut_it_is_refused_or_read_as_far_as_it_goes(name, tmp_path):
    for other, text in OWN.items():
        (tmp_path / other).write_text(text, newline="")
    loaded = tmp_path / name.replace(".asf", ".amc")
    data = OWN[name].encode()
    for end in range(0, len(data), 7):
        (tmp_path / name).write_bytes(data[:end])
        assert outcome(loaded, tmp_path) in ("read", "refused")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("name", OWN)
def test_lines_may_end_as_on_any_system(name, end, tmp_path):
    for other, text in OWN.items():
        (tmp_path / other).write_text(text, newline="")
    loaded = tmp_path / name.replace(".asf", ".amc")
    whole = rg.mocap.load(loaded)
    (tmp_path / name).write_bytes(OWN[name].replace("\n", end).encode())
    again = rg.mocap.load(loaded)
    assert repr(again) == repr(whole)
    np.testing.assert_array_equal(again.points(), whole.points())
