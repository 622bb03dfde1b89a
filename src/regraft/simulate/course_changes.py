"""Changes of structure in a course, compiled: a strike, a joint that takes hold, and a motion that goes on in other joints.

A *link* is one change of structure as numbers; an edge is a chain of them. Each kind is a kernel that the course calls by its
address, so that nobody waits for those that do not occur. It gets the addresses of the link and of the state (q, v), and leaves
there the state after the change.
"""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, store, table_at, vector_at
from ..algebra.pose import MOTION, POSE
from ..algebra.rotations import identity_pose
from ..algebra.spatial import Vector, dot, multiply, subtract, transpose, zero_spatial
from ..compilation import inline, inline_view, jit, long_entry
from ..joints import joint_nearest, joint_transform, parameters, settle_joint
from ..kernels import configuration
from ..kernels.constraints.closure import close_positions, look_at_rows, take_hold
from ..kernels.constraints.delassus import largest_residual
from ..kernels.constraints.dynamics import closed_dynamics
from ..kernels.constraints.rows import acceleration_gaps
from ..kernels.impact import impact
from ..kernels.jacobian import place_in_world
from ..kernels.kinematics import move_bodies, place_bodies, store_motion
from ..kernels.memory import hold_all, loops_at, model_at, positions_in, velocities_in, work_at
from ..kernels.tables import EXTERNAL, KIND, ORIGIN, PAR, ROOT, VEL, E, KernelModel, Q, T, Work
from ..tolerances import ASSEMBLED, AT_REST, GAP_SMALL, REDUNDANT, REPRESENTABLE, START_LACKING
from .start import A_LITTLE

# a link: int64 (LINK)
KERNEL = 0  # address of what makes the change
BEFORE = 1  # handle of a workspace of the structure before
AFTER = 2  # and of the one after
NQ = 3  # how many positions
NV = 4  # and velocities the state before has,
NEW_NQ = 5  # and the one after
NEW_NV = 6
SOURCES = 7  # address of (NEW_NQ + NEW_NV) places in the state before, from which the one after takes its numbers, −1 for none
STAYING = 8  # address of (STAYING_COUNT, 2): rows, before and after, of joints to the world that stay where they are
STAYING_COUNT = 9
ROOM = 10  # address of scratch of its own
NUMBERS = 11  # address of floats
TOP = 12  # of a strike: the row of the foot's body in the structure before,
NEW_TOP = 13  # and in the one after,
PAST_ROW = 14  # and that of the frame that the foot must be past, −1 for none
JOINTS = 12  # where the motion goes on in other joints: address of (JOINT_COUNT, JOINT), what they are
JOINT_COUNT = 13
LOOPS = 12  # where joints take hold: how many loops there are then
LINK = 15

# numbers of a strike: float64 (NUMBERS)
POINT = 0  # 3: where the foot is, in the frame of its row
PAST_POINT = 3  # 3: the same of the frame that it must be past
ALONG = 6  # 3: the direction,
LEAST = 9  # and by how much
STRIKE_NUMBERS = 10

# another joint: int64 (JOINT); its numbers are the rows of (JOINT_COUNT, JOINT_NUMBERS)
JOINT_KIND = 0
PARENT_ROW = 1  # of its parent in the structure before, −1 for the world
CHILD_ROW = 2
FIRST_Q = 3  # where its numbers are in the state after
COUNT_Q = 4
FIRST_V = 5
COUNT_V = 6
ON_WORLD = 7  # its row in the structure after, if the walk comes to it from the world, else −1
JOINT = 8
FRAMES = 0  # 2 × 12: its frames on parent and child
PARAMETERS = 24  # 6: the joint type's parameters
JOINT_NUMBERS = 30

MADE, PASSED_OVER, IMPOSSIBLE, OPEN = 0.0, 1.0, 2.0, 3.0  # as kernels that are called by their address return floats
"""What comes of a change: it is made; its condition does not hold; a joint cannot take the pose or the impact has no result; or a
loop is open, so that more is to be done than is done here."""


@inline_view
def link_at(address: int) -> Any:
    """The numbers of a link."""
    return table_at(address, 1, LINK, address)[0]


@jit
def exchange(link: Any, x: Any) -> None:
    """Give the state after the numbers of joints that stay, and such joints to the world the place that they have."""
    size, room = link[NEW_NQ] + link[NEW_NV], vector_at(link[ROOM], link[NEW_NQ] + link[NEW_NV])
    sources = table_at(link[SOURCES], 1, size, link[SOURCES])[0]
    for i in range(size):
        room[i] = x[sources[i]] if sources[i] >= 0 else 0.0
    for i in range(size):
        x[i] = room[i]
    rows = table_at(link[STAYING], link[STAYING_COUNT], 2, link[STAYING])
    before, after = model_at(link[BEFORE]).geometry, model_at(link[AFTER]).geometry
    for i in range(link[STAYING_COUNT]):
        store(after, rows[i, 1], T, load(before, rows[i, 0], T, 3))


