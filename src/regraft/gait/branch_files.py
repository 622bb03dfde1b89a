"""Branches as files that grow with them: NumPy's .npz, written whole after every point, with what is needed to go on."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import path_of, writing
from ..errors import ModelError
from .curves import Ended, Pace, Solved
from .following import Track

FORMAT = "regraft branch"
VERSION = 1
_ARRAYS = ("x", "p", "pace", "jacobian", "by_parameter", "tangent", "residual")


def keep(path: str | Path, described: dict[str, Any], tracks: Sequence[Track]) -> None:
    """Write the branch as it is now."""
    arrays: dict[str, Any] = {}
    notes = []
    for number, track in enumerate(tracks):
        for name in _ARRAYS:
            arrays[f"{number} {name}"] = np.array([getattr(point, name) for point in track.points], float)
        notes.append({"length": track.length, "kinds": track.kinds, "ended": track.ended, "switched": track.switched})
    header = {"format": FORMAT, "version": VERSION, "branch": described, "tracks": notes}
    with writing(path) as beside, beside.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), **arrays)


def load(path: str | Path, described: dict[str, Any]) -> list[Track] | None:
    """The branch of a file, to be continued; None where there is no file yet.

    Raises
    ------
    ModelError
        If the file is none of this branch.
    """
    file = path_of(path)
    if not file.exists():
        return None
    try:
        with np.load(file, allow_pickle=False) as arrays:
            header = json.loads(str(arrays["header"]))
            if header["format"] != FORMAT or header["version"] != VERSION:
                raise ValueError(f"format {header['format']!r}, version {header['version']!r}")
            tracks = [_track(arrays, number, notes) for number, notes in enumerate(header["tracks"])]
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as problem:
        raise ModelError(
            f"{str(path)!r} is no file of a branch, or it is damaged ({problem}); give store= another name."
        ) from None
    wanted = json.loads(json.dumps(described))
    other = [key for key in wanted if header["branch"].get(key) != wanted[key]]
    if other:
        told = "; ".join(f"{key} is {header['branch'].get(key)!r} there and {wanted[key]!r} here" for key in other)
        raise ModelError(f"{str(path)!r} holds another branch: {told}. Give store= another name, or remove the file.")
    return tracks


def _track(arrays: Any, number: int, notes: dict[str, Any]) -> Track:
    columns = [arrays[f"{number} {name}"] for name in _ARRAYS]
    points = [
        Solved(x, float(p), Pace(*pace.tolist()), jacobian, by_parameter, tangent, float(residual))
        for x, p, pace, jacobian, by_parameter, tangent, residual in zip(*columns, strict=True)
    ]
    ended = None if notes["ended"] is None else Ended(*notes["ended"])
    return Track(float(notes["length"]), points, list(notes["kinds"]), ended, bool(notes["switched"]))
