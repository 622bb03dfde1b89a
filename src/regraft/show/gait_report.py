"""The report on a gait: one page with tables, curves, poses and the motion itself, and all numbers in files beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ..atomic import make_folder, path_of
from ..mocap.formats.storage import write_storage
from ..mocap.gait_events import SIDES, carries
from ..mocap.gait_result import Gait
from ..mocap.gait_summary import Summary, phase_runs, summarise
from . import page
from .gait_film import film_of_gait
from .gait_pictures import GaitScene, shown_stride
from .gait_plots import cycle_drawings, phase_name, time_drawings
from .html import write_film
from .page import Picture
from .player_page import Showing
from .scene import draw_strip
from .spreadsheet import write_csv
from .style import draw, draw_all

TITLE = "From a recording to joint torques"
LEAD = "What stands on the ground is the root of the body, and what the root needs from the world is the ground's force."
SLOWER = 2.0  # how much slower than it is the motion is played
ROWS, COLUMNS = 2, 5
"""Of poses in the strip."""
_CYCLE, _TIME = "abc\ndef\nghi", "a\nb\nc\nd\ne"
_MOST_ROWS = 40  # of the table of phases


def write_report(gait: Gait, folder: str | Path, against: Gait | None = None) -> Path:
    """Write the page and all files beside it; `against` is the same motion with force plates. Returns the page."""
    return write_files(gait, folder, against)[-1]


def write_files(
    gait: Gait,
    folder: str | Path,
    against: Gait | None = None,
    drawn: Callable[[int, int], object] = lambda _made, _total: None,
    said: Sequence[str] = (),
) -> list[Path]:
    """All files, the page last; `drawn` is told how many of how many parts of the pictures are done, `said` is added on top."""
    out = path_of(folder)
    make_folder(out)
    summary = summarise(gait)
    files = _draw_pictures(out, gait, summary, against, drawn)
    files += write_numbers(out, "gait", gait)
    if against is not None:
        files += write_numbers(out, "gait_with_plates", against)
    return [*files, _write_page(out / "report.html", gait, summary, against, said)]


def write_numbers(out: Path, name: str, gait: Gait) -> list[Path]:
    """All numbers over time, as a CSV file and as an STO file."""
    columns = gait.columns()
    rows = zip(gait.t.tolist(), gait.root.tolist(), *(column.tolist() for column in columns.values()), strict=True)
    table = write_csv(out / f"{name}.csv", ("time", "root", *columns), rows)
    numbers = {label: column for label, column in columns.items() if label != "phase"}
    stands = {f"{side}_stands": np.array([float(carries(phase, side)) for phase in gait.phase]) for side in gait.reaction}
    storage = out / f"{name}.sto"
    write_storage(storage, name, gait.t, {**stands, **numbers})
    return [table, storage]


def _draw_pictures(
    out: Path, gait: Gait, summary: Summary, against: Gait | None, drawn: Callable[[int, int], object]
) -> list[Path]:
    scene = GaitScene(gait, *shown_stride(gait), rows=ROWS, columns=COLUMNS)
    pictures: list[Callable[[], Path]] = [
        partial(draw, out / "strip.png", scene.strip_size, {"a": partial(draw_strip, scene=scene)}, "a"),
        partial(draw, out / "time.png", (9.6, 9.4), time_drawings(gait, against), _TIME, sharex=True),
    ]
    if summary.strides:
        pictures.append(partial(draw, out / "cycle.png", (10.4, 8.2), cycle_drawings(gait, against), _CYCLE, sharex=True))
    showing = Showing("The body in motion", *scene.camera, SLOWER, follow=True, autoplay=True, loop=True)
    return draw_all([*pictures, lambda: write_film(film_of_gait(gait), out / "gait.html", showing)], drawn)


def _write_page(path: Path, gait: Gait, summary: Summary, against: Gait | None, said: Sequence[str]) -> Path:
    parts = [
        page.paragraph(" ".join((outcome(gait, summary), *said)), "outcome"),
        *page.pictures(path.parent, _pictures(summary, against)),
        page.heading("In numbers"),
        page.table(*number_rows(summary, None if against is None else summarise(against))),
        page.paragraph(
            _NUMBERS if summary.strides else f"{_NUMBERS} Here there is none, so peaks are those of the whole record."
        ),
        page.heading("Who carries the body"),
        page.table(("from (s)", "to (s)", "on the ground", "root"), _phase_rows(gait)),
        page.heading("Events"),
        page.table(("time (s)", "foot", "event"), [(f"{e.time:.3f}", e.foot, _EVENTS[e.kind]) for e in gait.events]),
        page.heading("What was assumed, repaired or left out"),
        *(page.paragraph(f"– {note}") for note in dict.fromkeys(gait.notes)),
    ]
    if against is not None:
        extra = [note for note in dict.fromkeys(against.notes) if note not in gait.notes]
        parts += [page.heading("With force plates"), page.paragraph(_residual(against))]
        parts += [page.paragraph(f"– {note}") for note in extra]
    parts += [page.heading("Files"), page.paragraph(_FILES)]
    return page.write_page(path, TITLE, LEAD, *parts)


def outcome(gait: Gait, summary: Summary) -> str:
    """What was found, in a sentence."""
    count = {side: sum(stride.foot == side for stride in summary.strides) for side in SIDES}
    said = " and ".join(f"{n} of the {side} foot" for side, n in count.items())
    changes = sum(a != b for a, b in zip(gait.root[:-1].tolist(), gait.root[1:].tolist(), strict=True))
    return (
        f"{len(gait.t)} frames in {gait.t[-1] - gait.t[0]:.2f} s at {summary.speed:.2f} m/s; whole strides: {said}. "
        f"The root changed {changes} time{'s' if changes != 1 else ''}."
    )


def number_rows(summary: Summary, plates: Summary | None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Headings and rows of the table of numbers, beside those with plates where there are any."""
    if plates is None:
        return ("", "left", "right"), list(summary.cells())
    rows: list[tuple[str, ...]] = [(*own, *other[1:]) for own, other in zip(summary.cells(), plates.cells(), strict=True)]
    return ("", "left", "right", "left, plates", "right, plates"), rows


