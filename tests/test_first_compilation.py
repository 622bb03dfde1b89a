"""What the first use costs: importing compiles nothing, the first call says what it waits for, the next process waits no more."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.itanium_mangler import mangle_args
from packaging.specifiers import SpecifierSet

import regraft
from forks import Forks
from regraft.compilation import ENTRIES, units_of
from regraft.compilation.cache import STAGES
from regraft.compilation.ingredients import merged
from regraft.compilation.signatures import scalar_of
from regraft.kernels.batch import forward_dynamics_batch, mass_matrix_batch
from regraft.kernels.contacts.closing import contact_closing
from regraft.kernels.contacts.dynamics import contact_dynamics
from regraft.kernels.contacts.events import contact_event
from regraft.kernels.contacts.glance import contact_glance
from regraft.kernels.contacts.guarding import contact_guards
from regraft.simulate import stepping_loop
from regraft.simulate.batch import rollout

PACKAGE = Path(regraft.__file__).parent

# Counts what Numba compiles (not what it loads), does as told, and reports.
PROGRAM = """
import json, time
from numba.core import event

class Count(event.Listener):
    compiled = 0
    def on_start(self, happening):
        self.compiled += 1
    def on_end(self, happening):
        pass

count = Count()
event.register("numba:compile", count)
import regraft as rg
report = {"file": rg.__file__}
TASK
report["compiled"] = count.compiled
print(json.dumps(report))
"""

COLLECTS = "import gc; report['collects'] = gc.isenabled()"
SLIDE = 'report["slide"] = float(rg.Prismatic((1, 0, 0)).pose([2.0]).translation[0])'

# As an edit of a file that compiled functions of other files merge into themselves.
EDIT = '''

@inline
def scale(s: Scalar, a: Vector) -> Vector:
    """Twice as much."""
    return (2.0 * s * a[0], 2.0 * s * a[1], 2.0 * s * a[2])
'''


def run(task, cache, source=PACKAGE.parent, forks=None):
    """The report of a fresh process, or of one of the `forks` of one, and the lines it wrote to stderr."""
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    if cache is not None:
        environment["REGRAFT_CACHE_DIR"] = str(cache)
    program = PROGRAM.replace("TASK", task)
    if forks is None:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    else:
        done = forks.run(program, environment=environment)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert Path(report["file"]).parent.parent == Path(source)
    return report, done.stderr.splitlines()


def files_in(folder):
    return sorted(path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the sources that a test may edit."""
    home = tmp_path_factory.mktemp("copied")
    shutil.copytree(PACKAGE, home / "regraft", ignore=shutil.ignore_patterns("__pycache__"))
    return home


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def forks(copied):
    """Of a process that has imported the copy as it was in the beginning."""
    with Forks(copied) as started:
        yield started


@pytest.fixture(scope="module")
def first(cache, copied, forks):
    """The first call ever."""
    return run(f"{SLIDE}\n{COLLECTS}", cache, copied, forks)


def test_importing_compiles_nothing_and_leaves_no_files(tmp_path):
    report, said = run("pass", tmp_path)
    assert report["compiled"] == 0
    assert files_in(tmp_path) == []
    assert said == []


def test_the_first_call_says_in_one_line_that_it_compiles_and_where_to(first, cache):
    report, said = first
    assert report["slide"] == 2.0
    assert report["compiled"] > 0
    assert len(said) == 1
    assert "compil" in said[0]
    assert str(cache) in said[0]


def test_garbage_that_lay_while_kernels_were_compiled_is_collected_again(first):
    assert first[0]["collects"]


def modules_in(*functions):
    """The modules, without the package's name, of all that is merged into some functions."""
    return {part.__module__.partition(".")[2] for function in functions for part in merged(function)}


def waited_for(entry):
    """The modules of all that is compiled for an entry."""
    return modules_in(*(unit.dispatcher.py_func for unit in units_of(entry, entry.declared[0])))


def test_the_loop_of_a_simulation_calls_the_dynamics_and_has_no_copy_of_it():
    assert "kernels.aba" in waited_for(stepping_loop.run)
    assert "kernels.aba" not in modules_in(stepping_loop.run.py_func)


