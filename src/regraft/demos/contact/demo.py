"""Four scenes with contacts: ``regraft demo contact``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from ...atomic import make_folder
from ...errors import ModelError, listed
from ...show import page
from ...show.page import Picture
from ...show.spreadsheet import write_csv
from ...show.terminal import narrow_table, progress_bars, tell
from .blocks import dominoes, rocking_block
from .coin import coin
from .landing import landing
from .motion import HEADINGS, Moved, move
from .pictures import draw_contact_pictures, slower
from .plan import Plan

TITLE = "Contact"
LEAD = "A landing, dominoes, a block that rocks and a coin that rolls: each contact is a joint that comes and goes."
SCENES = ("landing", "dominoes", "block", "coin")
_EVENTS = "event", "time (s)", "count"
_SOURCE = (
    "The ratio for the rocking block is that of G. W. Housner: The behavior of inverted pendulum structures during earthquakes "
    "(1963). Masses and lengths of the figure are those of D. A. Winter, Biomechanics and Motor Control of Human Movement."
)


def run(out: Path, scenes: Sequence[str], count: int, friction: float, console: Console) -> list[Moved]:
    """Compute the scenes, say what happened, draw them, and write all of it to a folder."""
    plans = chosen(scenes, count, friction)
    make_folder(out)
    with progress_bars(console) as progress:
        moving = progress.add_task("moving", total=len(plans))
        moved = []
        for plan in plans:
            moved.append(move(plan))
            progress.advance(moving)
        adding = progress.add_task("adding up energies", total=len(plans))
        rows = []
        for each in moved:
            rows.append(each.cells())
            progress.advance(adding)
        drawing = progress.add_task("drawing", total=None)
        files = draw_contact_pictures(out, moved, lambda made, total: progress.update(drawing, completed=made, total=total))
    files += [write_events(out / f"{each.plan.name}_events.csv", each) for each in moved]
    files.append(write_report(out / "report.html", moved, rows))
    tell(console, narrow_table(TITLE, HEADINGS, rows, words=HEADINGS[:1]), [each.outcome() for each in moved], files)
    return moved


def chosen(scenes: Sequence[str], count: int, friction: float) -> list[Plan]:
    """The scenes by name; all of them where none is named."""
    makers: Sequence[Callable[[], Plan]] = (landing, lambda: dominoes(count, friction), rocking_block, coin)
    plans = dict(zip(SCENES, makers, strict=True))
    for name in scenes:
        if name not in plans:
            raise ModelError(f"there is no scene {name!r}; there are: {listed(SCENES)}.")
    return [make() for name, make in plans.items() if not scenes or name in scenes]


def write_events(path: Path, moved: Moved) -> Path:
    """All events of a scene with all digits."""
    return write_csv(path, _EVENTS, ((event.name, event.t, event.count) for event in moved.traj.events))


def write_report(path: Path, moved: Sequence[Moved], rows: Sequence[Sequence[str]]) -> Path:
    """Everything on one page; the pictures are beside it."""
    parts = [
        page.paragraph(" ".join(each.outcome() for each in moved), "outcome"),
        page.table(HEADINGS, rows),
        page.paragraph(
            "Rest: when the kinetic energy has gone, to a billionth of the most that there was. Events: points that touch, "
            "leave, slip or stick, and what the user let happen; impacts are those in which velocities jump. Then what was "
            "lost: by friction, by impacts, and by what is neither. Where nothing else takes energy, that is the error of the "
            "whole balance."
        ),
    ]
    for each in moved:
        parts += [
            page.heading(each.plan.title),
            page.paragraph(each.plan.told),
            *page.pictures(path.parent, pictures_of(each)),
            page.table((), [*each.plan.parameters, ("integrator", f"dopri5, relative tolerance {each.plan.rtol:g}")]),
        ]
    parts.append(page.paragraph(_SOURCE))
    return page.write_page(path, TITLE, LEAD, *parts)


def pictures_of(moved: Moved) -> list[Picture]:
    """The pictures of one scene."""
    plan = moved.plan
    when = "halfway from impact to impact" if plan.between_impacts else "at equal times"
    when += ", and at the end" if plan.early < 1.0 else ""
    pace = f"{slower(moved):g} times slower than it is" if slower(moved) > 1.0 else "as fast as it is"
    shown = [
        Picture(
            "",
            f"{plan.name}.html",
            f"{plan.title} in motion, with the forces of its contacts.",
            f"{plan.title}, {pace}. Red arrows are the forces of contacts; marks on the time are their events.",
        ),
        Picture("", f"{plan.name}.png", f"{plan.title}: poses {when}.", f"Poses {when}. Below them: how many points touch."),
        Picture(
            "",
            f"{plan.name}_course.png",
            f"{plan.title}: energies, forces, impulses and modes over time.",
            "a: where the energy is, below the line, and where it went, above it; the layers add up to what there was at first. "
            "Potential energy counts from its least. b: what the ground does, in units of the weight; peaks may go beyond the "
            "picture. c: the largest impulse of a contact in each impact. d: when what sticks, rolls or slides.",
        ),
    ]
    if plan.name == "coin":
        shown.append(
            Picture(
                "",
                "coin_track.png",
                "The ways of the coin's middle and of the place where it touches the ground, seen from above.",
                "Seen from above: where it rolls, the place of contact leaves a track; where it wobbles, it runs around it.",
            )
        )
    return shown
