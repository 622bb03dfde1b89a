"""What kernels read of a guide: its pose, its screw and how that changes, from a table of its curves.

The table, which `guided.py` writes, lies at the address that is the joint's first parameter. The kernels here are called by their
addresses, which lie where the second parameter says: mechanisms without guides need not wait until they are compiled.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ..algebra.memory import call_on_numbers, load, load_pose, store, table_at, words_in
from ..algebra.rotations import about_axis
from ..algebra.scalars import LANES, Scalar, as_packs, lane, lanes, lift, reciprocal, with_lane, zero
from ..algebra.spatial import (
    Rotation,
    Transform,
    Vector,
    add,
    cross,
    dot,
    identity,
    multiply,
    rotate,
    rotate_back,
    scale,
    subtract,
    transpose,
    zero_vector,
)
from ..compilation import address_of, entry, inline, jit
from ..tolerances import EPSILON, ROUNDING

# the table: float64
LENGTH = 0  # numbers in it
ROTATIONS = 1  # how many of the motions turn; they come first
TRANSLATIONS = 2  # how many of them shift
INVERSE = 3  # 1 where the joint's pose is the inverse of that of the motions
CENTRE = 4  # of two positions with the same pose the one nearer to this is taken
SAMPLES = 5  # how many poses there are to search from
SAMPLES_AT = 6  # where they begin
ENDS = 7  # two ends, each END
MOTIONS = 23  # motions, each MOTION

# an end of the range of the samples, beyond which all translations go straight on
PLACE = 0  # the coordinate
ORIGIN = 1  # 3: the translation there
ALONG = 4  # 3: its product with a way from there is how far the coordinate has to go; zero where nothing shifts
REACH = 7  # how far from there the nearest position may be
END = 8

# a motion: axis (3), then where its curve is in the table. A curve: number of polynomials n, coefficients of each, n − 1 breaks,
# n origins, then the coefficients
CURVE_AT = 3
MOTION = 4

# a sample: coordinate, R, p
SAMPLE = 13

_MOST_STEPS = 60
_GUIDE = 24  # numbers of `_guide`
NEAREST = 16


@inline
def _curve(table: Any, at: int, x: Any) -> tuple[Any, Any, Any]:
    """Value, slope and second derivative of the curve that begins at a place in the table.  O(log pieces + degree)."""
    pieces, count = int(table[0, at]), int(table[0, at + 1])
    breaks, origins = at + 2, at + 1 + pieces
    low, high = 0, pieces - 1
    while low < high:
        middle = (low + high) >> 1
        if x.real < table[0, breaks + middle]:
            high = middle
        else:
            low = middle + 1
    away, first = x - table[0, origins + low], origins + pieces + low * count
    value, slope, bend = zero(x), zero(x), zero(x)
    for i in range(count - 1, -1, -1):
        bend = bend * away + slope
        slope = slope * away + value
        value = value * away + table[0, first + i]
    return value, slope, bend + bend


@inline
def _followed(table: Any, motion: int, q: Scalar) -> tuple[Vector, Scalar, Scalar, Scalar]:
    """The axis of a motion, and value, slope and second derivative of its curve, for each number that q carries."""
    at = int(table[0, motion + CURVE_AT])
    value, slope, bend = zero(q), zero(q), zero(q)
    for k in range(lanes(q)):
        found = _curve(table, at, lane(q, k))
        value, slope, bend = with_lane(value, k, found[0]), with_lane(slope, k, found[1]), with_lane(bend, k, found[2])
    axis = load(table, 0, motion, 3)
    return (lift(axis[0], q), lift(axis[1], q), lift(axis[2], q)), value, slope, bend


@jit
def _guide(table: Any, q: Scalar) -> tuple[Rotation, Vector, Vector, Vector, Vector, Vector]:
    """R, p; the screw (ω, u) of the child per unit of q̇ and its derivative (ω', u') by q, in the child's axes at its origin.

    R = R₁ R₂ R₃ with angles f(q) about their axes, and p = Σ axis · f(q). From ω of the turns before, a turn R' about a makes
    R'ᵀω + a f', whose derivative is R'ᵀω' − a f' × R'ᵀω + a f''. Then u = Rᵀp' and u' = Rᵀp'' − ω × u.
    """
    turns, motions = int(table[0, ROTATIONS]), int(table[0, ROTATIONS]) + int(table[0, TRANSLATIONS])
    R, p, w, bent = identity(q), zero_vector(q), zero_vector(q), zero_vector(q)
    rate, change = zero_vector(q), zero_vector(q)
    for i in range(motions):
        a, value, slope, bend = _followed(table, MOTIONS + MOTION * i, q)
        if i < turns:
            turn, spin = about_axis(a, value), scale(slope, a)
            before = rotate_back(turn, w)
            bent = add(subtract(rotate_back(turn, bent), cross(spin, before)), scale(bend, a))
            w = add(before, spin)
            R = multiply(R, turn)
        else:
            p = add(p, scale(value, a))
            rate = add(rate, scale(slope, a))
            change = add(change, scale(bend, a))
    if table[0, INVERSE] == 0.0:
        u = rotate_back(R, rate)
        return R, p, w, u, bent, subtract(rotate_back(R, change), cross(w, u))
    # the parent as the child sees it, in the parent's axes
    W, bent = rotate(R, w), rotate(R, bent)
    u = subtract(cross(W, p), rate)
    du = subtract(add(cross(bent, p), cross(W, rate)), change)
    return transpose(R), scale(-1.0, rotate_back(R, p)), scale(-1.0, W), u, scale(-1.0, bent), du


# --- the nearest position ---------------------------------------------------------------------------------------------------


@inline
def _descent(table: Any, q: Scalar, X: Transform) -> tuple[Scalar, Scalar]:
    """First and second derivative by q of ½ (½ |R − R_X|² + |p − p_X|²), with the norm of all nine numbers of a matrix."""
    R, p, w, u, dw, du = _guide(table, q)
    M = multiply(transpose(R), X[0])
    axial = (M[7] - M[5], M[2] - M[6], M[3] - M[1])
    off = rotate_back(R, subtract(p, X[1]))
    first = dot(off, u) - 0.5 * dot(w, axial)
    turned = dot(dw, axial) - dot(w, w) * (M[0] + M[4] + M[8]) + dot(w, rotate(M, w))
    return first, dot(u, u) + dot(off, add(du, cross(w, u))) - 0.5 * turned


@inline
def _away(R: Rotation, p: Vector, X: Transform) -> Any:
    """½ |R − R_X|² + |p − p_X|²."""
    A, d = X[0], subtract(p, X[1])
    turned = (
        (R[0] - A[0]) ** 2 + (R[1] - A[1]) ** 2 + (R[2] - A[2]) ** 2
        + (R[3] - A[3]) ** 2 + (R[4] - A[4]) ** 2 + (R[5] - A[5]) ** 2
        + (R[6] - A[6]) ** 2 + (R[7] - A[7]) ** 2 + (R[8] - A[8]) ** 2
    )  # fmt: skip
    return 0.5 * turned + dot(d, d)


@jit
def _refined(table: Any, low: float, high: float, q: float, X: Transform) -> tuple[float, float]:
    """The nearest position between two bounds, by Newton's method within a bracket, and the square of how far it is away."""
    for _ in range(_MOST_STEPS):
        first, second = _descent(table, q, X)
        if first > 0.0:
            high = q
        else:
            low = q
        there = q - first / second if second > 0.0 else low - 1.0
        if not low <= there <= high:
            there = 0.5 * (low + high)
        step, q = abs(there - q), there
        if step <= EPSILON * (1.0 + abs(q)):
            break
    found = _guide(table, q)
    return q, _away(found[0], found[1], X)


