"""Force plates at the frames of a recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import real_numbers
from ..errors import ModelError
from ..tolerances import ROUNDED_TIMES
from .filtering import smooth_points
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
        If the plate was not measured at all of these times.

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
    force, point = np.nan_to_num(plate.force), np.nan_to_num(plate.point)
    wrench = np.concatenate([force, np.cross(point, force) + np.nan_to_num(plate.moment)], axis=1)
    if cutoff is not None:
        wrench = smooth_points(plate.t, wrench, cutoff=cutoff, name=f"plate {plate.name!r}").q
    loaded = np.isfinite(plate.point).all(axis=1) & (np.linalg.norm(plate.force, axis=1) >= least)
    new = _interpolated(times, plate.t, wrench)
    place = _interpolated(times, plate.t[loaded], plate.point[loaded]) if loaded.any() else np.zeros((len(times), 3))
    bears = (np.linalg.norm(new[:, :3], axis=1) >= least) & loaded.any()
    place[~bears], new[~bears] = np.nan, 0.0
    moment = new[:, 3:] - np.nan_to_num(np.cross(place, new[:, :3]))
    return plate._replace(t=times, force=new[:, :3], point=place, moment=moment)


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
