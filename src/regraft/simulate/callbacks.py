"""Functions of the user inside the compiled loop: called by address, so the loop is compiled once for all of them.

A Numba function is wrapped in a C function of one signature; a Python function in one that takes the interpreter's lock. An
exception stops the loop and is kept; in another thread than the main one Numba prints what its functions raise.
"""

from __future__ import annotations

import ctypes
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ..algebra.memory import table_at, vector_at
from ..errors import ModelError
from .calls import FINE, append_to, read_only

Array = NDArray[np.float64]

_WORD = numba.int64
_C_SIGNATURE = _WORD(numba.float64, *(_WORD,) * 6)
_C_TYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *(ctypes.c_int64,) * 6)

_wrapped: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def is_compiled(function: object) -> bool:
    """Whether a function is compiled by Numba."""
    return isinstance(function, Dispatcher)


class Callback:
    """A C function with its address; keeps alive what it needs, and the exception that stopped it."""

    def __init__(self, c_function: Any, address: int, name: str, python: Any = None, within: Sequence[Callback] = ()) -> None:
        self._keep, self.address, self.name, self.python = c_function, address, name, python
        self.within = tuple(within)
        """Those that a Python function calls in its turn."""
        self.problem: BaseException | None = None
        self.context: int | None = None
        """What it is called with, last, instead of the count of what it fills."""


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
    """A Numba function f(t, q, v, out), for a guard f(t, q, v) -> float, for a motion f(t) -> (q, v, a), as a C function."""
    known = _wrapped.setdefault(function, {})
    wrapped = known.get(kind) or known.setdefault(kind, _wrap(function, kind, name))
    return Callback(wrapped, wrapped.address, name)


def _wrap(function: Any, kind: str, name: str) -> Any:
    _check_parameters(function.py_func, kind, name)
    try:
        return _WRAPPERS[kind](_checking(function))
    except Exception as problem:  # whatever Numba makes of it
        raise ModelError(f"{name} cannot be compiled: {_reason(problem)} {_FORMS[kind]}") from problem


_FORMS = {
    "torque": "It must be f(t, q, v, out): t a number, q and v arrays that it reads, out an array that it fills.",
    "wrenches": "It must be f(t, q, v, out): t a number, q and v arrays that it reads, out an array (bodies, 6) that it fills.",
    "controls": "It must be f(t, out): t a number, out an array that it fills, one number for each actuator.",
    "guard": "It must be f(t, q, v): t a number, q and v arrays that it reads; and return a number.",
    "motion": "It must be f(t): t a number; and return position, velocity and acceleration, each a number or an array.",
}


def _check_parameters(function: Callable[..., Any], kind: str, name: str) -> None:
    expected = {"guard": 3, "controls": 2, "motion": 1}.get(kind, 4)
    try:
        inspect.signature(function).bind(*range(expected))
    except TypeError:
        raise ModelError(f"{name} does not take {expected} arguments. {_FORMS[kind]}") from None


def _checking(function: Any) -> Any:
    """The same function compiled so that an index beyond the end of an array is an exception, as in Python."""
    options = {**function.targetoptions, "boundscheck": True}
    found = numba.jit(**options)(function.py_func)
    if not isinstance(function._cache, NullCache):  # as it was asked to
        found.enable_caching()
    return found


def _reason(problem: Exception) -> str:
    """The line of Numba's message that says most."""
    if not isinstance(problem, NumbaError):  # as its own code meets `q += 1.0`
        return f"Numba fails ({type(problem).__name__}: {problem}); perhaps it writes to q or v, which it may only read."
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    if any("readonly array" in line for line in lines):
        return "it writes to q or v, which it may only read."
    told = [line for line in lines if not line.startswith(("During:", "File ", "-", ">", "Failed in", "There are", "Rejected"))]
    return f"{told[0] if told else type(problem).__name__}."


def _torque_wrapper(function: Any) -> Any:
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, q, v, out, nq, nv, size):  # type: ignore[no-untyped-def]
        function(t, read_only(vector_at(q, nq)), read_only(vector_at(v, nv)), vector_at(out, size))
        return FINE

    return wrapper


def _wrench_wrapper(function: Any) -> Any:
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, q, v, out, nq, nv, size):  # type: ignore[no-untyped-def]
        function(t, read_only(vector_at(q, nq)), read_only(vector_at(v, nv)), table_at(out, size // 6, 6, 0.0))
        return FINE

    return wrapper


def _controls_wrapper(function: Any) -> Any:
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, _q, _v, out, _nq, _nv, size):  # type: ignore[no-untyped-def]
        function(t, vector_at(out, size))
        return FINE

    return wrapper


def _guard_wrapper(function: Any) -> Any:
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, q, v, out, nq, nv, _size):  # type: ignore[no-untyped-def]
        value = function(t, read_only(vector_at(q, nq)), read_only(vector_at(v, nv)))
        vector_at(out, 1)[0] = value
        return 0 if np.isnan(value) else FINE

    return wrapper


def _motion_wrapper(function: Any) -> Any:
    @numba.cfunc(_C_SIGNATURE)
    def wrapper(t, _q, _v, out, _nq, _nv, size):  # type: ignore[no-untyped-def]
        position, velocity, rate = function(t)
        numbers = vector_at(out, size)
        end = append_to(numbers, append_to(numbers, append_to(numbers, 0, position), velocity), rate)
        return FINE if end == size else 0

    return wrapper


_WRAPPERS = {
    "torque": _torque_wrapper,
    "wrenches": _wrench_wrapper,
    "controls": _controls_wrapper,
    "guard": _guard_wrapper,
    "motion": _motion_wrapper,
}


class _Views(dict[tuple[int, int], Array]):
    """The numbers at addresses, as arrays; each is made once."""

    def __missing__(self, key: tuple[int, int]) -> Array:
        address, count = key
        found = self[key] = np.ctypeslib.as_array((ctypes.c_double * count).from_address(address)) if count else np.zeros(0)
        return found


def python_callback(
    function: Callable[[float, Array, Array], Any], size: int, name: str, within: Sequence[Callback] = ()
) -> Callback:
    """A Python function of t and of copies of q and v, whose result fills `size` numbers."""
    views = _Views()

    def called(t: float, q: int, v: int, out: int, nq: int, nv: int, _more: int) -> int:
        try:
            results = function(t, views[q, nq].copy(), views[v, nv].copy())
            if size:
                views[out, size][:] = results
            return FINE
        except BaseException as problem:  # an exception cannot pass through compiled code: it is kept and raised behind it
            callback.problem = problem
            return 0

    c_function = _C_TYPE(called)
    callback = Callback(c_function, ctypes.cast(c_function, ctypes.c_void_p).value or 0, name, called, within)
    return callback
