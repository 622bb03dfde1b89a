"""The impact of one point with friction, followed from its first touch to its end: Routh's method, and Keller's in space.

The impulse Λ_n along the normal takes the place of time: it grows as long as the bodies press against each other. With the slip
velocity r (cos φ, sin φ), where s = (cos φ, sin φ) and s⊥ is s turned by a right angle,

    d u_n / dΛ_n = A_nn − µ A_nt · s,    d r / dΛ_n = g = A_nt · s − µ s · A_tt s,    r dφ / dΛ_n = h = A_nt · s⊥ − µ s⊥ · A_tt s.

Where h = 0, as it always is in the plane, all of this is linear. Elsewhere σ with dΛ_n = r dσ takes the place of Λ_n: then
dφ/dσ = h and d(ln r)/dσ = g have no singularity where the slip ends, and extrapolation integrates them to rounding. At r = 0 the
point sticks, if µ_s holds it, or slips in the one direction with h = 0 < g, straight on.

See E. J. Routh, Dynamics of a System of Rigid Bodies (1860), and J. B. Keller, Impact with friction, J. Appl. Mech. 53 (1986).
"""

from __future__ import annotations

import math
from typing import Any

from ...compilation import Floats, Table, inline, jit, stage
from ...tolerances import EPSILON, IDLE_IN_POINT, ROUNDING, TINY, TURNED

POISSON, STRONGE, NEWTON = range(3)
"""Laws of restitution: impulses of expansion and compression, their works, or velocities after and before."""

_COMPRESSION, _EXPANSION = range(2)
PHI, LOG_SLIP, IMPULSE, APPROACH, WORK, FRICTION_1, FRICTION_2 = range(7)
STATES, ROWS = 7, 17
"""The direction of slip, the logarithm of its speed, Λ_n, u_n, the work of the normal impulse, and Λ_t; rows of their scratch."""

_COLUMNS = 8  # of the extrapolation: order 16
_STEPS = 4000
_ANGLES = 64
_LEGS = 20  # of an impact, between changes of slip and phase


@inline
def rates(A: Any, mu: float, phi: float) -> tuple[float, float, float]:
    """d u_n / dΛ_n, g and h while a point slips in the direction φ."""
    c, s = math.cos(phi), math.sin(phi)
    f_1, f_2 = A[0, 1] - mu * (A[1, 1] * c + A[1, 2] * s), A[0, 2] - mu * (A[1, 2] * c + A[2, 2] * s)
    return A[0, 0] - mu * (A[0, 1] * c + A[0, 2] * s), f_1 * c + f_2 * s, f_2 * c - f_1 * s


@inline
def slope(A: Any, mu: float, y: Any, i: int, out: Any, o: int) -> None:
    """The derivative by σ of the state in row i."""
    k_n, g, h = rates(A, mu, y[i, PHI])
    r = math.exp(y[i, LOG_SLIP])
    out[o, PHI], out[o, LOG_SLIP], out[o, IMPULSE], out[o, APPROACH] = h, g, r, r * k_n
    out[o, WORK] = r * y[i, APPROACH]
    out[o, FRICTION_1], out[o, FRICTION_2] = -mu * r * math.cos(y[i, PHI]), -mu * r * math.sin(y[i, PHI])


@jit
def extrapolate(A: Any, mu: float, size: float, y: Any) -> float:
    """A step of the state in row 0 of y, into row 1: midpoint rules with 2, 4, … parts, extrapolated; its error."""
    error = math.inf
    for column in range(_COLUMNS):
        parts = 2 * (column + 1)
        h = size / parts
        slope(A, mu, y, 0, y, 5)
        for k in range(STATES):
            y[2, k], y[3, k] = y[0, k], y[0, k] + h * y[5, k]
        for _ in range(parts - 1):
            slope(A, mu, y, 3, y, 5)
            for k in range(STATES):
                y[2, k], y[3, k] = y[3, k], y[2, k] + 2.0 * h * y[5, k]
        slope(A, mu, y, 3, y, 5)
        row = 6 + column
        for k in range(STATES):
            y[row, k] = 0.5 * (y[3, k] + y[2, k] + h * y[5, k])
        for back in range(1, column + 1):  # Aitken and Neville, in place: row 6 + column − back becomes of higher order
            ratio = (column + 1.0) / (column + 1.0 - back)
            at = 6 + column - back
            for k in range(STATES):
                y[at, k] = y[at + 1, k] + (y[at + 1, k] - y[at, k]) / (ratio * ratio - 1.0)
        if column > 0:
            error = 0.0
            for k in range(STATES):
                error = max(error, abs(y[6, k] - y[1, k]) / (1.0 + abs(y[6, k])))
        for k in range(STATES):
            y[1, k] = y[6, k]
    return error


