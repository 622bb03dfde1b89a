"""The report on a gait: it writes what it says, its pictures show the root, and its files have all numbers."""

import csv
from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

import regraft as rg
from demonstrations import check_pictures, check_report
from regraft.mocap.formats.storage import read_storage
from regraft.show import gait_film
from regraft.show.gait_colours import LIGHT, side_of
from regraft.show.gait_film import film_of_gait
from regraft.show.gait_pictures import ARROW, GaitScene, arrow, shown_stride
from regraft.show.gait_report import write_files, write_report
from regraft.show.outlines import outlines_of
from regraft.show.style import BLUE, GREEN, ORANGE

PICTURES = ("strip.png", "time.png", "cycle.png")
WEIGHT = 70.0 * 9.81


@pytest.fixture(scope="module")
def gait():
    return rg.mocap.analyse(rg.mocap.normal_walk(cycles=3, rate=60.0).motion)


@pytest.fixture(scope="module")
def plated(gait):
    """The same motion on plates that measure what was found, a little more."""
    plates = [
        rg.mocap.Plate(side, gait.t, 1.02 * gait.reaction[side], gait.pressure[side], np.zeros((len(gait.t), 3)))
        for side in ("left", "right")
    ]
    return rg.mocap.analyse(gait.motion, plates)


@pytest.fixture(scope="module")
def written(gait, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gait") / "report"
    made = []
    files = write_files(gait, folder, drawn=lambda done, total: made.append((done, total)), said=("A walk <of> nobody.",))
    return folder, files, made


def test_it_writes_what_it_says(written):
    folder, files, made = written
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in files)
    assert {path.name for path in files} == {*PICTURES, "gait.html", "gait.csv", "gait.sto", "report.html"}
    assert files[-1] == folder / "report.html"
    assert made[-1][0] == made[-1][1]


def test_every_picture_can_be_opened_and_is_small(written):
    check_pictures(written[0], PICTURES)


def test_the_page_needs_nothing_but_itself(written, gait):
    text = unescape(check_report(written[0] / "report.html", pictures=len(PICTURES)))
    assert "A walk <of> nobody." in text
    for note in gait.notes:
        assert note in text
    for event in gait.events:
        assert f"<td>{event.time:.3f}</td><td>{event.foot}</td>" in text
    for root in set(gait.root):
        assert f"<td>{root}</td>" in text


