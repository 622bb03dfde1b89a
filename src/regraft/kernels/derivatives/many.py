"""The derivatives of dynamics in many states, one after the other: packs hold columns of one state already."""

from __future__ import annotations

from ...algebra.memory import table_at
from ...compilation import Blocks, Floats, Table, long_entry
from ..tables import EXTERNAL
from .accelerations import aba_derivatives
from .closed import assembled_slopes
from .torques import rnea_derivatives


@long_entry
def derivatives_of_many(handle: int, slopes: int, states: Table, tau: Table, a: Floats, out: Blocks, worst: Floats) -> None:
    """`accelerations.forward_derivatives` of each row of `states`; worst[b] is what it returns."""
    nothing = table_at(handle, 0, EXTERNAL, states)
    for b in range(states.shape[0]):
        worst[b] = aba_derivatives(handle, slopes, states[b], tau[b], nothing, a, out[b])


@long_entry
def closed_derivatives_of_many(
    handle: int, slopes: int, states: Table, tau: Table, a: Floats, out: Blocks, worst: Floats
) -> None:
    """`closed.closed_derivatives` of each row of `states`; worst[b] is what it returns."""
    nothing = table_at(handle, 0, EXTERNAL, states)
    for b in range(states.shape[0]):
        worst[b] = assembled_slopes(handle, slopes, states[b], tau[b], nothing, a, out[b])


@long_entry
def inverse_derivatives_of_many(handle: int, slopes: int, states: Table, a: Table, out: Blocks, worst: Floats) -> None:
    """`torques.inverse_derivatives` of each row of `states`; worst[b] is what it returns."""
    nothing = table_at(handle, 0, EXTERNAL, states)
    for b in range(states.shape[0]):
        worst[b] = rnea_derivatives(handle, slopes, states[b], a[b], nothing, out[b])
