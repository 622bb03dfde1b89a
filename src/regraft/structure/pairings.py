"""Which solids can touch each other, and in which points: one function a pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any, NamedTuple

from ..algebra.pose import Pose
from ..kernels.contacts import tables as t
from ..tolerances import ROUNDING
from .solids import Solid

FLAT_POINTS = 6
"""Points of a rim on which the flat end of a cylinder stands."""


class Pairing(NamedTuple):
    """A contact point before it is a row of tables: the pair's two shapes, in its order."""

    kind: int
    first: Pose
    first_size: tuple[float, ...]
    second: Pose
    second_size: tuple[float, ...] = ()
    meaning: str = ""
    fixed: bool = False
    table: tuple[float, ...] = ()
    function: Any = None
    turned: bool = False
    """Whether its first shape is of the solid that comes second."""

    @property
    def thickness(self) -> float:
        """How far the first shape has to go to pass through the second; 0 where that has no other side."""
        if self.kind == t.SPHERE_SEGMENT:
            return 0.5 * self.table[t.DEPTH] if math.isfinite(self.table[t.DEPTH]) else 0.0
        own = _THICKNESS.get(self.kind)
        return 2.0 * (self.first_size[0] + own(self.second_size)) if own is not None else 0.0


Pairings = Iterator[Pairing]


def pairings(a: Solid, b: Solid) -> tuple[list[Pairing], bool] | None:
    """The points in which two solids can touch, and whether b comes first in them; None where they cannot."""
    for first, second, swapped in ((a, b, False), (b, a, True)):
        make = _PAIRS.get((first.kind, second.kind))
        if make is not None:
            return list(make(first, second)), swapped
    return None


def touchable(kind: str) -> list[str]:
    """The kinds of solids that can touch one of this kind."""
    return sorted({b if a == kind else a for a, b in _PAIRS if kind in (a, b)})


# --- balls: spheres, frames, and the ends of capsules -------------------------------------------------------------------------


def _radius(ball: Solid) -> float:
    return ball.size[0] if ball.kind != "frame" else 0.0


def _ball(kind: int) -> Callable[[Solid, Solid], Pairings]:
    """One point, of a ball or a frame on another solid."""

    def make(first: Solid, second: Solid) -> Pairings:
        radius = _radius(first)
        yield Pairing(kind, first.pose, (radius,), second.pose, second.size, fixed=radius == 0.0)

    return make


def _capsule_on_plane(capsule: Solid, plane: Solid) -> Pairings:
    for end, ball in _ends(capsule):
        yield from _named(_ball(t.SPHERE_PLANE)(ball, plane), f"its {end}")


def _ends(capsule: Solid) -> list[tuple[str, Solid]]:
    radius, half = capsule.size
    return [
        (word, Solid("sphere", capsule.pose @ Pose(translation=(0.0, 0.0, z)), (radius,)))
        for word, z in (("start", -half), ("end", half))
    ]


def _capsule_on_capsule(first: Solid, second: Solid) -> Pairings:
    """Where sides cross; the ends of the first; and the ends of the second on the side of the first, so that none is twice."""
    yield Pairing(t.CAPSULE_CAPSULE, first.pose, first.size, second.pose, second.size, "side on side")
    for end, ball in _ends(first):
        yield from _named(_ball(t.SPHERE_CAPSULE)(ball, second), f"{end} of the first")
    for end, ball in _ends(second):
        for pairing in _ball(t.SPHERE_ROD)(ball, first):
            yield pairing._replace(meaning=f"{end} of the second, on the side of the first", turned=True)


def _capsule_in_hollow(capsule: Solid, hollow: Solid) -> Pairings:
    for end, ball in _ends(capsule):
        yield from _named(_ball(t.SPHERE_HOLLOW)(ball, hollow), f"its {end}")


def _box_in_hollow(box: Solid, hollow: Solid) -> Pairings:
    for meaning, corner in _corners(box):
        yield from _named(_ball(t.SPHERE_HOLLOW)(corner, hollow), meaning)


def _named(found: Pairings, meaning: str) -> Pairings:
    for pairing in found:
        yield pairing._replace(meaning=meaning)


# --- what lies on planes ------------------------------------------------------------------------------------------------------


def _box_on_plane(box: Solid, plane: Solid) -> Pairings:
    for meaning, corner in _corners(box):
        yield from _named(_ball(t.SPHERE_PLANE)(corner, plane), meaning)


def _corners(box: Solid) -> Iterator[tuple[str, Solid]]:
    sides = [(-1.0, 1.0) if half else (0.0,) for half in box.size]  # a box without thickness has four corners
    for signs in product(*sides):
        at = tuple(sign * half for sign, half in zip(signs, box.size, strict=True))
        word = ", ".join(f"{'+' if sign > 0 else '−'}{axis}" for axis, sign in zip("xyz", signs, strict=True) if sign)
        yield f"its corner {word}".rstrip(), Solid("frame", box.pose @ Pose(translation=at))


