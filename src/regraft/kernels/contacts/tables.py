"""The tables of contact points: what each column holds. Row i of each belongs to point i; `profiles` is one vector for all.

Two shapes meet in the order of their pair, a ball before the plane that it lies on. Where the user's order is the other one,
SWAPPED is 1; ROW_A, POSE_A, SIZE_A and the normal, which is from b to a, are always in the user's order.
"""

from __future__ import annotations

# points: int64 (n, POINTS)
KIND = 0  # which pair of shapes it is, one of the kinds below
ROW_A = 1  # row of the body that carries the first shape; −1 for the world
ROW_B = 2
TABLE = 3  # where in `profiles` the point's own numbers begin; of a surface the address of its function
TABLE_SIZE = 4  # how many there are
FIXED = 5  # 1 where the place of contact is a material point of the shape that comes first in the pair, else 0
SWAPPED = 6  # 1 where b comes first in the pair, else 0
CONTACT = 7  # index of the contact that the point belongs to
MEETING_KERNEL = 8  # address of `meeting.meeting_kernel`, 0 for SPHERE_PLANE and SPHERE_SEGMENT, which do without
GAP_KERNEL = 9  # address of `meeting.gap_kernel`, likewise
SIDE = 10  # of a point on a box or a cylinder: the side that it is held on while it is closed, see `sides`; 0 for the nearest
END_KERNEL = 11  # of BOX_VERTEX: address of `meeting.end_kernel`
POINTS = 12

# shapes: float64 (n, SHAPES)
POSE_A = 0  # 12: the first shape's frame (R, p) in the frame of its body's row
SIZE_A = 12  # 4: its lengths, see the kinds
POSE_B = 16  # 12
SIZE_B = 28  # 4
MU_STATIC = 32
MU_KINETIC = 33
RESTITUTION = 34
LAW = 35  # one of the laws below
SURFACE = 36  # 3: velocity of b's surface against b, in b's own axes turned into those of its row
STEEPNESS = 39  # how fast the gap can change where the shapes come nearer at unit speed; infinite where nobody knows
REACH_A = 40  # how far the first shape reaches from the origin of its body's row; infinite for planes on bodies that move
REACH_B = 41
THICKNESS = 42  # how far a point is within at most while it passes through; 0 where it cannot, as through ground
SHAPES = 43

# meetings: float64 (n, MEETINGS), scratch: where the shapes meet, in world axes and world coordinates
GAP = 0  # how far they are apart; negative where they are in one another
NORMAL = 1  # 3: unit vector, from b to a
TANGENTS = 4  # 6: two unit vectors at right angles to it and to each other; NORMAL = first × second
POINT = 10  # 3: the place of contact, on the surface of the shape that comes first in the pair
NORMAL_RATE = 13  # 3: how NORMAL changes in time
POINT_RATE = 16  # 3: how POINT does, which is the velocity of no material point where shapes roll
MEETINGS = 20

# kinds of pairs, with the sizes of both
SPHERE_PLANE = 0  # radius, 0 for a point | z = 0 of its frame, solid below
ELLIPSOID_PLANE = 1  # three radii |
RIM_PLANE = 2  # radius of a circle about the z axis of its frame |
FLAT_PLANE = 3  # the same circle and (x, y) of a point on it, which touches while the circle lies flat |
SPHERE_SPHERE = 4  # radius | radius
SPHERE_HOLLOW = 5  # radius | radius of the hollow that it is in
SPHERE_CAPSULE = 6  # radius | radius, half length along z
CAPSULE_CAPSULE = 7  # radius, half length along z | the same; where their sides cross
SPHERE_BOX = 8  # radius | half lengths
SPHERE_SEGMENT = 9  # radius | a straight piece of a profile, in the table
SPHERE_VERTEX = 10  # radius | x, z of a corner of a profile
CAPSULE_VERTEX = 11  # radius, half length along z | x, z of a corner of a profile
BOX_VERTEX = 12  # half lengths, and the number of one of its edges | x, z of a corner of a profile
SPHERE_CYLINDER = 13  # radius | radius, half length along z
SPHERE_SURFACE = 14  # radius | z = f(x, y) of its frame
SPHERE_ROD = 15  # radius | radius, half length along z of a capsule without its round ends

# a straight piece of a profile in `profiles`
START = 0  # 2: x, z where it begins
ALONG = 2  # 2: its direction
LOWER_END = 4  # how far along its direction it begins, and
UPPER_END = 5  # ends; infinite where it goes on
LOWER_SLANT = 6  # how far, for each unit of depth, the corner at this end takes away of it: less than 0 where it is hollow
UPPER_SLANT = 7
DEPTH = 8  # how deep the ground is below it; infinite where there is no other side
SEGMENT = 9

# laws of impacts
POISSON, STRONGE, NEWTON = range(3)