def test_the_csv_file_has_all_digits(written, gait):
    with (written[0] / "gait.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["phase"] for row in rows] == gait.phase.tolist()
    assert [row["root"] for row in rows] == gait.root.tolist()
    for name, column in gait.columns().items():
        if name != "phase":
            assert np.array_equal([float(row[name]) for row in rows], column, equal_nan=True)


def test_the_sto_file_is_read_back(written, gait):
    table = read_storage(written[0] / "gait.sto")
    assert np.array_equal(table.t, gait.t)
    assert np.array_equal(table.columns["left_reaction_z"], gait.reaction["left"][:, 2])
    assert np.array_equal(table.columns["right_stands"] > 0, np.isin(gait.phase, ("right", "both")))


def test_beside_plates_there_are_two_of_each(gait, plated, tmp_path):
    page = gait.report(tmp_path, against=plated)
    text = check_report(page, pictures=len(PICTURES))
    assert "left, plates" in text
    assert "(root mean square)" in text
    assert (tmp_path / "gait_with_plates.csv").exists()
    assert (tmp_path / "gait_with_plates.sto").exists()


def test_without_a_whole_stride_there_is_no_picture_of_the_cycle(tmp_path):
    short = rg.mocap.analyse(rg.mocap.normal_walk(cycles=1).motion)
    text = check_report(write_report(short, tmp_path), pictures=2)
    assert "peaks are those of the whole record" in text
    assert not (tmp_path / "cycle.png").exists()


def test_frames_that_were_not_recorded_are_no_obstacle(gait, tmp_path):
    q = gait.motion.q.copy()
    q[40:90] = np.nan
    gappy = rg.mocap.analyse(replace(gait.motion, q=q, v=np.where(np.isnan(q[:, :1]), np.nan, gait.motion.v)))
    check_report(write_report(gappy, tmp_path), pictures=len(list(tmp_path.glob("*.png"))))
    with (tmp_path / "gait.csv").open(encoding="utf-8") as file:
        assert list(csv.DictReader(file))[50]["left_reaction_z"] == "nan"


# --- the motion ------------------------------------------------------------------------------------------------------------


def test_in_the_motion_the_foot_that_carries_is_the_root_and_the_other_one_closes_a_loop(gait):
    film = film_of_gait(gait)
    assert len(film.parts) > 10
    for part in film.parts:
        phase, root = next((str(p), str(r)) for t, p, r in zip(gait.t, gait.phase, gait.root, strict=True) if t == part.t[0])
        assert rg.hierarchy(part.mech).top == root == part.root
        assert len(part.mech.loop_joints) == (1 if phase == "both" else 0)
        assert part.colours[root] == GREEN
    for one, other in pairwise(film.parts):
        assert one.t[-1] == other.t[0]  # both sides of a change
        for body in gait.motion.mech.bodies:
            assert np.array_equal(one.poses[body][-1], other.poses[body][0])
    at = np.searchsorted(gait.t, film.t)
    assert np.array_equal(film.forces.vectors[:, 1], gait.reaction["right"][at], equal_nan=True)
    assert [event.t for event in film.events] == [event.time for event in gait.events]


def test_a_long_recording_is_thinned_and_says_so(gait, monkeypatch):
    monkeypatch.setattr(gait_film, "MOST_POSES", 2000)
    film = film_of_gait(gait)
    assert sum(len(part.t) for part in film.parts) * len(gait.motion.mech.bodies) < 2000 * 2
    assert "every" in film.told[0]


def test_a_gait_is_one_page_that_plays(gait, tmp_path):
    page = gait.to_html(tmp_path / "walk.html", title="A <walk>", slower=2)
    text = page.read_text(encoding="utf-8")
    assert "<title>A &lt;walk&gt;</title>" in text
    assert "left foot lands" in text
    with pytest.raises(rg.FileError, match="html"):
        gait.to_html(tmp_path / "walk.png")


# --- what is drawn ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scene(gait):
    return GaitScene(gait, *shown_stride(gait))


def test_the_root_is_green_and_changes_with_the_foot_that_stands(gait, scene):
    for phase, root, other, colour in (("left", "left_foot", "right_foot", ORANGE), ("right", "right_foot", "left_foot", BLUE)):
        i = int(np.flatnonzero(gait.phase == phase)[20])
        colours = scene.colours(i)
        assert gait.root[i] == root
        assert colours[root] == GREEN
        assert colours[other] == colour
        assert scene.drawn(float(gait.t[i])).faces.count(GREEN) == 3  # foot, toes and the sign below them


def test_a_foot_that_shares_the_load_is_lighter(gait, scene):
    i = int(np.flatnonzero(gait.phase == "both")[0])
    colours = scene.colours(i)
    assert {colours["left_foot"], colours["right_foot"]} == {GREEN, LIGHT}


def test_in_flight_the_base_is_the_root(gait):
    flying = replace(gait, phase=np.full_like(gait.phase, "none"), root=np.full_like(gait.root, "pelvis"))
    colours = GaitScene(flying, *shown_stride(gait)).colours(0)
    assert [body for body, colour in colours.items() if colour == GREEN] == ["pelvis"]


def test_arrows_start_at_the_centre_of_pressure_and_are_as_long_as_the_force(gait, scene):
    i = int(np.flatnonzero(gait.phase == "left")[20])
    outline = scene.drawn(float(gait.t[i])).outlines[-1]
    tail = gait.pressure["left"][i] - scene.centres[i]
    head = tail + ARROW * gait.reaction["left"][i] / WEIGHT
    seen = scene.camera.see(np.array([tail, head]))[:, :2]
    assert 0.5 * (outline[0] + outline[-1]) == pytest.approx(seen[0])
    assert outline[3] == pytest.approx(seen[1])


def test_a_force_of_nothing_is_an_arrow_of_no_length():
    assert arrow(np.ones(2), np.ones(2)) == pytest.approx(np.ones((7, 2)))


def test_poses_are_at_events_and_say_who_stands(gait, scene):
    start, end = shown_stride(gait)
    moments = scene.moments
    assert len(moments) == scene.rows * scene.columns
    inside = [event.time for event in gait.events if start <= event.time <= end]
    assert set(inside) <= set(moments)
    i = scene.frame(moments[3])
    assert f"root: {gait.root[i]}" in scene.said(3)


def test_bodies_reach_from_joint_to_joint(gait):
    mech, soles = gait.motion.mech, frozenset(("left_heel", "left_toe"))
    shapes = {shape.body: shape for shape in outlines_of(mech, mech.state(q=gait.motion.q[0]), soles)}
    assert set(shapes) == set(mech.bodies)
    knee = mech.joints["left_knee"].parent_pose.translation
    assert min(np.linalg.norm(np.array(shapes["left_thigh"].points) - knee, axis=1)) < 1e-9
    assert shapes["left_foot"].radius < 0.02 < shapes["left_shank"].radius


def test_a_body_without_mass_has_no_shape():
    mech = rg.Mechanism()
    mech.add_body("carriage", rg.Inertia(0.0))
    mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1, at=(0, 0, -1)))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "carriage")
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "carriage", "bob")
    (shape,) = outlines_of(mech, mech.state())
    assert shape.body == "bob"
    assert np.array(shape.points)[:, 2].min() < -1.5


def test_sides_are_known_by_the_names_of_bodies():
    assert [side_of(name) for name in ("left_foot", "calcn_r", "tibia_l", "pelvis", "head")] == ["left", "right", "left", "", ""]
