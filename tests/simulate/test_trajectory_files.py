"""Trajectories in files: equal to the last digit, and clear errors for whatever is damaged."""

import copy
import io
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_motions import assert_same, cut_arm

import regraft as rg
from simple_mechanisms import ball, pendulum, slider


@pytest.mark.parametrize("options", [{}, {"integrator": "dop853"}, {"integrator": "rk4", "step": 1e-3}, {"every": 3}])
def test_files_come_back_equal_to_the_last_digit(options, tmp_path):
    traj = cut_arm(**options)
    file = tmp_path / "arm.npz"
    traj.save(file)
    again = rg.load(file)
    assert isinstance(again, rg.Trajectory)
    assert_same(again, traj)
    assert again.state(0.1234) == traj.state(0.1234)
    assert np.array_equal(again.energy().total, traj.energy().total)


def test_a_file_may_have_any_name_and_keeps_each_mechanism_once(tmp_path):
    mech, state = ball(1.0)

    def bounce(mech, state):
        return mech, mech.state(q=state.q, v=-0.9 * state.v)

    traj = rg.simulate(mech, state, 3.0, events=rg.when_joint("fall", 0.0, bounce, direction=-1))
    assert len(traj.segments) > 3
    traj.save(tmp_path / "bounces")
    again = rg.load(str(tmp_path / "bounces"))
    assert_same(again, traj)
    assert len({id(segment.mech) for segment in again.segments}) == 1
    with np.load(tmp_path / "bounces") as arrays:
        assert arrays["header"].tobytes().count(b'"regraft mechanism"') == 1


def test_a_mechanism_in_a_json_file_is_still_a_mechanism(tmp_path):
    mech, _ = pendulum()
    mech.save(tmp_path / "pendulum.json")
    assert rg.load(tmp_path / "pendulum.json") == mech


def test_an_interrupted_trajectory_stays_so(tmp_path):
    mech, state = ball()

    def torque(t, mech, state):
        if t > 0.3:
            raise KeyboardInterrupt
        return np.zeros(1)

    traj = rg.simulate(mech, state, 1.0, torque=torque)
    traj.save(tmp_path / "x.npz")
    assert rg.load(tmp_path / "x.npz").interrupted
    assert traj.resample(0.1).interrupted


def test_files_that_are_something_else(tmp_path):
    for name, write in (
        ("missing.npz", lambda file: None),
        ("missing.json", lambda file: None),
        ("empty.npz", lambda file: file.write_bytes(b"")),
        ("text.npz", lambda file: file.write_text("hello")),
        ("arrays.npz", lambda file: np.savez(file, a=np.zeros(3))),
        ("pickled.npz", lambda file: np.savez(file, header=np.array([{}], dtype=object))),
        ("header.npz", lambda file: np.savez(file, header=np.frombuffer(b'{"format": "other"}', np.uint8))),
        ("json.npz", lambda file: np.savez(file, header=np.frombuffer(b"[1", np.uint8))),
        ("one.npz", lambda file: file.write_bytes(b"PK")),
    ):
        write(tmp_path / name)
        with pytest.raises(rg.ModelError, match=name.split(".")[0]):
            rg.load(tmp_path / name)


def in_header(arrays, old, new):
    text = arrays["header"].tobytes()
    assert old in text
    arrays["header"] = np.frombuffer(text.replace(old, new, 1), np.uint8)


def rewritten(file, change):
    """The file with its arrays changed."""
    with np.load(file) as arrays:
        kept = dict(arrays)
    change(kept)
    np.savez(file, **kept)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.pop("segment0.t"),
        lambda a: a.pop("segment0.x"),
        lambda a: a.pop("segment0.sizes"),
        lambda a: a.update({"segment0.x": a["segment0.x"][:, :-1]}),
        lambda a: a.update({"segment0.terms": a["segment0.terms"][:-1]}),
        lambda a: a.update({"segment0.terms": a["segment0.terms"][:, :-1]}),
        lambda a: a.update({"segment0.terms": np.zeros((len(a["segment0.t"]) - 1, 16))}),
        lambda a: a.update({"segment0.terms": np.zeros(())}),
        lambda a: a.update({"segment0.t": a["segment0.t"][::-1]}),
        lambda a: a.update({"segment0.x": a["segment0.x"].astype("U8")}),
        lambda a: a.update({"header": a["header"][:-4]}),
        lambda a: in_header(a, b'"version": 1', b'"version": 9'),
        lambda a: in_header(a, b"Prismatic", b"Prismatik"),
        lambda a: in_header(a, b'"mechanism": 0', b'"mechanism": 7'),
        lambda a: in_header(a, b'"steps"', b'"stops"'),
    ],
)
def test_damaged_contents(change, tmp_path):
    mech, state = ball()
    file = tmp_path / "damaged.npz"
    rg.simulate(mech, state, 1.0).save(file)
    rewritten(file, change)
    with pytest.raises(rg.ModelError, match=r"damaged\.npz"):
        rg.load(file)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    mech, state = slider()
    traj = rg.simulate(mech, state, 0.2)
    file = tmp_path_factory.mktemp("stored") / "stored.npz"
    traj.save(file)
    return traj, file.read_bytes(), file.with_name("flipped.npz")


