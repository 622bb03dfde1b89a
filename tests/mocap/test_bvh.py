"""BVH files: where joints are, whatever the channels; what is guessed; what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from own_files import OwnSkeleton, assert_refused, random_recording, random_turns, walker, walking

import regraft as rg
from regraft.mocap.formats.bvh_writing import _angles

Y_UP = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


@pytest.fixture
def file(written):
    return lambda text, name="own.bvh": written(text, name)


def told(rec, *words):
    return [note for note in rec.notes if all(word in note for word in words)]


@given(seed=st.integers(0, 10_000))
def test_joints_are_where_plain_recursion_has_them(seed, tmp_path_factory):
    own = OwnSkeleton(seed)
    path = tmp_path_factory.mktemp("bvh") / "own.bvh"
    path.write_text(own.text(newline="\r\n" if seed % 2 else "\n"), newline="")
    rec = rg.mocap.load(path, up="y", scale=0.5, keep_first_frame=True)
    assert [bone.name for bone in rec.bones] == [own.names[k] for k in own.order()]
    np.testing.assert_allclose(rec.points(), 0.5 * own.points() @ Y_UP.T, atol=1e-12)
    np.testing.assert_allclose(rec.t, 0.01 * np.arange(own.frames))
    for bone, k in zip(rec.bones, own.order(), strict=True):
        assert bone.parent == (None if k == 0 else own.names[own.parents[k]])
        np.testing.assert_allclose(bone.offset, 0.5 * own.offsets[k])
        assert len(bone.tips) == (k not in own.parents)


@pytest.mark.parametrize("up", ["x", "y", "z", "-x", "-y", "-z"])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_read_again(seed, up, tmp_path):
    rec = random_recording(seed)
    rec.save(tmp_path / "own.bvh", up=up)
    again = rg.mocap.load(tmp_path / "own.bvh", up=up, scale=0.01, keep_first_frame=True)
    assert {bone.name: bone.parent for bone in again.bones} == {bone.name: bone.parent for bone in rec.bones}
    here, there = ({bone.name: k for k, bone in enumerate(r.bones)} for r in (rec, again))
    order = [there[name] for name in here]
    for ours, theirs in zip(rec.poses(), again.poses(), strict=True):
        np.testing.assert_allclose(theirs[:, order], ours, atol=1e-13)
    for name, k in here.items():
        np.testing.assert_allclose(again.bones[there[name]].tips, rec.bones[k].tips, atol=1e-14)
        np.testing.assert_allclose(again.bones[there[name]].offset, rec.bones[k].offset, atol=1e-14)
    text = (tmp_path / "own.bvh").read_text()
    assert (text.count("CHANNELS 6"), text.count("CHANNELS 3")) == (1, len(rec.bones) - 1)
    np.testing.assert_allclose(again.t, rec.t, atol=1e-15)


def test_joints_that_move_are_written_and_read_again(tmp_path):
    rec = random_recording(4)
    assert len(rec.bones) > 2
    rec.origins[:, 1] += np.random.default_rng(0).normal((3.0, -5.0, 2.0), size=(len(rec), 3))  # far from its offset
    rec.save(tmp_path / "own.bvh", up="z")
    again = rg.mocap.load(tmp_path / "own.bvh", up="z", scale=0.01, keep_first_frame=True)
    order = [[bone.name for bone in again.bones].index(bone.name) for bone in rec.bones]
    np.testing.assert_allclose(again.points()[:, order], rec.points(), atol=1e-13)


def test_a_rate_goes_before_that_of_the_file(file):
    assert rg.mocap.load(file(GOOD)).rate == pytest.approx(100)
    assert rg.mocap.load(file(GOOD), rate=25).rate == pytest.approx(25)
    with pytest.raises(rg.ModelError, match="rate"):
        rg.mocap.load(file(GOOD), rate=0)


def test_without_names_the_extent_tells_what_is_up_and_gaps_do_no_harm(file):
    text = GOOD
    for number, name in enumerate(("Hips", "Spine", "Head", "LeftLeg", "LeftFoot")):
        text = text.replace(name, f"j{number}")
    rec = rg.mocap.load(file(text))
    assert told(rec, "y axis", "extend")
    assert told(rec, "centimetres")
    rows = walking()
    rows[3][0] = "nan"
    text = text.split("Frames")[0] + walker(rows).split("MOTION\n")[1]
    again = rg.mocap.load(file(text + "\x1a"))
    assert np.isnan(again.points()[3, 0, 0])
    assert told(again, "y axis", "extend")


def test_angles_make_up_the_rotation_even_where_two_axes_coincide():
    from regraft.mocap.skeleton import about

    for tilt in (np.pi / 2, np.pi / 2 - 1e-9, -np.pi / 2 + 1e-5, 1.0):
        draw = np.random.default_rng(1)
        a, c = draw.uniform(-3, 3, size=(2, 50))
        R = about(2, a) @ about(1, np.full(50, tilt)) @ about(0, c)
        z, y, x = np.moveaxis(_angles(R), -1, 0)
        np.testing.assert_allclose(about(2, z) @ about(1, y) @ about(0, x), R, atol=3e-15)
    assert _angles(random_turns(np.random.default_rng(2), 4, 5)).shape == (4, 5, 3)


def test_unit_and_axis_are_guessed_by_the_person_and_told(file):
    rec = rg.mocap.load(file(walker(walking())))
    assert told(rec, "y axis", "up=")
    assert told(rec, "centimetres", "1.68 m", "scale=")
    np.testing.assert_allclose(rec.points()[0, 0], [0.0, 0.0, 0.92])


@pytest.mark.parametrize(
    ("factor", "unit", "metres"),
    [(0.01, "metres", 1), (10, "millimetres", 1e-3), (1 / 2.54, "inches", 0.0254), (0.45 / 2.54, "CMU", 0.0254 / 0.45)],
)
def test_every_usual_unit_is_recognised(file, factor, unit, metres):
    lines = walker([]).split("MOTION")[0].splitlines()
    scaled = [
        " ".join(["OFFSET", *(repr(factor * float(word)) for word in line.split()[1:])]) if "OFFSET" in line else line
        for line in lines
    ]
    rows = [[*(factor * x for x in row[:3]), *row[3:]] for row in walking()]
    motion = f"MOTION\nFrames: {len(rows)}\nFrame Time: 0.01\n" + "\n".join(" ".join(map(repr, row)) for row in rows)
    rec = rg.mocap.load(file("\n".join(scaled) + "\n" + motion))
    assert told(rec, unit)
    np.testing.assert_allclose(rec.points()[0, 0], [0.0, 0.0, 0.92])
    assert rg.mocap.load(file("\n".join(scaled) + "\n" + motion), scale=metres).points()[0, 0, 2] == pytest.approx(0.92)


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_the_axis_upwards_is_found_in_the_motion(tmp_path, file, up):
    rec = rg.mocap.load(file(walker(walking())))
    rec.save(tmp_path / "turned.bvh", up=up)
    again = rg.mocap.load(tmp_path / "turned.bvh")
    assert told(again, f"{up} axis")
    np.testing.assert_allclose(again.points(), rec.points(), atol=1e-12)


def test_who_lies_or_stands_on_their_hands_is_told(file, tmp_path):
    rec = rg.mocap.load(file(walker(walking())))
    lying = rg.mocap.Recording("", rec.t, rec.bones, rec.turns.copy(), rec.origins)
    lying.turns[:, 0] = Y_UP @ lying.turns[:, 0]
    lying.save(tmp_path / "lying.bvh")
    again = rg.mocap.load(tmp_path / "lying.bvh")
    assert told(again, "z axis", "it would be y", "lie")
    np.testing.assert_allclose(rg.mocap.load(tmp_path / "lying.bvh", up="y").points(), lying.points(), atol=1e-12)
    lying.turns[:, 0] = Y_UP @ lying.turns[:, 0]
    lying.save(tmp_path / "hands.bvh")
    hands = rg.mocap.load(tmp_path / "hands.bvh")
    assert told(hands, "y axis", "below the feet")
    np.testing.assert_allclose(hands.points(), lying.points(), atol=1e-12)


def test_a_given_axis_and_unit_go_before_the_guess(file):
    rec = rg.mocap.load(file(walker(walking())), up="z", scale=1.0)
    np.testing.assert_allclose(rec.points()[3, 0], [1.5, 92.0, 3.0])
    assert told(rec, "z axis", "as given")
    assert told(rec, "1 m", "as given")


def test_a_reference_pose_in_front_is_left_out_and_told(file):
    pose = [0.0, 92.0, 0.0, *[0.0] * 15]
    path = file(walker(walking(first=pose)))
    rec = rg.mocap.load(path)
    assert len(rec) == 20
    assert rec.t[0] == 0.01
    assert told(rec, "first frame", "line 38", "keep_first_frame")
    kept = rg.mocap.load(path, keep_first_frame=True)
    assert len(kept) == 21
    assert not told(kept, "first frame")
    np.testing.assert_array_equal(kept.turns[1:], rec.turns)
    np.testing.assert_allclose(kept.turns[0, 1], np.eye(3))


def test_a_motion_without_one_keeps_its_first_frame_unless_asked(file):
    assert len(rg.mocap.load(file(walker(walking())))) == 20
    assert len(rg.mocap.load(file(walker(walking())), keep_first_frame=False)) == 19
    still = [[0.0, 92.0, 0.0, *[0.0] * 15]] * 6
    assert len(rg.mocap.load(file(walker(still)))) == 6
    slow = [[0.0, 92.0, 0.0, *[2.0 * k] * 15] for k in range(20)]  # begins upright and not turned, without a jump
    assert len(rg.mocap.load(file(walker(slow)))) == 20


def test_few_frames_do_not_tell_whether_the_first_is_one(file):
    pose = [0.0, 92.0, 0.0, *[0.0] * 15]
    assert len(rg.mocap.load(file(walker(walking(3, first=pose))))) == 3
    assert len(rg.mocap.load(file(walker(walking(2, first=pose))))) == 3
    with pytest.raises(rg.FileError, match="one frame only"):
        rg.mocap.load(file(walker([pose])), keep_first_frame=False)


def test_positions_of_other_joints_are_in_place_of_the_offset_or_added(file):
    text = """HIERARCHY
