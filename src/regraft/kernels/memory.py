"""The memory that kernels run on. This file owns it: no other one knows where a table lies.

A structure has one block of memory with its tables and a first workspace; each further workspace has a block of its own. A block
begins with a *header*: how large the tables are, and their addresses. Handing an array from Python to compiled code costs almost
as much as the dynamics of one joint, and all of them more than that of an arm; so kernels are handed one integer, the address of
a workspace's header, and find the tables behind it. In Python that integer is a `Workspace`, which keeps alive what it leads to:
an entry has it as its argument, so nothing can go while a kernel is at work.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ..algebra.memory import table_at, words_in
from ..compilation import allocating, entry, inline, inline_view, jit
from .constraints.tables import (
    ALL_ROWS,
    BODY_LOADS,
    CUT,
    FACTORS,
    HELD_COUNTS,
    HELD_ROWS,
    LINK,
    MOST,
    NORMAL,
    PAIR,
    ROW,
    SCRATCH_COLUMNS,
    SCRATCH_ROWS,
    SHARES,
    TERM,
    TERM_NUMBERS,
    Loops,
)
from .tables import (
    ARMATURE,
    BODY_WORK,
    COIL,
    COIL_ROW,
    DOF_WORK,
    GEOMETRY,
    HELD,
    JOINTS,
    LIMIT,
    LIMIT_ROW,
    SETTINGS,
    SPRING,
    KernelModel,
    Work,
)

# --- the header -------------------------------------------------------------------------------------------------------------

# sizes
BODIES = 0  # n: number of bodies
LOOPS = 1  # number of loop joints
POSITIONS = 2  # length of q
VELOCITIES = 3  # length of v
COORDINATES = 4  # how many velocities all joints have, loop joints too
SPRINGS = 5  # number of springs
LIMITS = 6  # number of limits
TREE_LIMITS = 7  # how many of them are of joints of the tree
ROWS = 8  # number of constraint rows
LONGEST = 9  # degrees of freedom on the longest path of a loop
BAND = 10  # width of the band of the Delassus matrix
LINKS = 11  # see `Loops.links`
CYCLES = 12  # see `Loops.cycles`
CYCLE_ROWS = 13  # rows of these
LINKS_AT = 14  # address of `link_kernels.links_kernel`, where there are links
TABLED = 15  # how many numbers the joints' own tables have
ROTORS = 16  # how many velocities of the tree have armature
RUBBING = 17  # how many have dry friction
COILS = 18  # number of joints with a spring of their own
TREE_COILS = 19  # how many of them are of the tree
COILS_KERNEL = 20  # address of `coil_kernels.coils_kernel`, where there are any in the tree
LOOP_COILS_KERNEL = 21  # address of `coil_kernels.loop_coils_kernel`, where loop joints have springs
COUPLINGS = 22  # number of couplings and rotors of loop joints
TERMS = 23  # how many joints they name together
COUPLINGS_AT = 24  # address of `coupling_kernels.couplings_kernel`, where there are any
HARD = 25  # blocks that hold something: all but rotors
HARD_ROWS = 26  # rows of these
# addresses of the tables of a structure
JOINTS_AT, GEOMETRY_AT, GRAVITY_AT, SETTINGS_AT, SPRING_ROWS_AT, SPRINGS_AT, LIMIT_ROWS_AT, LIMITS_AT, FAR_AT = range(27, 36)
CUTS_AT, CHILD_FRAMES_AT, PATH_AT, RANKS_AT, DOFS_AT, NORMALS_AT, LINK_TABLE_AT, CYCLE_TABLE_AT = range(36, 44)
JOINT_TABLES_AT, COIL_ROWS_AT, COILS_AT, TERM_TABLE_AT, TERM_NUMBERS_AT = range(44, 49)
# addresses of those of a workspace
BODY_AT, DOF_AT, ROWS_AT, Y_AT, W_AT, SHARED_AT, DRIVE_AT, SCRATCH_AT, HELD_AT, MOTORS_AT = range(49, 59)
ORDER_AT, BORDER_AT, FACTORS_AT, LOADS_AT, PAIRS_AT = range(59, 64)
CONTACTS_AT = 64  # address of the tables of contacts (`contacts.memory`), which a run brings; 0 where there are none
VARIANTS_AT = 65  # address of `variants`, which whoever computes with packs brings; 0 where there are none
HEADER = 72  # a multiple of the words of a cache line, so that tables begin at one

_LINE = 8  # words of a cache line, at which every table begins
_POSE = 12


@inline_view
def header_at(handle: int) -> Any:
    """The header at an address."""
    return table_at(handle, 1, HEADER, handle)[0]


@jit
def size_structure(header: Any) -> None:
    """The words of each table of a structure, in the place of its address."""
    n, loops = header[BODIES], header[LOOPS]
    blocks = loops + header[COUPLINGS]
    header[JOINTS_AT], header[GEOMETRY_AT], header[GRAVITY_AT] = (n + loops) * JOINTS, (n + loops) * GEOMETRY, 3
    header[SETTINGS_AT] = SETTINGS * header[COORDINATES]
    header[COIL_ROWS_AT], header[COILS_AT] = header[COILS] * COIL_ROW, header[COILS] * COIL
    header[SPRING_ROWS_AT], header[SPRINGS_AT] = 2 * header[SPRINGS], header[SPRINGS] * SPRING
    header[LIMIT_ROWS_AT], header[LIMITS_AT] = header[LIMITS] * LIMIT_ROW, header[LIMITS] * LIMIT
    header[FAR_AT], header[RANKS_AT], header[DOFS_AT] = n * _POSE, n, header[VELOCITIES]
    header[CUTS_AT], header[CHILD_FRAMES_AT], header[PATH_AT] = blocks * CUT, loops * _POSE, blocks * header[LONGEST]
    header[NORMALS_AT] = 6 * header[ROWS]
    header[LINK_TABLE_AT], header[CYCLE_TABLE_AT] = header[LINKS] * LINK, header[CYCLES]
    header[JOINT_TABLES_AT] = header[TABLED]
    header[TERM_TABLE_AT], header[TERM_NUMBERS_AT] = header[TERMS] * TERM, header[TERMS] * TERM_NUMBERS


@jit
def size_workspace(header: Any, scalar: int) -> None:
    """The same for the tables of a workspace, in numbers of so many words."""
    n, nv, loops, longest = header[BODIES], header[VELOCITIES], header[LOOPS], header[LONGEST]
    blocks = loops + header[COUPLINGS]
    # kernels look at row 0 for the scalar type, so there is one even without bodies
    header[BODY_AT], header[DOF_AT] = scalar * max(n, 1) * BODY_WORK, scalar * nv * DOF_WORK
    header[SCRATCH_AT] = scalar * SCRATCH_ROWS * SCRATCH_COLUMNS
    header[ROWS_AT], header[Y_AT] = scalar * header[ROWS] * ROW, scalar * blocks * longest * SHARES
    header[W_AT], header[DRIVE_AT] = scalar * blocks * header[BAND] * 6, scalar * longest
    header[SHARED_AT], header[HELD_AT], header[MOTORS_AT] = 2 * longest, blocks * HELD_COUNTS, loops * 6
    header[ORDER_AT], header[BORDER_AT] = 3 * header[CYCLE_ROWS], scalar * header[CYCLE_ROWS] * header[CYCLE_ROWS]
    linked = scalar if header[LINKS] > 0 else 0
    header[FACTORS_AT], header[LOADS_AT] = linked * nv * FACTORS, linked * n * BODY_LOADS
    header[PAIRS_AT] = scalar * header[TERMS] * PAIR


# --- what kernels find behind it ------------------------------------------------------------------------------------------------


@inline_view
def model_at(handle: int) -> KernelModel:
    """The tables of a mechanism."""
    at = table_at(handle, 1, HEADER, handle)
    n, springs, limits = at[0, BODIES], at[0, SPRINGS], at[0, LIMITS]
    joints = n + at[0, LOOPS]
    return KernelModel(
        table_at(at[0, JOINTS_AT], joints, JOINTS, handle),
        table_at(at[0, JOINTS_AT], n, JOINTS, handle),
        table_at(at[0, GEOMETRY_AT], joints, GEOMETRY, 0.0),
        table_at(at[0, GRAVITY_AT], 1, 3, 0.0),
        table_at(at[0, SETTINGS_AT], SETTINGS, at[0, COORDINATES], 0.0),
        at[0, ROTORS],
        at[0, RUBBING],
        table_at(at[0, SPRING_ROWS_AT], springs, 2, handle),
        table_at(at[0, SPRINGS_AT], springs, SPRING, 0.0),
        table_at(at[0, LIMIT_ROWS_AT], limits, LIMIT_ROW, handle),
        at[0, TREE_LIMITS],
        table_at(at[0, LIMITS_AT], limits, LIMIT, 0.0),
        table_at(at[0, COIL_ROWS_AT], at[0, COILS], COIL_ROW, handle),
        at[0, TREE_COILS],
        table_at(at[0, COILS_AT], at[0, COILS], COIL, 0.0),
        at[0, COILS_KERNEL],
        at[0, VARIANTS_AT],
        table_at(at[0, FAR_AT], n, _POSE, 0.0),
        handle,
    )


@inline_view
def work_at(handle: int, like: Any) -> Work:
    """The scratch tables in the scalar of an array."""
    at = table_at(handle, 1, HEADER, handle)
    return Work(
        table_at(at[0, BODY_AT], at[0, BODIES], BODY_WORK, like),
        table_at(at[0, DOF_AT], at[0, VELOCITIES], DOF_WORK, like),
    )


@inline_view
def loops_at(handle: int, like: Any) -> Loops:
    """The tables of a structure's loops; those for results are in the scalar of `like`, a number or an array."""
    at = table_at(handle, 1, HEADER, handle)
    n, number, rows, longest = at[0, BODIES], at[0, LOOPS], at[0, ROWS], at[0, LONGEST]
    cycle_rows, links, terms, blocks = at[0, CYCLE_ROWS], at[0, LINKS], at[0, TERMS], number + at[0, COUPLINGS]
    velocities, bodies = (at[0, VELOCITIES], n) if links > 0 else (0, 0)
    return Loops(
        table_at(at[0, JOINTS_AT] + 8 * JOINTS * n, number, JOINTS, handle),
        table_at(at[0, GEOMETRY_AT] + 8 * GEOMETRY * n, number, GEOMETRY, 0.0),
        table_at(at[0, CUTS_AT], blocks, CUT, handle),
        table_at(at[0, CHILD_FRAMES_AT], number, _POSE, 0.0),
        table_at(at[0, PATH_AT], blocks, longest, handle),
        table_at(at[0, RANKS_AT], 1, n, handle),
        table_at(at[0, DOFS_AT], 1, at[0, VELOCITIES], handle),
        table_at(at[0, ROWS_AT], rows, ROW, like),
        table_at(at[0, Y_AT], blocks * longest, SHARES, like),
        table_at(at[0, W_AT], blocks * at[0, BAND], 6, like),
        at[0, BAND],
        table_at(at[0, SHARED_AT], 2, longest, handle),
        table_at(at[0, DRIVE_AT], 1, longest, like),
        table_at(at[0, SCRATCH_AT], SCRATCH_ROWS, SCRATCH_COLUMNS, like),
        table_at(at[0, HELD_AT], blocks, HELD_COUNTS, handle),
        table_at(at[0, MOTORS_AT], number, 6, 0.0),
        table_at(at[0, LINK_TABLE_AT], links, LINK, handle),
        table_at(at[0, CYCLE_TABLE_AT], at[0, CYCLES], 1, handle),
        table_at(at[0, ORDER_AT], cycle_rows, 3, handle),
        table_at(at[0, BORDER_AT], cycle_rows, cycle_rows, like),
        table_at(at[0, FACTORS_AT], velocities, FACTORS, like),
        table_at(at[0, LOADS_AT], bodies, BODY_LOADS, like),
        at[0, LINKS_AT],
        at[0, LOOP_COILS_KERNEL],
        table_at(at[0, TERM_TABLE_AT], terms, TERM, handle),
        table_at(at[0, TERM_NUMBERS_AT], terms, TERM_NUMBERS, 0.0),
        table_at(at[0, PAIRS_AT], terms, PAIR, like),
        at[0, HARD],
        at[0, HARD_ROWS],
        at[0, COUPLINGS_AT],
        handle,
    )


