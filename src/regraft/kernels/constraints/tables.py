"""The tables of constraints: what each column holds. Row l belongs to the l-th *block* of constraint rows.

The blocks are those of the loop joints, in the order of their addition, then those of the couplings, then those of prescribed
coordinates of loop joints, in workspaces that are made for these, then those of the *rotors* of loop joints. A loop joint has a
row for each direction that it holds, a coupling or a prescribed coordinate has one. So has a rotor, for one coordinate of a loop
joint with armature; its row is soft, and holds nothing. What a loop joint is stands in the one table of all joints,
`kernels.tables`; here is what its loop makes of it. What follows needs to know only of blocks, not of their kinds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# cuts: int64 (blocks, CUT)
FIRST = 0  # the block's first constraint row
PATH = 1  # number of degrees of freedom on the ways from its bodies to their roots
REACH = 2  # first constraint row of the first block that shares a tree with it
SINCE = 3  # that block
RESISTS = 4  # 1 where a loop joint has torques along its own freedom by itself: of damping, limits, a spring or friction
COUNT = 5  # how many constraint rows it has, at most six
FIRST_TERM = 6  # of a coupling or a rotor: the first of its terms
END_TERM = 7  # one past the last of them
CUT = 8

# terms: int64 (terms, TERM), a row for each joint that a coupling names, and for each rotor
TERM_JOINT = 0  # row of the joint in the table of all joints: a joint of the tree, or one that closes a loop
TERM_V = 1  # its velocity, in the coordinates of all joints
TERM_Q = 2  # its position in q; −1 for a loop joint, whose position is found from its bodies
TERM = 3

# term_numbers: float64 (terms, TERM_NUMBERS): a coupling is Σ (factor · position − shift) = 0
FACTOR = 0
SHIFT = 1
PERIOD = 2  # of a coupling's first term: up to what the gap is known, as bodies tell angles up to whole turns; else 0
SOFTNESS = 3  # of a rotor: 1 / armature; else 0
PRESCRIBED = 4  # of a coordinate of a loop joint that moves as told: one more than its place among those of the joint; else 0
TERM_NUMBERS = 5

# pairs: (terms, PAIR), scratch, of terms that are loop joints
ON_CHILD = (
    0  # 6: the wrench on the joint's child that does work FACTOR along its coordinate, about the origin of the child's tree
)
ON_PARENT = 6  # 6: the opposite one on its parent, about the origin of the parent's tree
ALONG = 12  # 6: the first of them in the axes and about the origin of the joint's frame on the child
TOLD_Q = 18  # 7: of a prescribed coordinate: the position that its joint is to have
TOLD_V = 25  # the velocity that the coordinate is to have
TOLD_A = 26  # its acceleration
ASIDE = 27  # TOLD_V, while it does not count
PAIR = 28

# held: int64 (blocks, HELD_COUNTS), scratch
MOST = 0  # how many of its rows may be held; see `delassus.remember_rows`
HELD_ROWS = 1  # how many were held at the last closed position
COUNTED = 2  # how many are held so far, during the elimination
DRIVEN = 3  # 1 where the joint has a motor
HELD_COUNTS = 4

ALL_ROWS = 6
"""MOST of a loop of whose redundancy nothing is known."""

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
SOFT = 25  # what is added to the diagonal of the Delassus matrix: SOFTNESS of a rotor, else 0
APPLIED = 26  # sum of the multipliers whose forces act, since `hold`
ROW = 27

# Y: (blocks · longest, SHARES): a row for each place on a block's path
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

# scratch: (SCRATCH_ROWS, SCRATCH_COLUMNS)
SCREWS = 0  # 12 rows: screws of a joint
POSITION = 12  # the joint's position
VELOCITY = 13  # its velocity
DRIVE = 14  # its torques, then its wrench
BLOCK = 15  # 6 rows: what six rows have to do with six others
GAP = 21  # the largest gap of a loop, after the dynamics; and what counts as redundant, on the way to `free_bodies`
REDUNDANT_BELOW = 1  # its column there: see `tolerances.REDUNDANT`
SCRATCH_ROWS, SCRATCH_COLUMNS = 22, 7

ELIMINATE, BALANCE, TAKE_BACK = range(3)
"""What `link_kernels.links_kernel` does."""
POSITIONS, VELOCITIES, ACCELERATIONS, TERMS_ALONE = range(4)
"""What `coupling_kernels.couplings_kernel` looks at; the last: at positions, without what joints feel of the forces."""


class Loops(NamedTuple):
    """The loops of a structure, and scratch for their forces."""

    loops: Any  # the rows of loop joints in the table of all joints
    geometry: Any  # theirs
    cuts: Any
    child_frames: Any  # (number, 12): the joint's frame in the frame of the child's row
    path: Any  # int64 (blocks, longest): the joints from the block's bodies to their roots, by their place in the walk
    ranks: Any  # int64 (1, n): place in the walk of the first degree of freedom of each row
    dofs: Any  # int64 (1, nv): the degree of freedom at each place
    rows: Any
    Y: Any  # (blocks · longest, SHARES): what each joint on a block's path feels of the forces of the block's rows
    W: Any  # (blocks · band, 6): the factors of J M⁻¹ Jᵀ, for each block a row for each pivot that has to do with it
    band: int
    shared: Any  # int64 (2, longest): the places that the paths of two blocks share, on either path
    drive: Any  # (1, longest): what each joint on the path feels of a loop joint's own torques
    scratch: Any
    held: Any
    motors: Any  # float64 (number, 6): the torques of each joint's motor
    links: Any  # int64 (links, LINK); none where bodies hang on each other
    cycles: Any  # int64 (cycles, 1): the blocks that the tree of links does not need
    order: Any  # int64 (rows of cycles, 3): of each pivot of `border` its row there, its row in `rows`, and its block
    border: Any  # (rows of cycles, rows of cycles)
    factors: Any
    bodies: Any
    links_at: int  # address of `link_kernels.links_kernel`, where there are links
    coils_kernel: int  # address of `coil_kernels.loop_coils_kernel`, where loop joints have springs
    terms: Any
    term_numbers: Any
    pairs: Any
    hard: int  # how many blocks hold something: all but those of rotors, which are the last
    hard_rows: int  # how many rows these have
    couplings_at: int  # address of `coupling_kernels.couplings_kernel`, where there are couplings
    handle: Any  # by which stages find all of this again
