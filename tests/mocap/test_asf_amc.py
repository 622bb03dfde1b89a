"""ASF and AMC files: where bones are, by hand and against the same walk in a BVH file; what is refused."""

import numpy as np
import pytest
from own_files import assert_refused, rotate

import regraft as rg
from regraft.mocap.formats.asf_amc import read_asf

ASF = """# by hand
:version 1.10
:name own
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  nothing
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name trunk
    direction 0 1 0
    length 9
    axis 0 0 0 XYZ
    dof rx ry rz
    limits (-10 10)
           (-10 10)
           (-10 10)
  end
  begin
    id 2
    name head
    direction 0 1 0
    length 4
    axis 0 0 0 XYZ
  end
  begin
    id 3
    name leg
    direction 0.6 -0.8 0
    length 15
    axis 10 -20 30 XYZ
    dof rz rx
  end
  begin
    id 4
    name foot
    direction 0 0 1
    length 2
    axis 0 90 0 ZYX
    dof ry
  end
:hierarchy
  begin
    root trunk leg
    trunk head
    leg foot
  end
"""
AMC = """#!OML:ASF own.asf
:FULLY-SPECIFIED
:DEGREES
"""
METRE = 0.0254 / 0.45


def frame(number, root, trunk=(0, 0, 0), leg=(0, 0), foot=(0,)):
    rows = {"root": root, "trunk": trunk, "leg": leg, "foot": foot}
    return "\n".join([str(number), *(" ".join([name, *map(str, values)]) for name, values in rows.items()), ""])


FRAMES = [
    ((1, 20, 3, 0, 0, 0), (0, 0, 0), (0, 0), (0,)),
    ((1.5, 20, 3.5, 10, 20, 30), (5, -6, 7), (40, -50), (25,)),
    ((2, 20, 4, -10, 5, 80), (1, 2, 3), (4, 5e0), (-6e-1,)),
]
MOTION = AMC + "".join(frame(k, *values) for k, values in enumerate(FRAMES, 1))


@pytest.fixture
def pair(tmp_path):
    def made(asf=ASF, amc=MOTION, names=("own.asf", "own.amc")):
        for name, text in zip(names, (asf, amc), strict=True):
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / names[1]

    return made


def told(rec, *words):
    return [note for note in rec.notes if all(word in note for word in words)]


def turned(turns, vector):
    """By (axis, degrees) one after another, about fixed axes."""
    for axis, degrees in turns:
        vector = rotate(axis, degrees, vector)
    return np.array(vector)


def by_hand(root, trunk, leg):
    """Where the joints and the ends are, from the definition: C M C⁻¹, with the axes C turned in the order that they say."""
    hip = np.array(root[:3], dtype=float)

    def of_root(v):
        return turned(zip("XYZ", root[3:], strict=True), v)

    neck = hip + of_root(turned(zip("XYZ", trunk, strict=True), [0, 9, 0]))
    axes = (("X", 10), ("Y", -20), ("Z", 30))
    back = tuple((axis, -angle) for axis, angle in reversed(axes))

    def of_leg(v):
        return of_root(turned((*back, ("Z", leg[0]), ("X", leg[1]), *axes), v))

    ankle = hip + of_leg([9, -12, 0])
    return {"root": hip, "trunk": hip, "leg": hip, "head": neck, "foot": ankle}, of_leg


def test_bones_are_where_the_definition_has_them(pair):
    rec = rg.mocap.load(pair())
    places = {bone.name: k for k, bone in enumerate(rec.bones)}
    assert {bone.name: bone.parent for bone in rec.bones} == {
        "root": None, "trunk": "root", "leg": "root", "head": "trunk", "foot": "leg",
    }  # fmt: skip
    assert told(rec, "CMU")
    assert told(rec, "120")
    np.testing.assert_allclose(rec.t, [0, 1 / 120, 2 / 120])
    axes, joints = rec.poses()
    for k, values in enumerate(FRAMES):
        expected, of_leg = by_hand(*values[:3])
        for name, place in expected.items():
            x, y, z = METRE * place
            np.testing.assert_allclose(joints[k, places[name]], [x, -z, y], atol=1e-14)
        tip = axes[k, places["foot"]] @ rec.bones[places["foot"]].tips[0] / METRE
        x, y, z = of_leg(turned((("Y", -90), ("Y", values[3][0]), ("Y", 90)), [0, 0, 2]))
        np.testing.assert_allclose(tip, [x, -z, y], atol=1e-14)
    assert [len(bone.tips) for bone in rec.bones] == [0, 0, 0, 1, 1]


