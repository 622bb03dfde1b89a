"""An act: a figure moves, and its structure changes on the way (S2, section VII). The motion, what it shows, and its report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from ...ask.mobility import mobility
from ...atomic import make_folder
from ...models import Model
from ...show import page
from ...show.spreadsheet import write_csv
from ...show.terminal import narrow_table, progress_bars, tell
from ...simulate import STOP, Trajectory, simulate, when_frame_below
from .pictures import draw_act_pictures
from .plan import Part, Plan

Array = NDArray[np.float64]

RTOL, ATOL = 1e-8, 1e-9
HEADINGS = ("until (s)", "coordinates", "dof", "loops", "energy (J)", "gap", "ended by")
_GROUND = ("crown", "left grip", "right grip", "left sole", "right sole", "left toes", "right toes")
"""Frames of a figure: where one of them meets the ground, the act is over."""
_SOURCE = (
    "S2 is Y. Nakamura, K. Yamane: Dynamics computation of structure-varying kinematic chains and its application to human "
    "figures (2000). As there, no torque acts but those of the limits of the joints. Masses and lengths of the figure are "
    "those of D. A. Winter, Biomechanics and Motor Control of Human Movement."
)


def perform(out: Path, plan: Plan, console: Console) -> Trajectory:
    """Compute an act, say what happened, draw it, and write all of it to a folder."""
    make_folder(out)
    with progress_bars(console) as progress:
        moving = progress.add_task("moving", total=None)
        traj = motion_of(plan.model, plan.duration)
        progress.update(moving, total=1, completed=1)
        found = parts(traj)
        drawing = progress.add_task("drawing", total=None)
        files = draw_act_pictures(
            out, plan, traj, found, lambda made, total: progress.update(drawing, completed=made, total=total)
        )
    files.append(write_parts(out / "parts.csv", found))
    files.append(write_report(out / "report.html", plan, traj, found))
    rows = [part.cells() for part in found]
    tell(console, narrow_table(plan.title, HEADINGS, rows, words=HEADINGS[-1:]), (outcome(traj, found),), files)
    return traj


def motion_of(model: Model, duration: float) -> Trajectory:
    """The motion, until the figure meets the ground or the time is over."""
    landing = [when_frame_below(frame, 0.0, STOP, name=f"{frame} on the ground") for frame in _GROUND]
    return simulate(*model.start, duration, events=(*model.events, *landing), rtol=RTOL, atol=ATOL, progress=False)


def parts(traj: Trajectory) -> list[Part]:
    """The motion from change to change."""
    ends = np.cumsum([len(segment.t) for segment in traj.segments])
    energy, gaps = traj.energy().total, np.split(traj.loop_error().position, ends[:-1])
    found = []
    for segment, end, gap in zip(traj.segments, ends, gaps, strict=True):
        free = mobility(segment.mech, segment.state(segment.t[0]))
        loops, event = len(segment.mech.loop_joints), segment.event or "the end"
        found.append(Part(float(segment.t[-1]), free.joints, free.dof, loops, float(energy[end - 1]), float(gap.max()), event))
    return found


def outcome(traj: Trajectory, found: Sequence[Part]) -> str:
    """What happened, in a sentence."""
    joints, free = (" → ".join(map(str, counts)) for counts in ((part.joints for part in found), (part.dof for part in found)))
    return (
        f"In {traj.t[-1]:.2f} s loops were cut, so the joints' coordinates became fewer, {joints}, and the degrees of freedom "
        f"that the loops leave became more, {free}; {traj.steps} steps of the integrator."
    )


def write_parts(path: Path, found: Sequence[Part]) -> Path:
    """All parts with all digits."""
    return write_csv(
        path, HEADINGS, ((part.end, part.joints, part.dof, part.loops, part.energy, part.gap, part.event) for part in found)
    )


def write_report(path: Path, plan: Plan, traj: Trajectory, found: Sequence[Part]) -> Path:
    """Everything on one page; the pictures are beside it."""
    text = [
        page.paragraph(outcome(traj, found), "outcome"),
        *page.pictures(path.parent, plan.pictures),
        page.heading("From change to change"),
        page.table(HEADINGS, [part.cells() for part in found]),
        page.paragraph(plan.count),
        page.paragraph(
            "Coordinates: of all joints, those that close loops too (S2's N_J). Dof: the mobility, how many degrees of freedom "
            "the loops leave of them (N_F). Energy: at the end of the part, with a potential of zero on the ground. Gap: the "
            "largest of a loop, in metres or radians. All digits are in parts.csv."
        ),
        page.heading("Parameters"),
        page.table((), [*plan.parameters, ("integrator", f"dopri5, relative tolerance {RTOL:g}")]),
        page.paragraph(_SOURCE),
    ]
    return page.write_page(path, plan.title, plan.lead, *text)
