"""The one place that configures Numba: compiler flags, and the kinds of compiled functions.

From the inside out:

- ``inline``: algebra on tuples; always merged into its caller; ``inline_once``: the body of one function alone;
- ``jit``: an algorithm that other kernels call; merged too;
- ``stage``: a part of an algorithm that is compiled once, for all that call it;
- ``entry`` and ``long_entry``: what Python calls.

Only stages and entries are kept on disk. What they are compiled for stands in their annotations, see `signatures`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

import numba
from numba.core.types import unliteral

from . import libraries
from .attention import attend_compilations
from .cache import STAGES, KernelCache
from .ingredients import full_name
from .signatures import declared, writable

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")

# nnan and ninf stay off: a NaN must still be seen.
_FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}
_FLAGS: dict[str, Any] = {"error_model": "numpy", "boundscheck": False, "fastmath": _FAST}

_OPTIMISED = {"slp": True, "for": "any processor"}  # what `attention` sets for all of our kernels, and `libraries` does

# What only kernels call needs no way in from Python or C; leaving that out halves the time of the first compilation.
_INNER: dict[str, Any] = {**_FLAGS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": True}
_SMALL: dict[str, Any] = {**_INNER, "_nrt": False}  # nor does what makes no arrays have to count who uses them


# --- merged into their callers --------------------------------------------------------------------------------------------


def inline(function: F) -> F:
    """Compile small algebra that is merged into whatever calls it."""
    return cast("F", _of_values(numba.njit(forceinline=True, pipeline_class=libraries.Inner, **_SMALL)(function)))


def inline_once(function: F) -> F:
    """The same for the body of one function alone, which is optimised when that is."""
    return cast("F", _of_values(numba.njit(forceinline=True, pipeline_class=libraries.Plain, **_SMALL)(function)))


def inline_view(function: F) -> F:
    """The same for one that returns an array."""
    return cast("F", _of_values(numba.njit(forceinline=True, pipeline_class=libraries.Inner, **_INNER)(function)))


def jit(function: F) -> F:
    """Compile an algorithm that entries, stages and other algorithms call."""
    return cast("F", _of_values(numba.njit(pipeline_class=libraries.Inner, **_SMALL)(function)))


def allocating(function: F) -> F:
    """The same for one that makes arrays of its own, or takes them as packs."""
    return cast("F", _of_values(numba.njit(pipeline_class=libraries.Inner, **_INNER)(function)))


def _of_values(dispatcher: Any) -> Any:
    """Compile a function once for all values of an argument: Numba would do so anew for each constant that it is called with.

    The constants come to it nevertheless, where it is merged into its caller.
    """
    resolve = dispatcher.get_call_template

    def get_call_template(arguments: Any, named: Any) -> Any:
        return resolve([unliteral(kind) for kind in arguments], {name: unliteral(kind) for name, kind in named.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


# --- compiled by themselves --------------------------------------------------------------------------------------------------


def stage(function: F, signature: Callable[[Any], tuple[Any, ...]] | None = None) -> F:
    """Compile a part of an algorithm once for each scalar, for all that call it; keep the result on disk.

    `signature` gives the types of the arguments in a scalar, where annotations do not.
    """
    dispatcher = _kept(numba.njit(pipeline_class=libraries.Staged, **_SMALL)(function))
    dispatcher.declared_in = (lambda scalar: declared(function, scalar)) if signature is None else signature
    STAGES[full_name(function)] = dispatcher
    return cast("F", _of_values(dispatcher))


class Entry(Protocol, Generic[P, R]):
    """A compiled function that Python calls."""

    py_func: Callable[P, R]
    call: Callable[P, R]
    """The same for float64, without a look at the arguments, which costs a fifth of a microsecond: it trusts that they are as
    declared, arrays in one piece."""

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        """Call it; arguments that are not as declared are a TypeError."""


ENTRIES: dict[str, Any] = {}
"""All entries by their full names."""


def entry(function: Callable[P, R]) -> Entry[P, R]:
    """Compile, on its first call, a function that Python calls; keep the result on disk.

    It holds the interpreter's lock: letting go of it would cost as much as the dynamics of a joint.
    """
    return _entry(function, False)


def long_entry(function: Callable[P, R]) -> Entry[P, R]:
    """Compile an entry that runs long enough to let other threads work meanwhile."""
    return _entry(function, True)


def _entry(function: Callable[P, R], nogil: bool) -> Entry[P, R]:
    dispatcher = _kept(numba.njit(nogil=nogil, pipeline_class=libraries.Entry, **_FLAGS)(function))
    dispatcher.declared = (declared(function),)
    compile_any = dispatcher.compile

    def compile_declared(arguments: Any) -> Any:
        signature = tuple(map(writable, arguments))
        if signature not in dispatcher.declared:
            raise TypeError(f"{name} is compiled for {dispatcher.declared[0]} only, not for {tuple(arguments)}.")
        found = compile_any(signature)
        if signature != tuple(arguments):  # the same machine code for arrays that may only be read
            dispatcher._insert([kind._code for kind in arguments], found, False)
        return found

    def compile_first(*given: Any) -> Any:
        dispatcher.compile(dispatcher.declared[0])
        dispatcher.call = dispatcher.get_overload(dispatcher.declared[0])
        return dispatcher.call(*given)

    name = full_name(function)
    dispatcher.compile, dispatcher.call = compile_declared, compile_first
    ENTRIES[name] = dispatcher
    return cast("Entry[P, R]", dispatcher)


def _kept(dispatcher: Any) -> Any:
    """With a cache on disk, in which it claims what it compiles."""
    cache = dispatcher._cache = KernelCache(dispatcher.py_func, dispatcher.targetoptions | _OPTIMISED)
    compile_claimed = dispatcher.compile

    def compile_and_release(arguments: Any) -> Any:
        try:
            return compile_claimed(arguments)
        finally:
            cache.release(arguments)

    dispatcher.compile = compile_and_release
    attend_compilations()
    return dispatcher


def address_of(found: Entry[..., Any]) -> int:
    """The address of an entry, for other compiled code to call: see `memory.call_kernel`.

    What is called by its address need not be compiled with what calls it, only before it is called.
    """
    dispatcher: Any = found
    if not hasattr(dispatcher, "address"):
        dispatcher.compile(dispatcher.declared[0])
        result = dispatcher.overloads[dispatcher.declared[0]]
        dispatcher.address = int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))
    return int(dispatcher.address)
