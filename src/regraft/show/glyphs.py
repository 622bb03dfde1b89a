"""What is shown beside bodies: joints with their axes, frames, springs, and arrows for gravity and forces.

A joint is asked for the directions in which it moves, not for its type: a turn is a short rod along its axis, a slide a bar with
two heads, turns about three axes are a ball, and what cannot move is a small cube.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose, pose_along
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..joints import screws
from ..kernels.tables import BODY, JOINT, POLARITY
from ..tolerances import AXIS_ROUNDING
from .colours import AXES, GREEN, INK, ORANGE, PURPLE
from .pieces import Piece
from .room import Room
from .triangles import Array, Triangles, arrow, ball, box, cylinder

TREE_JOINT, REVERSED_JOINT, LOOP_JOINT, ROOT = INK, "#1F9BCF", PURPLE, GREEN
"""The colours of joints of the tree, of those that it walks from child to parent, of those that close loops, and of the root."""
FORCE, REACTION, SPRING, MASS = "#C8102E", ORANGE, "#B8860B", "#E0B400"
"""Of forces at contacts and in joints, and so on."""
_SHARE = 0.03  # of the room: half of a joint's axis
_TURNS, _WIRE = 8, 0.16  # windings of a spring; the radius of its wire as a share of that of its windings


def glyph_size(room: Room) -> float:
    """Half of the length of a joint's axis in a room, m."""
    return _SHARE * room.size


def joint_colours(mech: Mechanism) -> dict[str, str]:
    """By joint: whether it is one of the tree, one of the tree that is walked from child to parent, or closes a loop."""
    walk, names = mech.structure.walk, [name for name, *_ in mech.layout.joints]
    against = {names[int(row[JOINT])] for row in walk if row[BODY] >= 0 and row[POLARITY] < 0}
    return {
        name: LOOP_JOINT if name not in mech.layout.q_slices else REVERSED_JOINT if name in against else TREE_JOINT
        for name in mech.joints
    }


def joint_pieces(mech: Mechanism, size: float) -> list[Piece]:
    """Where joints are and how they move, a piece for each axis, on the body on which that axis stays; free joints have none."""
    found: list[Piece] = []
    colours = joint_colours(mech)
    for name, joint in mech.joints.items():
        colour = colours[name]
        if joint.type.nv < 6:
            found += [Piece(body, name, surface, colour) for body, surface in joint_surfaces(joint, size)]
    return found


def joint_surfaces(joint: Joint, size: float) -> list[tuple[str, Triangles]]:
    """The surfaces that show a joint, each on one of its bodies."""
    kind, here = joint.type, joint.child_pose
    if not kind.nv:
        return [(joint.child, box((0.7 * size,) * 3).placed(here))]
    neutral = kind.neutral()
    moved = kind.normalised(neutral + 0.3)
    now, then = screws(kind, neutral), screws(kind, moved)
    turning = np.linalg.norm(now[:, :3], axis=1) > 0.0
    if turning.sum() == 3:
        found = [(joint.child, ball(0.55 * size).placed(here))]
        return found + [(joint.child, _bar(axis, size).placed(here)) for axis in now[~turning][:, 3:]]
    turn, found = kind.pose(moved).rotation, []
    for k, axis in enumerate(now):
        direction = axis[:3] if turning[k] else axis[3:]
        later = then[k, :3] if turning[k] else then[k, 3:]
        shown = _rod(direction, size) if turning[k] else _bar(direction, size)
        stays_on_parent = np.abs(later - direction).max() > AXIS_ROUNDING >= np.abs(turn @ later - direction).max()
        found.append((joint.parent, shown.placed(joint.parent_pose)) if stays_on_parent else (joint.child, shown.placed(here)))
        if turning[k] and axis[3:].any() and not np.cross(axis[:3], axis[3:]).any():  # a screw
            found.append((joint.child, _bar(direction, size).placed(here)))
    return found


def _rod(axis: Array, size: float) -> Triangles:
    return cylinder(0.22 * size, 2.0 * size, 16).placed(pose_along(axis))


