"""Smooth curves through samples that are equally far apart: low-pass filters, smoothing splines, and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

Array = NDArray[np.float64]

DEGREE = 5
"""Of the splines whose derivatives are taken: they are exact for polynomials of this degree."""
LEAST_FRAMES = DEGREE + 1
"""Fewer samples make no such spline."""
ROUGHNESS = 3
"""Smoothing splines penalise this derivative, as Woltring's quintic ones do; polynomials of a lower degree stay as they are."""
_SETTLED = 4.0  # periods of the cut-off frequency after which a filter has forgotten how it began
_BESIDE = 10  # samples beyond an end that its spline passes too
_REFINED = 3  # times that a filter's equations are solved, each time for what is left
_TRIES = 25  # strengths of smoothing that are tried, evenly spaced in their logarithm


def butterworth(x: Array, dt: float, cutoff: float, order: int) -> Array:
    """A zero-lag Butterworth low-pass whose ends are free: half of an amplitude passes at the cut-off.

    Of an order m forwards and backwards, the digital filter has the gain c²ᵐ / (c²ᵐ + λ s²ᵐ), with c and s the cosine and sine of
    half the angle between two samples, and λ = tan⁻²ᵐ(π f dt). The same gain has the y for which |Cᵐ (y − x)|² + λ |Dᵐ y|² is
    least, with the sums C and the differences D of neighbours; and that needs no samples beyond the ends. Polynomials of a degree
    below m stay as they are, at the ends too.
    """
    from scipy.linalg import solveh_banded  # on first use: it takes long to import

    m, n = order // 2, len(x)
    sums = np.array([comb(m, i) for i in range(m + 1)], float)
    differences = sums * (-1.0) ** np.arange(m, -1, -1)
    strength = np.tan(np.pi * cutoff * dt) ** (-2 * m)
    bands = _squared(sums, n) + strength * _squared(differences, n)
    y = np.zeros_like(x)
    for _ in range(_REFINED):  # where frames are many for each period of the cut-off, elimination alone loses digits
        y += solveh_banded(bands, _twice(sums, x - y) - strength * _twice(differences, y), lower=True, check_finite=False)
    return y


def _squared(kernel: Array, n: int) -> Array:
    """The diagonals of Kᵀ K, the lowest last, where each row of K has the same numbers side by side."""
    m = len(kernel) - 1
    bands = np.zeros((m + 1, n))
    for k in range(m + 1):
        for i in range(m + 1 - k):
            bands[k, i : i + n - m] += kernel[i] * kernel[i + k]
    return bands


def _twice(kernel: Array, x: Array) -> Array:
    """Kᵀ K x."""
    m, n = len(kernel) - 1, len(x)
    once: Array = np.sum([kernel[i] * x[i : i + n - m] for i in range(m + 1)], axis=0)
    found = np.zeros_like(x)
    for i in range(m + 1):
        found[i : i + n - m] += kernel[i] * once
    return found


