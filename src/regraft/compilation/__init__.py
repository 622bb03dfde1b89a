"""How kernels become machine code: the decorators, how they are compiled and linked, and the cache on disk.

`decorators` is the one place that configures Numba; `signatures` has the words that declare what kernels are compiled for;
`libraries` compiles and links; `cache` keeps the result, under a key that `ingredients` makes of all that a kernel is made of;
`claims` keeps processes from doing the same work; `plan` knows what there is to do, `ahead` what is next; `assistants` are other
processes that help; `haste` spares Numba some of its work; `attention` tells the user.
"""

from .ahead import compile_if_free, expect, unit_named
from .attention import compile_quietly
from .cache import cache_home
from .decorators import (
    ENTRIES,
    Entry,
    address_of,
    allocating,
    entry,
    inline,
    inline_once,
    inline_view,
    jit,
    long_entry,
    stage,
)
from .plan import Unit, units_of
from .signatures import (
    PACKS,
    Blocks,
    Complexes,
    ComplexTable,
    EightIntegers,
    Floats,
    Integers,
    IntegerTable,
    Scalars,
    ScalarTable,
    SixFloats,
    Table,
    ThreeFloats,
    declare,
    declared,
    star,
)

__all__ = [
    "ENTRIES",
    "PACKS",
    "Blocks",
    "ComplexTable",
    "Complexes",
    "EightIntegers",
    "Entry",
    "Floats",
    "IntegerTable",
    "Integers",
    "ScalarTable",
    "Scalars",
    "SixFloats",
    "Table",
    "ThreeFloats",
    "Unit",
    "address_of",
    "allocating",
    "cache_home",
    "compile_if_free",
    "compile_quietly",
    "declare",
    "declared",
    "entry",
    "expect",
    "inline",
    "inline_once",
    "inline_view",
    "jit",
    "long_entry",
    "stage",
    "star",
    "unit_named",
    "units_of",
]
