"""Motions as one HTML file: frames at the times of events, structures that change, names as text, few bytes, and what is told."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pytest
from pages import balls, frames_of, let_go, read_back

import regraft as rg
from regraft.mocap import Recording
from regraft.show.filming import MOST_POSES, film_of
from regraft.show.glyphs import LOOP_JOINT, REVERSED_JOINT, ROOT
from regraft.show.html import motion_html, pose_html
from regraft.show.packing import quaternions
from regraft.show.player_page import as_json, filled
from regraft.simulate.histories import EventRecord
from regraft.viewer.recordings import recorded_trajectory

HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "'\"&\\", "\x1b[31m\x00\u2028\u202e", "<!--"]


@pytest.fixture(scope="module")
def traj():
    return let_go()


def test_poses_are_those_of_the_trajectory_to_the_stated_resolution(traj):
    header, tables = read_back(motion_html(traj))
    times, places, turned = frames_of(header, tables)
    assert header["place"]["step"] <= header["extent"] / 2**16 * (1 + 1e-9)
    at = np.flatnonzero(np.diff(times, append=9.0) > 0)  # of the two frames of an event the later one
    for i in at[:: len(at) // 15]:
        poses = rg.body_poses(traj.mechanism(times[i]), traj.state(times[i]))
        for k, body in enumerate(header["bodies"]):
            assert places[i, k] == pytest.approx(poses[body].translation, abs=0.51 * header["place"]["step"] + 1e-7)
            q = quaternions(poses[body].rotation)
            assert 2.0 * np.arccos(min(1.0, abs(float(q @ turned[i, k])))) < 1e-4


def test_events_are_hit_exactly_on_both_sides(traj):
    film = film_of(traj)
    assert (film.t == 0.5).sum() == 2
    assert (film.t == 0.8).sum() == 1  # where nothing changes
    assert np.diff(film.t).max() <= 1.0 / 60.0 + 1e-9
    assert [len(part.t) > 20 for part in film.parts] == [True, True]
    assert film.parts[0].t[-1] == film.parts[1].t[0] == 0.5
    assert [tuple(event) for event in film.events] == [(0.5, "elbow lets go", True), (0.8, "later", False)]


def test_each_structure_has_its_own_joints_tree_and_springs(traj):
    header, _ = read_back(motion_html(traj))
    before, after = header["structures"]
    assert [part[0] for part in header["parts"]] == [0, 1]
    joints = [{header["pieces"][k][1] for k in each["pieces"] if header["pieces"][k][4] == "joint"} for each in (before, after)]
    assert "elbow" in joints[0] - joints[1]
    assert [row[0] for row in before["tree"]] == ["root", "tree"]
    assert [row[0] for row in after["tree"]] == ["root", "root"]
    assert [spring[0] for spring in before["springs"]] == ["rope"]
    bodies = [[k for k in each["pieces"] if header["pieces"][k][4] == "body"] for each in (before, after)]
    assert bodies[0] == bodies[1]  # what stands for a body does not change with its joints


def test_roots_loops_and_joints_that_are_walked_backwards_are_told_apart():
    mech, state = rg.models.four_bar().start
    header, _ = read_back(pose_html(mech, state))
    assert [row[0] for row in header["structures"][0]["tree"]].count("loop") == 1
    joints = {piece[1]: piece[2] for piece in header["pieces"] if piece[4] == "joint" and piece[2] != ROOT}
    assert joints["knee"] == LOOP_JOINT
    assert sum(piece[1] == "knee" and piece[4] == "joint" for piece in header["pieces"]) == 2  # its axis, and a ball
    arm = let_go().mechanism(0.0)
    turned, at = rg.reroot(arm, arm.state(), "lower", joint=rg.Revolute((0, 1, 0)))
    header, _ = read_back(pose_html(turned, at))
    rows = {row[2]: row[0] for row in header["structures"][0]["tree"]}
    assert rows["elbow"] == "reversed"
    assert {piece[2] for piece in header["pieces"] if piece[1] == "elbow" and piece[4] == "joint"} == {REVERSED_JOINT}


def test_segments_of_one_structure_are_one_part():
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    mech.add_shape("ball", rg.Sphere(0.1))
    contact = rg.Contact("ball", friction=0.0, restitution=0.6)
    traj = rg.simulate(mech, mech.state(q={"fall": 1.0}), 2.5, contacts=contact)
    film = film_of(traj)
    assert len(traj.segments) > 3
    assert len(film.parts) == 1
    assert film.forces.names == ("ball",)
    resting = np.nanmax(np.where(film.t[:, None] > 2.4, film.forces.vectors[:, 0, 2:], np.nan))
    assert resting == pytest.approx(9.81, rel=1e-6)
    header, tables = read_back(motion_html(traj))
    assert tables["force_counts"].sum() == len(tables["force_rows"]) == np.isfinite(film.forces.vectors[:, 0, 0]).sum()
    last = tables["force_rows"][-1] * header["forces"]["step"]
    assert last[6] == pytest.approx(9.81, abs=header["forces"]["step"])


def test_forces_of_a_trajectory_from_a_file_are_there_too(tmp_path):
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    mech.add_shape("ball", rg.Sphere(0.1))
    how = {"contacts": rg.Contact("ball", friction=0.0), "torque": lambda *_: [-2.0]}
    traj = rg.simulate(mech, mech.state(q={"fall": 0.1}), 0.3, **how)
    traj.save(tmp_path / "rests.npz")
    for each in (traj, rg.load(tmp_path / "rests.npz")):
        film = film_of(each)
        assert film.forces.vectors[-1, 0, 2] == pytest.approx(11.81, rel=1e-6)
        assert film.told == ()


def test_maximal_coordinates_show_the_same_motion():
    mech = let_go().mechanism(0.0)
    state = mech.state(q={"shoulder": 1.0})
    how = {"integrator": "rk4", "step": 1e-3}
    films = [film_of(rg.simulate(mech, state, 0.4, coordinates=way, **how)) for way in ("reduced", "maximal")]
    for body in mech.bodies:
        one, other = (film.parts[0].poses[body] for film in films)
        assert one == pytest.approx(other, abs=1e-5)


def test_a_walker_that_is_rerooted_at_each_step_has_two_structures_however_many_steps_it_takes():
    biped = rg.models.compass_biped()
    traj = rg.simulate(*biped.start, 4.0, events=biped.events)
    header, _ = read_back(motion_html(traj))
    assert len(header["parts"]) > 4
    assert len(header["structures"]) == 2
    assert [part[0] for part in header["parts"]][:4] == [0, 1, 0, 1]
    roots = [next(row[4] for row in structure["tree"] if row[0] == "root") for structure in header["structures"]]
    assert sorted(roots) == ["left", "right"]


def test_a_page_for_others_does_not_tell_ones_own_folders(tmp_path):
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "a")
    mech.add_shape("a", rg.Mesh(str(tmp_path / "secret" / "skull.dae")))
    with pytest.warns(rg.RegraftWarning, match=r"1 meshes are not shown"):
        page = mech.to_html(mech.state(), tmp_path / "a.html")
    assert "secret" not in page.read_text()
    assert "skull.dae" in page.read_text()


# --- size -------------------------------------------------------------------------------------------------------------------


def test_thirty_bodies_and_six_hundred_frames_take_two_megabytes_at_most(tmp_path):
    mech, state = balls(30)
    traj = rg.simulate(mech, state, 10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = traj.to_html(tmp_path / "balls.html", fps=59.9)
    header, tables = read_back(page.read_text())
    assert len(tables["times"]) >= 600
    assert page.stat().st_size < 2_000_000
    assert header["told"] == []


def test_a_long_motion_of_many_bodies_has_fewer_frames_and_says_so(tmp_path):
    mech, state = balls(300, gravity=(0, 0, 0))
    traj = rg.simulate(mech, state, 167.0, integrator="rk4", step=0.5)
    with pytest.warns(rg.RegraftWarning, match=r"10021 frames, 60 a second, are more than the 2000 .* shows 1998, 12 a second"):
        page = traj.to_html(tmp_path / "many.html")
    header, tables = read_back(page.read_text())
    assert len(tables["times"]) * 300 <= MOST_POSES
    assert "it shows 1998" in header["told"][0]
    assert page.stat().st_size < 12_000_000


def test_frames_can_be_limited_and_changes_of_structure_keep_theirs(traj):
    film = film_of(traj, frames=12)
    assert len(film.t) <= 12
    assert (film.t == 0.5).sum() == 2
    assert "more than the 12" in film.told[0]
    with pytest.raises(rg.ModelError, match="two frames or more, not 1"):
        film_of(traj, frames=1)


def test_contacts_without_end_do_not_take_all_frames():
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    mech.add_shape("ball", rg.Sphere(0.1))
    contact = rg.Contact("ball", friction=0.0, restitution=0.9)
    traj = rg.simulate(mech, mech.state(q={"fall": 1.0}), 4.0, contacts=contact)
    film = film_of(traj, frames=14)
    assert len(traj.segments) > 6
    assert 10 < len(film.t) <= 14
    assert (film.t[0], film.t[-1]) == (0.0, 4.0)


# --- names ------------------------------------------------------------------------------------------------------------------


def hostile_motion():
    mech = rg.Mechanism()
    for k, name in enumerate(name for name in HOSTILE if name.isprintable()):  # others cannot be names of parts
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name} joint", rg.Free(), "world", name, rg.Pose(translation=(k, 0, 0)))
        mech.add_frame(f"{name} frame", name)
    traj = rg.simulate(mech, mech.state(), 0.6)
    traj.events += [EventRecord(0.1 * k + 0.05, name) for k, name in enumerate(HOSTILE)]
    return traj


def test_names_cannot_end_a_script():
    text = motion_html(hostile_motion(), title=HOSTILE[0])
    header, _ = read_back(text)
    assert header["bodies"][:3] == HOSTILE[:3]  # as they are
    assert [name for _, name, _ in header["events"]][3] == r"\x1b[31m\x00\u2028\u202e"  # and spelled out
    assert text.count("<script") == text.count("</script>") == 3
    assert "<img" not in text
    assert all(ord(c) < 128 for c in re.search(r'id="film">(.*?)</script>', text, re.DOTALL)[1])
    assert "<title>&lt;/script&gt;" in text
    assert json.loads(as_json({"a": HOSTILE})) == {"a": HOSTILE}


def test_marks_of_the_template_within_names_stay_what_they_are():
    assert filled("{{a}} {{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}} x"
    header, _ = read_back(motion_html(let_go(), title="{{script}}"))
    assert header["title"] == "{{script}}"


def test_the_page_forbids_all_requests_and_brings_all_that_it_needs(traj):
    text = motion_html(traj)
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)[1].replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    outside = text.replace("http://www.w3.org", "")
    assert not re.search(r"(src|href)\s*=\s*[\"'][^\"']", outside)
    assert "http" not in outside.replace("http-equiv", "")


def test_files_are_html_files_and_options_are_checked(tmp_path, traj):
    assert traj.to_html(tmp_path / "a.htm").name == "a.htm"
    with pytest.raises(rg.FileError, match=r"such a page is an \.html file"):
        traj.to_html(tmp_path / "a.gif")
    for bad, said in (
        ({"fps": 0}, "fps"),
        ({"slower": 0}, "slower must be positive"),
        ({"elevation": 91}, "elevation"),
        ({"azimuth": np.nan}, "azimuth"),
        ({"theme": "blue"}, "theme"),
        ({"floor": 1.0}, "floor is a Pose"),
    ):
        with pytest.raises(rg.ModelError, match=said):
            traj.to_html(tmp_path / "b.html", **bad)
    assert [file.name for file in tmp_path.iterdir()] == ["a.htm"]


def test_a_mechanism_at_rest_is_a_film_of_one_frame(tmp_path):
    mech, state = rg.models.four_bar().start
    header, tables = read_back(mech.to_html(state, tmp_path / "four_bar.html").read_text())
    assert header["title"] == "four_bar"
    assert len(tables["times"]) == 1
    assert header["events"] == []
    with pytest.raises(rg.ModelError):
        mech.to_html(rg.models.pendulum().start[1], tmp_path / "other.html")


def test_whatever_there_is_can_be_shown(tmp_path):
    """Nothing at all, a body without mass or shape, a motion of no duration."""
    empty = rg.Mechanism()
    assert read_back(empty.to_html(empty.state(), tmp_path / "empty.html").read_text())[0]["bodies"] == []
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("frame", rg.Inertia(0.0))
    mech.add_joint("weld", rg.Fixed(), "world", "frame")
    header, _ = read_back(mech.to_html(mech.state(), tmp_path / "frame.html").read_text())
    assert header["place"]["mass"] is False
    assert header["follow"] is False
    short = rg.simulate(*rg.models.pendulum().start, 0.0)
    header, tables = read_back(motion_html(short))
    assert len(tables["times"]) == 1


def test_a_floor_of_ones_own_may_be_a_slope(traj):
    slope = rg.Pose.about((0, 1, 0), -0.1, translation=(0, 0, -0.5))
    floor = np.array(read_back(motion_html(traj, floor=slope))[0]["room"]["floor"])
    normal = slope.rotation[:, 2]
    assert floor[[2, 5, 8]] == pytest.approx(normal, abs=1e-6)
    assert float(normal @ (floor[9:] - slope.translation)) == pytest.approx(0.0, abs=1e-6)


def test_what_goes_far_is_followed():
    walker, _ = read_back(motion_html(walk()))
    assert walker["follow"] is True
    assert read_back(motion_html(walk(), follow=False))[0]["follow"] is False
    assert read_back(motion_html(let_go()))[0]["follow"] is False
    assert read_back(motion_html(fall(0.5)))[0]["follow"] is False  # some six radii: the whole fall can be seen
    assert read_back(motion_html(fall(2.0)))[0]["follow"] is True  # 20 m, in which a ball of 0.2 m is a dot


def fall(duration):
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("base", rg.Free(), "world", "ball")
    return rg.simulate(mech, mech.state(), duration)


def test_a_mere_recording_has_neither_energies_nor_a_tree(tmp_path):
    t = np.linspace(0.0, 1.0, 11)
    markers = {"heel": np.stack([t, 0 * t, 0 * t], axis=1), "toe": np.stack([t, 0 * t + 0.2, 0 * t], axis=1)}
    rec = Recording("feet.trc", t, markers=markers)
    with pytest.warns(rg.RegraftWarning, match="energies are not shown: no body has a mass"):
        page = recorded_trajectory(rec).to_html(tmp_path / "feet.html")
    header, _ = read_back(page.read_text())
    assert header["curves"] == []
    (structure,) = header["structures"]
    assert [row[2] for row in structure["tree"]] == ["2 bodies without mass, not joined"]
    assert len(structure["pieces"]) == 2


def walk():
    mech = rg.Mechanism()
    mech.add_body("sled", rg.Inertia.box(1.0, (0.4, 0.2, 0.1)))
    mech.add_joint("slide", rg.Prismatic((1, 0, 0)), "world", "sled")
    return rg.simulate(mech, mech.state(v={"slide": 3.0}), 2.0)


# --- notebooks --------------------------------------------------------------------------------------------------------------


def test_notebooks_show_mechanisms_as_text_and_trajectories_with_their_events():
    hostile = hostile_motion()
    tree = hostile.mechanism(0.0)._repr_html_()
    assert tree.startswith("<pre")
    assert "&lt;/script&gt;" in tree
    assert "<script" not in tree
    shown = hostile._repr_html_()
    before, frame = shown.split("<iframe", 1)
    assert "&lt;img src=x" in before
    assert "<script" not in shown  # what is in the frame is an attribute
    assert 'sandbox="allow-scripts"' in frame
    many = rg.simulate(*balls(101, gravity=(0, 0, 0)), 0.1)._repr_html_()
    assert "<iframe" not in many
    assert "to_html" in many


# --- extremes ---------------------------------------------------------------------------------------------------------------


def ball_at(size, place=0.0, gravity=9.81):
    mech = rg.Mechanism(gravity=(0, 0, -gravity))
    mech.add_body("ball", rg.Inertia.sphere(1.0, size))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "ball", rg.Pose(translation=(place, 0, 0)))
    mech.add_shape("ball", rg.Sphere(size))
    return mech


@pytest.mark.parametrize(("size", "place", "gravity"), [(1e-15, 0, 1), (1e15, 0, 1), (0.1, 1e9, 1e-300), (0.1, 0, 1e100)])
def test_extreme_numbers_that_can_be_drawn_are(size, place, gravity):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech = ball_at(size, place, gravity)
        header, _ = read_back(pose_html(mech, mech.state()))
    assert header["extent"] == pytest.approx(2.0 * np.sqrt(3.0) * size, rel=0.01)


@pytest.mark.parametrize(
    ("size", "place", "gravity"), [(1e-300, 0, 1), (1e-160, 0, 1), (1e-30, 0, 1), (1e30, 0, 1), (0.1, 1e300, 1), (0.1, 0, 1e300)]
)
def test_what_is_too_large_or_too_small_to_be_drawn_is_an_error(tmp_path, size, place, gravity):
    mech = ball_at(size, place, gravity)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(rg.ModelError, match="too large or too small to be drawn"):
            mech.to_html(mech.state(), tmp_path / "a.html")
    assert not list(tmp_path.iterdir())
