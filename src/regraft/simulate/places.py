"""Values by the places where they lie in memory: for stages, and for kernels that get integers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic


@intrinsic
def place_of(_typing: Any, value: Any) -> Any:
    """Where a copy of a value lies until the function that asks for it returns; so it is no good in one that is merged."""

    def codegen(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return builder.ptrtoint(cgutils.alloca_once_value(builder, args[0]), ir.IntType(64))

    return types.int64(value), codegen


def value_at(kinds: Mapping[Any, Any]) -> Any:
    """A function of (place, like): the value at a place, whose type depends on the scalar of `like`."""

    @intrinsic
    def at_place(_typing: Any, _place: Any, like: Any) -> Any:
        kind = kinds[like]

        def codegen(context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
            pointer = builder.inttoptr(args[0], context.get_value_type(kind).as_pointer())
            return impl_ret_borrowed(context, builder, kind, builder.load(pointer))

        return kind(types.int64, like), codegen

    return at_place


@intrinsic
def put_at(_typing: Any, _place: Any, value: Any) -> Any:
    """Put a value where it then lies for good, for `value_at`; says how many bytes it takes.

    What it refers to must be kept alive by whoever gives it.
    """

    def codegen(context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        kind = context.get_value_type(value)
        builder.store(args[1], builder.inttoptr(args[0], kind.as_pointer()))
        return context.get_constant(types.int64, context.get_abi_sizeof(kind))

    return types.int64(types.int64, value), codegen
