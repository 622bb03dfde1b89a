"""What a compiled function is made of: itself, all that it calls, and every constant that these look up.

The key of a kernel is a hash of that, so an edit compiles just the kernels that contain what was edited. Of functions that become
part of a kernel the bytecode counts; comments and docstrings do not. What is not such a function, a constant or a
named tuple (an intrinsic, an overload, a class) counts with the whole text of its file and of all files that this imports.
"""

from __future__ import annotations

import dis
import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np

from .libraries import Staged

_PACKAGE = __name__.partition(".")[0]
_FOLDER = Path(__file__).parents[1]
_EVERYWHERE = ("algebra.memory", "algebra.scalars")  # they tell Numba how to compile operators and types of ours
_LEAVES = ("compilation", "errors")  # no part of a kernel: what `compilation` sets are options, looked at one by one
_IMPORT = re.compile(r"^[ \t]*from (\.+)([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic, np.dtype)


def key_of(function: Callable[..., Any], options: Mapping[str, Any], signature: Any) -> str:
    """A hash of all that a function compiled with some options for a signature depends on, but for the processor."""
    digest = hashlib.sha256(_surroundings() + _stated(options))
    for part in _parts(function):
        digest.update(part)
    for kind in signature:
        digest.update(repr((kind, getattr(getattr(kind, "instance_class", None), "_fields", None))).encode())
    return digest.hexdigest()[:32]


def full_name(function: Callable[..., Any]) -> str:
    """By which a stage or an entry is known."""
    return f"{function.__module__}.{function.__qualname__}"


@cache
def _surroundings() -> bytes:
    """The versions of what compiles, how it is done, and the files that every kernel depends on."""
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version_info[:2]
    how = _source(f"{_PACKAGE}.compilation.libraries")
    return repr(versions).encode() + how + b"".join(_text(f"{_PACKAGE}.{name}") for name in _EVERYWHERE)


@cache
def _parts(function: Callable[..., Any]) -> tuple[bytes, ...]:
    """A hash of each function and constant that becomes part of a function."""
    return tuple(_look(part).digest for part in merged(function))


@cache
def stages_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """The stages that a function calls, itself or by way of what is merged into it."""
    return tuple(dict.fromkeys(stage for part in merged(function) for stage in _look(part).stages))


@cache
def merged(function: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """A function and all that is merged into it, in an order that does not change."""
    found, seen, waiting = [], {id(function)}, [function]
    while waiting:
        found.append(waiting.pop())
        for other in _look(found[-1]).called:
            if id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
    return tuple(found)


class _Look(NamedTuple):
    """What a function by itself tells."""

    digest: bytes
    """Of it and of the constants that it looks up."""
    called: tuple[Callable[..., Any], ...]
    """The functions that are merged into it."""
    stages: tuple[Any, ...]
    """Those that it calls by their names."""


@cache
def _look(function: Callable[..., Any]) -> _Look:
    digest, called, stages = hashlib.sha256(function.__qualname__.encode()), [], []
    code: Any = function.__code__
    for part in _codes(code):
        constants = [c for c in part.co_consts if not isinstance(c, CodeType) and c != function.__doc__]
        digest.update(part.co_code + repr((constants, part.co_names, part.co_varnames, part.co_freevars)).encode())
    for name, value in _looked_up(function, code):
        digest.update(name.encode())
        if hasattr(value, "py_func"):
            digest.update(_stated(value.targetoptions))
            if value._compiler.pipeline_class is Staged:  # which is called by its name, and kept by itself
                digest.update(full_name(value.py_func).encode())
                stages.append(value)
            else:
                called.append(value.py_func)
        else:
            digest.update(_content(value))
    return _Look(digest.digest(), tuple(called), tuple(stages))


def _stated(options: Mapping[str, Any]) -> bytes:
    """The compiler's options as a text; the order of a set differs from process to process."""
    stated = ((key, sorted(option) if isinstance(option, (set, frozenset)) else option) for key, option in options.items())
    return repr(sorted(stated, key=repr)).encode()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _looked_up(function: Any, code: CodeType) -> Iterator[tuple[str, Any]]:
    """What a function finds outside itself: globals, attributes of our modules, closures and defaults."""
    names = dict.fromkeys(name for part in _codes(code) for name in part.co_names)
    globally = {name for part in _codes(code) for name in global_names(part)}
    found = {name: function.__globals__[name] for name in names if name in globally and name in function.__globals__}
    modules = {name for name, value in found.items() if _is_own_module(value)}
    for name, value in found.items():
        if name in modules:
            yield from ((f"{name}.{own}", getattr(value, own)) for own in names if own in vars(value))
        else:
            yield name, value
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
    for k, value in enumerate(function.__defaults__ or ()):
        yield f"default {k}", value


def global_names(code: CodeType) -> set[str]:
    """The names that bytecode looks up globally, as `dis` tells them in twenty times the time; each first call needs them."""
    found, wide, content = set(), 0, code.co_code
    for operation, argument in zip(content[::2], content[1::2], strict=True):
        if operation == dis.EXTENDED_ARG:
            wide = (wide | argument) << 8
            continue
        if operation == _LOAD_GLOBAL:
            found.add(code.co_names[(wide | argument) >> 1])  # the last bit says how it is called
        wide = 0
    return found


def _is_own_module(value: Any) -> bool:
    return isinstance(value, ModuleType) and value.__name__.partition(".")[0] == _PACKAGE


def _content(value: Any) -> bytes:
    """What stands for a value that is no compiled function."""
    if isinstance(value, _PLAIN):
        return repr(value).encode()
    if isinstance(value, tuple):
        return b"(" + b",".join(_content(part) for part in value) + b")"
    if isinstance(value, np.ndarray):
        return repr((value.dtype, value.shape)).encode() + value.tobytes()
    if isinstance(value, type) and hasattr(value, "_fields"):
        return repr((value.__name__, value._fields)).encode()
    module = str(getattr(value, "__module__", None) or getattr(type(value), "__module__", ""))
    if module.partition(".")[0] == _PACKAGE:
        return _text(module)
    return f"{module} {getattr(value, '__qualname__', type(value).__qualname__)}".encode()


# --- files ---------------------------------------------------------------------------------------------------------------


@cache
def _text(module: str) -> bytes:
    """A hash of a module's file and of all files of ours that it imports, directly or not."""
    digest = hashlib.sha256()
    for name in sorted(import_closure(module)):
        digest.update(name.encode() + _source(name))
    return digest.digest()


def import_closure(module: str) -> set[str]:
    """The modules of the package that a module imports, directly or not, and itself."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and name.rpartition(".")[2] not in _LEAVES:
            found.add(name)
            waiting.extend(_imported(name))
    return found


@cache
def _imported(module: str) -> tuple[str, ...]:
    """The modules that are named in a module's relative imports, which are the only ones of ours that the package uses."""
    file, found = _file(module), []
    package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    for dots, tail, names in _IMPORT.findall(_source(module).decode()):
        base = ".".join(package[: len(package) - len(dots) + 1] + (tail.split(".") if tail else []))
        parts = [name.split(" as ")[0].strip() for name in re.sub("#[^\n]*", "", names.strip("()")).split(",")]
        modules = [f"{base}.{part}" for part in parts if part and _file(f"{base}.{part}").exists()]
        found += modules if len(modules) == len([part for part in parts if part]) else [*modules, base]
    return tuple(found)


def _file(module: str) -> Path:
    place = _FOLDER.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


@cache
def _source(module: str) -> bytes:
    return _file(module).read_bytes()
