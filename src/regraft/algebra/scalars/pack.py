"""A pack: a SIMD vector of doubles as a Numba scalar, one system per lane, with its arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model
from numba.np.arrayobj import make_array, populate_array

LANES = 8 if llvm.get_host_cpu_features().get("avx512f", False) else 4
"""Systems that one pack carries: the width of the machine's vector registers."""

ALIGNMENT = 8 * LANES
"""Bytes to which the storage of packs is aligned."""

_FAST = ("nsz", "arcp", "contract", "afn", "reassoc")
DOUBLE = ir.DoubleType()
INT32 = ir.IntType(32)


class Pack(types.Type):  # type: ignore[misc]
    """Numba type of a SIMD vector of ``LANES`` doubles."""

    def __init__(self) -> None:
        super().__init__(name=f"float64x{LANES}")


pack = Pack()
VECTOR = ir.VectorType(DOUBLE, LANES)


@register_model(Pack)
class _PackModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


_CACHE_LINE = 64


def aligned_zeros(shape: tuple[int, ...], dtype: type = float) -> np.ndarray:
    """An array of zeros that begins with a cache line, where packs may lie and rows are not torn apart."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.zeros(size + _CACHE_LINE, np.uint8)
    offset = -int(raw.__array_interface__["data"][0]) % _CACHE_LINE
    return raw[offset : offset + size].view(dtype).reshape(shape)


# --- arithmetic on packs ---------------------------------------------------------------------------------------------


def constant(kind: ir.Type, value: float) -> ir.Constant:
    """A number as a constant of a type, the same in all lanes."""
    if isinstance(kind, ir.VectorType):
        return ir.Constant(kind, [ir.Constant(kind.element, value)] * kind.count)
    return ir.Constant(kind, value)


def splat(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """A double in all lanes."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.Constant(INT32, 0))
    everywhere = ir.Constant(ir.VectorType(INT32, LANES), [ir.Constant(INT32, 0)] * LANES)
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), everywhere)


def _as_vector(context: Any, builder: ir.IRBuilder, kind: types.Type, value: ir.Value) -> ir.Value:
    if isinstance(kind, Pack):
        return value
    return splat(builder, context.cast(builder, value, kind, types.float64))


def _is_operand(kind: types.Type) -> bool:
    return isinstance(kind, Pack | types.Float | types.Integer)


def _define_arithmetic(operation: Callable[..., Any], instruction: str) -> None:
    @intrinsic
    def combine(_typing: Any, a: types.Type, b: types.Type) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
            left, right = (_as_vector(context, builder, k, v) for k, v in zip(signature.args, args, strict=True))
            return getattr(builder, instruction)(left, right, flags=_FAST)

        return pack(a, b), codegen

    @overload(operation, strict=False)
    def _overloaded(a: types.Type, b: types.Type) -> Any:
        if (isinstance(a, Pack) or isinstance(b, Pack)) and _is_operand(a) and _is_operand(b):
            return lambda a, b: combine(a, b)
        return None


for _operation, _inplace, _instruction in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _define_arithmetic(_operation, _instruction)
    _define_arithmetic(_inplace, _instruction)


@intrinsic
def _negated(_typing: Any, a: types.Type) -> Any:
    return pack(a), lambda _context, builder, _signature, args: builder.fneg(args[0])


@overload(operator.neg, strict=False)
def _neg(a: types.Type) -> Any:
    return (lambda a: _negated(a)) if isinstance(a, Pack) else None


@intrinsic
def as_packs(_typing: Any, array: types.Array) -> Any:
    """View a float64 array (..., LANES) in C order as an array (...) of packs."""
    result = types.Array(pack, array.ndim - 1, "C")

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        source = make_array(signature.args[0])(context, builder, args[0])
        view = make_array(result)(context, builder)
        populate_array(
            view,
            data=builder.bitcast(source.data, view.data.type),
            shape=cgutils.unpack_tuple(builder, source.shape)[:-1],
            strides=cgutils.unpack_tuple(builder, source.strides)[:-1],
            itemsize=context.get_constant(types.intp, 8 * LANES),
            meminfo=source.meminfo,
        )
        context.nrt.incref(builder, signature.args[0], args[0])
        return view._getvalue()

    return result(array), codegen


def llvm_function(builder: ir.IRBuilder, name: str, x: ir.Value) -> ir.Value:
    """Call one of LLVM's elementary functions, such as ``sqrt``, on a double or on all lanes at once."""
    suffix = "f64" if x.type == DOUBLE else f"v{LANES}f64"
    signature = ir.FunctionType(x.type, [x.type])
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, f"llvm.{name}.{suffix}"), [x])


def per_lane(builder: ir.IRBuilder, name: str, *operands: ir.Value) -> ir.Value:
    """Call a function of the C library on each lane."""
    signature = ir.FunctionType(DOUBLE, [DOUBLE] * len(operands))
    function = cgutils.get_or_insert_function(builder.module, signature, name)
    if operands[0].type == DOUBLE:
        return builder.call(function, operands)
    result = ir.Constant(VECTOR, ir.Undefined)
    for lane in range(LANES):
        index = ir.Constant(INT32, lane)
        value = builder.call(function, [builder.extract_element(operand, index) for operand in operands])
        result = builder.insert_element(result, value, index)
    return result
