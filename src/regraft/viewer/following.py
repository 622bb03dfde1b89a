"""A camera that goes along with what is seen; whoever turns it or comes nearer keeps doing so."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.balance import center_of_mass
from ..show.room import Room
from .placed import Placed

Array = NDArray[np.float64]

FOLLOW = "Follow with the camera"
_FAR = 2.5  # sizes of what moves: where a motion goes farther, the camera follows it

_GONE = 1.2  # sizes of the room at first, from its middle: what hangs on a fixed point there never gets so far


def has_gone(room: Room, placed: Placed) -> bool:
    """Whether what was in a room at first has left it, as what was cut loose and falls does."""
    away = float(np.linalg.norm(middle_of(placed) - room.middle))
    return math.isfinite(away) and away > _GONE * room.size


def goes_far(whole: Room, near: Room) -> bool:
    """Whether what is seen at first is small beside all of its motion."""
    return whole.size > _FAR * near.size


def middle_of(placed: Placed) -> Array:
    """(3,): the centre of mass; of bodies without mass the middle of their places."""
    if any(body.inertia.mass > 0.0 for body in placed.mech.bodies.values()):
        return np.asarray(center_of_mass(placed.mech, placed.state))
    return np.asarray(placed.rows[:-1, 9:].mean(axis=0)) if len(placed.rows) > 1 else np.zeros(3)


class Follower:
    """Moves a visitor's camera by what the middle of the bodies moves."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._ahead: Array | None = None

    def rest(self) -> None:
        """Let the camera be."""
        self._ahead = None

    def face(self, placed: Placed) -> None:
        """Look at the middle of the bodies from now on, from the side and the distance from which the camera looks."""
        self._ahead = np.zeros(3)
        self.go(placed)

    def go(self, placed: Placed) -> None:
        """Take the camera along: how far and from which side it looks, only the visitor changes.

        Where it looks is set, not shifted, so that what the visitor's page says meanwhile of where it was does not add up.
        """
        camera, middle = self._client.camera, middle_of(placed)
        if self._ahead is None:
            self._ahead = np.asarray(camera.look_at) - middle
        away = np.asarray(camera.position) - np.asarray(camera.look_at)
        target = middle + self._ahead
        if np.isfinite(target).all() and away.any():
            camera.position = target + away
            camera.look_at = target
