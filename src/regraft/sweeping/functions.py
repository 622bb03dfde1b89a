"""The function of a sweep: whether it takes the parameters, how it travels to other processes, and what it is known by."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import pickle
from collections.abc import Callable, Mapping
from functools import partial
from types import CodeType
from typing import Any

from ..errors import ModelError

RNG = "rng"
"""The argument that gets a generator of random numbers."""

Function = Callable[..., Any]


def check_arguments(function: Function, parameters: Mapping[str, Any], seed: int | None) -> None:
    """Raise an error unless the function can be called with these parameters."""
    if not callable(function):
        raise ModelError(f"sweep: the first argument must be a function of the parameters, not {function!r}.")
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
    """A hash of what the function itself says, and of its `fingerprint` if it has one; what it calls may change unnoticed."""
    digest = hashlib.sha256(str(getattr(function, "fingerprint", "")).encode())
    _add(function, digest)
    return digest.hexdigest()[:16]


def _add(function: Any, digest: Any) -> None:
    while isinstance(function, partial):
        digest.update(repr((function.args, sorted(function.keywords.items()))).encode())
        function = function.func
    function = getattr(function, "py_func", function)  # of a function that Numba has compiled
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    digest.update(name_of(function).encode())
    if code is not None:
        _add_code(code, digest)


def _add_code(code: CodeType, digest: Any) -> None:
    digest.update(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(constant, digest)
        else:
            digest.update(repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant).encode())