@inline_view
def normals_at(handle: int) -> Any:
    """(rows, 6): NORMAL of the rows of loop joints whose columns do not change in their children's frames."""
    at = table_at(handle, 1, HEADER, handle)
    return table_at(at[0, NORMALS_AT], at[0, ROWS], 6, 0.0)


@inline_view
def joint_tables_at(handle: int) -> Any:
    """(1, numbers): the tables that joints have of their own, one after the other."""
    at = table_at(handle, 1, HEADER, handle)
    return table_at(at[0, JOINT_TABLES_AT], 1, at[0, TABLED], 0.0)


@inline
def velocities_in(handle: int) -> int:
    """The length of v."""
    return table_at(handle, 1, HEADER, handle)[0, VELOCITIES]


@inline
def positions_in(handle: int) -> int:
    """The length of q."""
    return table_at(handle, 1, HEADER, handle)[0, POSITIONS]


# --- making it -----------------------------------------------------------------------------------------------------------------


@allocating
def block_of(header: Any, first: int, end: int) -> tuple[int, Any]:
    """A block of zeros for a header and its tables from the field `first` on: its address, and the block.

    These fields have the words of the tables, and in the block their addresses. Every table begins at a cache line.
    """
    at = 8 * HEADER
    for field in range(first, end):
        words, header[field] = header[field], at
        at += 8 * _LINE * ((words + _LINE - 1) // _LINE)
    memory = np.zeros(at // 8 + _LINE)
    start: Any = np.int64((memory.ctypes.data + 8 * _LINE - 1) // (8 * _LINE) * (8 * _LINE))
    found = header_at(start)
    for i in range(HEADER):
        found[i] = header[i] + start if first <= i < end else header[i]
    return start, memory


@allocating
def structure_of(header: Any) -> tuple[int, Any]:
    """A structure of these sizes with a workspace of real numbers: its address, and the block of memory that it begins."""
    size_structure(header)
    size_workspace(header, 1)
    return block_of(header, JOINTS_AT, PAIRS_AT + 1)


@jit
def hold_all(handle: int, like: Any) -> None:
    """Let a new workspace hold all that its loop joints hold, in the directions that do not change with the state."""
    closed, normals = loops_at(handle, like), normals_at(handle)
    for l in range(closed.cuts.shape[0]):
        closed.held[l, MOST] = closed.held[l, HELD_ROWS] = ALL_ROWS
    for r in range(closed.rows.shape[0]):
        for c in range(6):
            closed.rows[r, NORMAL + c] = normals[r, c]


@jit
def begin_with_rotors(handle: int, lanes: int, like: Any) -> None:
    """HELD = the joints' armature, in a new workspace of numbers like this one, `lanes` at a time."""
    at, settings = header_at(handle), model_at(handle).settings
    if at[ROTORS] > 0:
        dof = table_at(at[DOF_AT], at[VELOCITIES], DOF_WORK * lanes, like)
        for d in range(dof.shape[0]):
            for lane in range(lanes):
                dof[d, HELD * lanes + lane] = settings[ARMATURE, d]


@allocating
def block_for(structure: int, links: int, couplings: int, lanes: int, like: Any) -> tuple[int, Any]:
    """One more workspace for a structure: its address, and the block of memory that it begins.

    It computes in numbers of the kind of `like`, `lanes` at a time. `links` becomes LINKS_AT, and `couplings` COUPLINGS_AT.
    """
    header, scalar = np.empty(HEADER, np.int64), words_in(like) * lanes
    given = header_at(structure)
    for i in range(HEADER):
        header[i] = given[i]
    size_workspace(header, scalar)
    start, memory = block_of(header, BODY_AT, PAIRS_AT + 1)
    found = header_at(start)
    found[LINKS_AT], found[COUPLINGS_AT], found[CONTACTS_AT] = links, couplings, 0
    found[VARIANTS_AT] = 0
    begin_with_rotors(start, lanes, like)
    if found[ROWS] > 0:
        hold_all(start, like)
    return start, memory


@entry
def new_block(structure: int, links: int, couplings: int, lanes: int) -> tuple[int, Any]:
    """`block_for` real numbers."""
    return block_for(structure, links, couplings, lanes, 0.0)


# --- in Python -----------------------------------------------------------------------------------------------------------------

T = TypeVar("T", bound="Block")


class Block(int):
    """A block of memory: the address of its header, as kernels are handed it, which keeps alive all that it leads to."""

    memory: Any
    _keep: Any

    def __new__(cls: type[T], address: int, memory: Any, keep: Any = None) -> T:
        """The block at an address within the memory that it owns; `keep` is what else it leads to."""
        found = super().__new__(cls, address)
        found.memory, found._keep = memory, keep
        return found

    def __reduce__(self) -> Any:
        raise TypeError("kernels run on memory of this process; it cannot be copied or sent elsewhere.")

    def table(self, field: int, rows: int, columns: int, dtype: Any = np.float64) -> Any:
        """A table of this block, of which the header has the address in `field`, as a view."""
        first = (int(self.header[field]) - self.memory.__array_interface__["data"][0]) // 8
        words = rows * columns * np.dtype(dtype).itemsize // 8
        return self.memory[first : first + words].view(dtype).reshape(rows, columns)

    @property
    def header(self) -> Any:
        """(HEADER,), a view."""
        first = (int(self) - self.memory.__array_interface__["data"][0]) // 8
        return self.memory[first : first + HEADER].view(np.int64)

    def size(self, field: int) -> int:
        """A size from the header."""
        return int(self.header[field])
