"""Whether the first frame of a recorded skeleton is no motion but a reference pose that somebody put in front."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_JUMP = 5.0  # times as far as between nearly all frames later on
_FAR = 0.05  # rad, root mean square over all joints
_SQUARE = 0.5  # of the joints that move later on, how many are not turned at all in a reference pose
_FRAMES = 4  # below which nothing can be told


def first_frame_is_artificial(turns: Array) -> bool:
    """Whether half of what moves is not turned at all in the first frame, and the motion then jumps away from there."""
    if len(turns) < _FRAMES or not turns.shape[1]:
        return False
    steps = _angles(np.swapaxes(turns[:-1], -1, -2) @ turns[1:])
    sizes = _sizes(steps)
    jump, others = sizes[0], sizes[1:][np.isfinite(sizes[1:])]
    if not (np.isfinite(jump) and jump > _FAR and len(others) and jump > max(others.max(), _JUMP * np.percentile(others, 95))):
        return False
    moving = _angles(turns[1]) > 0.0
    still = _angles(turns[0]) == 0.0
    return bool(moving.any() and still[moving].mean() >= _SQUARE)


def _sizes(steps: Array) -> Array:
    """The root mean square over the joints of which both frames are known."""
    known = np.isfinite(steps)
    with np.errstate(invalid="ignore"):
        sizes: Array = np.sqrt((np.where(known, steps, 0.0) ** 2).sum(axis=1) / known.sum(axis=1))
    return sizes


def _angles(turns: Array) -> Array:
    """The angles of rotations."""
    sine = np.stack(
        [turns[..., 2, 1] - turns[..., 1, 2], turns[..., 0, 2] - turns[..., 2, 0], turns[..., 1, 0] - turns[..., 0, 1]]
    )
    angles: Array = np.arctan2(np.sqrt((sine**2).sum(axis=0)), np.trace(turns, axis1=-2, axis2=-1) - 1.0)
    return angles
