"""Damaged and hostile URDF files: errors that name the file, in bounded time and memory."""

from __future__ import annotations

import os
import random
import time
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import regraft as rg
from robots.example_robots import FILES, WITHOUT, label
from robots.small_robots import ARM, chain, read, written

LINK, JOINT = '<link name="{}"/>', '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/></joint>'


def robot(*parts):
    return '<robot name="r">\n' + "\n".join(parts) + "\n</robot>"


BAD = {
    "empty": ("", "is empty"),
    "a text": ("# robot", "is not XML"),
    "another root": ("<sdf/>", r"line 1: the outermost element is <sdf>"),
    "no links": ('<robot name="r"/>', r"line 1: the robot has no <link>"),
    "an entity bomb": ('<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot name="r">&b;</robot>', "DOCTYPE"),
    "an external entity": ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot name="r"/>', "DOCTYPE"),
    "an unknown entity": ('<robot name="r">&b;</robot>', "is not XML"),
    "too deep": ('<robot name="r">' + "<gazebo>" * 300 + "</gazebo>" * 300 + "</robot>", "more than 200 deep"),
    "too deep in a link": (
        '<robot name="r"><link name="a">' + "<b>" * 300 + "</b>" * 300 + "</link></robot>",
        "more than 200 deep",
    ),
    "two links of one name": (
        robot(LINK.format("a"), LINK.format("a")),
        r"line 3: there are two links 'a'; the other is in line 2",
    ),
    "a link without a name": (robot("<link/>"), r"line 2: a <link> has no name"),
    "a name that cannot be shown": (robot(LINK.format("a&#9;b")), "line 2"),
    "two roots": (robot(LINK.format("a"), LINK.format("b")), r"line 3: the robot has 2 roots: 'a', 'b'"),
    "a cycle": (
        robot(
            *map(LINK.format, "abc"),
            JOINT.format("j", "fixed", "a", "b"),
            JOINT.format("k", "fixed", "b", "c"),
            JOINT.format("l", "fixed", "c", "a"),
        ),
        r"the joints 'l', 'k', 'j' go round in a cycle",
    ),
    "a cycle beside the root": (
        robot(*map(LINK.format, "abc"), JOINT.format("j", "fixed", "b", "c"), JOINT.format("k", "fixed", "c", "b")),
        "go round in a cycle",
    ),
    "two parents": (
        robot(*map(LINK.format, "abc"), JOINT.format("j", "fixed", "a", "c"), JOINT.format("k", "fixed", "b", "c")),
        r"line 6: the link 'c' is the child of two joints, 'j' and 'k'",
    ),
    "a joint to itself": (robot(LINK.format("a"), JOINT.format("j", "fixed", "a", "a")), "joins the link 'a' to itself"),
    "a link that is missing": (
        robot(LINK.format("a"), JOINT.format("j", "fixed", "a", "b")),
        r"line 3: the child .* 'b', which is not",
    ),
    "two joints of one name": (
        robot(*map(LINK.format, "abc"), JOINT.format("j", "fixed", "a", "b"), JOINT.format("j", "fixed", "b", "c")),
        r"line 6: there are two joints 'j'; the other is in line 5",
    ),
    "an unknown type": (
        robot(*map(LINK.format, "ab"), JOINT.format("j", "ball", "a", "b")),
        r"line 4: the joint 'j' is of the type 'ball'",
    ),
    "no parent": (robot(LINK.format("a"), '<joint name="j" type="fixed"><child link="a"/></joint>'), "does not say its parent"),
    "a link called world": (
        robot(*map(LINK.format, ("a", "world")), JOINT.format("j", "fixed", "a", "world")),
        "is not the root",
    ),
    "an axis of zero": (ARM.replace('xyz="0 0 2"', 'xyz="0 0 0"'), r"line \d+: joint 'shoulder': .* is zero"),
    "an axis of two numbers": (ARM.replace('xyz="0 0 2"', 'xyz="0 2"'), r"xyz of <axis> must have 3 numbers, not 2"),
    "a text for a number": (
        ARM.replace('mass value="2"', 'mass value="two"'),
        r"line 7: value of <mass> must be numbers, not 'two'",
    ),
    "a number of Python's": (ARM.replace('mass value="2"', 'mass value="2_0"'), "must be numbers"),
    "a mass that is not finite": (ARM.replace('mass value="2"', 'mass value="nan"'), "is not finite"),
    "a place beyond all numbers": (ARM.replace('xyz="0 0 0.2"', 'xyz="0 0 1e999"'), "is not finite"),
    "a negative damping": (ARM.replace('damping="0.3"', 'damping="-0.3"'), r"joint 'shoulder': Revolute: damping must be"),
    "a negative effort": (ARM.replace('effort="30"', 'effort="-30"'), r"joint 'shoulder': Revolute: effort"),
    "no mass": (ARM.replace('<mass value="2"/>', ""), "has no <mass>"),
    "no moment": (ARM.replace('ixx="0.02"', ""), r"<inertia> has no attribute 'ixx'"),
    "a negative radius": (ARM.replace('<sphere radius="0.1"/>', '<sphere radius="-0.1"/>'), r"link 'base': Sphere: radius"),
    "no geometry": (ARM.replace('<geometry><sphere radius="0.1"/></geometry>', ""), "has no <geometry>"),
    "two masses": (
        ARM.replace('<mass value="2"/>', '<mass value="2"/><mass value="3"/>'),
        r"link 'base' has two elements <mass>",
    ),
    "two forms": (
        ARM.replace('<sphere radius="0.1"/>', '<sphere radius="0.1"/><box size="1 1 1"/>'),
        r"<geometry> of the link 'base' has 2 forms",
    ),
    "two places of a shape": (
        ARM.replace("<geometry><sphere", "<origin/><origin/><geometry><sphere"),
        r"of the link 'base' has two elements <origin>",
    ),
    "two elements of ours": (
        ARM.replace("</robot>", '<regraft>{"version": 1}</regraft><regraft>{"version": 1}</regraft></robot>'),
        "two elements <regraft>",
    ),
    "a motor that cannot be shown": (
        ARM.replace('actuator name="motor"', 'actuator name="a&#10;b"'),
        r"line \d+: .*cannot be shown",
    ),
    "a multiplier without end": (
        ARM.replace('multiplier="0.02"', 'multiplier="1e300"'),
        r"line \d+: coupling 'slide_mimic'.*larger",
    ),
    "two origins": (ARM.replace('<axis xyz="0 0 2"/>', "<origin/><origin/>"), "has two elements <origin>"),
    "an unknown encoding": ('<?xml version="1.0" encoding="klingon"?><robot/>', "encoding klingon"),
    "a wrong encoding": ('<?xml version="1.0" encoding="ascii"?><robot name="ü"/>'.encode("latin-1"), "is not XML"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_named(case, tmp_path):
    text, message = BAD[case]
    file = tmp_path / "bad.urdf"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(rg.FileError, match=message) as caught:
        rg.read(file)
    assert "bad.urdf" in str(caught.value)


def test_other_encodings_are_read(tmp_path):
    text = ARM.replace('"upper"', '"ellbögen"').replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="{}"?>')
    for encoding in ("utf-8", "latin-1", "utf-16"):
        (tmp_path / "robot.urdf").write_bytes(text.format(encoding).encode(encoding))
        assert "ellbögen" in rg.read(tmp_path / "robot.urdf").mech.bodies


def test_elements_that_are_kept_are_kept_whole(tmp_path):
    """Also where one of the same name is in it, or a name that begins alike, a bracket, or a comment that looks like an end."""
    elements = [
        "<gazebo><gazebo><a/></gazebo><b/><gazebo/></gazebo>",
        "<gazebo><gazebo_ros>x</gazebo_ros><!-- </gazebo> --><a/></gazebo>",
        '<sensor name="a > b"/>',
        '<sensor name="c"><![CDATA[</sensor>]]></sensor>',
        "<gazebo>é &amp; &lt;</gazebo>",
    ]
    assert read(tmp_path, robot(LINK.format("a"), *elements, LINK.format("b"), JOINT.format("j", "fixed", "a", "b"))).mech.extras[
        "urdf"
    ]["elements"] == [element.replace("a > b", "a &gt; b") for element in elements]


def test_an_entity_bomb_takes_no_time_and_no_memory(tmp_path):
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 30))
    text = f'<!DOCTYPE r [<!ENTITY e0 "ha">{entities}]><robot name="&e29;"/>'
    tracemalloc.start()
    start = time.process_time()
    with pytest.raises(rg.FileError, match="DOCTYPE"):
        read(tmp_path, text)
    assert time.process_time() - start < 1.0
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


