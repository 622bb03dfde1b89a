"""Where on a mechanism something is, by the name of a frame or a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..errors import ModelError, meant
from ..structure.structure import Structure

Array = NDArray[np.float64]


def place_of(mech: Mechanism, frame: str) -> tuple[str, Pose] | None:
    """The body that carries a frame and the frame's pose on it, None where there is none; a body is a frame too."""
    if frame in mech.frames:
        found = mech.frames[frame]
        return found.body, found.pose
    return (frame, Pose()) if frame == WORLD or frame in mech.bodies else None


def known_place(mech: Mechanism, frame: str) -> tuple[str, Pose]:
    """`place_of` a frame or a body that must be there."""
    found = place_of(mech, frame)
    if found is not None:
        return found
    raise ModelError(f"there is no frame or body {frame!r}; add it with add_frame.{meant(frame, (*mech.frames, *mech.bodies))}")


def row_and_point(mech: Mechanism, structure: Structure, frame: str) -> tuple[int, Array]:
    """The row of the body that carries a frame, −1 for the world, and the frame's origin as kernels take it."""
    body, local = known_place(mech, frame)
    if body == WORLD:
        return -1, np.zeros(3)
    point: Any = structure.point(body, local.translation)
    return structure.row_of[body], point
