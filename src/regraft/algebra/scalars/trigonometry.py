"""Sine and cosine together, inlined, on every scalar: the kernels' only transcendental cost."""

from __future__ import annotations

import cmath
import math
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from .operations import Scalar
from .pack import INT32, LANES, constant, llvm_function, per_lane

# π/2 as three numbers, the first two of 33 bits so that their products with a quadrant number up to 2^20 are exact (the
# reduction of W. Cody and W. Waite); then the Taylor-like minimax polynomials on [-π/4, π/4] that fdlibm published.
_HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_FAR = 1.0e6  # beyond this angle the C library reduces the argument
_CONTRACT = ("contract",)  # no reassociation: it would undo the reduction


def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """Sin x and cos x, sharing one reduction of the argument."""
    library: Any = cmath if isinstance(x, complex) else math
    return library.sin(x), library.cos(x)


def _horner(builder: ir.IRBuilder, x: ir.Value, coefficients: tuple[float, ...]) -> ir.Value:
    total: ir.Value = constant(x.type, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        product = builder.fmul(total, x, flags=_CONTRACT)
        total = builder.fadd(product, constant(x.type, coefficient), flags=_CONTRACT)
    return total


def _emit_sincos(builder: ir.IRBuilder, x: ir.Value) -> tuple[ir.Value, ir.Value]:
    kind = x.type
    vector = isinstance(kind, ir.VectorType)
    integer = ir.VectorType(INT32, LANES) if vector else INT32

    def mul(a: ir.Value, b: ir.Value) -> ir.Value:
        return builder.fmul(a, b, flags=_CONTRACT)

    def sub(a: ir.Value, b: ir.Value) -> ir.Value:
        return builder.fsub(a, b, flags=_CONTRACT)

    quadrant = llvm_function(builder, "rint", mul(x, constant(kind, 2.0 / math.pi)))
    r = x
    for part in _HALF_PI:
        r = sub(r, mul(quadrant, constant(kind, part)))
    z = mul(r, r)
    sine = builder.fadd(r, mul(mul(r, z), _horner(builder, z, _SIN)), flags=_CONTRACT)
    cosine = builder.fadd(
        sub(constant(kind, 1.0), mul(constant(kind, 0.5), z)), mul(mul(z, z), _horner(builder, z, _COS)), flags=_CONTRACT
    )

    turns = builder.fptosi(quadrant, integer)

    def has_bit(value: ir.Value, bit: int) -> ir.Value:
        return builder.icmp_signed("!=", builder.and_(value, constant(integer, bit)), constant(integer, 0))

    odd = has_bit(turns, 1)
    s = builder.select(odd, cosine, sine)
    c = builder.select(odd, sine, cosine)
    s = builder.select(has_bit(turns, 2), builder.fneg(s), s)
    c = builder.select(has_bit(builder.add(turns, constant(integer, 1)), 2), builder.fneg(c), c)

    size = llvm_function(builder, "fabs", x)
    far = builder.fcmp_ordered(">", size, constant(kind, _FAR))
    if vector:
        far = builder.icmp_unsigned("!=", builder.bitcast(far, ir.IntType(LANES)), ir.Constant(ir.IntType(LANES), 0))
    before = builder.block
    with builder.if_then(far, likely=False):
        far_s, far_c = per_lane(builder, "sin", x), per_lane(builder, "cos", x)
        inside = builder.block
    results = []
    for near_value, far_value in ((s, far_s), (c, far_c)):
        chosen = builder.phi(kind)
        chosen.add_incoming(near_value, before)
        chosen.add_incoming(far_value, inside)
        results.append(chosen)
    return results[0], results[1]


@intrinsic
def _sincos_real(_typing: Any, x: types.Type) -> Any:
    result = types.UniTuple(x, 2)

    def codegen(context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return context.make_tuple(builder, result, _emit_sincos(builder, args[0]))

    return result(x), codegen


@overload(sincos, strict=False)
def _sincos(x: types.Type) -> Any:
    if isinstance(x, types.Complex):

        def complex_sincos(x: Any) -> Any:
            s, c = _sincos_real(x.real)
            hyperbolic_c, hyperbolic_s = math.cosh(x.imag), math.sinh(x.imag)
            return complex(s * hyperbolic_c, c * hyperbolic_s), complex(c * hyperbolic_c, -s * hyperbolic_s)

        return complex_sincos
    return lambda x: _sincos_real(x)
