"""Mechanisms in files: equal to the last digit after a round trip, and damaged files refused with a reason."""

from __future__ import annotations

import copy
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import ALL_JOINTS, random_inertia, random_joint, random_mechanism, random_pose, random_state

HINT = r"[Ss]ave|add|give|known are|must|reads version|choose"


def decorated(rng, **options):
    """A random mechanism with something of everything."""
    mech = random_mechanism(rng, roots=2, damping=True, limits=True, springs=3, **options)
    for k, body in enumerate(("world", *mech.bodies)):
        mech.add_frame(f"frame {k}", body, random_pose(rng))
    mech.add_frame("at the origin", "b0")
    mech.add_body("loop körper ☂", random_inertia(rng))
    mech.add_joint("to it", rg.Revolute(rng.standard_normal(3), limits=(-math.inf, 0.5), actuated=False), "b0", "loop körper ☂")
    return mech


def strictly(text):
    """JSON as the standard has it: no NaN, no Infinity."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@given(st.integers(0, 2**32 - 1))
def test_a_mechanism_comes_back_equal_and_moves_alike_to_the_last_bit(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    mech = decorated(rng, bodies=5)
    path = tmp_path_factory.mktemp("files") / "mechanism.json"
    mech.save(path)
    again = rg.load(path)
    assert again == mech
    assert again.to_dict() == mech.to_dict()
    assert repr(again) == repr(mech)
    state, tau = random_state(rng, mech), rng.standard_normal(mech.nv)
    assert np.array_equal(rg.forward_dynamics(again, state, tau), rg.forward_dynamics(mech, state, tau))
    assert rg.energy(again, state) == rg.energy(mech, state)
    strictly(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", ALL_JOINTS, ids=lambda kind: kind.__name__)
def test_every_joint_type_comes_back_with_all_its_settings(kind, tmp_path):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        mech = rg.Mechanism(gravity=(0.1, 1 / 3, -9.81))
        mech.add_body("a", random_inertia(rng))
        settings = {"damping": rng.uniform(0, 1, kind.nv), "actuated": bool(seed % 2)}
        if kind.limited:
            low, high = -rng.uniform(0, 1, kind.limited), rng.uniform(0, 1, kind.limited)
            low[0] = -math.inf if seed % 3 == 0 else low[0]
            high[-1] = math.inf if seed % 4 == 0 else high[-1]
            settings["limits"] = rg.Limits(low, high, rng.uniform(1, 9), rng.uniform(0, 1))
        mech.add_joint("j", random_joint(rng, kind, **settings), "world", "a", random_pose(rng), random_pose(rng))
        mech.save(tmp_path / "m.json")
        again = rg.load(tmp_path / "m.json")
        assert again == mech
        one, other = mech.joints["j"].type, again.joints["j"].type
        assert other.actuated == one.actuated
        assert np.array_equal(other.damping, one.damping)
        assert other.limits == one.limits
        assert other.parameters() == one.parameters()
        strictly((tmp_path / "m.json").read_text(encoding="utf-8"))


def test_loops_come_back(tmp_path):
    mech = decorated(np.random.default_rng(0), bodies=4)
    mech.add_joint("closing", rg.Revolute((0, 0, 1)), "b0", "b3")
    mech.save(tmp_path / "m.json")
    assert rg.load(tmp_path / "m.json").loop_joints == ("closing",)


def test_a_mechanism_without_anything_comes_back(tmp_path):
    mech = rg.Mechanism(gravity=(0, -1.0, 0))
    mech.save(tmp_path / "m.json")
    assert rg.load(tmp_path / "m.json") == mech


def test_a_path_may_be_text(tmp_path):
    mech = decorated(np.random.default_rng(0), bodies=2)
    mech.save(str(tmp_path / "m.json"))
    assert rg.load(str(tmp_path / "m.json")) == mech


def test_plain_data_is_plain():
    mech = decorated(np.random.default_rng(1), bodies=4)
    assert rg.Mechanism.from_dict(strictly(json.dumps(mech.to_dict(), allow_nan=False))) == mech


# --- damage ----------------------------------------------------------------------------------------------------------


def sound():
    return decorated(np.random.default_rng(7), bodies=3).to_dict()


def damaged_text(text, tmp_path):
    path = tmp_path / "broken file.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(rg.ModelError) as problem:
        rg.load(path)
    message = str(problem.value)
    assert str(path) in message
    return message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(rg.ModelError, match="nowhere"):
        rg.load(tmp_path / "nowhere.json")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(rg.ModelError, match=tmp_path.name):
        rg.load(tmp_path)


@pytest.mark.parametrize("text", ["", "not json", b"\xff\xfe\x00\x01", "{'format': 1}", "[1, 2"], ids=repr)
def test_what_is_not_json_is_refused(text, tmp_path):
    damaged_text(text, tmp_path)


def test_a_file_cut_short_is_refused_wherever_it_was_cut(tmp_path):
    text = json.dumps(sound())
    for end in np.linspace(1, len(text) - 1, 40).astype(int):
        assert "ave the mechanism again" in damaged_text(text[:end], tmp_path)


@pytest.mark.parametrize("text", ["null", "3", '"text"', "[]", "{}", '{"format": "something else", "version": 1}'])
def test_another_format_is_refused(text, tmp_path):
    assert "regraft mechanism" in damaged_text(text, tmp_path)


@pytest.mark.parametrize("version", [0, 2, "1", None, 1.5])
def test_another_version_is_refused(version, tmp_path):
    message = damaged_text(json.dumps(sound() | {"version": version}), tmp_path)
    assert repr(version) in message
    assert "version 1" in message


def paths_to_keys(data, path=()):
    """Every place in nested data where a key could be missing."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key)
            yield from paths_to_keys(value, (*path, key))
    elif isinstance(data, list) and data and isinstance(data[0], dict):
        yield from paths_to_keys(data[0], (*path, 0))


