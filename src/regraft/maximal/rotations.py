"""Rotations of three axes as matrices, dense and readable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def skew(x: Array) -> Array:
    """The matrix of the cross product by x."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def exponential(t: Array) -> Array:
    """exp of the skew matrix of t: the rotation by |t| about t (Rodrigues)."""
    angle, T = np.linalg.norm(t), skew(t)
    found: Array = np.eye(3) + np.sinc(angle / np.pi) * T + 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2 * T @ T
    return found
