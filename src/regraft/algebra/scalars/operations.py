"""The operations whose code depends on the scalar, each with a Python body to read and an overload for each scalar."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from .pack import LANES, Pack, llvm_function, pack, per_lane, splat

Scalar: TypeAlias = Any
"""A float64, a complex128 or a pack; kernels do not know which."""


def lift(value: float, like: Scalar) -> Scalar:
    """A number as a scalar of the type of `like`."""
    return type(like)(value)


def zero(like: Scalar) -> Scalar:
    """0 as a scalar of the type of `like`."""
    return lift(0.0, like)


def one(like: Scalar) -> Scalar:
    """1 as a scalar of the type of `like`."""
    return lift(1.0, like)


def square_root(x: Scalar) -> Scalar:
    """The square root with a positive real part."""
    return x**0.5


def reciprocal(x: Scalar) -> Scalar:
    """1 / x; infinite for 0 in every scalar."""
    return 1.0 / x


def angle(s: Scalar, c: Scalar) -> Scalar:
    """atan2(s, c), continued analytically to first order for complex arguments."""
    turn = math.atan2(s.real, c.real)
    if not isinstance(s, complex):
        return turn
    return complex(turn, (s.imag * c.real - c.imag * s.real) / (s.real**2 + c.real**2))


def where_less(x: Scalar, y: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """a where x < y, judged by their real parts, else b; b where either is NaN. Both a and b are computed."""
    return a if x.real < y.real else b


def lanes(like: Scalar) -> int:
    """How many numbers a scalar carries."""
    return 1


def lane(x: Scalar, k: int) -> Any:
    """The k-th number that a scalar carries, where it carries several; else the scalar itself."""
    return x


def with_lane(x: Scalar, k: int, value: Any) -> Scalar:
    """The scalar with another number in its k-th lane."""
    return value


@intrinsic
def _filled(_typing: Any, value: types.Type, like: types.Type) -> Any:
    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        return splat(builder, context.cast(builder, args[0], signature.args[0], types.float64))

    return pack(value, like), codegen


@overload(lift, strict=False)
def _lift(value: types.Type, like: types.Type) -> Any:
    if isinstance(like, Pack):
        return lambda value, like: _filled(value, like)
    return (lambda value, like: value + 0j) if isinstance(like, types.Complex) else (lambda value, like: value)


@overload(zero, strict=False)
def _zero(like: types.Type) -> Any:
    return lambda like: lift(0.0, like)


@overload(one, strict=False)
def _one(like: types.Type) -> Any:
    return lambda like: lift(1.0, like)


@intrinsic
def _root(_typing: Any, x: types.Type) -> Any:
    return x(x), lambda _context, builder, _signature, args: llvm_function(builder, "sqrt", args[0])


@overload(square_root, strict=False)
def _square_root(x: types.Type) -> Any:
    return (lambda x: x**0.5) if isinstance(x, types.Complex) else (lambda x: _root(x))


@overload(reciprocal, strict=False)
def _reciprocal(x: types.Type) -> Any:
    if isinstance(x, types.Complex):  # Numba's division would raise for 0

        def without_error(x: Any) -> Any:
            s = 1.0 / (x.real * x.real + x.imag * x.imag)
            return complex(s * x.real, -s * x.imag)

        return without_error
    return lambda x: 1.0 / x


@intrinsic
def _chosen(_typing: Any, x: types.Type, y: types.Type, a: types.Type, b: types.Type) -> Any:
    def codegen(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[2], args[3])

    return a(x, y, a, b), codegen


@overload(where_less, strict=False)
def _where_less(x: types.Type, y: types.Type, a: types.Type, b: types.Type) -> Any:
    if isinstance(x, types.Complex):
        return lambda x, y, a, b: a if x.real < y.real else b
    return lambda x, y, a, b: _chosen(x, y, a, b)


@intrinsic
def _turn(_typing: Any, s: types.Type, c: types.Type) -> Any:
    return s(s, c), lambda _context, builder, _signature, args: per_lane(builder, "atan2", *args)


@overload(angle, strict=False)
def _angle(s: types.Type, c: types.Type) -> Any:
    if isinstance(s, types.Complex):

        def analytic(s: Any, c: Any) -> Any:
            slope = (s.imag * c.real - c.imag * s.real) / (s.real * s.real + c.real * c.real)
            return complex(math.atan2(s.real, c.real), slope)

        return analytic
    return lambda s, c: _turn(s, c)


@overload(lanes, strict=False)
def _lanes(like: types.Type) -> Any:
    return (lambda like: LANES) if isinstance(like, Pack) else (lambda like: 1)


@intrinsic
def _extracted(_typing: Any, x: types.Type, k: types.Type) -> Any:
    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        return builder.extract_element(args[0], context.cast(builder, args[1], signature.args[1], types.int32))

    return types.float64(x, k), codegen


@overload(lane, strict=False)
def _lane(x: types.Type, k: types.Type) -> Any:
    return (lambda x, k: _extracted(x, k)) if isinstance(x, Pack) else (lambda x, k: x)


@intrinsic
def _inserted(_typing: Any, x: types.Type, k: types.Type, value: types.Type) -> Any:
    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        return builder.insert_element(args[0], args[2], context.cast(builder, args[1], signature.args[1], types.int32))

    return x(x, k, value), codegen


@overload(with_lane, strict=False)
def _with_lane(x: types.Type, k: types.Type, value: types.Type) -> Any:
    return (lambda x, k, value: _inserted(x, k, value)) if isinstance(x, Pack) else (lambda x, k, value: value)
