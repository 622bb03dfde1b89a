"""Triangles of a surface as a camera sees them, lighter where they face the light."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Polygon = tuple[float, Array, str, str, float]
"""How near it is, its corners (k, 2) on the paper, the colours of its face and edge, and the width of its line."""

_LIGHT = np.array([-0.35, 0.65, 0.67])  # where light comes from: from the left, from above, and from the viewer
_DARKEST, _SHADES = 0.45, 24
_SEAM = 0.3  # points: a line in the colour of the face, which covers what shines through between two of them


def shaded_triangles(corners: Array, colour: str) -> list[Polygon]:
    """Triangles (m, 3, 3), given by what is right, up and near; both of their sides are seen."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    seen = sizes > 0.0
    towards = np.where(normals[seen, 2:] < 0.0, -1.0, 1.0) * normals[seen] / sizes[seen, None]
    shades = _shades(colour)
    levels = np.clip((towards @ _LIGHT) * (_SHADES - 1), 0, _SHADES - 1).astype(int)
    near = corners[seen, :, 2].mean(axis=1)
    faces = [shades[level] for level in levels.tolist()]
    return [
        (depth, triangle, face, face, _SEAM)
        for depth, triangle, face in zip(near.tolist(), corners[seen, :, :2], faces, strict=True)
    ]


def _shades(colour: str) -> list[str]:
    """A colour from dark to as it is."""
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
    levels = np.linspace(_DARKEST, 1.0, _SHADES)
    return ["#" + "".join(f"{round(part):02X}" for part in level * parts) for level in levels.tolist()]