@settings(max_examples=150)
@given(st.data())
def test_a_damaged_file_is_an_error_or_does_no_harm(stored, data):
    """Bits that are flipped or lost anywhere: never another exception, and never other numbers."""
    traj, good, file = stored
    bad = bytearray(good)
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(bad) - 1))
        bad[at] ^= 1 << data.draw(st.integers(0, 7))
    else:
        bad = bad[: data.draw(st.integers(0, len(bad) - 1))]
    file.write_bytes(bytes(bad))
    try:
        found = rg.load(file)
    except rg.ModelError:
        return
    assert_same(found, traj)


# --- files that were made to do harm ------------------------------------------------------------------------------------


def with_header(file, **arrays):
    """An archive whose header says that it is a trajectory of one ball, with these arrays."""
    mech, state = ball()
    rg.simulate(mech, state, 0.1).save(file)
    with np.load(file) as found:
        return {**found, **arrays}


def refused_without_reading(file, match):
    """The file is refused, and no more memory is taken than the file has bytes, with some for the error."""
    tracemalloc.start()
    try:
        with pytest.raises(rg.ModelError, match=match):
            rg.load(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * file.stat().st_size + 1_000_000


def test_a_small_file_cannot_grow_on_the_way_in(tmp_path):
    file = tmp_path / "bomb.npz"
    np.savez_compressed(file, **with_header(file, **{"segment0.t": np.zeros(8_000_000)}))
    assert file.stat().st_size < 200_000
    refused_without_reading(file, r"bomb\.npz.*'header\.npy' is compressed")


def promising(shape):
    """The bytes of an array that promises this shape and has no numbers."""
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(text, {"shape": shape, "fortran_order": False, "descr": "<f8"})
    return text.getvalue()


@pytest.mark.parametrize("shape", [(10**12,), (10**5, 10**5), (10**30,)])
def test_an_array_cannot_promise_more_than_there_is(shape, tmp_path):
    file = tmp_path / "promise.npz"
    with_header(file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("segment7.t.npy", promising(shape))
    refused_without_reading(file, r"promise\.npz.*'segment7\.t\.npy' says that it has \d+ bytes")


def test_many_names_cannot_stand_for_the_same_bytes(tmp_path):
    """Entries of the archive's directory that all lead to one array, which alone fits into the file."""
    file = tmp_path / "overlap.npz"
    np.savez(file, **with_header(file, big=np.zeros(50_000)))
    with zipfile.ZipFile(file, "a") as archive:
        (big,) = (member for member in archive.infolist() if member.filename == "big.npy")
        for k in range(20):
            again = copy.copy(big)
            again.filename = again.orig_filename = "big.npy"
            archive.filelist.append(again)
            archive.NameToInfo[f"again{k}.npy"] = again
        archive._didModify = True
    refused_without_reading(file, r"overlap\.npz")


@pytest.mark.parametrize("name", [b"\\u001b[31mred", b"two\\nlines", b"\\u202eturned"])
def test_names_of_events_in_files_are_checked(name, tmp_path):
    mech, state = ball()
    file = tmp_path / "names.npz"
    rg.simulate(mech, state, 0.2, events=rg.at_time(0.1, lambda m, s: (m, m.state()), name="marker")).save(file)
    rewritten(file, lambda a: a.update(header=np.frombuffer(a["header"].tobytes().replace(b"marker", name), np.uint8)))
    with pytest.raises(rg.ModelError, match=r"names\.npz.*an event's name cannot be"):
        rg.load(file)