# --- a foot lands ------------------------------------------------------------------------------------------------------------


@jit
def is_past(model: KernelModel, work: Work, link: Any, number: Any) -> bool:
    """Whether a foot is past the frame that it must be past; the bodies are placed."""
    if link[PAST_ROW] < 0:
        return True
    foot = place_in_world(model, work, link[TOP], (number[POINT], number[POINT + 1], number[POINT + 2]))
    other = place_in_world(model, work, link[PAST_ROW], (number[PAST_POINT], number[PAST_POINT + 1], number[PAST_POINT + 2]))
    along = number[ALONG], number[ALONG + 1], number[ALONG + 2]
    return dot(subtract(foot, other), along) > number[LEAST]


@jit
def stand(model: KernelModel, new: KernelModel, work: Work, link: Any, foot: Vector, q: Any) -> float:
    """Put the new base joint where the foot is, and its numbers into q (S1 eqs. 13–18); returns how far off its pose is."""
    top, k = link[TOP], link[NEW_TOP]
    store(new.geometry, k, T, foot)
    R_body = multiply(load(work.body, top, 0, 9), transpose(load(model.far, top, 0, 9)))
    R_joint = multiply(transpose(load(new.geometry, k, E, 9)), R_body)
    kind, par = new.walk[k, KIND], parameters(new.geometry, k, PAR, 0.0)
    joint_nearest(kind, par, (R_joint, (0.0, 0.0, 0.0)), q, new.walk[k, Q])
    R, p = joint_transform(kind, par, q, new.walk[k, Q])
    off = max(abs(p[0]), abs(p[1]), abs(p[2]))
    for i in range(9):
        off = max(off, abs(R[i] - R_joint[i]))
    return off


@long_entry
def strike(at_link: int, at_x: int) -> float:
    """A foot lands, if it is past what it must be past, and its body is the root after a plastic impact."""
    link = link_at(at_link)
    number, nq, nv = vector_at(link[NUMBERS], STRIKE_NUMBERS), link[NEW_NQ], link[NEW_NV]
    model, work = model_at(link[BEFORE]), work_at(link[BEFORE], 0.0)
    new, new_work = model_at(link[AFTER]), work_at(link[AFTER], 0.0)
    place_bodies(model, work, vector_at(at_x, link[NQ]))
    if not is_past(model, work, link, number):
        return PASSED_OVER
    move_bodies(model, work, vector_at(at_x, link[NQ]), vector_at(at_x + 8 * link[NQ], link[NV]))
    exchange(link, vector_at(at_x, nq + nv))
    q, v, out = vector_at(at_x, nq), vector_at(at_x + 8 * nq, nv), vector_at(link[ROOM], nv)
    foot = place_in_world(model, work, link[TOP], (number[POINT], number[POINT + 1], number[POINT + 2]))
    if not stand(model, new, work, link, foot, q) <= REPRESENTABLE:
        return IMPOSSIBLE
    origin, twist = load(work.body, model.walk[link[TOP], ROOT], ORIGIN, 3), load(work.body, link[TOP], VEL, 6)
    margin = impact(new, new_work, q, v, link[NEW_TOP], origin, twist, out)
    for d in range(nv):
        v[d] = out[d]
    return MADE if margin > 0.0 else IMPOSSIBLE


# --- a joint takes hold ------------------------------------------------------------------------------------------------------


@long_entry
def hold(at_link: int, at_x: int) -> float:
    """Joints between frames that meet take hold, with a plastic impact: as `connect` does."""
    link = link_at(at_link)
    nq, nv = link[NEW_NQ], link[NEW_NV]
    exchange(link, vector_at(at_x, nq + nv))
    hold_all(link[AFTER], 0.0)
    model, work, closed = model_at(link[AFTER]), work_at(link[AFTER], 0.0), loops_at(link[AFTER], 0.0)
    step, best = vector_at(link[ROOM], nv), vector_at(link[ROOM] + 8 * nv, nq)
    impulses = table_at(link[ROOM] + 8 * (nq + nv), link[LOOPS], 6, 0.0)
    q, v = vector_at(at_x, nq), vector_at(at_x + 8 * nq, nv)
    gap, _, redundant = take_hold(model, work, closed, q, v, step, best, impulses)
    return MADE if gap <= ASSEMBLED and redundant >= 0 else IMPOSSIBLE


