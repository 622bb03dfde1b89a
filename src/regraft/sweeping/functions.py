"""The function of a sweep: whether it takes the parameters, how it travels to other processes, and what it is known by."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import pickle
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..errors import ModelError

RNG = "rng"
"""The argument that gets a generator of random numbers."""

Function = Callable[..., Any]


def check_arguments(function: Function, parameters: Mapping[str, Any], seed: int | None) -> None:
    """Raise an error unless the function can be called with these parameters."""
    if not callable(function):
        raise ModelError(f"sweep: the first argument must be a function of the parameters, not {function!r}.")
    if seed is not None and RNG in parameters:
        raise ModelError(f"sweep: with a seed {RNG!r} is the generator of random numbers; call the parameter otherwise.")
    given = dict(parameters) if seed is None else {**parameters, RNG: None}
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some compiled functions do not tell
        return
    if seed is None and RNG in signature.parameters and signature.parameters[RNG].default is inspect.Parameter.empty:
        raise ModelError(f"sweep: {name_of(function)} takes random numbers from {RNG!r}; give sweep a seed, as seed=0.")
    try:
        signature.bind(**given)
    except TypeError as problem:
        raise ModelError(f"sweep: {name_of(function)} cannot be called with {', '.join(given)}: {problem}.") from None


def name_of(function: Function) -> str:
    """By which a function is known to people."""
    while isinstance(function, partial):
        function = function.func
    kind = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(kind, '__module__', '')}.{kind.__qualname__}"


def packed(function: Function) -> bytes:
    """The function as bytes, for another process."""
    try:  # it takes functions of a notebook and of other functions, too
        pickler = importlib.import_module("cloudpickle")
    except ImportError:
        pickler = pickle
    try:
        return bytes(pickler.dumps(function))
    except Exception as problem:
        way = "Define it at the top of a module, of what can be pickled"
        more = "" if pickler is not pickle else ", or install what takes others, too: pip install 'regraft[cluster]'"
        raise ModelError(f"sweep: {name_of(function)} cannot be sent to other processes: {problem}. {way}{more}.") from problem


def digest_of(function: Function) -> str:
    """A hash of what the function says, of its `fingerprint` if it has one, and of the numbers and functions it was made with.

    What it calls by name may change unnoticed, and so may lists and dicts that it shares with others, which may be notes.
    """
    digest = hashlib.sha256(str(getattr(function, "fingerprint", "")).encode())
    _add(function, digest, set())
    return digest.hexdigest()[:16]


def _add(function: Any, digest: Any, known: set[int]) -> None:
    if id(function) in known:  # it calls itself
        return
    known.add(id(function))
    while isinstance(function, partial):
        _add_value((function.args, function.keywords), digest, known)
        function = function.func
    function = getattr(function, "py_func", function)  # of a function that Numba has compiled
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    digest.update(name_of(function).encode())
    if code is not None:
        _add_code(code, digest)
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # one that is empty still
            if not isinstance(cell.cell_contents, list | dict | set):
                _add_value(cell.cell_contents, digest, known)
    _add_value((getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)), digest, known)


def _add_value(value: Any, digest: Any, known: set[int]) -> None:
    """As much of a value as is the same in every process."""
    digest.update(type(value).__qualname__.encode())
    if isinstance(value, Mapping):
        for pair in value.items():
            _add_value(pair, digest, known)
    elif isinstance(value, list | tuple):
        for item in value:
            _add_value(item, digest, known)
    elif isinstance(value, np.ndarray) and value.dtype.kind != "O":
        digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    elif isinstance(value, FunctionType | partial):
        _add(value, digest, known)
    elif isinstance(value, bool | int | float | complex | str | bytes | np.generic | None):
        digest.update(repr(value).encode())


def _add_code(code: CodeType, digest: Any) -> None:
    digest.update(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(constant, digest)
        else:
            digest.update(repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant).encode())