def test_radians_and_rates_are_taken_as_they_are(pair):
    plain = rg.mocap.load(pair())
    rows = [[values[0][:3] + tuple(np.radians(values[0][3:])), *map(np.radians, values[1:])] for values in FRAMES]
    text = ":FULLY-SPECIFIED\n:RADIANS\n:SAMPLES-PER-SECOND 60\n" + "".join(
        frame(k, *(tuple(map(float, v)) for v in values)) for k, values in enumerate(rows, 1)
    )
    rec = rg.mocap.load(pair(amc=text))
    np.testing.assert_allclose(rec.turns, plain.turns, atol=1e-15)
    assert rec.rate == pytest.approx(60)
    assert not told(rec, "120")
    assert rg.mocap.load(pair(amc=text), rate=50).rate == pytest.approx(50)
    skeleton = (
        ASF.replace("deg", "rad")
        .replace("10 -20 30", " ".join(map(str, np.radians([10, -20, 30]))))
        .replace("0 90 0", f"0 {np.pi / 2} 0")
    )
    np.testing.assert_allclose(rg.mocap.load(pair(skeleton, text)).turns, plain.turns, atol=1e-15)


def test_the_skeleton_is_found_beside_or_where_it_is_said(pair, tmp_path):
    plain = rg.mocap.load(pair())
    for names in (("02.asf", "02_01.amc"), ("02_01.ASF", "02_01.AMC")):
        for old in tmp_path.iterdir():
            old.unlink()
        np.testing.assert_array_equal(rg.mocap.load(pair(names=names)).turns, plain.turns)
    for old in tmp_path.iterdir():
        old.unlink()
    only = rg.mocap.load(pair(names=("any.asf", "walk.amc")))
    assert told(only, "'any.asf'", "skeleton=")
    (tmp_path / "another.asf").write_text(ASF)
    with pytest.raises(rg.FileError, match=r"(?s)'another.asf', 'any.asf'.*skeleton="):
        rg.mocap.load(tmp_path / "walk.amc")
    rec = rg.mocap.load(tmp_path / "walk.amc", skeleton=tmp_path / "any.asf")
    np.testing.assert_array_equal(rec.turns, plain.turns)
    with pytest.raises(rg.FileError, match=r"nowhere\.asf"):
        rg.mocap.load(tmp_path / "walk.amc", skeleton=tmp_path / "nowhere.asf")
    for old in tmp_path.glob("*.asf"):
        old.unlink()
    with pytest.raises(rg.FileError, match="none beside it"):
        rg.mocap.load(tmp_path / "walk.amc")
    with pytest.raises(rg.FileError, match=r"load the \.amc file"):
        rg.mocap.load(tmp_path / "any.asf")


def test_another_unit_of_length_is_guessed_and_can_be_given(pair):
    rec = rg.mocap.load(pair(ASF.replace("length 0.45", "length 1.0")))
    assert told(rec, "CMU")  # by its height
    metres = rg.mocap.load(pair(ASF.replace("length 0.45", "length 1.0")), scale=0.05)
    np.testing.assert_allclose(metres.points()[0, 0], [0.05, -0.15, 1.0])


def test_what_is_missing_is_told(pair):
    rec = rg.mocap.load(pair(amc=MOTION.replace("\n3\n", "\n7\n")))
    assert told(rec, "missing", "3 to 6")
    np.testing.assert_allclose(rec.t, [0, 1 / 120, 6 / 120])
    still = "\n".join(line for line in MOTION.splitlines() if not line.startswith("foot"))
    assert told(rg.mocap.load(pair(amc=still)), "'foot'", "not turned")


def test_a_bone_may_move_and_grow(pair):
    asf = ASF.replace("dof rx ry rz", "dof tx l")
    rows = "".join("\n".join([str(k), "root 0 0 0 0 0 0", f"trunk {k} 1", "leg 0 0", "foot 0", ""]) for k in (1, 2))
    points = rg.mocap.load(pair(asf, AMC + rows), scale=1, up="z").points()
    np.testing.assert_allclose(points[:, 1], [[1, 0, 0], [2, 0, 0]])
    np.testing.assert_allclose(points[:, 3], [[1, 10, 0], [2, 10, 0]])


