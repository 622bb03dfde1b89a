"""Smooth positions, and velocities and accelerations that are their exact derivatives, also of joints that turn freely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import real_numbers
from ..describe.mechanism import Mechanism
from ..errors import ModelError
from ..tolerances import ROUNDED_TIMES, SAME_INTERVALS, UNIT_QUATERNION
from .gaps import Channels, Mask, mend, whole_rows
from .smoothers import (
    LEAST_FRAMES,
    butterworth,
    check_cutoff,
    cross_validated,
    derivatives,
    half_amplitude,
    reflected_butterworth,
)

Array = NDArray[np.float64]

METHODS = ("butterworth", "gcv", "none")
ENDS = ("free", "reflect")
CUTOFF = 6.0
"""Hz: what is usual for walking."""
ORDER = 6
"""Of the Butterworth filter, both passes together: OpenSim's, three forwards and three backwards."""
GAP = 0.1
"""Seconds: gaps that are longer are not filled."""
_LARGE_TURN = 0.5 * np.pi  # between two frames: more is a fault of the recording sooner than a movement


class Smoothed(NamedTuple):
    """Positions, and their exact first and second derivatives; rows that were left out are NaN."""

    q: Array
    v: Array
    a: Array
    notes: tuple[str, ...]

    @property
    def valid(self) -> Mask:
        """(n,): which frames have numbers."""
        return whole_rows(self.q)


def smooth(
    mech: Mechanism,
    t: ArrayLike,
    q: ArrayLike,
    *,
    cutoff: float | None = CUTOFF,
    method: str = "butterworth",
    order: int = ORDER,
    gap: float = GAP,
    ends: str = "free",
) -> Smoothed:
    """Filter the positions of a mechanism, and take velocities and accelerations.

    Quaternions are filtered as curves in four dimensions and scaled back to length 1, so that it makes no difference which axes a
    body has. The angular velocity is 2 q̄ q̇ of that curve, and the angular acceleration its exact derivative, both in the axes of
    the child, as `v` has them. Angles that jump by whole turns are made continuous.

    Parameters
    ----------
    mech : Mechanism
        Whose joints the numbers belong to.
    t : (n,) array_like
        When each frame was taken.
    q : (n, nq) array_like
        Positions; NaN where something was not recorded.
    cutoff : float or None, optional
        Of the Butterworth filter, in Hz; None for no filter.
    method : {"butterworth", "gcv", "none"}, optional
        A zero-lag low-pass; a smoothing spline for each joint, as smooth as generalised cross-validation finds best; or the
        splines of degree 5 through the positions as they are.
    order : int, optional
        Of the Butterworth filter, both passes together, so it is even. The cut-off is that of each pass, as in OpenSim.
    gap : float, optional
        Gaps of up to so many seconds are filled by splines; longer ones are left out.
    ends : {"free", "reflect"}, optional
        What the Butterworth filter takes for granted beyond the ends of the record: nothing, so that accelerations there are as
        they come out; or the record turned round, as OpenSim does, so that they fall to 0.

    Returns
    -------
    Smoothed
        Its `q`, `v`, `a` and `notes`; frames that were left out are rows of NaN.

    Raises
    ------
    ModelError
        If times do not increase, frames are too few, nothing was recorded, or the cut-off is not below the Nyquist frequency.

    Examples
    --------
    >>> import numpy as np
    >>> import regraft as rg
    >>> from regraft.mocap.filtering import smooth
    >>> mech, _ = rg.models.pendulum().start
    >>> t = np.linspace(0.0, 1.0, 101)
    >>> q, v, a, notes = smooth(mech, t, np.sin(t)[:, None], cutoff=None)
    >>> bool(np.allclose(v[:, 0], np.cos(t), atol=1e-8))
    True
    """
    times, given = _checked(t, q, mech.nq, "smooth")
    channels, notes = _continuous_channels(mech, times, given)
    settings = _Settings("smooth", ends, cutoff=cutoff, method=method, order=order, gap=gap)
    curves = _curves(times, given, channels, settings)
    x, v, a = _on_the_manifold(mech, *curves[:3])
    return Smoothed(x, v, a, (*notes, *curves[3]))