def test_a_run_without_events_waits_for_nothing_that_looks_for_them():
    found = waited_for(stepping_loop.run)
    assert not found & {"simulate.guards", "simulate.crossings", "kernels.constraints.closure"}
    assert not [module for module in found if module.startswith("kernels.contacts")]


def test_a_batch_waits_for_nothing_that_looks_for_events_or_measures():
    found = waited_for(rollout.roll_out)
    assert "kernels.aba" in found
    assert not found & {"simulate.guards", "simulate.crossings", "kernels.energy", "kernels.constraints.closure"}
    assert not found & {"simulate.batch.lane_guards", "simulate.batch.lane_measures", "simulate.batch.lane_calls"}


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_has_the_same_symbol_in_every_process(name):
    """What calls it is kept on disk while it may be compiled again; Numba counts records, and puts the number into the symbol."""
    assert not re.search(r"RecordILi\d+", mangle_args(STAGES[name].declared_in(numba.float64)))


def test_a_run_waits_for_nothing_of_batches():
    assert not [module for module in waited_for(stepping_loop.run) if module.startswith("simulate.batch")]


@pytest.mark.parametrize("entry", [rollout.roll_out, forward_dynamics_batch, mass_matrix_batch])
def test_stages_of_batches_are_planned_for_packs(entry):
    *stages, own = units_of(entry, entry.declared[0])
    assert own.dispatcher is entry
    assert all(any("float64x" in str(kind) for kind in stage.signature) for stage in stages)


@pytest.mark.parametrize("entry", [contact_dynamics, contact_closing, contact_event, contact_glance, contact_guards])
def test_contacts_of_a_tree_wait_for_nothing_of_closed_chains(entry):
    assert not waited_for(entry) & {
        "kernels.constraints.closure",
        "kernels.constraints.delassus",
        "kernels.constraints.couplings",
    }


def test_the_first_call_leaves_what_it_compiled(first, cache):
    assert first
    assert {path.suffix for path in files_in(cache)} == {".kernel"}


def test_the_next_process_compiles_nothing_and_says_nothing(first, cache, copied, forks):
    kept = files_in(cache)
    report, said = run(SLIDE, cache, copied, forks)
    assert report["slide"] == first[0]["slide"]
    assert report["compiled"] == 0
    assert said == []
    assert files_in(cache) == kept


def test_an_edit_in_any_file_never_runs_stale_code(first, cache, copied):
    source = copied / "regraft" / "algebra" / "spatial.py"
    before = source.read_text(encoding="utf-8")
    try:
        source.write_text(before + EDIT, encoding="utf-8")
        edited, said = run(SLIDE, cache, copied)
        assert edited["slide"] == 2.0 * first[0]["slide"]
        assert edited["compiled"] > 0
        assert len(said) == 1
    finally:
        source.write_text(before, encoding="utf-8")
    again, said = run(SLIDE, cache, copied)  # what was compiled before the edit is still there, and right again
    assert again["slide"] == first[0]["slide"]
    assert again["compiled"] == 0
    assert said == []


