"""A sweep on disk: a Zarr group that is written block by block while it runs, and from which a sweep that was killed goes on.

A block is a part of the grid whose cells lie in a row. Its values are written first and its status last, each file whole or not
at all; so whatever the status says is there.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..atomic import path_of
from ..errors import FileError, ModelError, RegraftError, warn
from ..extras import require
from .grids import Grid
from .results import DONE, NOT_RUN, Results, Slot

try:
    import fcntl
except ImportError:  # on Windows, where nothing keeps two programs apart
    fcntl = None  # type: ignore[assignment]

BLOCKS = 1024
"""About how many blocks a store has at most; each is a file for every value."""
_FORMAT = 2  # of Zarr, which knows texts of any length
_NOTHING = None  # in place of a number that means "no value": 0 and no text are values
_STATUS, _ERROR = "status", "error"
_MEANING = {"flag_values": [0, 1, 2], "flag_meanings": "not_run done failed"}
_MUST_AGREE = {"parameters": "other parameters", "function": "another function", "seed": "another seed"}


class Block(NamedTuple):
    """A part of the grid: where its cells are along the axes, and in a row."""

    at: tuple[slice, ...]
    cells: slice


def block_shape(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """How long a block of at most so many cells is along each axis: whole last axes, and a part of the one before."""
    found = []
    for length in reversed(shape):
        found.append(max(1, min(length, most)))
        most = most // length if most >= length else 0
    return tuple(reversed(found))


def blocks_of(shape: tuple[int, ...], block: tuple[int, ...]) -> Iterator[Block]:
    """All blocks, in the order of their cells."""
    counts = [-(-length // part) for length, part in zip(shape, block, strict=True)]
    start = 0
    for where in np.ndindex(*counts):
        at = tuple(slice(i * b, min((i + 1) * b, n)) for i, b, n in zip(where, block, shape, strict=True))
        size = math.prod(part.stop - part.start for part in at)
        yield Block(at, slice(start, start + size))
        start += size


class Store:
    """Where the results of a sweep are kept."""

    def __init__(self, where: Any, results: Results, attributes: dict[str, Any], cells_a_block: int | None) -> None:
        self._zarr = require("zarr", "sweep with a store")
        self._where = str(path_of(where)) if isinstance(where, str | Path) else where
        self._results, self._arrays, self._lock = results, dict[str, Any](), -1
        try:
            self._group = self._open({**attributes, "parameters": results.grid.fingerprint})
            self._go_on_or_begin(results.grid, cells_a_block or -(-results.grid.size // BLOCKS))
        except OSError as problem:
            self.close()
            raise RegraftError(f"sweep: cannot write to {self._where!r}: {problem.strerror or problem}.") from problem
        except BaseException:
            self.close()
            raise
        self._blocks = list(blocks_of(results.grid.shape, self._block))
        self._starts = np.array([block.cells.start for block in self._blocks])
        self._rooms = results.rooms
        self.count()

    def _go_on_or_begin(self, grid: Grid, cells_a_block: int) -> None:
        if _STATUS in self._group:
            self._block = self._group[_STATUS].chunks
            self._read()
        else:
            self._block = block_shape(grid.shape, cells_a_block)
            self._begin(grid)

    def close(self) -> None:
        """Let others write to it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def count(self) -> None:
        """How many cells each block lacks."""
        status = self._results.status
        self._missing = np.array([np.count_nonzero(status[block.cells] == NOT_RUN) for block in self._blocks])

    def _open(self, expected: dict[str, Any]) -> Any:
        is_new = True
        if isinstance(self._where, str):
            is_new = self._claim(Path(self._where))
        try:
            if is_new:
                return self._zarr.open_group(self._where, mode="a", zarr_format=_FORMAT, attributes=expected)
            group = self._zarr.open_group(self._where, mode="r+", use_consolidated=False)
        except TypeError:
            raise ModelError(f"sweep: store must be a path, or a store of Zarr, not {self._where!r}.") from None
        except Exception as problem:
            raise FileError(f"sweep: {self._where!r} is there and is no store of a sweep ({problem}).") from problem
        self._check(dict(group.attrs), expected)
        return group

    def _claim(self, folder: Path) -> bool:
        """Keep other programs from writing to it as long as this one lives; whether there is nothing in it."""
        if folder.exists() and not folder.is_dir():
            raise FileError(f"sweep: {self._where!r} is there and is no store of a sweep, but a file.")
        folder.mkdir(parents=True, exist_ok=True)
        is_new = not any(folder.iterdir())
        if fcntl is not None:
            self._lock = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FileError(
                    f"sweep: another program is writing to {self._where!r}; wait for its end, or give another place."
                ) from None
            except OSError:  # there are file systems without locks
                pass
        return is_new

    def _check(self, found: dict[str, Any], expected: dict[str, Any]) -> None:
        if not _MUST_AGREE.keys() <= found.keys():
            raise FileError(f"sweep: {self._where!r} is a Zarr group, and not that of a sweep.")
        for name, what in _MUST_AGREE.items():
            if found[name] != expected[name]:
                raise FileError(
                    f"sweep: the store {self._where!r} belongs to another sweep, with {what}"
                    + (f" ({found[name]}, not {expected[name]})" if name != "parameters" else "")
                    + "; give another place, or remove it."
                )
        if found.get("code") != expected["code"]:
            raise FileError(
                f"sweep: the function {expected['function']} has changed since {self._where!r} was begun, so old and new cells "
                "would not fit together; give another place, or remove it."
            )
        if found.get("versions") != expected["versions"]:
            warn(f"the store {str(self._where)!r} was begun with other versions: {found.get('versions')}.")

    def _begin(self, grid: Grid) -> None:
        for name, values in grid.values.items():
            data = values.astype(object) if values.dtype.kind == "U" else values
            self._new(name, grid.axis_of(name), data.shape, data.shape, str if data.dtype.kind == "O" else data.dtype)[:] = data
        self._new(_ERROR, grid.dims, grid.shape, self._block, str)
        self._new(_STATUS, grid.dims, grid.shape, self._block, np.dtype(np.int8), attributes=_MEANING)
        self._seal()

    def _new(
        self,
        name: str,
        dims: tuple[str, ...],
        shape: tuple[int, ...],
        chunks: tuple[int, ...],
        dtype: Any,
        empty: Any = _NOTHING,
        attributes: dict[str, Any] | None = None,
    ) -> Any:
        return self._group.create_array(
            name,
            shape=shape,
            chunks=chunks,
            dtype=dtype,
            fill_value=empty,
            attributes={"_ARRAY_DIMENSIONS": list(dims), **(attributes or {})},
            overwrite=True,  # of a run that was killed before any value was in it
        )

    def _seal(self) -> None:
        """One file that describes all arrays, which others need to open it quickly."""
        self._zarr.consolidate_metadata(self._group.store, zarr_format=_FORMAT)

    def _make_room(self) -> None:
        """Arrays for the values; if others were there that are too narrow, what they had is written again."""
        grid = self._results.grid
        if self._rooms:
            self._new(_STATUS, grid.dims, grid.shape, self._block, np.dtype(np.int8), attributes=_MEANING)
        self._arrays.clear()
        for name, slot in self._results.slots.items():
            dtype = str if slot.dtype.kind == "O" else slot.dtype
            shape, chunks = (*grid.shape, *slot.shape), (*self._block, *(max(n, 1) for n in slot.shape))
            self._new(name, (*grid.dims, *slot.dims), shape, chunks, dtype, slot.empty if slot.dtype.kind in "fc" else _NOTHING)
            for dim, labels in slot.labels.items():
                self._new(dim, (dim,), labels.shape, labels.shape, labels.dtype)[:] = labels
        self._seal()
        again, self._rooms = self._rooms > 0, self._results.rooms
        for block in self._blocks if again else ():
            if (self._results.status[block.cells] != NOT_RUN).any():
                self._write(block)

    def _read(self) -> None:
        """What is there already."""
        results, grid = self._results, self._results.grid
        try:
            results.status[:] = np.asarray(self._group[_STATUS][...]).ravel()
            results.errors[:] = np.asarray(self._group[_ERROR][...], object).ravel()
            if not (results.status == DONE).any():
                return
            kept = {name: array for name, array in self._group.arrays() if name not in (_STATUS, _ERROR, *grid.values)}
            values = {name: array for name, array in kept.items() if _is_value(array, grid)}
            results.make_room({name: _slot(array, grid, kept) for name, array in values.items()})
            for name in results.slots:
                results.arrays[name][:] = np.asarray(kept[name][...]).reshape(results.arrays[name].shape)
        except Exception as problem:
            raise FileError(
                f"sweep: the store {self._where!r} is damaged ({problem}); remove it, or give another place."
            ) from problem

    def keep(self, cells: list[int]) -> None:
        """After these were taken by the results: write the blocks that are complete."""
        for b, count in zip(*np.unique(np.searchsorted(self._starts, cells, side="right") - 1, return_counts=True), strict=True):
            self._missing[b] -= count
            if self._missing[b] == 0:
                self._write(self._blocks[b])

    def flush(self) -> None:
        """Write what there is of blocks that are not complete."""
        for block, missing in zip(self._blocks, self._missing, strict=True):
            status = self._results.status[block.cells]
            if missing > 0 and (status != NOT_RUN).any():
                self._write(block)

    def _write(self, block: Block) -> None:
        results = self._results
        try:
            if self._rooms != results.rooms:
                self._make_room()
            shape = tuple(part.stop - part.start for part in block.at)
            for name, slot in results.slots.items():
                self._array(name)[block.at] = results.arrays[name][block.cells].reshape(*shape, *slot.shape)
            self._array(_ERROR)[block.at] = results.errors[block.cells].reshape(shape)
            self._array(_STATUS)[block.at] = results.status[block.cells].reshape(shape)
        except OSError as problem:
            raise RegraftError(f"sweep: cannot write to {self._where!r}: {problem.strerror or problem}.") from problem

    def _array(self, name: str) -> Any:
        """An array of the group, which is opened once."""
        if name not in self._arrays:
            self._arrays[name] = self._group[name]
        return self._arrays[name]


def _dims(array: Any) -> tuple[str, ...]:
    return tuple(array.attrs["_ARRAY_DIMENSIONS"])


def _is_value(array: Any, grid: Grid) -> bool:
    return _dims(array)[: len(grid.dims)] == grid.dims


def _slot(array: Any, grid: Grid, others: dict[str, Any]) -> Slot:
    rank = len(grid.dims)
    dims = _dims(array)[rank:]
    dtype = np.dtype(object) if array.dtype.kind not in "bifc" else array.dtype
    labels = {dim: np.asarray(others[dim][...]) for dim in dims if dim in others}
    return Slot(dtype, array.shape[rank:], dims, labels)
