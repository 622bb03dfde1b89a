"""Heights of surfaces, which are functions of the user, as compiled functions that kernels call by address."""

from __future__ import annotations

import inspect
from typing import Any
from weakref import WeakKeyDictionary

import numba
from numba import int64

from ..algebra.memory import vector_at
from ..errors import ModelError

_known: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def height_kernel(function: Any) -> Any:
    """A user's function f(x, y) -> (z, z_x, z_y, z_xx, z_xy, z_yy) as a C function with an `address`.

    It takes an integer that it does not use, and the addresses of two numbers and of six to fill, see
    `algebra.memory.call_on_numbers`.
    """
    found = _known.get(function)
    return _known.setdefault(function, _compiled(function)) if found is None else found


def _compiled(function: Any) -> Any:
    name = f"surface {function.__name__!r}"
    way_out = "It must be f(x, y) and return six numbers: z, z_x, z_y, z_xx, z_xy, z_yy."
    try:
        inspect.signature(function.py_func).bind(0.0, 0.0)
    except TypeError:
        raise ModelError(f"{name} does not take 2 arguments. {way_out}") from None

    def heights(_unused: int, given: int, out: int) -> float:
        at, results = vector_at(given, 2), vector_at(out, 6)
        z, zx, zy, zxx, zxy, zyy = function(at[0], at[1])
        results[0], results[1], results[2] = z, zx, zy
        results[3], results[4], results[5] = zxx, zxy, zyy
        return 0.0

    try:
        return numba.cfunc(numba.float64(int64, int64, int64))(heights)
    except Exception as problem:  # whatever Numba makes of it
        raise ModelError(f"{name} cannot be compiled: {str(problem).strip().splitlines()[-1]} {way_out}") from problem