class Smoothing(TypedDict, total=False):
    """How to filter, as `smooth` explains it."""

    cutoff: float | None
    method: str
    order: int
    gap: float


def smooth_points(t: ArrayLike, x: ArrayLike, *, name: str = "points", **how: Unpack[Smoothing]) -> Smoothed:
    """Filter points such as markers, and take their velocities and accelerations.

    Parameters
    ----------
    t : (n,) array_like
        When each frame was taken.
    x : (n, k) array_like
        Coordinates; NaN where a point was not seen.
    name : str, optional
        What the points are called in notes and errors.
    **how
        cutoff, method, order and gap, as for `smooth`.

    Returns
    -------
    Smoothed
        The points as `q`, their velocities `v`, their accelerations `a`, and `notes`.

    Raises
    ------
    ModelError
        As `smooth` does.

    Examples
    --------
    >>> import numpy as np
    >>> from regraft.mocap.filtering import smooth_points
    >>> t = np.linspace(0.0, 1.0, 61)
    >>> falling = np.stack([t, 0 * t, -4.905 * t**2], axis=1)
    >>> smooth_points(t, falling, cutoff=None).a[30].round(6) + 0.0
    array([ 0.  ,  0.  , -9.81])
    """
    times, given = _checked(t, x, None, name)
    return Smoothed(*_curves(times, given, [Channels(name, tuple(range(given.shape[1])))], _Settings(name, **how)))


class _Settings(NamedTuple):
    what: str
    ends: str = "free"
    cutoff: float | None = CUTOFF
    method: str = METHODS[0]
    order: int = ORDER
    gap: float = GAP


def _checked(t: ArrayLike, x: ArrayLike, columns: int | None, what: str) -> tuple[Array, Array]:
    times, given = real_numbers(f"{what}: times", t), real_numbers(f"{what}: positions", x)
    n = len(times) if times.ndim == 1 else -1
    if given.ndim != 2 or given.shape[0] != n or given.shape[1] != (columns or given.shape[1]):
        wanted = "(n, k)" if columns is None else f"(n, {columns})"
        raise ModelError(f"{what}: times must have shape (n,) and positions {wanted}, not {times.shape} and {given.shape}.")
    if n < LEAST_FRAMES:
        raise ModelError(f"{what}: {n} frames are too few for velocities and accelerations; at least {LEAST_FRAMES} are needed.")
    wrong = np.flatnonzero(~(np.diff(times) > 0.0))
    if len(wrong):
        k = int(wrong[0])
        raise ModelError(
            f"{what}: times must increase, but frame {k + 1} at {times[k + 1]:g} s comes after frame {k} at {times[k]:g} s. "
            "Sort the frames, and leave out those that are there twice."
        )
    return times, given


def _continuous_channels(mech: Mechanism, t: Array, q: Array) -> tuple[list[Channels], list[str]]:
    """Which numbers belong together; angles and quaternions among them are made continuous in place."""
    channels: list[Channels] = []
    notes: list[str] = []
    for name, kind, _, _ in mech.layout.joints:
        columns = tuple(range(mech.nq)[mech.layout.q_slices[name]])
        start = kind.quaternion
        for k in kind.turns:
            _unwrap(q, columns[k])
        if start is None:
            channels += [Channels(name, (column,)) for column in columns]
            continue
        channels += [Channels(name, columns[:start])] if start else []
        channels.append(Channels(name, columns[start:]))
        notes += _continuous(q, columns[start:], name, t)
    return channels, notes


def _unwrap(x: Array, column: int) -> None:
    known = np.isfinite(x[:, column])
    x[known, column] = np.unwrap(x[known, column])


