"""Where the body as a whole goes, and along which twists its base can move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .body_motion import Motion
from .support_dynamics import Roots

Array = NDArray[np.float64]


def base_places(motion: Motion, roots: Roots) -> Array:
    """(n, 3): where the base of the body is."""
    rows = np.array([[roots.top]], np.int64)
    return roots.motions_of(motion, rows, np.zeros((1, 3)))[0][:, 0]


def heading(motion: Motion, roots: Roots, belt: Array) -> tuple[Array, float]:
    """The horizontal direction (3,) in which the body goes relative to the ground, and how fast."""
    places = base_places(motion, roots)
    span = float(motion.t[-1] - motion.t[0])
    going = (places[-1] - places[0]) / span - belt
    going[2] = 0.0
    speed = float(np.linalg.norm(going))
    return (going / speed if speed > 0.0 else np.array([1.0, 0.0, 0.0])), speed


def base_twists(motion: Motion, roots: Roots) -> Array:
    """(n, 6, k): the twist of the body's base, at the world's origin, for a unit of each of its k velocities."""
    structure, base = roots.structure, roots.ways.base[0]
    found = np.empty((len(motion.t), 6, len(base)))
    for i, q in enumerate(motion.q):
        for j, d in enumerate(base):
            v = np.zeros(structure.nv)
            v[d] = 1.0
            moving = structure.motion(np.concatenate((q, v)))[roots.top]
            found[i, :3, j] = moving[12:15]
            found[i, 3:, j] = moving[15:18] + np.cross(moving[9:12], moving[12:15])
    return found


def about(wrench: Array, point: Array) -> Array:
    """Wrenches (n, 6) about the world's origin, about points (n, 3)."""
    return np.concatenate((wrench[:, :3] - np.cross(point, wrench[:, 3:]), wrench[:, 3:]), axis=1)


def along(twists: Array, wrench: Array, point: Array) -> Array:
    """The shortest wrenches (n, 6), about points, that do the same work on twists (n, 6, k) as given ones about these points."""
    here = twists.copy()
    here[:, 3:] += np.cross(twists[:, :3], point[:, :, None], axis=1)
    works = np.einsum("nik,ni->nk", here, wrench)
    found: Array = np.einsum("nki,nk->ni", np.linalg.pinv(here), works)
    return found
