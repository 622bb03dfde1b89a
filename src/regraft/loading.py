"""`load`: a mechanism or a trajectory, whichever a file holds."""

from __future__ import annotations

from pathlib import Path

from .atomic import path_of
from .errors import ModelError
from .mechanism import Mechanism, load_mechanism
from .simulate import Trajectory

_ARCHIVE = b"PK"  # how the files of Trajectory.save begin


def load(path: str | Path) -> Mechanism | Trajectory:
    """Read a mechanism or a trajectory from a file.

    Parameters
    ----------
    path : str or Path
        A JSON file that `Mechanism.save` wrote, or an .npz file that `Trajectory.save` wrote.

    Returns
    -------
    Mechanism or Trajectory
        Equal to what was saved, to the last digit.

    Raises
    ------
    ModelError
        If the file cannot be read, is damaged or holds something else.

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
    return load_mechanism(file)
