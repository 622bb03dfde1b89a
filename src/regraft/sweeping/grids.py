"""The cells of a sweep: every combination of parameters, or a list of chosen ones."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite
from ..errors import ModelError

POINT = "point"
"""The axis of a list of parameters."""
RESERVED = ("status", "error")
"""What results have beside what the function gives."""
_METHODS = ("sobol", "latin", "random")


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells in rows: where each lies, and its parameters.

    Attributes
    ----------
    dims : tuple of str
        The axes: one for each parameter, or one for the whole list.
    values : dict of str to array
        The values of each parameter along its axis.
    """

    dims: tuple[str, ...]
    values: dict[str, NDArray[Any]]

    @property
    def is_list(self) -> bool:
        """Whether cells are listed, not combined."""
        return self.dims == (POINT,) and POINT not in self.values

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many cells there are along each axis."""
        return (len(next(iter(self.values.values()))),) if self.is_list else tuple(map(len, self.values.values()))

    @property
    def size(self) -> int:
        """How many cells there are."""
        return math.prod(self.shape)

    def parameters(self, cell: int) -> dict[str, Any]:
        """By name, as Python's own numbers and texts."""
        at: tuple[Any, ...] = (cell,) * len(self.values) if self.is_list else np.unravel_index(cell, self.shape)
        return {name: column[i].item() for (name, column), i in zip(self.values.items(), at, strict=True)}

    def axis_of(self, name: str) -> tuple[str]:
        """Along which a parameter changes."""
        return (POINT,) if self.is_list else (name,)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all cells."""
        said = [self.dims, [(name, column.dtype.kind, column.tolist()) for name, column in self.values.items()]]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def grid_of(given: Any) -> Grid:
    """The cells that a user has described, checked."""
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # a table of pandas
        given = given.to_dict("records")
    if isinstance(given, Mapping):
        if not given:
            raise ModelError("sweep: there is no parameter; give their values by name, as {'slope': [0.01, 0.02]}.")
        columns = {_name(name): _column(name, values) for name, values in given.items()}
        return Grid(tuple(columns), columns)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ModelError(f"sweep: give the values of each parameter by name, or a list of such parameters, not {given!r}.")
    rows = list(given)
    if not rows:
        raise ModelError("sweep: the list of parameters is empty, so there is nothing to run.")
    for row in rows:
        if not isinstance(row, Mapping) or row.keys() != rows[0].keys() or not row:
            raise ModelError(f"sweep: each entry of the list must give the same parameters by name; {row!r} does not.")
    return Grid((POINT,), {_name(name): _column(name, [row[name] for row in rows]) for name in rows[0]})


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise ModelError(f"sweep: a parameter is given to the function by its name, and {name!r} cannot be one.")
    if name in RESERVED:
        raise ModelError(f"sweep: {name!r} cannot be a parameter, as the result has something else of this name.")
    return name


def _column(name: str, values: Any) -> NDArray[Any]:
    """The values of a parameter: numbers, truth values or texts, each of one kind."""
    if isinstance(values, Iterable) and not isinstance(values, np.ndarray | str):
        values = list(values)
    column = np.asarray(values)
    if column.ndim == 0:
        raise ModelError(f"sweep: give a list of values for {name!r}, even of one, not {values!r}.")
    if column.shape[0] == 0:
        raise ModelError(f"sweep: there is no value for {name!r}, so the grid has no points.")
    if column.ndim > 1 or column.dtype.kind not in "biufU":
        raise ModelError(f"sweep: the values of {name!r} must be numbers, truth values or texts; pass others by their names.")
    if not isinstance(values, np.ndarray) and len({_sort(value) for value in values}) > 1:
        raise ModelError(f"sweep: the values of {name!r} are not all of one kind, but {', '.join(_sorts(values))} together.")
    if column.dtype.kind == "u" and column.max() > np.iinfo(np.int64).max:
        raise ModelError(f"sweep: a value of {name!r} is too large a whole number.")
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise ModelError(f"sweep: a value of {name!r} is not finite.")
    return column.astype({"f": float, "i": np.int64, "u": np.int64}.get(column.dtype.kind, column.dtype))


def _sort(value: Any) -> str:
    return "texts" if isinstance(value, str) else "truth values" if isinstance(value, bool | np.bool_) else "numbers"


def _sorts(values: Iterable[Any]) -> list[str]:
    return sorted({_sort(value) for value in values})


def samples(ranges: Mapping[str, Sequence[float]], count: int, seed: int = 0, method: str = "sobol") -> list[dict[str, float]]:
    """Parameters spread over ranges, for `sweep`.

    Parameters
    ----------
    ranges : mapping of str to (least, largest)
        Of each parameter.
    count : int
        How many samples.
    seed : int, optional
        The same seed gives the same samples.
    method : {"sobol", "latin", "random"}, optional
        Scrambled points of Sobol, a Latin hypercube, or independent ones.

    Returns
    -------
    list of dict of str to float

    Raises
    ------
    ModelError
        If a range is no pair of finite numbers in their order, or the count is not positive.

    Examples
    --------
    >>> import regraft as rg
    >>> points = rg.samples({"slope": (0.01, 0.05), "mass": (1.0, 2.0)}, 4)
    >>> len(points), sorted(points[0]), all(0.01 <= p["slope"] <= 0.05 for p in points)
    (4, ['mass', 'slope'], True)
    """
    from scipy.stats import qmc  # which takes half a second to import

    if method not in _METHODS:
        raise ModelError(f"samples: method must be one of {', '.join(_METHODS)}, not {method!r}.")
    if not isinstance(count, int) or count < 1:
        raise ModelError(f"samples: count must be a positive whole number, not {count!r}.")
    if not isinstance(ranges, Mapping) or not ranges:
        raise ModelError("samples: give the range of each parameter by name, as {'slope': (0.01, 0.05)}.")
    bounds = np.array([finite(f"samples: the range of {name!r}", pair, (2,)) for name, pair in ranges.items()])
    for name, (least, largest) in zip(ranges, bounds, strict=True):
        if not least < largest:
            raise ModelError(f"samples: the range of {name!r} must go up, not from {least:g} to {largest:g}.")
    if method == "random":
        unit = np.random.default_rng(seed).random((count, len(bounds)))
    elif method == "latin":
        unit = qmc.LatinHypercube(len(bounds), rng=seed).random(count)
    else:  # its points are balanced in powers of two; of more it is told to take the first
        unit = qmc.Sobol(len(bounds), rng=seed).random_base2(max(count - 1, 0).bit_length())[:count]
    found = bounds[:, 0] + unit * (bounds[:, 1] - bounds[:, 0])
    return [dict(zip(ranges, map(float, row), strict=True)) for row in found]
