"""A recording of markers as one of a skeleton: segments, calibrated, that follow the markers in all frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import finite_number
from ...errors import ModelError, listed
from ..recording import Bone, Recording
from ..segments.names import SIDED, Role
from ..segments.tables import Table
from ..skeleton import in_the_world
from ..smoothers import LEAST_FRAMES
from .centres import WIDTHS
from .names import Landmark, places
from .rig import Rig, calibrated
from .rigid import Rigid, across, middle
from .segments import SHOULDERS_ASIDE, SHOULDERS_UP, Segments

Array = NDArray[np.float64]

_ASIS_HEIGHT = 0.56  # of the height: only to guess widths of joints where nothing else is known
_LOW = 0.02  # quantile of the heights of markers on feet
_ON_THE_FLOOR = (-0.03, 0.1)  # m: the lowest markers of feet on a floor at 0
_UNDER_MARKERS = 0.02  # m: how far the floor is below them where it is elsewhere


class FollowedSkeleton(NamedTuple):
    """What was found from markers."""

    rec: Recording
    """With bones."""
    roles: dict[str, Role]
    welded: tuple[str, ...]
    """Bones that no marker shows: they keep their place on what carries them."""
    markers: dict[str, tuple[str, Array]]
    """By label: the bone, and the place on it."""
    residuals: dict[str, Array]
    static: Recording | None = None
    """The same bones while the person stands still, where that was recorded."""


class MarkerOptions(NamedTuple):
    """What a caller may say about markers."""

    names: Mapping[str, str | None] | None = None
    ignore: Iterable[str] = ()
    static: Recording | None = None
    widths: Mapping[str, float] | None = None
    weights: Mapping[str, float] | None = None
    ground: float | None = None


def skeleton_from_markers(
    rec: Recording, options: MarkerOptions, height: float | None, sex: str | None, table: Table
) -> FollowedSkeleton:
    """Find a skeleton that follows the markers of a recording in all frames."""
    if len(rec.t) < LEAST_FRAMES:
        raise ModelError(f"{rec.source!r} has {len(rec.t)} frames; a motion has at least {LEAST_FRAMES}.")
    weights = _numbers("weights", options.weights, rec.markers)
    widths = _numbers("widths", options.widths, WIDTHS)
    shown = rec if options.static is None else options.static
    told = _told_labels(options, (rec, shown))
    placed, placed_there = (places(one, {label: told[label] for label in told if label in one.markers}) for one in (rec, shown))
    ground, floor = _ground(shown, placed_there.bodies, options.ground)
    tall = height if height is not None else _rough_height(shown, placed_there.one, ground)
    found = Segments(shown, placed_there, tall, sex, widths, ground)
    found.find()
    followed = {label: rec.markers[label] for labels in placed.bodies.values() for label in labels}
    rig = found.rig(followed)
    if options.static is None:
        rig, said = calibrated(rig, followed, weights)
    else:
        said = [f"places of markers and joints are those of {options.static.source!r}"]
    tracked = rig.follow(rec.markers, weights)
    lone = [part.name for part in rig.parts[1:] if len(part.markers) == 1]
    if lone:
        said.append(f"one marker is on {', '.join(lone)}: how they turn about themselves is taken as on the average")
    unused = [label for label in followed if label not in tracked.residuals]
    if unused:
        said.append(f"markers of segments that are not followed are left out: {listed(unused, 99)}")
    turns, origins = rig.poses(tracked.q)
    if options.static is None:
        axes, joints = in_the_world(rig.parents(), turns, origins)
        for k, part in enumerate(rig.parts):
            if part.name.endswith("_foot"):
                found.sole(part.name.removesuffix("_foot"), Rigid(axes[:, k], joints[:, k]))
    bones, roles, welded, more = _bones(found, rig, table)
    notes = (*rec.notes, *placed.notes, floor, *found.notes, *said, *tracked.notes, *_welded_words(welded))
    skeleton = replace(_moving(rec, bones, turns, origins, more), notes=notes)
    markers = {label: (part.name, at) for part in rig.parts for label, at in part.markers.items()}
    if options.static is None:
        return FollowedSkeleton(skeleton, roles, welded, markers, tracked.residuals)
    standing = rig.poses(rig.follow({label: shown.markers[label] for label in markers}, weights).q)
    return FollowedSkeleton(skeleton, roles, welded, markers, tracked.residuals, _moving(shown, bones, *standing, more))


def _moving(rec: Recording, bones: tuple[Bone, ...], turns: Array, origins: Array, more: Array) -> Recording:
    """A skeleton whose first bones move, (n, k, 3, 3) and (n, k, 3), and whose others keep their axes and places on these."""
    axes, at = np.where(np.isfinite(turns[:, :1]), more[None], np.nan), np.where(np.isfinite(origins[:, :1]), 0.0, np.nan)
    offsets = np.array([bone.offset for bone in bones[turns.shape[1] :]]).reshape(-1, 3)
    return Recording(
        rec.source, rec.t, bones, np.concatenate([turns, axes], axis=1), np.concatenate([origins, at + offsets], axis=1)
    )


def _numbers(what: str, given: Mapping[str, float] | None, known: Iterable[str]) -> dict[str, float]:
    names = list(known)
    for name, number in (given or {}).items():
        if name not in names:
            raise ModelError(f"{what}: there is no {name!r}; there are {listed(names, 99)}.")
        if not finite_number(f"{what}[{name!r}]", number) >= 0.0:
            raise ModelError(f"{what}[{name!r}] must not be negative, but is {number!r}.")
    return {name: float(number) for name, number in (given or {}).items()}


def _told_labels(options: MarkerOptions, recs: tuple[Recording, Recording]) -> dict[str, str | None]:
    """What a caller said of labels, each of which one of the recordings has."""
    ignored = (options.ignore,) if isinstance(options.ignore, str) else options.ignore
    told = {**(options.names or {}), **dict.fromkeys(ignored)}
    strange = [label for label in told if not any(label in rec.markers for rec in recs)]
    if strange:
        raise ModelError(f"{recs[0].source!r} has no marker {strange[0]!r}; there are {', '.join(recs[0].markers)}.")
    return told


def _ground(rec: Recording, bodies: Mapping[str, tuple[str, ...]], given: float | None) -> tuple[float, str]:
    """How high the ground is, and how that is known."""
    if given is not None:
        return finite_number("ground", given), f"the ground is at z = {given:g} m, as given"
    feet = [label for side in ("left", "right") for label in bodies.get(f"{side}_foot", ())]
    low = float(np.nanquantile([rec.markers[label][:, 2] for label in feet], _LOW)) if feet else 0.0
    if _ON_THE_FLOOR[0] <= low <= _ON_THE_FLOOR[1]:
        return (
            0.0,
            f"the ground is taken at z = 0: the lowest markers of feet are {1000 * low:.0f} mm above it; ground= says otherwise",
        )
    return low - _UNDER_MARKERS, (
        f"the ground is taken at z = {low - _UNDER_MARKERS:.3f} m, {1000 * _UNDER_MARKERS:.0f} mm below the lowest markers of "
        "feet; ground= says otherwise"
    )


def _rough_height(rec: Recording, one: Mapping[Landmark, str], ground: float) -> float:
    """From how high the pelvis is: for the widths of joints only."""
    heights = [rec.markers[label][:, 2] for landmark, label in one.items() if landmark.place == "asis"]
    return float(np.nanquantile(heights, 0.95) - ground) / _ASIS_HEIGHT if heights else 1.7


def _bones(found: Segments, rig: Rig, table: Table) -> tuple[tuple[Bone, ...], dict[str, Role], tuple[str, ...], Array]:
    """The bones of a skeleton and what they are: parts that follow markers, then what keeps its place on them, with its axes."""
    followed = {part.name for part in rig.parts}
    bones = [Bone(part.name, part.parent, part.offset, _tips(found, part.name, followed)) for part in rig.parts]
    still: list[tuple[Bone, Array]] = []
    for side, sole in found.soles.items():
        still.append((Bone(f"{side}_heel", f"{side}_foot", sole["heel"]), np.eye(3)))
        if "ball" in sole:
            tips = (sole["toe"] - sole["ball"],) if "toe" in sole else ()
            still.append((Bone(f"{side}_ball", f"{side}_foot", sole["ball"], tips), np.eye(3)))
    if "trunk" not in followed:
        still.append(_still_trunk(found))
    for side in ("left", "right"):
        if f"{side}_upper_arm" not in followed:
            still += [(bone, np.eye(3)) for bone in _still_arm(found, side, table)]
    every = (*bones, *(bone for bone, _ in still))
    roles = {bone.name: _role(bone.name) for bone in every}
    welded = tuple(bone.name for bone, _ in still if _role(bone.name).part in ("upper_arm", "forearm", "spine"))
    return every, roles, welded, np.array([axes for _, axes in still]).reshape(-1, 3, 3)


def _tips(found: Segments, body: str, followed: set[str]) -> tuple[Array, ...]:
    side, _, part = body.partition("_")
    if part == "foot" and "ball" not in found.soles[side] and "toe" in found.soles[side]:
        return (found.soles[side]["toe"],)
    return (found.wrists[side],) if part == "forearm" and f"{side}_hand" not in followed else ()


def _role(name: str) -> Role:
    side, _, part = name.partition("_")
    if side in ("left", "right"):
        return Role({"ball": "toes"}.get(part, part), side) if part in (*SIDED, "ball", "heel") else Role("merged")
    return Role({"trunk": "spine"}.get(name, name))


def _still_trunk(found: Segments) -> tuple[Bone, Array]:
    """A trunk that no marker shows: upright on the average, on the pelvis."""
    pelvis = found.poses["pelvis"]
    axes = across(middle(pelvis.turned(np.array([0.0, 0.0, 1.0]))), np.array([0.0, 1.0, 0.0]))
    return Bone("trunk", "pelvis", found.lumbosacral), axes


def _still_arm(found: Segments, side: str, table: Table) -> list[Bone]:
    """An arm that no marker shows: it hangs down."""
    aside = np.array([0.0, SHOULDERS_ASIDE if side == "left" else -SHOULDERS_ASIDE, 0.0]) * found.height
    above = np.array([0.0, 0.0, SHOULDERS_UP * found.height - found.lumbosacral[2]])
    down = [np.array([0.0, 0.0, -table[part].length * found.height]) for part in ("upper_arm", "forearm")]
    at = found.shoulders.get(side, aside + above)
    return [
        Bone(f"{side}_upper_arm", "trunk", at),
        Bone(f"{side}_forearm", f"{side}_upper_arm", down[0], (down[1],)),
    ]


def _welded_words(welded: tuple[str, ...]) -> list[str]:
    if not welded:
        return []
    what = "head, arms and trunk are one segment with the pelvis" if "trunk" in welded else "they are one segment with the trunk"
    return [f"no markers, or too few, show {', '.join(name.replace('_', ' ') for name in welded)}: {what}, and arms hang down"]
