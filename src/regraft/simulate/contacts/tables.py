"""The memory of the contacts of one structure in a run, as kernels find it behind a workspace."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compilation import address_of
from ...describe.mechanism import Mechanism
from ...kernels.contacts import memory as m
from ...kernels.contacts.closed_chains import closed_chains
from ...kernels.contacts.loop_rubs import loop_rubs_kernel
from ...kernels.contacts.problem import STICK, scratch_shape
from ...kernels.contacts.tables import MEETINGS, THICKNESS
from ...kernels.memory import CONTACTS_AT, RUBBING, SETTINGS_AT
from ...kernels.prescribed import prescribed_closed_step, prescribed_closing, prescribed_step
from ...kernels.tables import FRICTION, SETTINGS
from ...structure.contacts import ContactPoints
from ...structure.workspace import Workspace
from ..loop_kernels import closing_kernel
from .rubs import Rub

Array = NDArray[np.float64]


class ContactTables:
    """The tables of some contact points and joints with dry friction, and the header that leads to them."""

    def __init__(
        self, mech: Mechanism, points: ContactPoints, rubs: Sequence[Rub], work: Workspace, step_takes: float = 1.0
    ) -> None:
        n, items, nv = len(points.names), len(points.names) + len(rubs), mech.nv
        rows = 3 * n + len(rubs)
        self.points = points.points.copy()  # whose SIDE changes
        self.items = np.zeros((items, m.ITEM), np.int64)
        self.kept = np.zeros((items, m.KEPT))
        self.active = np.zeros(max(items, 1), np.int64)
        self.met = np.zeros((n, MEETINGS))
        self.values = np.zeros(2 * items)
        self.live = np.zeros((2, 1 + 2 * items), np.int64)
        self.ahead = np.zeros((1, m.AHEAD))
        self.ahead[0, [m.REACH, m.ASKED]] = np.inf
        self.laws = np.zeros((m.LAWS, items))
        self.laws[m.STEP_TAKES] = step_takes
        for i, rub in enumerate(rubs, n):
            self.items[i, m.RUB_V], self.items[i, m.RUB_LOOP], self.items[i, m.RUB_OWN] = rub.place, rub.loop, rub.own
            self.kept[i, m.LARGEST], self.items[i, m.MODE] = rub.torque, STICK
        self._keep: list[Any] = []
        header = self.header = np.zeros(m.CONTACT_HEADER, np.int64)
        header[m.NUMBER], header[m.RUBS], header[m.NV] = n, len(rubs), nv
        header[m.PROFILED], header[m.BODIES], header[m.WORST] = len(points.profiles), len(mech.bodies), -1
        header[m.THIN] = np.count_nonzero(points.shapes[:, THICKNESS])
        constrained = mech.layout.is_constrained
        header[m.BASE] = address_of(prescribed_closed_step if constrained else prescribed_step)
        if constrained:
            header[m.CLOSING] = address_of(prescribed_closing) if hasattr(work, "told") else closing_kernel()
            header[m.LOOPS] = address_of(closed_chains)
        self.changing = (self.points, self.items, self.kept, header)
        """What an event changes."""
        for field, table in (
            (m.POINTS_AT, self.points), (m.SHAPES_AT, points.shapes), (m.PROFILES_AT, points.profiles),
            (m.MET_AT, self.met), (m.ITEMS_AT, self.items), (m.KEPT_AT, self.kept),
            (m.ACTIVE_AT, self.active), (m.Y_AT, np.zeros((rows, nv))), (m.MATRIX_AT, np.zeros((rows, rows))),
            (m.VECTORS_AT, np.zeros((m.VECTORS, rows))), (m.KINDS_AT, np.zeros((3, items), np.int64)),
            (m.LAWS_AT, self.laws), (m.DIRECTIONS_AT, np.zeros((items, 2))),
            (m.SPARE_AT, np.zeros((m.SPARES, nv))), (m.BODY_SPARE_AT, np.zeros((len(mech.bodies), m.BODY_SPARE))),
            (m.SCRATCH_AT, np.zeros(scratch_shape(rows))), (m.VALUES_AT, self.values),
            (m.PAIRS_AT, np.zeros((len(rubs), m.PAIR))), (m.SPARED_AT, np.zeros(rows, np.int64)),
            (m.LIVE_AT, self.live), (m.AHEAD_AT, self.ahead),
        ):  # fmt: skip
            header[field] = self._at(table)
        if any(rub.loop >= 0 for rub in rubs):
            header[m.LOOP_RUBS] = address_of(loop_rubs_kernel)
        if rubs:
            self._take_smooth_friction(mech, work)
        work.header[CONTACTS_AT] = header.ctypes.data

    def _take_smooth_friction(self, mech: Mechanism, work: Workspace) -> None:
        """Let the kernels of a workspace find joints without friction, which is here instead."""
        settings = np.zeros((SETTINGS, mech.coordinates.count))
        ctypes.memmove(settings.ctypes.data, int(work.header[SETTINGS_AT]), settings.nbytes)
        settings[FRICTION] = 0.0
        work.header[SETTINGS_AT], work.header[RUBBING] = self._at(settings), 0

    def _at(self, table: Any) -> int:
        """The address of a table, which is kept as long as this."""
        kept = np.ascontiguousarray(table) if table.size else np.zeros(1, table.dtype)
        self._keep.append(kept)
        return int(kept.ctypes.data)
