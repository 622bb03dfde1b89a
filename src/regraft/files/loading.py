"""`load`: a mechanism, a state or a trajectory, whichever a file holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from ..atomic import path_of
from ..describe import state
from ..describe.mechanism import Mechanism
from ..describe.plain import read_json
from ..describe.state import State
from ..errors import ModelError, warn
from ..simulate import Trajectory
from .formats import READERS
from .mechanisms import mechanism_in
from .reading import RECORDINGS, read
from .report import Report

_ARCHIVE = b"PK"  # how the files of Trajectory.save begin
_PLAIN = ".json"
FORMATS = {".xml", *READERS, *RECORDINGS} - {_PLAIN}
"""The endings of mechanisms that another program wrote."""


def load(path: str | Path, **options: Any) -> Mechanism | State | Trajectory:
    """Read a mechanism from a file of any format, or what `State.save` or `Trajectory.save` wrote.

    What a file has besides, and a mechanism does not carry over, is one warning, as long as the mechanism moves as the file says;
    else it is an error. `read` reports all of it, and has the state that a file starts from.

    Parameters
    ----------
    path : str or Path
        A mechanism in a file of a format that is known by its suffix, a mechanism or a state in a JSON file, or a trajectory in
        an .npz file; what these are, the file itself says.
    **options
        What `read` takes: `ignore`, `inertia`, `packages`.

    Returns
    -------
    Mechanism, State or Trajectory
        Equal to the last digit to what was saved.

    Raises
    ------
    ModelError
        If the file cannot be read, is damaged, or holds something else.
    FileError
        As `read`; it is a ModelError too.

    Examples
    --------
    >>> import regraft as rg, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "empty.json"
    >>> rg.Mechanism().save(file)
    >>> rg.load(file) == rg.Mechanism()
    True
    """
    file = path_of(path)
    if file.suffix.lower() in FORMATS:
        found = read(file, **options)
        tell_findings(found.report)
        return found.mech
    try:
        with file.open("rb") as opened:
            start = opened.read(len(_ARCHIVE))
    except OSError as problem:
        raise ModelError(f"cannot read {str(path)!r}: {problem}.") from problem
    if start == _ARCHIVE or file.suffix == ".npz":
        return Trajectory.from_file(file)
    data = read_json(file)
    if isinstance(data, dict) and data and data.keys() <= {"q", "v"}:
        raise ModelError(f"{str(path)!r} is a state without the joints that it is of; give its numbers to mech.state(q, v).")
    if not isinstance(data, dict) or data.get("format") != state.FORMAT:
        return mechanism_in(file, data)
    try:
        return State.from_dict(data)
    except ModelError as problem:
        raise ModelError(f"{str(path)!r}: {problem}") from problem


def tell_findings(report: Report) -> None:
    """One warning for all that was not carried over."""
    if report.findings:
        kinds = Counter(one.kind for one in report.findings)
        told = ", ".join(f"{kind} ({count})" if count > 1 else kind for kind, count in kinds.items())
        warn(f"{report.path}: not all of it was carried over as it is: {told}. regraft.read(path).report lists it.")
