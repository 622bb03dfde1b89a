"""`regraft view`: a mechanism that runs, or a motion that is played, in the browser."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ..describe.state import State
from ..errors import FileError, ModelError, RegraftWarning, printable
from ..files.loading import load
from ..files.reading import RECORDINGS, TABLES
from ..files.states import load_state
from ..models import __all__ as model_names
from .models import say_findings
from .options import Based, Packages, read_all
from .terminal import bad_usage, problems_told, say, write


def view_command(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A mechanism, robot, recording or trajectory, or the name of a model."),
    ],
    state: Annotated[Path | None, typer.Option(help="The state a mechanism starts in, a JSON file.")] = None,
    packages: Packages = None,
    base: Based = None,
    model: Annotated[Path | None, typer.Option(metavar="OSIM", help="An OpenSim model that moves as a recording says.")] = None,
    mass: Annotated[
        float | None, typer.Option(help="Give a recording a body with mass, in kg; else it is shown as it is.")
    ] = None,
    up: Annotated[str | None, typer.Option(metavar="AXIS", help="The axis of a recording that points upwards.")] = None,
    scale: Annotated[float | None, typer.Option(help="How many metres the unit of length of a recording is.")] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one page that needs no server, and serve nothing.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="By default the first that is free, from 8080 on.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on; others than this machine's let others in.")] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say where the page is.")] = False,
) -> None:
    """Look at a mechanism, let it run and change it, or play a motion, in the browser; Ctrl-C ends it."""
    with problems_told():
        from ..viewer.opening import has_display, open_browser, view, write_page  # not needed by other commands

        _check_for_motions(file, state=state, packages=packages, base=base)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", RegraftWarning)
            found, source = _found(file, state, packages, base, _moving(file, model, mass, up, scale))
            if html is None:
                viewer = view(found, host=host, port=port, browser=False, source=source)
        for one in told:
            say(f"note: {printable(str(one.message))}", "yellow")
        if html is not None:
            write(html, partial(write_page, found))
            return
        say(f"{viewer.url}  (Ctrl-C ends it)")
        if not no_browser and not open_browser(viewer.url):
            say(
                "open this address in a browser"
                if has_display()
                else "there is no display here: open this address in a browser of this machine, or forward the port: "
                f"ssh -L {viewer.port}:localhost:{viewer.port} this-machine",
                "dim",
            )
        viewer.wait()


def _check_for_motions(file: str, **given: Any) -> None:
    """What is for mechanisms alone is no option of a motion."""
    path = Path(file)
    if path.suffix.lower() not in (".npz", *RECORDINGS):
        return
    for name, value in given.items():
        if value is not None:
            raise bad_usage(f"--{name}", f"this is for mechanisms, and {file!r} is a motion; leave it out.")


def _moving(file: str, model: Path | None, mass: float | None, up: str | None, scale: float | None) -> Callable[[], Any] | None:
    """What gives the motion of a recording; None where the file is none."""
    path, given = Path(file), {"up": up, "scale": scale}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if path.suffix.lower() not in RECORDINGS:
        for name, value in {**given, "model": model, "mass": mass}.items():
            if value is not None:
                raise bad_usage(f"--{name}", f"this is for recordings, and {file!r} is none; leave it out.")
        return None

    def moved() -> Any:
        from ..mocap import body, load, motion

        if model is not None:
            return motion(model, path if path.suffix.lower() in TABLES else load(path, **options))
        if path.suffix.lower() in TABLES:
            raise ModelError(f"{file!r} has coordinates of a model: give it as well, with --model FILE.osim.")
        rec = load(path, **options)
        for note in rec.notes:
            say(f"note: {note}", "dim")
        if mass is None:
            say("note: a recording has no masses, so energies are not known; --mass 75 gives it a body.", "dim")
            return rec
        return body(rec, mass)

    return moved


def _found(
    file: str, state: Path | None, packages: list[Path] | None, base: Any, moving: Callable[[], Any] | None
) -> tuple[Any, str]:
    """What is to be seen, and the Python lines that make it."""
    if moving is not None:
        return moving(), ""
    path = Path(file)
    if not path.exists():
        return _ready_made(file, state)
    if path.suffix.lower() in (".npz", ".json", ""):
        what = load(path)
        if isinstance(what, State):
            raise FileError(f"{file!r} is a state; give the file of its mechanism, and this one with --state.")
        if path.suffix.lower() == ".npz":
            return what, ""
    from ..viewer.opening import read_lines

    found = read_all(path, packages, base)
    say_findings(found.report)
    start = found.state if state is None else load_state(found.mech, state)
    return (found.mech, start), read_lines(path) if state is None else ""


def _ready_made(name: str, state: Path | None) -> tuple[Any, str]:
    from .. import models

    known = [one for one in model_names if one.islower()]
    if name not in known:
        raise FileError(f"there is no file {name!r}, nor a ready-made model of this name; those are: {', '.join(known)}.")
    found = getattr(models, name)()
    lines = f"model = rg.models.{name}()\nmech, state = model.start"
    acting = [what for what in ("wrenches", "events") if getattr(found, what, None)]
    if acting:
        lines += "\noptions = {" + ", ".join(f"{what!r}: model.{what}" for what in acting) + "}"
    return (found if state is None else (found.mech, load_state(found.mech, state))), lines if state is None else ""
