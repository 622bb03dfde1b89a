"""`load`: a mechanism, a state or a trajectory, whichever a file holds."""

from __future__ import annotations

from pathlib import Path

from ..atomic import path_of
from ..describe import state
from ..describe.mechanism import Mechanism
from ..describe.plain import read_json
from ..describe.state import State
from ..errors import ModelError
from ..simulate import Trajectory
from .mechanisms import mechanism_in

_ARCHIVE = b"PK"  # how the files of Trajectory.save begin


def load(path: str | Path) -> Mechanism | State | Trajectory:
    """Read what `Mechanism.save`, `State.save` or `Trajectory.save` wrote.

    Parameters
    ----------
    path : str or Path
        A mechanism or a state in a JSON file, or a trajectory in an .npz file; what it is, the file itself says.

    Returns
    -------
    Mechanism, State or Trajectory
        Equal to the last digit to what was saved.

    Raises
    ------
    ModelError
        If the file cannot be read, is damaged, or holds something else.

    Examples
    --------
    >>> import regraft as rg, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "empty.json"
    >>> rg.Mechanism().save(file)
    >>> rg.load(file) == rg.Mechanism()
    True
    """
    file = path_of(path)
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
