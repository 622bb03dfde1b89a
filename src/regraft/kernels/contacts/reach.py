"""How long the next step may be, so that nothing passes through anything between two looks at the gaps.

Gaps are looked at a few times in each step. What flies freely takes long steps, and a small fast ball would be through a thin
plate between two looks. A ball comes nearer at most as fast as its middle moves against the other body, so a step that covers no
more than the gap is safe whatever its length; and one that covers no more than the thickness of what is in the way looks into it
several times. What is far away, slow, or has ground without end below it does not shorten any step.
"""

from __future__ import annotations

import math

from ...algebra.spatial import add, angular, cross, dot, linear, subtract, zero_spatial
from ...compilation import inline, jit
from ..kinematics import parent_motion, rising_world
from ..tables import VEL, A, KernelModel, R, Work
from .memory import MODE, THIN, Contacts
from .placing import first_row, first_shape, second_row
from .points import gap_of
from .problem import OPEN
from .rows import motion_at
from .tables import CAPSULE_CAPSULE, KIND, POSE_A, POSE_B, SWAPPED, THICKNESS


@inline
def has_thin_ones(contacts: Contacts) -> bool:
    """Whether any point is open that may pass through what it may touch."""
    some = False
    for i in range(contacts.points.shape[0] if contacts.header[THIN] > 0 else 0):
        some = some or (contacts.items[i, MODE] == OPEN and contacts.shapes[i, THICKNESS] > 0.0)
    return some


@jit
def find_reach(model: KernelModel, work: Work, contacts: Contacts, falls: bool) -> None:
    """`reach`: how long the next step may be; with VEL and A of the bodies.

    `falls`: A is of the modes before an event, so gravity counts at least.
    """
    contacts.reach[0, 0] = math.inf
    least = 0.0
    if falls:
        world = linear(rising_world(model, work.body[0, R]))
        least = math.sqrt(dot(world, world))
    last, speed, rate, shortest = -1, 0.0, 0.0, 0.0
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == OPEN and contacts.shapes[i, THICKNESS] > 0.0:
            gap = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            way = max(gap, contacts.shapes[i, THICKNESS])
            if last < 0 or not move_alike(contacts, last, i):
                speed, rate = approach_of(model, work, contacts, i)
                rate, shortest = max(rate, least), math.inf
            last = i
            if not way < shortest:
                continue
            shortest = way
            fastest = speed + math.sqrt(speed * speed + 2.0 * rate * way)
            if fastest > 0.0:
                contacts.reach[0, 0] = min(contacts.reach[0, 0], 2.0 * way / fastest)


@inline
def move_alike(contacts: Contacts, i: int, j: int) -> bool:
    """Whether the first shapes of two points have their middle in one place of one body, and the second ones are on one body.

    So it is of a ball and all pieces of a profile. How fast two capsules come nearer depends on their lengths as well.
    """
    points, shapes = contacts.points, contacts.shapes
    if first_row(points, i) != first_row(points, j) or second_row(points, i) != second_row(points, j):
        return False
    lengths = points[i, KIND] == CAPSULE_CAPSULE or points[j, KIND] == CAPSULE_CAPSULE
    if lengths or points[i, SWAPPED] != points[j, SWAPPED]:
        return False
    at, same = (POSE_B if points[i, SWAPPED] else POSE_A) + 9, True
    for c in range(3):
        same = same and shapes[i, at + c] == shapes[j, at + c]
    return same


@inline
def approach_of(model: KernelModel, work: Work, contacts: Contacts, i: int) -> tuple[float, float]:
    """How fast the first shape of point i moves against the body of the second, and how fast that may change."""
    a, b = first_row(contacts.points, i), second_row(contacts.points, i)
    still, world = zero_spatial(work.body[0, R]), rising_world(model, work.body[0, R])
    X, size = first_shape(model, work, contacts.points, contacts.shapes, i)
    v = subtract(linear(motion_at(model, work, a, VEL, still, X[1])), linear(motion_at(model, work, b, VEL, still, X[1])))
    w = subtract(angular(parent_motion(work.body, a, VEL, still)), angular(parent_motion(work.body, b, VEL, still)))
    rate = subtract(linear(motion_at(model, work, a, A, world, X[1])), linear(motion_at(model, work, b, A, world, X[1])))
    rate = add(rate, cross(w, v))
    speed, turning = math.sqrt(dot(v, v)), math.sqrt(dot(w, w))
    if contacts.points[i, KIND] == CAPSULE_CAPSULE:
        speed += turning * size[1]
    return speed, math.sqrt(dot(rate, rate)) + turning * speed
