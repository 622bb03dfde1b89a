"""From contacts by name to the tables of their points."""

from __future__ import annotations

import difflib
import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..compilation import address_of
from ..errors import ModelError, listed
from ..kernels.contacts import tables as t
from ..kernels.contacts.meeting import end_kernel, gap_kernel, meeting_kernel
from .heights import HeightKernel, height_kernel
from .layout import WORLD
from .pairings import Pairing, pairings, touchable
from .reaches import extents, steepness
from .solids import Solid, point_at, solid_of

if TYPE_CHECKING:
    from ..describe.contacts import Contact
    from ..describe.mechanism import Mechanism
    from ..describe.parts import Frame, Shape
    from .structure import Structure

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

GROUND = "ground"
LAWS = {"poisson": t.POISSON, "stronge": t.STRONGE, "newton": t.NEWTON}


class ContactPoints(NamedTuple):
    """The points in which contacts can touch, as kernels take them, with their names."""

    points: Integers
    """(n, POINTS), see `kernels.contacts.tables`."""
    shapes: Array
    """(n, SHAPES)."""
    profiles: Array
    names: tuple[str, ...]
    """Of each point: that of its contact, where that has no other, else with its number, as 'sole/0'."""
    meanings: tuple[str, ...]
    """Which part of which shapes each point is."""
    contact_names: tuple[str, ...]
    """Of each contact."""
    contacts: tuple[Contact, ...]
    functions: tuple[HeightKernel, ...]
    """The functions of surfaces, whose addresses are in the tables: to be kept as long as these."""

    @property
    def contact_of(self) -> Integers:
        """(n,): to which contact each point belongs."""
        return self.points[:, t.CONTACT]

    def new_meetings(self) -> Array:
        """(n, MEETINGS): scratch for `kernels.contacts.meeting`."""
        return np.zeros((len(self.points), t.MEETINGS))


class Touched(NamedTuple):
    """The points of some contacts, with all that they were found from besides the structure."""

    contacts: tuple[Contact, ...]
    known: frozenset[str]
    parts: tuple[Frame | Shape, ...]
    """All frames and shapes of the mechanism, which are immutable."""
    points: ContactPoints

    def answers(self, contacts: tuple[Contact, ...], known: frozenset[str], parts: tuple[Frame | Shape, ...]) -> bool:
        """Whether these contacts, of a mechanism with these frames and shapes, have these points."""
        same = self.contacts == contacts and self.known == known and len(self.parts) == len(parts)
        return same and all(map(operator.is_, self.parts, parts))


class Side(NamedTuple):
    """One part of a contact: what it is, for messages, the body that it is on, and its solid."""

    what: str
    body: str
    solid: Solid


def points_of(mech: Mechanism, contacts: Iterable[Contact], known: frozenset[str] = frozenset()) -> ContactPoints:
    """The tables of the points in which contacts can touch.

    Parameters
    ----------
    mech : Mechanism
        Whose parts they name.
    contacts : iterable of Contact
        The contacts.
    known : frozenset of str, optional
        Parts that were there before: contacts with one of them that is there no more have no points.

    Returns
    -------
    ContactPoints

    Raises
    ------
    ModelError
        If a name is unknown or means several parts, two contacts have one name, both parts are on one body, or two shapes cannot
        touch each other.
    """
    given = tuple(contacts)
    parts: tuple[Frame | Shape, ...] = (*mech.frames.values(), *mech.shapes.values())
    last = mech.structure.touched
    if last is not None and last.answers(given, known, parts):
        return last.points
    names = contact_names(given)
    rows: list[tuple[int, Side, Side, Pairing, bool]] = []
    for c, (contact, name) in enumerate(zip(given, names, strict=True)):
        if any(part in known and not _is_there(mech, part) for part in (contact.a, contact.b)):
            continue
        sides_a, sides_b = (_sides(mech, part, name, side) for side, part in (("a", contact.a), ("b", contact.b)))
        for a in sides_a:
            for b in sides_b:
                found, swapped = _paired(name, a, b)
                rows += [(c, a, b, pairing, swapped != pairing.turned) for pairing in found]
    points = _tables(mech.structure, given, names, rows)
    mech.structure.touched = Touched(given, known, parts, points)
    return points


def parts_of(mech: Mechanism, contacts: Iterable[Contact]) -> frozenset[str]:
    """The parts of a mechanism that contacts name; not the level ground, which is no part."""
    return frozenset(part for contact in contacts for part in (contact.a, contact.b) if _is_there(mech, part))


