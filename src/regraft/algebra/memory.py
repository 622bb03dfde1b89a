"""Tuples in and out of arrays: rows of a table hold vectors side by side, found by the column where they start.

Every index is known when the kernel is compiled, so a tuple never exists in memory: ``load`` is a few loads, ``store`` a few
stores. (A loop over a tuple with a variable index doubles the time of a kernel.)
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from ..compilation import inline, inline_view


def _elements(
    context: Any, builder: ir.IRBuilder, kind: types.Array, value: ir.Value, index: list[ir.Value], count: int
) -> list[ir.Value]:
    """Pointers to `count` neighbours in the last axis of an array."""
    array = make_array(kind)(context, builder, value)
    shape, strides = (cgutils.unpack_tuple(builder, part, kind.ndim) for part in (array.shape, array.strides))
    first = cgutils.get_item_pointer2(context, builder, array.data, shape, strides, kind.layout, index)
    return [builder.gep(first, [ir.Constant(ir.IntType(64), k)], inbounds=True) for k in range(count)]


def _literal(count: types.Type) -> int:
    if not isinstance(count, types.IntegerLiteral):
        raise TypingError("the number of elements must be a literal")
    return int(count.literal_value)


def _position(context: Any, builder: ir.IRBuilder, kinds: Any, values: Any) -> list[ir.Value]:
    return [context.cast(builder, v, k, types.intp) for k, v in zip(kinds, values, strict=True)]


def _reader(result: types.UniTuple) -> Any:
    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        index = _position(context, builder, signature.args[1:-1], args[1:-1])
        pointers = _elements(context, builder, signature.args[0], args[0], index, len(result))
        return context.make_tuple(builder, result, [context.unpack_value(builder, result.dtype, p) for p in pointers])

    return codegen


@intrinsic(prefer_literal=True)
def load(_typing: Any, table: types.Array, row: types.Type, column: types.Type, count: types.Type) -> Any:
    """table[row, column : column + count] as a tuple; count is a literal."""
    result = types.UniTuple(table.dtype, _literal(count))
    return result(table, row, column, count), _reader(result)


@intrinsic(prefer_literal=True)
def load_vector(_typing: Any, vector: types.Array, start: types.Type, count: types.Type) -> Any:
    """vector[start : start + count] as a tuple; count is a literal."""
    result = types.UniTuple(vector.dtype, _literal(count))
    return result(vector, start, count), _reader(result)


def _write(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
    kind, values = signature.args[0], signature.args[-1]
    index = _position(context, builder, signature.args[1:-1], args[1:-1])
    pointers = _elements(context, builder, kind, args[0], index, len(values))
    for pointer, element, value in zip(pointers, values, cgutils.unpack_tuple(builder, args[-1]), strict=True):
        context.pack_value(builder, kind.dtype, context.cast(builder, value, element, kind.dtype), pointer)
    return context.get_dummy_value()


@intrinsic
def store(_typing: Any, table: types.Array, row: types.Type, column: types.Type, values: types.Type) -> Any:
    """table[row, column : column + len(values)] = values, for a tuple of values."""
    return types.void(table, row, column, values), _write


@intrinsic
def store_vector(_typing: Any, vector: types.Array, start: types.Type, values: types.Type) -> Any:
    """vector[start : start + len(values)] = values, for a tuple of values."""
    return types.void(vector, start, values), _write


@intrinsic
def store_rows(_typing: Any, table: types.Array, row: types.Type, column: types.Type, rows: types.Type) -> Any:
    """table[row + k, column : column + len(rows[k])] = rows[k], for a tuple of equally long tuples."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        first, start = _position(context, builder, signature.args[1:3], args[1:3])
        for k, (kind, values) in enumerate(zip(rows, cgutils.unpack_tuple(builder, args[3]), strict=True)):
            index = builder.add(first, context.get_constant(types.intp, k))
            _write(context, builder, types.void(table, types.intp, types.intp, kind), [args[0], index, start, values])
        return context.get_dummy_value()

    return types.void(table, row, column, rows), codegen


@inline
def load_pose(table: Any, row: int) -> Any:
    """The pose (R, p) at the start of a row."""
    return load(table, row, 0, 9), load(table, row, 9, 3)


