"""`regraft gait`: from the files that a user gives to a table on the terminal and a report in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from ..errors import ModelError
from ..mocap import Gait, Hold, Motion, Recording, analyse, body, load, motion
from ..mocap.filtering import CUTOFF
from ..mocap.gait_summary import summarise
from .gait_report import TITLE, number_rows, outcome, write_files
from .terminal import narrow_table, progress_bars, tell

_TABLES = (".mot", ".sto")


@dataclass(frozen=True)
class Wanted:
    """What a user asks for; None where nothing was said."""

    mass: float | None = None
    height: float | None = None
    sex: str | None = None
    level: bool = False
    static: Path | None = None
    model: Path | None = None
    plates: Path | None = None
    own_plates: bool = False
    cutoff: float | None = None
    belt: str | None = None
    sharing: str = "effort"
    up: str | None = None
    scale: float | None = None
    skeleton: Path | None = None
    rate: float | None = None
    support: tuple[str, ...] = ()
    """Each as NAME=POINT,POINT or NAME=POINT,POINT@LEVEL."""


def run(file: Path, wanted: Wanted, out: Path, console: Console) -> Gait:
    """Read, analyse, draw, write, and say what was found."""
    _check(file, wanted)
    supports = dict(map(_support, wanted.support))
    how: dict[str, Any] = {"sharing": wanted.sharing, "belt": _belt(wanted.belt), "supports": supports}
    with progress_bars(console) as progress:
        reading = progress.add_task("reading", total=1)
        rec, moving = _moving(file, wanted)
        plates, told = _plates(file, rec, wanted)
        progress.update(reading, completed=1)
        analysing = progress.add_task("analysing", total=1 if plates is None else 2)
        gait = analyse(moving, **how)
        progress.update(analysing, completed=1)
        against = None if plates is None else analyse(moving, plates, **how)
        progress.update(analysing, completed=2)
        drawing = progress.add_task("drawing", total=None)
        files = write_files(gait, out, against, lambda made, total: progress.update(drawing, completed=made, total=total))
    tell_gait(console, gait, against, told, files)
    return gait


def tell_gait(console: Console, gait: Gait, against: Gait | None, said: Sequence[str], files: Sequence[Path]) -> None:
    """The table of numbers, what was found, what was assumed, and which files were written."""
    summary = summarise(gait)
    headings, rows = number_rows(summary, None if against is None else summarise(against))
    notes = [f"note: {note}" for note in dict.fromkeys((*gait.notes, *(against.notes if against is not None else ())))]
    tell(console, narrow_table(TITLE, headings, rows, words=headings[:1]), (outcome(gait, summary), *said, *notes), files)


def _check(file: Path, wanted: Wanted) -> None:
    """Options that contradict each other or the file."""
    if wanted.model is None:
        if file.suffix.lower() in _TABLES:
            raise ModelError(f"{str(file)!r} has coordinates of a model: give it as well, with --model FILE.osim.")
        if wanted.mass is None:
            raise ModelError("the mass of the body is missing, and no recording tells it: give it in kg, with --mass 75.")
        return
    given = {"--mass": wanted.mass, "--height": wanted.height, "--sex": wanted.sex, "--static": wanted.static}
    for option, value in given.items():
        if value is not None:
            raise ModelError(f"{option} is not for an OpenSim model, which has its own masses and lengths; leave it out.")
    if wanted.level:
        raise ModelError("--level is not for an OpenSim model; leave it out.")


def _moving(file: Path, wanted: Wanted) -> tuple[Recording | None, Motion]:
    """What was recorded, unless it is a table of coordinates, and the body in motion."""
    given = {"up": wanted.up, "scale": wanted.scale, "skeleton": wanted.skeleton, "rate": wanted.rate}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    cutoff = CUTOFF if wanted.cutoff is None else wanted.cutoff or None
    if wanted.model is not None and file.suffix.lower() in _TABLES:
        if options:
            raise ModelError(f"--{next(iter(options))} is not for coordinates of a model, which are in its own axes and units.")
        return None, motion(wanted.model, file, cutoff=cutoff)
    rec = load(file, **options)
    source: Any = rec
    if wanted.model is not None:
        return rec, motion(wanted.model, source, cutoff=cutoff)
    more: dict[str, Any] = {}
    if wanted.static is not None:  # a file of the same kind is in the same axes and units
        more["static"] = load(wanted.static, **(options if wanted.static.suffix.lower() == file.suffix.lower() else {}))
    return rec, body(rec, wanted.mass, height=wanted.height, sex=wanted.sex, level=wanted.level, cutoff=cutoff, **more)


def _plates(file: Path, rec: Recording | None, wanted: Wanted) -> tuple[Any, list[str]]:
    """The force plates to use, and what there is to say of them."""
    same = wanted.plates is not None and wanted.plates.exists() and file.exists() and wanted.plates.samefile(file)
    if wanted.own_plates or same:
        if wanted.plates is not None and not same:
            raise ModelError("--plates and --own-plates are two sources of force plates; give one of them.")
        if rec is None or not rec.plates:
            raise ModelError(f"{str(file)!r} has no force plates; give the file that has them, with --plates FILE.")
        return rec, [f"Force plates are those in {file.name}."]
    if wanted.plates is not None:
        return wanted.plates, []
    if rec is not None and rec.plates:
        return None, [f"{file.name} has {len(rec.plates)} force plates, which are not used; --own-plates uses them."]
    return None, []


def _support(given: str) -> tuple[str, Hold]:
    """What may carry the body beside its feet, from words such as rail=right_hand@0.95."""
    name, _, rest = given.partition("=")
    points, at, level = rest.partition("@")
    problem = ModelError(f"--support takes NAME=POINT,POINT or NAME=POINT,POINT@LEVEL in metres, not {given!r}.")
    if not name or not points:
        raise problem
    try:
        return name, Hold(tuple(points.split(",")), float(level) if at else None)
    except ValueError:
        raise problem from None


def _belt(given: str | None) -> float | str | None:
    if given is None or given == "auto":
        return given
    try:
        return float(given)
    except ValueError:
        raise ModelError(f"--belt is a speed in m/s or auto, not {given!r}.") from None