# --- the same motion in other joints -----------------------------------------------------------------------------------------


@inline
def put_motion(model: KernelModel, work: Work, k: int, out: Any, side: int) -> None:
    """The motion of the body of row k, or of the world for −1, into a row of `out`."""
    if k >= 0:
        store_motion(model, work, k, out, side)
    else:
        store(out, side, 0, identity_pose(0.0)[0])
        store(out, side, 9, (0.0, 0.0, 0.0))
        store(out, side, POSE, zero_spatial(0.0))


@long_entry
def go_on_in(at_link: int, at_x: int) -> float:
    """All bodies move on as they did, some of them in other joints: as `cut` leaves them."""
    link = link_at(at_link)
    nq, nv, count = link[NEW_NQ], link[NEW_NV], link[JOINT_COUNT]
    model, work = model_at(link[BEFORE]), work_at(link[BEFORE], 0.0)
    q, v = vector_at(at_x, link[NQ]), vector_at(at_x + 8 * link[NQ], link[NV])
    place_bodies(model, work, q)
    move_bodies(model, work, q, v)
    exchange(link, vector_at(at_x, nq + nv))
    motions, columns = table_at(link[ROOM], 2, MOTION, 0.0), table_at(link[ROOM] + 8 * 2 * MOTION, 12, 6, 0.0)
    joints = table_at(link[JOINTS], count, JOINT, at_x)
    left = 0.0
    for j in range(count):
        numbers = link[NUMBERS] + 8 * JOINT_NUMBERS * j
        put_motion(model, work, joints[j, PARENT_ROW], motions, 0)
        put_motion(model, work, joints[j, CHILD_ROW], motions, 1)
        frames, par = table_at(numbers, 2, POSE, 0.0), table_at(numbers + 8 * PARAMETERS, 1, JOINT_NUMBERS - PARAMETERS, 0.0)
        q_j = vector_at(at_x + 8 * joints[j, FIRST_Q], joints[j, COUNT_Q])
        v_j = vector_at(at_x + 8 * (nq + joints[j, FIRST_V]), joints[j, COUNT_V])
        gap, slip, size = settle_joint(joints[j, JOINT_KIND], par, motions, frames, q_j, v_j, columns)
        here = gap + slip / (1.0 + size)
        left = here if not here <= left else left  # NaN stays
        if joints[j, ON_WORLD] >= 0:
            store(model_at(link[AFTER]).geometry, joints[j, ON_WORLD], T, load(frames, 0, 9, 3))
    return MADE if left <= GAP_SMALL else OPEN


# --- a closed chain begins to move -------------------------------------------------------------------------------------------


@long_entry
def admit(handle: int, at_x: int, room: int) -> float:
    """A closed chain begins to move: as `prepare_start`, but where that looks closer the state is left to it (OPEN).

    `room` is the address of 3 nv + 2 nq numbers, and nv zeros behind them.
    """
    nq, nv = positions_in(handle), velocities_in(handle)
    q, v, a = vector_at(at_x, nq), vector_at(at_x + 8 * nq, nv), vector_at(room, nv)
    step, nearby, best = vector_at(room + 8 * nv, nv), vector_at(room + 16 * nv, nq), vector_at(room + 8 * (2 * nv + nq), nq)
    no_torque = vector_at(room + 8 * (3 * nv + 2 * nq), nv)
    hold_all(handle, 0.0)
    model, work, closed = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0)
    closed_dynamics(model, work, closed, q, v, no_torque, table_at(handle, 0, EXTERNAL, 0.0), a)
    acceleration_gaps(model, work, closed, a)
    moving, rising = largest(v), largest(a)
    if moving > AT_REST and not largest_residual(closed) <= START_LACKING * rising:
        return OPEN
    look_at_rows(model, work, closed, q)
    size = moving if moving != 0.0 else rising
    if size != 0.0:
        for d in range(nv):
            step[d] = A_LITTLE * ((v[d] if moving != 0.0 else a[d]) / size)
        configuration.integrate(model.walk, q, step, nearby)
        close_positions(model, work, closed, nearby, step, best, 20, REDUNDANT)
        look_at_rows(model, work, closed, nearby)
    return MADE


@inline
def largest(numbers: Any) -> float:
    """The largest magnitude of some numbers."""
    found = 0.0
    for i in range(numbers.shape[0]):
        found = max(found, abs(numbers[i]))
    return found
