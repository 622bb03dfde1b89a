"""The kernels on disk: never an exception, never from a folder that others can write to, compiled again only where needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from forks import Forks
from regraft.compilation import ingredients
from regraft.compilation.cache import cache_home
from regraft.kernels import aba
from test_first_compilation import PACKAGE, SLIDE, run


@pytest.fixture(scope="module")
def forks():
    with Forks() as started:
        yield started


@pytest.fixture(scope="module")
def slide(forks):
    """Runs one kernel with the cache in a folder, in a process that has not loaded it yet."""
    return partial(run, SLIDE, forks=forks)


@pytest.fixture(scope="module")
def filled(slide, tmp_path_factory):
    """A cache with one kernel in it."""
    home = tmp_path_factory.mktemp("filled") / "cache"
    slide(home)
    return home


@pytest.fixture
def copy(filled, tmp_path):
    """A copy of it that a test may damage."""
    return Path(shutil.copytree(filled, tmp_path / "cache"))


def the_kernel(home):
    (found,) = home.glob("*.kernel")
    return found


DAMAGES = {
    "empty": lambda _: b"",
    "cut short": lambda data: data[: len(data) // 2],
    "one byte less": lambda data: data[:-1],
    "more at the end": lambda data: data + b"more",
    "one bit": lambda data: data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
    "text": lambda _: b"this is no kernel",
    "a pickle that would run": lambda _: b"cos\nsystem\n(S'touch ran'\ntR.",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_kernel_is_compiled_again_and_healed(slide, copy, damage):
    file = the_kernel(copy)
    whole = file.read_bytes()
    file.write_bytes(DAMAGES[damage](whole))
    report, _ = slide(copy)
    assert report["slide"] == 2.0
    assert report["compiled"] > 0
    again, said = slide(copy)
    assert (again["compiled"], said) == (0, [])
    assert not Path("ran").exists()
    assert [path.name for path in copy.iterdir()] == [file.name]


def test_a_filled_cache_that_cannot_be_written_to_is_used(slide, copy):
    the_kernel(copy).chmod(0o444)
    copy.chmod(0o555)
    try:
        report, said = slide(copy)
        assert (report["slide"], report["compiled"], said) == (2.0, 0, [])
    finally:
        copy.chmod(0o755)


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_folder_that_others_can_write_to_is_not_used(slide, copy, mode):
    copy.chmod(mode)
    before = the_kernel(copy).stat().st_mtime_ns
    report, said = slide(copy)
    assert report["compiled"] > 0
    assert "others can write" in said[0]
    assert the_kernel(copy).stat().st_mtime_ns == before


def test_the_folder_is_made_for_the_user_alone(filled):
    assert filled.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("variable", ["REGRAFT_CACHE_DIR", "XDG_CACHE_HOME"])
@pytest.mark.parametrize("place", ["", "here", "./here"])
def test_nothing_is_kept_relative_to_the_current_folder(variable, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGRAFT_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(variable, place)
    home = str(cache_home.__wrapped__())
    assert home == "None" or Path(home).is_absolute()
    assert home in ("None", str(tmp_path / "home" / ".cache" / "regraft"))


def test_a_full_disk_is_no_error(tmp_path, forks):
    """No file may be written beyond some bytes, as on a full disk."""
    program = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    program += "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\nimport regraft as rg\n"
    program += "print(rg.Prismatic((1, 0, 0)).pose([2.0]).translation[0])"
    found = forks.run(program, environment=os.environ | {"REGRAFT_CACHE_DIR": str(tmp_path / "cache")})
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "2.0"
    assert list((tmp_path / "cache").iterdir()) == []


# --- what a kernel is made of ------------------------------------------------------------------------------------------


def keys(source):
    """The keys of all entries of a copy of the sources, each with those of all stages that it calls."""
    program = """
import sys, json
import regraft as rg
from regraft.compilation.cache import KernelCache
from regraft.compilation.ingredients import stages_of
def keys(function, seen):
    own = function.py_func
    seen[f"{own.__module__}.{own.__qualname__}"] = function._cache.key(())
    for stage in stages_of(own):
        keys(stage, seen)
    return seen
found = {}
for name, module in sorted(sys.modules.items()):
    if name.startswith("regraft"):
        for function in vars(module).values():
            if isinstance(getattr(function, "_cache", None), KernelCache):
                own = function.py_func
                found[f"{own.__module__}.{own.__name__}"] = keys(function, {})
