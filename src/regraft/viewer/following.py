"""A camera that goes along with what is seen; whoever turns it or comes nearer keeps doing so."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.balance import center_of_mass
from ..show.room import Room
from .placed import Placed

Array = NDArray[np.float64]

FOLLOW = "Follow with the camera"
_FAR = 2.5  # sizes of what moves: where a motion goes farther, the camera follows it


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
