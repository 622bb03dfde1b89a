"""`regraft view`: what it opens, what it says, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import regraft as rg
from regraft.cli import app
from regraft.mocap import Recording
from regraft.viewer import opening
from regraft.viewer.playback import Playback
from regraft.viewer.server import Viewer
from regraft.viewer.session import Session

pytest.importorskip("viser")


@pytest.fixture
def run(monkeypatch):
    """The command, which ends at once; its viewer had these sessions."""
    sessions = []

    def at_once(viewer):
        sessions.append(viewer.session)
        viewer.close()

    monkeypatch.setattr(Viewer, "wait", at_once)
    monkeypatch.setattr(opening, "has_display", lambda: False)

    def command(*words):
        result = CliRunner().invoke(app, ["view", *map(str, words)])
        return result, sessions[-1] if sessions else None

    return command


def test_a_mechanism_in_a_file_runs_from_its_state(run, tmp_path):
    mech, state = rg.models.pendulum().start
    moved = state.replace(q=[0.7])
    mech.save(tmp_path / "pendulum.json")
    moved.save(tmp_path / "state.json")
    result, session = run(tmp_path / "pendulum.json", "--state", tmp_path / "state.json")
    assert result.exit_code == 0, result.output
    assert isinstance(session, Session)
    assert session.state == moved
    assert "http://127.0.0.1:" in result.output
    assert "there is no display here" in result.output
    result, session = run(tmp_path / "pendulum.json", "--no-browser")
    assert "display" not in result.output
    names = {}
    exec(session.script(), names)
    assert names["mech"].same_as(session.mech.copy())


def test_a_robot_with_a_free_base(run, tmp_path):
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="trunk"><inertial><mass value="2"/>{inertia}</inertial></link></robot>', "utf-8"
    )
    result, session = run(tmp_path / "robot.urdf", "--base", "free")
    assert result.exit_code == 0, result.output
    assert [joint.type for joint in session.mech.joints.values()] == [rg.Free()]


def test_a_trajectory_is_played(run, tmp_path):
    traj = rg.simulate(*rg.models.pendulum().start, 0.2)
    traj.save(tmp_path / "swing.npz")
    result, session = run(tmp_path / "swing.npz")
    assert result.exit_code == 0, result.output
    assert isinstance(session, Playback)
    assert session.duration == pytest.approx(0.2)


def test_a_recording_is_played_as_it_is(run, tmp_path):
    heel = np.array([[0.0, 0.1, 0.05], [0.01, 0.1, 0.06]])
    Recording("", np.array([0.0, 0.01]), markers={"heel": heel}).save(tmp_path / "walk.trc", up="z")
    result, session = run(tmp_path / "walk.trc", "--up", "z")
    assert result.exit_code == 0, result.output
    assert isinstance(session, Playback)
    assert "--mass 75 gives it a body" in result.output


def test_models_by_their_names(run):
    result, session = run("high_bar")
    assert result.exit_code == 0, result.output
    assert session.options["events"]
    names = {}
    exec(session.script(), names)
    assert names["mech"].same_as(session.mech.copy())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("no_such_thing",), "those are: "),
        (("high_bar", "--mass", "70"), "this is for recordings"),
        (("high_bar", "--port", "99999"), "from 0 to 65535"),
        (("knee.mot",), "with --model FILE.osim"),
    ],
)
def test_what_cannot_be_opened_says_why(run, words, why):
    result, _ = run(*words)
    assert result.exit_code != 0
    assert why in result.output.replace("\n", " ")


def test_a_state_alone_says_what_to_give(run, tmp_path):
    _, state = rg.models.pendulum().start
    state.save(tmp_path / "state.json")
    result, _ = run(tmp_path / "state.json")
    assert result.exit_code == 1
    assert "is a state" in result.output


def test_a_page_of_its_own_is_written_and_nothing_is_served(run, tmp_path):
    rg.simulate(*rg.models.pendulum().start, 0.2).save(tmp_path / "swing.npz")
    for name, played in ((str(tmp_path / "swing.npz"), True), ("four_bar", False)):
        page = tmp_path / f"{played}.html"
        result, session = run(name, "--html", page)
        assert result.exit_code == 0, result.output
        assert session is None
        assert f"wrote {page}" in result.output.replace("\n", "")
        assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")


def test_other_hosts_are_warned_of(run):
    result, _ = run("pendulum", "--host", "0.0.0.0", "--no-browser")
    assert result.exit_code == 0
    assert "everybody who can reach this machine" in result.output


@pytest.mark.parametrize("option", ["--state", "--packages"])
def test_what_is_for_mechanisms_is_refused_with_a_motion(run, tmp_path, option):
    rg.simulate(*rg.models.pendulum().start, 0.2).save(tmp_path / "swing.npz")
    result, session = run(tmp_path / "swing.npz", option, tmp_path / "other.json")
    assert result.exit_code == 2
    assert "this is for mechanisms" in result.output
    assert session is None


def open_four_bar():
    mech, _ = rg.models.four_bar().start
    return mech, mech.state(q=np.full(mech.nq, 0.3))


def test_open_loops_are_closed_and_that_is_told(run, tmp_path):
    mech, state = open_four_bar()
    mech.save(tmp_path / "four_bar.json")
    state.save(tmp_path / "open.json")
    result, session = run(tmp_path / "four_bar.json", "--state", tmp_path / "open.json")
    assert result.exit_code == 0, result.output
    assert "its loops are open where it would start" in result.output.replace("\n", " ")
    assert session.advance()
    page = tmp_path / "page.html"
    result, _ = run(tmp_path / "four_bar.json", "--state", tmp_path / "open.json", "--html", page)
    assert result.exit_code == 0, result.output
    assert "its loops are open where it would start" in result.output.replace("\n", " ")
    assert page.exists()


def test_the_script_closes_the_loops_too():
    mech, state = open_four_bar()
    with pytest.warns(rg.RegraftWarning, match="its loops are open"):
        viewer = rg.view((mech, state), browser=False)
    with viewer:
        session = viewer.session
        assert session.state == rg.assemble(mech, state)
        session.advance()
        names = {"mech": mech, "state": state}
        exec(session.script(), names)
        assert names["state"] == session.state


BVH = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT head
  {
    OFFSET 0 0.9 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.2 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.02
0 1.0 0 0 0 0 0 0 0
0 1.1 0 0 0 0 0 0 5
0 1.2 0 0 0 0 0 0 9
"""