def contact_names(contacts: Sequence[Contact]) -> tuple[str, ...]:
    """The name of each contact: its own, else that of its first part, or of both where the first is not enough."""
    firsts = Counter(contact.a for contact in contacts if contact.name is None)
    names = [
        contact.name if contact.name is not None else contact.a if firsts[contact.a] == 1 else f"{contact.a}-{contact.b}"
        for contact in contacts
    ]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ModelError(
            f"{Counter(names)[twice[0]]} contacts are called {twice[0]!r}; give each a name: Contact(..., name='...')."
        )
    return tuple(names)


# --- parts by name ------------------------------------------------------------------------------------------------------------


def _sides(mech: Mechanism, part: str, contact: str, side: str) -> list[Side]:
    """What a name stands for."""
    is_frame, is_shape, is_body = part in mech.frames, part in mech.shapes, part == WORLD or part in mech.bodies
    if is_shape and is_body and _touchable_shapes(mech, part) == [part]:
        is_body = False  # both mean the same
    meant = [word for word, there in (("frame", is_frame), ("shape", is_shape), ("body", is_body)) if there]
    if len(meant) > 1:
        raise ModelError(
            f"contact {contact!r}: {part!r} is the name of a {' and of a '.join(meant)}; give one of them another name."
        )
    if is_frame:
        return [Side(f"the frame {part!r}", mech.frames[part].body, point_at(mech.frames[part].pose))]
    if is_shape:
        return [_shape_side(mech, part)]
    if is_body:
        shapes = _touchable_shapes(mech, part)
        if not shapes:
            raise ModelError(
                f"contact {contact!r}: {side} is the body {part!r}, which has no shape to be touched; add one with add_shape, or "
                "name a frame or a shape."
            )
        return [_shape_side(mech, shape) for shape in shapes]
    if part == GROUND:
        return [Side("the level ground", WORLD, Solid("plane", Pose()))]
    raise ModelError(f"contact {contact!r}: there is no frame, shape or body {part!r} for {side}. {_nearest(mech, part)}")


def _is_there(mech: Mechanism, part: str) -> bool:
    """Whether a name stands for something that can be touched."""
    return part in mech.frames or part in mech.shapes or bool(_touchable_shapes(mech, part))


def _shape_side(mech: Mechanism, name: str) -> Side:
    shape = mech.shapes[name]
    solid = solid_of(shape.form, shape.pose)
    hollow = "hollow " if solid.kind.startswith("hollow") else ""
    return Side(f"the {hollow}{type(shape.form).__name__} {name!r}", shape.body, solid)


def _touchable_shapes(mech: Mechanism, body: str) -> list[str]:
    return [name for name, shape in mech.shapes.items() if shape.body == body and shape.collision]


def _nearest(mech: Mechanism, part: str) -> str:
    """The end of an error about a name that is not there."""
    tables = {"frames": mech.frames, "shapes": mech.shapes, "bodies": mech.bodies}
    close = difflib.get_close_matches(part, [*dict.fromkeys(name for table in tables.values() for name in table), GROUND], 3)
    if close:
        return f"Did you mean {' or '.join(map(repr, close))}?"
    known = "; ".join(f"{what}: {listed(table)}" for what, table in tables.items() if table)
    return f"Known {known}." if known else "There are none yet."


def _paired(contact: str, a: Side, b: Side) -> tuple[list[Pairing], bool]:
    if a.body == b.body:
        raise ModelError(
            f"contact {contact!r}: {a.what} and {b.what} are both on {a.body!r}, so they never meet; name parts of two bodies."
        )
    found = pairings(a.solid, b.solid)
    if found is None:
        able = {side.what: touchable(side.solid.kind) for side in (a, b)}
        ways = " ".join(
            f"{what[0].upper()}{what[1:]} can touch {', '.join(map(_plural, kinds))}." if kinds else f"Nothing can touch {what}."
            for what, kinds in able.items()
        )
        raise ModelError(f"contact {contact!r}: {a.what} and {b.what} cannot touch each other. {ways}")
    return found


def _plural(kind: str) -> str:
    return {"box": "boxes", "capsule": "capsules"}.get(kind, f"{kind}s")


# --- tables -------------------------------------------------------------------------------------------------------------------


