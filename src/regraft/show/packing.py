"""Numbers as a short text for a page: rounded to a stated step, as differences from row to row, deflated, in base 64.

`player/numbers.js` reads what is written here.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

TURN_STEP = np.sqrt(0.5) / 32767.0
"""Of the three smaller numbers of a unit quaternion, none of which is larger than √½; the angle is right to 10⁻⁴ rad."""
_LARGEST = 2**30  # of whole numbers in a table, so that second differences have 32 bits


class Table(NamedTuple):
    """Whole numbers (rows, columns), and how often differences from row to row are taken: 2 for what moves smoothly."""

    values: Whole
    order: int = 0


def packed(tables: Mapping[str, Table]) -> tuple[dict[str, dict[str, int]], str]:
    """How all tables are laid out, by name, and their text."""
    layout, parts, at = {}, [], 0
    for name, table in tables.items():
        planes, data = _bytes_of(table)
        rows, columns = table.values.shape
        layout[name] = {"at": at, "rows": rows, "columns": columns, "order": table.order, "planes": planes}
        parts.append(data)
        at += len(data)
    return layout, base64.b64encode(zlib.compress(b"".join(parts), 9)).decode("ascii")


def _bytes_of(table: Table) -> tuple[int, bytes]:
    """How many bytes a number has, and all lowest bytes column by column, then all next ones; signs are in the lowest bit."""
    values = np.asarray(table.values, np.int64)
    if values.size and np.abs(values).max() >= _LARGEST:
        raise ValueError("a table has numbers that do not fit in 31 bits")
    for _ in range(table.order):
        values = np.diff(values, axis=0, prepend=np.zeros((1, values.shape[1]), np.int64))
    folded = ((values << 1) ^ (values >> 63)).T.ravel()
    most = int(folded.max(initial=0))
    planes = max(1, (most.bit_length() + 7) // 8)
    return planes, b"".join(((folded >> 8 * k) & 255).astype(np.uint8).tobytes() for k in range(planes))


def unpacked(layout: Mapping[str, Mapping[str, int]], text: str) -> dict[str, Whole]:
    """All tables of a text: what a page does."""
    data = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    found = {}
    for name, told in layout.items():
        count = told["rows"] * told["columns"]
        planes = data[told["at"] : told["at"] + told["planes"] * count].reshape(told["planes"], count).astype(np.int64)
        folded = sum((plane << 8 * k for k, plane in enumerate(planes)), np.zeros(count, np.int64))
        values = ((folded >> 1) ^ -(folded & 1)).reshape(told["columns"], told["rows"]).T
        for _ in range(told["order"]):
            values = np.cumsum(values, axis=0)
        found[name] = values
    return found


def rounded(values: ArrayLike, step: float, start: ArrayLike = 0.0) -> Whole:
    """The nearest whole numbers of steps from a start."""
    found: Whole = np.rint((np.asarray(values, float) - start) / step).astype(np.int64)
    return found


def turns(rotations: Array) -> tuple[Whole, Whole]:
    """Rotations (..., 3, 3) as quaternions: three numbers (..., 3) in TURN_STEP, and which one (...) is left out.

    It is the largest one, which is positive and follows from the others. Quaternions are (w, x, y, z).
    """
    q = quaternions(rotations)
    largest = np.abs(q).argmax(axis=-1)
    q = q * np.where(np.take_along_axis(q, largest[..., None], -1) < 0.0, -1.0, 1.0)
    others = _OTHERS[largest]
    return rounded(np.take_along_axis(q, others, -1), TURN_STEP), largest.astype(np.int64)


_OTHERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])


def turned(small: Whole, largest: Whole) -> Array:
    """(..., 4): the quaternions that `turns` has rounded."""
    three = small * TURN_STEP
    found = np.empty((*largest.shape, 4))
    np.put_along_axis(found, _OTHERS[largest], three, -1)
    np.put_along_axis(found, largest[..., None], np.sqrt(np.maximum(0.0, 1.0 - (three**2).sum(-1, keepdims=True))), -1)
    return found


def quaternions(rotations: Array) -> Array:
    """(..., 4) of rotations (..., 3, 3), each by its largest number, so that none is lost by rounding."""
    r = rotations
    diagonal = np.stack([r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]], -1)
    trace = diagonal.sum(-1)
    squares = np.concatenate([(1.0 + trace)[..., None], 1.0 + 2.0 * diagonal - trace[..., None]], -1)
    which = squares.argmax(-1)
    x, y, z = r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]
    xy, xz, yz = r[..., 0, 1] + r[..., 1, 0], r[..., 0, 2] + r[..., 2, 0], r[..., 1, 2] + r[..., 2, 1]
    w0, x0, y0, z0 = np.moveaxis(squares, -1, 0)
    ways = np.stack([np.stack(way, -1) for way in ((w0, x, y, z), (x, x0, xy, xz), (y, xy, y0, yz), (z, xz, yz, z0))], -2)
    best = np.take_along_axis(ways, which[..., None, None], -2)[..., 0, :]
    found: Array = best / np.linalg.norm(best, axis=-1, keepdims=True)
    return found


def directions(normals: Array) -> Whole:
    """(n, 2): unit vectors on the faces of an octahedron that is folded flat, in 127ths."""
    flat = normals / np.abs(normals).sum(axis=1, keepdims=True)
    below = (1.0 - np.abs(flat[:, 1::-1])) * np.where(flat[:, :2] < 0.0, -1.0, 1.0)
    return rounded(np.where(flat[:, 2:] < 0.0, below, flat[:, :2]), 1.0 / 127.0)


def plain(value: Any) -> Any:
    """Arrays and NumPy's numbers as lists and numbers with seven digits, for JSON."""
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value.tolist()]
    if isinstance(value, float):
        return float(f"{value:.7g}")
    return value
