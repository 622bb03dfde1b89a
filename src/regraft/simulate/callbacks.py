"""Functions of the user inside the compiled loop: called by address, so the loop is compiled once for all of them.

A Numba function is wrapped in a C function of one signature; a Python function in one that takes the interpreter's lock. An
exception stops the loop and is kept; in another thread than the main one Numba prints what its functions raise.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic
from numpy.typing import NDArray

from ..errors import ModelError
from ..memory import table_at

Array = NDArray[np.float64]

_WORD = numba.int64
_C_SIGNATURE = _WORD(numba.float64, _WORD, _WORD, _WORD, _WORD, _WORD)
_C_TYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *(ctypes.c_int64,) * 5)

_FINE = 0x5EED_600D
"""What a C function returns when all is well: whoever leaves it by an exception returns 0, or whatever was there."""

_wrapped: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


@intrinsic
def call_at(_typing: Any, _address: Any, _t: Any, q: Any, v: Any, out: Any, nq: Any, nv: Any) -> Any:
    """The result of the C function at an address: (t, q, v, out, nq, nv) with addresses of arrays; 0 for success, else 1."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        integer, real = ir.IntType(64), ir.DoubleType()
        where, time, *words = args
        function = builder.inttoptr(where, ir.FunctionType(integer, [real, *(integer,) * 5]).as_pointer())
        kinds = signature.args[2:]
        said = builder.call(
            function, [time, *(context.cast(builder, w, k, types.int64) for w, k in zip(words, kinds, strict=True))]
        )
        return builder.zext(builder.icmp_signed("!=", said, ir.Constant(integer, _FINE)), integer)

    return types.int64(types.int64, types.float64, q, v, out, nq, nv), codegen


def is_compiled(function: object) -> bool:
    """Whether a function is compiled by Numba."""
    return isinstance(function, Dispatcher)


def check_functions(torque: Any, wrenches: Any) -> None:
    """Torques must be a function, wrenches one or constant ones by body."""
    for what, function in (("torque", torque), ("wrenches", wrenches)):
        if function is not None and not callable(function) and not (what == "wrenches" and isinstance(function, Mapping)):
            raise ModelError(f"{what} must be a function, not {function!r}.")


class Callback:
    """A C function with its address; keeps alive what it needs, and the exception that stopped it."""

    def __init__(self, c_function: Any, address: int, name: str, python: Any = None) -> None:
        self._keep, self.address, self.name, self.python = c_function, address, name, python
        self.problem: BaseException | None = None


@contextmanager
def lost_exceptions_kept(callbacks: Sequence[Callback]) -> Iterator[None]:
    """Keep exceptions that would only be printed, in the main thread: there is one hook for all threads, and signals come there.

    They are those of compiled functions, and what a signal raises on the way into a Python function, before its own `try`.
    """
    if not callbacks or threading.current_thread() is not threading.main_thread():
        yield
        return
    python = {callback.python: callback for callback in callbacks if callback.python is not None}
    compiled = next((callback for callback in callbacks if callback.python is None), None)
    before = sys.unraisablehook

    def keep(happened: sys.UnraisableHookArgs) -> None:
        where = happened.object
        from_numba = isinstance(where, str) and where.startswith("<numba.")
        callback = compiled if from_numba else python.get(where) if callable(where) else None
        if callback is None:
            before(happened)
        else:
            callback.problem = happened.exc_value

    sys.unraisablehook = keep
    try:
        yield
    finally:
        sys.unraisablehook = before


def compiled_callback(function: Any, kind: str, name: str) -> Callback:
    """A Numba function f(t, q, v, out), or for a guard f(t, q, v) -> float, as a C function."""
    known = _wrapped.setdefault(function, {})
    wrapped = known.get(kind) or known.setdefault(kind, _WRAPPERS[kind](function))
    return Callback(wrapped, wrapped.address, name)


def _torque_wrapper(function: Any) -> Any:
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, q, v, out, nq, nv):  # type: ignore[no-untyped-def]
        function(t, table_at(q, 1, nq, 0.0)[0], table_at(v, 1, nv, 0.0)[0], table_at(out, 1, nv, 0.0)[0])
        return _FINE

    return wrapper


def _wrench_wrapper(function: Any) -> Any:
    # the number of bodies is written before the table
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, q, v, out, nq, nv):  # type: ignore[no-untyped-def]
        bodies = int(table_at(out, 1, 1, 0.0)[0, 0])
        function(t, table_at(q, 1, nq, 0.0)[0], table_at(v, 1, nv, 0.0)[0], table_at(out + 48, bodies, 6, 0.0))
        return _FINE

    return wrapper


def _guard_wrapper(function: Any) -> Any:
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, q, v, out, nq, nv):  # type: ignore[no-untyped-def]
        value = function(t, table_at(q, 1, nq, 0.0)[0], table_at(v, 1, nv, 0.0)[0])
        table_at(out, 1, 1, 0.0)[0, 0] = value
        return 0 if np.isnan(value) else _FINE

    return wrapper


_WRAPPERS = {"torque": _torque_wrapper, "wrenches": _wrench_wrapper, "guard": _guard_wrapper}


def python_callback(function: Callable[[float, Array, Array], Any], size: int, name: str) -> Callback:
    """A Python function of t and of copies of q and v, whose result fills `size` numbers."""
    views: dict[tuple[int, int], Array] = {}

    def view(address: int, count: int) -> Array:
        found = views.get((address, count))
        if found is None:
            found = views[address, count] = np.ctypeslib.as_array((ctypes.c_double * count).from_address(address))
        return found

    def called(t: float, q: int, v: int, out: int, nq: int, nv: int) -> int:
        try:
            view(out, size)[:] = function(t, view(q, nq).copy() if nq else np.zeros(0), view(v, nv).copy() if nv else np.zeros(0))
        except BaseException as problem:  # an exception cannot pass through compiled code: it is kept and raised behind it
            callback.problem = problem
            return 0
        return _FINE

    c_function = _C_TYPE(called)
    callback = Callback(c_function, ctypes.cast(c_function, ctypes.c_void_p).value or 0, name, called)
    return callback
