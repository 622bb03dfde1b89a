"""What came of the cells of a sweep, as arrays that are filled as it comes, and in the end as an xarray Dataset."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from .cells import Column, Outcome
from .grids import Grid

NOT_RUN, DONE, FAILED = 0, 1, 2
WORDS = np.array(["not run", "done", "failed"])
"""The status of a cell, by its number."""


class Slot(NamedTuple):
    """One of the values that every cell gives: its kind, its axes beside those of the grid, and their labels."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    labels: dict[str, NDArray[Any]]

    @property
    def empty(self) -> Any:
        """What stands where there is no value."""
        return {"f": np.nan, "c": np.nan, "O": ""}.get(self.dtype.kind, 0)


def slot_of(name: str, column: Column) -> Slot:
    """The slot that takes a value and others like it."""
    dims = column.dims or tuple(f"{name}_{i}" for i in range(column.data.ndim))
    return Slot(column.data.dtype, column.data.shape, dims, column.labels)


class Results:
    """Cells in the order of the grid, in which the last axis runs fastest."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.status = np.zeros(grid.size, np.int8)
        self.errors = np.full(grid.size, "", object)
        self.slots: dict[str, Slot] = {}
        """By name; empty until the first cell has given values."""
        self.arrays: dict[str, NDArray[Any]] = {}
        self.rooms = 0
        """How often the kinds of values were settled: once, and again whenever numbers came that need a wider kind."""

    def make_room(self, slots: dict[str, Slot]) -> None:
        """For values of these kinds."""
        self.slots, self.rooms = slots, self.rooms + 1
        self.arrays = {name: np.full((self.grid.size, *slot.shape), slot.empty, slot.dtype) for name, slot in slots.items()}

    def take(self, outcome: Outcome) -> None:
        """Keep what came of a cell; values unlike those of the first are an error of this cell."""
        cell, columns, error = outcome
        if columns is not None and (wrong := self._misfit(columns)):
            columns, error = None, wrong
        if columns is None:
            self.status[cell], self.errors[cell] = FAILED, error
            return
        for name, column in columns.items():
            self._widen(name, column.data.dtype)
            self.arrays[name][cell] = column.data[()]  # a text, not an array that has one
        self.status[cell], self.errors[cell] = DONE, ""

    def _misfit(self, columns: dict[str, Column]) -> str:
        """Why values do not fit the slots, which the first ones make; empty where they do."""
        if taken := set(columns) & {*self.grid.values, *self.grid.dims}:
            return f"the function returns {', '.join(sorted(taken))}, which is the name of a parameter"
        if not self.slots:
            slots = {name: slot_of(name, column) for name, column in columns.items()}
            if wrong := self._unnameable(slots):
                return wrong
            self.make_room(slots)
        if columns.keys() != self.slots.keys():
            return f"the function returned {', '.join(columns)}, and for the first cell {', '.join(self.slots)}"
        for name, column in columns.items():
            slot = self.slots[name]
            if column.data.shape != slot.shape:
                return f"{name!r} has the shape {column.data.shape}, and that of the first cell {slot.shape}"
            if (column.data.dtype.kind == "O") != (slot.dtype.kind == "O"):
                return f"{name!r} is a {'text' if slot.dtype.kind != 'O' else 'number'}, unlike that of the first cell"
            if not _same_axes(slot_of(name, column), slot):
                return f"{name!r} has other axes, or other labels along them, than that of the first cell"
        return ""

    def _unnameable(self, slots: dict[str, Slot]) -> str:
        """Why the axes of values cannot be those of one dataset; empty where they can."""
        lengths: dict[str, int] = {}
        for name, slot in slots.items():
            for dim, length in zip(slot.dims, slot.shape, strict=True):
                if dim in (*self.grid.values, *self.grid.dims, *slots) or slot.dims.count(dim) > 1:
                    return f"{name!r} has an axis {dim!r}, and something else has that name, too; give its axes other names"
                if lengths.setdefault(dim, length) != length:
                    return f"the axis {dim!r} has the length {length} in {name!r}, and another one in another value"
        return ""

    def _widen(self, name: str, dtype: np.dtype[Any]) -> None:
        """Let a slot take numbers of a kind: whole ones become floats when the first float comes, whichever cell that is."""
        slot = self.slots[name]
        wider = np.result_type(slot.dtype, dtype)
        if wider != slot.dtype:
            self.slots[name], self.rooms = slot._replace(dtype=wider), self.rooms + 1
            self.arrays[name] = self.arrays[name].astype(wider)
            self.arrays[name][self.status != DONE] = self.slots[name].empty

    def dataset(self, attributes: dict[str, Any]) -> Any:
        """All of it by name, over the axes of the grid.

        Where cells have no values, numbers are NaN, for which whole numbers and truth values become floats, and texts are empty.
        """
        xarray = require("xarray", "sweep")
        grid, there = self.grid, self.status == DONE
        variables: dict[str, Any] = {}
        for name, slot in self.slots.items():
            data = self.arrays[name]
            if not there.all() and slot.dtype.kind in "bi":
                data = data.astype(float)
                data[~there] = np.nan
            variables[name] = ((*grid.dims, *slot.dims), data.reshape(*grid.shape, *slot.shape))
        variables["status"] = (grid.dims, WORDS[self.status].reshape(grid.shape))
        variables["error"] = (grid.dims, self.errors.reshape(grid.shape))
        labels = {dim: (dim, values) for slot in self.slots.values() for dim, values in slot.labels.items()}
        axes = {name: (grid.axis_of(name), values) for name, values in grid.values.items()}
        return xarray.Dataset(variables, coords=labels | axes, attrs=attributes)


def _same_axes(one: Slot, other: Slot) -> bool:
    return (
        one.dims == other.dims
        and {*one.labels} == {*other.labels}
        and all(np.array_equal(one.labels[dim], other.labels[dim]) for dim in one.labels)
    )
