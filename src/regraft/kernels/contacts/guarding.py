"""The guards of contacts: numbers that are positive while a mode goes on, and zero where it ends."""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import load, vector_at
from ...algebra.spatial import dot, zero_spatial
from ...compilation import inline, jit, long_entry
from ..memory import model_at, velocities_in, work_at
from ..tables import VEL, KernelModel, R, Work
from .distribution import least_margin, widest_margin
from .items import keep_forces, parting_speed
from .memory import (
    CLEARANCE,
    DIRECTION,
    FORCE,
    FREE,
    LARGEST,
    MODE,
    SLACK,
    WATCHED,
    Contacts,
    active_rows,
    contacts_at,
    problem_of,
)
from .patches import with_all_rows
from .points import beyond_end, gap_of
from .problem import OPEN, STICK
from .rows import slip_velocity
from .rubs import meet_rubs, rub_speed
from .tables import MU_KINETIC, MU_STATIC


@jit
def share_forces(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """Forces within their cones, where those of the dynamics are not but others would do the same."""
    problem = problem_of(contacts)
    if least_margin(problem) < 0.0:
        with_all_rows(model, work, contacts, problem)
        widest_margin(problem, True)
        keep_forces(contacts, problem)


@jit
def watch(model: KernelModel, work: Work, contacts: Contacts, v: Any) -> None:
    """`values`: two guards of each item, positive while its mode goes on; after the dynamics.

    OPEN: the gap. STICK: the normal force, and what friction has left. SLIDE: the normal force, and the slip in its direction.
    """
    still, n, values = zero_spatial(work.body[0, R]), contacts.points.shape[0], contacts.values
    meet_rubs(model, contacts)
    for i in range(contacts.items.shape[0]):
        mode, normal = contacts.items[i, MODE], contacts.kept[i, FORCE]
        first, second = 1.0, 1.0
        if i >= n:
            if mode == STICK:
                second = contacts.kept[i, LARGEST] - abs(normal)
            else:
                second = rub_speed(model, work, contacts, i, v) * contacts.kept[i, DIRECTION]
        elif mode == OPEN and contacts.items[i, WATCHED] == 0:
            continue
        elif mode == OPEN:
            first = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            contacts.kept[i, CLEARANCE] = first
            begun = contacts.kept[i, SLACK] > 0.0 and contacts.kept[i, SLACK + 1] > 0.0
            if begun and parting_speed(model, work, contacts, i) <= 0.0:
                first -= contacts.kept[i, SLACK]
        else:
            beyond = beyond_end(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            first = min(normal, -beyond - contacts.kept[i, SLACK])  # what is added to forces is none for places
            if mode == STICK:
                friction = math.hypot(contacts.kept[i, FORCE + 1], contacts.kept[i, FORCE + 2])
                second = contacts.shapes[i, MU_STATIC] * normal - friction
            elif contacts.shapes[i, MU_KINETIC] > 0.0:
                second = dot(slip_velocity(model, work, contacts, i, VEL, still), load(contacts.kept, i, DIRECTION, 3))
        values[0, 2 * i] = first + contacts.kept[i, SLACK]
        values[0, 2 * i + 1] = second + contacts.kept[i, SLACK + 1]


@inline
def drop_slack(contacts: Contacts) -> None:
    """Take SLACK from guards that are looked at and have left zero, at the end of a step."""
    for k in range(contacts.live[0, 0]):
        guard = contacts.live[0, 1 + k]
        i, side = guard // 2, guard % 2
        slack = contacts.kept[i, SLACK + side]
        if slack > 0.0 and contacts.values[0, guard] > 3.0 * slack:
            contacts.kept[i, SLACK + side] = 0.0
            contacts.values[0, guard] -= slack


@long_entry
def contact_guards(handle: int, v: int) -> float:
    """`watch`, after the dynamics."""
    m, w, contacts = model_at(handle), work_at(handle, 0.0), contacts_at(handle)
    if contacts.header[FREE] > 0 and active_rows(contacts) > 0:
        share_forces(m, w, contacts)
    watch(m, w, contacts, vector_at(v, velocities_in(handle)))
    return 0.0
