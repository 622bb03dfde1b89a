"""The Delassus matrix of contacts: how fast each active row goes after a unit impulse along each other one.

In a tree that is Y D Yᵀ. Where loops or couplings hold joints together, and in maximal coordinates, the response to each row is
found by itself, with all that holds, from the factors that the dynamics has left.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import call_kernel, load, store
from ...algebra.spatial import zero_spatial
from ...compilation import Floats, Table, inline, jit
from ..aba import accelerate
from ..constraints.closure import balance
from ..constraints.couplings import moved_pair
from ..constraints.prescribed_rows import set_velocities_aside
from ..constraints.rows import velocity_gaps
from ..constraints.tables import APPLIED, FIRST, FIRST_TERM, RESIDUAL, TERM_JOINT, TOTAL, Loops
from ..kinematics import move_bodies
from ..tables import BIAS, TAU, VEL, D, KernelModel, R, Work
from .memory import (
    ACTIVE_POINTS,
    ACTIVE_RUBS,
    CLOSING,
    INVERSE,
    KEPT_MOTION,
    LOOPS,
    RESPOND_LOOPS,
    SPARED_ROWS,
    STEP,
    TORQUES,
    Contacts,
)
from .rows import along_rows, relative_velocity
from .rubs import rub_speed
from .stages import contact_stage


@inline
def ask_loops(model: KernelModel, contacts: Contacts, q: Any, rates: Any, what: int) -> None:
    """Let `closed_chains.closed_chains` do something; where there are no loops, nothing."""
    if contacts.header[LOOPS] != 0:
        call_kernel(contacts.header[LOOPS], (model.handle, q.ctypes.data, rates.ctypes.data, what))


@contact_stage
def couple_contacts(model: KernelModel, work: Work, contacts: Contacts, q: Floats, A: Table) -> None:
    """A of the active rows, after the dynamics or `factorise`, `hold` and `couple`, and after `spread_active`."""
    if contacts.header[CLOSING] == 0:
        couple_tree(work, contacts, A)
    else:
        couple_closed(model, work, contacts, q, A)


@inline
def couple_tree(work: Work, contacts: Contacts, A: Any) -> None:
    """A = Y D Yᵀ; zero in rows that are spared.  O(rows² nv).

    Two rows and two columns are taken at a time, so that each number that is loaded is used twice, and four sums grow at once.
    """
    Y, nv, rows = contacts.Y, contacts.Y.shape[1], A.shape[0]
    one, two, inverse = contacts.spare[STEP], contacts.spare[TORQUES], contacts.spare[INVERSE]
    for d in range(nv):
        inverse[d] = work.dof[d, D]
    if contacts.header[SPARED_ROWS] > 0:
        for r in range(rows):
            for s in range(rows):
                A[r, s] = 0.0
    r = kept_row(contacts, -1, rows)
    while r < rows:
        after = kept_row(contacts, r, rows)
        r_2 = after if after < rows else r  # the last of an odd number stands for two
        for d in range(nv):
            one[d], two[d] = Y[r, d] * inverse[d], Y[r_2, d] * inverse[d]
        s = kept_row(contacts, -1, rows)
        while s <= r:
            s_2 = min(kept_row(contacts, s, rows), r_2)
            a, b, c, e = 0.0, 0.0, 0.0, 0.0
            for d in range(nv):
                a += one[d] * Y[s, d]
                b += one[d] * Y[s_2, d]
                c += two[d] * Y[s, d]
                e += two[d] * Y[s_2, d]
            A[r, s], A[r, s_2], A[r_2, s], A[r_2, s_2] = a, b, c, e
            A[s, r], A[s_2, r], A[s, r_2], A[s_2, r_2] = a, b, c, e
            s = kept_row(contacts, s_2, rows)
        r = kept_row(contacts, r_2, rows)


@inline
def kept_row(contacts: Contacts, row: int, rows: int) -> int:
    """The next row that is not spared; `rows` where there is none."""
    row += 1
    while row < rows and contacts.spared[0, row] > 0:
        row += 1
    return row


@jit
def couple_closed(model: KernelModel, work: Work, contacts: Contacts, q: Any, A: Any) -> None:
    """A with the responses of closed chains. Keeps all that the dynamics has left in the tables."""
    keep_motion(work, contacts)
    for r in range(A.shape[0]):
        for d in range(contacts.Y.shape[1]):
            work.dof[d, TAU] = contacts.Y[r, d]
        respond(model, work, contacts, q, contacts.spare[STEP])
        move_bodies(model, work, q, contacts.spare[STEP])
        rows_speed(model, work, contacts, contacts.spare[STEP], A[r])
    for r in range(A.shape[0]):
        for s in range(r):
            A[r, s] = A[s, r] = 0.5 * (A[r, s] + A[s, r])
    put_motion_back(work, contacts)


@jit
def respond(model: KernelModel, work: Work, contacts: Contacts, q: Any, step: Any) -> None:
    """`step`: the velocities after an impulse whose reduced torques are TAU, with all that closed chains hold.

    What moves as told is not moved by impulses: rows of prescribed loop joints hold as any others do. Overwrites VEL, BIAS, TAU.
    """
    forget_bias(work)
    accelerate(model, work, zero_spatial(work.body[0, R]), step)
    ask_loops(model, contacts, q, step, RESPOND_LOOPS)


@jit
def respond_closed(model: KernelModel, work: Work, closed: Loops, q: Any, step: Any) -> None:
    """`respond`, what closed chains add to `step`."""
    if closed.cuts.shape[0] == 0:
        return
    world = zero_spatial(work.body[0, R])
    move_bodies(model, work, q, step)
    forget_bias(work)
    set_velocities_aside(closed, True)
    velocity_gaps(model, work, closed, step)
    set_velocities_aside(closed, False)
    spin_rotors(model, work, closed)
    for r in range(closed.rows.shape[0]):
        closed.rows[r, TOTAL] = closed.rows[r, APPLIED]
    balance(model, work, closed)
    for r in range(closed.rows.shape[0]):
        closed.rows[r, APPLIED] = closed.rows[r, TOTAL]
    accelerate(model, work, world, step)


@inline
def spin_rotors(model: KernelModel, work: Work, closed: Loops) -> None:
    """RESIDUAL of the rotors of loop joints, which velocities alone do not hold but impulses have to spin up."""
    for b in range(closed.hard, closed.cuts.shape[0]):
        i = closed.cuts[b, FIRST_TERM]
        l = closed.terms[i, TERM_JOINT] - model.walk.shape[0]
        closed.rows[closed.cuts[b, FIRST], RESIDUAL] = -moved_pair(closed, i, l, work.body, VEL)


@inline
def forget_bias(work: Work) -> None:
    """BIAS = 0."""
    for k in range(work.body.shape[0]):
        store(work.body, k, BIAS, zero_spatial(work.body[0, R]))


@inline
def keep_motion(work: Work, contacts: Contacts) -> None:
    """Remember VEL, BIAS and TAU."""
    for k in range(contacts.bodies.shape[0]):
        store(contacts.bodies, k, KEPT_MOTION, load(work.body, k, VEL, 6))
        store(contacts.bodies, k, KEPT_MOTION + 6, load(work.body, k, BIAS, 6))
    for d in range(work.dof.shape[0]):
        contacts.spare[TORQUES, d] = work.dof[d, TAU]


@inline
def put_motion_back(work: Work, contacts: Contacts) -> None:
    """VEL, BIAS and TAU as `keep_motion` found them."""
    for k in range(contacts.bodies.shape[0]):
        store(work.body, k, VEL, load(contacts.bodies, k, KEPT_MOTION, 6))
        store(work.body, k, BIAS, load(contacts.bodies, k, KEPT_MOTION + 6, 6))
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] = contacts.spare[TORQUES, d]


@contact_stage
def rows_speed(model: KernelModel, work: Work, contacts: Contacts, v: Floats, out: Floats) -> None:
    """How fast the active rows go, with VEL of the bodies at the velocities v; surfaces that run are not counted."""
    still, row = zero_spatial(work.body[0, R]), 0
    first = contacts.header[ACTIVE_POINTS]
    for a in range(first):
        i = contacts.active[0, a]
        speeds = along_rows(contacts, i, relative_velocity(model, work, contacts, i, VEL, still))
        out[row], out[row + 1], out[row + 2] = speeds
        row += 3
    for a in range(first, first + contacts.header[ACTIVE_RUBS]):
        out[row] = rub_speed(model, work, contacts, contacts.active[0, a], v)
        row += 1
