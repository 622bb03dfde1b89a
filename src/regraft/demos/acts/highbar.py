"""The high bar of S2, Fig. 20: ``regraft demo highbar``."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ...models import high_bar
from ...show.scenery import Camera
from ...simulate import Trajectory
from .act import perform
from .plan import Plan

DURATION = 4.0  # s, by which it has long come down


def run(out: Path, release: tuple[float, float], console: Console) -> Trajectory:
    """Swing on the bar, let go with one hand and then with the other, and fly."""
    plan = Plan(
        name="highbar",
        title="The high bar",
        lead="A human figure swings on a bar, lets go with its right hand, then with its left one, and flies.",
        model=high_bar(release=release),
        duration=DURATION,
        camera=Camera(azimuth=25.0, elevation=12.0),
        strip="As Fig. 20 of S2, the paper named below, with the flight that it leaves out. No muscle acts; the limits of the "
        "joints alone keep the figure human. It is the same free-floating figure all the time, and what is cut is a loop each "
        "time: the joints have fewer coordinates, and the figure has more freedom.",
        count="16 coordinates of the limbs, 6 of the free trunk, and one of each hand on the bar: 24 as in S2, then 23, then 22. "
        "Each hand's hinge takes away five degrees of freedom as long as it holds: there are 12, then 17, then 22.",
        losses="the limits of the joints take, each time a limb comes to the end of its range",
        parameters=(
            ("the right hand lets go at", f"{release[0]:g} s"),
            ("the left hand lets go at", f"{release[1]:g} s"),
            ("figure", "70 kg, 1.75 m"),
        ),
    )
    return perform(out, plan, console)
