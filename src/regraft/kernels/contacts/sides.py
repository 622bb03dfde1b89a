"""On which side of a box or a cylinder a point is that touches it.

A ball goes round an edge, and its normal turns with it. A point has no radius: its normal would jump there, and take the
velocity along one side for one into the other. So a point that touches is on one side (SIDE) as long as it is closed, and leaves
where that side ends. While it is open it has none, and its gap is that to the nearest side, edge or corner.
"""

from __future__ import annotations

from ...algebra.spatial import Vector, rotate_back, scale, subtract, zero_spatial
from ...compilation import inline
from ..tables import VEL, KernelModel, R, Work
from .memory import SIDE_WAS, Contacts
from .pairs.boxes import box_side
from .pairs.cylinders import cylinder_side
from .placing import first_shape, second_shape
from .rows import slip_velocity
from .tables import FIXED, KIND, SIDE, SPHERE_BOX, SPHERE_CYLINDER, SWAPPED


@inline
def has_sides(contacts: Contacts, i: int) -> bool:
    """Whether point i is one without radius on a box or a cylinder."""
    kind = contacts.points[i, KIND]
    return contacts.points[i, FIXED] == 1 and (kind == SPHERE_BOX or kind == SPHERE_CYLINDER)  # noqa: PLR1714, SIM109


@inline
def from_second(model: KernelModel, work: Work, contacts: Contacts, i: int) -> tuple[Vector, Vector]:
    """Where the frame of the first shape of point i is in that of the second, and the velocity of the place of contact there.

    After `meet_point`.
    """
    X_a, _ = first_shape(model, work, contacts.points, contacts.shapes, i)
    X_b, _ = second_shape(model, work, contacts.points, contacts.shapes, i)
    v = slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R]))
    sign = -1.0 if contacts.points[i, SWAPPED] else 1.0
    return rotate_back(X_b[0], subtract(X_a[1], X_b[1])), rotate_back(X_b[0], scale(sign, v))


@inline
def hold_on_side(model: KernelModel, work: Work, contacts: Contacts, i: int) -> None:
    """SIDE of point i, which touches, by where it is and how it moves; after `meet_point`."""
    _, size = second_shape(model, work, contacts.points, contacts.shapes, i)
    c, v = from_second(model, work, contacts, i)
    if contacts.points[i, KIND] == SPHERE_BOX:
        put_on_side(contacts, i, box_side(c, v, size[0], size[1], size[2]))
    else:
        put_on_side(contacts, i, cylinder_side(c, v, size[0], size[1]))


@inline
def put_on_side(contacts: Contacts, i: int, side: int) -> None:
    """SIDE of point i; 0 for none."""
    contacts.points[i, SIDE] = contacts.items[i, SIDE_WAS] = side
