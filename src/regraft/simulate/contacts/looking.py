"""The contacts of a segment that is over: their forces, places and slips at any of its states, in the modes that held there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...ask.loads import external_table, joint_torques
from ...compilation import address_of
from ...kernels.contacts import looking as k
from ...kernels.contacts import memory as m
from ...kernels.contacts.dynamics import contact_dynamics
from ...kernels.contacts.guarding import contact_guards
from ...kernels.contacts.tables import ROW_A, ROW_B, SIDE
from ...structure.contacts import ContactPoints
from ..prescribed import Guiding
from ..quantities import motion_of_body
from ..recorded import Segment
from .contacting import Modes
from .tables import ContactTables

Array = NDArray[np.float64]


class Pushed(NamedTuple):
    """What contacts do to the bodies and joints of a segment's mechanism at its samples."""

    wrenches: dict[str, Array]
    """By body that can be touched: (samples, 6), moment about the body's origin and force, in world axes."""
    torques: dict[str, Array]
    """By joint with dry friction: (samples, nv)."""


class Looking:
    """The contacts of one segment, in a workspace of their own."""

    def __init__(self, segment: Segment, guiding: Guiding | None = None, later: float = 0.0) -> None:
        modes = segment.contacts
        assert isinstance(modes, Modes)
        self.segment, self.modes, self.guiding, mech = segment, modes, guiding, segment.moved
        self.points: ContactPoints = modes.points_in(mech)
        self.later = later
        """By how much prescribed motions were moved in time since."""
        self.work = mech.structure.new_work() if guiding is None else guiding.work
        self.tables = ContactTables(mech, self.points, modes.rubs, self.work)
        self.tables.items[:], self.tables.kept[:] = modes.items, modes.kept
        self.tables.points[:, SIDE] = modes.items[: len(self.points.names), m.SIDE_WAS]
        self.tables.kept[:, m.SLIP : m.SLIP + 3] = 0.0
        if modes.chosen:
            self.tables.kept[:, m.DIRECTION : m.DIRECTION + 3] = modes.kept[:, m.BEGUN : m.BEGUN + 3]
        self.tables.header[m.CHOOSING] = not modes.chosen

    @property
    def items(self) -> int:
        """How many points and joints with dry friction there are."""
        return len(self.modes.items)

    def seen(self, t: Array, x: Array, torques: Array | None, wrenches: Array | None, begins: Array | None = None) -> Array:
        """(states, items, SEEN): what `kernels.contacts.looking` sees at states that follow each other, from the first one on.

        `torques` (states, N_J) and `wrenches` (states or 1, bodies, 6) are those that acted; `begins` says where steps begin,
        by default everywhere but at the last state, which ends a step.
        """
        mech, structure = self.segment.moved, self.segment.moved.structure
        rows = len(structure.walk)
        external = external_table(mech, {})
        pushes = np.zeros((1, 6 * rows))
        if wrenches is not None:
            pushes = np.zeros((len(wrenches), rows, 6))
            pushes[:, [structure.row_of[name] for name in self.segment.mech.bodies]] = wrenches
            pushes = pushes.reshape(len(wrenches), 6 * rows)
        if begins is None:
            begins = np.ones(len(x))
            begins[1:][-1:] = 0.0
        if self._is_plain(torques):
            tau = np.zeros((1, mech.nv)) if torques is None else np.ascontiguousarray(torques)
            return self._looked(x, begins, tau, pushes, external)
        found = []
        for s, when in enumerate(t.tolist()):
            tau = self._driven(None if torques is None else torques[s])[None]
            if self.guiding is not None:
                for joint, place in zip(self.guiding.joints, self.guiding.places, strict=True):
                    told = joint.at(when - self.later)
                    place.accelerate(self.work, told.a)
                    if place.closes:
                        place.keep(self.work, told.q, told.v)
            found.append(self._looked(x[s : s + 1], begins[s : s + 1], tau, pushes[s if len(pushes) > 1 else 0][None], external))
        return np.concatenate(found)

    def _is_plain(self, torques: Array | None) -> bool:
        """Whether nothing but numbers that kernels get as arrays changes from state to state."""
        mech = self.segment.moved
        return self.guiding is None and (torques is None or (self.segment.bodies is None and torques.shape[1] == mech.nv))

    def _driven(self, torques: Array | None) -> Array:
        """(nv,): torques of all joints as those of the tree that moves; the motors of loop joints are set."""
        mech, where = self.segment.moved, self.segment.mech.coordinates.slices
        if torques is None:
            return np.zeros(mech.nv)
        tau, of_loops = joint_torques(mech, {name: torques[at] for name, at in where.items() if at.stop > at.start})
        self.work.drive(of_loops)
        return tau

    def _looked(self, x: Array, begins: Array, tau: Array, pushes: Array, external: Array) -> Array:
        count = len(x) * self.items
        out = np.zeros((count + 1 + self.segment.moved.nv // k.SEEN, k.SEEN))
        calls = address_of(contact_dynamics), address_of(contact_guards)
        x, begins, pushes = (np.ascontiguousarray(values) for values in (x, begins, pushes))
        k.look_at_contacts.call(self.work, *calls, x, begins, tau, pushes, external, out)
        return out[:count].reshape(len(x), self.items, k.SEEN)


def pushed_by(segment: Segment, points: ContactPoints, seen: Array) -> Pushed:
    """What acts on bodies and joints where contacts are `seen` at all samples of a segment."""
    structure = segment.moved.structure
    wrenches: dict[str, Array] = {}
    torques: dict[str, Array] = {}
    names = {structure.row_of[name]: name for name in segment.mech.bodies}
    for i, (a, b) in enumerate(points.points[:, [ROW_A, ROW_B]].tolist()):
        force = seen[:, i, [k.PRESSES]] * seen[:, i, k.FACES : k.FACES + 3] + seen[:, i, k.RUBS : k.RUBS + 3]
        for row, sign in ((a, 1.0), (b, -1.0)):
            if row >= 0:
                total = wrenches.setdefault(names[row], np.zeros((len(seen), 6)))
                total[:, 3:] += sign * force
                total[:, :3] += sign * np.cross(seen[:, i, k.PLACE : k.PLACE + 3], force)
    for body, total in wrenches.items():
        total[:, :3] -= np.cross(motion_of_body(segment, body)[:, 9:12], total[:, 3:])
    modes, velocities = segment.contacts, segment.mech.coordinates.slices
    for i, rub in enumerate(modes.rubs, len(points.names)):
        where = velocities[rub.joint]
        total = torques.setdefault(rub.joint, np.zeros((len(seen), where.stop - where.start)))
        total[:, rub.own] += seen[:, i, k.PRESSES]
    return Pushed(wrenches, torques)


def with_pushes(mech_bodies: Mapping[str, object], wrenches: Array | None, more: Mapping[str, Array], count: int) -> Array | None:
    """(samples, bodies, 6): wrenches that acted, with those of contacts."""
    if not more:
        return wrenches
    found = np.zeros((count, len(mech_bodies), 6))
    if wrenches is not None:
        found += wrenches
    for b, body in enumerate(mech_bodies):
        if body in more:
            found[:, b] += more[body]
    return found


__all__ = ["Looking", "Pushed", "pushed_by", "with_pushes"]
