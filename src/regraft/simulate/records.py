"""Records: named fields in one piece of memory, which Python and compiled code read and write alike.

A kind of record is a class of ctypes, made by `record` from its annotations. Compiled code sees it as Numba's record; on both
sides it is ``progress.t``, and a change on one is seen on the other.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import from_dtype
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

Kind = TypeVar("Kind", bound=type[ctypes.Structure])
Three = Any
"""Three floats, as a field."""

_FIELDS: dict[str, Any] = {
    "float": ctypes.c_double,
    "int": ctypes.c_int64,
    "bool": ctypes.c_bool,
    "Three": ctypes.c_double * 3,
}


def record(kind: Kind) -> Kind:
    """Give a class its annotations as fields: float, int, bool and Three."""
    kind._fields_ = [(name, _FIELDS[word]) for name, word in kind.__annotations__.items()]
    return kind


@cache
def layout_of(kind: type[ctypes.Structure]) -> np.dtype[Any]:
    """How NumPy sees a record."""
    return np.dtype(kind)


def type_of(kind: type[ctypes.Structure]) -> Any:
    """How compiled code sees it."""
    return from_dtype(layout_of(kind))


def array_type(kind: type[ctypes.Structure]) -> Any:
    """How it sees an array of records."""
    return types.Array(type_of(kind), 1, "C")


def tuple_type(of: type, *kinds: Any) -> Any:
    """How it sees a named tuple, from the types of its fields."""
    return types.BaseTuple.from_types(kinds, of)


def given(record: ctypes.Structure) -> Any:
    """A record as it is given to an entry: an array with this one, in the same memory.

    A record by itself takes ten times as long to hand over.
    """
    return np.frombuffer(memoryview(record), layout_of(type(record)))


def given_array(records: ctypes.Array[Any]) -> Any:
    """Several records, likewise."""
    of: Any = records._type_
    kind = layout_of(of)
    return np.frombuffer(memoryview(records), kind) if len(records) else np.zeros(0, kind)


@intrinsic
def records_at(_typing: Any, address: types.Type, count: types.Type, kind: types.Type) -> Any:
    """The records of a kind that lie at an address, as an array that does not own them."""
    result = types.Array(kind.dtype, 1, "C")

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        where, size = (context.cast(builder, args[k], signature.args[k], types.intp) for k in range(2))
        item = context.get_constant(types.intp, kind.dtype.size)
        view = make_array(result)(context, builder)
        data = builder.inttoptr(where, view.data.type)
        populate_array(view, data=data, shape=[size], strides=[item], itemsize=item, meminfo=None)
        return view._getvalue()

    return result(address, count, kind), codegen
