"""The passive walker of S1, section 8: ``regraft demo walker``."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from ...atomic import make_folder
from ...models import CompassBiped, compass_biped
from ...show.spreadsheet import write_csv
from ...show.terminal import narrow_table, progress_bars, tell
from .pictures import draw_pictures
from .report import TITLE, write_report
from .walk import Step, Walk, cycle_of, disturbed, take_walk, with_distances

HEADINGS = ("step", "foot", "period (s)", "length (m)", "speed (m/s)", "lost (J)", "gained (J)", "off cycle")
WHOLE, FIRST, LAST = 24, 12, 4  # rows of a table: so many are shown in full, of more only the first and the last
DISTURBANCES = (0.95, 1.08)  # factors on the rates of the start
DISTURBED_STEPS = 20


def run(out: Path, steps: int, slope: float, console: Console) -> Walk:
    """Walk, say what happened, draw it, and write all of it to a folder."""
    make_folder(out)
    biped = compass_biped(slope=slope)
    with progress_bars(console) as progress:
        walking = progress.add_task("walking", total=steps)
        walk = take_walk(biped, steps, lambda made: progress.update(walking, completed=made))
        cycle = None if walk.fell else cycle_of(biped)
        walk = with_distances(walk, cycle)
        others = {name: with_distances(other, cycle) for name, other in disturbed_walks(biped, steps).items()}
        drawing = progress.add_task("drawing", total=None)
        files = draw_pictures(out, walk, others, lambda made, total: progress.update(drawing, completed=made, total=total))
    files.append(write_steps(out / "steps.csv", walk))
    files.append(write_report(out / "report.html", walk, (HEADINGS, rows(walk)), findings(walk)))
    tell(console, step_table(walk), (walk.outcome(), *findings(walk)), files, warns=walk.fell)
    return walk


def disturbed_walks(biped: CompassBiped, steps: int) -> dict[str, Walk]:
    """Walks that start a little slower and faster, by name; without those that fall."""
    count = min(steps, DISTURBED_STEPS)
    walks = {f"rates × {factor:g}": take_walk(disturbed(biped, factor), count) for factor in DISTURBANCES}
    return {name: walk for name, walk in walks.items() if not walk.fell}


def cells(step: Step) -> tuple[str, ...]:
    """A step as a row of a table."""
    numbers = f"{step.period:.4f}", f"{step.length:.4f}", f"{step.speed:.4f}", f"{step.lost:.4f}", f"{step.gained:.4f}"
    return str(step.number), step.foot, *numbers, "–" if math.isnan(step.off_cycle) else f"{step.off_cycle:.1e}"


def rows(walk: Walk) -> list[tuple[str, ...]]:
    """The steps as rows; of a long walk the first and the last ones."""
    found = [cells(step) for step in walk.steps]
    if len(found) <= WHOLE:
        return found
    return [*found[:FIRST], ("…",) * len(HEADINGS), *found[-LAST:]]


def step_table(walk: Walk) -> Table:
    """The steps for a terminal."""
    angle = walk.biped.slope
    title = f"{TITLE} on a slope of {angle:g} rad ({math.degrees(angle):.1f}°)"
    return narrow_table(title, HEADINGS, rows(walk), words=("foot",))


def findings(walk: Walk) -> list[str]:
    """What there is to say of a walk besides how it ended."""
    if walk.fell:
        return ["Try another slope: from its start this walker finds a gait on slopes from 0.01 to 0.075 rad."]
    if not walk.settled:
        return ["It has not settled: each step still differs from the one before."] if len(walk.steps) > 1 else []
    last = walk.steps[-1]
    found = [
        f"Steady gait: {last.period:.4f} s and {last.length:.4f} m a step, {last.speed:.4f} m/s; each strike takes "
        f"{last.lost:.4f} J, and the slope gives {last.gained:.4f} J."
    ]
    if (ratio := contraction(walk)) is not None:
        found.append(f"From step to step what is left of a disturbance shrinks to {ratio:.2f} of itself, in the mean.")
    return found


def contraction(walk: Walk) -> float | None:
    """The factor by which the change from step to step shrinks, in the mean over the steps where it is no rounding."""
    changes = np.array([step.change for step in walk.steps])
    told = int(np.argmax(changes < 1e-9)) if (changes < 1e-9).any() else len(changes)
    if told < 4:
        return None
    slope = np.polyfit(np.arange(told), np.log(changes[:told]), 1)[0]
    return float(np.exp(slope))


def write_steps(path: Path, walk: Walk) -> Path:
    """All steps with all digits."""
    rows = (
        (step.number, step.foot, step.period, step.length, step.speed, step.lost, step.gained, step.off_cycle)
        for step in walk.steps
    )
    return write_csv(path, HEADINGS, rows)
