"""Force plates at the frames of a recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import real_numbers
from ..errors import ModelError
from ..tolerances import ROUNDED_TIMES
from .filtering import GAP, smooth_points
from .gaps import Mask, runs, whole_rows
from .recording import Plate

Array = NDArray[np.float64]


def resample(plate: Plate, t: ArrayLike, *, cutoff: float | None = None, least: float = 1.0) -> Plate:
    """What a force plate has measured, at other times.

    Force and moment about the world's origin are filtered if wanted and then interpolated, so the wrench on the body is that of
    the plate whatever happens to the point. The point is interpolated where the plate is loaded, and the moment about it is what
    remains.

    Parameters
    ----------
    plate : Plate
        The plate with instants of its own.
    t : (n,) array_like
        The frames.
    cutoff : float or None, optional
        In Hz, of a zero-lag Butterworth low-pass on the wrench; by default it is not filtered.
    least : float, optional
        In N: a smaller force is none, and has no centre of pressure.

    Returns
    -------
    Plate
        With a point of NaN where there is no load.

    Raises
    ------
    ModelError
        If the plate was not measured at all of these times, or has NaN in its force or its moment.

    Examples
    --------
    >>> import numpy as np
    >>> from regraft.mocap.recording import Plate
    >>> from regraft.mocap.resampling import resample
    >>> t = np.linspace(0.0, 1.0, 11)
    >>> up = np.stack([0 * t, 0 * t, 100 * t], axis=1)
    >>> plate = Plate("left", t, up, np.full((11, 3), [0.1, 0.2, 0.0]), np.zeros((11, 3)))
    >>> resample(plate, [0.25, 0.5]).force[:, 2].tolist()
    [25.0, 50.0]
    """
    times = real_numbers(f"resample: times for the plate {plate.name!r}", t)
    _check_times(plate, times)
    plate = _where_it_acts(plate)
    wrench = np.concatenate([plate.force, np.cross(np.nan_to_num(plate.point), plate.force) + plate.moment], axis=1)
    if cutoff is not None:
        wrench = smooth_points(plate.t, wrench, cutoff=cutoff, name=f"plate {plate.name!r}").q
    loaded = np.isfinite(plate.point).all(axis=1) & (np.linalg.norm(plate.force, axis=1) >= least)
    new = _interpolated(times, plate.t, wrench)
    place = _interpolated(times, plate.t[loaded], plate.point[loaded]) if loaded.any() else np.zeros((len(times), 3))
    bears = (np.linalg.norm(new[:, :3], axis=1) >= least) & loaded.any()
    place[~bears], new[~bears] = np.nan, 0.0
    moment = new[:, 3:] - np.nan_to_num(np.cross(place, new[:, :3]))
    return plate._replace(t=times, force=new[:, :3], point=place, moment=moment)


def without_nan(plate: Plate, t: Array, loaded: float) -> tuple[Plate, list[str]]:
    """The plate without NaN in its force, nor in its moment and its point where it is loaded by so many newtons.

    Gaps of up to 0.1 s are filled by straight lines, which is told; longer ones within the frames `t` are refused. Where there is
    no load, a moment that is NaN is none.
    """
    found, notes = {"force": plate.force.copy(), "moment": plate.moment.copy(), "point": plate.point.copy()}, []
    longest = GAP + float(np.median(np.diff(plate.t)))
    heavy = ~(np.linalg.norm(np.nan_to_num(plate.force), axis=1) <= loaded)
    found["moment"][~whole_rows(found["moment"]) & ~heavy] = 0.0
    for what, values in found.items():
        known = whole_rows(values)
        missing: Mask = ~known & heavy if what == "point" else ~known
        for a, b in runs(missing):
            inside = plate.t[b - 1] >= t[0] and plate.t[a] <= t[-1]
            if inside and (a == 0 or b == len(missing) or plate.t[b] - plate.t[a - 1] > longest):
                load = "" if what == "force" else f" while more than {loaded:.3g} N act on it"
                raise ModelError(
                    f"the plate {plate.name!r} has no {what} (NaN) from {plate.t[a]:.4g} to {plate.t[b - 1]:.4g} s{load}; this "
                    "is not taken for 0. Fill the gap, cut the record to where the plate measured, or leave the plate out."
                )
        if missing.any():
            values[missing] = _interpolated(plate.t[missing], plate.t[known], values[known]) if known.any() else 0.0
            notes.append(f"the plate {plate.name!r} has {int(missing.sum())} samples without {what}, filled by straight lines.")
    return plate._replace(force=found["force"], moment=found["moment"], point=found["point"]), notes


def _where_it_acts(plate: Plate) -> Plate:
    """The plate with a point wherever it has a force: where there is none, as just before and after it.

    Files leave the centre of pressure out where it is too uncertain. A force at the world's origin in its place would have a
    moment that nobody has measured.
    """
    known = np.isfinite(plate.point).all(axis=1)
    acts = (np.nan_to_num(plate.force) != 0.0).any(axis=1) & ~known
    if not acts.any() or not known.any():
        return plate
    point = plate.point.copy()
    point[acts] = _interpolated(plate.t[acts], plate.t[known], plate.point[known])
    return plate._replace(point=point)


def _check_times(plate: Plate, t: Array) -> None:
    if len(plate.t) < 2 or t.ndim != 1 or not len(t):
        raise ModelError(
            f"the plate {plate.name!r} has {len(plate.t)} instants, and {t.size} frames are asked for: nothing to resample."
        )
    margin = ROUNDED_TIMES * float(np.median(np.diff(t))) if len(t) > 1 else 0.0
    if t[0] < plate.t[0] - margin or t[-1] > plate.t[-1] + margin:
        raise ModelError(
            f"the plate {plate.name!r} was measured from {plate.t[0]:g} to {plate.t[-1]:g} s, the frames are from {t[0]:g} to "
            f"{t[-1]:g} s. Give plates of the same trial, or cut the recording to the time that both cover."
        )


def _interpolated(at: Array, t: Array, x: Array) -> Array:
    return np.stack([np.interp(at, t, column) for column in x.T], axis=1)
