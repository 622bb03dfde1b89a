"""Commands on mechanisms in files of any format: show, check, convert, reroot."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import typer

from ..change import reroot
from ..describe.parts import WORLD
from ..describe.state import State
from ..files.reading import Reading
from ..files.report import Finding, Report, alike, grouped
from ..files.states import load_state
from ..joints import BY_NAME
from ..review.checking import check
from ..review.remark import Remark, error, warning
from ..tolerances import SHOWN_AS_ZERO
from .base_joint import BaseJoint, Vector, joint_type
from .options import Based, Force, FrameOption, Frames, Ignored, Inertias, ModelFile, Packages, Repaired, read_all, read_model
from .terminal import bad_usage, check_overwriting, console, print_tree, problems_told, same_file, say, write


class Velocity(StrEnum):
    """What becomes of the motion."""

    carry = "carry"
    impact = "impact"


class Align(StrEnum):
    """Which orientation is the zero of the new base joint."""

    bind = "bind"
    current = "current"


def show_command(
    model: ModelFile,
    joints: Annotated[bool, typer.Option("--joints", help="Add a table of the joints.")] = False,
    bodies: Annotated[bool, typer.Option("--bodies", help="Add a table of the bodies.")] = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it where it starts, as a .png file; needs the extra show.")
    ] = None,
    packages: Packages = None,
    base: Based = None,
) -> None:
    """Print a mechanism as a tree, with its loop joints, the bodies that are not connected, and what the file has besides."""
    with problems_told():
        found = read_all(model, packages, base)
        print_tree(found.mech)
        if joints or bodies:
            from ..show.listings import body_table, joint_table  # Rich's tables are not needed for the tree alone

            out = console()
            for wanted, table in ((joints, joint_table), (bodies, body_table)):
                if wanted:
                    out.print()
                    out.print(table(found.mech))
        say_findings(found.report)
        if picture:
            write(picture, partial(found.mech.draw, found.state))


def check_command(
    model: ModelFile,
    state: Annotated[Path | None, typer.Option(help="The state it starts in, a JSON file; else that of MODEL.")] = None,
    packages: Packages = None,
    base: Based = None,
) -> None:
    """List what is wrong or unusual with a mechanism; the exit code is 1 where something is wrong."""
    with problems_told():
        found = read_all(model, packages, base)
        start = _start(found, state)
        told = found.report.findings
        judged = alike(one for one in told if _is_judged(one))
        remarks = [*(_as_remark(same) for same in judged), *check(found.mech, start)]
    for remark in sorted(remarks, key=lambda one: one.level != "error"):
        say(str(remark), "red" if remark.level == "error" else "yellow")
    for line in grouped(one for one in told if not _is_judged(one)):
        say(f"note: {line}", "dim")
    wrong = sum(remark.level == "error" for remark in remarks)
    say(f"{model}: {_count(wrong, 'error')}, {_count(len(remarks) - wrong, 'warning')}")
    if wrong:
        raise typer.Exit(1)


def convert_command(
    model: ModelFile,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The file to write; its ending says in which format.")],
    state: Annotated[Path | None, typer.Option(help="The state to start from, a JSON file; else that of MODEL.")] = None,
    frames: FrameOption = Frames.keep,
    ignore: Ignored = None,
    inertia: Repaired = Inertias.error,
    packages: Packages = None,
    base: Based = None,
    force: Force = False,
) -> None:
    """Write a mechanism in another format; what that cannot hold, and what was not carried over, is told."""
    with problems_told():
        if not force:
            check_overwriting((model, state), (output,))
        found = read_model(model, ignore, inertia, packages, base)
        start = _start(found, state)
        say_findings(found.report)
        given = _worth_writing(start)
        write(output, partial(found.mech.save, state=given, frames=frames.value, ignore=tuple(ignore or ())))


def reroot_command(
    model: ModelFile,
    top: Annotated[str, typer.Option(help="The body that is to hang on the world.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the new mechanism to this file.")] = None,
    state: Annotated[Path | None, typer.Option(help="The state to re-root in, a JSON file; else that of MODEL.")] = None,
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
    frames: FrameOption = Frames.keep,
    ignore: Ignored = None,
    inertia: Repaired = Inertias.error,
    packages: Packages = None,
    base: Based = None,
    force: Force = False,
) -> None:
    """Make another body the top of its tree; every joint but the base joint keeps its numbers."""
    kind = joint_type(joint, {"--axis": axis, "--axis2": axis2, "--pitch": pitch})
    files = RerootFiles(model, state, output, state_out, frames.value, tuple(ignore or ()))
    if output and state_out and same_file(output, state_out):
        raise bad_usage("--state-out", "the mechanism and the state cannot be in one file.")
    with problems_told():
        if not force:
            check_overwriting((model, state), (output, state_out))
        _reroot(
            files, read_model(model, ignore, inertia, packages, base), top, BaseJoint(at, kind, name, velocity.value, align.value)
        )


class RerootFiles(NamedTuple):
    """What `regraft reroot` reads and writes."""

    model: Path
    state: Path | None
    output: Path | None
    state_out: Path | None
    frames: Literal["keep", "move"]
    ignore: tuple[str, ...]


def _start(found: Reading, state: Path | None) -> State:
    """The state in a file of its own, or else that of the model."""
    return found.state if state is None else load_state(found.mech, state)


def _reroot(files: RerootFiles, found: Reading, top: str, base: BaseJoint) -> None:
    """`regraft reroot`: change, print, write."""
    mech = found.mech
    before = _start(found, files.state)
    options: dict[str, Any] = base._asdict()
    changed, after = reroot(mech, before, top, **options)
    print_tree(changed)
    say_findings(found.report)
    if after.impulse is not None:
        name = f"{top}_base" if base.name is None else base.name
        impulse = after.impulse[name]
        moment, push = (_numbers(half, np.abs(impulse).max()) for half in (impulse[:3], impulse[3:]))
        say(f"impulse at {name}: moment {moment} N m s, force {push} N s")
    # the state first: where that fails, a mechanism that replaces its own file has not yet lost the old one
    if files.state_out:
        write(files.state_out, after.save)
    if files.output:
        given = after if files.state is not None or _worth_writing(before) is not None else None
        write(files.output, partial(changed.save, state=given, frames=files.frames, ignore=files.ignore))


def _worth_writing(state: State) -> State | None:
    """A state that a file should start from; none where that is the bind state anyway."""
    return None if np.array_equal(state._x, state.layout.rest) else state


def say_findings(report: Report) -> None:
    """What a reader had to say."""
    for same in alike(report.findings):
        (line,) = grouped(same)
        say(f"note: {line}", "yellow" if same[0].dynamics else "dim")


def _is_repaired(one: Finding) -> bool:
    return one.kind == "inertia" and one.part != WORLD


def _is_judged(one: Finding) -> bool:
    """Whether what a reader had to say is more than a note: it repaired something, or left out what acts."""
    return one.dynamics or _is_repaired(one)


def _as_remark(same: list[Finding]) -> Remark:
    """What a reader had to say of some parts, as a remark: what it had to repair is wrong, what it left out is unusual."""
    make = error if _is_repaired(same[0]) else warning
    return make(same[0].kind, [one.part for one in same if one.part], same[0].message)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _numbers(values: Any, largest: float) -> str:
    """Numbers in brackets; what is rounding beside the largest is 0."""
    return "(" + ", ".join(f"{x:.6g}" if abs(x) > SHOWN_AS_ZERO * largest else "0" for x in values) + ")"
