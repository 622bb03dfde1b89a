"""The tables of closed chains: what each column holds. Row l belongs to the l-th loop joint, in the order of their addition."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...algebra.memory import table_at
from ...compilation import inline_view
from ..tables import LIMIT

# loops: int64 (number, LOOP)
PARENT_ROW = 0  # row of the joint's parent, −1 for the world
CHILD_ROW = 1
LOOP_KIND = 2
LOOP_V = 3  # degrees of freedom of the loop joint
FIRST = 4  # its first constraint row
VARIES_TOO = 5  # 1 where the joint's columns change in its child's frame
PATH = 6  # number of degrees of freedom on the ways from its bodies to their roots
REACH = 7  # first constraint row of the first loop that shares a tree with it
SINCE = 8  # that loop
DRIVEN = 9  # 1 where the joint has torques along its own freedom: a motor's, damping or limits
MOST = 10  # how many of its rows may be held; see `coupling.remember_rows`
HELD_ROWS = 11  # how many were held at the last closed position
COUNTED = 12  # how many are held so far, during the elimination
LOOP = 13

# loop_numbers: float64 (number, LOOP_NUMBERS)
ON_PARENT = 0  # 12: the joint's frame in the frame of the parent's row
ON_CHILD = 12  # 12
LOOP_PAR = 24  # 6: the joint type's parameters
LOOP_DAMPING = 30  # 6
LOOP_TAU = 36  # 6: the torques of its motor
LOOP_NUMBERS = 42

# rows: (rows, ROW), as all tables from here on in the scalar of the computation, but those of integers
NORMAL = 0  # 6: the direction that is held, in the axes and about the origin of the joint's frame on the child
FORCE_CHILD = 6  # 6: its wrench on the child, about the origin of the child's tree
FORCE_PARENT = 12  # 6: its wrench on the parent, about the origin of the parent's tree
RESIDUAL = 18  # what the row misses
MULTIPLIER = 19
PIVOT = 20  # of the factorisation, in the order of TAKEN; 0 for a row that follows from those before it
SIZE_ALONE = 21  # what the pivot would be if the row's two forces did not act against each other
TOTAL = 22  # sum of multipliers over several corrections
TAKEN = 23  # of the r-th pivot: the row that it belongs to, as the rows of a loop are taken with the largest pivot first
SOLVED = 24  # of the r-th pivot: its row's multiplier
ROW = 25

# Y: (number · longest, SHARES): a row for each place on a loop's path
INVERSE = 6  # after what the joint there feels of each of the loop's rows: D of the joint
SHARES = 7

# links: int64 (links, LINK), where every body is free by itself: the tree of the joints, from its leaves to its roots
LINK_LOOP = 0  # the loop joint; −1 for a body on which a tree ends that no joint holds
NEAR = 1  # row of the body that is farther from the root
FAR = 2  # row of the other one, −1 for the world
NEAR_IS_CHILD = 3  # 1 where the near body is the joint's child
LINK = 4

# factors: (nv, FACTORS), of the inertia that a body shows with all that hangs on it
FACTOR_U = 0  # 6
FACTOR_D = 6
SEEN = 7  # what a degree of freedom sees of the body's load
FACTORS = 8

# bodies: (n, BODY_LOADS)
LOAD = 0  # 6: force on the body
ACCELERATION = 6  # 6: what it makes of it
TOTAL_LOAD = 12  # 6: the forces of all joints on the body
BODY_LOADS = 18

# limited: int64 (limits, LIMIT_OF)
LIMITED_LOOP = 0
MEASURE = 1
UP_TO_TURNS = 2  # 1 where the measure is an angle between two bounds, which a pose gives up to whole turns
LIMIT_OF = 3

# scratch: (SCRATCH_ROWS, SCRATCH_COLUMNS)
SCREWS = 0  # 12 rows: screws of a joint
POSITION = 12  # the joint's position
VELOCITY = 13  # its velocity
DRIVE = 14  # its torques, then its wrench
BLOCK = 15  # 6 rows: what six rows have to do with six others
GAP = 21  # the largest gap of a loop, after the dynamics; and what counts as redundant, on the way to `free_bodies`
REDUNDANT_BELOW = 1  # its column there: see `coupling.REDUNDANT`
SCRATCH_ROWS, SCRATCH_COLUMNS = 22, 7

ELIMINATE, BALANCE, TAKE_BACK = range(3)
"""What `link_kernels.links_kernel` does."""


class Loops(NamedTuple):
    """The loops of a structure, and scratch for their forces."""

    loops: Any
    numbers: Any
    limited: Any  # int64 (limits, LIMIT_OF)
    limits: Any  # float64 (limits, LIMIT)
    path: Any  # int64 (loops, longest): the joints from the loop's bodies to their roots, by their place in the walk
    ranks: Any  # int64 (1, n): place in the walk of the first degree of freedom of each row
    dofs: Any  # int64 (1, nv): the degree of freedom at each place
    rows: Any
    Y: Any  # (number · longest, SHARES): what each joint on a loop's path feels of the forces of the loop's rows
    W: Any  # (number · band, 6): the factors of J M⁻¹ Jᵀ, for each loop a row for each pivot that has to do with it
    band: int
    shared: Any  # int64 (2, longest): the places that the paths of two loops share, on either path
    drive: Any  # (1, longest): what each joint on the path feels of a loop joint's own torques
    scratch: Any
    links: Any  # int64 (links, LINK); none where bodies hang on each other
    cycles: Any  # int64 (cycles, 1): the loop joints that the tree of links does not need
    order: Any  # int64 (rows of cycles, 3): of each pivot of `border` its row there, its row in `rows`, and its loop
    border: Any  # (rows of cycles, rows of cycles)
    factors: Any
    bodies: Any
    links_at: int  # address of `link_kernels.links_kernel`, where there are links
    handle: Any  # by which stages find all of this again


# A handle, as for the tables of the tree, is the address of an int64 array (LOOP_HANDLE,) with lengths and addresses.
NUMBER, LIMITED, BODIES_IN, VELOCITIES_IN, ROWS_IN, LONGEST, BAND, LINKS_IN, CYCLES_IN, CYCLE_ROWS_IN = range(10)
LINKS_AT, LOOP_TABLES = 10, 11
LOOP_HANDLE = LOOP_TABLES + 19


@inline_view
def loops_at(handle: int, like: Any) -> Loops:
    """The tables of a structure's loops; those for results are in the scalar of `like`, a number or an array."""
    at = table_at(handle, 1, LOOP_HANDLE, handle)
    number, limits, rows, longest, t = at[0, NUMBER], at[0, LIMITED], at[0, ROWS_IN], at[0, LONGEST], LOOP_TABLES
    links, cycle_rows = at[0, LINKS_IN], at[0, CYCLE_ROWS_IN]
    velocities, bodies = (at[0, VELOCITIES_IN], at[0, BODIES_IN]) if links > 0 else (0, 0)
    return Loops(
        table_at(at[0, t], number, LOOP, handle),
        table_at(at[0, t + 1], number, LOOP_NUMBERS, 0.0),
        table_at(at[0, t + 2], limits, LIMIT_OF, handle),
        table_at(at[0, t + 3], limits, LIMIT, 0.0),
        table_at(at[0, t + 4], number, longest, handle),
        table_at(at[0, t + 5], 1, at[0, BODIES_IN], handle),
        table_at(at[0, t + 6], 1, at[0, VELOCITIES_IN], handle),
        table_at(at[0, t + 7], rows, ROW, like),
        table_at(at[0, t + 8], number * longest, SHARES, like),
        table_at(at[0, t + 9], number * at[0, BAND], 6, like),
        at[0, BAND],
        table_at(at[0, t + 10], 2, longest, handle),
        table_at(at[0, t + 11], 1, longest, like),
        table_at(at[0, t + 12], SCRATCH_ROWS, SCRATCH_COLUMNS, like),
        table_at(at[0, t + 13], links, LINK, handle),
        table_at(at[0, t + 14], at[0, CYCLES_IN], 1, handle),
        table_at(at[0, t + 15], cycle_rows, 3, handle),
        table_at(at[0, t + 16], cycle_rows, cycle_rows, like),
        table_at(at[0, t + 17], velocities, FACTORS, like),
        table_at(at[0, t + 18], bodies, BODY_LOADS, like),
        at[0, LINKS_AT],
        handle,
    )