# --- any damage is a FileError or a mechanism ----------------------------------------------------------------------------


def outcome(folder, data):
    """Reads whatever it is; anything but a mechanism or a FileError is a fault."""
    file = folder / "fuzzed.urdf"
    file.write_bytes(data)
    try:
        return rg.read(file, ignore="all", inertia="repair").mech
    except rg.FileError:
        return None


fuzzing = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(st.integers(0, len(ARM)))
@fuzzing
def test_a_file_that_is_cut_off_is_an_error(tmp_path, length):
    if ARM[:length].strip() != ARM.strip():
        assert outcome(tmp_path, ARM[:length].encode()) is None


VALUES = [
    "",
    "nan",
    "inf",
    "-1",
    "1e400",
    "0",
    "a",
    "0 0 0 0",
    "shoulder",
    "base",
    "tip",
    "world",
    "fixed",
    "floating",
    "\x7f",
    "☃",
]


@given(st.randoms(use_true_random=False), st.integers(1, 4))
@fuzzing
def test_values_that_are_wrong_are_errors_or_are_told(tmp_path, rng, count):
    """Some values of attributes are replaced by others; what is read then can be written and is read back the same."""
    pieces = ARM.split('"')
    for _ in range(count):
        pieces[rng.randrange(3, len(pieces) - 1, 2)] = rng.choice(VALUES)
    mech = outcome(tmp_path, '"'.join(pieces).encode())
    if mech is not None:
        mech.save(tmp_path / "again.urdf")
        assert rg.read(tmp_path / "again.urdf", ignore="all").mech == mech