ROOT a
{ OFFSET 0 0 0
CHANNELS 3 Xposition Yposition Zposition
JOINT b
{ OFFSET 0 2 0
CHANNELS 1 Yposition
End Site
{ OFFSET 0 0 1
} } }
MOTION
Frames: 2
Frame Time: 0.1
1 1 1 %s
1 1 1 %s
"""
    whole = rg.mocap.load(file(text % (2.1, 1.9)), up="z", scale=1)
    np.testing.assert_allclose(whole.points()[:, 1], [[1, 3.1, 1], [1, 2.9, 1]])
    assert told(whole, "'b'", "in place of")
    added = rg.mocap.load(file(text % (0.1, -0.1)), up="z", scale=1)
    np.testing.assert_allclose(added.points()[:, 1], [[1, 3.1, 1], [1, 2.9, 1]])
    assert told(added, "'b'", "added")


def test_missing_numbers_stay_missing_and_are_told(file):
    rows = walking()
    rows[3][5], rows[4][5] = "NaN", "-1.#IND"
    rec = rg.mocap.load(file(walker(rows)))
    assert np.flatnonzero(np.isnan(rec.turns[:, 0]).any(axis=(1, 2))).tolist() == [3, 4]
    assert told(rec, "NaN", "4 to 5")


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b""])
def test_marks_blanks_and_other_line_ends_do_no_harm(file, start):
    plain = rg.mocap.load(file(walker(walking())))
    text = walker(walking()).replace("MOTION", " Motion ").replace("Frames: ", "FRAMES:\t").replace("\n", "\r\n")
    odd = rg.mocap.load(file(start + (text + "\r\n\r\n").encode(), "odd.BVH"))
    np.testing.assert_array_equal(odd.turns, plain.turns)
    old = rg.mocap.load(file(walker(walking()).replace("\n", "\r"), "old.bvh"))
    np.testing.assert_array_equal(old.turns, plain.turns)
    wide = rg.mocap.load(file(walker(walking()).encode("utf-16"), "wide.bvh"))
    np.testing.assert_array_equal(wide.turns, plain.turns)
    tight = rg.mocap.load(file(walker(walking()).replace("Spine\n  {", "Upper  Spine{"), "tight.bvh"))
    assert tight.bones[1].name == "Upper Spine"


def test_names_that_are_there_twice_get_a_number_and_letters_of_others_are_read(file):
    rec = rg.mocap.load(file(walker(walking()).replace("LeftFoot", "LeftLeg")))
    assert [bone.name for bone in rec.bones][3:] == ["LeftLeg", "LeftLeg_2"]
    assert rec.bones[4].parent == "LeftLeg"
    assert told(rec, "LeftLeg_2")
    rec = rg.mocap.load(file(walker(walking()).replace("Spine", "Rücken").encode("latin-1")))
    assert rec.bones[1].name == "Rücken"
    assert told(rec, "Latin-1")


def test_more_frames_than_declared_are_read_and_told(file):
    rec = rg.mocap.load(file(walker(walking(), frames=18)))
    assert len(rec) == 20
    assert told(rec, "18", "20")


GOOD = walker(walking())

DAMAGED = {
    "empty": ("", ["empty"]),
    "blank": ("\n \n\t\n", ["empty"]),
    "another kind": ("PathFileType\t4\t(X/Y/Z)\n", ["line 1", "HIERARCHY"]),
    "binary": (b"\x50\x00\x01\xff" * 40, ["line 1", "no text"]),
    "no motion": (GOOD.split("MOTION")[0], ["MOTION"]),
    "cut in the hierarchy": (GOOD[:300], ["line 14", "MOTION"]),
    "cut in the motion": (GOOD[: GOOD.rindex("\n", 0, -2) + 1], ["line 56", "19 frames", "20", "line 36"]),
    "cut in a row": (GOOD[:-60], ["line 57", "values, not 18"]),
    "a word": (GOOD.replace("92.0", "ninety", 1), ["line 38", "value 2", "'ninety'"]),
    "a comma": (GOOD.replace("92.0", "92,0", 1), ["line 38", "decimal commas"]),
    "underscores": (GOOD.replace("92.0", "9_2", 1), ["line 38", "'9_2'"]),
    "other digits": (GOOD.replace("92.0", "٩٢", 1), ["line 38"]),
    "infinite": (GOOD.replace("92.0", "1e999", 1), ["line 38", "number 2"]),
    "no frame": (walker([]), ["no frame"]),
    "frames not counted": (GOOD.replace("Frames: 20", "Frames: many"), ["line 36", "'many'"]),
    "a part of a frame": (GOOD.replace("Frames: 20", "Frames: 19.5"), ["line 36"]),
    "no frames line": (GOOD.replace("Frames: 20\n", ""), ["line 37", "Frames:"]),
    "no frame time": (GOOD.replace("Frame Time: 0.01\n", ""), ["line 37", "Frame Time:"]),
    "frame time 0": (GOOD.replace("Time: 0.01", "Time: 0"), ["line 37", "Frame Time", "more than 0"]),
    "frame time NaN": (GOOD.replace("Time: 0.01", "Time: nan"), ["line 37"]),
    "two roots": (GOOD.replace("MOTION", "ROOT Other\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION"), ["line 35", "second ROOT"]),
    "a root inside": (GOOD.replace("JOINT LeftLeg", "ROOT LeftLeg"), ["line 20", "ROOT"]),
    "brace missing": (GOOD.replace("}\nMOTION", "MOTION"), ["'}'"]),
    "brace too many": (GOOD.replace("}\nMOTION", "}\n}\nMOTION"), ["line 35", "'}'"]),
    "no brace": (GOOD.replace("JOINT Spine\n  {", "JOINT Spine"), ["line 7", "'{'"]),
    "no name": (GOOD.replace("JOINT Spine", "JOINT"), ["line 6", "no name"]),
    "no offset": (GOOD.replace("    OFFSET 0 30 0\n", ""), ["line 6", "'Spine'", "OFFSET"]),
    "short offset": (GOOD.replace("OFFSET 0 30 0", "OFFSET 0 30"), ["line 8", "three"]),
    "offset no number": (GOOD.replace("OFFSET 0 30 0", "OFFSET 0 x 0"), ["line 8", "'x'"]),
    "second offset": (GOOD.replace("OFFSET 0 30 0", "OFFSET 0 30 0\nOFFSET 0 0 0"), ["line 9", "second"]),
    "unknown channel": (GOOD.replace("Zposition", "Zscale"), ["line 5", "'Zscale'"]),
    "channel twice": (GOOD.replace("Zposition", "Yposition"), ["line 5", "twice"]),
    "wrong count of channels": (GOOD.replace("CHANNELS 6", "CHANNELS 5"), ["line 5", "'Xrotation'"]),
    "channels twice": (GOOD.replace("OFFSET 0 30 0", "CHANNELS 0\nOFFSET 0 30 0"), ["line 10", "twice"]),
    "a strange word": (GOOD.replace("OFFSET 0 30 0", "SCALE 0 30 0"), ["line 8", "'SCALE'"]),
    "end site not closed": (GOOD.replace("OFFSET 0 15 0", "OFFSET 0 15 0 0"), ["line 16", "End Site"]),
    "nothing moves": ("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 1\n\n", ["line 6", "channel"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_refused_with_its_line(file, kind):
    text, words = DAMAGED[kind]
    path = file(text)
    assert_refused(path, [str(path), *words])


def test_what_cannot_be_a_bvh_file_is_not_written(tmp_path):
    rec = random_recording(0)
    for bad, words in (
        (rg.mocap.Recording("", np.arange(3.0)), "no moving skeleton"),
        (rg.mocap.Recording("", np.array([*rec.t[:-1], 9.0]), rec.bones, rec.turns, rec.origins), "evenly"),
        (
            rg.mocap.Recording("", rec.t, (rec.bones[0]._replace(name="a{b"), *rec.bones[1:]), rec.turns, rec.origins),
            "cannot be the name",
        ),
    ):
        with pytest.raises(rg.ModelError, match=words):
            bad.save(tmp_path / "no.bvh")
    assert not list(tmp_path.iterdir())


def test_a_real_walk(shared_data):
    rec = rg.mocap.load(shared_data("mocap/bvh/02_01.bvh"))
    assert len(rec) == 343  # of 344, for the first is a T-pose
    assert told(rec, "first frame")
    assert rec.rate == pytest.approx(120, rel=1e-5)
    assert len(rec.bones) == 31
    assert told(rec, "CMU")
    points = rec.points()
    tall = np.ptp(points[..., 2], axis=1) + 0.2  # the joints of head and toes are that far inside of the body
    assert 1.45 < tall.min() < tall.max() < 1.75
    assert -0.05 < points[..., 2].min() < 0.1
    way = points[-1, 0] - points[0, 0]
    assert np.hypot(*way[:2]) == pytest.approx(3.36, abs=0.02)
    assert abs(way[2]) < 0.1


@pytest.mark.parametrize(("name", "frames"), [("07_01", 316), ("16_17", 518)])
def test_other_real_ones(shared_data, name, frames):
    rec = rg.mocap.load(shared_data(f"mocap/bvh/{name}.bvh"))
    assert len(rec) == frames
    assert len(rg.mocap.load(shared_data(f"mocap/bvh/{name}.bvh"), keep_first_frame=True)) == frames + 1
