"""Motions and mechanisms as one HTML file each: `Trajectory.to_html` and `Mechanism.to_html`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..atomic import path_of, writing
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import FileError, warn
from ..simulate.trajectory import Trajectory
from .film import Film
from .filming import FPS, film_of, still_of
from .player_page import Showing, page_of

_SUFFIXES = (".html", ".htm")


def write_motion(traj: Trajectory, path: str | Path, fps: float = FPS, frames: int | None = None, **showing: Any) -> Path:
    """`Trajectory.to_html`."""
    return write_page(lambda: film_of(traj, fps, frames), path, showing)


def write_pose(mech: Mechanism, state: State, path: str | Path, **showing: Any) -> Path:
    """`Mechanism.to_html`."""
    return write_page(lambda: still_of(mech, state), path, showing)


def motion_html(traj: Trajectory, fps: float = FPS, frames: int | None = None, **showing: Any) -> str:
    """The text of the file that `Trajectory.to_html` writes; what it leaves out is on the page alone, not in a warning."""
    return page_of(film_of(traj, fps, frames), Showing(**showing))[0]


def pose_html(mech: Mechanism, state: State, **showing: Any) -> str:
    """The text of the file that `Mechanism.to_html` writes."""
    return page_of(still_of(mech, state), Showing(**showing))[0]


def write_page(film: Callable[[], Film], path: str | Path, showing: dict[str, Any]) -> Path:
    """Write the page of a film that is made only when it is known that it can be written so; its title is the file's name."""
    file, how = _file(path), _named(showing, path)
    return write_film(film(), file, how)


def write_film(film: Film, file: Path, showing: Showing) -> Path:
    """Write a page, and warn of what it leaves out."""
    text, told = page_of(film, showing)
    with writing(file) as beside:
        beside.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    for each in told:
        warn(f"{file.name}: {each}")
    return file


def _file(path: str | Path) -> Path:
    file = path_of(path)
    if file.suffix.lower() not in _SUFFIXES:
        raise FileError(f"{str(path)!r}: such a page is an .html file.")
    return file


def _named(showing: dict[str, Any], path: str | Path) -> Showing:
    """How a page shows a film; without a title it is called as its file."""
    return Showing(**{**showing, "title": showing.get("title") or Path(path).stem})
