"""S3's example and a thrown character of thirty bones, in maximal coordinates: ``regraft demo skeleton``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from ...atomic import make_folder
from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...errors import ModelError
from ...models import Model, character, skeleton_example
from ...models.figures import SIDES
from ...show import page
from ...show.page import Picture
from ...show.spreadsheet import write_csv
from ...show.terminal import narrow_table, progress_bars, tell
from ...simulate import Event, Trajectory, at_time, simulate
from .pictures import Moved, draw_skeleton_pictures

Array = NDArray[np.float64]
Torque = Callable[[float, Mechanism, State], Array]

FRICTION = 0.3
"""N m s, of the joints of the character that has friction; a hundredth of it in hands and feet."""
ON, OFF = 0.25, 0.75
"""The part of the time in which the motors act."""
METHODS = "rk4", "hakenberg"
HEADINGS = ("motion", "step", "ΔP/P", "ΔL/L", "ΔE/E", "gap", "energy (J)")

_BENT = {"elbow": (2.2, 12.0, 1.2), "knee": (2.0, 60.0, 8.0)}  # to which angle, rad; N m/rad; N m s/rad
TOLD = {
    "hinge": "S3's example with two hinges.",
    "spherical": "S3's example with a hinge and a spherical joint.",
    "frictionless": "A character of thirty bones, thrown. Blue is its left side, orange its right one.",
    "friction": "The same throw, with friction in all joints.",
    "motors": "With friction, and for a while with motors that bend its elbows and knees.",
}
"""What there is to say of each motion, by its name."""
_SOURCE = (
    "S3 is J. Hakenberg: Animation of skeletons with hinges and spherical joints. Its bodies are drawn there without numbers; "
    "masses and sizes are ours. The character's limbs have the masses and lengths of D. A. Winter, Biomechanics and Motor "
    "Control of Human Movement."
)


@dataclass(frozen=True)
class Throw:
    """A motion to be computed."""

    name: str
    """Of its picture's file."""
    title: str
    model: Model
    keeps_energy: bool
    torque: Torque | None = None
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Drift:
    """How far a motion has come from what it should keep: the largest of each, as a part of its start's value."""

    title: str
    step: str
    linear: float
    angular: float
    energy: float | None
    """None where friction or motors change it."""
    gap: float
    """The largest of a joint, in metres or radians."""
    energies: tuple[float, float]
    """At the start and at the end."""

    def cells(self) -> tuple[str, ...]:
        """A row of a table."""
        energy = "–" if self.energy is None else f"{self.energy:.0e}"
        first, last = self.energies
        return (
            *(self.title, self.step, f"{self.linear:.0e}", f"{self.angular:.0e}", energy, f"{self.gap:.0e}"),
            f"{first:.1f} → {last:.1f}",
        )


def run(out: Path, duration: float, step: float, console: Console) -> list[Moved]:
    """Move S3's example with a hinge and with a spherical joint, and the character in three ways, each by both steps."""
    if not 0.0 < step <= 0.01 * duration:
        raise ModelError(f"the step must be positive and at most a hundredth of the duration, {duration:g} s, not {step:g} s.")
    make_folder(out)
    throws = planned(duration)
    with progress_bars(console) as progress:
        moving = progress.add_task("moving", total=2 * len(throws))
        moved = []
        for throw in throws:
            stabilised, by_s3 = (move(throw, method, duration, step, lambda: progress.advance(moving)) for method in METHODS)
            moved.append(Moved(throw.name, throw.title, throw.keeps_energy, stabilised, by_s3))
        drawing = progress.add_task("drawing", total=None)
        files = draw_skeleton_pictures(out, moved, lambda made, total: progress.update(drawing, completed=made, total=total))
    found = [drift for each in moved for drift in drifts(each)]
    files.append(write_drifts(out / "drifts.csv", found))
    files.append(write_report(out / "report.html", moved, found, duration, step))
    rows = [drift.cells() for drift in found]
    tell(console, narrow_table("Skeletons in maximal coordinates", HEADINGS, rows, words=HEADINGS[:2]), (outcome(found),), files)
    return moved


def planned(duration: float) -> tuple[Throw, ...]:
    """The five motions."""
    loose, stiff = character(), character(damping=FRICTION)
    on, off = ON * duration, OFF * duration
    switched = at_time(on, name="motors on"), at_time(off, name="motors off")
    return (
        Throw("hinge", "two hinges", skeleton_example("hinge"), True),
        Throw("spherical", "hinge, spherical", skeleton_example("spherical"), True),
        Throw("frictionless", "no friction", loose, True),
        Throw("friction", "friction", stiff, False),
        Throw("motors", "friction, motors", stiff, False, motors(on, off), switched),
    )


def motors(on: float, off: float) -> Torque:
    """Motors in elbows and knees that bend them to an angle from one time to another: S3's β, by the position of the hinge."""

    def torque(t: float, mech: Mechanism, state: State) -> Array:
        found = np.zeros(mech.nv)
        if on <= t < off:
            for joint, (target, stiffness, damping) in _BENT.items():
                for side in SIDES:
                    q, v = mech.q_slice(f"{side} {joint}").start, mech.v_slice(f"{side} {joint}").start
                    found[v] = stiffness * (target - state.q[q]) - damping * state.v[v]
        return found

    return torque


