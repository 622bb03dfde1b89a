"""`read`: a mechanism from a file of any format, with a report of what was not carried over."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from ..atomic import path_of
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import FileError, ModelError
from ..mocap.formats import READERS as RECORDING_READERS
from .formats import READERS, function_at
from .formats.contract import BaseChoice, InertiaChoice, ReadOptions
from .formats.xml_root import suffix_by_root
from .report import Findings, Report, checked_ignore

RECORDINGS = frozenset({".asf", *RECORDING_READERS})
"""What files of recordings end in."""
TABLES = frozenset({".mot", ".sto"})
"""Of these the files of coordinates, which move a model and show nothing without it."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What `regraft.read` found in a file.

    Attributes
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        The state that the file starts from, or the bind state.
    report : Report
        What was not carried over, repaired or guessed.
    """

    mech: Mechanism
    state: State
    report: Report

    def __repr__(self) -> str:
        return f"{self.mech}\n{self.report}"


def read(
    path: str | Path,
    ignore: str | Collection[str] = (),
    inertia: InertiaChoice = "error",
    packages: str | Path | Sequence[str | Path] = (),
    base: BaseChoice | None = None,
) -> Reading:
    """Read a mechanism from a file; its format is known by its suffix.

    Parameters
    ----------
    path : str or Path
        The file.
    ignore : str or collection of str, optional
        Kinds of what a mechanism cannot say, such as ``("tendon",)``, that may be left out although the mechanism moves otherwise
        without them; ``"all"`` leaves all of it out. By default it is one error that lists all of it.
    inertia : {"error", "repair"}, optional
        What becomes of an inertia that no real body has: an error, or the nearest one that a body can have; the report names it.
    packages : str, Path or sequence of these, optional
        Folders in which ``package://`` paths and meshes are searched.
    base : {"fixed", "free"}, optional
        How the root of a robot is joined to the world where the format does not say it, as URDF does not; by default fixed.

    Returns
    -------
    Reading
        The mechanism, a state to start from, and the report.

    Raises
    ------
    FileError
        If the file cannot be read, is damaged, is of no known format, or has what a mechanism cannot say.

    Examples
    --------
    >>> import regraft as rg, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pendulum.json"
    >>> rg.models.pendulum().mech.save(file)
    >>> rg.read(file).report.findings
    ()
    """
    if inertia not in get_args(InertiaChoice):
        raise ModelError(f'inertia must be "error" or "repair", not {inertia!r}.')
    if base is not None and base not in get_args(BaseChoice):
        raise ModelError(f'base must be "fixed" or "free", not {base!r}.')
    file, kinds, found = path_of(path), checked_ignore(ignore), Findings()
    _check_file(file)
    folders = (packages,) if isinstance(packages, str | Path) else packages
    options = ReadOptions(inertia, tuple(Path(folder) for folder in folders), base)
    mech, state = reader_of(file)(file, options, found)
    return Reading(mech, state, found.report(file, kinds))


def _check_file(path: Path) -> None:
    """Raise an error unless there is a file that can be read to its end."""
    try:
        if path.is_file():
            return
        if path.exists():
            raise FileError(f"{str(path)!r} is {'a folder' if path.is_dir() else 'a pipe or a device'}, not a file.")
    except OSError as problem:
        raise FileError(f"{str(path)!r} cannot be read: {problem.strerror or problem}.") from None
    raise FileError(f"there is no file {str(path)!r}.")


def reader_of(path: Path) -> Any:
    """The function that reads files of this suffix."""
    suffix = path.suffix.lower()
    if suffix == ".xml":
        suffix = suffix_by_root(path)
    if suffix in RECORDINGS:
        raise FileError(f"{str(path)!r} is a recording, not a mechanism; read it with regraft.mocap.load.")
    if suffix not in READERS:
        raise FileError(f"{str(path)!r}: there is no reader for {suffix or 'no suffix'}; known are {', '.join(READERS)}.")
    return function_at(READERS[suffix])