def _continuous(x: Array, columns: tuple[int, ...], name: str, t: Array) -> list[str]:
    """Give unit quaternions the signs that make them a continuous curve."""
    own = x[:, columns]
    known = np.flatnonzero(whole_rows(own))
    lengths = np.linalg.norm(own[known], axis=1)
    off = np.flatnonzero(np.abs(lengths - 1.0) > UNIT_QUATERNION)
    if len(off):
        raise ModelError(
            f"smooth: the quaternion of {name!r} has length {lengths[off[0]]:.6g} in frame {known[off[0]]}; that of a rotation "
            "is 1. Normalise it, or make the whole row NaN where nothing was recorded."
        )
    unit = own[known] / lengths[:, None]
    along = np.sum(unit[1:] * unit[:-1], axis=1)
    signs = np.cumprod(np.concatenate([np.ones(min(1, len(known))), np.where(along < 0.0, -1.0, 1.0)]))
    x[:, columns] = np.nan
    x[known, columns[0] : columns[-1] + 1] = unit * signs[:, None]
    jumps = np.flatnonzero((2.0 * np.arccos(np.minimum(np.abs(along), 1.0)) > _LARGE_TURN) & (np.diff(known) == 1))
    if not len(jumps):
        return []
    return [f"{name} turns by more than a right angle within one frame, {len(jumps)} times, first at {t[known[jumps[0]]]:.4g} s"]


def _curves(t: Array, x: Array, channels: Sequence[Channels], settings: _Settings) -> tuple[Array, Array, Array, tuple[str, ...]]:
    """Each column as a smooth curve, with two derivatives, over each segment of the record by itself."""
    what, gap = settings.what, settings.gap
    method = "none" if settings.cutoff is None and settings.method == "butterworth" else settings.method
    if method not in METHODS:
        raise ModelError(f"{what}: there is no method {method!r}; choose one of {', '.join(METHODS)}.")
    if method == "butterworth" and (settings.order < 2 or settings.order % 2):
        raise ModelError(
            f"{what}: the order {settings.order} must be even, half of it for each of the two passes; 6 is OpenSim's."
        )
    if settings.ends not in ENDS:
        raise ModelError(f"{what}: ends are one of {', '.join(ENDS)}, not {settings.ends!r}.")
    if not gap >= 0.0:
        raise ModelError(f"{what}: the longest gap that is filled must be a number of seconds that is not negative, not {gap!r}.")
    _check_recorded(x, channels, what)
    dt = float(np.median(np.diff(t)))
    if method == "butterworth":
        check_cutoff(float(settings.cutoff or 0.0), dt, what)
    mended = mend(t, x, channels, gap)
    if not mended.segments:
        raise ModelError(
            f"{what}: in no {LEAST_FRAMES} frames on end is everything there. {'; '.join(mended.notes)}. Give a larger gap= to "
            "fill more, or leave out what was seen too seldom."
        )
    found = [np.full_like(x, np.nan) for _ in range(3)]
    notes = list(mended.notes)
    for start, stop in mended.segments:
        times, said = _even(t[start:stop], method)
        curve, more = _smooth_segment(t[start:stop], times, mended.x[start:stop], channels, settings, method)
        for own, new in zip(found, curve, strict=True):
            own[start:stop] = new
        notes += [note for note in (*said, *more) if note not in notes]
    if method == "butterworth":
        notes.append(
            f"filtered by a zero-lag Butterworth low-pass, order {settings.order} (both passes), {settings.cutoff:g} Hz; within "
            f"{0.5 / float(settings.cutoff or 1.0):.2g} s of an end accelerations "
            + ("are less certain" if settings.ends == "free" else "fall to 0, as in OpenSim")
        )
    elif method == "none":
        notes.append("not filtered")
    return found[0], found[1], found[2], tuple(notes)


def _check_recorded(x: Array, channels: Sequence[Channels], what: str) -> None:
    for name, columns in channels:
        if not whole_rows(x[:, columns]).any():
            raise ModelError(f"{what}: {name!r} was recorded in no frame at all: every number is NaN. Leave it out.")


def _even(t: Array, method: str) -> tuple[Array, list[str]]:
    """Times at equal distances in the place of given ones, and what there is to say about it."""
    n = len(t)
    even = np.linspace(t[0], t[-1], n)
    off = float(np.abs(t - even).max()) * (n - 1) / float(t[-1] - t[0])
    if off <= ROUNDED_TIMES:
        rate = (n - 1) / float(t[-1] - t[0])
        rounded = f"times are taken as equally far apart, {rate:.6g} frames a second; they are so to {off:.1g} frames"
        return even, [rounded] if off > SAME_INTERVALS else []
    if method == "none":
        return t, []
    count = int(np.ceil((t[-1] - t[0]) / float(np.median(np.diff(t))))) + 1
    again = np.linspace(t[0], t[-1], max(count, LEAST_FRAMES))
    return again, ["frames are not equally far apart in time: they were resampled by splines before filtering"]


