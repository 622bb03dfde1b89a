"""Calls of functions by their address, from compiled code. Edits of `callbacks` need not compile the loop again."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

FINE = 0x5EED_600D
"""What a C function returns when all is well: whoever leaves it by an exception returns 0, or whatever was there."""


@intrinsic
def call_at(_typing: Any, _address: Any, _t: Any, q: Any, v: Any, out: Any, _context: Any) -> Any:
    """Call the C function at an address with (t, q, v, out, len(q), len(v), context), arrays by their addresses.

    0 for success, else 1. `context` is how many numbers the function fills, or for a `Driver` the address of its table.
    """

    def codegen(compiler: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        integer, real = ir.IntType(64), ir.DoubleType()
        where, time, *given, last = args
        arrays = [make_array(kind)(compiler, builder, array) for kind, array in zip(signature.args[2:5], given, strict=True)]
        addresses = [builder.ptrtoint(array.data, integer) for array in arrays]
        counts = [array.nitems for array in arrays[:2]]
        function = builder.inttoptr(where, ir.FunctionType(integer, [real, *(integer,) * 6]).as_pointer())
        said = builder.call(function, [time, *addresses, *counts, last])
        return builder.zext(builder.icmp_signed("!=", said, ir.Constant(integer, FINE)), integer)

    return types.int64(types.int64, types.float64, q, v, out, types.int64), codegen


@intrinsic
def read_only(_typing: Any, array: Any) -> Any:
    """An array as one that compiled code cannot write to."""
    result = array.copy(readonly=True)

    def codegen(_context: Any, _builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return args[0]

    return result(array), codegen


def append_to(_out: Any, _at: int, _value: Any) -> int:
    """Write a number, or the numbers of an array, from a place of an array on; returns the place behind them.

    What does not fit is not written.
    """
    raise NotImplementedError("it is for compiled code.")


@overload(append_to)
def _append_to(_out: Any, _at: Any, _value: Any) -> Any:
    if isinstance(_value, (types.Float, types.Integer, types.Boolean)):

        def number(_out: Any, _at: Any, _value: Any) -> Any:
            if _at < len(_out):
                _out[_at] = _value
            return _at + 1

        return number
    if isinstance(_value, types.UniTuple) or (isinstance(_value, types.Array) and _value.ndim == 1):

        def several(_out: Any, _at: Any, _value: Any) -> Any:
            for i in range(len(_value)):
                if _at + i < len(_out):
                    _out[_at + i] = _value[i]
            return _at + len(_value)

        return several
    return None
