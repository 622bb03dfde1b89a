"""What sticks and what slides after an event, so that the event takes nothing out of velocities but rounding.

What slips by next to nothing counts as what does not slip, and what comes by next to nothing as what does not come: that is taken
out. Mostly it is next to nothing of the energy too. But where bodies nearly jam, as dominoes that lie nearly parallel, a small
speed of one is a large one of another, and to stop the one would stop the other. There slow points go on as they do, and if that
is not enough there is an impact (`events.settle`).
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import load, store
from ...algebra.spatial import dot, scale, zero_spatial
from ...compilation import inline, jit
from ...tolerances import ANY_SPEED, EVENT_TAKES, JOINT_RESTS, LEAST_STEP_TAKES, REST_SPEED, STANDS_STILL, TINY
from ..energy import kinetic_energy
from ..kinematics import move_bodies
from ..tables import VEL, KernelModel, R, Work
from .closing import ALL_TOGETHER, energy_to_spare, speeds_to_take
from .items import across, most_patience, parting_speed
from .memory import BEFORE, DIRECTION, GOES_ON, HELD, HIT, HOLDS, LEAD, MODE, SLIPS, Contacts
from .problem import OPEN, SLIDE, STICK
from .rows import slip_velocity
from .rubs import rub_speed
from .tables import MU_KINETIC

_MUCH_MORE = 1000.0  # than what it costs to stop points one by one, to stop them together, where nothing else ends


@inline
def rub_moves(contacts: Contacts, i: int, speed: float) -> bool:
    """Whether a joint with friction moves. Sets DIRECTION if so."""
    if not abs(speed) > JOINT_RESTS:
        return False
    contacts.kept[i, DIRECTION] = math.copysign(1.0, speed)
    return True


@jit
def rest_or_slide(model: KernelModel, work: Work, contacts: Contacts, v: Any) -> None:
    """STICK for what does not slip, SLIDE for what does, until modes are chosen; with VEL.

    Where modes change again and again at one time, ever faster slips count as ended. Their directions decide on the modes of
    others, and these on them, and both may contradict each other; of what is at rest, the law itself says how it begins to slip.
    """
    still, n = zero_spatial(work.body[0, R]), contacts.points.shape[0]
    slowest = min(most_patience(contacts) * STANDS_STILL, REST_SPEED)
    for i in range(contacts.items.shape[0]):
        hit = contacts.items[i, HIT]
        if contacts.items[i, MODE] == OPEN or hit == SLIPS or hit == HOLDS or hit == HELD:  # noqa: PLR1714, SIM109
            continue
        if i < n:
            slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
            slips = math.sqrt(dot(slip, slip)) > slowest
        else:
            slips = rub_moves(contacts, i, rub_speed(model, work, contacts, i, v))
        contacts.items[i, MODE] = SLIDE if slips else STICK


@jit
def share_taken(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any) -> float:
    """The share of the kinetic energy that it takes to stop what is closed and what sticks; −1 where that is too much.

    STEP is what stops it. After `prepare_rows`. Where modes change again and again at one time, more may be taken, as a step may.
    """
    patience = most_patience(contacts)
    share, own = min(patience * EVENT_TAKES, LEAST_STEP_TAKES), ALL_TOGETHER * min(patience, _MUCH_MORE)
    move_bodies(model, work, q, v)
    kinetic = kinetic_energy(model, work, v)
    taken = speeds_to_take(model, work, contacts, q, v, True)
    if not taken <= energy_to_spare(contacts, kinetic, share, own, JOINT_RESTS):
        return -1.0
    return max(taken, 0.0) / (kinetic + TINY)


@jit
def let_slow_ones_go(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any) -> bool:
    """Points that part, however slowly, are open; those that did not stick before and slip go on doing so.

    Not so points whose slip has just ended. Says whether any point comes.
    """
    move_bodies(model, work, q, v)
    still, comes = zero_spatial(work.body[0, R]), False
    for i in range(contacts.points.shape[0]):
        hit = contacts.items[i, HIT]
        if contacts.items[i, MODE] == OPEN or hit == HELD:
            continue
        speed = parting_speed(model, work, contacts, i)
        comes = comes or speed < -ANY_SPEED
        if speed > ANY_SPEED:
            contacts.items[i, MODE] = OPEN
        if contacts.items[i, MODE] != STICK or contacts.items[i, BEFORE] == STICK or hit == HOLDS:
            continue
        slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
        size = math.sqrt(dot(slip, slip))
        if size > ANY_SPEED and contacts.shapes[i, MU_KINETIC] > 0.0:
            along = load(contacts.kept, i, LEAD, 3)
            if contacts.items[i, BEFORE] != SLIDE or not dot(along, slip) > 0.0:
                along = scale(1.0 / size, slip)
            store(contacts.kept, i, DIRECTION, along)
            contacts.items[i, MODE], contacts.items[i, HIT] = SLIDE, GOES_ON
    return comes