# what has a default may be left out
OPTIONAL = {"rotation", "translation", "damping", "limits", "actuated", "rest_length"}
REQUIRED = [path for path in paths_to_keys(sound()) if path[-1] not in OPTIONAL]


def changed(path, value):
    data = copy.deepcopy(sound())
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is KeyError:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(data)


@pytest.mark.parametrize("path", REQUIRED, ids=lambda path: ".".join(map(str, path)))
def test_a_missing_entry_is_refused_by_name_with_a_way_out(path, tmp_path):
    message = damaged_text(changed(path, KeyError), tmp_path)
    assert str(path[-1]) in message
    assert re.search(HINT, message)


# nothing at all stands for no pose, no tensor, no joints; a name is a text
HARMLESS = [(None, "parent_pose"), (None, "child_pose"), (None, "pose"), (None, "tensor"), ("text", "name")]
WRONG = [(path, value) for path in REQUIRED for value in (None, "text", [None], 1e400) if (value, path[-1]) not in HARMLESS]


@pytest.mark.parametrize(("path", "value"), WRONG, ids=lambda part: ".".join(map(str, part)) if isinstance(part, tuple) else None)
def test_an_entry_of_the_wrong_kind_is_refused(path, value, tmp_path):
    damaged_text(changed(path, value), tmp_path)


DAMAGE = {
    "unknown joint type": (("joints", 0, "joint", "type"), "Hinge", "Hinge.*Revolute"),
    "unknown parent": (("joints", 0, "parent"), "nobody", "'nobody'.*add"),
    "unknown body of a frame": (("frames", 0, "body"), "nobody", "'nobody'.*add"),
    "unknown body of a spring": (("springs", 0, "body_a"), "nobody", "'nobody'.*add"),
    "a name twice": (("bodies", 0, "name"), "b1", "'b1'.*choose"),
    "negative mass": (("bodies", 0, "mass"), -1.0, "mass.*negative"),
    "a mass in quotes": (("bodies", 0, "mass"), "1.0", "mass"),
    "not a number": (("bodies", 0, "com"), [0.0, math.nan, 0.0], "com.*finite"),
    "numbers in quotes": (("bodies", 0, "com"), ["0", "0", "1"], "com"),
    "two coordinates": (("bodies", 0, "com"), [0.0, 0.0], "com.*shape"),
    "not a rotation": (("joints", 0, "parent_pose", "rotation"), [[2, 0, 0], [0, 2, 0], [0, 0, 2]], "rotation.*orthonormal"),
    "limits of another shape": (("joints", 0, "joint", "limits"), [[0.0], [1.0], 5.0], "limits"),
    "limits that are text": (("joints", 0, "joint", "limits"), [["a"], ["b"], 1.0, 1.0], "limits"),
    "limits that are a number": (("joints", 0, "joint", "limits"), 3.0, "limits"),
    "damping of another shape": (("joints", 0, "joint", "damping"), [1.0] * 9, "damping.*shape"),
    "negative stiffness": (("springs", 0, "stiffness"), -5.0, "stiffness.*negative"),
    "an unknown setting": (("joints", 0, "joint", "colour"), "red", "colour"),
    "an unknown entry of a spring": (("springs", 0, "colour"), "red", "colour"),
}