def _bar(axis: Array, size: float) -> Triangles:
    """An arrow either way."""
    ahead, back = (arrow(1.3 * size, 0.12 * size).placed(pose_along(side * axis)) for side in (1.0, -1.0))
    return together(ahead, back)


def together(*surfaces: Triangles) -> Triangles:
    """Several surfaces as one."""
    starts = np.cumsum([0, *(len(one.vertices) for one in surfaces)])
    faces = np.concatenate([one.faces + start for one, start in zip(surfaces, starts[:-1], strict=True)])
    vertices, normals = (np.concatenate([getattr(one, what) for one in surfaces]) for what in ("vertices", "normals"))
    return Triangles(vertices, faces.astype(np.int32), normals)


def frame_pieces(mech: Mechanism, size: float) -> list[Piece]:
    """The named places of bodies, each as three axes: x red, y green, z blue."""
    found: list[Piece] = []
    for name, frame in mech.frames.items():
        for axis, colour in zip(np.eye(3), AXES, strict=True):
            found.append(Piece(frame.body, name, arrow(1.6 * size, 0.09 * size).placed(frame.pose @ pose_along(axis)), colour))
    return found


class SpringShown(NamedTuple):
    """A spring between two places, as `placed_between` puts it there."""

    name: str
    body_a: str
    point_a: Array
    body_b: str
    point_b: Array


def springs_shown(mech: Mechanism) -> list[SpringShown]:
    """All springs, with the places of their ends on their bodies."""
    return [
        SpringShown(name, one.body_a, np.array(one.point_a), one.body_b, np.array(one.point_b))
        for name, one in mech.springs.items()
    ]


def coil(size: float) -> Triangles:
    """A spring from the origin to (0, 0, 1), to be stretched along z alone; its windings are half as wide as a joint is long."""
    steps, around = 16 * _TURNS, 6
    t = np.linspace(0.0, 1.0, steps + 1)
    wide = 0.45 * size * np.clip(np.minimum(t, 1.0 - t) * _TURNS, 0.0, 1.0)  # both ends are on the axis
    angle = 2.0 * math.pi * _TURNS * t
    middle = np.stack((wide * np.cos(angle), wide * np.sin(angle), t), axis=1)
    out = np.stack((np.cos(angle), np.sin(angle), np.zeros_like(t)), axis=1)
    ring = np.linspace(0.0, 2.0 * math.pi, around, endpoint=False)
    normals = np.cos(ring)[None, :, None] * out[:, None] + np.sin(ring)[None, :, None] * np.array((0.0, 0.0, 1.0))
    thick = _WIRE * 0.45 * size * np.array((1.0, 1.0, 0.0)) + np.array((0.0, 0.0, 0.25 / (steps / 8)))
    vertices = middle[:, None] + normals * thick
    k, j = np.meshgrid(np.arange(steps), np.arange(around), indexing="ij")
    a, b = k * around + j, k * around + (j + 1) % around
    faces = np.stack((a, b + around, b, a, a + around, b + around), axis=2).reshape(-1, 3)
    return Triangles(vertices.reshape(-1, 3), faces.astype(np.int32), normals.reshape(-1, 3))


def placed_between(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[Pose, float]:
    """A frame at a whose z axis points to b, and how far that is."""
    return pose_along(b - a, a), float(np.linalg.norm(b - a))


def mass_ball(size: float) -> Triangles:
    """What shows a centre of mass, about the origin."""
    return ball(0.5 * size)


def gravity_arrow(mech: Mechanism, room: Room) -> Piece | None:
    """An arrow in the direction of gravity, at the side of a room; None where there is none."""
    if not np.any(mech.gravity):
        return None
    size = glyph_size(room)
    corner = room.high + 2.0 * size
    start = room.middle + (corner - room.middle) @ room.up * room.up
    down = mech.gravity / np.abs(mech.gravity).max()  # whose square is no overflow
    return Piece(WORLD, "gravity", arrow(5.0 * size, 0.16 * size).placed(pose_along(down, start)), INK)