def test_a_path_is_opened_whatever_the_file_holds(tmp_path):
    (tmp_path / "nod.bvh").write_text(BVH, "utf-8")
    with rg.view(str(tmp_path / "nod.bvh"), browser=False) as viewer:
        assert isinstance(viewer.session, Playback)
        assert set(viewer.session.traj.segments[0].mech.bodies) == {"hips", "head"}
    model = rg.models.pendulum()
    model.mech.save(tmp_path / "pendulum.json")
    with rg.view(tmp_path / "pendulum.json", browser=False) as viewer:
        viewer.session.advance()
        names = {}
        exec(viewer.session.script(), names)
        assert names["state"] == viewer.session.state
    with pytest.raises(rg.ModelError, match=r"rg\.mocap\.motion"):
        rg.view(tmp_path / "knee.mot", browser=False)


def test_what_a_mechanism_cannot_say_of_a_robot_is_left_out_and_told(tmp_path):
    xml = """<mujoco><worldbody><body name="arm"><joint name="pin" type="hinge" axis="0 1 0"/>
    <geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0 0 -1"/></body></worldbody>
    <tendon><fixed name="cord" stiffness="3"><joint joint="pin" coef="1"/></fixed></tendon></mujoco>"""
    (tmp_path / "arm.xml").write_text(xml, "utf-8")
    with pytest.raises(rg.FileError, match="tendon"):
        rg.load(tmp_path / "arm.xml")
    with pytest.warns(rg.RegraftWarning, match="tendon"), rg.view(tmp_path / "arm.xml", browser=False) as viewer:
        assert list(viewer.session.mech.joints) == ["pin"]
