"""The command line tool, ``regraft``. Nothing imports this, so only the tool pays for Typer."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from inspect import Parameter, signature
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from ._version import __version__
from .change import reroot
from .describe.mechanism import Mechanism
from .errors import RegraftError, printable
from .files.mechanisms import load_mechanism
from .files.states import load_state
from .joints import BY_NAME, JointType
from .tolerances import SHOWN_AS_ZERO

app = typer.Typer(name="regraft", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
demo = typer.Typer(no_args_is_help=True, help="Compute something worth seeing, and draw it.")
app.add_typer(demo, name="demo")

_WITHOUT_FOLDS = 100_000  # columns of what is no terminal: there a long row stays one line

_OPTION_OF = {"axis": "--axis", "axis1": "--axis", "normal": "--axis", "axis2": "--axis2", "pitch": "--pitch"}
"""Which option gives which argument of a joint type."""


class Sex(StrEnum):
    """Whose masses of segments."""

    female = "female"
    male = "male"


class Sharing(StrEnum):
    """How two feet share the load."""

    effort = "effort"
    smooth = "smooth"


class Velocity(StrEnum):
    """What becomes of the motion."""

    carry = "carry"
    impact = "impact"


class Align(StrEnum):
    """Which orientation is the zero of the new base joint."""

    bind = "bind"
    current = "current"


Vector = tuple[float, float, float]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A mechanism in a JSON file, as Mechanism.save writes it.")]
OutFolder = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder for the pictures and the report.")]


def main() -> None:
    """The tool as a program: output that cannot be written, as to a full disk, is an error of one line too."""
    try:
        try:
            app(prog_name="regraft")
        finally:
            sys.stdout.flush()
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the same error would come again at the exit
        if problem.errno != errno.EPIPE:  # whoever reads only the beginning, such as head, knows
            _tell_problem(f"cannot write the output: {problem.strerror or problem}.")
        sys.exit(1)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"regraft {__version__}")
        raise typer.Exit


@app.callback()
def regraft(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say it and exit.")] = False,  # noqa: ARG001
) -> None:
    """Look at mechanisms in JSON files, change their root, and see what the library can do."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # an encoding without └─ gets question marks, not a traceback


@app.command()
def show(
    model: ModelFile,
    joints: Annotated[bool, typer.Option("--joints", help="Add a table of the joints.")] = False,
    bodies: Annotated[bool, typer.Option("--bodies", help="Add a table of the bodies.")] = False,
) -> None:
    """Print a mechanism as a tree, with its loop joints and the bodies that are not connected."""
    with _problems_told():
        mech = load_mechanism(model)
        _print_tree(mech)
        if joints or bodies:
            from .show.listings import body_table, joint_table  # Rich's tables are not needed for the tree alone

            console = _console()
            for wanted, table in ((joints, joint_table), (bodies, body_table)):
                if wanted:
                    console.print()
                    console.print(table(mech))


@app.command("reroot")
def reroot_command(
    model: ModelFile,
    top: Annotated[str, typer.Option(help="The body that is to hang on the world.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the new mechanism to this file.")] = None,
    state: Annotated[Path | None, typer.Option(help="The state to re-root in, a JSON file; else the bind state.")] = None,
    state_out: Annotated[Path | None, typer.Option(help="Write the new state to this file.")] = None,
    at: Annotated[
        Vector | None, typer.Option(metavar="X Y Z", help="Where the new base joint is; else the body's origin.")
    ] = None,
    joint: Annotated[str | None, typer.Option(metavar="TYPE", help=f"Its type: {', '.join(BY_NAME)}; else Free.")] = None,
    axis: Annotated[Vector | None, typer.Option(metavar="X Y Z", help="Its axis; its normal where it is Planar.")] = None,
    axis2: Annotated[Vector | None, typer.Option("--axis2", metavar="X Y Z", help="Its second axis, if Universal.")] = None,
    pitch: Annotated[float | None, typer.Option(help="Its pitch in metres per radian, if Helical.")] = None,
    name: Annotated[str | None, typer.Option(help="Its name; else that of the body with _base.")] = None,
    velocity: Annotated[
        Velocity, typer.Option(help="Keep all motion, or stop what the new joint cannot carry.")
    ] = Velocity.carry,
    align: Annotated[Align, typer.Option(help="The new joint's zero: the bind orientation or the current one.")] = Align.bind,
    force: Annotated[bool, typer.Option("--force", help="Let an output replace an input.")] = False,
) -> None:
    """Make another body the top of its tree; every joint but the base joint keeps its numbers."""
    kind = _joint_type(joint, {"--axis": axis, "--axis2": axis2, "--pitch": pitch})
    _reroot(RerootFiles(model, state, output, state_out, force), top, BaseJoint(at, kind, name, velocity.value, align.value))