def _smooth_segment(
    t: Array, times: Array, x: Array, channels: Sequence[Channels], settings: _Settings, method: str
) -> tuple[tuple[Array, Array, Array], list[str]]:
    evenly = len(times) == len(t) and bool(np.abs(times - t).max() <= ROUNDED_TIMES * (times[1] - times[0]))
    at = times if evenly else t
    if method == "none":
        return derivatives(at, x, at), []
    samples = x if evenly else derivatives(t, x, times)[0]
    dt = float(times[-1] - times[0]) / (len(times) - 1)
    if method == "butterworth":
        cutoff = float(settings.cutoff or 0.0)
        if settings.ends == "free":
            return derivatives(times, butterworth(samples, dt, cutoff, settings.order), at), []
        samples, beside = reflected_butterworth(samples, dt, cutoff, settings.order)
        longer = times[0] + dt * np.arange(-beside, len(times) + beside)
        return derivatives(longer, samples, at), []
    samples, strengths = cross_validated(samples, [c.columns for c in channels])
    passing = np.array([half_amplitude(strength, dt) for strength in strengths])
    low, high = channels[int(passing.argmin())], channels[int(passing.argmax())]
    said = (
        "smoothed by splines as generalised cross-validation finds best; half of the amplitude passes at "
        f"{passing.min():.3g} Hz ({low.name}) to {passing.max():.3g} Hz ({high.name})"
    )
    return derivatives(times, samples, at), [said]


def _on_the_manifold(mech: Mechanism, x: Array, rate: Array, bend: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of a mechanism from curves of its coordinates and their derivatives."""
    layout = mech.layout
    q, v, a = x.copy(), np.empty((len(x), layout.nv)), np.empty((len(x), layout.nv))
    for name, kind, _, _ in layout.joints:
        own, moving = layout.q_slices[name], layout.v_slices[name]
        if kind.quaternion is None:
            v[:, moving], a[:, moving] = rate[:, own], bend[:, own]
            continue
        turn = slice(own.start + kind.quaternion, own.stop)
        q[:, turn], omega, alpha = turning(x[:, turn], rate[:, turn], bend[:, turn])
        v[:, moving.stop - 3 : moving.stop], a[:, moving.stop - 3 : moving.stop] = omega, alpha
        if kind.quaternion:
            along, place = slice(moving.start, moving.start + 3), slice(own.start, own.start + 3)
            v[:, along] = rotated_back(q[:, turn], rate[:, place])
            a[:, along] = rotated_back(q[:, turn], bend[:, place]) - np.cross(omega, v[:, along])
    return q, v, a


def turning(s: Array, rate: Array, bend: Array) -> tuple[Array, Array, Array]:
    """The unit quaternion, angular velocity and angular acceleration, in the turning axes, of a curve s in four dimensions.

    ω = 2 Im(s̄ ṡ) / |s|² and α = (2 Im(s̄ s̈) − 2 (s · ṡ) ω) / |s|², since Im of the conjugate of ṡ times ṡ vanishes.
    """
    squared = np.sum(s * s, axis=1, keepdims=True)
    omega = 2.0 * _imaginary(s, rate) / squared
    alpha = (2.0 * _imaginary(s, bend) - 2.0 * np.sum(s * rate, axis=1, keepdims=True) * omega) / squared
    return s / np.sqrt(squared), omega, alpha


def _imaginary(s: Array, r: Array) -> Array:
    """The vector part of s̄ r."""
    found: Array = s[:, :1] * r[:, 1:] - r[:, :1] * s[:, 1:] - np.cross(s[:, 1:], r[:, 1:])
    return found


def rotated_back(q: Array, x: Array) -> Array:
    """Vectors in the axes of bodies that unit quaternions turn: Rᵀ x."""
    axis = -q[:, 1:]
    twice = 2.0 * np.cross(axis, x)
    found: Array = x + q[:, :1] * twice + np.cross(axis, twice)
    return found
