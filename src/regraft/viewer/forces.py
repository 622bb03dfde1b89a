"""What joints and contacts transmit in a motion, as arrows of a scene."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..describe.parts import WORLD
from ..simulate import Trajectory
from .placed import Placed

Array = NDArray[np.float64]

NONE = np.zeros((0, 2, 3))


class ForceHistory:
    """The forces of joints and contacts at all samples of a trajectory; a ModelError where they are not known."""

    def __init__(self, traj: Trajectory) -> None:
        self._joints = traj.reactions()
        self._bodies: Mapping[str, Array] = traj.contact_wrenches()
        contacts = traj.contacts() if self._bodies else {}
        self._touching = [(one.point, np.nan_to_num(one.normal)) for one in contacts.values()]

    def at(self, sample: int, placed: Placed) -> tuple[Array, Array]:
        """(n, 2, 3) of joints and of contacts: where a force acts, and the force, in N, in the world."""
        joints = [
            (placed.joint(name), wrenches[sample, 3:])
            for name, wrenches in self._joints.items()
            if name in placed.mech.joints and np.isfinite(wrenches[sample]).all() and wrenches[sample, 3:].any()
        ]
        touched = self._middle(sample)
        contacts = [
            _line_of_action(placed.at(body, (0.0, 0.0, 0.0)), wrenches[sample], touched)
            for body, wrenches in self._bodies.items()
            if body in placed.mech.bodies and body != WORLD and np.isfinite(wrenches[sample]).all() and wrenches[sample, 3:].any()
        ]
        return np.array(joints).reshape(-1, 2, 3), np.array(contacts).reshape(-1, 2, 3)

    def _middle(self, sample: int) -> Array | None:
        """Where things touch, on the average: forces are drawn beside it."""
        rows = [(point[sample], normal[sample]) for point, normal in self._touching]
        rows = [(point, weight) for point, weight in rows if weight > 0.0 and np.isfinite(point).all()]
        if not rows:
            return None
        return np.asarray(np.average([point for point, _ in rows], axis=0, weights=[weight for _, weight in rows]))


def forces_of(traj: Trajectory | None, placed: Placed | None) -> tuple[Array, Array]:
    """The forces at the end of a trajectory; none where there is none yet."""
    if traj is None or placed is None:
        return NONE, NONE
    return ForceHistory(traj).at(-1, placed)


def _line_of_action(origin: Array, wrench: Array, near: Array | None) -> tuple[Array, Array]:
    """A force and a point at which it acts: of its line, the one that is nearest to where things touch, or to the origin."""
    moment, force = wrench[:3], wrench[3:]
    size = float(force @ force)
    place = origin + np.cross(force, moment) / size
    if near is not None:
        place = place + force * float((near - place) @ force) / size
    return place, force
