"""A normal walk, made from published joint angles, is analysed as a recording would be: ``regraft demo gait``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console

from ...mocap import Gait, NormalWalk, analyse, normal_walk
from ...show.gait_report import write_files
from ...show.gait_terminal import tell_gait
from ...show.terminal import progress_bars


def run(out: Path, mass: float, height: float, speed: float | None, strides: int, console: Console) -> Gait:
    """Walk, find who carries the body and what its joints do, draw it, and write all of it to a folder."""
    with progress_bars(console) as progress:
        walking = progress.add_task("walking", total=1)
        walk = normal_walk(mass, height, speed, strides)
        moving = walk.motion
        progress.update(walking, completed=1)
        analysing = progress.add_task("analysing", total=1)
        gait = analyse(moving)
        progress.update(analysing, completed=1)
        drawing = progress.add_task("drawing", total=None)
        said = [findings(walk, gait)]
        files = write_files(gait, out, None, lambda made, total: progress.update(drawing, completed=made, total=total), said)
    tell_gait(console, gait, None, said, files)
    return gait


def findings(walk: NormalWalk, gait: Gait) -> str:
    """How well phases were found, in a sentence."""
    late = lateness(walk, gait)
    return (
        f"Joint angles are those of D. A. Winter (1991). Nobody told who stands when: of {len(late)} strikes and toe-offs that "
        f"were found, the farthest is {1000.0 * np.abs(late).max():.0f} ms from where the walk was made to have it."
    )


def lateness(walk: NormalWalk, gait: Gait) -> list[float]:
    """By how many seconds each event that was found is later than the true one that is nearest."""
    found = []
    for event in gait.events:
        true = [e.time for e in walk.events if (e.foot, e.kind) == (event.foot, event.kind)]
        found.append(min((event.time - t for t in true), key=abs))
    return found
