"""Regraft's speed as ratios within one run: ``make bench``. Writes benchmarks/results.json and the tables of README and docs."""

from __future__ import annotations

import gc
import importlib.metadata
import json
import platform
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from rich.progress import track

import regraft as rg
from batches import batch_comparisons
from closed import grip_comparison, high_bar_comparisons, linkage_times, step_times
from contacts import contact_comparisons, contact_figures
from gaits import gait_comparison
from kinematics import inverse_kinematics_comparisons
from loops import repeat_aba, repeat_crba, repeat_rnea
from maximal import maximal_scaling, skeleton_comparison
from opensim_tool import opensim_comparisons
from optimising import optimising_comparisons
from questions import question_comparisons
from reading import reading_comparison
from regraft.atomic import writing
from rerooting_peers import peer_comparisons
from simulation import stepping, walking
from structure import reroot_comparisons, reroot_time
from subjects import Subject, arm, chain, humanoid
from sweeps import sweep_figures
from tables import ROOT, report, write_pages
from timing import Comparison, best, compare
from viewing import viewing_figures

LOOP = 100  # evaluations in one compiled loop
BATCH = 4096
SIZES = (10, 30, 100, 300, 1000, 3000, 10000)


def comparisons(s: Subject) -> list[Comparison]:
    """Every kernel of one subject against its Pinocchio call."""
    structure = s.mech.structure
    work = structure.new_work()
    handle, external = int(work), structure.no_forces
    q, v = s.state._q, s.state._v
    out, M = np.empty(s.mech.nv), np.empty((s.mech.nv, s.mech.nv))
    many_q, many_v, many_tau = (np.repeat(x[None], BATCH, axis=0) for x in (q, v, s.tau))

    def pin_aba() -> object:
        return pin.aba(s.model, s.data, s.q, s.v, s.tau)

    return [
        compare("forward_dynamics, called from Python", s.name,
                lambda: rg.forward_dynamics(s.mech, s.state, s.tau), "pin.aba", pin_aba, 0.7),
        compare("forward dynamics, in a compiled loop", s.name,
                lambda: repeat_aba(LOOP, handle, q, v, s.tau, external, out), "pin.aba", pin_aba, 0.45, LOOP),
        compare("inverse dynamics, in a compiled loop", s.name,
                lambda: repeat_rnea(LOOP, handle, q, v, s.tau, external, out),
                "pin.rnea", lambda: pin.rnea(s.model, s.data, s.q, s.v, s.tau), 0.7, LOOP),
        compare("mass matrix, in a compiled loop", s.name,
                lambda: repeat_crba(LOOP, handle, q, M), "pin.crba", lambda: pin.crba(s.model, s.data, s.q), 0.7, LOOP),
        compare("forward_dynamics_batch, per state on one core", s.name,
                lambda: rg.forward_dynamics_batch(s.mech, many_q, many_v, many_tau, threads=1), "pin.aba", pin_aba, 0.17, BATCH),
        compare("forward_dynamics_batch, per state on all cores", s.name,
                lambda: rg.forward_dynamics_batch(s.mech, many_q, many_v, many_tau), "pin.aba", pin_aba, None, BATCH),
        compare("inverse_dynamics_batch, per state on one core", s.name,
                lambda: rg.inverse_dynamics_batch(s.mech, many_q, many_v, many_tau, threads=1), "pin.rnea",
                lambda: pin.rnea(s.model, s.data, s.q, s.v, s.tau), None, BATCH),
        compare("mass_matrix_batch, per state on one core", s.name,
                lambda: rg.mass_matrix_batch(s.mech, many_q, threads=1), "pin.crba", lambda: pin.crba(s.model, s.data, s.q),
                1.0, BATCH, turns=10),
        compare("derivatives, called from Python", s.name,
                lambda: rg.derivatives(s.mech, s.state, s.tau),
                "pin.computeABADerivatives", lambda: pin.computeABADerivatives(s.model, s.data, s.q, s.v, s.tau),
                0.65 if s.mech.nv < 10 else 0.5, 1, 100),
        compare("inverse_dynamics_derivatives, called from Python", s.name,
                lambda: rg.inverse_dynamics_derivatives(s.mech, s.state, s.tau),
                "pin.computeRNEADerivatives", lambda: pin.computeRNEADerivatives(s.model, s.data, s.q, s.v, s.tau),
                0.6 if s.mech.nv < 10 else 0.5, 1, 100),
    ]  # fmt: skip