def move(throw: Throw, method: str, duration: float, step: float, done: Callable[[], object]) -> Trajectory:
    """A motion by one of the steps: rk4 puts the joints back where they are closed, S3's step lets them drift."""
    how = {"torque": throw.torque, "events": throw.events, "integrator": method, "step": step}
    traj = simulate(*throw.model.start, duration, coordinates="maximal", progress=False, **how)  # type: ignore[arg-type]
    done()
    return traj


def drifts(moved: Moved) -> list[Drift]:
    """What there is to say of a motion, by either step."""
    found = []
    for step, traj in (("rk4", moved.stabilised), ("S3", moved.by_s3)):
        worst, momenta, energies = traj.invariants().worst, traj.momentum(), traj.energy().total
        linear, angular = (float(np.linalg.norm(history[0])) for history in (momenta.linear, momenta.angular))
        energy = worst["energy"] / float(energies[0]) if moved.keeps_energy else None
        ends = float(energies[0]), float(energies[-1])
        gap = worst["position gap"]
        found.append(Drift(moved.title, step, worst["linear"] / linear, worst["angular"] / angular, energy, gap, ends))
    return found


def outcome(found: Sequence[Drift]) -> str:
    """What happened, in a sentence."""
    gaps = {step: max(drift.gap for drift in found if drift.step == step) for step in ("rk4", "S3")}
    return (
        f"Joints closed after each step of rk4 are open by {gaps['rk4']:.0e} at most, "
        f"those that drift with S3's step by {gaps['S3']:.0e} (m or rad)."
    )


def write_drifts(path: Path, found: Sequence[Drift]) -> Path:
    """All of them with all digits."""
    rows = ((drift.title, drift.step, drift.linear, drift.angular, drift.energy, drift.gap, *drift.energies) for drift in found)
    return write_csv(path, (*HEADINGS[:-1], "energy at the start (J)", "energy at the end (J)"), rows)


def write_report(path: Path, moved: Sequence[Moved], found: Sequence[Drift], duration: float, step: float) -> Path:
    """Everything on one page; the pictures are beside it."""
    text = [
        page.paragraph(outcome(found), "outcome"),
        *page.pictures(path.parent, all_pictures(moved)),
        page.heading("How far each motion drifts"),
        page.table(HEADINGS, [drift.cells() for drift in found]),
        page.paragraph(
            "ΔP/P, ΔL/L, ΔE/E: the largest change of linear momentum, of angular momentum and of energy, as a part of what they "
            "are at the start. Gap: the largest of a joint, in metres or radians. Friction and motors change the energy. All "
            "digits are in drifts.csv."
        ),
        page.heading("Parameters"),
        page.table(
            (),
            [
                ("duration", f"{duration:g} s"),
                ("step", f"{step:g} s"),
                ("friction", f"{FRICTION:g} N m s; in hands and feet {0.01 * FRICTION:g} N m s"),
                ("motors", f"elbows and knees, from {ON * duration:g} s to {OFF * duration:g} s"),
                ("character", "70 kg, 1.75 m, 30 bones, 15 ball joints and 14 hinges"),
            ],
        ),
        page.paragraph(_SOURCE),
    ]
    title, lead = "Skeletons", "S3's three bodies and a thrown character: every body moves by itself, and forces hold the joints."
    return page.write_page(path, title, lead, *text)


def all_pictures(moved: Sequence[Moved]) -> list[Picture]:
    """The pictures of the report."""
    shown = []
    for each in moved:
        title = each.title[0].upper() + each.title[1:]
        words = f"{title}: the motion by rk4, at half speed. {TOLD[each.name]}"
        shown.append(Picture(title, f"{each.name}.html", words, words))
        words = f"{title}: poses at equal times."
        shown.append(Picture("", f"{each.name}.png", words, words))
    both = (
        "Left: rk4, with all joints closed again after each step. Right: S3's step, which lets them drift. Lines are the largest "
        "values in each fiftieth of the time."
    )
    return [
        *shown,
        Picture(
            "Linear momentum",
            "linear.png",
            "The change of linear momentum over time, by both steps.",
            f"{both} Forces in the joints act on two bodies with opposite signs, so S3's step, with velocities in the world's "
            "axes, keeps it to rounding; rk4 has them in the axes of bodies that turn, and keeps it to its fourth order.",
        ),
        Picture(
            "Angular momentum",
            "angular.png",
            "The change of angular momentum over time, by both steps.",
            f"{both} That it is kept relies on joints that are closed (S3's theorem), and S3's step is of first order.",
        ),
        Picture(
            "Energy",
            "energy.png",
            "The change of energy over time, by both steps, and the energy with friction and with motors.",
            f"{both} Below: what friction takes and what motors give, by rk4 (lines) and by S3's step (dashes).",
        ),
        Picture(
            "Gaps",
            "gaps.png",
            "The largest gap of a joint over time, by both steps.",
            f"{both} It is the largest of all joints, in metres or radians.",
        ),
    ]