def _tables(
    structure: Structure, contacts: tuple[Contact, ...], names: tuple[str, ...], rows: list[tuple[int, Side, Side, Pairing, bool]]
) -> ContactPoints:
    points: list[list[int]] = []
    shapes: list[list[float]] = []
    profiles: list[float] = []
    functions: list[HeightKernel] = []
    counts, seen = Counter(row[0] for row in rows), Counter[int]()
    point_names, meanings = [], []
    bodies = {side.body for row in rows for side in row[1:3]}
    in_row, row_of = {body: _in_row(structure, body) for body in bodies}, {body: structure.row(body) for body in bodies}
    placed = _Placed(in_row)
    for c, a, b, pairing, swapped in rows:
        point = [0] * t.POINTS
        point[t.KIND], point[t.FIXED], point[t.SWAPPED], point[t.CONTACT] = pairing.kind, pairing.fixed, swapped, c
        point[t.ROW_A], point[t.ROW_B] = row_of[a.body], row_of[b.body]
        point[t.TABLE], point[t.TABLE_SIZE] = len(profiles), len(pairing.table)
        profiles += pairing.table
        if pairing.function is not None:
            functions.append(height_kernel(pairing.function))
            point[t.TABLE] = functions[-1].address
        if pairing.kind not in (t.SPHERE_PLANE, t.SPHERE_SEGMENT):
            point[t.MEETING_KERNEL], point[t.GAP_KERNEL] = _kernels()
        if pairing.kind == t.BOX_VERTEX:
            point[t.END_KERNEL] = address_of(end_kernel)
        points.append(point)
        shapes.append(_shapes_row(placed, contacts[c], a, b, pairing, swapped))
        point_names.append(names[c] if counts[c] == 1 else f"{names[c]}/{seen[c]}")
        if point_names[-1] != names[c] and point_names[-1] in names:
            raise ModelError(f"contact {point_names[-1]!r} has the name of a point of {names[c]!r}; give it another name.")
        seen[c] += 1
        meanings.append(f"{a.what} on {b.what}" + (f": {pairing.meaning}" if pairing.meaning else ""))
    return ContactPoints(
        np.array(points, np.int64).reshape(-1, t.POINTS),
        np.array(shapes, float).reshape(-1, t.SHAPES),
        np.array(profiles),
        tuple(point_names),
        tuple(meanings),
        names,
        contacts,
        tuple(functions),
    )


class _Placed:
    """Poses on bodies in the frames of these bodies' rows; the points of one shape share theirs."""

    def __init__(self, in_row: Mapping[str, Pose]) -> None:
        self.in_row = in_row
        self._known: dict[tuple[str, int], tuple[Pose, list[float]]] = {}

    def __call__(self, body: str, pose: Pose) -> list[float]:
        """The twelve numbers of a pose; kept by the object that it is, which is kept with them."""
        key = body, id(pose)
        if key not in self._known:
            self._known[key] = pose, (pose if body == WORLD else self.in_row[body] @ pose).row.tolist()
        return self._known[key][1]


def _shapes_row(placed: _Placed, contact: Contact, a: Side, b: Side, pairing: Pairing, swapped: bool) -> list[float]:
    """A row of `shapes`."""
    row = [0.0] * t.SHAPES
    sides = (t.POSE_A, t.SIZE_A, t.REACH_A, a), (t.POSE_B, t.SIZE_B, t.REACH_B, b)
    poses, sizes = (pairing.first, pairing.second), (pairing.first_size, pairing.second_size)
    for (pose_at, size_at, reach_at, side), pose, size, extent in zip(
        sides[::-1] if swapped else sides, poses, sizes, extents(pairing), strict=True
    ):
        numbers = placed(side.body, pose)
        row[pose_at : pose_at + 12] = numbers
        row[size_at : size_at + len(size)] = size
        row[reach_at] = 0.0 if side.body == WORLD else math.hypot(*numbers[9:]) + extent
    row[t.MU_STATIC], row[t.MU_KINETIC] = contact.friction
    row[t.RESTITUTION], row[t.LAW] = contact.restitution, LAWS[contact.law]
    if any(contact.velocity):
        row[t.SURFACE : t.SURFACE + 3] = (placed.in_row[b.body].rotation @ np.array(contact.velocity)).tolist()
    row[t.STEEPNESS], row[t.THICKNESS] = steepness(pairing), pairing.thickness
    return row


@cache
def _kernels() -> tuple[int, int]:
    """The addresses of what is needed for all pairs but balls and points on planes."""
    return address_of(meeting_kernel), address_of(gap_kernel)


def _in_row(structure: Structure, body: str) -> Pose:
    """Where a body's own frame is in that of its row."""
    return Pose() if body == WORLD else Pose.from_row(structure.far[structure.row_of[body]].copy()).inverse()
