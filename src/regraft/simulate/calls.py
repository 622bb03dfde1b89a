"""Calls of functions by their address, from compiled code. Edits of `callbacks` need not compile the loop again."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

FINE = 0x5EED_600D
"""What a C function returns when all is well: whoever leaves it by an exception returns 0, or whatever was there."""


@intrinsic
def call_at(_typing: Any, _address: Any, _t: Any, q: Any, v: Any, out: Any, nq: Any, nv: Any, more: Any) -> Any:
    """The result of the C function at an address: (t, q, v, out, nq, nv, more) with addresses of arrays; 0 for success, else 1.

    `more` is how many numbers the function fills, or for a `Driver` the address of its table.
    """

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        integer, real = ir.IntType(64), ir.DoubleType()
        where, time, *words = args
        function = builder.inttoptr(where, ir.FunctionType(integer, [real, *(integer,) * 6]).as_pointer())
        kinds = signature.args[2:]
        said = builder.call(
            function, [time, *(context.cast(builder, w, k, types.int64) for w, k in zip(words, kinds, strict=True))]
        )
        return builder.zext(builder.icmp_signed("!=", said, ir.Constant(integer, FINE)), integer)

    return types.int64(types.int64, types.float64, q, v, out, nq, nv, more), codegen


@intrinsic
def read_only(_typing: Any, array: Any) -> Any:
    """An array as one that compiled code cannot write to."""
    result = array.copy(readonly=True)

    def codegen(_context: Any, _builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return args[0]

    return result(array), codegen
