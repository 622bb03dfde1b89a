"""What was measured, for people: on the terminal, on the page docs/speed.md, and the few rows that the README shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from closed import PAPER_STEP
from contacts import contact_lines
from regraft.atomic import writing
from sweeps import sweep_lines
from timing import Comparison
from viewing import viewing_lines

ROOT = Path(__file__).parent.parent
START, END = "<!-- bench:start -->", "<!-- bench:end -->"
HEADLINES = (
    ("forward_dynamics, called from Python", "humanoid", "pin.aba"),
    ("inverse dynamics, in a compiled loop", "humanoid", "pin.rnea"),
    ("forward_dynamics_batch, per state on one core", "humanoid", "pin.aba"),
    ("derivatives, called from Python", "humanoid", "pin.computeABADerivatives"),
    ("forward_dynamics of two loops, called from Python", "high bar", "pin.constraintDynamics"),
    ("reroot with its state", "humanoid", "mujoco spec.recompile"),
    ("connect a hand, with its impact, and cut it", "humanoid", "mujoco spec.recompile"),
    ("simulate, one step of rk4", "humanoid", "mj_step, RK4"),
    ("a step of the walker", "compass biped", "solve_ivp"),
)
"""The README's rows: what, which mechanism, which reference."""


def report(rows: Sequence[Comparison], scale: dict[str, Any], where: dict[str, str]) -> None:
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
    for line in [*growth(scale), *_figures(scale), machine_line(where)]:
        console.print(line)


def growth(scale: dict[str, Any]) -> list[str]:
    """How times and memory grow with the size of mechanisms."""
    lines = []
    for what, unit, times, slope, least in (
        ("Chains, ns of forward dynamics per body", 1000.0, "microseconds", "slope", 1.1),
        ("Chains, µs of re-rooting end to end per body", 1.0, "reroot_microseconds", "reroot_slope", 1.1),
        ("Four-bars, µs of forward dynamics per loop", 1.0, "four_bars_microseconds", "four_bars_slope", 1.3),
    ):
        each = ", ".join(f"{n}: {t / int(n) * unit:.3g}" for n, t in scale[times].items())
        lines.append(f"{what}: {each}. Time grows as n^{scale[slope]:.2f} (target ≤ {least}).")
    maximal = scale["maximal"]
    each = ", ".join(f"{n}: {t / int(n):.2f}" for n, t in maximal["microseconds"].items())
    return [
        *lines,
        f"Chains in maximal coordinates, µs of forward dynamics per joint: {each}. Time grows as n^{maximal['slope']:.2f} "
        f"(target ≤ 1.1); {maximal['table_bytes_per_joint'] / 1024:.1f} KiB of tables per joint (target ≤ 4).",
        f"{_simulation_line(maximal['simulation'])} Gaps ≤ {maximal['simulation']['gap']:.1e} m or rad.",
        f"Memory: {scale['bytes_per_body'] / 1024:.1f} KiB per body (target ≤ 4). "
        f"import regraft: {scale['import_seconds']:.2f} s (target < 1).",
    ]


def _figures(scale: dict[str, Any]) -> list[str]:
    """Figures that have no other library's beside them."""
    return [
        *_step_lines(scale["step_microseconds"]),
        *contact_lines(scale["contacts"]),
        *viewing_lines(scale["viewing"]),
        *sweep_lines(scale["sweeps"]),
    ]


def _step_lines(steps: dict[str, dict[str, float]]) -> list[str]:
    """One step of simulation of each of S2's examples, beside S2's own."""
    return [
        f"One step of the {name}: "
        + ", ".join(f"{integrator} {time:.0f} µs" for integrator, time in times.items())
        + f"; S2 reports about {PAPER_STEP / 1000:.0f} ms (2000, a Pentium Pro at 200 MHz)."
        for name, times in steps.items()
    ]


def _simulation_line(found: dict[str, Any]) -> str:
    """How long a long chain takes in maximal coordinates."""
    bodies = f"{found['bodies']:,}".replace(",", " ")
    return f"A chain of {bodies} bodies in maximal coordinates: {found['steps']} steps of rk4 in {found['seconds']:.1f} s."


def machine_line(where: dict[str, str]) -> str:
    """What it was measured on."""
    return (
        f"Measured in one run on: {where['cpu']}; Python {where['python']}, Numba {where['numba']}, Pinocchio {where['pin']}, "
        f"MuJoCo {where['mujoco']}."
    )


def markdown(rows: Sequence[Comparison]) -> list[str]:
    """Comparisons as a table."""
    return [
        "| what | mechanism | Regraft | reference | its time | ratio |",
        "|---|---|---:|---|---:|---:|",
        *(
            f"| {row.what} | {row.subject} | {_time(row.ours)} | `{row.reference}` | {_time(row.theirs)} | {row.ratio:.2g} |"
            for row in rows
        ),
    ]


def _time(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} µs"


def headlines(rows: Sequence[Comparison]) -> list[Comparison]:
    """The rows that the README shows."""
    found = {(row.what, row.subject, row.reference): row for row in rows}
    return [found[headline] for headline in HEADLINES]


def write_pages(rows: Sequence[Comparison], scale: dict[str, Any], where: dict[str, str]) -> None:
    """The README's rows, and all of them on the page about speed."""
    fill(ROOT / "README.md", [*markdown(headlines(rows)), "", machine_line(where)])
    lines = [*growth(scale), *_figures(scale)]
    fill(ROOT / "docs" / "speed.md", [*markdown(rows), "", *(f"- {line}" for line in lines), "", machine_line(where)])


def fill(page: Path, lines: Sequence[str]) -> None:
    """Replace what is between a page's markers."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    with writing(page) as beside:
        beside.write_text(f"{before}{START}\n" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8")
