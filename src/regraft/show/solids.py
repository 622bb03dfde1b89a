"""A mechanism as solids in space: its shapes, and sticks or ellipsoids for bodies that have none.

`solids_of` gives pieces in the frames of their bodies, `poses_of` where the bodies are in many states at once; a viewer needs
nothing else. Nothing here needs a package that Regraft itself does not need.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import MOTION, POSE, Pose
from ..describe.hulls import hull_of
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint, Shape
from ..describe.shapes import ENDLESS, Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from ..describe.state import State
from ..errors import FileError, listed
from ..joints import screws
from ..kernels.kinematics import motion
from .colours import as_hex, colour_of
from .drawable import check_drawable, drawable
from .endless import endless_pieces
from .meshes import read_surface
from .pieces import Piece
from .room import Room, room_around
from .sticks import stick_of, where_joints_are
from .triangles import Triangles, ball, box, capsule, creased, cylinder, rounded_hull

Array = NDArray[np.float64]

BUDGET = 120_000
"""Triangles that all meshes of a mechanism may have together; where they have more, they are made coarser, which is told."""
_FINE, _COARSEST = 96, 8  # cells along the longest edge of a mesh
_THINNEST = 0.04  # of the longest semi-axis: an ellipsoid that stands for a body is at least so thick
_PERSON = (1.5, 3.0)  # m: mechanisms of such a size have sticks as thick as limbs, others in proportion
_NAMED = 3


class Solids(NamedTuple):
    """All pieces of a mechanism, and what there is to tell of them."""

    pieces: tuple[Piece, ...]
    room: Room
    """Around the pose for which they were made, unless another one was given."""
    told: tuple[str, ...]
    """What is not shown, or coarser than it is, in words."""


@drawable()
def solids_of(mech: Mechanism, state: State, room: Room | None = None, budget: int = BUDGET) -> Solids:
    """The shapes that are there to be seen, body by body; the rules are those of pictures (`outlines_of`).

    A body none of whose visible shapes can be shown is shown as what is there to be touched, and one without any shapes as a
    stick from joint to joint or, where it has no joints, as the ellipsoid of equal mass and inertia; not so where it is welded to
    a body with shapes, as a mere place of it. Planes and the ground reach as far as `room`, by default that of this pose. Meshes
    have no more than `budget` triangles together.
    """
    poses = {body: Pose.from_row(row) for body, row in zip((*mech.structure.row_of, WORLD), rows_of(mech, state), strict=True)}
    cells, told = _cells_for(mech, budget)
    by_body: dict[str, list[Shape]] = {body: [] for body in (*mech.bodies, WORLD)}
    for shape in mech.shapes.values():
        by_body[shape.body].append(shape)
    scale, places, welded = _scale(mech, poses), _places(mech, state), _welded(mech)
    found: list[Piece] = []
    for body, shapes in by_body.items():
        own = _shown((one for one in shapes if one.visual), cells) or _shown((one for one in shapes if one.collision), cells)
        endless = any(isinstance(one.form, ENDLESS) for one in shapes)
        if not own and not endless and body != WORLD and body not in welded:
            own = _stand_in(mech, body, places[body], scale)
        found += own
    if not found:
        found = _points(mech, poses, scale)
    points = [poses[piece.body].apply(piece.surface.vertices) for piece in found] or [np.zeros((1, 3))]
    whole = np.concatenate(points)
    around = room_around(mech, whole) if room is None else room
    check_drawable(around.size, whole)
    found += endless_pieces(mech, around)
    return Solids(tuple(found), around, told)


def rows_of(mech: Mechanism, state: State) -> Array:
    """(bodies + 1, 12): the poses of all bodies in the order of the structure's rows, and that of the world."""
    return np.concatenate([mech.structure_for(state).motion(state._x)[:, :POSE], Pose().row[None]])


def poses_of(mech: Mechanism, states: Array) -> dict[str, Array]:
    """(states, 12) for each body, the rotation in row order and then the place, for rows (q, v) of one structure."""
    structure = mech.structure
    motions, work = np.empty((len(states), len(structure.body_names), MOTION)), structure.new_work()
    for x, out in zip(np.ascontiguousarray(states, float), motions, strict=True):
        motion.call(work, x, out)
    return {name: motions[:, k, :POSE] for name, k in structure.row_of.items()}


def _shown(shapes: Iterable[Shape], cells: int) -> list[Piece]:
    found = ((shape, _surface(shape, cells)) for shape in shapes)
    return [_piece(shape, surface) for shape, surface in found if surface is not None]


def _piece(shape: Shape, surface: Triangles) -> Piece:
    colour = colour_of(shape.body) if shape.color is None else as_hex(shape.color)
    opacity = 1.0 if shape.color is None else shape.color[3]
    hollow = isinstance(shape.form, Sphere) and shape.form.hollow
    return Piece(shape.body, shape.name, surface.placed(shape.pose), colour, 0.25 * opacity if hollow else opacity)


def _surface(shape: Shape, cells: int) -> Triangles | None:
    """A shape in its own frame; None for what has no end, no extent, or no file that can be read."""
    form = shape.form
    if isinstance(form, Mesh):
        try:
            points, faces = read_surface(form.file or form.path, cells)
        except FileError:
            return None
        mirrored = math.prod(form.scale) < 0.0
        return creased(points * form.scale, faces[:, ::-1] if mirrored else faces)
    if isinstance(form, Sphere):
        return ball(form.radius) if form.radius > 0.0 else None
    if isinstance(form, Capsule):
        return capsule(form.radius, form.start, form.end) if form.radius > 0.0 else None
    if isinstance(form, Cylinder):
        return cylinder(form.radius, form.length) if min(form.radius, form.length) > 0.0 else None
    if isinstance(form, Ellipsoid):
        return ball(form.radii) if min(form.radii) > 0.0 else None
    if isinstance(form, Box):
        return box(form.size) if min(form.size) > 0.0 else None
    hull = hull_of(form)
    return None if hull is None else rounded_hull(hull.points, hull.radius)


