"""Meshes in files as triangles that can be drawn: .stl and .obj files, with no more triangles than a picture needs."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_HEAD = 84  # bytes before the triangles of an .stl file
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
CELLS = 36
"""Along the longest edge of a mesh, where nobody says otherwise: corners in one cell are one."""


class Surface(NamedTuple):
    """Triangles: the corners of each, as places in the points."""

    points: Array
    """(k, 3), in the mesh's own frame and unit."""
    faces: Indices
    """(m, 3)."""


def read_surface(path: str, cells: int = CELLS) -> Surface:
    """A mesh file as it is drawn, coarser than it is: its corners are put together in so many cells along its longest edge.

    Raises
    ------
    FileError
        If it cannot be read, or is of another kind.
    """
    file = Path(path)
    if file.suffix.lower() not in _READERS:
        raise FileError(f"{path!r}: only {', '.join(_READERS)} files are drawn.")
    try:
        return _coarse(path, file.stat().st_mtime_ns, cells)
    except (OSError, ValueError, IndexError) as problem:
        raise FileError(f"{path!r} cannot be read as a mesh: {problem}") from problem


@lru_cache(maxsize=512)
def _coarse(path: str, _changed: int, cells: int) -> Surface:
    """The surface with corners that are near to each other put together, and without the triangles that are then none."""
    points, faces = _READERS[Path(path).suffix.lower()](Path(path))
    if not len(faces) or not np.isfinite(points).all() or faces.min() < 0 or faces.max() >= len(points):
        raise ValueError("it has no triangles, or corners that are not there")
    low = points.min(axis=0)
    cell = max(float((points.max(axis=0) - low).max()) / cells, np.finfo(float).tiny)
    numbers = ((points - low) / cell).astype(np.int64) @ ((cells + 1) ** np.arange(3))  # one for each cell
    _, kept, which = np.unique(numbers, return_index=True, return_inverse=True)
    merged = which[faces]
    whole = (merged[:, 0] != merged[:, 1]) & (merged[:, 1] != merged[:, 2]) & (merged[:, 2] != merged[:, 0])
    turned = np.argmin(merged, axis=1)[:, None]  # the same triangle from another corner on is no other
    merged = np.take_along_axis(merged, (turned + np.arange(3)) % 3, axis=1)
    _, once = np.unique(merged[whole] @ (len(kept) ** np.arange(3)), return_index=True)
    return Surface(points[kept], merged[whole][once])


def _stl(path: Path) -> tuple[Array, Indices]:
    """Binary if its length is that of so many triangles as it says, and else text."""
    data = path.read_bytes()
    count = int.from_bytes(data[_HEAD - 4 : _HEAD], "little")
    if len(data) == _HEAD + count * _RECORD.itemsize:
        corners = np.frombuffer(data, _RECORD, count, _HEAD)["corners"].astype(float).reshape(-1, 3)
    else:
        words = (line.split() for line in data.decode("ascii", "replace").splitlines())
        corners = np.array([line[1:4] for line in words if line and line[0] == "vertex"], float).reshape(-1, 3)
    return corners, np.arange(len(corners) // 3 * 3).reshape(-1, 3)


def _obj(path: Path) -> tuple[Array, Indices]:
    """Corners and faces alone; a face with more than three corners is a fan of triangles."""
    points, faces = list[list[str]](), list[tuple[int, int, int]]()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            points.append(words[:3])
        elif kind == "f":
            given = [int(word.split("/")[0]) for word in words]
            first, *others = (number - 1 if number > 0 else len(points) + number for number in given)
            faces += [(first, a, b) for a, b in pairwise(others)]
    return np.array(points, float).reshape(-1, 3), np.array(faces, np.intp).reshape(-1, 3)


_READERS = {".stl": _stl, ".obj": _obj}
