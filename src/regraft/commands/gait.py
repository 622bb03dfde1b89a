"""`regraft gait`: from a recording to joint torques."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .options import OutFolder
from .terminal import console, problems_told


class Sex(StrEnum):
    """Whose masses of segments."""

    female = "female"
    male = "male"


class Sharing(StrEnum):
    """How two feet share the load."""

    effort = "effort"
    smooth = "smooth"


def gait_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A recording: .bvh, .amc, .trc or .c3d; with --model .mot or .sto.")
    ],
    mass: Annotated[float | None, typer.Option(help="Of the whole body, in kg; needed without --model.")] = None,
    height: Annotated[float | None, typer.Option(help="In metres; without it the skeleton stays as it was recorded.")] = None,
    sex: Annotated[Sex | None, typer.Option(help="Whose masses of segments; without it the mean of both.")] = None,
    model: Annotated[Path | None, typer.Option(metavar="OSIM", help="An OpenSim model that moves as FILE says.")] = None,
    plates: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Force plates, to be shown beside what motion gives.")
    ] = None,
    own_plates: Annotated[bool, typer.Option("--own-plates", help="Use the force plates that are in FILE itself.")] = False,
    static: Annotated[Path | None, typer.Option(metavar="FILE", help="A trial in which the same person stands.")] = None,
    support: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=POINTS", help="What may carry the body beside its feet, as in rail=right_hand@0.95; often."),
    ] = None,
    cutoff: Annotated[
        float | None, typer.Option(min=0.0, help="Of the low-pass filter, in Hz; 6 unless given, 0 for none.")
    ] = None,
    belt: Annotated[
        str | None, typer.Option(metavar="SPEED", help="Of a treadmill, in m/s; found from the feet unless given.")
    ] = None,
    sharing: Annotated[Sharing, typer.Option(help="How two feet that stand share the load.")] = Sharing.effort,
    level: Annotated[bool, typer.Option("--level", help="Turn the recording so that the ground is level.")] = False,
    up: Annotated[str | None, typer.Option(metavar="AXIS", help="The axis of FILE that points upwards.")] = None,
    scale: Annotated[float | None, typer.Option(help="How many metres the unit of length of FILE is.")] = None,
    skeleton: Annotated[
        Path | None, typer.Option(metavar="ASF", help="The .asf file of an .amc file, if it is not beside it.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Frames per second, where FILE does not say them.")] = None,
    out: OutFolder = Path("gait"),
) -> None:
    """Who carries a recorded body, the forces of the ground and the moments of the joints: a table, and a report in a folder."""
    with problems_told():
        from ..show import gait_terminal  # what draws is for this command and demonstrations only

        wanted = gait_terminal.Wanted(
            mass, height, sex, level, static, model, plates, own_plates, cutoff, belt, sharing, up, scale, skeleton, rate,
            support=tuple(support or ()),
        )  # fmt: skip
        gait_terminal.run(file, wanted, out, console())
