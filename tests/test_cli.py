"""The command line tool: what it prints, what it writes, and how it says what went wrong."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import regraft as rg
from random_mechanisms import random_mechanism
from regraft.cli import app
from regraft.describe.text import walked
from regraft.files.states import load_state
from regraft.joints import BY_NAME
from regraft.kernels.tables import JOINT, POLARITY

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "command_line.md"
Y = (0, 1, 0)
HINGE = ["--joint", "Revolute", "--axis", "0", "1", "0"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for variable in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)


def run(*arguments, code=0):
    """The result of a call, which must end with this exit code and never with an exception that escaped."""
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert found.exit_code == code, found.output
    assert found.exception is None or isinstance(found.exception, SystemExit)
    return found


def refused(*arguments):
    """The one line that tells an error."""
    found = run(*arguments, code=1)
    assert "Traceback" not in found.output
    (line,) = (line for line in found.stderr.splitlines() if not line.startswith("regraft: compiling"))
    assert line.startswith("error: ")
    assert line.isprintable()
    return line


def misused(*arguments):
    """What is said of wrong usage, without the frame around it."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", run(*arguments, code=2).stderr).split())


def walker():
    mech = rg.Mechanism()
    leg = rg.Inertia.rod(5.0, (0, 0, 0), (0, 0, -1))
    mech.add_body("left", leg)
    mech.add_body("right", leg)
    mech.add_joint("left_foot", rg.Revolute(Y), "world", "left", child_pose=rg.Pose(translation=(0, 0, -1)))
    mech.add_joint("hip", rg.Revolute(Y, damping=0.2, limits=(-1.2, 1.2)), "left", "right")
    return mech


def saved(mech, name="model.json"):
    mech.save(name)
    return Path(name)


def written(data, name="state.json"):
    Path(name).write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return Path(name)


def cells(output, name):
    """The row of a table that starts with this name."""
    (row,) = (line for line in output.splitlines() if re.match(re.escape(name) + "  +", line))
    return re.split("  +", row.strip())


# --- the tool itself -------------------------------------------------------------------------------------------------


def test_it_says_its_version():
    assert run("--version").stdout == f"regraft {rg.__version__}\n"


