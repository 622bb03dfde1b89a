"""The command line tool, ``regraft``. Nothing imports this, so only the tool pays for Typer."""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from ._version import __version__
from .commands.demos import demo
from .commands.gait import gait_command
from .commands.maps import basin_command, map_command
from .commands.models import check_command, convert_command, reroot_command, show_command
from .commands.terminal import tell_problem
from .commands.view import view_command

app = typer.Typer(name="regraft", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
for _name, _command in (
    ("show", show_command),
    ("view", view_command),
    ("check", check_command),
    ("convert", convert_command),
    ("reroot", reroot_command),
    ("gait", gait_command),
    ("map", map_command),
    ("basin", basin_command),
):
    app.command(_name)(_command)
app.add_typer(demo, name="demo")


def main() -> None:
    """The tool as a program: output that cannot be written, as to a full disk, is an error of one line too."""
    try:
        try:
            app(prog_name="regraft")
        finally:
            if sys.stdout is not None:  # it is where the program was started without one
                sys.stdout.flush()
    except OSError as problem:
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the error would come again at the exit
        if problem.errno != errno.EPIPE:  # whoever reads only the beginning, such as head, knows
            tell_problem(f"cannot write the output: {problem.strerror or problem}.")
        sys.exit(1)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"regraft {__version__}")
        raise typer.Exit


@app.callback()
def regraft(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say it and exit.")] = False,  # noqa: ARG001
) -> None:
    """Look at mechanisms in files, check, convert and re-root them, and see what the library can do."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # an encoding without └─ gets question marks, not a traceback