print(json.dumps(found))
"""
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    home = tmp_path_factory.mktemp("sources")
    shutil.copytree(PACKAGE, home / "regraft", ignore=shutil.ignore_patterns("__pycache__"))
    return home, keys(home)


def changed(sources, *edits):
    """Which entries have another key after edits, each of which has a file, a text in it and another one."""
    home, before = sources
    with ExitStack() as kept:
        for file, old, new in edits:
            path = home / "regraft" / file
            text = path.read_text(encoding="utf-8")
            assert text.count(old) >= 1
            kept.callback(path.write_text, text, encoding="utf-8")
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
        after = keys(home)
    assert after.keys() == before.keys()
    return {name for name in before if before[name] != after[name]}


def test_edits_of_what_is_no_part_of_a_kernel_compile_nothing(sources):
    """All of them at once: a key that one of them changes no other changes back."""
    edits = [
        ("cli.py", "\nfrom __future__", "\n\nfrom __future__"),
        ("ask/inverse.py", "From accelerations to torques", "Torques"),
        ("kernels/aba.py", '"""', '"""Once more. '),
        ("kernels/aba.py", "\nfrom ", "\n\n\n# a comment\nfrom "),
        ("describe/mechanism.py", "class Mechanism(", "_NEW = 1\n\n\nclass Mechanism("),
        ("models/bipeds.py", "\nfrom .", "\nimport math as _math\nfrom ."),
        ("errors.py", '"""', '"""All of '),
    ]
    assert changed(sources, *edits) == set()


def test_an_edit_changes_the_kernels_that_contain_it(sources):
    everywhere = changed(sources, ("algebra/spatial.py", "a[1] * b[2] - a[2] * b[1]", "a[1] * b[2] + a[2] * b[1]"))
    assert {"regraft.kernels.aba.forward_dynamics", "regraft.kernels.energy.energy_at"} <= everywhere
    assert "regraft.kernels.configuration.normalise_position" not in everywhere
    constant = changed(sources, ("kernels/tables.py", "MASS = 12", "MASS = 12 + 0 * 1  # the same\nMASS = 11"))
    assert {"regraft.kernels.aba.forward_dynamics", "regraft.structure.derive.derive_tree"} <= constant
    intrinsic = changed(sources, ("algebra/memory.py", "inbounds=True", "inbounds=False"))
    assert intrinsic == set(sources[1])
    closure = changed(sources, ("joints/prismatic.py", "scale(q[0]", "scale(2.0 * q[0]"))
    assert {"regraft.kernels.aba.forward_dynamics", "regraft.simulate.stepping_loop.run"} <= closure
    flags = changed(sources, ("compilation/decorators.py", '"contract", ', ""))
    assert flags == set(sources[1])
    linking = changed(sources, ("compilation/libraries.py", "opt=3", "opt=2"))
    assert linking == set(sources[1])


def test_an_edit_of_a_stage_compiles_that_stage_alone(sources):
    """What calls a stage does so by its name, so its own machine code stays as it is."""
    home, before = sources
    path = home / "regraft" / "kernels" / "kinematics.py"
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(text.replace("bias = motion_cross(V_p, V_J)", "bias = motion_cross(V_J, V_p)"), encoding="utf-8")
        after = keys(home)
    finally:
        path.write_text(text, encoding="utf-8")
    changed = {part for name in before for part in before[name] if before[name][part] != after[name][part]}
    assert changed == {"regraft.kernels.kinematics.move_bodies"}


def test_keys_do_not_depend_on_the_process(sources):
    assert keys(sources[0]) == sources[1]


def test_imports_are_found_as_python_finds_them():
    """The modules that a file names in its imports, against those that the interpreter loads for it."""
    for module in ("regraft.joints", "regraft.kernels.aba", "regraft.algebra.memory", "regraft.algebra.scalars"):
        found = ingredients.import_closure(module)
        assert all(name in sys.modules for name in found)
        for name in found:
            for value in vars(sys.modules[name]).values():
                home = getattr(value, "__module__", None)
                if isinstance(home, str) and home.startswith("regraft") and callable(value):
                    assert home in found or home.split(".")[1] in ingredients._LEAVES, (name, home)


def test_an_entry_is_made_of_all_that_it_calls():
    names = {function.__name__ for function in _called(aba.forward_dynamics.py_func)}
    assert {"place_bodies", "move_bodies", "aba", "cross"} <= names


def _called(function):
    found, waiting = [], [function]
    while waiting:
        own = waiting.pop()
        found.append(own)
        look = ingredients._look(own)
        called = [*look.called, *(stage.py_func for stage in look.stages)]
        waiting += [other for other in called if other not in found and other not in waiting]
    return found
