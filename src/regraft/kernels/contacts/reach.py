"""How long the next step may be, so that nothing passes through anything between two looks at the gaps.

Gaps are looked at a few times in each step. What flies freely takes long steps, and a small fast ball would be through a thin
plate between two looks. A ball comes nearer at most as fast as its middle moves against the other body, so a step that covers no
more than the gap is safe whatever its length; and one that covers no more than the thickness of what is in the way looks into it
several times. What is far away, slow, or has ground without end below it does not shorten any step; and where it is known how
long the next step will be, nothing is looked at that could not be reached in it.
"""

from __future__ import annotations

import math

from ...algebra.memory import load
from ...algebra.spatial import add, angular, cross, dot, linear, subtract, zero_spatial
from ...compilation import inline, inline_once
from ..kinematics import parent_motion, rising_world
from ..tables import VEL, A, KernelModel, P, R, Work
from .memory import ASKED, FARTHEST, FASTEST, FIXED_TARGETS, MODE, NEAR, REACH, ROOM, SPINNING, STEEPEST, Contacts
from .outlook import length, most_shrinking, speed_of
from .placing import first_row, first_shape, second_row
from .points import gap_of
from .problem import OPEN
from .rows import motion_at
from .stages import contact_stage
from .tables import CAPSULE_CAPSULE, KIND, POSE_A, POSE_B, SWAPPED, THICKNESS


@contact_stage
def find_reach(model: KernelModel, work: Work, contacts: Contacts, h: float, falls: bool) -> None:
    """REACH at the end of a step of size h, with VEL and A of the bodies; before `outlook.look_out`.

    It is exact where it is less than ASKED, which is forgotten. `falls`: A is of the modes before an event, so gravity counts at
    least, and nobody knows how long the next step will be.
    """
    asked, contacts.ahead[0, ASKED] = contacts.ahead[0, ASKED], math.inf
    covered, near = math.inf, False
    if not falls and asked < math.inf and contacts.ahead[0, FIXED_TARGETS] == 1.0:
        covered, shrunk = way_ahead(model, work, contacts, h, asked)
        near = shrunk + contacts.ahead[0, STEEPEST] * covered < contacts.ahead[0, ROOM]
    look_within(model, work, contacts, falls, covered, near)


@inline_once
def look_within(model: KernelModel, work: Work, contacts: Contacts, falls: bool, covered: float, near: bool) -> None:
    """REACH, of what may be nearer than the way that is `covered` at most; `near`: others than near items are farther away."""
    contacts.ahead[0, REACH] = math.inf
    least = 0.0
    if falls:
        world = linear(rising_world(model, work.body[0, R]))
        least = math.sqrt(dot(world, world))
    last, speed, rate, shortest = -1, 0.0, 0.0, 0.0
    for k in range(contacts.live[NEAR, 0] if near else contacts.points.shape[0]):
        i = contacts.live[NEAR, 1 + k] if near else k
        if i >= contacts.points.shape[0] or contacts.items[i, MODE] != OPEN:
            continue
        if 0.0 < contacts.shapes[i, THICKNESS] < covered:
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
                contacts.ahead[0, REACH] = min(contacts.ahead[0, REACH], 2.0 * way / fastest)


@inline_once
def way_ahead(model: KernelModel, work: Work, contacts: Contacts, h: float, asked: float) -> tuple[float, float]:
    """How far any point goes in the next step, of the size `asked`, by what `approach_of` says, at most; and by how much any
    CLEARANCE has shrunk in the last one, of size h. All that points may pass through is in the world.
    """
    ahead, world = contacts.ahead, linear(rising_world(model, work.body[0, R]))
    speed, turning, rate, bend = 0.0, 0.0, length(world), 0.0
    for k in range(contacts.bodies.shape[0]):
        v, w = speed_of(work, k)
        speed, turning = max(speed, v), max(turning, w)
        motion = load(work.body, k, A, 6)
        rate = max(rate, length(add(linear(motion), cross(angular(motion), load(work.body, k, P, 3)))))
        bend = max(bend, length(angular(motion)))
    far = ahead[0, FARTHEST]
    shrunk = most_shrinking(contacts, h * (speed + ahead[0, FASTEST]), h * (turning + ahead[0, SPINNING]))
    fastest = speed + 2.0 * far * turning  # a capsule has a length as well
    change = 2.0 * rate + far * bend + 2.0 * turning * fastest
    return asked * (fastest + 0.5 * asked * change), shrunk


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


@inline_once
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