@given(st.randoms(use_true_random=False))
@fuzzing
def test_lines_that_are_left_out_doubled_or_moved(tmp_path, rng):
    lines = ARM.splitlines()
    for _ in range(rng.randint(1, 5)):
        at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(3):
            case 0:
                del lines[at]
            case 1:
                lines.insert(to, lines[at])
            case _:
                lines[at], lines[to] = lines[to], lines[at]
    outcome(tmp_path, "\n".join(lines).encode())


@pytest.mark.skipif(not FILES, reason=WITHOUT)
@pytest.mark.parametrize("file", FILES[::7], ids=label)
def test_real_files_with_random_damage(file, tmp_path):
    rng = random.Random(1)
    data = file.read_bytes()
    for _ in range(6):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(damaged))
            damaged[at : at + rng.randint(0, 40)] = rng.randbytes(rng.randint(0, 8))
        outcome(tmp_path, bytes(damaged))


# --- large files ---------------------------------------------------------------------------------------------------------


def seconds(folder, text):
    file = written(folder, text)
    start = time.process_time()
    mech = rg.read(file).mech
    return time.process_time() - start, mech


def test_time_grows_with_the_number_of_links_and_no_faster(tmp_path):
    """A chain is as deep as it is long: nothing may go into itself link by link."""
    seconds(tmp_path, chain(100))
    short, _ = seconds(tmp_path, chain(1_000))
    long, mech = seconds(tmp_path, chain(10_000))
    assert len(mech.bodies) == 10_000
    assert long < 40.0 * short
    start = time.process_time()
    mech.save(tmp_path / "again.urdf")
    assert time.process_time() - start < 20.0


@pytest.mark.slow
def test_a_hundred_thousand_links(tmp_path):
    took, mech = seconds(tmp_path, chain(100_000))
    assert len(mech.bodies) == 100_000
    assert took < 60.0
    star = robot(
        LINK.format("hub"), *(LINK.format(f"l{i}") + JOINT.format(f"j{i}", "continuous", "hub", f"l{i}") for i in range(99_999))
    )
    assert seconds(tmp_path, star)[0] < 60.0
    mech.save(tmp_path / "again.urdf")
    assert rg.read(tmp_path / "again.urdf").mech == mech


def test_what_is_no_file_is_named(tmp_path):
    (tmp_path / "folder.urdf").mkdir()
    for path, said in (
        (tmp_path / "folder.urdf", "is a folder"),
        (tmp_path / "none.urdf", "there is no file"),
        ("x" * 5000 + ".urdf", "cannot be read"),
    ):
        for function in (rg.read, rg.load):
            with pytest.raises(rg.FileError, match=said):
                function(path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.urdf")
        with pytest.raises(rg.FileError, match="is a pipe"):
            rg.read(tmp_path / "pipe.urdf")


def motors(count):
    """A robot of links in a row, with a motor at each joint."""
    links = [LINK.format(f"l{i}") for i in range(count + 1)]
    joints = [JOINT.format(f"j{i}", "continuous", f"l{i}", f"l{i + 1}") for i in range(count)]
    driven = '<transmission name="t{0}"><joint name="j{0}"/><actuator name="m{0}"/></transmission>'
    return robot(*links, *joints, *map(driven.format, range(count)))


def test_time_grows_with_the_number_of_motors_and_no_faster(tmp_path):
    seconds(tmp_path, motors(100))
    short, _ = seconds(tmp_path, motors(500))
    long, mech = seconds(tmp_path, motors(5_000))
    assert len(mech.actuators) == 5_000
    assert long < 40.0 * short  # 100 times where each is compared with all others