@inline
def to_go(law: int, phase: int, y: Any, i: int, stop: float) -> float:
    """What is left to the end of a phase: negative before it, positive beyond it."""
    if phase == _COMPRESSION or law == NEWTON:
        return y[i, APPROACH] - (0.0 if phase == _COMPRESSION else stop)
    return y[i, IMPULSE] - stop if law == POISSON else y[i, WORK] - stop


@inline
def next_stop(law: int, e: float, approach: float, y: Any) -> float:
    """Where the expansion ends, for a state at the end of compression."""
    if law == POISSON:
        return (1.0 + e) * y[0, IMPULSE]
    return -e * approach if law == NEWTON else (1.0 - e * e) * y[0, WORK]


@inline
def line_to_end(law: int, phase: int, k_n: float, y: Any, stop: float) -> float:
    """How much impulse a phase still takes while u_n changes by k_n with it; infinite where it never ends so."""
    u = y[0, APPROACH]
    if phase == _EXPANSION and law == POISSON:
        return stop - y[0, IMPULSE]
    if phase == _EXPANSION and law == STRONGE:  # u p + k_n p² / 2 = work to go
        work = max(stop - y[0, WORK], 0.0)
        root = math.sqrt(max(u * u + 2.0 * k_n * work, 0.0))
        return 2.0 * work / (u + root) if u + root > 0.0 else (0.0 if work == 0.0 else math.inf)
    target = 0.0 if phase == _COMPRESSION else stop
    return (target - u) / k_n if k_n > 0.0 else (0.0 if u >= target else math.inf)


@inline
def go_straight(y: Any, impulse: float, k_n: float, f_1: float, f_2: float) -> None:
    """Add an impulse along which u_n changes by k_n and friction by (f_1, f_2) with it."""
    y[0, WORK] += impulse * (y[0, APPROACH] + 0.5 * k_n * impulse)
    y[0, IMPULSE] += impulse
    y[0, APPROACH] += k_n * impulse
    y[0, FRICTION_1] += f_1 * impulse
    y[0, FRICTION_2] += f_2 * impulse


@jit
def holding(A: Any, mu_s: float) -> tuple[bool, float, float, float]:
    """Whether a point that does not slip sticks on, d u_n / dΛ_n then, and its friction for each unit of the normal impulse."""
    a, b, c, p, q = A[1, 1], A[1, 2], A[2, 2], A[0, 1], A[0, 2]
    f_1, f_2 = 0.0, 0.0
    if a > 0.0 and a >= c:
        rest = c - b * b / a
        f_2 = (b * p / a - q) / rest if rest > ROUNDING * c else 0.0
        f_1 = (-p - b * f_2) / a
    elif c > 0.0:
        rest = a - b * b / c
        f_1 = (b * q / c - p) / rest if rest > ROUNDING * a else 0.0
        f_2 = (-q - b * f_1) / c
    return math.hypot(f_1, f_2) <= mu_s * (1.0 + ROUNDING), A[0, 0] + p * f_1 + q * f_2, f_1, f_2


@jit
def way_out(A: Any, mu: float, planar: bool) -> float:
    """The direction φ in which slip begins from rest: h = 0 and the largest g."""
    if planar:
        along = A[0, 1] if A[1, 1] > 0.0 else A[0, 2]
        return (0.0 if along >= 0.0 else math.pi) + (0.0 if A[1, 1] > 0.0 else math.pi / 2.0)
    best, found, width = -math.inf, 0.0, 2.0 * math.pi / _ANGLES
    for k in range(_ANGLES):
        low, high = k * width, (k + 1) * width
        if not (rates(A, mu, low)[2] >= 0.0 > rates(A, mu, high)[2] or rates(A, mu, low)[2] <= 0.0 < rates(A, mu, high)[2]):
            continue
        rising = rates(A, mu, high)[2] > 0.0
        while high - low > 2.0 * EPSILON * max(1.0, high):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            if (rates(A, mu, middle)[2] > 0.0) == rising:
                high = middle
            else:
                low = middle
        if rates(A, mu, low)[1] > best:
            best, found = rates(A, mu, low)[1], low
    return found


@jit
def slip_along_curve(A: Any, mu: float, law: int, phase: int, stop: float, y: Any) -> bool:
    """Follow a slip that turns, in row 0 of y, to the end of the phase, or to where it has become next to nothing."""
    if to_go(law, phase, y, 0, stop) >= 0.0:
        return True
    _, g, h = rates(A, mu, y[0, PHI])
    size = 0.25 / (abs(g) + abs(h) + mu * (A[1, 1] + A[2, 2]) + TINY)
    least = y[0, LOG_SLIP] + math.log(EPSILON)
    for _ in range(_STEPS):
        if y[0, LOG_SLIP] < least or abs(rates(A, mu, y[0, PHI])[2]) < EPSILON * (
            abs(A[0, 1]) + abs(A[0, 2]) + A[1, 1] + A[2, 2]
        ):
            return False
        error = extrapolate(A, mu, size, y)
        if error > TURNED:
            size *= 0.5
            continue
        if to_go(law, phase, y, 1, stop) >= 0.0:
            shorten(A, mu, law, phase, stop, size, y)
            return True
        for k in range(STATES):
            y[0, k] = y[1, k]
        size *= 1.2 if error < ROUNDING else 1.0
    return False