class RerootFiles(NamedTuple):
    """What `regraft reroot` reads and writes."""

    model: Path
    state: Path | None
    output: Path | None
    state_out: Path | None
    force: bool
    """Whether an output may replace an input."""

    def check(self) -> None:
        """Nothing may be overwritten by mistake."""
        if self.force:
            return
        for old in (self.model, self.state):
            for new in (self.output, self.state_out):
                if old and new and _same_file(old, new):
                    raise RegraftError(f"{str(new)!r} is an input; write to another file, or replace it with --force.")


class BaseJoint(NamedTuple):
    """The new base joint, in the words of `regraft.reroot`."""

    at: Vector | None
    joint: JointType | None
    name: str | None
    velocity: str
    align: str


def _reroot(files: RerootFiles, top: str, base: BaseJoint) -> None:
    """`regraft reroot`: read, change, print, write."""
    if files.output and files.state_out and _same_file(files.output, files.state_out):
        raise _bad_usage("--state-out", "the mechanism and the state cannot be in one file.")
    with _problems_told():
        files.check()
        mech = load_mechanism(files.model)
        before = mech.state() if files.state is None else load_state(mech, files.state)
        options: dict[str, Any] = base._asdict()
        changed, after = reroot(mech, before, top, **options)
        _print_tree(changed)
        if after.impulse is not None:
            name = f"{top}_base" if base.name is None else base.name
            impulse = after.impulse[name]
            moment, push = (_numbers(half, np.abs(impulse).max()) for half in (impulse[:3], impulse[3:]))
            _console().print(Text(f"impulse at {name}: moment {moment} N m s, force {push} N s"), soft_wrap=True)
        # the state first: where that fails, a mechanism that replaces its own file has not yet lost the old one
        if files.state_out:
            _write(files.state_out, after.save)
        if files.output:
            _write(files.output, changed.save)


@app.command("gait")
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
    with _problems_told():
        from .show import gait_terminal  # what draws is for this command and demonstrations only

        wanted = gait_terminal.Wanted(
            mass, height, sex, level, static, model, plates, own_plates, cutoff, belt, sharing, up, scale, skeleton, rate,
            support=tuple(support or ()),
        )  # fmt: skip
        gait_terminal.run(file, wanted, out, _console())


@demo.command("walker")
def demo_walker(
    steps: Annotated[int, typer.Option(min=1, help="How many steps it is to walk.")] = 20,
    slope: Annotated[float, typer.Option(help="The angle of the slope, in radians.")] = 0.0524,
    out: OutFolder = Path("demo"),
) -> None:
    """A biped of two straight legs walks down a slope, driven by gravity alone; its root changes at every heel strike."""
    with _problems_told():
        from .demos.walker import demo as walker  # a demonstration needs what no other command does

        walker.run(out, steps, slope, _console())


@demo.command("highbar")
def demo_highbar(
    release: Annotated[
        tuple[float, float],
        typer.Option(metavar="T1 T2", help="When the right hand lets go, and when the left one does, in seconds."),
    ] = (0.66, 0.86),
    out: OutFolder = Path("demo") / "highbar",
) -> None:
    """A human figure swings on a high bar and lets go with one hand, then with the other: two loops that are cut."""
    with _problems_told():
        from .demos.acts import highbar

        highbar.run(out, release, _console())


@demo.command("swing")
def demo_swing(
    tears: Annotated[float, typer.Option(help="When the rope tears, in seconds.")] = 1.0,
    duration: Annotated[float, typer.Option(min=0.1, help="How long the motion is to be, in seconds.")] = 3.0,
    out: OutFolder = Path("demo") / "swing",
) -> None:
    """A human figure sits on a swing whose rope tears, slides off the plate and hangs on: four loops, of which three are cut."""
    with _problems_told():
        from .demos.acts import swing

        swing.run(out, tears, duration, _console())


