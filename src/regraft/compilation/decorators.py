"""The one place that configures Numba: compiler flags and the note on the first compilation. The cache on disk is `_cache`.

Three decorators, from the inside out:

- ``inline``: algebra on tuples; always inlined into its caller;
- ``jit``: an algorithm that other kernels call;
- ``entry`` and ``long_entry``: what Python calls. Only entries are cached on disk: a cached entry already contains all it calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.types import unliteral

from . import libraries
from .cache import STAGES, KernelCache, cache_home, why_not_kept

F = TypeVar("F", bound=Callable[..., Any])

# nnan and ninf stay off: a NaN must still be seen.
_FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}
_FLAGS: dict[str, Any] = {"error_model": "numpy", "boundscheck": False, "fastmath": _FAST}

_OPTIMISED = {"slp": True}  # what `_Compilation` sets for all of our kernels

# What only kernels call needs no way in from Python or C; leaving that out halves the time of the first compilation.
_INNER: dict[str, Any] = {**_FLAGS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": True}
_SMALL: dict[str, Any] = {**_INNER, "_nrt": False}  # nor does what makes no arrays have to count who uses them


def inline(function: F) -> F:
    """Compile small algebra that is merged into whatever calls it."""
    return cast("F", _of_values(numba.njit(forceinline=True, pipeline_class=libraries.Inner, **_SMALL)(function)))


def inline_view(function: F) -> F:
    """The same for one that returns an array."""
    return cast("F", _of_values(numba.njit(forceinline=True, pipeline_class=libraries.Inner, **_INNER)(function)))


def jit(function: F) -> F:
    """Compile an algorithm that entries, stages and other algorithms call."""
    return cast("F", _of_values(numba.njit(pipeline_class=libraries.Inner, **_SMALL)(function)))


def allocating(function: F) -> F:
    """The same for one that makes arrays of its own, or takes them as packs."""
    return cast("F", _of_values(numba.njit(pipeline_class=libraries.Inner, **_INNER)(function)))


def stage(function: F) -> F:
    """Compile a part of an algorithm once, for all that call it; keep the result on disk."""
    dispatcher = numba.njit(pipeline_class=libraries.Staged, **_SMALL)(function)
    dispatcher._cache = KernelCache(function, dispatcher.targetoptions | _OPTIMISED)
    STAGES[f"{function.__module__}.{function.__qualname__}"] = dispatcher
    return cast("F", _of_values(dispatcher))


def _of_values(dispatcher: Any) -> Any:
    """Compile a function once for all values of an argument: Numba would do so anew for each constant that it is called with.

    The constants come to it nevertheless, where it is merged into its caller.
    """
    resolve = dispatcher.get_call_template

    def get_call_template(arguments: Any, named: Any) -> Any:
        return resolve([unliteral(kind) for kind in arguments], {name: unliteral(kind) for name, kind in named.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


def entry(function: F) -> F:
    """Compile, on the first call with each scalar type, a function that Python calls; keep the result on disk.

    It holds the interpreter's lock: letting go of it would cost as much as the dynamics of a joint.
    """
    return _cached(function, nogil=False)


def long_entry(function: F) -> F:
    """Compile an entry that runs long enough to let other threads work meanwhile."""
    return _cached(function, nogil=True)


def _cached(function: F, nogil: bool) -> F:
    dispatcher = numba.njit(nogil=nogil, pipeline_class=libraries.Entry, **_FLAGS)(function)
    dispatcher._cache = KernelCache(function, dispatcher.targetoptions | _OPTIMISED)
    _attend_compilations()
    return cast("F", dispatcher)


class Quick:
    """An entry for these argument types alone, compiled when it is first called: ``quick.call(...)``.

    It saves the look-up of argument types in each call, a fifth of a microsecond; in return it trusts that an array has the right
    element type and is in one piece.
    """

    __slots__ = ("call",)
    call: Callable[..., Any]

    def __init__(self, dispatcher: Any, *arguments: str) -> None:
        def compile_first(*given: Any) -> Any:
            signature = tuple(_ARGUMENTS[argument] for argument in arguments)
            dispatcher.compile(signature)
            self.call = dispatcher.get_overload(signature)
            return self.call(*given)

        self.call = compile_first


_ARGUMENTS: dict[str, Any] = {
    "integer": numba.int64,
    "number": numba.float64,
    "six numbers": numba.types.UniTuple(numba.float64, 6),
    "vector": numba.float64[::1],
    "table": numba.float64[:, ::1],
    "integers": numba.int64[:, ::1],
}


def address_of(dispatcher: Any, *arguments: str) -> int:
    """The address of an entry compiled for these argument types, for other compiled code to call: see `memory.call_kernel`.

    Numba merges all that a function calls into it and optimises the whole again; what is called by its address stays apart, and
    is compiled once however many functions call it.
    """
    signature = tuple(_ARGUMENTS[argument] for argument in arguments)
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature]
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))


class _Compilation(event.Listener):  # type: ignore[misc]
    """Around each compilation of one of our kernels: says once what the wait is for, and lets LLVM vectorise straight-line code.

    Numba leaves the latter off. Algebra on tuples gains a tenth from it; what others compile is left alone.
    """

    said = False
    running = 0
    others = 0

    def on_start(self, happening: event.Event) -> None:
        if not _is_ours(happening):
            return
        if self.running == 0:
            self.others, numba.config.SLP_VECTORIZE = numba.config.SLP_VECTORIZE, 1
        self.running += 1
        if not self.said:
            self._say()

    def on_end(self, happening: event.Event) -> None:
        if _is_ours(happening):
            self.running -= 1
            if self.running == 0:
                numba.config.SLP_VECTORIZE = self.others

    def _say(self) -> None:
        self.said = True
        problem = why_not_kept()
        where = f"kept in {cache_home()}" if problem is None else f"not kept: {problem}"
        print(f"regraft: compiling kernels, once for this version and machine ({where}) ...", file=sys.stderr)


def compile_quietly() -> None:
    """Leave out the note on the first compilation, in a process whose parent shows progress."""
    _Compilation.said = True


def _is_ours(happening: event.Event) -> bool:
    return str(happening.data["dispatcher"].py_func.__module__).startswith("regraft")  # None for functions made by exec


@cache
def _attend_compilations() -> None:
    event.register("numba:compile", _Compilation())
