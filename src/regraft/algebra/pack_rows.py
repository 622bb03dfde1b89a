"""Packs of neighbours in a row of floats: so many columns of a table at a time, wherever they begin."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .memory import _elements, _literal, _position
from .scalars import LANES
from .scalars.pack import VECTOR, pack, splat


def _places(context: Any, builder: ir.IRBuilder, signature: Any, args: Any, count: int) -> list[ir.Value]:
    """Pointers to `count` packs side by side, from table[row, column] on."""
    row, column = _position(context, builder, signature.args[1:3], args[1:3])
    found = []
    for i in range(count):
        beside = builder.add(column, context.get_constant(types.intp, i * LANES))
        place = _elements(context, builder, signature.args[0], args[0], [row, beside], 1)[0]
        found.append(builder.bitcast(place, VECTOR.as_pointer()))
    return found


@intrinsic(prefer_literal=True)
def load_packs(_typing: Any, table: types.Array, row: types.Type, column: types.Type, count: types.Type) -> Any:
    """table[row, column :] as a tuple of `count` packs; count is a literal."""
    result = types.UniTuple(pack, _literal(count))

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        places = _places(context, builder, signature, args, len(result))
        return context.make_tuple(builder, result, [builder.load(place, align=8) for place in places])

    return result(table, row, column, count), codegen


@intrinsic
def store_packs(_typing: Any, table: types.Array, row: types.Type, column: types.Type, values: types.Type) -> Any:
    """table[row, column :] = values, for a tuple of packs."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        for i, place in enumerate(_places(context, builder, signature, args, len(values))):
            builder.store(builder.extract_value(args[3], i), place, align=8)
        return context.get_dummy_value()

    return types.void(table, row, column, values), codegen


@intrinsic
def less_times(_typing: Any, a: types.Type, s: types.Type, b: types.Type) -> Any:
    """a − s b for tuples of packs, each a fused operation: free to reorder sums, the compiler would tear them apart."""

    def codegen(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        factor, found = splat(builder, builder.fneg(args[1])), args[0]
        for i in range(len(a)):
            product = builder.fmul(factor, builder.extract_value(args[2], i), flags=("contract",))
            total = builder.fadd(builder.extract_value(args[0], i), product, flags=("contract",))
            found = builder.insert_value(found, total, i)
        return found

    return a(a, s, b), codegen