DAMAGED_AMC = {
    "empty": ("", ["empty"]),
    "another kind": (ASF, ["own.amc", "another kind"]),
    "no frame": (AMC, ["line 3", "cut off"]),
    "an unknown bone": (MOTION.replace("trunk", "tail", 1), ["line 6", "'tail'", "'trunk'", "own.asf"]),
    "too few values": (MOTION.replace("leg 0 0", "leg 0"), ["line 7", "'leg'", "1 values, not 2"]),
    "too many values": (MOTION.replace("leg 0 0", "leg 0 0 0"), ["line 7", "3 values, not 2"]),
    "a word": (MOTION.replace("leg 0 0", "leg 0 x"), ["line 7", "'x'"]),
    "cut off": (MOTION[: MOTION.rindex("leg")], ["line 14", "'leg', 'foot'", "cut off"]),
    "twice": (MOTION.replace("leg 0 0", "leg 0 0\nleg 0 0", 1), ["line 8", "twice"]),
    "appears later": (MOTION.replace("foot 0\n", "", 1), ["line 12", "'foot'", "before"]),
    "backwards": (MOTION.replace("\n3\n", "\n2\n"), ["line 14", "after frame 2"]),
    "no root": ("\n".join(line for line in MOTION.splitlines() if not line.startswith("root")), ["root"]),
    "a very long number": (MOTION.replace("\n3\n", "\n" + 5000 * "3" + "\n"), ["line 14", "number of a frame"]),
    "rate 0": (MOTION.replace(":DEGREES", ":SAMPLES-PER-SECOND 0"), ["line 3", "rate"]),
    "huge": (MOTION.replace("leg 0 0", "leg 0 1e200"), ["line 7"]),
}
DAMAGED_ASF = {
    "empty": ("", ["own.asf", "empty"]),
    "another kind": (MOTION, ["own.asf"]),
    "cut off": (ASF[: ASF.index(":hierarchy")], [":hierarchy", "cut off"]),
    "cut in a bone": (ASF[: ASF.index("dof ry")] + ASF[ASF.index(":hierarchy") :], ["line 42", "'end'"]),
    "bone twice": (ASF.replace("name head", "name leg"), ["'leg'", "second"]),
    "no name": (ASF.replace("    name head\n", ""), ["line 27", "no name"]),
    "name with blanks": (ASF.replace("name head", "name my head"), ["line 27", "blanks"]),
    "unknown bone": (ASF.replace("trunk head", "trunk tail"), ["line 53", "'tail'"]),
    "loose bone": (ASF.replace("    leg foot\n", ""), ["'foot'", "hang on nothing"]),
    "two parents": (ASF.replace("leg foot", "leg foot head"), ["line 54", "'head'", "two parents"]),
    "circle": (
        ASF.replace("root trunk leg", "root trunk").replace("leg foot", "leg foot\nfoot leg"),
        ["'leg'", "hang on nothing"],
    ),
    "no number": (ASF.replace("length 15", "length long"), ["line 38", "'long'"]),
    "two numbers": (ASF.replace("direction 0 1 0", "direction 0 1", 1), ["line 19", "three"]),
    "strange freedom": (ASF.replace("dof rz rx", "dof rz rq"), ["line 40", "'rq'"]),
    "freedom twice": (ASF.replace("dof rz rx", "dof rz rz"), ["line 40", "twice"]),
    "strange order": (ASF.replace("10 -20 30 XYZ", "10 -20 30 XYY"), ["line 39", "'XYY'"]),
    "strange angle": (ASF.replace("angle deg", "angle grad"), ["line 7", "'grad'"]),
    "length 0": (ASF.replace("length 0.45", "length 0"), ["line 6", "more than 0"]),
    "nested": (ASF.replace("    id 2", "begin\n    id 2"), ["line 28", "'end'"]),
    "section twice": (ASF + ":root\n", ["second section :root"]),
}


@pytest.mark.parametrize("kind", DAMAGED_AMC)
def test_a_damaged_motion_is_refused_with_its_line(pair, kind):
    text, words = DAMAGED_AMC[kind]
    assert_refused(pair(amc=text), ["own.amc", *words])


@pytest.mark.parametrize("kind", DAMAGED_ASF)
def test_a_damaged_skeleton_is_refused_with_its_line(pair, kind):
    text, words = DAMAGED_ASF[kind]
    assert_refused(pair(asf=text), ["own.asf", *words])


@pytest.mark.parametrize("rate", [0, -1, float("nan")])
def test_a_rate_that_is_none_is_refused(pair, rate):
    with pytest.raises(rg.ModelError, match="rate"):
        rg.mocap.load(pair(), rate=rate)


def test_a_real_walk_turns_its_limbs_as_the_same_walk_in_a_bvh_file(shared_data):
    acclaim = rg.mocap.load(shared_data("mocap/asfamc/02_01.amc"), skeleton=shared_data("mocap/asfamc/12.asf"))
    biovision = rg.mocap.load(shared_data("mocap/bvh/02_01.bvh"))
    assert len(read_asf(shared_data("mocap/asfamc/12.asf")).bones) == 31
    assert len(acclaim) == len(biovision) == 343
    np.testing.assert_allclose(acclaim.points()[:, 0], biovision.points()[:, 0], atol=1e-5)

    def along(rec, start, end):
        places = {bone.name: k for k, bone in enumerate(rec.bones)}
        way = rec.points()[:, places[end]] - rec.points()[:, places[start]]
        return way / np.linalg.norm(way, axis=1, keepdims=True)

    for ours, theirs in {  # limbs that the two subjects have in the same direction when they stand
        ("lfemur", "ltibia"): ("LeftUpLeg", "LeftLeg"),
        ("rtibia", "rfoot"): ("RightLeg", "RightFoot"),
        ("rhumerus", "rradius"): ("RightArm", "RightForeArm"),
        ("lradius", "lwrist"): ("LeftForeArm", "LeftHand"),
    }.items():
        np.testing.assert_allclose(along(acclaim, *ours), along(biovision, *theirs), atol=1e-5)