@inline
def _better(best: tuple[float, float], tried: tuple[float, float], p: Vector, centre: float) -> Any:
    """Of two positions, each with the square of how far it is away, the nearer one; of equal ones that next to the centre."""
    rounding = ROUNDING * (1.0 + abs(p[0]) + abs(p[1]) + abs(p[2]))
    if tried[1] < best[1] - rounding * rounding:
        return tried
    is_equal = tried[1] <= best[1] + rounding * rounding
    return tried if is_equal and abs(tried[0] - centre) < abs(best[0] - centre) else best


@jit
def _nearest(table: Any, X: Transform) -> float:
    """The position whose pose is nearest to X: from all samples that are nearer than their neighbours, and beyond both ends."""
    count, first, centre = int(table[0, SAMPLES]), int(table[0, SAMPLES_AT]), table[0, CENTRE]
    best = (centre, math.inf)
    before, here = math.inf, math.inf
    for i in range(count + 1):
        after = math.inf
        if i < count:
            k = first + SAMPLE * i
            after = _away(load(table, 0, k + 1, 9), load(table, 0, k + 10, 3), X)
        if i > 0 and here <= before and here <= after:
            k = first + SAMPLE * (i - 1)
            low = table[0, k - SAMPLE] if i > 1 else table[0, k]
            high = table[0, k + SAMPLE] if i < count else table[0, k]
            best = _better(best, _refined(table, low, high, table[0, k], X), X[1], centre)
        before, here = here, after
    p = X[1] if table[0, INVERSE] == 0.0 else scale(-1.0, rotate_back(X[0], X[1]))
    for side in range(2):
        end = ENDS + END * side
        ahead = dot(load(table, 0, end + ALONG, 3), subtract(p, load(table, 0, end + ORIGIN, 3)))
        if (ahead < 0.0) if side == 0 else (ahead > 0.0):
            q, reach = table[0, end + PLACE] + ahead, table[0, end + REACH]
            best = _better(best, _refined(table, q - reach, q + reach, q, X), X[1], centre)
    return best[0] if best[1] < math.inf else math.nan


