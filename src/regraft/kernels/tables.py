"""The tables that kernels run on: what each column holds. Where the tables lie is the business of `memory`.

A structure is data. `KernelModel` is fixed while the structure is, and `Loops` in part; `Work` and the rest of `Loops` are
scratch that a kernel fills. Row k of a body table belongs to the k-th body of the walk, parents before children; row d of a dof
table to the velocity v[d].
"""

from __future__ import annotations

from typing import Any, NamedTuple

# joints: int64 (n + loops, JOINTS), all joints. Row k < n is the joint that leads to the k-th body of the walk: these are the
# table `walk`. Then there is a row for each joint that closes a loop, in the order in which they were added: the table `loops`
BODY = 0  # index of the body in the mechanism; −1 for a loop joint
PARENT = 1  # row of the parent; −1 for the world. Of a loop joint its own parent, of any other the body it is walked from
JOINT = 2  # index of the joint among those of the layout; of a loop joint among the loops
KIND = 3  # the joint's type, its place in the registry
POLARITY = 4  # +1 where the walk goes from the joint's parent to its child, else −1
Q = 5  # first of the joint's numbers in q; −1 for a loop joint, which has none
V = 6  # first of the joint's numbers in v; those of loop joints follow in coordinates that v has not
END = 7  # one past the last of them
ROOT = 8  # row of the root of this body's tree
VARIES = 9  # 1 where the joint's columns change in its child's frame
LEAF = 10  # 1 where the body has no children
LAST = 11  # 1 where the body is the last child of its parent
STRAIGHT = 12  # 1 where the tree transform does not turn: E is the identity
CLOSES = 13  # 1 for a joint that closes a loop, 0 for a joint of the tree
CHILD = 14  # row of the body it leads to, k; of a loop joint its own child, −1 for the world
DOFS = 15  # its degrees of freedom: END − V
JOINTS = 16

# geometry: float64 (n + loops, GEOMETRY), a row for each joint; each body's frame here is that of the joint that leads to it, as
# in S1. A loop joint has no mass; E and T are its frame on its parent, and its frame on its child is in `child_frames`
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

# limit_rows: int64 (number, LIMIT_ROW)
LIMITED = 0  # row of the joint in `joints`; those of the tree come first
MEASURE = 1  # which of the joint's measures
UP_TO_TURNS = 2  # 1 where it is an angle between two bounds that a pose gives up to whole turns, as of a loop joint
LIMIT_ROW = 3

# limits: float64 (number, LIMIT)
LOWER = 0
UPPER = 1
LIMIT_STIFFNESS = 2
DISSIPATION = 3
LIMIT = 4

# settings: float64 (SETTINGS, coordinates), a number for each velocity: those of the tree in the order of v, then of loop joints
JOINT_DAMPING = 0
ARMATURE = 1  # inertia that the joint itself has; each workspace begins with it in HELD
FRICTION = 2  # the torque of dry friction
SETTINGS = 3

# coil_rows: int64 (number, COIL_ROW), a row for each joint that has a spring of its own
COILED = 0  # row of the joint in `joints`; those of the tree come first
TURNS = 1  # a bit for each of its numbers that is an angle which a pose gives up to whole turns, as of a loop joint
COIL_ROW = 2

# coils: float64 (number, COIL)
COIL_REST = 0  # 7: the position at rest
COIL_STIFFNESS = 7  # 6: for each velocity
COIL = 13

# variants: packs, in one row, where lanes have numbers of their own: MASS, COM and MOMENTS of all rows of bodies, gravity, and
# the damping of all velocities of the tree
INERTIA = 10  # mass, centre of mass and moments
VARIED_GRAVITY = 3

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
U = 6  # 6: I S; before, room for the way of a joint's spring
RATE = 12  # 6: change of S in the frame of the joint's child, only where VARIES; then room for the pull of a joint's spring
TAU = 18  # torque, passive ones included; then what is left of it
D = 19  # 1 / (S · U)
MARGIN = 20  # S · U less what may be rounding; a joint where it is not positive moves no inertia
NOISE = 21  # what rounding may have left in S · U
HELD = 22  # inertia that the joint itself has: its armature, or so much that it does not move where it is to be held
GIVEN = 23  # acceleration that is prescribed, 0 where it is not: then HELD is infinite
DOF_WORK = 24  # a multiple of the 8 numbers of a cache line


class KernelModel(NamedTuple):
    """A mechanism as kernels see it."""

    joints: Any
    walk: Any  # the rows of `joints` that the tree has
    geometry: Any
    gravity: Any  # (1, 3)
    settings: Any
    rotors: int  # how many velocities of the tree have armature
    rubbing: int  # how many have dry friction
    spring_rows: Any
    springs: Any
    limit_rows: Any
    tree_limits: int  # how many of them are of joints of the tree
    limits: Any
    coil_rows: Any
    tree_coils: int  # how many of them are of joints of the tree
    coils: Any
    coils_kernel: int  # address of `coil_kernels.coils_kernel`, where there are any in the tree
    variants: int  # address of the numbers that differ from lane to lane, in a workspace of packs; 0 where there are none
    far: Any  # (n, 12): the frame of the joint that leads to each row, on its body
    handle: Any  # by which stages find all of this again


class Work(NamedTuple):
    """Scratch tables in the scalar of the computation."""

    body: Any
    dof: Any