def reflected_butterworth(x: Array, dt: float, cutoff: float, order: int) -> tuple[Array, int]:
    """The same filter as OpenSim has it, and by how many samples the result is longer than x at either end.

    Ends are continued by their reflection in the end point, turned round. So accelerations fall to 0 there.
    """
    from scipy.signal import butter, sosfiltfilt  # on first use: it takes long to import

    pad = min(len(x) - 1, int(np.ceil(_SETTLED / (cutoff * dt))))
    beside = min(pad, _BESIDE)
    part = np.arange(-beside, len(x) + beside)[:, None] / (len(x) - 1)
    line = x[0] + part * (x[-1] - x[0])
    off = x - line[beside : beside + len(x)]
    longer = np.concatenate([-off[pad:0:-1], off, -off[-2 : -pad - 2 : -1]])
    passes = butter(order // 2, 2.0 * cutoff * dt, output="sos")
    smooth: Array = sosfiltfilt(passes, longer, axis=0, padlen=0)
    return line + smooth[pad - beside : pad + len(x) + beside], beside


def check_cutoff(cutoff: float, dt: float, what: str) -> None:
    """Refuse a cut-off that is none, or that the samples cannot tell from others."""
    nyquist = 0.5 / dt
    if not (np.isfinite(cutoff) and cutoff > 0.0):
        raise ModelError(f"{what}: the cut-off must be a positive number of Hz, or None for no filter, not {cutoff!r}.")
    if cutoff >= nyquist:
        raise ModelError(
            f"{what}: a cut-off of {cutoff:g} Hz is not below the Nyquist frequency, {nyquist:g} Hz for {1.0 / dt:g} frames a "
            "second. Choose a lower one (6 Hz for walking), or cutoff=None for no filter."
        )


def cross_validated(x: Array, groups: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Smoothed samples, as smooth as generalised cross-validation finds best, and each group's strength λ.

    Minimises |y − x|² + λ |D³ y|² with third differences D³, for all columns of a group with the same λ: the one for which
    n |y − x|² / (n − tr H)² is least, H being the matrix that turns x into y (Craven and Wahba 1979, Woltring 1986).
    """
    n = len(x)
    tries = np.geomspace(*_strengths(n), _TRIES)
    scores = np.array([_scores(x, groups, strength) for strength in tries])
    found, y = np.empty(len(groups)), np.empty_like(x)
    for g, columns in enumerate(groups):
        found[g] = _least(np.log(tries), scores[:, g])
        y[:, columns] = _penalised(x[:, columns], found[g])
    return y, found


def half_amplitude(strength: float, dt: float) -> float:
    """The frequency in Hz of which a smoothing by this strength leaves half of the amplitude."""
    return float(np.arcsin(min(1.0, 0.5 * strength ** (-0.5 / ROUGHNESS))) / (np.pi * dt))


def traced(n: int, strength: float) -> float:
    """The trace of H: how many free numbers the smoothed samples have, from the eigenvalues of D³ᵀD³ for large n."""
    angles = np.pi * (np.arange(ROUGHNESS, n) - 0.5 * (ROUGHNESS - 1)) / n
    return float(ROUGHNESS + np.sum(1.0 / (1.0 + strength * (2.0 * np.sin(0.5 * angles)) ** (2 * ROUGHNESS))))


def derivatives(t: Array, x: Array, at: Array) -> tuple[Array, Array, Array]:
    """The spline of degree 5 through samples, its rate and the rate of that, at given times."""
    from scipy.interpolate import make_interp_spline  # on first use: it takes long to import

    curve = make_interp_spline(t, x, k=DEGREE, check_finite=False)
    return curve(at), curve(at, 1), curve(at, 2)


def _strengths(n: int) -> tuple[float, float]:
    """From next to no smoothing up to a curve with a wave in the whole record, within what banded elimination can resolve."""
    longest = max(4.0, n / 2.0)
    return 2.0 ** (-2 * ROUGHNESS), float(min((longest / np.pi) ** (2 * ROUGHNESS), 1e10))


def _penalised(x: Array, strength: float) -> Array:
    """(1 + λ D³ᵀD³)⁻¹ x."""
    from scipy.linalg import solveh_banded  # on first use, as above

    y: Array = solveh_banded(_bands(len(x), strength), x, lower=True, check_finite=False)
    return y


def _bands(n: int, strength: float) -> Array:
    """The lower bands of 1 + λ D³ᵀD³."""
    weights = np.array([comb(ROUGHNESS, k) * (-1.0) ** k for k in range(ROUGHNESS + 1)])
    bands = np.zeros((ROUGHNESS + 1, n))
    bands[0] = 1.0
    for below in range(ROUGHNESS + 1):
        for k in range(ROUGHNESS + 1 - below):
            bands[below, k : n - ROUGHNESS + k] += strength * weights[k] * weights[k + below]
    return bands


def _scores(x: Array, groups: Sequence[Sequence[int]], strength: float) -> list[float]:
    n = len(x)
    misses = np.sum((_penalised(x, strength) - x) ** 2, axis=0)
    left = n - traced(n, strength)
    return [n * float(misses[list(columns)].sum()) / left**2 for columns in groups]


def _least(logs: Array, scores: Array) -> float:
    """Where the parabola through the lowest score and its neighbours is lowest; a lowest one at an end is taken as it is."""
    k = int(np.argmin(scores))
    if k in (0, len(scores) - 1) or not scores[k] > 0.0:
        return float(np.exp(logs[k]))
    before, here, after = np.log(scores[k - 1 : k + 2])
    bend = before - 2.0 * here + after
    shift = 0.5 * (before - after) / bend if bend > 0.0 else 0.0
    return float(np.exp(logs[k] + shift * (logs[k + 1] - logs[k])))