@pytest.mark.parametrize(("path", "value", "expected"), DAMAGE.values(), ids=DAMAGE)
def test_a_bad_value_is_refused_with_its_reason(path, value, expected, tmp_path):
    assert re.search(expected, damaged_text(changed(path, value), tmp_path))


@pytest.mark.parametrize(
    "change", [{"parent": ["world"]}, {"child": "nobody"}, {"name": 7}, {"name": ["base"]}, {"parent": "b1"}]
)
def test_a_former_base_that_cannot_have_been_one_is_refused(change, tmp_path):
    mech = random_mechanism(np.random.default_rng(0), bodies=2, reverse=0.0)
    data = rg.reroot(mech, mech.state(), "b1")[0].to_dict()
    data["former_bases"][0].update(change)
    damaged_text(json.dumps(data), tmp_path)


UNPRINTABLE = [
    "\x1b[31mred",
    "two\nlines",
    "\x00",
    "a\tb",
    "\x7f",
    "\x9b",
    "\u202eturned",
    "\u2066x\u2069",
    "zero\u200bwidth",
    "\ud800",
]


@pytest.mark.parametrize("name", UNPRINTABLE)
def test_names_that_would_act_on_a_terminal(name):
    mech = rg.Mechanism()
    mech.add_body("b", rg.Inertia.sphere(1.0, 0.1))
    for add in (
        lambda: mech.add_body(name, rg.Inertia.sphere(1.0, 0.1)),
        lambda: mech.add_joint(name, rg.Free(), "world", "b"),
        lambda: mech.add_frame(name, "b"),
        lambda: mech.add_spring(name, "world", (0, 0, 0), "b", (0, 0, 0), stiffness=1.0),
        lambda: rg.Event(name, float),
        lambda: rg.at_time(1.0, name=name),
    ):
        with pytest.raises(rg.ModelError, match=r"name cannot be .* cannot be shown") as problem:
            add()
        assert str(problem.value).isprintable()


@pytest.mark.parametrize("name", UNPRINTABLE)
@pytest.mark.parametrize("table", ["bodies", "joints", "frames", "springs", "former_bases"])
def test_names_in_files_that_would_act_on_a_terminal(table, name, tmp_path):
    mech = rg.Mechanism()
    mech.add_body("b", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("j", rg.Free(), "world", "b")
    mech.add_frame("f", "b")
    mech.add_spring("s", "world", (0, 0, 0), "b", (0, 0, 0), stiffness=1.0)
    mech, _ = rg.reroot(mech, mech.state(), "b", name="base")
    data = mech.to_dict()
    data[table][0]["name"] = name
    (tmp_path / "x.json").write_text(json.dumps(data))
    with pytest.raises(rg.ModelError, match=r"name cannot be .* cannot be shown"):
        rg.load(tmp_path / "x.json")


def test_what_else_a_file_says_cannot_act_on_a_terminal(tmp_path):
    mech = rg.Mechanism()
    mech.add_body("b", rg.Inertia.sphere(1.0, 0.1))
    mech.add_spring("s", "world", (0, 0, 0), "b", (0, 0, 0), stiffness=1.0)
    data = mech.to_dict()
    data["springs"][0]["\x1b[31m"] = 1.0
    (tmp_path / "x.json").write_text(json.dumps(data))
    with pytest.raises(rg.ModelError, match="damaged") as problem:
        rg.load(tmp_path / "x.json")
    assert str(problem.value).isprintable()


def test_names_in_any_script_are_fine():
    mech = rg.Mechanism()
    for name in ("Knie (links)", "genou droit", "колено", "膝", "ركبة", "🦵", "a\\b"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    assert "колено" in mech.bodies


@pytest.mark.parametrize("path", [None, 3.5, [], "a\0b", "a\ud800b"])
def test_loading_what_is_no_path(path):
    for load in (rg.load, rg.Trajectory.from_file):
        with pytest.raises(rg.ModelError, match="path of a file"):
            load(path)
