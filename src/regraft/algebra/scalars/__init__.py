"""The scalars that kernels run on, and the few operations whose code depends on the scalar.

A kernel is generic: the same source runs on ``float64``, on ``complex128`` (complex-step derivatives) and on a *pack*, a SIMD
vector of doubles that carries one system per lane. Everything that is neither ``+ - * /`` nor a load or store is here.
An array of packs is a view of a float64 array with one more axis, see ``as_packs``.
"""

from .operations import Scalar, angle, lane, lanes, lift, one, reciprocal, square_root, where_less, with_lane, zero
from .pack import LANES, aligned_zeros, as_packs, pack
from .trigonometry import sincos

__all__ = [
    "LANES",
    "Scalar",
    "aligned_zeros",
    "angle",
    "as_packs",
    "lane",
    "lanes",
    "lift",
    "one",
    "pack",
    "reciprocal",
    "sincos",
    "square_root",
    "where_less",
    "with_lane",
    "zero",
]
