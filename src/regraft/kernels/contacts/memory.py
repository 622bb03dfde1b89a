"""The tables of the contacts of a run, behind one address: a header with sizes and addresses, as in `kernels.memory`.

A contact *point* has three rows: along the normal and along two tangents. A joint with dry friction, a *rub*, has one, along its
coordinate. Rows exist for the *items* that are *active*: points that are closed, and rubs that stick; while modes are chosen, all
rubs. They are listed in `active`, points first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...algebra.memory import table_at
from ...compilation import inline, inline_view
from ..memory import CONTACTS_AT, header_at
from .problem import OPEN
from .problem import VECTORS as SCRATCH_VECTORS
from .problem import Contacts as Problem
from .tables import FIXED, MEETINGS, POINTS, SHAPES

# the header
NUMBER = 0  # of contact points
RUBS = 1  # number of joints' velocities with dry friction
NV = 2  # length of v
PROFILED = 3  # how many numbers the points' own tables have
BASE = 4  # address of the dynamics without contacts
CLOSING = 5  # address of what closes loops again, 0 where there are none
BODIES = 6  # number of bodies
CHOOSING = 7  # 1 where the next dynamics is to choose the modes of all closed items
STATUS = 8  # what the last choice of modes ended with, see `problem`
ACTIVE_POINTS = 9  # how many points are closed,
ACTIVE_RUBS = 10  # and how many rubs there are among the active items
WORST = 11  # the active item at which there was no solution, −1 for none
FREE = 12  # how many forces do not follow from the motion
POINTS_AT, SHAPES_AT, PROFILES_AT, MET_AT, ITEMS_AT, KEPT_AT, ACTIVE_AT, Y_AT, MATRIX_AT, VECTORS_AT = range(13, 23)
KINDS_AT, LAWS_AT, DIRECTIONS_AT, SPARE_AT, BODY_SPARE_AT, SCRATCH_AT, VALUES_AT, PAIRS_AT = range(23, 31)
LOOP_RUBS = 31  # address of `loop_rubs.loop_rubs_kernel`, 0 where no joint that closes a loop has dry friction
CALM = 32  # 1 where forces need not be looked at again within the present step, see `glance`
LOOKS = 33  # how many stages of the present step have found forces
READY = 34  # whether factors, rows and their matrix are those of where the state is: 0, ROWS_ALONE or MOVED_TOO
QUIET = 35  # 1 where no mode can end within the present step, see `outlook`
SPARED_AT = 36
SPARED_ROWS = 37  # how many rows are spared, see `patches`
LIVE_AT = 38
LOOPS = 39  # address of `closed_chains.closed_chains`, 0 where there are no loops
AHEAD_AT = 40
THIN = 41  # how many points may pass through what they touch, see `reach`
CONTACT_HEADER = 42

ROWS_ALONE, MOVED_TOO = 1, 2
"""READY where bodies may have other velocities than the state, and where they have those of the state."""

# items: int64 (points + rubs, ITEM)
MODE = 0  # OPEN, STICK or SLIDE
HIT = 1  # what has just happened to it: NOTHING, or one of the events below
RUB_V = 2  # of a rub: its place among the velocities of all joints, which for those of the tree is that in v
BEFORE = 3  # its mode before the event
RUB_LOOP = 4  # of a rub: the number of its joint among those that close loops, −1 for a joint of the tree,
RUB_OWN = 5  # and which velocity of that joint it is
WATCHED = 6  # of an open point: 1 where it may touch within the present step; of one that slides: where its slip may end
PATCH = 7  # of a closed point, while SPARED_ROWS is not 0: see `patches`
SIDE_WAS = 8  # of a point on a box or a cylinder: its SIDE, to be kept with its mode
ROWS_SPARED = 9  # of a closed point: which of its rows are spared, 1 + 2 + 4, to be kept with its mode
ITEM = 10

NOTHING, TOUCHES, LEAVES, SLIPS, HOLDS, STAYS, GOES_ON, HELD = range(8)
"""What happens to an item: HIT. LEAVES: the normal force would pull. SLIPS: friction is not enough. HOLDS: slip has ended.