@jit
def _nearest_of(table: Any, X: Transform) -> Scalar:
    """The position nearest to the pose X: that of its real part, and for complex numbers one step of Newton's method more."""
    R, p = X
    A = (R[0].real, R[1].real, R[2].real, R[3].real, R[4].real, R[5].real, R[6].real, R[7].real, R[8].real)
    q = lift(_nearest(table, (A, (p[0].real, p[1].real, p[2].real))), p[0])
    first, second = _descent(table, q, X)
    return q - first * reciprocal(second) if second.real > 0.0 else q


# --- kernels by their addresses -------------------------------------------------------------------------------------------------


@inline
def _fill_guide(at: int, given: int, out: int, like: Scalar) -> float:
    R, p, w, u, dw, du = _guide(table_at(at, 1, 1, 0.0), table_at(given, 1, 1, like)[0, 0])
    numbers = table_at(out, 1, _GUIDE, like)
    store(numbers, 0, 0, R)
    store(numbers, 0, 9, p)
    store(numbers, 0, 12, w)
    store(numbers, 0, 15, u)
    store(numbers, 0, 18, dw)
    store(numbers, 0, 21, du)
    return 0.0


@inline
def fill_nearest(at: int, given: int, out: int, like: Scalar) -> float:
    table_at(out, 1, 1, like)[0, 0] = _nearest_of(table_at(at, 1, 1, 0.0), load_pose(table_at(given, 1, 12, like), 0))
    return 0.0


@entry
def real_guide(at: int, given: int, out: int) -> float:
    """`_guide` of the table at an address, for the coordinate at another one."""
    return _fill_guide(at, given, out, 0.0)


@entry
def complex_guide(at: int, given: int, out: int) -> float:
    """The same in complex numbers."""
    return _fill_guide(at, given, out, 0.0j)


@entry
def packed_guide(at: int, given: int, out: int) -> float:
    """The same in packs."""
    return _fill_guide(at, given, out, as_packs(table_at(given, 1, LANES, 0.0))[0])


@entry
def real_nearest(at: int, given: int, out: int) -> float:
    """The position nearest to the pose at an address."""
    return fill_nearest(at, given, out, 0.0)


@cache
def guide_kernels() -> Any:
    """Their addresses: `_guide` in each scalar at the place of how many words it takes, `fill_nearest` `NEAREST` places on."""
    found = np.zeros(2 * NEAREST)
    for words, kernel in ((1, real_guide), (2, complex_guide), (LANES, packed_guide)):
        found[words] = address_of(kernel)
    found[NEAREST + 1] = address_of(real_nearest)
    return found


@inline
def guide(par: tuple[float, ...], q: Scalar) -> Any:
    """The 24 numbers of `_guide`, for the table and kernels of a joint's parameters."""
    kernel = table_at(int(lane(par[1], 0).real), 1, 1, 0.0)[0, words_in(q)]
    return call_on_numbers(int(kernel), int(lane(par[0], 0).real), (q,), _GUIDE)


@inline
def nearest_on_guide(par: tuple[float, ...], X: Transform) -> Any:
    """The position nearest to a pose."""
    kernel = table_at(int(par[1].real), 1, 1, 0.0)[0, NEAREST + words_in(par[0])]
    (a, b, c, d, e, f, g, h, i), (x, y, z) = X
    return call_on_numbers(int(kernel), int(par[0].real), (a, b, c, d, e, f, g, h, i, x, y, z), 1)