@demo.command("skeleton")
def demo_skeleton(
    duration: Annotated[float, typer.Option(min=0.1, help="How long each motion is to be, in seconds.")] = 2.0,
    step: Annotated[float, typer.Option(help="The step of all motions, in seconds.")] = 0.001,
    out: OutFolder = Path("demo") / "skeleton",
) -> None:
    """Three bodies on hinges and a character of thirty bones are thrown; every body moves by itself, forces hold the joints."""
    with _problems_told():
        from .demos.skeleton import demo as skeleton

        skeleton.run(out, duration, step, _console())


@demo.command("gait")
def demo_gait(
    mass: Annotated[float, typer.Option(help="Of the body, in kg.")] = 70.0,
    height: Annotated[float, typer.Option(help="Of the body, in metres.")] = 1.75,
    speed: Annotated[float | None, typer.Option(help="In m/s; the natural one of that height unless given.")] = None,
    strides: Annotated[int, typer.Option(min=2, help="How many strides it is to walk.")] = 3,
    out: OutFolder = Path("demo") / "gait",
) -> None:
    """A walk made from published joint angles: who carries the body, the forces of the ground and the moments of the joints."""
    with _problems_told():
        from .demos.gait import demo as normal

        normal.run(out, mass, height, speed, strides, _console())


def _joint_type(name: str | None, options: dict[str, Any]) -> JointType | None:
    """The joint type that the options describe; None where they say nothing."""
    given = {option: value for option, value in options.items() if value is not None}
    if name is None:
        if given:
            raise _bad_usage(next(iter(given)), "this describes the new base joint; give its type too, with --joint.")
        return None
    kind = {known.lower(): kind for known, kind in BY_NAME.items()}.get(name.lower())
    if kind is None:
        raise _bad_usage("--joint", f"there is no joint type {name!r}; known are {', '.join(BY_NAME)}.")
    arguments = {argument: _OPTION_OF.get(argument, argument) for argument in _own_arguments(kind)}
    for argument, option in arguments.items():
        if option not in options:
            way_out = "there is no option; use regraft.reroot in Python."
            raise _bad_usage("--joint", f"a {kind.__name__} joint needs {argument!r}, for which {way_out}")
        if option not in given:
            raise _bad_usage("--joint", f"a {kind.__name__} joint needs {option} as well.")
    for option in given:
        if option not in arguments.values():
            raise _bad_usage(option, f"a {kind.__name__} joint has nothing to do with it; leave it out.")
    with _problems_told():
        return kind(**{argument: given[option] for argument, option in arguments.items()})


def _own_arguments(kind: type[JointType]) -> list[str]:
    """What the constructor wants besides the settings that all joint types have."""
    return [name for name, given in signature(kind).parameters.items() if given.kind is Parameter.POSITIONAL_OR_KEYWORD]


def _bad_usage(option: str, message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint=option)


def _same_file(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def _write(path: Path, store: Callable[[Path], None]) -> None:
    store(path)
    _console().print(Text(f"wrote {path}"), soft_wrap=True)


@contextmanager
def _problems_told() -> Iterator[None]:
    """Our errors as one red line, and exit code 1."""
    try:
        yield
    except RegraftError as problem:
        _tell_problem(str(problem))
        raise typer.Exit(1) from None


def _tell_problem(message: str) -> None:
    line = printable(" ".join(f"error: {message}".splitlines()))
    Console(stderr=True).print(Text(line, style="red"), soft_wrap=True)


def _console() -> Console:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WITHOUT_FOLDS
    return console


def _print_tree(mech: Mechanism) -> None:
    """The tree as `print` shows it; colours are for terminals."""
    text = Text(str(mech))
    text.highlight_regex(r"^Mechanism: .*", "bold")
    text.highlight_regex(r"(?m)^loop .*", "yellow")
    text.highlight_regex(r"(?m)^not connected: .*", "red")
    text.highlight_regex(r"(?m)\([^()]* kg\)$", "dim")
    _console().print(text, soft_wrap=True)


def _numbers(values: Any, largest: float) -> str:
    """Numbers in brackets; what is rounding beside the largest is 0."""
    return "(" + ", ".join(f"{x:.6g}" if abs(x) > SHOWN_AS_ZERO * largest else "0" for x in values) + ")"
