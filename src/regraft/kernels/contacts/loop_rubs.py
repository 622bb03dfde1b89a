"""Joints with dry friction that close loops: the wrenches of their torques, and their accelerations.

Called by its address, so that trees with friction need not wait for its compilation.
"""

from __future__ import annotations

from ...algebra.memory import load, store
from ...algebra.spatial import power
from ...compilation import entry, inline
from ..constraints.couplings import pair_along
from ..constraints.rows import lacking
from ..constraints.tables import Loops
from ..memory import loops_at, model_at, work_at
from ..tables import KernelModel, Work
from .memory import ALONG, ON_CHILD, ON_PARENT, PAIRS, RATE, RUB_LOOP, RUB_OWN, Contacts, contacts_at


@entry
def loop_rubs_kernel(handle: int, what: int) -> float:
    """PAIRS: the wrenches, after bodies are placed. RATES_OF_PAIRS: the accelerations, with VEL and A of the bodies."""
    m, w, closed, contacts = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0), contacts_at(handle)
    n = contacts.points.shape[0]
    for k in range(contacts.pairs.shape[0]):
        if contacts.items[n + k, RUB_LOOP] >= 0:
            if what == PAIRS:
                find_pair(m, w, closed, contacts, k)
            else:
                lack = lacking(m, w, closed, contacts.items[n + k, RUB_LOOP])
                contacts.pairs[k, RATE] = -power(load(contacts.pairs, k, ALONG, 6), lack)
    return 0.0


@inline
def find_pair(model: KernelModel, work: Work, closed: Loops, contacts: Contacts, k: int) -> None:
    """The wrenches of a unit torque of the k-th joint with friction."""
    i = contacts.points.shape[0] + k
    along, force, back = pair_along(model, work, closed, contacts.items[i, RUB_LOOP], contacts.items[i, RUB_OWN], 1.0)
    store(contacts.pairs, k, ALONG, along)
    store(contacts.pairs, k, ON_CHILD, force)
    store(contacts.pairs, k, ON_PARENT, back)