_EVENTS = {"strike": "lands", "off": "leaves"}
_NUMBERS = (
    "One number in a row is for both feet. Peaks are means over whole strides, from a foot's strike to its next. Moments are "
    "those of muscles in the plane in which the body goes, about its left–right axis through the hips, averaged over a second; "
    "powers are those of whole joints."
)
_FILES = (
    "gait.csv and gait.sto have every number over time with all digits: forces in N, moments in N m, powers in W, lengths in m, "
    "in world axes with z up; moments along each joint's own coordinates. OpenSim reads the .sto file."
)


def _phase_rows(gait: Gait) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        (f"{a:.3f}", f"{b:.3f}", phase_name(phase), root) for phase, root, a, b in phase_runs(gait) if root
    ]
    half = _MOST_ROWS // 2
    return rows if len(rows) <= _MOST_ROWS else [*rows[:half], ("…",) * 4, *rows[-half:]]


def _residual(gait: Gait) -> str:
    """What plates leave over, in words."""
    known = gait.residual[np.isfinite(gait.residual).all(axis=1)]
    moment, force = (float(np.sqrt((part**2).sum(axis=1).mean())) for part in (known[:, :3], known[:, 3:]))
    feet = " and ".join(gait.measured)
    return (
        f"Plates measured what the {feet} foot gets. What they and the motion leave unexplained at the base is {force:.1f} N and "
        f"{moment:.1f} N m (root mean square)."
    )


def _pictures(summary: Summary, against: Gait | None) -> list[Picture]:
    dashed = " Dashed: with force plates." if against is not None else ""
    shown = [
        Picture(
            "",
            "gait.html",
            "The body in motion, with its root and the forces of the ground.",
            "At half speed. Green is the root of the body, which changes with the foot that carries it; a foot that shares the "
            "load is light green and closes a loop. Arrows are the forces of the ground at the centres of pressure. Drag to turn "
            "it, click on an event to see it.",
        ),
        Picture(
            "Pose by pose" if not summary.strides else "One stride and its roots",
            "strip.png",
            "Poses side by side, with root and forces of the ground.",
            "Blue is left, orange is right, green is the root. A full triangle is below a foot that is the root, an empty one "
            "below a foot that shares the load. Arrows are the forces of the ground.",
        ),
    ]
    if summary.strides:
        shown.append(
            Picture(
                "Over the gait cycle",
                "cycle.png",
                "Forces, moments and powers from strike to strike.",
                "From a strike of the foot to its next. Lines are means over strides, bands one standard deviation; without a "
                "band there is one stride only." + dashed,
            )
        )
    shown.append(
        Picture(
            "Over time",
            "time.png",
            "Forces and moments over time, with phases as coloured bands.",
            "Forces of the ground in body weights, and moments of ankle, knee and hip in the plane of walking. Bands tell which "
            "foot stands." + dashed,
        )
    )
    return shown
