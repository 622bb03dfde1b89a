"""How kernels become machine code: the decorators, how they are compiled and linked, and the cache on disk.

`decorators` is the one place that configures Numba; `libraries` compiles and links; `cache` keeps the result, under a key that
`ingredients` makes of all that a kernel is made of.
"""

from .cache import cache_home
from .decorators import Quick, address_of, allocating, compile_quietly, entry, inline, inline_view, jit, long_entry, stage

__all__ = [
    "Quick",
    "address_of",
    "allocating",
    "cache_home",
    "compile_quietly",
    "entry",
    "inline",
    "inline_view",
    "jit",
    "long_entry",
    "stage",
]
