"""The tables of derivatives: what each column holds, and the header behind which they lie, as in `kernels.memory`.

Row d of a table of dofs belongs to the velocity v[d], row k of one of bodies to the k-th body of the walk.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...algebra.memory import table_at
from ...algebra.scalars import LANES
from ...compilation import inline_view

# plan: int64 (nv, PLAN), a row for each degree of freedom in the order of the walk
NUMBER = 0  # its place in v
DEPTH = 1  # how many are above it, on the way to its root
FIRST = 2  # 1 where it follows the one that it hangs from, or is the first of all
LAST = 3  # 1 where no other one that hangs from there follows
PLAN = 4

# directions: (nv, DIRECTIONS): what a degree of freedom does to all that it moves
PSI1 = 0  # 6: Ψ̇, how velocities there grow with q, as seen from there
PSI2 = 6  # 6: Ψ̈, how accelerations do, with V × Ψ̇
PHI = 12  # 6: Φ, how accelerations grow with v, with V × S
DIRECTIONS = 18

# turned: (nv, TURNED), where a joint's columns change in its child's frame
KAPPA = 0  # 6: Σ c_d v_d over the joint's columns d, where c_d is how column d changes with this coordinate
BEND = 6  # 6: Σ c_d a_d, and how Ṡ v, as the child sees it, changes with this coordinate
QUICK = 12  # 6: κ + r, how Ṡ v changes with this velocity
CHANGES = 18  # 6 times 6: c_d for each of the joint's columns
TURNED = 54

# carried: (n, CARRIED): what a body carries, itself included
INERTIA = 0  # 10: m, h, J
FORCE = 10  # 6: the force that its joint transmits
CORIOLIS = 16  # 9: G and
MOMENTUM = 25  # 3: P of the velocity terms, see `carried`
STEADY = 28  # 9: G and
STEADY_FORCE = 37  # 3: P of forces that keep their direction, see `loads`
CARRIED = 40

# path: (blocks, PATH · LANES): the degrees of freedom from the root to the present one, so many packs of them
ON_PATH = 0  # 6: S; then Ψ̈, Φ and the angular half of Ψ̇
PATH_PSI2 = 6
PATH_PHI = 12
PATH_PSI1 = 18
PATH = 21

# found: (blocks, FOUND · LANES): what the present degree of freedom shares with each of those on its path
LOWER_Q, LOWER_V = 0, 1  # its own torque by their position and velocity
UPPER_Q, UPPER_V = 2, 3  # their torques by its own
MASS = 4  # M, where inverse dynamics is differentiated
FOUND = 5

# ends: (nv, ENDS), of the degrees of freedom on the two ways from a spring, or a loop joint, one after the other
ALONG = 0  # 6: how its second end moves against its first one
FOLLOWS = 6  # 6: what the force between them, or the acceleration there, makes of that
FASTER = 12  # 6: the same of velocities
MOVES = 18  # 6: of a loop joint, how fast its child moves against its parent
ENDS = 24

# own: (OWN_ROWS, OWN), of a loop joint by itself, a row for each of its velocities: TURNED of them, and
DUAL = 54  # 6: the least wrench that does work along this velocity alone
STIFF = 60  # 6: how the torque along each velocity grows with this coordinate, while the child carries the joint's wrench
DAMP = 66  # 6: how it grows with this velocity
OWN = 72
TOTAL_WRENCH, BY_Q, BY_V = 6, 7, 8  # further rows: the wrench on the child; how its coordinates and velocities change
OWN_ROWS = 9

PACKS = 3
"""Packs of columns that are solved for together: so many that they hide the latency of a multiplication."""

# the header
NV, BODIES, BLOCKS = 0, 1, 2  # length of v, number of bodies, packs of the longest path
TURNING = 3  # 1 where some joint's columns change in its child's frame
JOINT_SLOPES = 4  # address of `joint_slopes.joint_slopes_kernel`, 0 where no joint needs it
PLAN_AT, NUMBERS_AT, DIRECTIONS_AT, TURNED_AT, CARRIED_AT, PATH_AT, FOUND_AT, WAITING_AT, ENDS_AT, SCRATCH_AT = range(5, 15)
LACKS_AT, SOLVED_AT, OWN_AT = 15, 16, 17
LOOP_SLOPES = 18  # address of `loop_slopes.loop_slopes_kernel`, 0 where no loop joint needs it
ROWS, WIDTH = 19, 20  # of constraints, and of a row of `lacks`
HEADER = 24

COMPLEX_ROWS, COMPLEX_COLUMNS = 12, 7
"""Of the scratch of `joint_slopes`, in complex numbers."""


class Slopes(NamedTuple):
    """Scratch tables for derivatives."""

    plan: Any
    numbers: Any  # int64 (1, blocks · LANES): the degrees of freedom on the path; also those of `ends`
    directions: Any
    turned: Any
    carried: Any
    path: Any
    found: Any
    waiting: Any  # (blocks · LANES, 6 · PACKS · LANES): what several of one depth share, while columns are solved for
    ends: Any
    lacks: Any  # (constraint rows, columns of a result): −R, then what rows lack in each column, then their forces
    solved: Any  # the same, on the way to these
    own: Any
    loop_slopes: int  # LOOP_SLOPES
    turning: int  # 1 where some joint's columns change in its child's frame
    joint_slopes: int  # address of `joint_slopes.joint_slopes_kernel`, 0 where no joint needs it
    address: int  # of the header


@inline_view
def slopes_at(address: int) -> Slopes:
    """The tables behind a header."""
    at = table_at(address, 1, HEADER, address)
    nv, bodies, blocks = at[0, NV], at[0, BODIES], at[0, BLOCKS]
    return Slopes(
        table_at(at[0, PLAN_AT], nv, PLAN, address),
        table_at(at[0, NUMBERS_AT], 1, nv + blocks * LANES, address),
        table_at(at[0, DIRECTIONS_AT], nv, DIRECTIONS, 0.0),
        table_at(at[0, TURNED_AT], nv if at[0, TURNING] else 0, TURNED, 0.0),
        table_at(at[0, CARRIED_AT], bodies, CARRIED, 0.0),
        table_at(at[0, PATH_AT], blocks, PATH * LANES, 0.0),
        table_at(at[0, FOUND_AT], FOUND, blocks * LANES, 0.0),
        table_at(at[0, WAITING_AT], blocks * LANES, 6 * PACKS * LANES, 0.0),
        table_at(at[0, ENDS_AT], nv, ENDS, 0.0),
        table_at(at[0, LACKS_AT], at[0, ROWS], at[0, WIDTH], 0.0),
        table_at(at[0, SOLVED_AT], at[0, ROWS], at[0, WIDTH], 0.0),
        table_at(at[0, OWN_AT], OWN_ROWS, OWN, 0.0),
        at[0, LOOP_SLOPES],
        at[0, TURNING],
        at[0, JOINT_SLOPES],
        address,
    )
