"""Pictures of any mechanism: what is in them, where the floor is, which meshes are drawn, and what is told of the others."""

import json
import math
import shutil
import struct
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

import regraft as rg
from regraft.show.meshes import read_surface
from regraft.show.outlines import not_drawn, outlines_of
from regraft.show.portraits import Still
from regraft.show.room import upright
from regraft.show.scene import Scene
from regraft.show.scenery import Camera
from regraft.show.shading import shaded_triangles

CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SQUARES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
TRIANGLES = [(a, b, c) for a, b, c, _ in SQUARES] + [(a, c, d) for a, _, c, d in SQUARES]


def binary_stl(path):
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *CUBE[list(face)].ravel(), 0) for face in TRIANGLES)
    path.write_bytes(bytes(80) + struct.pack("<I", len(TRIANGLES)) + records)


def text_stl(path):
    lines = [f"vertex {x} {y} {z}" for face in TRIANGLES for x, y, z in CUBE[list(face)]]
    path.write_text("solid cube\n" + "\n".join(lines) + "\nendsolid\n")


def squares_obj(path):
    faces = (" ".join(f"{corner + 1}/1/1" for corner in square) for square in SQUARES)
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CUBE) + "".join(f"f {face}\n" for face in faces))


def backward_obj(path):
    faces = (" ".join(str(corner - 8) for corner in face) for face in TRIANGLES)
    path.write_text("".join(f"v {x} {y} {z} 0.5 0.5 0.5\n" for x, y, z in CUBE) + "".join(f"f {face}\n" for face in faces))


