"""The impacts of a motion: what points took at once where a segment begins, and the energy that went with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import POSE
from ...kernels.contacts import looking as k
from ...kernels.contacts.tables import CONTACT, ROW_A, ROW_B
from ...structure.contacts import ContactPoints
from ...tolerances import SLACK_FORCE
from ..recorded import Segment

Array = NDArray[np.float64]


class Impact(NamedTuple):
    """An impact that a contact took.

    Attributes
    ----------
    t : float
        When, in seconds.
    impulse : (3,) array
        On a, in N s and world axes.
    energy : float
        What it took, in J.
    """

    t: float
    impulse: Array
    energy: float


class Struck(NamedTuple):
    """The impulses of all points where a segment begins."""

    t: float
    impulses: Array
    """(points, 3)."""
    taken: Array
    """(points,): energy lost, −p · (u⁻ + u⁺)/2 with the velocities u of a against the surface of b before and after."""
    brought: Array
    """(points,): energy from surfaces that run, p · their velocities."""
    collided: bool
    """Whether they were an impact."""


def struck_in(segment: Segment, points: ContactPoints, seen: Array) -> Struck | None:
    """The impulses with which a segment begins; None where there are none. `seen` has its points at its first sample."""
    before = segment.contacts.before
    if before is None:
        return None
    impulses, places = seen[0, :, k.STRUCK : k.STRUCK + 3], seen[0, :, k.PLACE : k.PLACE + 3]
    was, surface = _velocities(segment, points, before, places)
    after, _ = _velocities(segment, points, segment.x[0], places)
    taken = -np.einsum("pc,pc->p", impulses, 0.5 * (was + after) - surface)
    brought = np.einsum("pc,pc->p", impulses, surface)
    return Struck(float(segment.t[0]), impulses, taken, brought, segment.contacts.collided)


def _velocities(segment: Segment, points: ContactPoints, x: Array, places: Array) -> tuple[Array, Array]:
    """(points, 3) twice: of a against b at some places in a state, and of b's surface against b."""
    structure = segment.moved.structure
    motion = structure.motion(x)
    found, surface = np.zeros((len(places), 3)), np.zeros((len(places), 3))
    for i, place in enumerate(places):
        for row, sign in ((points.points[i, ROW_A], 1.0), (points.points[i, ROW_B], -1.0)):
            if row >= 0:
                found[i] += sign * (motion[row, POSE + 3 :] + np.cross(motion[row, POSE : POSE + 3], place - motion[row, 9:POSE]))
        on_b = np.eye(3) if row < 0 else motion[row, :9].reshape(3, 3)
        surface[i] = on_b @ np.array(points.contacts[points.points[i, CONTACT]].velocity)
    return found, surface


def impacts_of(struck: Struck | None, own: Sequence[int]) -> list[Impact]:
    """The impact of some points together, as a list of one, or of none where they took nothing."""
    if struck is None or not struck.collided:
        return []
    sizes = np.linalg.norm(struck.impulses, axis=1)
    if not (sizes[list(own)] > SLACK_FORCE * sizes.max()).any():
        return []
    return [Impact(struck.t, struck.impulses[list(own)].sum(axis=0), float(struck.taken[list(own)].sum()))]
