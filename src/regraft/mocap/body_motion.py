"""A body in motion: a mechanism with mass, and its position, velocity and acceleration in every frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism

Array = NDArray[np.float64]


class Foot(NamedTuple):
    """A foot: its bodies, and the points of its sole as frames of the mechanism.

    Attributes
    ----------
    bodies : tuple of str
        The body that the ankle carries, and the toes where they are a body of their own.
    heel : str
        The frame at the heel.
    ball : tuple of str
        Those at the inner and the outer edge of the ball, or one for both.
    toe : str
        The frame at the tip of the toes.
    """

    bodies: tuple[str, ...]
    heel: str
    ball: tuple[str, ...]
    toe: str


@dataclass(frozen=True, eq=False)
class Motion:
    """A recorded motion of a body with mass.

    Attributes
    ----------
    mech : Mechanism
        The body.
    t : (n,) array
        When each frame was taken.
    q, v, a : (n, nq), (n, nv), (n, nv) arrays
        Position, velocity and acceleration in each frame, in the mechanism's coordinates.
    feet : mapping of str to Foot
        "left" and "right", as far as they were found.
    joints : mapping of str to tuple of str
        The joints that make up each anatomical one, such as "right_knee", where they have other names.
    residuals : mapping of str to (n,) array
        How far each marker is from where the body has it, where the motion was found from markers.
    notes : tuple of str
        What was assumed, repaired or left out, in words.
    """

    mech: Mechanism
    t: Array
    q: Array
    v: Array
    a: Array
    feet: Mapping[str, Foot] = field(default_factory=lambda: MappingProxyType({}))
    joints: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    residuals: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    raw: Array | None = None
    """(n, nq): the positions before they were filtered; None where nothing was filtered."""
    cutoff: float | None = None
    """The filter's cut-off in Hz; None where nothing was filtered."""
    ends: str = "free"
    """What the filter took for granted beyond the ends of the record, see `rg.mocap.smooth`."""