def _cells_for(mech: Mechanism, budget: int) -> tuple[int, tuple[str, ...]]:
    """How fine meshes are, so that they keep to a budget; and what there is to tell of meshes."""
    paths = [shape.form.file or shape.form.path for shape in mech.shapes.values() if isinstance(shape.form, Mesh)]
    lacking, there = [], []
    for path in paths:
        try:
            read_surface(path, _COARSEST)
            there.append(path)
        except FileError:
            lacking.append(path)
    told = []
    if lacking:
        names = list(dict.fromkeys(lacking))
        told.append(
            f"{len(names)} meshes are not shown, and other shapes or sticks stand for them: {listed(names, _NAMED)}. Shown are "
            ".stl and .obj files that are found when a mechanism is read; packages=(folder, ...) of regraft.read says where."
        )
    cells, counts = _FINE, _counts(there, _FINE)
    most = sum(counts)
    while sum(counts) > budget and cells > _COARSEST:
        cells = max(_COARSEST, int(cells * max(0.5, 0.95 * math.sqrt(budget / sum(counts)))))
        counts = _counts(there, cells)
    if cells < _FINE:
        told.append(f"meshes are shown with {sum(counts)} triangles, coarser than the {most} that there is no room for.")
    return cells, tuple(told)


def _counts(paths: Sequence[str], cells: int) -> list[int]:
    return [len(read_surface(path, cells).faces) for path in paths]


def _stand_in(mech: Mechanism, body: str, places: list[Array], scale: float) -> list[Piece]:
    """What stands for a body without shapes; nothing for one without mass."""
    inertia = mech.bodies[body].inertia
    if inertia.mass <= 0.0:
        return []
    stick = stick_of(mech, body, places, scale=scale)
    axes = semi_axes(inertia)
    if len(stick.points) > 1 or axes is None:
        return [Piece(body, "", rounded_hull(stick.points, stick.radius), colour_of(body), stands_in=True)]
    lengths, turned = axes
    surface = ball(np.maximum(lengths, _THINNEST * lengths.max())).placed(Pose(turned, inertia.com))
    return [Piece(body, "", surface, colour_of(body), stands_in=True)]


def semi_axes(inertia: Inertia) -> tuple[Array, Array] | None:
    """The semi-axes (3,) of the ellipsoid of equal mass and inertia, and their directions as columns; None of a point mass."""
    moments, axes = np.linalg.eigh(inertia.tensor)
    if inertia.mass <= 0.0 or not moments.max() > 0.0:
        return None
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    squares = 2.5 / inertia.mass * (moments.sum() - 2.0 * moments)
    lengths: Array = np.sqrt(np.maximum(squares, 0.0))
    return (lengths, axes) if lengths.max() > 0.0 else None


def _points(mech: Mechanism, poses: Mapping[str, Pose], scale: float) -> list[Piece]:
    """Small balls for bodies, none of which has a mass or a shape."""
    return [Piece(body, "", ball(0.02 * scale), colour_of(body), stands_in=True) for body in mech.bodies if body in poses]


def _places(mech: Mechanism, state: State) -> Mapping[str, list[Array]]:
    """Where joints are on each body; those to the world too that do not slide, as the hinge of a pendulum."""
    found = where_joints_are(mech, state)
    for joint in mech.joints.values():
        if WORLD in (joint.parent, joint.child) and _only_turns(joint):
            body, pose = (joint.child, joint.child_pose) if joint.parent == WORLD else (joint.parent, joint.parent_pose)
            if body != WORLD:
                found[body].append(pose.translation)
    return found


def _welded(mech: Mechanism) -> set[str]:
    """Bodies whose joints are all fixed, one of them to a body with shapes: in robots' files these are places, as of sensors."""
    shaped = {shape.body for shape in mech.shapes.values()} - {WORLD}
    ends = [
        (joint, *pair) for joint in mech.joints.values() for pair in ((joint.parent, joint.child), (joint.child, joint.parent))
    ]
    held = {body for joint, body, other in ends if not joint.type.nv and other in shaped}
    return held - {body for joint, body, _ in ends if joint.type.nv}


def _only_turns(joint: Joint) -> bool:
    columns = screws(joint.type, joint.type.neutral())
    return bool(len(columns)) and not columns[:, 3:].any()


def _scale(mech: Mechanism, poses: Mapping[str, Pose]) -> float:
    """How much larger or smaller than a person's the sticks of a mechanism are: 1 for sizes from 1.5 to 3 m."""
    places = [poses[name].apply(body.inertia.com) for name, body in mech.bodies.items()]
    places += [poses[joint.child].apply(joint.child_pose.translation) for joint in mech.joints.values() if joint.child in poses]
    size = float(np.ptp(np.array(places), axis=0).max()) if places else 0.0
    axes = (semi_axes(body.inertia) for body in mech.bodies.values())
    size = max([size, *(2.0 * float(found[0].max()) for found in axes if found is not None)])
    low, high = _PERSON
    return 1.0 if size <= 0.0 else max(1.0, size / high) * min(1.0, size / low)