def area(surface):
    a, b, c = (surface.points[surface.faces[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def volume(surface):
    a, b, c = (surface.points[surface.faces[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum()) / 6.0


@pytest.mark.parametrize(
    ("name", "written"),
    [("a.stl", binary_stl), ("a.STL", text_stl), ("a.obj", squares_obj), ("b.obj", backward_obj)],
    ids=["binary", "text", "squares", "counted from the end"],
)
def test_a_mesh_is_read_whole(tmp_path, name, written):
    written(tmp_path / name)
    surface = read_surface(str(tmp_path / name))
    assert len(surface.points) == 8
    assert len(surface.faces) == 12
    assert area(surface) == pytest.approx(6.0)
    assert volume(surface) == pytest.approx(1.0)


def test_a_fine_mesh_becomes_coarser_and_stays_where_it_is(tmp_path):
    across, around = 80, 160
    heights, turns = np.linspace(0, math.pi, across), np.linspace(0, 2 * math.pi, around)
    ball = np.array([(math.sin(h) * math.cos(t), math.sin(h) * math.sin(t), math.cos(h)) for h in heights for t in turns])
    corner = [(i * around + j, (i + 1) * around + j) for i in range(across - 1) for j in range(around - 1)]
    faces = [f"f {a + 1} {b + 1} {b + 2} {a + 2}\n" for a, b in corner]
    (tmp_path / "ball.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in ball) + "".join(faces))
    surface = read_surface(str(tmp_path / "ball.obj"))
    assert len(surface.faces) < 0.5 * 2 * len(faces)
    assert np.abs(np.linalg.norm(surface.points, axis=1) - 1.0).max() < 1e-12
    assert volume(surface) == pytest.approx(4 * math.pi / 3, rel=0.1)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.stl", "nothing"), ("a.obj", "f 1 2 3\n"), ("a.obj", "v 0 0 0\nf x y z\n"), ("a.dae", ""), ("gone.stl", None)],
)
def test_what_is_no_mesh_is_an_error_with_its_name(tmp_path, name, text):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(rg.FileError, match=name):
        read_surface(str(tmp_path / name))


def test_a_mesh_that_was_changed_is_read_again(tmp_path):
    file = tmp_path / "a.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert len(read_surface(str(file)).faces) == 1
    squares_obj(file)
    assert len(read_surface(str(file)).faces) == 12


def with_mesh(path, file=None, scale=1.0):
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.box(1.0, (1, 1, 1)))
    mech.add_joint("base", rg.Fixed(), "world", "block", rg.Pose(translation=(0, 0, 2)))
    mech.add_shape("block", rg.Mesh(path, scale, file), pose=rg.Pose(translation=(0.5, 0, 0)), color=(0.0, 0.0, 1.0))
    return mech


def test_a_mesh_is_drawn_where_it_was_found_as_large_as_it_is_scaled(tmp_path):
    binary_stl(tmp_path / "cube.stl")
    mech = with_mesh("package://arm/cube.stl", str(tmp_path / "cube.stl"), (2.0, 1.0, 1.0))
    (outline,) = outlines_of(mech, mech.state())
    assert outline.points.min(axis=0) == pytest.approx((0.5, 0, 0))
    assert outline.points.max(axis=0) == pytest.approx((2.5, 1, 1))
    assert not_drawn(mech) == []
    mech.draw(mech.state(), tmp_path / "block.png")
    with Image.open(tmp_path / "block.png") as picture:
        seen = np.asarray(picture.convert("RGB"), int)
    blue = (seen[..., 2] > 60) & (seen[..., :2] < 20).all(axis=2)
    assert blue.mean() > 0.2
    assert len(np.unique(seen[blue], axis=0)) >= 3  # three sides of a block, each in its own light


def test_a_mesh_that_is_not_there_is_told_and_a_stick_stands_for_it(tmp_path):
    mech = with_mesh("package://arm/gone.stl")
    (outline,) = outlines_of(mech, mech.state())
    assert outline.faces is None
    with pytest.warns(rg.RegraftWarning, match=r"1 meshes are not drawn.*gone\.stl.*packages="):
        mech.draw(mech.state(), tmp_path / "block.png")
    mech.add_shape("block", rg.Box((1, 1, 1)))
    assert not_drawn(mech) == []


def test_what_faces_the_light_is_lighter_and_both_sides_are_seen():
    level, upside_down, steep = np.array(
        [[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(0, 0, 0), (0, 0.1, 0), (0.05, 0, -1)]], float
    )
    found = shaded_triangles(np.array([level, upside_down, steep, np.zeros((3, 3))]), "#808080")
    assert len(found) == 3  # a triangle without an area is none
    assert found[0][2] == found[1][2]
    assert sum(to_rgb(found[2][2])) < sum(to_rgb(found[0][2])) <= 3 * 0x80 / 255


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (0, 0, 9.81), (3, 4, -5), (0, 0, 0)])
def test_up_is_where_gravity_does_not_pull(gravity):
    turn = upright(np.array(gravity, float))
    size = math.sqrt(sum(part**2 for part in gravity))
    assert turn.rotation @ np.array(gravity) == pytest.approx((0, 0, -size), abs=1e-12)
    assert np.linalg.det(turn.rotation) == pytest.approx(1.0)


@pytest.mark.parametrize(("height", "level"), [(0.3, 0.0), (-2.0, -2.05), (50.0, 49.95)])
def test_the_floor_is_at_zero_or_where_the_lowest_point_is(height, level):
    mech = rg.Mechanism()
    for name, x in (("a", 0.0), ("b", 1.0)):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.05))
        mech.add_joint(name, rg.Fixed(), "world", name, rg.Pose(translation=(x, 0, height)))
        mech.add_shape(name, rg.Sphere(0.05))
    scene = Scene(Camera(0.0, 20.0), Still(mech, mech.state(), np.zeros(1)), 1, 1, fitted=True)
    assert [points[0, 2] for _, points in scene._placed(0.0)] == pytest.approx([height - level] * 2)
    assert not scene.floor[:, 2].any()


@pytest.mark.parametrize("size", [0.01, 1.0, 300.0])
def test_a_mechanism_of_any_size_fills_the_paper(tmp_path, size):
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, size)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "rod")
    mech.add_shape("rod", rg.Capsule(0.05 * size, (0, 0, 0), (0, 0, size)), color=(1, 0, 0))
    with Image.open(mech.draw(mech.state(), tmp_path / "rod.png")) as picture:
        seen = np.asarray(picture.convert("RGB"), int)
    red = (seen[..., 0] > 200) & (seen[..., 1:] < 60).all(axis=2)
    assert np.ptp(np.flatnonzero(red.any(axis=1))) > 0.6 * seen.shape[0]


def pendulum_of(length):
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -length)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "rod")
    mech.add_shape("rod", rg.Capsule(0.05 * length, (0, 0, 0), (0, 0, -length)), color=(1, 0, 0))
    return mech, mech.state(q={"hinge": 0.4})