def _ellipsoid_on_plane(first: Solid, plane: Solid) -> Pairings:
    yield Pairing(t.ELLIPSOID_PLANE, first.pose, first.size, plane.pose)


def _cylinder_on_plane(cylinder: Solid, plane: Solid) -> Pairings:
    """Each rim as its lowest point, two of which are a line; and points on which a flat end stands."""
    radius, half = cylinder.size
    ends = (("lower", -half), ("upper", half)) if half else (("", 0.0),)
    for word, z in ends:
        rim = cylinder.pose @ Pose(translation=(0.0, 0.0, z))
        named = f"its {word} rim".replace("  ", " ")
        yield Pairing(t.RIM_PLANE, rim, (radius,), plane.pose, meaning=f"{named}, rolling")
        for k in range(FLAT_POINTS):
            turn = 2.0 * math.pi * k / FLAT_POINTS
            size = (radius, radius * math.cos(turn), radius * math.sin(turn))
            meaning = f"{named}, flat, at {math.degrees(turn):.0f}°"
            yield Pairing(t.FLAT_PLANE, rim, size, plane.pose, meaning=meaning, fixed=True)


# --- profiles -----------------------------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """A straight piece of a profile: from where to where, and by how much it turns into the next one (downwards < 0)."""

    start: tuple[float, float]
    end: tuple[float, float]
    direction: tuple[float, float]
    length: float


def _pieces(corners: tuple[tuple[float, float], ...]) -> list[Piece]:
    """The straight pieces; corners at which a profile does not turn are left out."""
    kept = [corners[0]]
    for here, after in pairwise(corners[1:]):
        (x0, z0), (x1, z1), (x2, z2) = kept[-1], here, after
        turn = (x1 - x0) * (z2 - z1) - (z1 - z0) * (x2 - x1)
        if abs(turn) > ROUNDING * math.hypot(x1 - x0, z1 - z0) * math.hypot(x2 - x1, z2 - z1):
            kept.append(here)
    kept.append(corners[-1])
    found = []
    for (x0, z0), (x1, z1) in pairwise(kept):
        length = math.hypot(x1 - x0, z1 - z0)
        found.append(Piece((x0, z0), (x1, z1), ((x1 - x0) / length, (z1 - z0) / length), length))
    return found


def _slant(before: Piece, after: Piece) -> float:
    """The tangent of half the angle by which a profile turns down at a corner; negative where it turns up."""
    (a, b), (c, d) = before.direction, after.direction
    return (b * c - a * d) / (1.0 + a * c + b * d)


def _depth(pieces: list[Piece], i: int, ends: tuple[float, float, float, float]) -> float:
    """How deep the ground is below a piece: down to where another one, that it does not meet, is between its bounds."""
    lower, upper, lower_slant, upper_slant = ends
    (x0, z0), (a, b) = pieces[i].start, pieces[i].direction
    deepest = math.inf
    for j, other in enumerate(pieces):
        if abs(i - j) < 2:
            continue
        x, z = other.start[0] - x0, other.start[1] - z0
        (c, d), begins, ends_at = other.direction, 0.0 if j else -math.inf, other.length if j < len(pieces) - 1 else math.inf
        along, along_rate, deep, deep_rate = a * x + b * z, a * c + b * d, b * x - a * z, b * c - a * d
        bounds = [(deep, deep_rate)]  # each: value and rate along the other piece of what is to be positive
        if math.isfinite(lower):
            bounds.append((along - lower - lower_slant * deep, along_rate - lower_slant * deep_rate))
        if math.isfinite(upper):
            bounds.append((upper - along - upper_slant * deep, -along_rate - upper_slant * deep_rate))
        for value, rate in bounds:
            if rate > 0.0:
                begins = max(begins, -value / rate)
            elif rate < 0.0:
                ends_at = min(ends_at, -value / rate)
            elif value <= 0.0:
                ends_at = -math.inf
        if begins < ends_at:
            deepest = min(deepest, *(deep + deep_rate * s for s in (begins, ends_at) if math.isfinite(s)))
    return max(deepest, 0.0)


def _on_pieces(ball: Solid, profile: Solid, whose: str = "") -> Pairings:
    pieces, radius = _pieces(profile.more), _radius(ball)
    slants = [_slant(before, after) for before, after in pairwise(pieces)]
    for i, piece in enumerate(pieces):
        lower, lower_slant = (0.0, slants[i - 1]) if i > 0 else (-math.inf, 0.0)
        upper, upper_slant = (piece.length, slants[i]) if i < len(pieces) - 1 else (math.inf, 0.0)
        ends = lower, upper, lower_slant, upper_slant
        table = (*piece.start, *piece.direction, *ends, _depth(pieces, i, ends))
        meaning = f"{whose}on the piece from {_place(piece.start)} to {_place(piece.end)}"
        yield Pairing(t.SPHERE_SEGMENT, ball.pose, (radius,), profile.pose, meaning=meaning, fixed=radius == 0.0, table=table)


