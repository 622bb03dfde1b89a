"""Heights of surfaces, which are functions of the user, as compiled functions that kernels call by address."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numba
import numpy as np
from numba import int64
from numpy.typing import NDArray

from ..algebra.memory import vector_at
from ..errors import ModelError
from ..tolerances import SLOPE_APART

Array = NDArray[np.float64]

_FORM = "It must be f(x, y) and return six numbers: z, z_x, z_y, z_xx, z_xy, z_yy."
_PLACES = ((0.0, 0.0), (0.31, 0.17), (-0.23, 0.41), (0.13, -0.37), (-0.43, -0.29))  # m: where derivatives are compared
_APART = 1e-6  # m: the step of a difference
_DERIVATIVES = (("z_x", 1, 0, 0), ("z_y", 2, 0, 1), ("z_xx", 3, 1, 0), ("z_xy", 4, 1, 1), ("z_yy", 5, 2, 1))
"""Name, which result it is, and of which result it is the derivative along which coordinate."""

_known: WeakKeyDictionary[Any, HeightKernel] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class HeightKernel:
    """A user's function f(x, y) -> (z, z_x, z_y, z_xx, z_xy, z_yy) as a C function.

    It takes an integer that it does not use, and the addresses of two numbers and of six to fill, see
    `algebra.memory.call_on_numbers`. Nobody can catch what a C function raises: the numbers are NaN then, and `raised` counts.
    """

    name: str
    function: Any
    compiled: Any
    raised: Array
    """How often the function has raised an exception, and (x, y) of the last time."""

    @property
    def address(self) -> int:
        """Where kernels call it."""
        return int(self.compiled.address)

    @property
    def where(self) -> str:
        """Which surface it is, and where its function raised an exception last, for a message."""
        _, x, y = self.raised
        return f"{self.name}, at (x, y) = ({x:.9g}, {y:.9g}) of its frame,"

    def problem(self) -> Exception:
        """What the function raised last, as it does without Numba."""
        try:
            self.function.py_func(*map(float, self.raised[1:]))
        except Exception as problem:  # whatever a user's function raises
            return problem
        return RuntimeError("it raised an exception")


def height_kernel(function: Any) -> HeightKernel:
    """The kernel of a user's function, compiled once."""
    found = _known.get(function)
    return _known.setdefault(function, _compiled(function)) if found is None else found


def _compiled(function: Any) -> HeightKernel:
    name, raised = f"surface {function.__name__!r}", np.zeros(3)
    notes = raised.ctypes.data
    try:
        inspect.signature(function.py_func).bind(0.0, 0.0)
    except TypeError:
        raise ModelError(f"{name} does not take 2 arguments. {_FORM}") from None

    def heights(_unused: int, given: int, out: int) -> float:
        at, results = vector_at(given, 2), vector_at(out, 6)
        fails = True
        try:
            z, zx, zy, zxx, zxy, zyy = function(at[0], at[1])
            fails = False
        except Exception:  # Numba knows no others, and tells nothing of them
            pass
        if fails:
            note = vector_at(notes, 3)
            note[0], note[1], note[2] = note[0] + 1.0, at[0], at[1]
            results[:] = math.nan
        else:
            results[0], results[1], results[2] = z, zx, zy
            results[3], results[4], results[5] = zxx, zxy, zyy
        return 0.0

    try:
        found = numba.cfunc(numba.float64(int64, int64, int64))(heights)
    except Exception as problem:  # whatever Numba makes of it
        raise ModelError(f"{name} cannot be compiled: {str(problem).strip().splitlines()[-1]} {_FORM}") from problem
    _check_derivatives(found, name)
    return HeightKernel(name, function, found, raised)


def _check_derivatives(kernel: Any, name: str) -> None:
    """Refuse a function one of whose derivatives is another than differences say, at most of some places where it is finite."""
    here = np.array([_results(kernel, *at) for at in _PLACES])
    beside = np.array([[_difference(kernel, at, along) for along in range(2)] for at in _PLACES])
    for word, which, of, along in _DERIVATIVES:
        said, found = here[:, which], beside[:, along, of]
        finite = np.isfinite(said) & np.isfinite(found)
        wrong = np.abs(said - found) > SLOPE_APART * (1.0 + np.abs(found))
        if 2 * np.count_nonzero(wrong & finite) > np.count_nonzero(finite):
            k = int(np.flatnonzero(wrong & finite)[0])
            x, y = _PLACES[k]
            raise ModelError(
                f"{name}: {word} at ({x:g}, {y:g}) is {said[k]:g}, and by differences {found[k]:g}. {_FORM} With a wrong one "
                "contacts would move wrongly."
            )


def _difference(kernel: Any, at: tuple[float, float], along: int) -> Array:
    """How all results change along x or y."""
    shift = np.array((_APART, 0.0) if along == 0 else (0.0, _APART))
    found: Array = (_results(kernel, *(at + shift)) - _results(kernel, *(at - shift))) / (2.0 * _APART)
    return found


def _results(kernel: Any, x: float, y: float) -> Array:
    given, out = np.array((x, y)), np.full(6, np.nan)
    kernel.ctypes(0, given.ctypes.data, out.ctypes.data)
    return out
