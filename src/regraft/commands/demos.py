"""`regraft demo`: compute something worth seeing, and draw it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import OutFolder
from .terminal import console, problems_told

demo = typer.Typer(no_args_is_help=True, help="Compute something worth seeing, and draw it.")


@demo.command("walker")
def demo_walker(
    steps: Annotated[int, typer.Option(min=1, help="How many steps it is to walk.")] = 20,
    slope: Annotated[float, typer.Option(help="The angle of the slope, in radians.")] = 0.0524,
    out: OutFolder = Path("demo"),
) -> None:
    """A biped of two straight legs walks down a slope, driven by gravity alone; its root changes at every heel strike."""
    with problems_told():
        from ..demos.walker import demo as walker  # a demonstration needs what no other command does

        walker.run(out, steps, slope, console())


@demo.command("highbar")
def demo_highbar(
    release: Annotated[
        tuple[float, float],
        typer.Option(metavar="T1 T2", help="When the right hand lets go, and when the left one does, in seconds."),
    ] = (0.66, 0.86),
    out: OutFolder = Path("demo") / "highbar",
) -> None:
    """A human figure swings on a high bar and lets go with one hand, then with the other: two loops that are cut."""
    with problems_told():
        from ..demos.acts import highbar

        highbar.run(out, release, console())


@demo.command("swing")
def demo_swing(
    tears: Annotated[float, typer.Option(help="When the rope tears, in seconds.")] = 1.0,
    duration: Annotated[float, typer.Option(min=0.1, help="How long the motion is to be, in seconds.")] = 3.0,
    out: OutFolder = Path("demo") / "swing",
) -> None:
    """A human figure sits on a swing whose rope tears, slides off the plate and hangs on: four loops, of which three are cut."""
    with problems_told():
        from ..demos.acts import swing

        swing.run(out, tears, duration, console())


@demo.command("skeleton")
def demo_skeleton(
    duration: Annotated[float, typer.Option(min=0.1, help="How long each motion is to be, in seconds.")] = 2.0,
    step: Annotated[float, typer.Option(help="The step of all motions, in seconds.")] = 0.001,
    out: OutFolder = Path("demo") / "skeleton",
) -> None:
    """Three bodies on hinges and a character of thirty bones are thrown; every body moves by itself, forces hold the joints."""
    with problems_told():
        from ..demos.skeleton import demo as skeleton

        skeleton.run(out, duration, step, console())


@demo.command("gait")
def demo_gait(
    mass: Annotated[float, typer.Option(help="Of the body, in kg.")] = 70.0,
    height: Annotated[float, typer.Option(help="Of the body, in metres.")] = 1.75,
    speed: Annotated[float | None, typer.Option(help="In m/s; the natural one of that height unless given.")] = None,
    strides: Annotated[int, typer.Option(min=2, help="How many strides it is to walk.")] = 3,
    out: OutFolder = Path("demo") / "gait",
) -> None:
    """A walk made from published joint angles: who carries the body, the forces of the ground and the moments of the joints."""
    with problems_told():
        from ..demos.gait import demo as normal

        normal.run(out, mass, height, speed, strides, console())


@demo.command("contact")
def demo_contact(
    scene: Annotated[
        list[str] | None,
        typer.Option(help="One of landing, dominoes, block and coin, several times for several; all of them unless given."),
    ] = None,
    dominoes: Annotated[int, typer.Option(help="How many dominoes there are.")] = 8,
    friction: Annotated[float, typer.Option(help="Friction of the dominoes.", min=0.0)] = 0.6,
    out: OutFolder = Path("demo") / "contact",
) -> None:
    """A figure lands, dominoes fall, a block rocks and a coin rolls: contacts stick, slide and come to rest."""
    with problems_told():
        from ..demos.contact import demo as contact

        contact.run(out, scene or (), dominoes, friction, console())
