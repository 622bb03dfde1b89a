"""Where the bones of a recorded skeleton are in the world: the one place that walks from bone to bone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def in_the_world(parents: Sequence[int], turns: Array, origins: Array) -> tuple[Array, Array]:
    """Axes (n, bones, 3, 3) and joints (n, bones, 3) in the world, from those in the axes of each parent.

    R_k = R_parent T_k and p_k = p_parent + R_parent o_k; a parent of -1 is the world.
    """
    axes, joints = np.empty_like(turns), np.empty_like(origins)
    for k, parent in enumerate(parents):
        if parent < 0:
            axes[:, k], joints[:, k] = turns[:, k], origins[:, k]
        else:
            np.matmul(axes[:, parent], turns[:, k], out=axes[:, k])
            joints[:, k] = joints[:, parent] + np.einsum("nij,nj->ni", axes[:, parent], origins[:, k])
    return axes, joints


def about(axis: int, angle: Array) -> Array:
    """Rotations (n, 3, 3) by angles (n,) about the axis of that number."""
    turn = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle), np.sin(angle)
    turn[..., axis, axis] = 1.0
    turn[..., i, i] = turn[..., j, j] = c
    turn[..., i, j], turn[..., j, i] = -s, s
    return turn
