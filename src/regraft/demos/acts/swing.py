"""The swing of S2, Fig. 21: ``regraft demo swing``."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ...models import swing
from ...show.scenery import Camera
from ...simulate import Trajectory
from .act import perform
from .plan import Plan


def run(out: Path, tears: float, duration: float, console: Console) -> Trajectory:
    """Swing until a rope tears, slide off the plate, and hang on."""
    plan = Plan(
        name="swing",
        title="The swing",
        lead="A human figure sits on a swing whose right rope tears: it slides off the plate and hangs on to what is left.",
        model=swing(tears=tears),
        duration=duration,
        camera=Camera(azimuth=35.0, elevation=12.0),
        strip="As Fig. 21 of S2, the paper named below. Each thigh slides along the plate and is free where its middle comes "
        "to the edge.",
        count="16 coordinates of the limbs, 3 of each hand on its rope, 1 of each thigh on the plate, and 6 of the swing: 30 as "
        "in S2. The rope tears at a joint that has none; without the thighs' joints they are 28. What the loops leave of them "
        "grows with each cut: 8 degrees of freedom, then 12, 17 and 22.",
        losses="the limits of the joints take, each time a limb comes to the end of its range, and at first the friction of "
        "the thighs",
        parameters=(("the rope tears at", f"{tears:g} s"), ("figure", "70 kg, 1.75 m")),
    )
    return perform(out, plan, console)
