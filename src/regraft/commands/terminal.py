"""What all commands do on a terminal: say, draw a tree, tell a problem, write a file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from ..describe.mechanism import Mechanism
from ..errors import RegraftError, RegraftWarning, printable

_WITHOUT_FOLDS = 100_000  # columns of what is no terminal: there a long row stays one line


def bad_usage(option: str, message: str) -> typer.BadParameter:
    """Wrong usage of an option."""
    return typer.BadParameter(message, param_hint=option)


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, which need not be there."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def check_overwriting(inputs: tuple[Path | None, ...], outputs: tuple[Path | None, ...]) -> None:
    """Nothing may be overwritten by mistake."""
    for old in inputs:
        for new in outputs:
            if old and new and same_file(old, new):
                raise RegraftError(f"{str(new)!r} is an input; write to another file, or replace it with --force.")


def write(path: Path, store: Callable[[Path], object]) -> None:
    """Write a file, and say so; what it cannot hold, and is left out, is said too."""
    with warnings_told():
        store(path)
    say(f"wrote {path}")


@contextmanager
def warnings_told() -> Iterator[None]:
    """Our warnings as notes, each once, when all is done."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RegraftWarning)
        yield
    for message in dict.fromkeys(str(one.message) for one in told):
        say(f"note: {printable(message)}", "yellow")


def say(line: str, style: str = "") -> None:
    """Print a line, which is never broken."""
    console().print(Text(line, style=style), soft_wrap=True)


@contextmanager
def problems_told() -> Iterator[None]:
    """Our errors as one red line, and exit code 1."""
    try:
        yield
    except RegraftError as problem:
        tell_problem(str(problem))
        raise typer.Exit(1) from None


def tell_problem(message: str) -> None:
    """An error as one red line."""
    line = printable(" ".join(f"error: {message}".splitlines()))
    Console(stderr=True).print(Text(line, style="red"), soft_wrap=True)


def console() -> Console:
    """Where commands print."""
    found = Console(highlight=False)
    if not found.is_terminal:
        found.width = _WITHOUT_FOLDS
    return found


def print_tree(mech: Mechanism) -> None:
    """The tree as `print` shows it; colours are for terminals."""
    text = Text(str(mech))
    text.highlight_regex(r"^Mechanism: .*", "bold")
    text.highlight_regex(r"(?m)^(loop|coupling) .*", "yellow")
    text.highlight_regex(r"(?m)^not connected: .*", "red")
    text.highlight_regex(r"(?m)\([^()]* kg\)$", "dim")
    console().print(text, soft_wrap=True)
