"""Joints with dry friction among the items of contact: how fast they go, and who feels their torques.

A joint that sticks has a row, which holds it with a torque up to LARGEST. One that slides needs none: its torque is known, and
acts as that of a motor. A joint of the tree has its velocity in v. One that closes a loop has not: there a torque is a pair of
wrenches on its two bodies, as in `constraints.couplings`, and its velocity is the power of the two.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import call_kernel, load, vector_at
from ...algebra.spatial import power
from ...compilation import inline, jit
from ..memory import MOTORS_AT, header_at
from ..tables import CHILD, PARENT, VEL, KernelModel, Work
from .memory import (
    DIRECTION,
    LARGEST,
    LOOP_RUBS,
    MODE,
    ON_CHILD,
    ON_PARENT,
    PAIRS,
    RATE,
    RATES_OF_PAIRS,
    RUB_LOOP,
    RUB_OWN,
    RUB_V,
    Contacts,
)
from .problem import SLIDE


@inline
def meet_rubs(model: KernelModel, contacts: Contacts) -> None:
    """The wrenches of joints with friction that close loops, after bodies are placed."""
    if contacts.header[LOOP_RUBS] != 0:
        call_kernel(contacts.header[LOOP_RUBS], (model.handle, PAIRS))


@inline
def rates_of_rubs(model: KernelModel, contacts: Contacts) -> None:
    """RATE: how the same joints accelerate, with VEL and A; after `meet_rubs`."""
    if contacts.header[LOOP_RUBS] != 0:
        call_kernel(contacts.header[LOOP_RUBS], (model.handle, RATES_OF_PAIRS))


@inline
def loop_row(model: KernelModel, contacts: Contacts, i: int) -> int:
    """The row of a joint that closes a loop in the table of all joints."""
    row: int = model.walk.shape[0] + contacts.items[i, RUB_LOOP]
    return row


@inline
def rub_speed(model: KernelModel, work: Work, contacts: Contacts, i: int, v: Any) -> float:
    """The velocity of item i, a joint with friction, at v and VEL; after `meet_rubs`."""
    if contacts.items[i, RUB_LOOP] < 0:
        return v[contacts.items[i, RUB_V]]
    row, k, total = loop_row(model, contacts, i), i - contacts.points.shape[0], 0.0
    if model.joints[row, CHILD] >= 0:
        total += power(load(contacts.pairs, k, ON_CHILD, 6), load(work.body, model.joints[row, CHILD], VEL, 6))
    if model.joints[row, PARENT] >= 0:
        total += power(load(contacts.pairs, k, ON_PARENT, 6), load(work.body, model.joints[row, PARENT], VEL, 6))
    return total


@inline
def rub_rate(contacts: Contacts, i: int, rates: Any) -> float:
    """Its acceleration, after `rates_of_rubs`; `rates` are those of the tree's joints."""
    if contacts.items[i, RUB_LOOP] < 0:
        return rates[contacts.items[i, RUB_V]]
    return contacts.pairs[i - contacts.points.shape[0], RATE]


@jit
def add_slides(model: KernelModel, contacts: Contacts, tau: int, share: float) -> None:
    """Add the torques of joints that slide, times `share`, to those of motors: at the address tau, or of loop joints."""
    for i in range(contacts.points.shape[0], contacts.items.shape[0]):
        if contacts.items[i, MODE] == SLIDE:
            torque = -share * contacts.kept[i, LARGEST] * contacts.kept[i, DIRECTION]
            if contacts.items[i, RUB_LOOP] < 0:
                at = contacts.items[i, RUB_V]
                vector_at(tau, at + 1)[at] += torque
            else:
                at = 6 * contacts.items[i, RUB_LOOP] + contacts.items[i, RUB_OWN]
                vector_at(header_at(model.handle)[MOTORS_AT], at + 1)[at] += torque