@pytest.mark.parametrize("length", [0.001, 1.0, 1000.0])
def test_the_times_of_a_strip_are_below_its_poses_whatever_the_size(tmp_path, length):
    traj = rg.simulate(*pendulum_of(length), 0.2)
    with Image.open(traj.strip(tmp_path / "strip.png", poses=3, azimuth=0)) as picture:
        seen = np.asarray(picture.convert("RGB"), int)
    red = (seen[..., 0] > 200) & (seen[..., 1:] < 60).all(axis=2)
    dark = (seen < 100).all(axis=2)  # what is written
    lowest = np.flatnonzero(red.any(axis=1)).max()
    rows = np.flatnonzero(dark.any(axis=1))
    assert rows.min() > lowest
    assert rows.max() < seen.shape[0] - 2
    assert rows.max() - lowest < 0.45 * seen.shape[0]


def test_motions_are_drawn_side_by_side_and_as_a_moving_picture(tmp_path):
    traj = rg.simulate(*rg.models.pendulum().start, 0.4)
    with Image.open(traj.strip(tmp_path / "strip.png", poses=4, azimuth=0)) as picture:
        assert picture.width > 2 * picture.height
    with Image.open(traj.animate(tmp_path / "swings.gif", slower=2.0, fps=10, azimuth=0)) as picture:
        assert picture.n_frames == 9
        assert picture.info["duration"] == 100


FFMPEG = """#!{python}
import json, sys
picture = sys.stdin.buffer.read()
if "fails" in sys.argv[-1]:
    sys.exit("no such codec")
with open(sys.argv[-1], "w") as file:
    json.dump([sys.argv[1:], len(picture)], file)
"""


@pytest.fixture
def ffmpeg(tmp_path):
    """A program that writes how it was called and how many bytes of pictures it got."""
    program = tmp_path / "ffmpeg"
    program.write_text(FFMPEG.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    with mpl.rc_context({"animation.ffmpeg_path": str(program)}):
        yield


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
@pytest.mark.usefixtures("ffmpeg")
def test_videos_are_written_by_ffmpeg(tmp_path):
    traj = rg.simulate(*rg.models.pendulum().start, 0.4)
    (tmp_path / "out").mkdir()
    told, size = json.loads(traj.animate(tmp_path / "out" / "swings.mp4", slower=2.0, fps=10, azimuth=0).read_text())
    wide, high = map(int, told[told.index("-s") + 1].split("x"))
    assert wide % 2 == high % 2 == 0
    assert size == 9 * wide * high * 4
    assert float(told[told.index("-framerate") + 1]) == 10.0
    assert told[told.index("-pix_fmt", told.index("-vcodec", 6)) + 1] == "yuv420p"  # which all players know
    with pytest.raises(rg.RegraftError, match=r"'fails\.mp4': ffmpeg could not write it: .*no such codec"):
        traj.animate(tmp_path / "out" / "fails.mp4", fps=5)
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["swings.mp4"]


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_the_real_ffmpeg_writes_a_video(tmp_path):
    video = rg.simulate(*rg.models.pendulum().start, 0.4).animate(tmp_path / "swings.mp4", fps=10)
    assert video.read_bytes()[4:8] == b"ftyp"


def test_without_ffmpeg_it_is_said_what_to_install(tmp_path):
    traj = rg.simulate(*rg.models.pendulum().start, 0.1)
    with mpl.rc_context({"animation.ffmpeg_path": "/nowhere/ffmpeg"}), pytest.raises(rg.RegraftError, match="apt install ffmpeg"):
        traj.animate(tmp_path / "swings.mp4")
    assert not list(tmp_path.iterdir())


def test_wrong_wishes_are_told(tmp_path):
    mech, state = rg.models.pendulum().start
    traj = rg.simulate(mech, state, 0.1)
    with pytest.raises(rg.FileError, match=r"such a picture is a \.png file"):
        mech.draw(state, tmp_path / "a.jpg")
    with pytest.raises(rg.FileError, match=r"such a picture is a \.gif or \.mp4 file"):
        traj.animate(tmp_path / "a.avi")
    with pytest.raises(rg.ModelError, match="elevation must be above 0"):
        mech.draw(state, tmp_path / "a.png", elevation=-10)
    with pytest.raises(rg.ModelError, match="two poses or more, not 1"):
        traj.strip(tmp_path / "a.png", poses=1)
    with pytest.raises(rg.ModelError, match="slower and fps must be positive"):
        traj.animate(tmp_path / "a.gif", fps=0)
    with pytest.raises(rg.ModelError, match="100001 frames"):
        traj.animate(tmp_path / "a.gif", slower=1e6, fps=1)
    with pytest.raises(rg.ModelError, match="another structure"):
        mech.draw(rg.models.four_bar().start[1], tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
