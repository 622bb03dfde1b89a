"""Cells that are run where the work is done, maybe in another process: each gives its numbers, or what went wrong."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .functions import RNG, Function
from .grids import RESERVED

VALUE = "value"
"""What a function gives that does not name it."""
_KINDS = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64, "c": np.complex128, "U": np.object_}


class Column(NamedTuple):
    """One of the values of a cell, with the names of its axes if the function has named them, and their labels."""

    data: NDArray[Any]
    dims: tuple[str, ...] | None
    labels: dict[str, NDArray[Any]]


class Outcome(NamedTuple):
    """What came of a cell: its values by name, or the text of an error."""

    cell: int
    columns: dict[str, Column] | None
    error: str


class Batch(NamedTuple):
    """What came of some cells, and how long they took."""

    outcomes: list[Outcome]
    seconds: float
    interrupted: bool = False
    """Whether it was ended by Ctrl-C, so that the rest has not been run."""


class Unloadable(NamedTuple):
    """The function could not be made from its bytes in the process that was to run it."""

    why: str


class Job(NamedTuple):
    """One cell: its number, its parameters, and the seed of the whole sweep if there is one."""

    cell: int
    parameters: dict[str, Any]
    seed: int | None


def run_packed(function: bytes, jobs: Sequence[Job]) -> Batch | Unloadable:
    """`run`, with a function that was sent."""
    try:
        loaded = _unpacked(function)
    except Exception as problem:
        return Unloadable(f"{type(problem).__name__}: {problem}")
    return run(loaded, jobs)


@lru_cache(maxsize=4)
def _unpacked(function: bytes) -> Function:
    found: Function = pickle.loads(function)
    return found


def run(function: Function, jobs: Sequence[Job]) -> Batch:
    """Call the function for each cell; what it raises is the cell's own."""
    start = time.perf_counter()
    outcomes: list[Outcome] = []
    try:
        for job in jobs:
            outcomes.append(_outcome(function, job))  # noqa: PERF401, those before an interruption are kept
    except KeyboardInterrupt:
        return Batch(outcomes, time.perf_counter() - start, True)
    return Batch(outcomes, time.perf_counter() - start)


def _outcome(function: Function, job: Job) -> Outcome:
    given = dict(job.parameters)
    if job.seed is not None:
        given[RNG] = np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(job.cell,)))
    try:
        return Outcome(job.cell, columns_of(function(**given)), "")
    except (Exception, SystemExit) as problem:  # a function that ends the program ends its own cell
        return Outcome(job.cell, None, told(problem))


def told(problem: BaseException) -> str:
    """An error in one text: what it is, what it says, and where it came from."""
    frames = traceback.extract_tb(problem.__traceback__)
    where = f" ({frames[-1].name}, line {frames[-1].lineno})" if frames else ""
    try:
        said = str(problem)
    except Exception:
        said = "it cannot say what"
    return f"{type(problem).__name__}: {said}{where}"


def columns_of(result: Any) -> dict[str, Column]:
    """What a function has returned, as arrays by name."""
    if hasattr(result, "_asdict"):
        result = result._asdict()
    if hasattr(result, "data_vars"):  # a Dataset of xarray
        result = dict(result.data_vars)
    named = dict(result) if isinstance(result, Mapping) else {VALUE: result}
    if not named:
        raise TypeError("the function returned no value")
    return {_named(name): _column(name, value) for name, value in named.items()}


def _named(name: Any) -> str:
    if not isinstance(name, str) or not name or name in RESERVED:
        raise TypeError(f"a value cannot be called {name!r}; the names {' and '.join(RESERVED)} are those of the sweep")
    return name


def _column(name: str, value: Any) -> Column:
    dims, labels = None, {}
    if hasattr(value, "dims") and hasattr(value, "coords"):  # a DataArray of xarray
        dims = tuple(map(str, value.dims))
        labels = {d: np.asarray(value.coords[d]) for d in dims if d in value.coords}
    data = np.asarray(value)
    if data.dtype.kind not in _KINDS:
        raise TypeError(f"{name!r} is {type(value).__name__}, and not a number, a text or an array of one kind of these")
    if data.dtype.kind == "u" and data.size and data.max() > np.iinfo(np.int64).max:
        raise TypeError(f"{name!r} is too large a whole number")
    return Column(data.astype(_KINDS[data.dtype.kind]), dims, labels)