def scaling() -> dict[str, Any]:
    """Times against the length of a chain and the number of loops, times of steps, memory per body, and the time to import."""
    times, reroots, linkages, maximal = {}, {}, linkage_times(), maximal_scaling()
    for n in track(SIZES, description="chains"):
        s = chain(n)
        structure = s.mech.structure
        work = structure.new_work()
        out, loops = np.empty(s.mech.nv), max(1, 20000 // n)
        q, v = s.state._q, s.state._v
        run = lambda: repeat_aba(loops, int(work), q, v, s.tau, structure.no_forces, out)  # noqa: B023, E731
        times[n], reroots[n] = best(run) / loops, reroot_time(s)
    return {
        "microseconds": times,
        "slope": slope(times),
        "reroot_microseconds": reroots,
        "reroot_slope": slope(reroots),
        "four_bars_microseconds": linkages,
        "four_bars_slope": slope(linkages),
        "step_microseconds": step_times(),
        "contacts": contact_figures(),
        "viewing": viewing_figures(),
        "sweeps": sweep_figures(),
        "maximal": {**maximal, "slope": slope(maximal["microseconds"])},
        "bytes_per_body": memory_per_body(10000),
        "import_seconds": import_seconds(),
    }


def slope(times: dict[int, float]) -> float:
    """The exponent with which times grow with the number of bodies or loops."""
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])


def memory_per_body(bodies: int) -> float:
    """Bytes that a mechanism, its tree and a workspace take, per body of a chain."""
    inertia, place = rg.Inertia.rod(0.5, (0, 0, 0), (0, 0, 0.1)), rg.Pose(translation=(0, 0, 0.1))
    gc.collect()
    tracemalloc.start()
    mech = rg.Mechanism()
    below = "world"
    for i in range(bodies):
        name = f"rod {i}"
        mech.add_body(name, rg.Inertia(inertia.mass, inertia.com, inertia.tensor))
        mech.add_joint(f"hinge {i}", rg.Revolute((1, 0, 0)), below, name, rg.Pose(place.rotation, place.translation))
        below = name
    rg.forward_dynamics(mech, mech.state())
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / bodies


def import_seconds() -> float:
    """How long `import regraft` takes in a new process, the best of five."""
    program = "import time; start = time.perf_counter(); import regraft; print(time.perf_counter() - start)"
    runs = (subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(5))
    return min(float(run.stdout) for run in runs)


def machine() -> dict[str, str]:
    """What the numbers were measured on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = f"{named[0]}, {len(named)} cores" if named else cpu
    versions = {name: importlib.metadata.version(name) for name in ("regraft", "numba", "pin", "mujoco")}
    return {"cpu": cpu, "python": platform.python_version(), **versions}


def main() -> None:
    """Measure, print, and keep the results."""
    subjects = [humanoid(), arm(), chain(30), chain(100)]
    rows = [row for s in track(subjects, description="mechanisms") for row in comparisons(s)]
    rows += [
        *reroot_comparisons(subjects[0]),
        *peer_comparisons(subjects[0]),
        grip_comparison(subjects[0]),
        *high_bar_comparisons(),
        *question_comparisons(),
    ]
    rows += [
        stepping(subjects[0]),
        *batch_comparisons(subjects[0]),
        walking(),
        skeleton_comparison(),
        *inverse_kinematics_comparisons(),
        gait_comparison(),
    ]
    rows += [reading_comparison(), *opensim_comparisons(), *contact_comparisons(), *optimising_comparisons()]
    scale, where = scaling(), machine()
    report(rows, scale, where)
    results = {"machine": where, "comparisons": [row.to_dict() for row in rows], "scaling": scale}
    with writing(ROOT / "benchmarks" / "results.json") as beside:
        beside.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_pages(rows, scale, where)
    print("written: benchmarks/results.json, and the tables in README.md and docs/speed.md")


if __name__ == "__main__":
    main()
