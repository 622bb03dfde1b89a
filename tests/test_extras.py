"""What the library carries: it works without the packages of its extras, and what needs one of them says how to get it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

import regraft as rg
from forks import Forks
from regraft.extras import EXTRAS, require
from regraft.progress_bar import ProgressBar

ROOT = Path(__file__).parent.parent
PACKAGE = Path(rg.__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTALLED_AS = {"PIL": "pillow", "yaml": "pyyaml"}
BY_NUMBA = {"yaml"}  # which Numba imports itself where it is there
WITH_NUMBA = {"llvmlite"}  # which fixes its version
FRAMEWORKS = {"torch", "jax"}  # which are large, and nobody needs both

LIBRARY = """
import sys
import regraft as rg

mech = rg.Mechanism()
mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1, at=(0, 0, -1)))
mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
mech.save("mech.json")
state = rg.load("mech.json").state(q={"hinge": 0.3})
rg.forward_dynamics(mech, state)
rg.reroot(mech, state, "bob")
rg.connect(mech, mech.state(), "world", "bob", joint=rg.Revolute((0, 1, 0)), at=(0, 0, 0))
traj = rg.simulate(mech, state, 0.1)
traj.save("traj.npz")
assert rg.load("traj.npz").final[1].q == traj.final[1].q
traj.invariants(), traj.to_arrays()
rg.models.compass_biped(), rg.models.high_bar(), rg.gait
print(mech)
print([name for name in EXTRAS if sys.modules.get(name)])
"""

BLOCKER = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in PACKAGES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
"""

SLOW = """
import time, numpy as np, regraft as rg
mech = rg.Mechanism()
mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1, at=(0, 0, -1)))
mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
def slow(t, mech, state):
    time.sleep(0.003)
    return np.zeros(1)
rg.simulate(mech, mech.state(), 1.0, torque=slow, integrator="euler", step=1.0 / 500, progress=True)
"""


@pytest.fixture
def without(tmp_path, monkeypatch):
    """Runs Python in a fresh folder, in a process that finds no package of these, and nor do processes that it starts."""

    def run(packages, *arguments):
        blocked = tmp_path / "blocked"
        blocked.mkdir()
        (blocked / "sitecustomize.py").write_text(BLOCKER.replace("PACKAGES", repr(list(packages))))
        path = os.pathsep.join((str(blocked), str(PACKAGE.parent)))
        monkeypatch.chdir(tmp_path)
        return subprocess.run(
            [sys.executable, *arguments], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
        )

    return run


@pytest.fixture(scope="module")
def forks_without(tmp_path_factory):
    """For a package, forks of a process that has imported the library and finds no such package."""
    with ExitStack() as running:

        @cache
        def start(package):
            blocked = tmp_path_factory.mktemp("blocked")
            (blocked / "sitecustomize.py").write_text(BLOCKER.replace("PACKAGES", repr([package])))
            return running.enter_context(Forks(os.pathsep.join((str(blocked), str(PACKAGE.parent)))))

        yield start