def test_without_a_place_to_write_everything_works_and_is_not_kept(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way", encoding="utf-8")
    report, said = run(SLIDE, blocked / "cache")
    assert report["slide"] == 2.0
    assert len(said) == 1
    assert "compil" in said[0]
    assert "not kept" in said[0]
    assert blocked.read_text(encoding="utf-8") == "in the way"


def the_newest(cache):
    return max(cache.glob("*.kernel"), key=lambda file: file.stat().st_mtime)


def test_old_kernels_are_forgotten(first, cache, copied, forks):
    """Each edit of what a kernel is made of leaves another version of it; only the last few stay."""
    assert first
    kept = the_newest(cache)
    form, key = kept.name.removesuffix(".kernel").rsplit(".", 1)
    stale = [cache / f"{form}.{k:032x}.kernel" for k in range(12)]
    for k, file in enumerate(stale):
        file.write_text("old", encoding="utf-8")
        os.utime(file, (k, k))
    kept.unlink()
    run(SLIDE, cache, copied, forks)
    left = sorted(cache.glob("*.kernel"))
    assert kept in left
    assert key not in stale[0].name
    assert 1 <= len(left) <= 8
    assert not stale[0].exists()
    for file in stale:
        file.unlink(missing_ok=True)


def test_what_is_no_kernel_is_left_alone(first, cache, copied, forks):
    """Whoever names a folder of their own for the cache must not lose what else is in it."""
    assert first
    kept = the_newest(cache)
    mine = [cache / "my work" / "precious.txt", cache / "regraft.kernel", cache / "notes.0123456789abcdef.txt"]
    mine[0].parent.mkdir()
    for file in mine:
        file.write_text("mine", encoding="utf-8")
    kept.unlink()
    run(SLIDE, cache, copied, forks)
    assert all(file.read_text(encoding="utf-8") == "mine" for file in mine)
    for file in mine:
        file.unlink()
    mine[0].parent.rmdir()


def test_the_coordinates_of_a_step_alone_are_declared_for_complex_numbers():
    """Beside what has complex numbers inside: joints and contacts by themselves, see the page on architecture."""
    entries = [entry for entry in ENTRIES.values() if entry.py_func.__module__.startswith("regraft.")]  # tests have some too
    ours = {unit for entry in entries for signature in entry.declared for unit in units_of(entry, signature)}
    assert len(ours) > 150
    assert [unit.name for unit in ours if scalar_of(unit.signature) == numba.complex128] == ["chart_slopes"]


WARMED = """
import sys
import numpy as np
from regraft.compilation.cache import KernelCache
from regraft.warmup import units

for unit in units():
    unit.dispatcher.compile(unit.signature)
entries = {
    f"{function.py_func.__module__}.{function.py_func.__name__}": function
    for name, module in list(sys.modules.items())
    if name.startswith("regraft")
    for function in vars(module).values()
    if isinstance(getattr(function, "_cache", None), KernelCache)
}
warm = {name: len(function.signatures) for name, function in entries.items()}
report["entries"], report["cold"] = len(warm), [name for name, count in warm.items() if count == 0]

mech = rg.Mechanism()
box = rg.Inertia.box(1.0, (1, 2, 3), at=(0.1, 0.2, 0.3))
types = [rg.Revolute((0, 0, 1), limits=(-1, 1)), rg.Prismatic((1, 0, 0)), rg.Spherical(), rg.Free(), rg.Fixed(),
         rg.Universal((1, 0, 0), (0, 1, 0)), rg.Cylindrical((0, 1, 0)), rg.Planar((0, 0, 1)), rg.Helical((1, 0, 0), 0.1),
         rg.Guided([((0, 0, 1), rg.Curve.linear())], [((1, 0, 0), rg.Curve.spline([0, 1, 2], [0, 0.2, 0]))])]
upper = "world"
for k, joint in enumerate(types):
    mech.add_body(f"b{k}", box)
    mech.add_joint(f"j{k}", joint, upper, f"b{k}")
    upper = f"b{k}"
mech.add_spring("s", "world", (0, 0, 5), "b3", (0, 0, 0), stiffness=1.0)
mech.add_frame("tip", "b8")
state = mech.state()
for tau in (None, np.zeros(mech.nv), [0.0] * mech.nv, np.zeros(2 * mech.nv)[::2], state.v):
    rg.forward_dynamics(mech, state, tau)
    rg.derivatives(mech, state, tau)
    rg.joint_reactions(mech, state, tau)
    if tau is not None:
        rg.inverse_dynamics(mech, state, tau)
        rg.integrate(mech, state.q, tau)
wrenches = {"b2": [0, 0, 0, 1, 0, 0]}
rg.forward_dynamics(mech, state, None, wrenches)
rg.derivatives(mech, state, None, wrenches)
rg.joint_reactions(mech, state, None, wrenches)
rg.inverse_dynamics(mech, state, state.v, wrenches)
for ask in (rg.mass_matrix, rg.bias_force, rg.energy, rg.momentum, rg.center_of_mass, rg.body_poses, rg.body_twists):
    ask(mech, state)
for ask in (rg.frame_pose, rg.frame_position, rg.frame_twist, rg.jacobian, rg.jacobian_rate):
    ask(mech, state, "tip")
q, v = np.tile(state.q, (3, 1)), np.tile(state.v, (3, 1))
for many in (q, q.tolist(), np.asfortranarray(q), np.broadcast_to(state.q, (3, mech.nq)), q[::2]):
    rg.forward_dynamics_batch(mech, many, v[: len(many)])
    rg.forward_dynamics_batch(mech, many, v[: len(many)], v[: len(many)])
rg.forward_dynamics_batch(mech, state.q[None], state.v[None], state.v[None])
rg.inverse_dynamics_batch(mech, q, v, v), rg.mass_matrix_batch(mech, q), rg.frame_positions_batch(mech, q, "tip")
rg.derivatives_batch(mech, q, v)
low, bent = rg.when_frame_below("tip", -1.0, rg.STOP), rg.when_joint("j0", 0.5, rg.STOP)
for options in ({}, {"torque": np.zeros((5, mech.nv))}, {"events": [low, bent]}, {"gravity": np.zeros((3, 3))},
                {"measure": {"e": ("mean", "energy"), "h": ("largest", "height", "tip")}}, {"torque": {"j0": 1.0}}):
    rg.simulate_batch(mech, q, v, 5e-3, step=1e-3, **options)
rg.difference(mech, rg.normalise(mech, state.q), state.q)
for joint in types:
    place = joint.pose(joint.neutral())
    joint.velocity(joint.position(place), np.zeros(6))
for options in ({}, {"velocity": "impact", "joint": rg.Fixed(), "align": "current"}, {"at": (0, 0, 1), "acceleration": state.v}):
    rg.reroot(mech, state, "b3", **options)
rg.hierarchy(rg.reroot(mech, state, "b8")[0])
rg.cut(mech, state, "j4")
def torque(t, mech, state):
    return np.zeros(mech.nv)
def turn(mech, state):
    return rg.reroot(mech, state, "b3")
tip = rg.when_frame_below("tip", -1.0)
for options in ({}, {"torque": torque, "wrenches": wrenches}, {"integrator": "rk4", "step": 1e-3, "every": 2},
                {"events": [tip, rg.when_joint("j0", 0.5), rg.at_time(2e-3, turn), rg.Event("e", lambda mech, state: 1.0)]}):
    traj = rg.simulate(mech, state, 5e-3, **options)
    traj.state(1e-3), traj.resample(1e-3), traj.energy(), traj.momentum(), traj.body("b4"), traj.frame("tip"), traj.joint("j3")
    traj.save("TRAJECTORY")
    again = rg.load("TRAJECTORY")
    again.state(1e-3), again.energy(), again.body("b4"), again.resample(1e-3).state(1.5e-3)
rg.as_ivp(mech, torque, wrenches).fun(0.0, np.concatenate((state.q, state.v)))
mech.add_joint("loop", rg.Free(), "world", "b8")
mech.joint_velocity(mech.state(), "loop")
grown = {name: [str(s) for s in function.signatures][warm[name]:] for name, function in entries.items()}
report["grown"] = {name: added for name, added in grown.items() if added}
"""


def test_warming_up_prepares_all_that_is_ever_called(tmp_path):
    """After `python -m regraft.warmup` no call compiles: every kernel is there, in every kind of array that users hand over."""
    report, _ = run(WARMED.replace("TRAJECTORY", str(tmp_path / "traj.npz")), None)
    assert report["entries"] > 10
    assert report["cold"] == []
    assert report["grown"] == {}


def test_numba_is_one_of_the_versions_that_kernels_are_known_to_compile_with():
    """Kernels are linked by way of parts of Numba that are not public, so a version that nobody has tried is not allowed."""
    (allowed,) = (
        SpecifierSet(line.partition("numba")[2]) for line in importlib.metadata.requires("regraft") if line.startswith("numba")
    )
    assert allowed.contains(numba.__version__)
    assert any(bound.operator == "<" for bound in allowed)


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
def test_in_a_terminal_a_line_says_what_is_compiled_and_how_much_is_left(tmp_path):
    ours, its = os.openpty()
    task = "import regraft as rg; rg.Prismatic((1, 0, 0)).pose([2.0])"
    environment = os.environ | {"REGRAFT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", task], stderr=its, env=environment, check=False)
    os.close(its)
    with os.fdopen(ours, "rb") as terminal:
        said = terminal.read1().decode()
    assert done.returncode == 0
    assert "regraft: compiling kernels" in said
    assert "compiling relative_pose, 1 to go" in said
    assert said.rstrip(" ").endswith("\r")  # the line is gone when there is nothing more to wait for
