"""Arguments and options that several commands have, and how they read a mechanism by them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..files.formats.contract import BaseChoice
from ..files.loading import FORMATS
from ..files.mechanisms import load_mechanism
from ..files.reading import Reading, read
from ..files.report import Report


class Frames(StrEnum):
    """Where the frames of links go."""

    keep = "keep"
    move = "move"


class Inertias(StrEnum):
    """What becomes of an inertia that no real body has."""

    error = "error"
    repair = "repair"


class Bases(StrEnum):
    """How the root of a robot is joined to the world."""

    fixed = "fixed"
    free = "free"


ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A mechanism: a JSON file, or one of another format by its ending.")
]
OutFolder = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder for the pictures and the report.")]
Ignored = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="KIND",
        help="Leave out what a mechanism, or URDF, cannot say, by its kind; all for all of it.",
    ),
]
Repaired = Annotated[Inertias, typer.Option("--inertia", help="Refuse impossible inertias, or take the nearest possible ones.")]
Packages = Annotated[
    list[Path] | None, typer.Option("--packages", metavar="DIR", help="A folder in which packages and meshes are searched.")
]
Based = Annotated[
    Bases | None,
    typer.Option("--base", help="Fix the root of a robot in the world, or let it float, where the file does not say it."),
]
FrameOption = Annotated[
    Frames,
    typer.Option("--frames", help="Where links have their frames at joints: keep frames where they are, or move them."),
]
Force = Annotated[bool, typer.Option("--force", help="Let an output replace an input.")]


def read_model(
    path: Path, ignore: list[str] | None, inertia: Inertias, packages: list[Path] | None, base: Bases | None
) -> Reading:
    """The mechanism in a file, with its start and the report; what has no known suffix is taken for JSON."""
    if path.suffix.lower() in FORMATS:
        on: BaseChoice | None = None if base is None else base.value
        return read(path, ignore=tuple(ignore or ()), inertia=inertia.value, packages=tuple(packages or ()), base=on)
    mech = load_mechanism(path)
    return Reading(mech, mech.state(), Report(str(path)))


def read_all(path: Path, packages: list[Path] | None, base: Bases | None) -> Reading:
    """The same, whatever is in the file: what cannot be said is left out, what cannot be is repaired, and all of it reported."""
    return read_model(path, ["all"], Inertias.repair, packages, base)