Where a structure begins: STAYS: it was closed before, and is to stay so if it still touches. GOES_ON: likewise, with a slip so
slow that only the structure before knows it; or, at any event, a slip that goes on however slow it is (`settling`). HELD: it is
closed, or open, in any case.
"""

# kept: float64 (points + rubs, KEPT)
DIRECTION = 0  # 3: unit vector along the slip, in world axes; of a rub its sign in the first number
ANCHOR = 3  # 3: where a FIXED point that sticks is held on the other body, in the frame of that one's row
SLACK = 6  # 2: what is added to its guards until they have left zero
FORCE = 8  # 3: normal force and friction along the tangents, as last found; of a rub its torque
LARGEST = 11  # of a rub: the torque of its friction
IMPULSE = 12  # 3: of the last impact, along normal and tangents
SLIP = 15  # 3: the slip velocity of a point that slides, where the last step ended; 1: of a joint, at the last event
LEAD = 18  # 3: the direction against which friction acted last, in world axes
PATIENCE = 21  # by how much more slack it has than usual, as it has changed its mode again and again
MOST_PATIENCE = 1e6  # what it grows to; a slow slip is then not looked ahead at
BEGUN = 22  # 3: DIRECTION where the present modes were chosen
LEAST = 25  # 2: of what forces say of the end of its mode, the least in the stages of the present step,
MOST = 27  # 2: and the most
CLEARANCE = 29  # of an open point: how far away it is at least, times its STEEPNESS
STARTED = 30  # 6: DIRECTION and SLIP where the present step began
KEPT = 36

# live: int64 (2, 1 + 2 · items): how many guards are looked at in the present step, and which; 2 i and 2 i + 1 belong to item i.
# Row NEAR: how many items are near, see `outlook`, and which.
NEAR = 1

# ahead: float64 (1, AHEAD)
REACH = 0  # how long the next step may be, s; what is longer than ASKED need not be exact
ASKED = 1  # how long it will be where contacts allow that; infinite where nobody has said
ROOM = 2  # the least CLEARANCE of the points that are not near; less than 0 where all are to be looked at
STEEPEST = 3  # the largest STEEPNESS of points that may be far away,
SIDES = 4  # and on how many bodies their shapes are, 1 or 2
FARTHEST = 5  # the largest sum of how far the shapes of a point that are on bodies reach
FASTEST = 6  # the largest SPEED of all bodies
SPINNING = 7  # and their largest TURNING
FIXED_TARGETS = 8  # 1 where all that points may pass through is in the world
AHEAD = 9

# kinds: int64 (3, items), of the active items one after the other, as `problem` wants them
SORTS = 0  # CONE, RAY, BOX or FIXED_FORCE
MODES = 1
IMPACT_LAWS = 2
# laws: float64 (LAWS, items)
STATIC, KINETIC = 0, 1  # friction
NONE = 2  # zeros
BOUNCE = 3  # restitution
STEP_TAKES = 4  # in the first place: the share of the kinetic energy that closing may take out of a step
LAWS = 5

INSIDE = 100
"""STATUS where an open point is within what it may touch, although nothing has been seen to happen; WORST is then its number."""
JUMPS = 101
"""STATUS where velocities would have to jump although nothing has struck; WORST is the number of the point that is stopped."""

# vectors: float64 (VECTORS, rows)
LACK = 0  # b: what the rows accelerate at, or how fast they go, without forces of contacts
LAMBDA = 1  # the forces
LEFT = 2  # w = A λ + b
OTHER = 3
VECTORS = 4

# spare: float64 (SPARES, nv)
TORQUES = 0  # reduced torques without the forces of contacts
STEP = 1
INVERSE = 2  # D of all joints, side by side
SPARES = 3


# bodies: float64 (bodies, BODY_SPARE)
KEPT_MOTION = 0  # 12: VEL and BIAS, kept while responses are computed
SPEED = 12  # where the last step ended: how fast the origin of the body's row went,
TURNING = 13  # and how fast the body turned
WAY = 14  # how far that origin goes within the present step, at most,
TURN = 15  # and how far the body turns
SINCE = 16  # 2: the sums of WAY and of TURN since all points were last looked at
BODY_SPARE = 18

# pairs: float64 (rubs, PAIR), of joints that close loops
ON_CHILD = 0  # 6: the wrench of a unit torque on the joint's child, about the origin of the child's tree
ON_PARENT = 6  # 6: the opposite one on its parent, about the origin of the parent's tree
ALONG = 12  # 6: the first of them in the axes and about the origin of the joint's frame on the child
RATE = 18  # the joint's acceleration
PAIR = 19

PAIRS, RATES_OF_PAIRS = range(2)
"""What `loop_rubs.loop_rubs_kernel` finds."""

HOLD_LOOPS, BALANCE_LOOPS, RESPOND_LOOPS = range(3)
"""What `closed_chains.closed_chains` does: make the rows of loops and their factors at q; find their forces for accelerations;
add their part to the velocities after an impulse."""


class Contacts(NamedTuple):
    """The contacts of a run."""

    points: Any
    shapes: Any
    profiles: Any
    met: Any
    items: Any
    kept: Any
    active: Any  # int64 (1, items): the items that are closed, points first
    spared: Any  # int64 (1, rows): 1 for active rows that hold what other rows of the same two bodies hold already
    Y: Any  # (rows, nv): what each joint feels of a row's force, as the articulated-body elimination leaves it
    vectors: Any
    kinds: Any
    laws: Any
    directions: Any  # (items, 2): slip of active items along their tangents
    spare: Any
    bodies: Any
    values: Any  # (1, 2 · items): guards
    live: Any
    pairs: Any
    ahead: Any  # (1, AHEAD): what is known of the steps to come
    header: Any


@inline_view
def contacts_at(handle: int) -> Contacts:
    """The contacts of the run that a workspace is used by."""
    at = table_at(header_at(handle)[CONTACTS_AT], 1, CONTACT_HEADER, handle)
    n, m, nv = at[0, NUMBER], at[0, RUBS], at[0, NV]
    rows = 3 * n + m
    return Contacts(
        table_at(at[0, POINTS_AT], n, POINTS, handle),
        table_at(at[0, SHAPES_AT], n, SHAPES, 0.0),
        table_at(at[0, PROFILES_AT], 1, at[0, PROFILED], 0.0)[0],
        table_at(at[0, MET_AT], n, MEETINGS, 0.0),
        table_at(at[0, ITEMS_AT], n + m, ITEM, handle),
        table_at(at[0, KEPT_AT], n + m, KEPT, 0.0),
        table_at(at[0, ACTIVE_AT], 1, n + m, handle),
        table_at(at[0, SPARED_AT], 1, rows, handle),
        table_at(at[0, Y_AT], rows, nv, 0.0),
        table_at(at[0, VECTORS_AT], VECTORS, rows, 0.0),
        table_at(at[0, KINDS_AT], 3, n + m, handle),
        table_at(at[0, LAWS_AT], LAWS, n + m, 0.0),
        table_at(at[0, DIRECTIONS_AT], n + m, 2, 0.0),
        table_at(at[0, SPARE_AT], SPARES, nv, 0.0),
        table_at(at[0, BODY_SPARE_AT], at[0, BODIES], BODY_SPARE, 0.0),
        table_at(at[0, VALUES_AT], 1, 2 * (n + m), 0.0),
        table_at(at[0, LIVE_AT], 2, 1 + 2 * (n + m), handle),
        table_at(at[0, PAIRS_AT], m, PAIR, 0.0),
        table_at(at[0, AHEAD_AT], 1, AHEAD, 0.0),
        at[0],
    )


@inline
def active_items(contacts: Contacts) -> int:
    """How many items are active."""
    count: int = contacts.header[ACTIVE_POINTS] + contacts.header[ACTIVE_RUBS]
    return count


@inline
def active_rows(contacts: Contacts) -> int:
    """How many rows they have."""
    count: int = 3 * contacts.header[ACTIVE_POINTS] + contacts.header[ACTIVE_RUBS]
    return count


@inline_view
def problem_of(contacts: Contacts) -> Problem:
    """The contact problem of the active items."""
    return posed(contacts, KINETIC)


@inline_view
def problem_without_friction(contacts: Contacts) -> Problem:
    """The same where what slides does so freely."""
    return posed(contacts, NONE)


@inline_view
def posed(contacts: Contacts, kinetic: int) -> Problem:
    """The contact problem of the active items, with friction of sliding points from a row of `laws`."""
    rows, items, at = active_rows(contacts), active_items(contacts), contacts.header
    most, everything, columns = 3 * at[NUMBER] + at[RUBS], at[NUMBER] + at[RUBS], max(rows, 7)
    return Problem(
        table_at(at[MATRIX_AT], rows, rows, 0.0),
        table_at(at[VECTORS_AT] + 8 * most * LACK, 1, rows, 0.0)[0],
        table_at(at[KINDS_AT] + 8 * everything * SORTS, 1, items, rows)[0],
        table_at(at[LAWS_AT] + 8 * everything * STATIC, 1, items, 0.0)[0],
        table_at(at[LAWS_AT] + 8 * everything * kinetic, 1, items, 0.0)[0],
        table_at(at[DIRECTIONS_AT], items, 2, 0.0),
        table_at(at[KINDS_AT] + 8 * everything * MODES, 1, items, rows)[0],
        table_at(at[VECTORS_AT] + 8 * most * LAMBDA, 1, rows, 0.0)[0],
        table_at(at[SCRATCH_AT], SCRATCH_VECTORS + 3 * columns, columns, 0.0),
        at[ACTIVE_POINTS],
        1.0,
    )


@inline
def is_gap_of_place(handle: int, guard: int) -> bool:
    """Whether a guard, by its place among those of contacts, is the gap of an open point that has one place on its body.

    The gap of such a point is known to rounding. Where surfaces that are nearly parallel meet, it is not.
    """
    at = table_at(header_at(handle)[CONTACTS_AT], 1, CONTACT_HEADER, handle)
    i, n = guard // 2, at[0, NUMBER]
    items, points = table_at(at[0, ITEMS_AT], n + at[0, RUBS], ITEM, handle), table_at(at[0, POINTS_AT], n, POINTS, handle)
    return guard % 2 == 0 and i < n and items[i, MODE] == OPEN and points[i, FIXED] == 1
