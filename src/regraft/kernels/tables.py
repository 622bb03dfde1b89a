"""The tables that kernels run on: what each column holds, and where.

A mechanism's structure is data. `Model` is fixed while the structure is; `Work` is scratch that a kernel fills. Row k of a body
table belongs to the k-th body of the walk, parents before children; row d of a dof table to the velocity v[d].
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import float64, int64, types

from ..algebra.memory import table_at
from ..compilation import declare, inline, inline_view

# walk: int64 (n, WALK), one row per body in the order of the walk
BODY = 0  # index of the body in the mechanism
PARENT = 1  # row of the parent; −1 for a root, which hangs on the world
JOINT = 2  # index of the joint that leads here
KIND = 3  # the joint's type, its place in the registry
POLARITY = 4  # +1 where the walk goes from the joint's parent to its child, else −1
Q = 5  # first of the joint's numbers in q
V = 6  # first of the joint's numbers in v
END = 7  # one past the last of them
ROOT = 8  # row of the root of this body's tree
VARIES = 9  # 1 where the joint's columns change in its child's frame
LEAF = 10  # 1 where the body has no children
LAST = 11  # 1 where the body is the last child of its parent
STRAIGHT = 12  # 1 where the tree transform does not turn: E is the identity
WALK = 13

# geometry: float64 (n, GEOMETRY); each body's frame here is that of the joint that leads to it, as in S1
E = 0  # 9: tree transform, rotation: the joint's near frame in the parent's
T = 9  # 3: tree transform, translation
MASS = 12
COM = 13  # 3: centre of mass
MOMENTS = 16  # 6: moments of inertia about the centre of mass
PAR = 22  # 6: the joint type's parameters
GEOMETRY = 28

# springs: float64 (number, SPRING), with the rows of the two bodies in spring_rows, −1 for the world
POINT_A = 0  # 3, in the frame of row a
POINT_B = 3  # 3
STIFFNESS = 6
DAMPING = 7
REST = 8
SPRING = 9

# limits: float64 (number, LIMIT), with (row, measure) in limit_rows
LOWER = 0
UPPER = 1
LIMIT_STIFFNESS = 2
DISSIPATION = 3
LIMIT = 4

# external: scalar (n, EXTERNAL), or (0, EXTERNAL) where nothing pushes
PUSH = 0  # 6: moment and force in world axes
PUSH_POINT = 6  # 3: where the force acts, in the body's frame here
EXTERNAL = 9

# work.body: (n, BODY_WORK), all in world axes about the position of the tree's root
R = 0  # 9: orientation
P = 9  # 3: position
VEL = 12  # 6: velocity
BIAS = 18  # 6: acceleration relative to the parent that does not come from v̇
F = 24  # 6: force
A = 30  # 6: acceleration, in a world that rises at −g
RIGID = 36  # 10: the body's own inertia, or that of all it carries: m, h, J
I = 46  # 21: articulated inertia that its children show to the body
SIZE = 67  # 2: moments (their trace) and mass of all that its children carry: what rounding is measured by
ORIGIN = 69  # 3: for a root, its position in the world; else unused
BODY_WORK = 72

# work.dof: (nv, DOF_WORK)
S = 0  # 6: screw of this degree of freedom, signed by polarity
U = 6  # 6: I S
RATE = 12  # 6: change of S in the frame of the joint's child, only where VARIES
TAU = 18  # torque, passive ones included; then what is left of it
D = 19  # 1 / (S · U)
MARGIN = 20  # S · U less what may be rounding; a joint where it is not positive moves no inertia
NOISE = 21  # what rounding may have left in S · U
HELD = 22  # inertia that the joint itself has; so large that it does not move where it is to be held
DOF_WORK = 24  # a multiple of the 8 numbers of a cache line


# A handle is the address of an int64 array (HANDLE,) with the lengths and addresses of all tables. Handing an array from Python
# to compiled code costs almost as much as the dynamics of one joint, all of them more than that of an arm; an integer is free.
BODIES = 0  # number of bodies
POSITIONS = 1  # length of q
VELOCITIES = 2  # length of v
SPRINGS = 3  # number of springs
LIMITS = 4  # number of limits
TABLES = 5  # addresses of the fields of Model, then of Work
HANDLE = 15


class Model(NamedTuple):
    """A mechanism as kernels see it."""

    walk: Any
    geometry: Any
    gravity: Any  # (1, 3)
    damping: Any  # (1, nv)
    spring_rows: Any
    springs: Any
    limit_rows: Any
    limits: Any
    handle: Any  # by which stages find all of this again


_TABLE, _INTEGERS = float64[:, ::1], int64[:, ::1]
declare("Model", types.NamedTuple([_INTEGERS, _TABLE, _TABLE, _TABLE, _INTEGERS, _TABLE, _INTEGERS, _TABLE, int64], Model))


class Work(NamedTuple):
    """Scratch tables in the scalar of the computation."""

    body: Any
    dof: Any


@inline_view
def model_at(handle: int) -> Model:
    """The tables of a mechanism."""
    at = table_at(handle, 1, HANDLE, handle)
    n, springs, limits, t = at[0, BODIES], at[0, SPRINGS], at[0, LIMITS], TABLES
    return Model(
        table_at(at[0, t], n, WALK, handle),
        table_at(at[0, t + 1], n, GEOMETRY, 0.0),
        table_at(at[0, t + 2], 1, 3, 0.0),
        table_at(at[0, t + 3], 1, at[0, VELOCITIES], 0.0),
        table_at(at[0, t + 4], springs, 2, handle),
        table_at(at[0, t + 5], springs, SPRING, 0.0),
        table_at(at[0, t + 6], limits, 2, handle),
        table_at(at[0, t + 7], limits, LIMIT, 0.0),
        handle,
    )


@inline_view
def work_at(handle: int, like: Any) -> Work:
    """The scratch tables in the scalar of an array."""
    at = table_at(handle, 1, HANDLE, handle)
    return Work(
        table_at(at[0, TABLES + 8], at[0, BODIES], BODY_WORK, like),
        table_at(at[0, TABLES + 9], at[0, VELOCITIES], DOF_WORK, like),
    )


@inline
def velocities_in(handle: int) -> int:
    """The length of v."""
    return table_at(handle, 1, HANDLE, handle)[0, VELOCITIES]


@inline
def positions_in(handle: int) -> int:
    """The length of q."""
    return table_at(handle, 1, HANDLE, handle)[0, POSITIONS]