def imports(path):
    """The packages that a file imports anywhere, besides Python's own."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    found = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    found += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0]
    return {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names)


def required(requirements):
    return {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}


# --- what is declared ---------------------------------------------------------------------------------------------------------


def test_every_package_that_is_imported_comes_with_the_library_or_with_an_extra():
    core = required(PROJECT["dependencies"])
    imported = set.union(*(imports(path) for path in PACKAGE.rglob("*.py")))
    assert imported - core - WITH_NUMBA <= set(EXTRAS)
    assert core == {"numpy", "numba", "scipy"}
    for package, extra in EXTRAS.items():
        assert INSTALLED_AS.get(package, package) in required(PROJECT["optional-dependencies"][extra])


def test_one_extra_brings_all_others_that_users_need():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert everything == f"regraft[{','.join(sorted(set(EXTRAS.values()) - FRAMEWORKS))}]"


# --- without them -------------------------------------------------------------------------------------------------------------


def test_the_library_works_without_any_extra(without):
    done = without(EXTRAS, "-c", f"EXTRAS = {list(EXTRAS)!r}\n{LIBRARY}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("[]\n")


def test_the_library_imports_no_extra_where_they_are_installed(without):
    done = without((), "-c", f"EXTRAS = {[name for name in EXTRAS if name not in BY_NUMBA]!r}\n{LIBRARY}")
    assert done.stdout.endswith("[]\n"), done.stderr


MODULE = "import runpy; runpy.run_module('regraft', run_name='__main__', alter_sys=True)"  # as `python -m regraft`


@pytest.mark.parametrize("start", [MODULE, "from regraft.__main__ import main; main()"], ids=["module", "function"])
@pytest.mark.parametrize("package", ["typer", "rich"])
def test_the_command_line_says_what_to_install(package, start, forks_without):
    done = forks_without(package).run(start, "--version")
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: the command line needs {package}, ")
    assert line.endswith("install it with: pip install 'regraft[cli]'.")


@pytest.mark.parametrize("demo", ["walker", "highbar", "swing", "skeleton"])
def test_a_demonstration_says_what_to_install_before_it_makes_anything(demo, forks_without, tmp_path):
    done = forks_without("matplotlib").run(MODULE, "demo", demo, "--out", "made", folder=tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: a demonstration needs matplotlib, ")
    assert line.endswith("install it with: pip install 'regraft[show]'.")
    assert not (tmp_path / "made").exists()


def test_other_commands_do_without_pictures(without, tmp_path):
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1))
    mech.save(tmp_path / "model.json")
    packages = [package for package, extra in EXTRAS.items() if extra != "cli"]
    done = without(packages, "-m", "regraft", "show", "model.json", "--bodies")
    assert done.returncode == 0, done.stderr
    assert "principal moments" in done.stdout


def test_a_plot_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    found = rg.simulate(mech, mech.state(), 0.1).invariants()
    with pytest.raises(rg.MissingPackageError, match=r"^a plot needs matplotlib, .*pip install 'regraft\[show\]'"):
        found.plot()


@pytest.mark.parametrize("package", EXTRAS)
def test_the_error_names_the_user_the_package_and_the_extra(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(rg.MissingPackageError) as caught:
        require(package, "this")
    assert isinstance(caught.value, rg.RegraftError)
    assert isinstance(caught.value, ModuleNotFoundError)
    assert caught.value.name == package
    expected = (
        rf"this needs {package}, which cannot be imported \(.*\); install it with: pip install 'regraft\[{EXTRAS[package]}\]'\."
    )
    assert re.fullmatch(expected, str(caught.value))


def test_a_package_that_is_there_is_returned():
    assert require("rich", "this").__name__ == "rich"


# --- progress -----------------------------------------------------------------------------------------------------------------


def test_progress_of_a_simulation_is_a_few_lines_where_there_is_no_rich(without):
    done = without(["rich"], "-c", SLOW)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert 1 <= len(lines) <= 5
    assert all(re.fullmatch(r"simulating t = \S+ of 1 s", line) for line in lines)


def test_all_kernels_are_compiled_where_there_is_no_rich(without):
    done = without(EXTRAS, "-m", "regraft.warmup")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert re.fullmatch(r"compiling \d+ kernels", lines[0])
    assert lines[-1] == "all kernels are compiled"


def test_lines_come_at_the_start_every_few_seconds_and_at_the_end(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr("regraft.progress_bar.time.monotonic", lambda: now[0])
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with ProgressBar(100) as bar:
        for done in range(0, 101, 10):
            bar.update(done, f"{done} done")
            now[0] += 0.75
    written = capsys.readouterr()
    assert written.err.splitlines() == ["0 done", "30 done", "60 done", "90 done", "100 done"]
    assert written.out == ""


def test_a_bar_of_rich_shows_the_same_words(capfd):
    pytest.importorskip("rich")
    with ProgressBar(2) as bar:
        bar.update(1, "half")
        bar.update(2, "all [of it]")
    written = capfd.readouterr()
    assert "all [of it]" in written.err
    assert "half" not in written.err  # where there is no terminal, its end is all that is shown
    assert written.out == ""
