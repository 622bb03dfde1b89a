"""The mass of each body of a figure: segments of a table, laid along the bones, and cut where a segment is several bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...describe.inertia import Inertia
from ...errors import ModelError
from ...tolerances import STILL
from .figure import Figure
from .soles import Sole
from .tables import CERVICALE_OVER_SHOULDERS, THIGH_AND_SHANK, TRUNK, Segment, Table

Array = NDArray[np.float64]

_LEAST_SHARE = 0.05  # of the trunk, or of head and neck: a bone of no length gets so much of it
_CLAVICLE = 0.05  # of the upper trunk's mass, where a clavicle moves: an assumption
_SLANTED = 0.05  # of a length of 1: what is left of a direction across a segment that runs along it


class Lump(NamedTuple):
    """A segment, or a part of one, on a body."""

    body: int
    segment: Segment
    mass: float
    start: Array
    """Where the whole segment begins, in the body's axes; the end that its centre of mass is measured from."""
    end: Array
    left: Array
    """To the left of the figure, in the body's axes."""
    cut: tuple[float, float] = (0.0, 1.0)
    """From and up to which share of the segment."""

    def inertia(self) -> Inertia:
        """Mass, centre of mass and moments of this part.

        The radii about the three axes are what spreads of mass along them make: k_x² = y² + z² and so on. A part has the whole
        spread across, and along the segment as much as it has of the length.
        """
        along = self.end - self.start
        length = float(np.linalg.norm(along))
        part = self.cut[1] - self.cut[0]
        com = self.start + along * (0.5 * sum(self.cut) + self.segment.com - 0.5)
        front, left, own = self.segment.sagittal**2, self.segment.transverse**2, self.segment.longitudinal**2
        spread = 0.5 * np.array([own + left - front, own + front - left, (front + left - own) * part**2])
        axes = across(along, self.left)
        moments = self.mass * length**2 * (spread.sum() - spread)
        return Inertia(self.mass, com, axes @ np.diag(moments) @ axes.T)


def across(along: Array, left: Array) -> Array:
    """Axes to the front, to the left and along a segment, as columns; where left is along it, any axes across."""
    z = along / np.linalg.norm(along)
    y = left - (left @ z) * z
    if np.linalg.norm(y) < _SLANTED * np.linalg.norm(left) or not np.linalg.norm(left):
        y = np.eye(3)[int(np.abs(z).argmin())]
        y = y - (y @ z) * z
    y = y / np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def standing_height(fig: Figure) -> tuple[float, str]:
    """How tall the figure is, and how that was found."""
    legs = [_limb_length(fig, side, "thigh") + _limb_length(fig, side, "shank") for side in ("left", "right")]
    height = float(np.mean(legs)) / THIGH_AND_SHANK
    return (
        height,
        f"its thighs and shanks are {np.mean(legs):.3f} m long, {THIGH_AND_SHANK:.3f} of the height (Drillis and Contini)",
    )


def hips_above_feet(fig: Figure) -> tuple[Array, float]:
    """(n,): how high the hips are above the lower of two ankles, or knees without feet; and the length down to there."""
    ends = "foot" if all(f"{side}_foot" in fig.bodies for side in ("left", "right")) else "shank"
    low = np.minimum(fig.joint(f"left_{ends}")[:, 2], fig.joint(f"right_{ends}")[:, 2])
    parts = ("thigh", "shank") if ends == "foot" else ("thigh",)
    lengths = [_limb_length(fig, side, part) for side in ("left", "right") for part in parts]
    return middle(fig, "thigh")[:, 2] - low, 0.5 * float(np.sum(lengths))


def inertias(
    fig: Figure, table: Table, mass: float, height: float, soles: Mapping[str, Sole]
) -> tuple[dict[str, Inertia], list[str]]:
    """The inertia of every body, and what there is to say about them."""
    lumps, notes = [*_trunk(fig, table), *_head(fig, table, height)], []
    lumps, said = _with_clavicles(fig, table, lumps)
    notes += said
    for side in ("left", "right"):
        lumps += [_limb(fig, table, side, part) for part in ("thigh", "shank", "upper_arm", "forearm")]
        hand, said = _hand(fig, table, side, height)
        lumps.append(hand)
        notes += said
        feet, said = _foot(fig, table, side, height, soles.get(side))
        lumps += feet
        notes += said
    found: dict[str, Inertia] = {}
    for lump in lumps:
        name = fig.bodies[lump.body]
        own = lump._replace(mass=lump.mass * mass).inertia()
        found[name] = found[name] + own if name in found else own
    return {name: found.get(name, Inertia(0.0)) for name in fig.bodies}, notes


