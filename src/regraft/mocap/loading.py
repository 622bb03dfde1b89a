"""`load` and `save`: recordings in files of all formats."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ..atomic import path_of
from ..errors import FileError, ModelError
from .formats import READERS, WRITERS
from .recording import Recording


def load(
    path: str | Path,
    *,
    up: str | None = None,
    scale: float | None = None,
    skeleton: str | Path | None = None,
    rate: float | None = None,
    keep_first_frame: bool | None = None,
) -> Recording:
    """Read a recording: a moving skeleton, markers, coordinates or force plates, in metres and seconds with z up.

    What a file does not say is guessed, and the ``notes`` of the recording tell it.

    Parameters
    ----------
    path : str or Path
        A file that ends in .bvh, .amc, .trc, .mot, .sto or .c3d.
    up : str, optional
        The file's axis that points upwards: "x", "y", "z", or one of these with a minus.
    scale : float, optional
        How many metres the file's unit of length is.
    skeleton : str or Path, optional
        The .asf file of an .amc file; otherwise it is looked for beside it.
    rate : float, optional
        The frames per second: of an .amc file, which does not say them, 120 unless given, as in the CMU database; of a .bvh file
        those that it says unless given.
    keep_first_frame : bool, optional
        Whether to keep the first frame of a skeleton; unless given, it is left out if it is a reference pose such as a T-pose
        from which the motion jumps away.

    Returns
    -------
    Recording
        What was recorded.

    Raises
    ------
    FileError
        If the file cannot be read or is damaged; the message names the line.
    ModelError
        If an option is not for files of this kind.

    Examples
    --------
    >>> import numpy as np, regraft as rg, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "walk.trc"
    >>> heel = np.array([[0.0, 0.1, 0.05], [0.01, 0.1, 0.06]])
    >>> rg.mocap.Recording("", np.array([0.0, 0.01]), markers={"heel": heel}).save(file, up="z")
    >>> bool(np.allclose(rg.mocap.load(file, up="z").markers["heel"], heel))
    True
    """
    file = path_of(path)
    if file.suffix.lower() == ".asf":
        raise FileError(f"{str(path)!r} is a skeleton without its motion; load the .amc file, with skeleton= if it is elsewhere.")
    read = _function(READERS, file, FileError)
    given = {"up": up, "scale": scale, "skeleton": skeleton, "rate": rate, "keep_first_frame": keep_first_frame}
    options = {name: value for name, value in given.items() if value is not None}
    known = inspect.signature(read).parameters
    for name in options:
        if name not in known:
            raise ModelError(
                f"{name}= is not for files that end in {file.suffix}; those take {_listed(n for n in given if n in known)}."
            )
    recording: Recording = read(file, **options)
    return recording


def save(rec: Recording, path: str | Path, *, up: str = "y", scale: float | None = None) -> None:
    """Write a recording to a file with all digits: its skeleton, its markers, or its columns and force plates.

    Parameters
    ----------
    rec : Recording
        What to write.
    path : str or Path
        A file that ends in .bvh (skeleton), .trc (markers), or .mot or .sto (columns and force plates).
    up : str, optional
        The axis that points upwards in the file: y, as most programs expect it, unless given.
    scale : float, optional
        How many metres the file's unit of length is: unless given, a centimetre in .bvh, a millimetre in .trc, and a metre in
        .mot and .sto.

    Raises
    ------
    ModelError
        If the recording has nothing that a file of this kind can hold.

    Examples
    --------
    >>> import numpy as np, regraft as rg, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "knee.mot"
    >>> rec = rg.mocap.Recording("", np.array([0.0, 0.01]), columns={"knee_angle_r": np.array([0.1, 0.2])}, in_degrees=False)
    >>> rg.mocap.save(rec, file)
    >>> rg.mocap.load(file).columns["knee_angle_r"]
    array([0.1, 0.2])
    """
    _function(WRITERS, path_of(path), ModelError)(rec, path_of(path), up=up, scale=scale)


def _function(registry: dict[str, tuple[str, str]], file: Path, error: type[ModelError]) -> Callable[..., Any]:
    """The function for files of a suffix; its module is imported now."""
    suffix = file.suffix.lower()
    if suffix not in registry:
        raise error(f"{str(file)!r} must end in {_listed(registry)}.")
    module, name = registry[suffix]
    function: Callable[..., Any] = getattr(import_module(f".formats.{module}", __package__), name)
    return function


def _listed(names: Any) -> str:
    found = list(names)
    return " or ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
