"""The errors that Regraft raises; each message names the body or joint and the way out."""

import math
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class RegraftError(Exception):
    """Base of every error that Regraft raises on purpose."""


class ModelError(RegraftError, ValueError):
    """A mechanism, state or argument is described wrongly."""


class FileError(ModelError):
    """A file that cannot be read; the message names the file and the line or block."""


class StructureError(RegraftError):
    """A change or question that the structure of the mechanism does not allow."""


class AssemblyError(RegraftError):
    """Loops that cannot be closed."""


class SimulationError(RegraftError):
    """A simulation that could not go on.

    Attributes
    ----------
    trajectory : Trajectory or None
        All that was computed until then.
    time : float
        When it stopped.
    joint : str or None
        Where it broke, if one joint is to blame.
    reason : str
        The message without what is for programs only, such as where the trajectory is.
    """

    def __init__(
        self, message: str, trajectory: Any = None, time: float = math.nan, joint: str | None = None, hint: str = ""
    ) -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self._reason = message
        self.trajectory = trajectory
        self.time = time
        self.joint = joint

    @property
    def reason(self) -> str:
        """The message without what is for programs only, such as where the trajectory is."""
        return self._reason


class SweepError(RegraftError):
    """A sweep that could not go on.

    Attributes
    ----------
    results : xarray.Dataset
        What was done until then.
    """

    def __init__(self, message: str, results: Any = None) -> None:
        super().__init__(message)
        self.results = results


class MissingPackageError(RegraftError, ModuleNotFoundError):
    """A package that is not installed, which Regraft needs here alone; the message names the extra that brings it."""


def printable(text: str) -> str:
    """A text for a terminal: what would act on it instead of being shown, such as an escape sequence, is spelled out."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


class RegraftWarning(UserWarning):
    """Something that is allowed and is probably not what was meant; the message says how to tell it apart."""


def warn(message: str) -> None:
    """A `RegraftWarning` at the line outside of this package that led here."""
    inside, frame, level = f"{Path(__file__).parent}{os.sep}", sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RegraftWarning, stacklevel=level)


_MANY = 1000  # names, of which only those are compared letter by letter that begin or end in the same way


def meant(name: object, names: Iterable[str]) -> str:
    """The end of an error about a name that is not there: which ones it may be meant for; empty where none is like it."""
    if not isinstance(name, str):
        return ""
    from difflib import get_close_matches  # which is for errors alone

    there, half = {one.casefold(): one for one in reversed(list(names))}, (len(name) + 1) // 2
    wanted = name.casefold()
    like = list(there)
    if len(like) > _MANY:
        like = [one for one in like if one.startswith(wanted[:half]) or one.endswith(wanted[half:])][:_MANY]
    found = get_close_matches(wanted, like, n=3)
    return f" Did you mean {' or '.join(repr(there[one]) for one in found)}?" if found else ""


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names for a message: quoted, and cut short where there are many."""
    found = list(names)
    return ", ".join(repr(name) for name in found[:most]) + (", ..." if len(found) > most else "")