# --- trunk and head -----------------------------------------------------------------------------------------------------


def middle(fig: Figure, part: str) -> Array:
    """(n, 3): halfway between the joints of the left and the right part."""
    return 0.5 * (fig.joint(f"left_{part}") + fig.joint(f"right_{part}"))


def leftwards(fig: Figure, body: int, part: str) -> Array:
    """From the right to the left joint of a part, in the axes of a body, on the average of all frames."""
    return _mean(fig.turned(body, fig.joint(f"left_{part}") - fig.joint(f"right_{part}")))


def _trunk(fig: Figure, table: Table) -> list[Lump]:
    hips = middle(fig, "thigh")
    axis = CERVICALE_OVER_SHOULDERS * (middle(fig, "upper_arm") - hips)
    bodies = [k for k, name in enumerate(fig.bodies) if _is_trunk(fig, k) or name == "pelvis"]
    lengths = np.array([table[part].length for part in TRUNK])
    ends = np.concatenate([[0.0], np.cumsum(lengths / lengths.sum())])
    slabs = [(table[part], ends[k], ends[k + 1]) for k, part in enumerate(TRUNK)]
    return _along(fig, slabs, bodies, hips, axis)


def _is_trunk(fig: Figure, body: int) -> bool:
    return fig.roles[fig.rec.bones[fig.bones[body]].name].part == "spine"


def _head(fig: Figure, table: Table, height: float) -> list[Lump]:
    """Head and neck, from the cervicale to the vertex; on the uppermost body of the trunk where neither is a body."""
    hips = middle(fig, "thigh")
    axis = CERVICALE_OVER_SHOULDERS * (middle(fig, "upper_arm") - hips)
    bodies = [k for k, name in enumerate(fig.bodies) if name == "head" or name.startswith("neck")]
    bodies = bodies or [max(k for k, name in enumerate(fig.bodies) if _is_trunk(fig, k) or name == "pelvis")]
    top, up = bodies[-1], axis
    tip = fig.farthest(fig.bones[top]) if fig.bodies[top] != "pelvis" and not _is_trunk(fig, top) else None
    if tip is not None:
        up = tip - fig.places[:, fig.bones[top]]
    up = np.einsum("nij,j->ni", fig.axes(top), _mean(fig.turned(top, up)))
    up = up / np.linalg.norm(up, axis=1, keepdims=True) * (table["head"].length * height)
    return _along(fig, [(table["head"], 0.0, 1.0)], bodies, hips + axis, up)


def _along(
    fig: Figure, slabs: Sequence[tuple[Segment, float, float]], bodies: Sequence[int], start: Array, axis: Array
) -> list[Lump]:
    """Lay segments along an axis and cut them between bodies, at the heights of their joints on the average of all frames."""
    squared = np.sum(axis * axis, axis=1)
    heights = [float(np.mean(np.sum((fig.places[:, fig.bones[b]] - start) * axis, axis=1) / squared)) for b in bodies]
    bounds = shares(heights)
    lumps = []
    for body, low, high in zip(bodies, bounds[:-1], bounds[1:], strict=True):
        left = leftwards(fig, body, "thigh" if fig.bodies[body] == "pelvis" else "upper_arm")
        for segment, bottom, top in slabs:
            below, above = max(low, bottom), min(high, top)
            if above <= below:
                continue
            ends = [_mean(fig.seen_from(body, start + u * axis)) for u in (top, bottom)]
            size = top - bottom
            cut = ((top - above) / size, (top - below) / size)
            lumps.append(Lump(body, segment, segment.mass * (above - below) / size, ends[0], ends[1], left, cut))
    return lumps


def shares(heights: Sequence[float]) -> Array:
    """Bounds from 0 to 1 between bodies whose joints are at given heights; the first begins at 0, and none is next to nothing."""
    starts = np.maximum.accumulate(np.clip([0.0, *heights[1:]], 0.0, 1.0))
    sizes = np.maximum(np.diff([*starts, 1.0]), _LEAST_SHARE)
    return np.concatenate([[0.0], np.cumsum(sizes / sizes.sum())[:-1], [1.0]])


