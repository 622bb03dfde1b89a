"""Regraft's speed as ratios within one run: ``make bench``. Writes benchmarks/results.json and the README's table."""

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
from rich.console import Console
from rich.progress import track
from rich.table import Table

import regraft as rg
from batches import batch_comparisons
from closed import PAPER_STEP, grip_comparison, high_bar_comparisons, linkage_times, step_times
from contacts import contact_comparisons, contact_figures, contact_lines
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
from sweeps import sweep_figures, sweep_lines
from timing import Comparison, best, compare
from viewing import viewing_figures, viewing_lines

ROOT = Path(__file__).parent.parent
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


def report(rows: list[Comparison], scale: dict[str, Any], where: dict[str, str]) -> None:
    """Print everything that was measured."""
    table = Table(title="One run, best of several turns; times in µs")
    for column in ("what", "mechanism", "Regraft", "reference", "its time", "ratio", "target"):
        table.add_column(column, justify="left" if column in ("what", "mechanism", "reference") else "right")
    for row in rows:
        goal = "" if row.target is None else f"≤ {row.target}"
        style = "" if row.target is None else "green" if row.ratio <= row.target else "red"
        ratio = f"[{style}]{row.ratio:.3f}[/]" if style else f"{row.ratio:.3f}"
        table.add_row(row.what, row.subject, f"{row.ours:.2f}", row.reference, f"{row.theirs:.2f}", ratio, goal)
    console = Console(width=150)
    console.print(table)
    per_body = ", ".join(f"{n}: {t / n * 1000:.0f}" for n, t in scale["microseconds"].items())
    console.print(f"Chains, ns of forward dynamics per body: {per_body}; log-log slope {scale['slope']:.3f} (target ≤ 1.1)")
    per_body = ", ".join(f"{n}: {t / n:.1f}" for n, t in scale["reroot_microseconds"].items())
    console.print(f"Chains, µs of re-rooting end to end per body: {per_body}; slope {scale['reroot_slope']:.3f} (target ≤ 1.1)")
    per_loop = ", ".join(f"{n}: {t / n:.2f}" for n, t in scale["four_bars_microseconds"].items())
    console.print(f"Four-bars, µs of forward dynamics per loop: {per_loop}; slope {scale['four_bars_slope']:.3f} (target ≤ 1.3)")
    for line in step_lines(scale["step_microseconds"]):
        console.print(line)
    for line in (*contact_lines(scale["contacts"]), *viewing_lines(scale["viewing"]), *sweep_lines(scale["sweeps"])):
        console.print(line)
    maximal = scale["maximal"]
    per_joint = ", ".join(f"{n}: {t / n:.2f}" for n, t in maximal["microseconds"].items())
    console.print(
        f"Chains in maximal coordinates, µs of forward dynamics per joint: {per_joint}; "
        f"slope {maximal['slope']:.3f} (target ≤ 1.1)"
    )
    console.print(f"{simulation_line(maximal['simulation'])} Gaps ≤ {maximal['simulation']['gap']:.1e} m or rad.")
    console.print(f"Tables in maximal coordinates: {maximal['table_bytes_per_joint'] / 1024:.2f} KiB per joint (target ≤ 4)")
    console.print(f"Memory: {scale['bytes_per_body']:.0f} bytes per body (target ≤ 4096)")
    console.print(f"import regraft: {scale['import_seconds']:.2f} s (target < 1)")
    console.print(", ".join(f"{k} {v}" for k, v in where.items()))


def step_lines(steps: dict[str, dict[str, float]]) -> list[str]:
    """One step of simulation of each of S2's examples, beside S2's own."""
    return [
        f"One step of the {name}: "
        + ", ".join(f"{integrator} {time:.0f} µs" for integrator, time in times.items())
        + f"; S2 reports about {PAPER_STEP / 1000:.0f} ms (2000, a Pentium Pro at 200 MHz)."
        for name, times in steps.items()
    ]


def simulation_line(found: dict[str, Any]) -> str:
    """How long a long chain takes in maximal coordinates."""
    bodies = f"{found['bodies']:,}".replace(",", " ")
    return f"A chain of {bodies} bodies in maximal coordinates: {found['steps']} steps of rk4 in {found['seconds']:.1f} s."


def markdown(rows: list[Comparison], scale: dict[str, Any], where: dict[str, str]) -> list[str]:
    """The README's table: a row for each kernel, a column for each mechanism."""
    subjects = list(dict.fromkeys(row.subject for row in rows))
    found = {(row.what, row.reference, row.subject): f"{row.ours:.2f} µs ({row.ratio:.2g})" for row in rows}
    lines = [f"| Regraft's time (and its ratio to) | {' | '.join(subjects)} |", "|---|" + "---:|" * len(subjects)]
    for what, reference in dict.fromkeys((row.what, row.reference) for row in rows):
        cells = [found.get((what, reference, subject), "") for subject in subjects]
        lines.append(f"| {what} (`{reference}`) | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        f"Forward dynamics of chains of 10 to 10 000 bodies: time grows as n^{scale['slope']:.2f}; "
        f"re-rooting end to end as n^{scale['reroot_slope']:.2f}; {scale['bytes_per_body'] / 1024:.1f} KiB per body. "
        f"Of 10 to 320 four-bar linkages in a row: as n^{scale['four_bars_slope']:.2f}.",
        *step_lines(scale["step_microseconds"]),
        *contact_lines(scale["contacts"]),
        *viewing_lines(scale["viewing"]),
        *sweep_lines(scale["sweeps"]),
        f"Maximal coordinates, chains of 10 to 10 000 joints: time grows as n^{scale['maximal']['slope']:.2f}; "
        f"{scale['maximal']['table_bytes_per_joint'] / 1024:.1f} KiB of tables per joint. "
        f"{simulation_line(scale['maximal']['simulation'])}",
        f"Measured in one run on: {where['cpu']}; Python {where['python']}, Numba {where['numba']}, "
        f"Pinocchio {where['pin']}, MuJoCo {where['mujoco']}.",
        "`make bench` measures it again; a ratio below 1 is faster than the call in brackets, made from Python.",
    ]


def write_readme(lines: list[str]) -> None:
    """Replace the table between the README's markers."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    start, end = "<!-- bench:start -->", "<!-- bench:end -->"
    before, rest = text.split(start)
    after = rest.split(end)[1]
    with writing(readme) as beside:
        beside.write_text(before + start + "\n" + "\n".join(lines) + "\n" + end + after, encoding="utf-8")


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
    write_readme(markdown(rows, scale, where))
    print("written: benchmarks/results.json and the table in README.md")


if __name__ == "__main__":
    main()
