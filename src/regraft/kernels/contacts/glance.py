"""A look at contacts that costs no dynamics: for the steps in which no force is near the end of its mode.

The stages of a step have found forces already. Where none of the numbers that end a mode has changed by much from stage to stage,
and none is near zero, forces are not looked at again within that step, only gaps and slips are; and of slips those that stages
have not seen to be steady in the same way.
"""

from __future__ import annotations

import math

from ...algebra.memory import load, vector_at
from ...algebra.spatial import dot, zero_spatial
from ...compilation import inline, inline_once, jit, long_entry
from ..kinematics import move_bodies, place_bodies
from ..memory import model_at, positions_in, velocities_in, work_at
from ..tables import VEL, KernelModel, R, Work
from .items import meet_one, note
from .memory import (
    ACTIVE_POINTS,
    ACTIVE_RUBS,
    CALM,
    CHOOSING,
    CLEARANCE,
    DIRECTION,
    FORCE,
    LARGEST,
    LEAST,
    LOOKS,
    MODE,
    MOST,
    NEAR,
    QUIET,
    READY,
    RUBS,
    SLACK,
    WATCHED,
    Contacts,
    contacts_at,
)
from .points import beyond_end, gap_of, has_end
from .problem import OPEN, SLIDE, STICK
from .rows import slip_velocity
from .tables import MU_KINETIC, MU_STATIC

STAGES = 5
"""So many stages of a step have to have found forces."""
STEADY = 0.5
"""What is never below this part of its largest value in the stages of a step is not near zero within it."""


@inline
def force_guards(contacts: Contacts, i: int) -> tuple[float, float]:
    """What ends the mode of a closed item where it is zero, as far as it depends on forces; 1 for what does not."""
    mode, force = contacts.items[i, MODE], contacts.kept[i, FORCE]
    if i >= contacts.points.shape[0]:
        return 1.0, contacts.kept[i, LARGEST] - abs(force) if mode == STICK else 1.0
    if mode != STICK:
        return force, 1.0
    friction = math.hypot(contacts.kept[i, FORCE + 1], contacts.kept[i, FORCE + 2])
    return force, contacts.shapes[i, MU_STATIC] * force - friction


@inline
def note_forces(contacts: Contacts) -> None:
    """LEAST and MOST of what forces say in the stages of a step; after each dynamics, which notes slips itself."""
    for a in range(contacts.header[ACTIVE_POINTS] + contacts.header[ACTIVE_RUBS]):
        i = contacts.active[0, a]
        found = force_guards(contacts, i)
        note(contacts, i, 0, found[0])
        if contacts.items[i, MODE] != SLIDE:
            note(contacts, i, 1, found[1])
    contacts.header[LOOKS] += 1


@inline_once
def judge_step(contacts: Contacts) -> None:
    """CALM: whether forces need not be looked at again within the step that has been taken; LEAST and MOST begin anew."""
    count = contacts.header[ACTIVE_POINTS] + contacts.header[ACTIVE_RUBS]
    calm = contacts.header[RUBS] == 0 and (count == 0 or contacts.header[LOOKS] >= STAGES)
    for a in range(count):
        i = contacts.active[0, a]
        slides = contacts.items[i, MODE] == SLIDE
        calm = calm and is_steady(contacts, i, 0) and (slides or is_steady(contacts, i, 1))
        if slides:
            begun = contacts.kept[i, SLACK + 1] == 0.0  # its guard has left zero since
            contacts.items[i, WATCHED] = 0 if begun and is_steady(contacts, i, 1) else 1
        forget_force(contacts, i)
    if count > 0:
        note_forces(contacts)  # of the last stage, with which the next step begins
    contacts.header[LOOKS], contacts.header[CALM], contacts.header[QUIET] = 0, 1 if calm else 0, 0


@inline
def is_steady(contacts: Contacts, i: int, side: int) -> bool:
    """Whether one of the numbers that end the mode of item i has stayed away from zero in all stages of the step."""
    return contacts.kept[i, LEAST + side] > STEADY * contacts.kept[i, MOST + side]


@jit
def forget_forces(contacts: Contacts) -> None:
    """No step has been seen yet."""
    contacts.header[LOOKS] = contacts.header[CALM] = contacts.header[QUIET] = 0
    for i in range(contacts.items.shape[0]):
        contacts.items[i, WATCHED] = 1
        forget_force(contacts, i)


@inline
def forget_force(contacts: Contacts, i: int) -> None:
    """LEAST and MOST of item i as before any stage."""
    for side in range(2):
        contacts.kept[i, LEAST + side], contacts.kept[i, MOST + side] = math.inf, -math.inf


@inline
def may_rest(contacts: Contacts) -> bool:
    """Whether any slip may end within the step."""
    some = False
    for a in range(contacts.header[ACTIVE_POINTS]):
        i = contacts.active[0, a]
        some = some or (contacts.items[i, MODE] == SLIDE and contacts.items[i, WATCHED] == 1)
    return some


@inline
def gaps_and_slips(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """`values` of guards that do not depend on forces."""
    still, n = zero_spatial(work.body[0, R]), contacts.points.shape[0]
    for k in range(contacts.live[NEAR, 0]):
        i = contacts.live[NEAR, 1 + k]
        mode = contacts.items[i, MODE]
        if i >= n:
            continue  # where joints rub no step is calm
        if mode == OPEN:
            if contacts.items[i, WATCHED]:
                gap = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
                contacts.kept[i, CLEARANCE] = gap
                contacts.values[0, 2 * i] = gap + contacts.kept[i, SLACK]
            continue
        if has_end(contacts.points, i):
            beyond = beyond_end(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            contacts.values[0, 2 * i] = -beyond
        if mode == SLIDE and contacts.items[i, WATCHED] and contacts.shapes[i, MU_KINETIC] > 0.0:
            meet_one(model, work, contacts, i)
            slip = dot(slip_velocity(model, work, contacts, i, VEL, still), load(contacts.kept, i, DIRECTION, 3))
            contacts.values[0, 2 * i + 1] = slip + contacts.kept[i, SLACK + 1]


@long_entry
def contact_glance(handle: int, q: int, v: int) -> float:
    """Look at gaps and slips, and say 1, where that is enough in this step; else 0."""
    contacts = contacts_at(handle)
    if contacts.header[CALM] == 0 or contacts.header[CHOOSING] == 1:
        return 0.0
    m, w, velocity = model_at(handle), work_at(handle, 0.0), vector_at(v, velocities_in(handle))
    position, contacts.header[READY] = vector_at(q, positions_in(handle)), 0
    place_bodies(m, w, position)
    if may_rest(contacts):
        move_bodies(m, w, position, velocity)
    gaps_and_slips(m, w, contacts)
    return 1.0