def _with_clavicles(fig: Figure, table: Table, lumps: list[Lump]) -> tuple[list[Lump], list[str]]:
    """Clavicles that move take their mass from the trunk."""
    sides = [side for side in ("left", "right") if f"{side}_clavicle" in fig.bodies]
    if not sides:
        return lumps, []
    trunk = [k for k, lump in enumerate(lumps) if _is_trunk(fig, lump.body) or fig.bodies[lump.body] == "pelvis"]
    each = _CLAVICLE * table["upper_trunk"].mass
    whole = sum(lumps[k].mass for k in trunk)
    lumps = [
        lump._replace(mass=lump.mass * (1.0 - len(sides) * each / whole)) if k in trunk else lump for k, lump in enumerate(lumps)
    ]
    for side in sides:
        body = fig.bodies.index(f"{side}_clavicle")
        end = _mean(fig.seen_from(body, fig.joint(f"{side}_upper_arm")))
        size = max(float(np.linalg.norm(end)), STILL)
        along = end if size > STILL else _mean(fig.turned(body, fig.joint(f"{side}_upper_arm") - middle(fig, "upper_arm")))
        lumps.append(Lump(body, table["upper_arm"]._replace(com=0.5), each, np.zeros(3), along, leftwards(fig, body, "thigh")))
    return lumps, [f"clavicles move: each is taken to have {_CLAVICLE:.0%} of the upper trunk's mass"]


# --- limbs --------------------------------------------------------------------------------------------------------------

_NEXT = {"thigh": "shank", "shank": "foot", "upper_arm": "forearm", "forearm": "hand"}


def _limb_end(fig: Figure, side: str, part: str) -> Array:
    """Where a segment of a limb ends, in its axes: at the next joint, or at the end that the recording has."""
    body = fig.bodies.index(f"{side}_{part}")
    after = fig.index(f"{side}_{_NEXT[part]}")
    point = fig.places[:, fig.bones[after]] if after is not None else fig.farthest(fig.bones[body])
    if point is None:
        raise ModelError(
            f"where {side}_{part} ends is not recorded: bone {fig.rec.bones[fig.bones[body]].name!r} has no next joint and no "
            f'end. Say which bone the next one is by names={{"...": "{side} {_NEXT[part]}"}}.'
        )
    return _mean(fig.seen_from(body, point))


def _limb_length(fig: Figure, side: str, part: str) -> float:
    return float(np.linalg.norm(_limb_end(fig, side, part)))


def _limb(fig: Figure, table: Table, side: str, part: str) -> Lump:
    body = fig.bodies.index(f"{side}_{part}")
    whose = "upper_arm" if part in ("upper_arm", "forearm") else "thigh"
    left = leftwards(fig, body, whose)
    return Lump(body, table[part], table[part].mass, np.zeros(3), _limb_end(fig, side, part), left)


def _hand(fig: Figure, table: Table, side: str, height: float) -> tuple[Lump, list[str]]:
    """A hand as long as the table has it, towards what is recorded of it, or else straight on from the forearm."""
    forearm, hand = fig.bodies.index(f"{side}_forearm"), fig.index(f"{side}_hand")
    body = forearm if hand is None else hand
    straight = np.einsum("nij,j->ni", fig.axes(forearm), _limb_end(fig, side, "forearm"))
    start = np.zeros(3) if hand is not None else _limb_end(fig, side, "forearm")
    points = fig.ends(fig.bones[body]) if hand is not None else np.empty((0, 0, 3))
    along = _mean(fig.turned(body, points.mean(axis=0) - fig.places[:, fig.bones[body]])) if len(points) else np.zeros(3)
    if np.linalg.norm(along) < STILL:
        along = _mean(fig.turned(body, straight))
    along = along / np.linalg.norm(along) * (table["hand"].length * height)
    notes = [] if hand is not None else [f"there is no {side}_hand: its mass is at the end of the {side}_forearm"]
    return Lump(body, table["hand"], table["hand"].mass, start, start + along, leftwards(fig, body, "upper_arm")), notes


def _foot(fig: Figure, table: Table, side: str, height: float, sole: Sole | None) -> tuple[list[Lump], list[str]]:
    segment = table["foot"]
    if sole is None:
        body = fig.bodies.index(f"{side}_shank")
        end = _limb_end(fig, side, "shank")
        along = end / np.linalg.norm(end) * (segment.length * height)
        note = f"there is no {side}_foot: its mass is at the end of the {side}_shank"
        return [Lump(body, segment, segment.mass, end, end + along, leftwards(fig, body, "thigh"))], [note]
    lumps = []
    for body, (heel, toe), cut in zip(sole.bodies, sole.ends, sole.cuts, strict=True):
        left = leftwards(fig, body, "thigh")
        lumps.append(Lump(body, segment, segment.mass * (cut[1] - cut[0]), heel, toe, left, cut))
    return lumps, []


def _mean(x: Array) -> Array:
    found: Array = x.mean(axis=0)
    return found