@jit
def shorten(A: Any, mu: float, law: int, phase: int, stop: float, size: float, y: Any) -> None:
    """Step from row 0 of y to exactly where the phase ends, within a step of this size (regula falsi, Illinois)."""
    low, high = 0.0, size
    at_low, at_high = to_go(law, phase, y, 0, stop), to_go(law, phase, y, 1, stop)
    for _ in range(100):
        if not at_low < 0.0 or high - low <= EPSILON * size:
            break
        trial = (low * at_high - high * at_low) / (at_high - at_low)
        extrapolate(A, mu, trial, y)
        value = to_go(law, phase, y, 1, stop)
        if value == 0.0:
            high = trial
            break
        if value > 0.0:
            high, at_high, at_low = trial, value, 0.5 * at_low
        else:
            low, at_low, at_high = trial, value, 0.5 * at_high
        if high - low <= 4.0 * EPSILON * size:
            break
    extrapolate(A, mu, high, y)
    for k in range(STATES):
        y[0, k] = y[1, k]


@jit
def leg(
    A: Any, mu_s: float, mu_k: float, law: int, phase: int, stop: float, slip: float, planar: bool, y: Any
) -> tuple[bool, float, bool]:
    """Follow an impact to the end of its phase, or to where its slip ends: (whether the phase ended, slip, all is well)."""
    sticks, k_n, f_1, f_2 = holding(A, mu_s)
    g, leaves = 0.0, slip == 0.0 and not sticks
    if mu_k == 0.0:
        k_n, f_1, f_2 = A[0, 0], 0.0, 0.0
    elif slip > 0.0 or leaves:
        if leaves:
            y[0, PHI] = way_out(A, mu_k, planar)
        k_n, g, h = rates(A, mu_k, y[0, PHI])
        f_1, f_2 = -mu_k * math.cos(y[0, PHI]), -mu_k * math.sin(y[0, PHI])
        if not (leaves or planar or is_straight(A, h)):
            y[0, LOG_SLIP] = math.log(slip)
            ended = slip_along_curve(A, mu_k, law, phase, stop, y)
            left = math.exp(y[0, LOG_SLIP])
            stopped = not ended and left <= 2.0 * EPSILON * slip
            return ended, 0.0 if stopped else left, ended or stopped or is_straight(A, rates(A, mu_k, y[0, PHI])[2])
    length = line_to_end(law, phase, k_n, y, stop)
    if g < 0.0 and -slip / g < length:
        go_straight(y, -slip / g, k_n, f_1, f_2)
        return False, 0.0, True
    if length == math.inf:
        return False, slip, False
    go_straight(y, length, k_n, f_1, f_2)
    return True, slip + g * length, True


@inline
def is_straight(A: Any, h: float) -> bool:
    """Whether a slip does not turn."""
    return abs(h) <= ROUNDING * (abs(A[0, 1]) + abs(A[0, 2]) + A[1, 1] + A[2, 2])


@stage
def strike(A: Table, u: Floats, mu_s: float, mu_k: float, e: float, law: int, impulse: Floats, y: Table) -> bool:
    """The impulse of one point with the rows A (3, 3) that approaches with u; whether its impact comes to an end.

    `y` is scratch with ROWS rows and STATES columns.
    """
    impulse[0] = impulse[1] = impulse[2] = 0.0
    if not (u[0] < 0.0 and A[0, 0] > 0.0):
        return not u[0] < 0.0
    B, unit = y[ROWS - 3 : ROWS], -u[0] / A[0, 0]  # in units in which the point approaches with 1, and A_nn is 1
    for r in range(3):
        for k in range(3):
            B[r, k] = A[r, k] / A[0, 0]
    planar = min(B[1, 1], B[2, 2]) <= IDLE_IN_POINT * max(1.0, B[1, 1], B[2, 2])
    for k in range(STATES):
        y[0, k] = 0.0
    slip = math.hypot(u[1], u[2]) / -u[0]
    y[0, APPROACH], y[0, PHI] = -1.0, math.atan2(u[2], u[1])
    if slip <= EPSILON * EPSILON:
        slip = 0.0
    phase, stop = _COMPRESSION, 0.0
    for _ in range(_LEGS):
        ended, slip, well = leg(B, mu_s, mu_k, law, phase, stop, slip, planar, y)
        if not well:
            return False
        if ended and phase == _EXPANSION:
            impulse[0], impulse[1], impulse[2] = unit * y[0, IMPULSE], unit * y[0, FRICTION_1], unit * y[0, FRICTION_2]
            return True
        if ended:
            phase, stop = _EXPANSION, next_stop(law, e, -1.0, y)
    return False
