"""What a step is computed from and into: the tables of the mechanism, the functions that act on it, and the step's vectors.

A step starts at the state `start` and ends at `end`. What is integrated are the coordinates (u, w) of `kernels.chart`: `slopes`,
`error` and `dense` are pairs of these.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import Structure
from typing import Any, NamedTuple, cast

import numpy as np
from numba import float64, int64
from numba.core import types

from ..algebra.memory import borrowed_vector, table_at
from ..algebra.scalars import pack, zero
from ..compilation import declare, declared, inline, inline_once, inline_view, stage, star
from ..kernels.memory import model_at, work_at
from ..kernels.stages import F, named
from ..kernels.tables import KernelModel, Work
from .integrators import Method
from .places import value_at
from .records import array_type, record, tuple_type

MOST_STAGES, MOST_TERMS = 16, 7
"""Of an integrator, and of its dense output for u and for v."""


@record
class Calls(Structure):
    """Functions that a step calls by their addresses, and what kind of step it is."""

    torque: int  # address of the torque function, 0 for none
    torque_context: int  # what it is called with, last
    wrenches: int  # address of the wrench function, 0 for none
    wrenches_context: int
    motion: int  # address of what imposes prescribed motions on a state, 0 for none
    motion_context: int
    failed: bool  # whether a function of the user has failed
    of_free_bodies: bool  # whether the step is S3's
    closes: bool  # whether loops are closed again after each step
    has_loops: bool  # whether it has closed chains, or prescribed motions: dynamics that is called by its address
    dynamics: int  # address of that dynamics
    closing: int  # address of what closes them again
    watch: int  # address of what looks at contacts (`kernels.contacts.dynamics.contact_guards`), 0 where there are none
    values: int  # address of the guards that it fills
    reach: int  # address of how long the next step may be, by contacts, and of how long it will be if so; 0 where there are none
    glance: int  # address of a look at them that is enough in most steps (`kernels.contacts.glance.contact_glance`)
    quiet: int  # where there are no other guards, address of the integer that says whether any can come to zero; else 0
    passed_over: bool  # whether the guards were not looked at in the step before
    others: int  # where there are contacts, how many guards are not theirs; these come first
    live: int  # address of the list of their guards that are looked at in a step (`kernels.contacts.memory`), 0 for no contacts
    guarding: int  # address of what looks at guards (`guarding.guard_kernel`), 0 where there are none


class Point(NamedTuple):
    """A state: position and velocity."""

    q: Any
    v: Any


class Pair(NamedTuple):
    """A tangent vector of positions, and one of velocities; or several of each, one a row."""

    u: Any
    v: Any


class Vectors(NamedTuple):
    """The vectors of one step, in the scalar of the computation."""

    start: Point
    end: Point  # of the present stage; after the last stage, the end of the step
    between: Point  # a state within the step, by dense output
    to_end: Any  # u of `end`
    to_between: Any  # u of `between`
    torque: Any
    result: Any  # one number: what a guard's function returns, or whether closing loops has stopped something
    error: Pair  # estimated error of the step
    dense: Pair  # MOST_TERMS rows: terms of the dense output
    slopes: Pair  # MOST_STAGES rows: slopes of the stages


class Scratch(NamedTuple):
    """The memory of all vectors of a step, as Python gives it; `vectors_in` says which row is what."""

    q: Any  # (POSITIONS, nq)
    v: Any  # (VELOCITIES, nv)
    result: Any  # (1,)


class Flow(NamedTuple):
    """A mechanism in motion, as a step of the integrator takes it."""

    tree: int  # handle of the workspace
    method: Method  # numbers of the integrator
    calls: Any  # a record, `Calls`; from Python an array with it
    push: Any  # (bodies, 6): where the wrench function writes to
    external: Any  # the wrenches as kernels take them
    vectors: Any  # `Vectors`; from Python their `Scratch`, and `on_flow` unpacks it
    place: int = 0  # where the flow lies as it was given, for stages to find it


TORQUE = 5
"""The row of velocities in a scratch that has the torques."""
DENSE, SLOPES = 8, 8 + 2 * MOST_TERMS
"""The rows of velocities in a scratch at which the dense output and the slopes begin."""
POSITIONS, VELOCITIES = 3, SLOPES + 2 * MOST_STAGES


def new_scratch(nq: int, nv: int, scalar: type = float) -> Scratch:
    """Zeros for a mechanism with so many positions and velocities."""
    return Scratch(np.zeros((POSITIONS, nq), scalar), np.zeros((VELOCITIES, nv), scalar), np.zeros(1, scalar))


def start_in(scratch: Scratch) -> Point:
    """The state at the start of the step, for Python."""
    return Point(scratch.q[0], scratch.v[0])


def accelerations_in(scratch: Scratch) -> Any:
    """(MOST_STAGES, nv): the slopes of velocities, for Python."""
    return scratch.v[SLOPES + MOST_STAGES :]


@inline_view
def vectors_in(scratch: Scratch) -> Vectors:
    """All vectors of a step."""
    q, v = scratch.q, scratch.v
    return Vectors(
        Point(row(q, 0), row(v, 0)),
        Point(row(q, 1), row(v, 1)),
        Point(row(q, 2), row(v, 2)),
        row(v, 3),
        row(v, 4),
        row(v, TORQUE),
        borrowed_vector(scratch.result),
        Pair(row(v, 6), row(v, 7)),
        Pair(rows(v, DENSE, MOST_TERMS), rows(v, DENSE + MOST_TERMS, MOST_TERMS)),
        Pair(rows(v, SLOPES, MOST_STAGES), rows(v, SLOPES + MOST_STAGES, MOST_STAGES)),
    )


@inline_view
def row(table: Any, k: int) -> Any:
    """A row of a table, not counted."""
    return table_at(table[k].ctypes.data, 1, table.shape[1], table)[0]


@inline_view
def rows(table: Any, k: int, count: int) -> Any:
    """Several rows of a table, not counted."""
    return table_at(table[k].ctypes.data, count, table.shape[1], table)


def _declare_flow(prefix: str, scalar: Any) -> Any:
    """The words for a flow and its scratch in a scalar; returns the type of the flow."""
    vector, table = types.Array(scalar, 1, "C"), types.Array(scalar, 2, "C")
    scratch, numbers = tuple_type(Scratch, table, table, vector), float64[:, ::1]
    method = tuple_type(Method, numbers, float64[::1], numbers, numbers, *(int64,) * 3)
    declare(f"{prefix}Scratch", scratch)
    flow = tuple_type(Flow, int64, method, array_type(Calls), float64[:, ::1], table, scratch, int64)
    declare(f"{prefix}Flow", flow)
    return flow


given_flow_at = value_at(
    {
        float64: _declare_flow("", float64),
        pack: _declare_flow("Pack", pack),
    }
)


def on_flow(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of (flow, ...) as one of (place, like, ...), which finds the flow where it lies as it was given."""
    inner: Any = inline_once(function)

    def placed(place: int, like: Any, *others: Any) -> Any:
        given = given_flow_at(place, like)
        vectors = vectors_in(given.vectors)
        flow = Flow(given.tree, given.method, given.calls[0], given.push, given.external, vectors, place)
        return inner(flow, *others)

    return named(placed, function)


def flow_stage(function: F) -> F:
    """A function of (flow, ...) as a stage."""
    called: Any = stage(on_flow(function), lambda scalar: (int64, scalar, star(declared(function, scalar, 1))))

    @inline
    def call(flow: Flow, *given: Any) -> Any:
        return called(flow.place, zero(flow.vectors.result[0]), *given)

    return cast("F", call)


@inline_view
def model_of(flow: Flow) -> KernelModel:
    """The tables of the mechanism."""
    return model_at(flow.tree)


@inline_view
def work_of(flow: Flow) -> Work:
    """The scratch tables of its kernels."""
    return work_at(flow.tree, flow.vectors.torque)