def _edges(profile: Solid) -> Iterator[tuple[float, float]]:
    for before, after in pairwise(_pieces(profile.more)):
        if _slant(before, after) > 0.0:
            yield before.end


def _place(corner: tuple[float, float]) -> str:
    return f"({corner[0]:g}, {corner[1]:g})"


def _ball_on_profile(ball: Solid, profile: Solid) -> Pairings:
    yield from _on_pieces(ball, profile)
    radius = _radius(ball)
    if radius > 0.0:  # a point and an edge have no normal, and miss each other
        for edge in _edges(profile):
            yield Pairing(t.SPHERE_VERTEX, ball.pose, (radius,), profile.pose, edge, f"on the edge at {_place(edge)}")


def _capsule_on_profile(capsule: Solid, profile: Solid) -> Pairings:
    for word, ball in _ends(capsule):
        yield from _on_pieces(ball, profile, f"its {word} ")
    for edge in _edges(profile):
        yield Pairing(t.CAPSULE_VERTEX, capsule.pose, capsule.size, profile.pose, edge, f"on the edge at {_place(edge)}")


def _box_on_profile(box: Solid, profile: Solid) -> Pairings:
    for meaning, corner in _corners(box):
        yield from _on_pieces(corner, profile, f"{meaning} ")
    for edge in _edges(profile):
        for number, meaning in _box_edges(box):
            size = (*box.size, float(number))
            yield Pairing(t.BOX_VERTEX, box.pose, size, profile.pose, edge, f"{meaning} on the edge at {_place(edge)}")


def _box_edges(box: Solid) -> Iterator[tuple[int, str]]:
    """The number of each edge, as `box_vertex` has it, and its name; edges that coincide, of a board, are one."""
    for axis, third, second in product(range(3), (0, 1), (0, 1)):
        (b, on_b), (c, on_c) = ((axis + 1) % 3, second), ((axis + 2) % 3, third)
        if box.size[axis] == 0.0 or (box.size[b] == 0.0 and on_b) or (box.size[c] == 0.0 and on_c):
            continue
        word = ", ".join(f"{'+' if on else '−'}{'xyz'[i]}" for i, on in sorted(((b, on_b), (c, on_c))))
        yield 4 * axis + 2 * third + second, f"its edge {word}"


# --- surfaces -----------------------------------------------------------------------------------------------------------------


def _ball_on_surface(ball: Solid, surface: Solid) -> Pairings:
    radius = _radius(ball)
    yield Pairing(t.SPHERE_SURFACE, ball.pose, (radius,), surface.pose, fixed=radius == 0.0, function=surface.more)


_THICKNESS: dict[int, Callable[[tuple[float, ...]], float]] = {
    t.SPHERE_SPHERE: min, t.SPHERE_CAPSULE: lambda size: size[0], t.SPHERE_ROD: lambda size: size[0],
    t.CAPSULE_CAPSULE: lambda size: size[0], t.SPHERE_BOX: min, t.SPHERE_CYLINDER: min,
}  # fmt: skip
"""Half of what a point has to go through, by the lengths of what it is in; of pairs that one can be beyond."""

_PAIRS: dict[tuple[str, str], Callable[[Solid, Solid], Pairings]] = {
    ("frame", "plane"): _ball(t.SPHERE_PLANE),
    ("sphere", "plane"): _ball(t.SPHERE_PLANE),
    ("capsule", "plane"): _capsule_on_plane,
    ("box", "plane"): _box_on_plane,
    ("ellipsoid", "plane"): _ellipsoid_on_plane,
    ("cylinder", "plane"): _cylinder_on_plane,
    ("frame", "profile"): _ball_on_profile,
    ("sphere", "profile"): _ball_on_profile,
    ("capsule", "profile"): _capsule_on_profile,
    ("box", "profile"): _box_on_profile,
    ("frame", "surface"): _ball_on_surface,
    ("sphere", "surface"): _ball_on_surface,
    ("frame", "sphere"): _ball(t.SPHERE_SPHERE),
    ("sphere", "sphere"): _ball(t.SPHERE_SPHERE),
    ("frame", "hollow sphere"): _ball(t.SPHERE_HOLLOW),
    ("sphere", "hollow sphere"): _ball(t.SPHERE_HOLLOW),
    ("capsule", "hollow sphere"): _capsule_in_hollow,
    ("box", "hollow sphere"): _box_in_hollow,
    ("frame", "capsule"): _ball(t.SPHERE_CAPSULE),
    ("sphere", "capsule"): _ball(t.SPHERE_CAPSULE),
    ("capsule", "capsule"): _capsule_on_capsule,
    ("frame", "cylinder"): _ball(t.SPHERE_CYLINDER),
    ("sphere", "cylinder"): _ball(t.SPHERE_CYLINDER),
    ("frame", "box"): _ball(t.SPHERE_BOX),
    ("sphere", "box"): _ball(t.SPHERE_BOX),
}
