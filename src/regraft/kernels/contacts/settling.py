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
from ...tolerances import (
    ANY_SPEED,
    EVENT_TAKES,
    JOINT_RESTS,
    LEAST_STEP_TAKES,
    REST_SPEED,
    REVERSES,
    STANDS_STILL,
    TINY,
    TOUCHING,
)
from ..energy import kinetic_energy
from ..kinematics import move_bodies
from ..tables import VEL, KernelModel, R, Work
from .closing import ALL_TOGETHER, energy_to_spare, speeds_to_take
from .items import across, most_patience, parting_speed
from .memory import BEFORE, DIRECTION, GOES_ON, HELD, HIT, HOLDS, LEAVES, MODE, NOTHING, PATIENCE, SLIP, SLIPS, Contacts
from .points import gap_of
from .problem import OPEN, SLIDE, STICK
from .rows import slip_velocity
from .rubs import meet_rubs, rub_speed
from .tables import MU_KINETIC

_MUCH_MORE = 1000.0  # than what it costs to stop points one by one, to stop them together, where nothing else ends


@inline
def rub_moves(contacts: Contacts, i: int, speed: float, slowest: float) -> bool:
    """Whether a joint with friction moves, which is what is faster than `slowest`. Sets DIRECTION if so.

    One whose slip has just ended may have some of it left. What is more than that is a slip back, which others have given it:
    where it counted as ended, it would end at once, again and again.
    """
    least = REVERSES if contacts.items[i, HIT] == HOLDS else slowest
    contacts.kept[i, SLIP] = speed
    if not abs(speed) > least:
        return False
    contacts.items[i, HIT] = NOTHING
    contacts.kept[i, DIRECTION] = math.copysign(1.0, speed)
    return True


@jit
def rest_or_slide(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """STICK for points that do not slip, SLIDE for those that do, until modes are chosen; with VEL.

    Where modes change again and again at one time, ever faster slips count as ended. Their directions decide on the modes of
    others, and these on them, and both may contradict each other; of what is at rest, the law itself says how it begins to slip.
    """
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] != OPEN and not is_decided(contacts, i):
            contacts.items[i, MODE] = STICK if stands_still(model, work, contacts, i) else SLIDE


@inline
def is_decided(contacts: Contacts, i: int) -> bool:
    """Whether what has happened to a point says if it slides."""
    hit = contacts.items[i, HIT]
    return hit == SLIPS or hit == HOLDS or hit == HELD  # noqa: PLR1714


@inline
def stands_still(model: KernelModel, work: Work, contacts: Contacts, i: int) -> bool:
    """Whether the slip of a closed point is so slow that it counts as none."""
    slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))
    return math.sqrt(dot(slip, slip)) <= min(most_patience(contacts) * STANDS_STILL, REST_SPEED)


@jit
def comes_to_rest(model: KernelModel, work: Work, contacts: Contacts) -> bool:
    """Whether a point that slides hardly does so any more, since others were stopped."""
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == SLIDE and not is_decided(contacts, i) and stands_still(model, work, contacts, i):
            return True
    return False


@jit
def joints_rest_or_slide(model: KernelModel, work: Work, contacts: Contacts, v: Any) -> None:
    """The same for joints with dry friction, at the velocities that contacts have left them."""
    n, slowest = contacts.points.shape[0], JOINT_RESTS
    for i in range(n, contacts.items.shape[0]):
        slowest = max(slowest, min(contacts.kept[i, PATIENCE] * JOINT_RESTS, REVERSES))
    meet_rubs(model, contacts)
    for i in range(n, contacts.items.shape[0]):
        if contacts.items[i, HIT] != SLIPS:
            moves = rub_moves(contacts, i, rub_speed(model, work, contacts, i, v), slowest)
            contacts.items[i, MODE] = SLIDE if moves else STICK


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
    if not taken <= energy_to_spare(model, work, contacts, kinetic, share, own, JOINT_RESTS):
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
            along = load(contacts.kept, i, DIRECTION, 3)
            if contacts.items[i, BEFORE] != SLIDE or not dot(along, slip) > 0.0:
                along = scale(1.0 / size, slip)
            store(contacts.kept, i, DIRECTION, along)
            contacts.items[i, MODE], contacts.items[i, HIT] = SLIDE, GOES_ON
    return comes


@jit
def comes_again(model: KernelModel, work: Work, contacts: Contacts) -> bool:
    """Whether an open point that touches comes with more than REST_SPEED, as what has stopped others has made it do."""
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == OPEN and contacts.items[i, HIT] != LEAVES and contacts.items[i, HIT] != HELD:
            gap = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            if gap <= TOUCHING and parting_speed(model, work, contacts, i) < -REST_SPEED:
                return True
    return False