@inline
def store_pose(table: Any, row: int, X: Any) -> None:
    """Put a pose (R, p) at the start of a row."""
    store(table, row, 0, X[0])
    store(table, row, 9, X[1])


@intrinsic
def table_at(_typing: Any, address: types.Type, rows: types.Type, columns: types.Type, like: types.Type) -> Any:
    """The C-ordered array (rows, columns) that lies at an address, of the element type of `like`, which it does not own."""
    dtype = like.dtype if isinstance(like, types.Array) else like
    result = types.Array(dtype, 2, "C")

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        where, *shape = _position(context, builder, signature.args[:3], args[:3])
        size = context.get_abi_sizeof(context.get_data_type(dtype))
        item = context.get_constant(types.intp, size)
        view = make_array(result)(context, builder)
        populate_array(
            view,
            data=builder.inttoptr(where, view.data.type),
            shape=shape,
            strides=[builder.mul(shape[1], item), item],
            itemsize=item,
            meminfo=None,
        )
        return view._getvalue()

    return result(address, rows, columns, like), codegen


@intrinsic
def words_in(_typing: Any, like: types.Type) -> Any:
    """How many words of eight bytes a number takes."""

    def codegen(context: Any, _builder: ir.IRBuilder, _signature: Any, _args: Any) -> ir.Value:
        return context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(like)) // 8)

    return types.intp(like), codegen


@inline_view
def borrowed_vector(a: Any) -> Any:
    """A vector in one piece that its owner keeps alive: views of it are not counted, which costs more than small kernels do."""
    return table_at(a.ctypes.data, 1, a.shape[0], a)[0]


@inline
def clear(table: Any) -> None:
    """Set all numbers of a C-ordered table to zero; ``table[:] = 0.0`` would bring in much of Numba's own code."""
    numbers = table_at(table.ctypes.data, 1, table.size, table)[0]
    for i in range(table.size):
        numbers[i] = 0.0


@inline_view
def vector_at(address: int, count: int) -> Any:
    """The `count` floats at an address, as an array."""
    return table_at(address, 1, count, 0.0)[0]


@intrinsic
def call_kernel(_typing: Any, address: Any, given: Any) -> Any:
    """The number that the kernel at an address returns for some integers; see `compilation.address_of`."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        integer = ir.IntType(64)
        where = context.cast(builder, args[0], signature.args[0], types.int64)
        kinds, values = tuple(signature.args[1]), cgutils.unpack_tuple(builder, args[1])
        words = [context.cast(builder, word, kind, types.int64) for word, kind in zip(values, kinds, strict=True)]
        function = builder.inttoptr(where, ir.FunctionType(ir.DoubleType(), [integer] * len(words)).as_pointer())
        return builder.call(function, words)

    return types.float64(address, given), codegen


@intrinsic(prefer_literal=True)
def call_on_numbers(_typing: Any, address: Any, at: Any, given: Any, count: Any) -> Any:
    """The numbers, `count` of them, that the kernel at an address makes of those given, all of one scalar.

    The kernel gets an integer, and the addresses of the numbers given and of those to fill: see `compilation.address_of`.
    """
    result = types.UniTuple(given.dtype, _literal(count))

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        integer, kind = ir.IntType(64), context.get_data_type(given.dtype)
        inward, outward = (cgutils.alloca_once(builder, ir.ArrayType(kind, len(part))) for part in (given, result))
        places = [[cgutils.gep_inbounds(builder, room, 0, k) for k in range(len(part))]
                  for room, part in ((inward, given), (outward, result))]  # fmt: skip
        for value, place in zip(cgutils.unpack_tuple(builder, args[2]), places[0], strict=True):
            context.pack_value(builder, given.dtype, value, place)
        where, first = (context.cast(builder, args[i], signature.args[i], types.int64) for i in range(2))
        function = builder.inttoptr(where, ir.FunctionType(ir.DoubleType(), [integer] * 3).as_pointer())
        builder.call(function, [first, builder.ptrtoint(inward, integer), builder.ptrtoint(outward, integer)])
        return context.make_tuple(builder, result, [context.unpack_value(builder, given.dtype, place) for place in places[1]])

    return result(address, at, given, count), codegen
