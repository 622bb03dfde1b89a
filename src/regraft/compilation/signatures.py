"""The types of arguments, by the words that stand for them in the annotations of entries and stages.

So what a kernel is compiled for is written once, in its own head: ``def mass_matrix(handle: int, q: Floats, out: Table)``.
All arrays lie in one piece, in C's order. Kernels that are generic in their scalar say `Scalar`, `Scalars` and `ScalarTable`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numba
import numpy as np
from numba.core import types
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""A vector of float64."""
Table: TypeAlias = NDArray[np.float64]
"""A table of float64, with two axes."""
Integers: TypeAlias = NDArray[np.int64]
"""A vector of int64."""
IntegerTable: TypeAlias = NDArray[np.int64]
"""A table of int64."""
Complexes: TypeAlias = NDArray[np.complex128]
"""A vector of complex128."""
ComplexTable: TypeAlias = NDArray[np.complex128]
"""A table of complex128."""
Blocks: TypeAlias = NDArray[np.float64]
"""An array of float64 with three axes."""
ThreeFloats: TypeAlias = tuple[float, float, float]
"""Three float64, such as a point."""
EightIntegers: TypeAlias = tuple[int, ...]
"""Eight int64."""
SixFloats: TypeAlias = tuple[float, ...]
"""Six float64."""
Scalars: TypeAlias = Any
"""A vector in the scalar of the computation."""
ScalarTable: TypeAlias = Any
"""A table in the scalar of the computation."""

_TYPES: dict[str, Any] = {
    "int": numba.int64,
    "float": numba.float64,
    "bool": numba.boolean,
    "Floats": numba.float64[::1],
    "Table": numba.float64[:, ::1],
    "Blocks": numba.float64[:, :, ::1],
    "ThreeFloats": types.UniTuple(numba.float64, 3),
    "EightIntegers": types.UniTuple(numba.int64, 8),
    "SixFloats": types.UniTuple(numba.float64, 6),
    "Integers": numba.int64[::1],
    "IntegerTable": numba.int64[:, ::1],
    "Complexes": numba.complex128[::1],
    "ComplexTable": numba.complex128[:, ::1],
}

_OF_SCALAR: dict[str, Callable[[Any], Any]] = {
    "Scalar": lambda scalar: scalar,
    "Motion": lambda scalar: types.UniTuple(scalar, 6),
    "Scalars": lambda scalar: types.Array(scalar, 1, "C"),
    "ScalarTable": lambda scalar: types.Array(scalar, 2, "C"),
}


PACKS: list[Any] = []
"""The scalar that carries several systems, once it is known: one, or none before that."""


def declare(word: str, kind: Any) -> None:
    """Let a word stand for a type of its own kind, a named tuple for example."""
    _TYPES[word] = kind


def declared(function: Callable[..., Any], scalar: Any = numba.float64, first: int = 0) -> tuple[Any, ...]:
    """The types of a function's arguments, from the first that counts on, in a scalar."""
    code: Any = function.__code__
    names = code.co_varnames[first : code.co_argcount]
    return tuple(_type_of(function, name, scalar) for name in names)


def star(kinds: tuple[Any, ...]) -> Any:
    """The types of arguments that a function takes as ``*given``."""
    return types.StarArgTuple.from_types(kinds)


def scalar_of(signature: tuple[Any, ...]) -> Any:
    """The scalar that a kernel computes in, from the types of its arguments."""
    return numba.complex128 if any(map(_is_complex, signature)) else numba.float64


def _is_complex(kind: Any) -> bool:
    """Whether a type is one of complex numbers, or a tuple with such."""
    if isinstance(kind, types.BaseTuple):
        return any(map(_is_complex, kind))
    return bool(getattr(kind, "dtype", kind) == numba.complex128)


def writable(kind: Any) -> Any:
    """The type of an array that may be written to, for one that may not; any other type as it is."""
    return kind.copy(readonly=False) if isinstance(kind, types.Array) and not kind.mutable else kind


def _type_of(function: Any, name: str, scalar: Any) -> Any:
    word = function.__annotations__.get(name)
    if word in _TYPES:
        return _TYPES[word]
    if word in _OF_SCALAR:
        return _OF_SCALAR[word](scalar)
    raise TypeError(f"{function.__module__}.{function.__qualname__}: argument {name!r} must be declared as one of "
                    f"{', '.join([*_TYPES, *_OF_SCALAR])}, not {word!r}.")  # fmt: skip