def test_the_package_can_be_run():
    found = subprocess.run([sys.executable, "-m", "regraft", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"regraft {rg.__version__}\n"


def test_nothing_in_a_file_can_act_on_the_terminal():
    data = walker().to_dict()
    data["bodies"][0]["name"] = "\x1b[2Jleft"
    assert r"a body's name cannot be '\x1b[2Jleft'" in refused("show", written(data, "model.json"))
    data = walker().to_dict()
    data["springs"] = [{"\x1b[2J": 0}]
    assert r"\x1b[2J" in refused("show", written(data, "model.json"))
    refused("show", "no\x1b[2J.json")


def test_the_installed_command_leads_here(monkeypatch):
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, name = scripts["regraft"].partition(":")
    calls = []
    monkeypatch.setattr("regraft.cli.main", lambda: calls.append("ran"))
    getattr(importlib.import_module(module), name)()
    assert calls == ["ran"]


def test_importing_the_package_does_not_import_the_tool():
    program = "import regraft, sys; print([name for name in ('typer', 'regraft.cli') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_help_names_the_commands_and_their_options():
    assert {"show", "reroot"} <= set(run("--help").stdout.split())
    found = run("reroot", "--help").stdout
    for option in ("--top", "--output", "-o", "--state", "--state-out", "--at", "--joint", "--axis", "--axis2", "--pitch"):
        assert option in found
    for option in ("--name", "--velocity", "--align", "--force", *BY_NAME):
        assert option in found


@pytest.mark.parametrize("arguments", [["dance"], ["show"], ["show", "m.json", "--colour"], ["reroot", "m.json"]], ids=str)
def test_wrong_usage_has_its_own_exit_code(arguments):
    run(*arguments, code=2)


# --- show ------------------------------------------------------------------------------------------------------------


def branched():
    """Something of everything: long names, brackets, a loop, a body walked backwards, one that is not connected."""
    mech = walker()
    mech.add_body("[bold]arm[/bold] " + "long " * 40, rg.Inertia.point(0.5, at=(1, 2, 3)))
    mech.add_body("tail", rg.Inertia.box(12.0, (1, 2, 3)))
    mech.add_body("lost", rg.Inertia(1.0))
    mech.add_joint("tail_joint", rg.Helical((0, 0, 2), 0.25), "tail", "right")
    mech.add_joint(
        "[red]shoulder", rg.Spherical(damping=(1, 2, 3), limits=(-np.inf, 1)), "left", next(iter(list(mech.bodies)[2:]))
    )
    mech.add_joint("weld", rg.Fixed(), "left", "tail")
    mech.add_joint("float", rg.Free(), "world", "lost")
    mech.add_body("adrift", rg.Inertia(1.0))
    return mech


@pytest.mark.parametrize("make", [walker, branched, rg.Mechanism], ids=["walker", "branched", "empty"])
def test_the_tree_is_what_print_shows(make):
    assert run("show", saved(make())).stdout == f"{make()}\n"


def test_colours_are_for_terminals_and_change_no_letter(monkeypatch):
    mech = branched()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    coloured = run("show", saved(mech)).stdout
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == f"{mech}\n"


def test_an_encoding_without_lines_gets_question_marks():
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "regraft", "show", str(saved(walker()))]
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert found.returncode == 0, found.stderr
    assert "?? left_foot: Revolute ? left (5 kg)" in found.stdout


def test_the_table_of_joints():
    found = run("show", saved(branched()), "--joints").stdout
    assert found.startswith(f"{branched()}\n\njoint ")
    assert cells(found, "left_foot") == ["left_foot", "Revolute (0, 1, 0)", "world → left", "0", "0", "+1", "–", "–"]
    assert cells(found, "hip") == ["hip", "Revolute (0, 1, 0)", "left → right", "1", "1", "+1", "[-1.2, 1.2]", "0.2"]
    assert cells(found, "tail_joint")[1:6] == ["Helical (0, 0, 1) 0.25", "tail → right", "2", "2", "−1"]
    shoulder = cells(found, "[red]shoulder")
    assert shoulder[1] == "Spherical"
    assert "[bold]arm[/bold]" in shoulder[2]
    assert shoulder[3:] == ["3:7", "3:6", "+1", "[-inf, 1]", "(1, 2, 3)"]
    assert cells(found, "weld")[1:] == ["Fixed", "left → tail", "–", "–", "loop", "–", "–"]
    assert cells(found, "float")[3:6] == ["7:14", "6:12", "+1"]
    assert "principal" not in found


def test_other_settings_of_joints_have_a_column_where_there_are_some():
    mech = walker().replace(settings={"hip": {"armature": 0.1, "stiffness": 20.0, "rest": 0.3, "effort": 30.0}})
    mech = mech.replace(settings={"left_foot": {"friction": 2.0, "speed": 4.0, "actuated": False}})
    found = run("show", saved(mech), "--joints").stdout
    assert cells(found, "hip")[8] == "armature 0.1, stiffness 20, rest 0.3, effort 30"
    assert cells(found, "left_foot")[8] == "friction 2, speed 4, no motor"
    assert "other settings" not in run("show", saved(walker()), "--joints").stdout


def test_a_joint_apart_from_the_world_has_no_polarity():
    mech = walker()
    for name in ("a", "b"):
        mech.add_body(name, rg.Inertia(1.0))
    mech.add_joint("apart", rg.Universal((1, 0, 0), Y, limits=([-1, -2], [1, 2])), "a", "b")
    found = cells(run("show", saved(mech), "--joints").stdout, "apart")
    assert found[1:] == ["Universal (1, 0, 0) (0, 1, 0)", "a → b", "2:4", "2:4", "–", "[-1, 1], [-2, 2]", "–"]


def test_polarities_are_those_of_the_walk():
    for seed in range(20):
        mech = random_mechanism(np.random.default_rng(seed), bodies=8, roots=2)
        walk, names = mech.structure.walk, mech.structure.joint_names
        expected = [(names[row[JOINT]], int(row[POLARITY])) for row in walk]
        assert [
            (joint.name, 1 if joint.child == body else -1) for joint, body, *_ in walked(mech.joints, mech.layout)
        ] == expected


def test_the_table_of_bodies():
    found = run("show", saved(branched()), "--bodies").stdout
    assert cells(found, "left") == ["left", "5", "(0, 0, -0.5)", "(0, 0.416667, 0.416667)"]
    assert cells(found, "tail") == ["tail", "12", "(0, 0, 0)", "(5, 10, 13)"]
    assert cells(found, "adrift") == ["adrift", "1", "(0, 0, 0)", "(0, 0, 0)"]
    assert "polarity" not in found


def test_principal_moments_do_not_depend_on_the_axes():
    mech = rg.Mechanism()
    mech.add_body("box", rg.Inertia.box(12.0, (1, 2, 3)).moved(rg.Pose.about((1, 2, 3), 0.7)))
    assert cells(run("show", saved(mech), "--bodies").stdout, "box")[3] == "(5, 10, 13)"


def test_both_tables_at_once():
    found = run("show", saved(walker()), "--bodies", "--joints").stdout
    assert found.index("polarity") < found.index("principal moments")


# --- reroot ----------------------------------------------------------------------------------------------------------


def test_without_an_output_only_the_new_tree_is_printed():
    model = saved(walker())
    changed, _ = rg.reroot(walker(), walker().state(), "right")
    assert run("reroot", model, "--top", "right").stdout == f"{changed}\n"
    assert [file.name for file in Path().iterdir()] == ["model.json"]
    assert rg.load(model) == walker()


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_with_an_output_the_mechanism_is_written(flag):
    changed, _ = rg.reroot(walker(), walker().state(), "right")
    found = run("reroot", saved(walker()), "--top", "right", flag, "out.json")
    assert found.stdout == f"{changed}\nwrote out.json\n"
    assert rg.load("out.json").to_dict() == changed.to_dict()


TYPES = {
    "Revolute": ([*HINGE], rg.Revolute(Y)),
    "any case": (["--joint", "reVOLUTE", "--axis", "0", "-2", "0"], rg.Revolute((0, -1, 0))),
    "Prismatic": (["--joint", "Prismatic", "--axis", "0", "0", "1"], rg.Prismatic((0, 0, 1))),
    "Cylindrical": (["--joint", "Cylindrical", "--axis", "1", "0", "0"], rg.Cylindrical((1, 0, 0))),
    "Helical": (["--joint", "Helical", "--axis", "0", "0", "1", "--pitch", "-0.1"], rg.Helical((0, 0, 1), -0.1)),
    "Universal": (["--joint", "Universal", "--axis", "1", "0", "0", "--axis2", *"010"], rg.Universal((1, 0, 0), Y)),
    "Planar": (["--joint", "Planar", "--axis", "0", "1", "0"], rg.Planar(Y)),
    "Spherical": (["--joint", "Spherical"], rg.Spherical()),
    "Free": (["--joint", "Free"], rg.Free()),
    "Fixed": (["--joint", "Fixed"], rg.Fixed()),
}


def test_every_joint_type_is_tried():
    assert set(BY_NAME) - {"Guided"} <= set(TYPES)  # whose curves no option can give


@pytest.mark.parametrize(("options", "kind"), TYPES.values(), ids=TYPES)
def test_the_new_base_joint_may_have_any_type(options, kind):
    run("reroot", saved(walker()), "--top", "right", *options, "--name", "base", "-o", "out.json")
    assert rg.load("out.json").joints["base"].type == kind


def test_every_option_does_what_the_argument_does():
    mech = walker()
    given = {"q": {"left_foot": -0.25, "hip": 0.5}, "v": {"left_foot": -1.0, "hip": 0.4}}
    state = mech.state(**given)
    strike = rg.body_poses(mech, state)["right"].apply((0, 0, -1))
    options = ["--at", *strike, *HINGE, "--name", "right_foot", "--velocity", "impact", "--align", "current"]
    outputs = ["-o", "out.json", "--state-out", "new.json"]
    found = run("reroot", saved(mech), "--top", "right", "--state", written(given), *options, *outputs)
    changed, after = rg.reroot(
        mech, state, "right", at=strike, joint=rg.Revolute(Y), name="right_foot", velocity="impact", align="current"
    )
    assert rg.load("out.json").to_dict() == changed.to_dict()
    assert load_state(changed, Path("new.json")) == after
    assert json.loads(Path("new.json").read_text())["q"] == {"right_foot": pytest.approx(0.0, abs=1e-12), "hip": 0.5}
    impulse = [float(x) for x in re.findall(r"[-+.\de]+(?=[,)])", found.stdout[found.stdout.index("impulse at right_foot") :])]
    assert impulse == pytest.approx(after.impulse["right_foot"], rel=1e-5, abs=1e-5)
    assert np.abs(impulse).max() > 0.1
    assert found.stdout.endswith("wrote new.json\nwrote out.json\n")


def test_away_and_back_from_the_shell_gives_the_same_mechanism_and_state():
    mech = walker()
    given = {"q": {"left_foot": -0.25, "hip": 0.5}, "v": {"left_foot": -1.0, "hip": 0.4}}
    run("reroot", saved(mech), "--top", "right", "--state", written(given), "-o", "away.json", "--state-out", "away_state.json")
    assert rg.load("away.json") != mech
    back = ["--state", "away_state.json", "-o", "back.json", "--state-out", "back_state.json"]
    run("reroot", "away.json", "--top", "left", "--at", 0, 0, 0, *HINGE, "--name", "left_foot", *back)
    assert rg.load("back.json") == mech
    state = load_state(mech, Path("back_state.json"))
    assert state.q == pytest.approx(mech.state(**given).q, abs=1e-12)
    assert state.v == pytest.approx(mech.state(**given).v, abs=1e-12)


def test_the_new_state_of_the_bind_state_can_be_written_too():
    run("reroot", saved(walker()), "--top", "right", "--state-out", "new.json")
    data = json.loads(Path("new.json").read_text())
    assert data["q"] == {"right_base": pytest.approx([0, 0, 0, 1, 0, 0, 0]), "hip": 0.0}
    assert set(data["v"]) == {"right_base", "hip"}


# --- check and convert -------------------------------------------------------------------------------------------------

OSIM = """<OpenSimDocument Version="40000"><Model name="arm"><gravity>0 -9.81 0</gravity>
<BodySet><objects><Body name="rod"><mass>1</mass><mass_center>0 -0.5 0</mass_center>
<inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects><PinJoint name="pin"><socket_parent_frame>/ground</socket_parent_frame>
<socket_child_frame>/bodyset/rod</socket_child_frame>
<coordinates><Coordinate name="turn"><default_value>0.3</default_value></Coordinate></coordinates></PinJoint></objects></JointSet>
<ForceSet><objects><Thelen2003Muscle name="biceps"/></objects></ForceSet></Model></OpenSimDocument>"""


def test_a_sound_mechanism_has_nothing_to_be_told():
    assert run("check", saved(walker())).stdout == "model.json: 0 errors, 0 warnings\n"


def test_what_is_wrong_makes_check_fail_and_what_is_unusual_does_not():
    mech = walker()
    mech.add_body("hook", rg.Inertia(0.0))
    mech.add_joint("swivel", rg.Revolute(Y), "right", "hook")
    found = run("check", saved(mech), code=1)
    assert found.stdout.splitlines() == [str(rg.check(mech)[0]), "model.json: 1 error, 0 warnings"]
    odd = walker().replace(limits={"hip": (0.5, 1.0)})
    found = run("check", saved(odd))
    assert "warning: limits 'hip': 'hip' starts at 0" in found.stdout
    assert "0 errors, 1 warning" in found.stdout
    within = written({"q": {"hip": 0.7}})
    assert run("check", saved(odd), "--state", within).stdout == "model.json: 0 errors, 0 warnings\n"


def test_check_tells_what_was_not_carried_over():
    Path("arm.osim").write_text(OSIM, encoding="utf-8")
    found = run("check", "arm.osim").stdout
    assert "warning: force: left out: 1 Thelen2003Muscle." in found
    assert "0 errors" in found


def test_a_file_of_another_format_is_shown_with_what_it_has_besides():
    Path("arm.osim").write_text(OSIM, encoding="utf-8")
    found = run("show", "arm.osim").stdout
    assert "PinJoint" not in found
    assert "rod (1 kg)" in found
    assert "note: force: left out: 1 Thelen2003Muscle." in found


def test_a_file_is_converted_by_its_ending():
    Path("arm.osim").write_text(OSIM, encoding="utf-8")
    assert "- force" in refused("convert", "arm.osim", "arm.json")
    assert not Path("arm.json").exists()
    found = run("convert", "arm.osim", "arm.json", "--ignore", "force").stdout
    assert found.endswith("wrote arm.json\n")
    assert rg.load("arm.json") == rg.read("arm.osim", ignore="all").mech
    again = run("convert", "arm.json", "again.json")
    assert again.stdout == "wrote again.json\n"
    assert Path("again.json").read_bytes() == Path("arm.json").read_bytes()
    assert "there is no writer for .doc" in refused("convert", "arm.json", "arm.doc")
    assert "is a recording" in refused("show", written("", "walk.bvh"))


def test_converting_does_not_replace_what_it_reads_unless_told():
    file = saved(walker())
    assert "is an input" in refused("convert", file, file)
    run("convert", file, file, "--force")
    assert rg.load(file) == walker()


def test_another_format_can_be_rerooted_in_the_state_it_starts_in():
    Path("arm.osim").write_text(OSIM, encoding="utf-8")
    options = ("--top", "rod", "-o", "free.json", "--state-out", "free_state.json")
    assert "- force" in refused("reroot", "arm.osim", *options)
    run("reroot", "arm.osim", *options, "--ignore", "all")
    start = rg.read("arm.osim", ignore="all")
    mech, state = rg.reroot(start.mech, start.state, "rod")
    assert rg.load("free.json").same_as(mech)
    assert rg.load("free_state.json") == state


# --- files that must not be lost -------------------------------------------------------------------------------------


def test_an_input_is_replaced_only_by_force():
    model, state = saved(walker()), written({"q": {"hip": 0.5}})
    Path("link.json").symlink_to(model)
    for same in ("model.json", "./model.json", model.resolve(), "link.json"):
        assert "is an input" in refused("reroot", model, "--top", "right", "-o", same)
    for options in (["--state-out", "state.json"], ["--state-out", "model.json"], ["-o", "state.json"]):
        assert "--force" in refused("reroot", model, "--top", "right", "--state", state, *options)
    assert rg.load(model) == walker()
    assert json.loads(state.read_text()) == {"q": {"hip": 0.5}}
    run("reroot", model, "--top", "right", "--state", state, "-o", model, "--state-out", state, "--force")
    assert "right_base" in rg.load(model).joints
    assert load_state(rg.load(model), state).q[-1] == 0.5


def test_one_file_cannot_hold_mechanism_and_state():
    found = misused("reroot", saved(walker()), "--top", "right", "-o", "x.json", "--state-out", "./x.json", "--force")
    assert "--state-out" in found
    assert not Path("x.json").exists()


def test_an_input_stays_where_the_state_cannot_be_written():
    line = refused("reroot", saved(walker()), "--top", "right", "-o", "model.json", "--force", "--state-out", "no/folder.json")
    assert "cannot write 'no/folder.json'" in line
    assert rg.load("model.json") == walker()


# --- errors ----------------------------------------------------------------------------------------------------------

MODELS = {
    "empty": ("", "is not JSON"),
    "cut short": ('{"format": ', "is not JSON.*Save the mechanism again"),
    "nested too deep": ("[" * 100_000, "is not JSON"),
    "too many digits": ("9" * 5000, "is not JSON"),
    "another format": ("{}", "not a mechanism"),
    "a list": ("[1]", "not a mechanism"),
    "damaged": ('{"format": "regraft mechanism", "version": 1}', "'gravity' is missing"),
}


@pytest.mark.parametrize("command", [["show"], ["reroot", "--top", "right"]], ids=["show", "reroot"])
@pytest.mark.parametrize(("text", "pattern"), MODELS.values(), ids=MODELS)
def test_a_model_that_is_none_is_refused_by_its_name(command, text, pattern):
    line = refused(*command, written(text, "bad.json"))
    assert "bad.json" in line
    assert re.search(pattern, line)


@pytest.mark.parametrize("command", [["show"], ["reroot", "--top", "right"]], ids=["show", "reroot"])
def test_a_file_that_is_not_there_is_named(command):
    assert "nowhere.json" in refused(*command, "nowhere.json")
    assert "cannot read" in refused(*command, ".")


STATES = {
    "not JSON": ("{", r"is not JSON.*\"q\""),
    "a list": ([], "not a state but a list"),
    "other entries": ({"q": {}, "speed": {}}, "no entry 'speed'"),
    "whole arrays": ({"q": [0.0, 0.0]}, "'q' must give numbers by the names"),
    "nothing": ({"v": None}, "'v' must give numbers by the names"),
    "unknown joint": ({"q": {"knee": 1.0}}, "no joint 'knee'.*'left_foot', 'hip'"),
    "text": ({"v": {"hip": "fast"}}, "v of joint 'hip'"),
    "too many": ({"q": {"hip": [1.0, 2.0]}}, "q of joint 'hip'"),
    "not finite": ('{"q": {"hip": NaN}}', "'hip'.*not finite"),
}


@pytest.mark.parametrize(("data", "pattern"), STATES.values(), ids=STATES)
def test_a_state_that_is_none_is_refused_by_its_name(data, pattern):
    line = refused("reroot", saved(walker()), "--top", "right", "--state", written(data), "-o", "out.json")
    assert re.search(f"state.json'.*{pattern}", line)
    assert not Path("out.json").exists()


def test_a_state_file_that_is_not_there_is_named():
    assert "nowhere.json" in refused("reroot", saved(walker()), "--top", "right", "--state", "nowhere.json")


ERRORS = {
    "unknown body": (["--top", "foot"], "no body 'foot'.*'left', 'right'"),
    "the world": (["--top", "world"], "the world cannot be"),
    "a name that is taken": (["--top", "right", "--name", "hip"], "already a joint 'hip'"),
    "a point that is none": (["--top", "right", "--at", "0", "nan", "0"], "at.*not finite"),
    "an axis that is none": (["--top", "right", "--joint", "Planar", "--axis", "0", "0", "0"], "normal is zero"),
    "parallel axes": (
        ["--top", "right", "--joint", "Universal", "--axis", *"100", "--axis2", *"100"],
        "parallel",
    ),
    "no folder": (["--top", "right", "-o", "no/folder.json"], "cannot write 'no/folder.json': No such file"),
}


@pytest.mark.parametrize(("arguments", "pattern"), ERRORS.values(), ids=ERRORS)
def test_what_cannot_be_is_told_in_one_line(arguments, pattern):
    assert re.search(pattern, refused("reroot", saved(walker()), *arguments))


def test_an_error_is_red_on_a_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run("show", "nowhere.json", code=1).stderr.startswith("\x1b[31merror: ")


def test_a_motion_that_cannot_be_carried_is_told():
    state = written({"q": {"hip": 0.5}, "v": {"left_foot": 1.0}})
    line = refused("reroot", saved(walker()), "--top", "right", "--state", state, "--joint", "Fixed", "--align", "current")
    assert "cannot carry this motion" in line


def test_a_name_with_a_line_break_still_gives_one_line():
    assert "no body 'a\\nb'" in refused("reroot", saved(walker()), "--top", "a\nb")


def test_loops_stay_closed():
    mech = walker()
    mech.add_joint("closing", rg.Revolute(Y), "world", "right")
    assert "loop closing" in run("reroot", saved(mech), "--top", "right").output


USAGE = {
    "unknown type": (["--joint", "Hinge"], "no joint type 'Hinge'.*Revolute"),
    "no axis": (["--joint", "Revolute"], "a Revolute joint needs --axis"),
    "no normal": (["--joint", "Planar"], "a Planar joint needs --axis"),
    "no pitch": (["--joint", "Helical", "--axis", *"001"], "a Helical joint needs --pitch"),
    "no second axis": (["--joint", "Universal", "--axis", *"001"], "a Universal joint needs --axis2"),
    "an axis too many": (["--joint", "Free", "--axis", *"001"], "--axis.*a Free joint has nothing to do with it"),
    "a pitch too many": ([*HINGE, "--pitch", "1"], "--pitch.*a Revolute joint has nothing to do with it"),
    "curves": (["--joint", "Guided"], "a Guided joint needs 'rotations'.*in Python"),
    "no type": (["--axis", *"001"], "give its type too"),
    "two coordinates": (["--at", "0", "1"], "--at"),
    "a coordinate that is text": (["--at", "0", "1", "up"], "--at"),
    "another velocity": (["--velocity", "stop"], "--velocity"),
    "another zero": (["--align", "left"], "--align"),
}


@pytest.mark.parametrize(("options", "pattern"), USAGE.values(), ids=USAGE)
def test_options_that_do_not_fit_are_wrong_usage(options, pattern):
    assert re.search(pattern, misused("reroot", saved(walker()), "--top", "right", *options))


def test_a_joint_type_without_options_of_its_own_is_left_to_python(monkeypatch):
    class Rack(rg.Revolute):
        def __init__(self, axis, radius):
            super().__init__(axis)
            self.radius = radius

    monkeypatch.setitem(BY_NAME, "Rack", Rack)
    found = misused("reroot", saved(walker()), "--top", "right", "--joint", "Rack", "--axis", *"010")
    assert re.search("a Rack joint needs 'radius'.*in Python", found)


DEMOS = "walker", "highbar", "swing", "skeleton", "gait"

# --- states and the page ---------------------------------------------------------------------------------------------


def test_states_come_back():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        mech = random_mechanism(rng, bodies=6, roots=2)
        q = rg.integrate(mech, mech.state().q, rng.standard_normal(mech.nv))
        state = mech.state(q=q, v=rng.standard_normal(mech.nv))
        state.save("s.json")
        again = load_state(mech, Path("s.json"))
        assert np.array_equal(again.v, state.v)
        assert again.q == pytest.approx(state.q, abs=1e-15)


def test_the_page_shows_what_is_printed(monkeypatch):
    monkeypatch.setattr("regraft.viewer.server.Viewer.wait", lambda viewer: viewer.close())  # which is what Ctrl-C does
    monkeypatch.setattr("regraft.viewer.opening.open_browser", lambda _url: True)
    text = PAGE.read_text(encoding="utf-8")
    output, commands = "", 0
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "python":
            exec(code, {})
        elif language == "sh":
            tool, *arguments = shlex.split(code)
            assert tool == "regraft"
            found = CliRunner().invoke(app, arguments)
            output, commands = "\n".join(line.rstrip() for line in found.output.splitlines()) + "\n", commands + 1
        else:
            assert output.endswith(code)
    assert commands >= 4
    assert rg.load("again.json") == rg.load("walker.json")


def test_the_page_names_every_option():
    text = PAGE.read_text(encoding="utf-8")
    for command in (
        "show",
        "view",
        "check",
        "convert",
        "reroot",
        "gait",
        "demo walker",
        "demo highbar",
        "demo swing",
        "demo skeleton",
        "demo gait",
    ):
        for option in set(re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", run(*command.split(), "--help").stdout)) - {"--help"}:
            assert f"`{option}" in text or f"`-o`, `{option}" in text or f", `{option}" in text, option
