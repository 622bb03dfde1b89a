"""The dynamics with contacts: accelerations in given modes, and after an event in those that are chosen then.

Between events the modes are given, and forces follow from a linear problem (`modes`).
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import call_kernel, vector_at
from ...algebra.spatial import zero_spatial
from ...compilation import inline, long_entry
from ...tolerances import (
    UNHEALTHY,
)
from ..aba import accelerate
from ..kinematics import rising_world
from ..memory import model_at, positions_in, velocities_in, work_at
from ..prescribed import impose_rates
from ..tables import VEL, A, KernelModel, R, Work
from .choosing import choose_modes, keep_first_directions, watch_open_ones
from .glance import forget_forces, note_forces
from .items import keep_directions, keep_forces, list_active, meet_active, pose_problem
from .memory import (
    ACTIVE_POINTS,
    ACTIVE_RUBS,
    BALANCE_LOOPS,
    BASE,
    CHOOSING,
    CLOSING,
    FREE,
    INSIDE,
    MOVED_TOO,
    READY,
    RUBS,
    SPARED_ROWS,
    STATUS,
    Contacts,
    active_rows,
    contacts_at,
    problem_of,
)
from .one_point import is_alone, solve_between_events, step_alone
from .outlook import begin_outlook, note_speeds
from .patches import share_in_patches, spare_rows
from .problem import SOLVED
from .response import ask_loops, couple_contacts
from .rows import along_rows, apply_forces, relative_acceleration, slip_velocity, spread_active, turning_normal
from .rubs import add_slides, rates_of_rubs, rub_rate
from .slow_slips import look_ahead


@inline
def rows_acceleration(model: KernelModel, work: Work, contacts: Contacts, rates: Any, out: Any) -> None:
    """How the active rows accelerate, with VEL and A of the bodies and the accelerations `rates` of the joints."""
    still, world = zero_spatial(work.body[0, R]), rising_world(model, work.body[0, R])
    row, first = 0, contacts.header[ACTIVE_POINTS]
    rates_of_rubs(model, contacts)
    for a in range(first):
        i = contacts.active[0, a]
        lack = along_rows(contacts, i, relative_acceleration(model, work, contacts, i, (VEL, A), still, world))
        out[row] = lack[0] + turning_normal(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
        out[row + 1], out[row + 2] = lack[1], lack[2]
        row += 3
    for a in range(first, first + contacts.header[ACTIVE_RUBS]):
        out[row] = rub_rate(contacts, contacts.active[0, a], rates)
        row += 1


@inline
def hold_contacts(model: KernelModel, work: Work, contacts: Contacts, q: Any, out: Any, alone: bool) -> bool:
    """Forces of contacts and what they make of the accelerations `out`; after the dynamics without them. False for none.

    Of a point that is `alone` they follow what `step_alone` has found.
    """
    if not alone:
        meet_active(model, work, contacts)
    problem = problem_of(contacts)
    slides = pose_problem(model, work, contacts, problem)
    if not alone:
        rows_acceleration(model, work, contacts, out, problem.b)
        spread_active(model, work, contacts)
        couple_contacts(model, work, contacts, q, problem.A)
    if contacts.header[CHOOSING]:
        contacts.header[CHOOSING] = 0
        if not choose_modes(model, work, contacts, problem):
            return False
    else:
        again = slides and look_ahead(model, work, contacts, problem)
        free, left = solve_between_events(model, work, contacts, problem, True, again)
        contacts.header[FREE] = free + contacts.header[SPARED_ROWS]
        keep_directions(contacts, problem)
        if not left < UNHEALTHY:
            return False
    apply_forces(work, contacts, problem.lam)
    if contacts.header[SPARED_ROWS] > 0:
        share_in_patches(contacts, problem)
    keep_forces(contacts, problem)
    world = rising_world(model, work.body[0, R])
    accelerate(model, work, world, out)
    if contacts.header[CLOSING] != 0:
        ask_loops(model, contacts, q, out, BALANCE_LOOPS)
        accelerate(model, work, world, out)
    return True


@long_entry
def contact_dynamics(handle: int, q: int, v: int, tau: int, external: int, pushed: int, out: int) -> float:
    """Accelerations with contacts, with addresses of arrays; returns the least MARGIN, NaN where forces cannot be found."""
    alone, margin, found = is_alone(handle), math.nan, False
    if alone:
        m, w, contacts = model_at(handle), work_at(handle, 0.0), contacts_at(handle)
        margin, found = step_alone(m, w, contacts, q, v, tau, external, pushed, out)
        if found:
            return margin
    m, w, nq, nv = model_at(handle), work_at(handle, 0.0), positions_in(handle), velocities_in(handle)
    contacts = contacts_at(handle)  # again: these are not looked up where one point alone is quick
    contacts.header[READY] = 0
    slides = contacts.header[RUBS] > 0 and contacts.header[CHOOSING] == 0
    if slides:
        add_slides(m, contacts, tau, 1.0)
    if not alone:
        margin = call_kernel(contacts.header[BASE], (handle, q, v, tau, external, pushed, out))
    if slides:
        add_slides(m, contacts, tau, -1.0)
    if contacts.header[STATUS] != SOLVED and contacts.header[STATUS] < INSIDE:  # what ends a step may be tried again
        return math.nan
    if contacts.header[CHOOSING]:
        list_active(contacts)
    chooses, rate = contacts.header[CHOOSING] == 1, vector_at(out, nv)
    if active_rows(contacts) > 0:
        if not hold_contacts(m, w, contacts, vector_at(q, nq), rate, alone):
            return math.nan
        margin = impose_rates(w, rate, margin)
    if chooses:
        contacts.header[CHOOSING] = 0
        list_active(contacts)
        watch_open_ones(m, w, contacts)
        keep_first_directions(contacts)
        forget_forces(contacts)
        note_speeds(w, contacts, 0.0)  # an impact may have made bodies faster than they were where the last step ended
        begin_outlook(contacts)
        spare_rows(contacts)
    elif active_rows(contacts) > 0:
        note_forces(contacts)
        contacts.header[READY] = MOVED_TOO if contacts.header[CLOSING] == 0 else 0
    return margin
