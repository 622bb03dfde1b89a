"""A film as what a page draws: surfaces on bodies, which of them belong to which structure, and tables of all frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import ENDLESS, Mesh
from ..errors import printable
from .drawable import check_drawable, drawable
from .endless import endless_pieces
from .film import Film, Forces, Part
from .glyphs import (
    FORCE,
    LOOP_JOINT,
    MASS,
    REVERSED_JOINT,
    ROOT,
    SPRING,
    TREE_JOINT,
    coil,
    frame_pieces,
    gravity_arrow,
    joint_pieces,
    mass_ball,
    springs_shown,
)
from .packing import Table, directions, plain, rounded, turns
from .pieces import Piece
from .room import Room, room_around, upright
from .seen_places import seen_places
from .solids import solids_of
from .tree_glyphs import loop_pieces, tree_pieces
from .tree_rows import is_unjoined, tree_rows, unjoined_rows
from .triangles import Triangles, arrow, cylinder

Array = NDArray[np.float64]

BUDGET = 100_000
"""Triangles that the meshes of a page may have together."""
PLACE_STEPS = 2**16
"""Places of bodies are right to half of the extent of the mechanism divided by this."""
_GLYPH, _ON_BODY = 0.026, 0.13  # of the extent, and of a usual body, if that is less: half of the length of a joint's axis
_FARTHEST = 2**28  # steps
_SAME_DIGITS = 5  # of places, as parts of the extent: joints that differ by less are one
_STRONG = 0.32  # of the extent: an arrow for a force that is the weight
_TRAVELS, _FALLS = 3.0, 12.0  # extents: what goes farther over the floor, or in any direction, is followed by default
_COLOURS = {"root": ROOT, "tree": TREE_JOINT, "reversed": REVERSED_JOINT, "loop": LOOP_JOINT, "force": FORCE, "mass": MASS,
            "spring": SPRING}  # fmt: skip


@drawable()
def staged(film: Film) -> tuple[dict[str, Any], dict[str, Table], tuple[str, ...]]:
    """What a page is told of a film, its tables of numbers, and what there is to tell of it in words."""
    found, told = bodies_shown(film)
    seen = seen_places(film, found)
    extent = seen.extent
    check_drawable(extent, seen.points)
    around = room_around(film.parts[0].mech, seen.points)
    room = around if film.floor is None else around._replace(floor=_below(around, film.floor))
    kept, structures, parts = _Pieces(film.bodies), dict[Any, dict[str, Any]](), list[list[int]]()
    size, first = min(_GLYPH * extent, _ON_BODY * seen.body), 0
    for part, pieces in zip(film.parts, found, strict=True):
        key = _key(part, pieces, extent)
        if key not in structures:
            structures[key] = {"number": len(structures), **_structure(part, pieces, room, size, kept)}
        parts.append([structures[key]["number"], first, len(part.t)])
        first += len(part.t)
    stock = {name: kept.add(piece, "stock") for name, piece in _stock(size).items()}
    tables, numbers = _frames(film, extent)
    tables |= kept.tables()
    header = {
        "bodies": list(map(printable, film.bodies)),
        "pieces": kept.rows,
        "stock": stock,
        "structures": list(structures.values()),
        "parts": parts,
        "events": [[float(event.t), printable(event.name), event.changes] for event in film.events],
        "room": {**_room_told(film, room), "seen": plain(seen.hull.round(6)), "around": plain(seen.around.round(6))},
        "extent": plain(extent),
        "glyph": plain(size),
        "follows": seen.mass is not None and _is_followed(seen.mass, room, extent),
        "colours": _COLOURS,
        **numbers,
    }
    return header, tables, (*film.told, *(_without_folders(film, each) for each in told))


def bodies_shown(film: Film) -> tuple[list[list[Piece]], tuple[str, ...]]:
    """By part: the pieces of all bodies; one that stays what it is keeps its pieces from part to part. And what is to be told."""
    found, told, known = list[list[Piece]](), dict[str, None](), dict[str, tuple[Any, list[Piece]]]()
    for part in film.parts:
        own = {body: _looks(part.mech, body) for body in (*part.mech.bodies, WORLD)}
        if any(body not in known or known[body][0] != looks for body, looks in own.items()):
            solids = solids_of(part.mech, part.state, budget=BUDGET)
            told |= dict.fromkeys(solids.told)
            pieces = [piece for piece in solids.pieces if not piece.is_ground]
            for body, looks in own.items():
                if body not in known or known[body][0] != looks:
                    known[body] = looks, [piece for piece in pieces if piece.body == body]
        found.append([piece for body in own for piece in known[body][1]])
    return found, tuple(told)


def _without_folders(film: Film, told: str) -> str:
    """What is told, with the names of files alone: a page is for others, who have other folders."""
    meshes = (shape.form for part in film.parts for shape in part.mech.shapes.values() if isinstance(shape.form, Mesh))
    for path in sorted({path for mesh in meshes for path in (mesh.file, mesh.path) if path}, key=len, reverse=True):
        told = told.replace(path, PurePath(path).name)
    return told


def _looks(mech: Mechanism, body: str) -> Any:
    return mech.bodies.get(body), [shape for shape in mech.shapes.values() if shape.body == body]


def _below(room: Room, floor: Pose) -> Pose:
    """A floor, moved along itself to below the middle of a room."""
    normal = floor.rotation[:, 2]
    return Pose(floor.rotation, room.middle - normal * float(normal @ (room.middle - floor.translation)))


def _key(part: Part, bodies: Sequence[Piece], extent: float) -> Any:
    """What tells structures apart that look different: all but where joints of one axis, and free ones, are on the world.

    A joint that is made again and again, as at each step of a walker, is in the same place of its body but for rounding.
    """
    mech = part.mech

    def near(pose: Pose) -> bytes:
        row = pose.row.copy()
        row[9:] /= extent
        return (row.round(_SAME_DIGITS) + 0.0).tobytes()

    joints = tuple(
        (joint.name, joint.type, joint.parent, joint.child, near(joint.child_pose))
        + (() if joint.parent == WORLD and joint.type.nv in (1, 6) else (near(joint.parent_pose),))
        for joint in mech.joints.values()
    )
    others = tuple(mech.frames.values()), tuple(mech.springs.values()), tuple(part.colours.items()), part.root
    endless = tuple(shape for shape in mech.shapes.values() if isinstance(shape.form, ENDLESS))
    return tuple(map(id, bodies)), tuple(mech.gravity), joints, others, endless


def _structure(part: Part, bodies: Sequence[Piece], room: Room, size: float, kept: _Pieces) -> dict[str, Any]:
    """What belongs to one structure: pieces by number, springs, and the tree in words."""
    mech = part.mech
    coloured = [piece._replace(colour=part.colours.get(piece.body, piece.colour)) for piece in bodies]
    if is_unjoined(mech):
        return {"pieces": [kept.add(piece, "body") for piece in coloured], "springs": [], "tree": unjoined_rows(mech)}
    arrow_down, tree = gravity_arrow(mech, room), tree_pieces(mech, size)
    layers: list[tuple[str, Iterable[Piece]]] = [
        ("body", coloured),
        ("ground", endless_pieces(mech, room)),
        ("joint", [*joint_pieces(mech, size), *loop_pieces(mech, size), *(piece for piece in tree if piece.colour == ROOT)]),
        ("tree", [piece for piece in tree if piece.colour != ROOT]),
        ("frame", frame_pieces(mech, size)),
        ("gravity", [] if arrow_down is None else [arrow_down]),
    ]
    springs = [
        [printable(one.name), kept.slot(one.body_a), plain(one.point_a), kept.slot(one.body_b), plain(one.point_b)]
        for one in springs_shown(mech)
    ]
    pieces = [kept.add(piece, layer) for layer, shown in layers for piece in shown]
    return {"pieces": pieces, "springs": springs, "tree": tree_rows(mech, part.root)}


class _Pieces:
    """All pieces of a page, each once, with their corners, normals and triangles one after the other."""

    def __init__(self, bodies: Sequence[str]) -> None:
        self.rows: list[list[Any]] = []
        self._slots = {body: slot for slot, body in enumerate(bodies)} | {WORLD: len(bodies)}
        self._known: dict[Any, int] = {}
        self._corners, self._normals, self._faces = list[Any](), list[Any](), list[Any]()

    def slot(self, body: str) -> int:
        """The number of a body; the world is the last."""
        return self._slots[body]

    def add(self, piece: Piece, layer: str) -> int:
        """The number of a piece."""
        surface = piece.surface
        looks = piece.body, piece.name, piece.colour, piece.opacity, layer
        key = (*looks, surface.vertices.tobytes(), surface.faces.tobytes())
        if key not in self._known:
            self._known[key] = len(self.rows)
            low = surface.vertices.min(axis=0)
            step = float(np.ptp(surface.vertices, axis=0).max()) / 65535.0 or 1.0
            self._corners.append(rounded(surface.vertices, step, low))
            self._normals.append(directions(surface.normals))
            self._faces.append(surface.faces.astype(np.int64))
            counts = len(surface.vertices), len(surface.faces)
            self.rows.append(
                [self.slot(piece.body), printable(piece.name), piece.colour, plain(float(piece.opacity)), layer, *counts,
                 plain(low), plain(step)]
            )  # fmt: skip
        return self._known[key]

    def tables(self) -> dict[str, Table]:
        """Corners, normals and triangles of all pieces."""
        return {
            "corners": Table(np.concatenate(self._corners), 1),
            "normals": Table(np.concatenate(self._normals), 1),
            "faces": Table(np.concatenate(self._faces), 1),
        }


def _stock(size: float) -> dict[str, Piece]:
    """What is there once and shown in many places: the parts of arrows, springs and the centre of mass."""
    half = Pose(translation=(0.0, 0.0, 0.5))
    tip = arrow(1.0, 1.0 / 7.0)
    shapes: dict[str, tuple[Triangles, str]] = {
        "shaft": (cylinder(1.0, 1.0, 16).placed(half), FORCE),
        "head": (_only_head(tip), FORCE),
        "coil": (coil(size), SPRING),
        "mass": (mass_ball(1.7 * size), MASS),
    }
    return {name: Piece(WORLD, name, surface, colour) for name, (surface, colour) in shapes.items()}


def _only_head(whole: Triangles) -> Triangles:
    """The head of an arrow of length 1 alone, from z = 0 to z = 1, of radius 0.42."""
    neck = float(np.unique(whole.vertices[:, 2])[-2])
    kept = whole.vertices[:, 2] >= neck
    wide = np.linalg.norm(whole.vertices[kept][:, :2], axis=1).max()
    renamed = np.cumsum(kept) - 1
    faces = whole.faces[kept[whole.faces].all(axis=1)]
    vertices = (whole.vertices[kept] - (0.0, 0.0, neck)) * (0.42 / wide, 0.42 / wide, 1.0 / (1.0 - neck))
    return Triangles(vertices, renamed[faces].astype(np.int32), whole.normals[kept])


def _frames(film: Film, extent: float) -> tuple[dict[str, Table], dict[str, Any]]:
    """Times, poses, curves and forces of all frames, and how their numbers are to be read."""
    count, bodies, t = len(film.t), film.bodies, film.t
    poses = np.broadcast_to(Pose().row, (count, len(bodies), 12)).copy()
    at = 0
    for part in film.parts:
        for k, body in enumerate(bodies):
            if body in part.poses:
                poses[at : at + len(part.t), k] = part.poses[body]
        at += len(part.t)
    mass = film.center_of_mass()
    places = poses[:, :, 9:] if mass is None else np.concatenate([poses[:, :, 9:], mass[:, None]], axis=1)
    low, high = (places.min(axis=(0, 1)), places.max(axis=(0, 1))) if places.size else (np.zeros(3), np.zeros(3))
    step = max(extent / PLACE_STEPS, float((high - low).max()) / _FARTHEST)
    small, largest = turns(poses[:, :, :9].reshape(count, len(bodies), 3, 3))
    tick = float(t[-1] - t[0]) / 2**29 or 1.0
    tables = {
        "times": Table(rounded(t, tick, t[0])[:, None], 2),
        "places": Table(rounded(places, step, low).reshape(count, -1), 2),
        "turns": Table(small.reshape(count, -1), 2),
        "largest": Table(largest, 1),
    }
    told: dict[str, Any] = {
        "time": {"start": float(t[0]), "step": tick},
        "place": {"start": plain(low), "step": step, "mass": mass is not None},
        "curves": [],
        "unit": film.unit,
    }
    for k, curve in enumerate(film.curves):
        least, most = float(np.nanmin(curve.values)), float(np.nanmax(curve.values))
        fine = (most - least) / 65535.0 or 1.0
        tables[f"curve{k}"] = Table(rounded(np.nan_to_num(curve.values, nan=least), fine, least)[:, None], 2)
        told["curves"].append({"name": printable(curve.name), "colour": curve.colour, "start": least, "step": fine})
    if film.forces is not None:
        more, told["forces"] = _forces(film.forces, _weight(film), low, step, extent)
        tables |= more
    return tables, told


def _forces(forces: Forces, weight: float, low: Array, step: float, extent: float) -> tuple[dict[str, Table], dict[str, Any]]:
    """Those that act, frame by frame: which, where and how strong."""
    acts = np.isfinite(forces.vectors).all(axis=2) & np.isfinite(forces.points).all(axis=2)
    frame, which = np.nonzero(acts)
    vectors, points = forces.vectors[frame, which], forces.points[frame, which]
    sizes = np.linalg.norm(vectors, axis=1)
    usual = weight or float(np.percentile(sizes, 90.0)) if len(sizes) else 1.0
    most = 4.0 * usual  # stronger ones are shown no longer
    vectors = vectors * np.where(sizes > most, most / np.maximum(sizes, most), 1.0)[:, None]
    fine = most / 32767.0
    far = _FARTHEST - 1
    tables = {
        "force_counts": Table(acts.sum(axis=1)[:, None], 1),
        "force_rows": Table(
            np.column_stack((which, rounded(points, step, low).clip(-far, far), rounded(vectors, fine))).astype(np.int64)
        ),
    }
    return tables, {"names": list(map(printable, forces.names)), "step": fine, "length": plain(_STRONG * extent / usual)}


def _weight(film: Film) -> float:
    mech = film.parts[0].mech
    return sum(body.inertia.mass for body in mech.bodies.values()) * float(np.linalg.norm(mech.gravity))


def _is_followed(mass: Array, room: Room, extent: float) -> bool:
    """Whether the centre of mass goes so far, over the floor or at all, that what moves would be a dot in a picture of it."""
    level = mass - np.outer(mass @ room.up, room.up)
    over, far = (float(np.linalg.norm(np.ptp(one, axis=0))) for one in (level, mass))
    return over > _TRAVELS * extent or far > _FALLS * extent


def _room_told(film: Film, room: Room) -> Mapping[str, Any]:
    floor = None if room.floor is None else plain(np.asarray(room.floor.row))
    turn = upright(film.parts[0].mech.gravity).rotation
    return {"low": plain(room.low), "high": plain(room.high), "upright": plain(turn.ravel()), "floor": floor}
