"""From markers to segments: joint centres between them, axes, and where each marker is on its segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, listed
from ..recording import Recording
from ..segments.soles import flat_frames
from ..segments.tables import ANKLE, ANKLE_FROM_HEEL, CERVICALE_OVER_SHOULDERS, THIGH_AND_SHANK
from . import centres
from .centres import WIDTHS, chord, hips, shoulder
from .names import Landmark, Placed, missing
from .rig import Part, Rig
from .rigid import Rigid, across, centre_of_rotation, fitted, mean_shape, mean_turn, middle

Array = NDArray[np.float64]

_THIGH = 0.245 / THIGH_AND_SHANK  # of the way from the hip to the ankle
_FOOT = 0.152  # length of a foot, of the height (Drillis and Contini)
SHOULDERS_ASIDE, SHOULDERS_UP = 0.129, 0.288  # from the middle line, and above the hips, of the height (Drillis and Contini)
_STRAIGHT = 0.7  # quantile of the distance from hip to ankle: beyond it a leg is taken as straight
_SHOD = 0.01  # m: how far the heel's lowest point is before a marker behind it
_BESIDE = 0.05  # m: any distance that shows how a segment turns about its own length
_BENT = 0.25  # sine of the angle beyond which an elbow shows its axis


@dataclass
class Segments:
    """The segments of a body in the frames of a recording in which markers show them."""

    rec: Recording
    placed: Placed
    height: float
    sex: str | None
    widths: Mapping[str, float]
    ground: float
    poses: dict[str, Rigid] = field(default_factory=dict)
    """Each with its joint as origin, and axes to the front, to the left and up."""
    joints: dict[str, tuple[str, Array, bool]] = field(default_factory=dict)
    """By the name of a body: its parent, its joint in the parent's axes, and whether it was found by motion."""
    soles: dict[str, dict[str, Array]] = field(default_factory=dict)
    """Heel, ball and toe by side, in the axes of the foot; as far as there are markers."""
    shoulders: dict[str, Array] = field(default_factory=dict)
    """In the axes of the trunk."""
    wrists: dict[str, Array] = field(default_factory=dict)
    """In the axes of the forearms."""
    lumbosacral: Array = field(default_factory=lambda: np.zeros(3))
    """The joint between pelvis and trunk, in the axes of the pelvis."""
    neck: Array | None = None
    notes: list[str] = field(default_factory=list)

    def find(self) -> None:
        """Find all segments that there are."""
        self._check()
        self._pelvis()
        for side in ("left", "right"):
            self._leg(side)
        if self._trunk():
            for side in ("left", "right"):
                self._arm(side)
            self._head()

    def rig(self, labels: Mapping[str, Array]) -> Rig:
        """The segments as bodies, with the markers that are to be followed."""
        parts = []
        for name, pose in self.poses.items():
            seen = {label: middle(pose.seen(self._track(label))) for label in self.placed.bodies.get(name, ()) if label in labels}
            markers = {label: at for label, at in seen.items() if np.isfinite(at).all()}
            lost = [label for label in seen if label not in markers]
            if lost:
                self.notes.append(f"never seen together with the rest of the {name}, and left out: {listed(lost)}")
            parent, offset, by_motion = self.joints.get(name, (None, np.zeros(3), False))
            turns = np.eye(3) if parent is None else mean_turn(np.swapaxes(self.poses[parent].turns, 1, 2) @ pose.turns)
            parts.append(Part(name, parent, offset, markers, turns, by_motion))
        return Rig(tuple(parts))

    # --- markers ---------------------------------------------------------------------------------------------------------

    def _track(self, label: str) -> Array:
        return self.rec.markers.get(label, np.full((len(self.rec.t), 3), np.nan))

    def _mark(self, place: str, side: str = "") -> Array | None:
        label = self.placed.one.get(Landmark(place, side))
        return None if label is None else self._track(label)

    def _between(self, *places: str, side: str = "") -> Array | None:
        """(n, 3): the middle of some markers, if all of them are there."""
        found = [self._mark(place, side) for place in places]
        return None if any(x is None for x in found) else np.mean([x for x in found if x is not None], axis=0)

    def _check(self) -> None:
        lost = [f"{side} asis" for side in ("left", "right") if self._mark("asis", side) is None]
        if self._mark("sacrum") is None and any(self._mark("psis", side) is None for side in ("left", "right")):
            lost += [f"{side} psis or sacrum" for side in ("left", "right") if self._mark("psis", side) is None]
        for side in ("left", "right"):
            shown = {part: len(self.placed.bodies.get(f"{side}_{part}", ())) for part in ("thigh", "shank", "foot")}
            for joint, upper, lower in (("knee", "thigh", "shank"), ("ankle", "shank", "foot")):
                direct = self._mark(joint, side) is not None or self._mark(f"{joint} centre", side) is not None
                if not direct and (shown[upper] < 2 or shown[lower] < 3):
                    lost.append(f"{side} {joint}")
            for part in ("thigh", "shank"):
                if shown[part] < 2 and f"{side} {part}" not in lost:
                    lost.append(f"{side} {part}")
            if self._mark("heel", side) is None:
                lost.append(f"{side} heel")
            if self._ball(side) is None and self._mark("toe", side) is None:
                lost.append(f"{side} ball or toe")
        if lost:
            raise missing(self.rec, lost)

    def _cluster(self, body: str, *more: Array) -> Rigid:
        """Where the markers of a body, and points that were found on it, are as one rigid shape."""
        labels = self.placed.bodies.get(body, ())
        tracks = np.stack([*(self._track(label) for label in labels), *more], axis=1)
        shape = mean_shape(tracks)
        if shape is None:
            raise ModelError(
                f"{self.rec.source!r}: in no frame all markers of the {body.replace('_', ' ')} are seen: {', '.join(labels)}. "
                "Leave out the one that is seen least by ignore=[...]."
            )
        found = fitted(shape, tracks)
        if np.isnan(found.places).all():
            raise ModelError(
                f"{self.rec.source!r}: the markers of the {body.replace('_', ' ')} lie on one line: {', '.join(labels)}."
            )
        return found

    # --- pelvis and legs -------------------------------------------------------------------------------------------------

    def _pelvis(self) -> None:
        own = self._cluster("pelvis")
        left, right = (middle(own.seen(self._required("asis", side))) for side in ("left", "right"))
        backs = [self._mark("sacrum")] if self._mark("sacrum") is not None else [self._mark("psis", s) for s in ("left", "right")]
        back = np.mean([middle(own.seen(x)) for x in backs if x is not None], axis=0)
        front = 0.5 * (left + right)
        width, depth = float(np.linalg.norm(left - right)), float(np.linalg.norm(front - back))
        axes = across(np.cross(front - back, left - right), left - right)
        joints = [front + axes @ at for at in hips(width, depth)]
        given = [self._mark("hip centre", side) for side in ("left", "right")]
        if given[0] is not None and given[1] is not None:
            joints = [middle(own.seen(x)) for x in given if x is not None]
            self.notes.append("hips are the recorded hip centres")
        else:
            self.notes.append(
                f"hips by Harrington (2007), from a pelvis {1000 * width:.0f} mm wide and {1000 * depth:.0f} mm deep"
            )
        origin = 0.5 * (joints[0] + joints[1])
        self.poses["pelvis"] = own.with_axes(axes, origin)
        for side, at in zip(("left", "right"), joints, strict=True):
            self.joints[f"{side}_thigh"] = "pelvis", axes.T @ (at - origin), False
        self.lumbosacral = axes.T @ (front + axes @ centres.lumbosacral(width, self.sex) - origin)

    def _required(self, place: str, side: str) -> Array:
        found = self._mark(place, side)
        if found is None:
            raise missing(self.rec, [f"{side} {place}"])
        return found

    def _leg(self, side: str) -> None:
        thigh, shank, foot = f"{side}_thigh", f"{side}_shank", f"{side}_foot"
        hip = self.poses["pelvis"].of(self.joints[thigh][1])
        left = self.poses["pelvis"].turns[:, :, 1]
        flat, level_ankle = self._flat(side)
        upper = self._cluster(thigh, hip)
        knee, by_motion = self._joint("knee", side, upper, hip, left)
        if knee is None:
            knee, by_motion = centre_of_rotation(upper, self._cluster(shank), self._knee_guess(side, hip, level_ankle))[0], True
        self._place(thigh, upper, middle(upper.seen(hip)), knee, self._axis_of("knee", side, upper, left))
        self._hang(shank, thigh, upper.of(knee), by_motion)
        lower = self._cluster(shank, upper.of(knee))
        ankle, by_motion = self._joint("ankle", side, lower, upper.of(knee), left)
        if ankle is None:
            ankle, by_motion = centre_of_rotation(lower, self._cluster(foot), level_ankle)[0], True
        self._place(shank, lower, middle(lower.seen(upper.of(knee))), ankle, self.poses[thigh].turns[:, :, 1])
        self._hang(foot, shank, lower.of(ankle), by_motion)
        self._foot(side, lower.of(ankle), flat)

    def _joint(self, joint: str, side: str, own: Rigid, start: Array, left: Array) -> tuple[Array | None, bool]:
        """A joint in the axes of the segment above it, from markers beside it; None where there are none."""
        centre, marker = self._mark(f"{joint} centre", side), self._mark(joint, side)
        if centre is not None:
            return middle(own.seen(centre)), False
        both = self._between(joint, f"{joint} medial", side=side)
        if both is not None:
            return middle(own.seen(both)), False
        if marker is None:
            return None, True
        half = 0.5 * self.widths.get(joint, WIDTHS[joint] * self.height)
        beside = middle(own.seen(marker))
        body = f"{side}_thigh" if joint == "knee" else f"{side}_shank"
        others = [label for label in self.placed.bodies[body] if label != self.placed.one[Landmark(joint, side)]]
        told = f"the {side} {joint} is taken {1000 * half:.0f} mm beside its marker"
        if len(others) == 1:
            self.notes.append(f"{told}, in the plane of its wand (Davis 1991); widths= has measured widths")
            return chord(middle(own.seen(start)), beside, middle(own.seen(self._track(others[0]))), half), False
        self.notes.append(f"{told}, to the middle; widths= has measured widths, and a marker on the inner side tells")
        inwards = middle(own.turned(left)) * (-1.0 if side == "left" else 1.0)
        return beside + half * inwards / np.linalg.norm(inwards), False

    def _axis_of(self, joint: str, side: str, own: Rigid, left: Array) -> Array:
        """(n, 3) in the world: to the left, by markers on both sides of a joint if there are, or else as given."""
        outer, inner = self._mark(joint, side), self._mark(f"{joint} medial", side)
        if outer is None or inner is None:
            return left
        return own.turns @ middle(own.turned(outer - inner) * (1.0 if side == "left" else -1.0))

    def _place(self, body: str, own: Rigid, start: Array, end: Array, left: Array) -> None:
        """A segment from its joint down to the next one."""
        self.poses[body] = own.with_axes(across(start - end, middle(own.turned(left))), start)

    def _hang(self, body: str, parent: str, centre: Array, by_motion: bool) -> None:
        self.joints[body] = parent, middle(self.poses[parent].seen(centre)), by_motion
        if by_motion:
            self.notes.append(
                f"no marker is beside the joint of the {body}: it was found from how the segments turn (Ehrig 2006)"
            )

    def _knee_guess(self, side: str, hip: Array, level_ankle: Array) -> Array:
        """(n, 3): on the line from hip to ankle while the leg is straight; NaN otherwise."""
        beside = self._mark("ankle", side)
        ankle = self._cluster(f"{side}_shank").of(middle(self._cluster(f"{side}_shank").seen(level_ankle)))
        ankle = ankle if beside is None else beside
        far = np.linalg.norm(ankle - hip, axis=1)
        straight = far >= np.nanquantile(far, _STRAIGHT)
        return np.where(straight[:, None], hip + _THIGH * (ankle - hip), np.nan)

    # --- feet ------------------------------------------------------------------------------------------------------------

    def _ball(self, side: str) -> Array | None:
        for places in (("ball",), ("ball inner", "ball outer"), ("ball inner",), ("ball outer",)):
            found = self._between(*places, side=side)
            if found is not None:
                return found
        return None

    def _flat(self, side: str) -> tuple[NDArray[np.intp], Array]:
        """The frames in which a foot stands flat, and where the ankle then is by the proportions of a foot; NaN in the others."""
        heel, front = self._required("heel", side), self._front(side)
        flat = flat_frames(self.rec.t, [heel[:, 2], front[:, 2]])
        ankle = np.full_like(heel, np.nan)
        level = (front - heel)[flat] * (1.0, 1.0, 0.0)
        way = level / np.linalg.norm(level, axis=1, keepdims=True)
        ankle[flat] = heel[flat] + ANKLE_FROM_HEEL * _FOOT * self.height * way
        ankle[flat, 2] = self.ground + ANKLE * self.height
        return flat, ankle

    def _front(self, side: str) -> Array:
        ball = self._ball(side)
        return self._required("toe", side) if ball is None else ball

    def _foot(self, side: str, ankle: Array, flat: NDArray[np.intp]) -> None:
        own = self._cluster(f"{side}_foot", ankle)
        heel, front = self._required("heel", side), self._front(side)
        level = (front - heel)[flat] * (1.0, 1.0, 0.0)
        x = level / np.linalg.norm(level, axis=1, keepdims=True)
        z = np.broadcast_to((0.0, 0.0, 1.0), x.shape)
        axes = mean_turn(np.swapaxes(own.turns[flat], 1, 2) @ np.stack([x, np.cross(z, x), z], axis=2))
        pose = own.with_axes(axes, middle(own.seen(ankle)))
        self.poses[f"{side}_foot"] = pose
        self.sole(side, pose, flat)

    def sole(self, side: str, pose: Rigid, flat: NDArray[np.intp] | None = None) -> None:
        """Heel, ball and toe on the ground below their markers, in the frames in which a foot stands flat."""
        flat = self._flat(side)[0] if flat is None else flat
        points = {"heel": self._mark("heel", side), "ball": self._ball(side), "toe": self._mark("toe", side)}
        self.soles[side] = {}
        for name, point in points.items():
            if point is not None:
                on_ground = np.full_like(point, np.nan)
                on_ground[flat, :2], on_ground[flat, 2] = point[flat, :2], self.ground
                self.soles[side][name] = middle(pose.seen(on_ground)) + ((_SHOD, 0.0, 0.0) if name == "heel" else 0.0)

    # --- above the pelvis ------------------------------------------------------------------------------------------------

    def _trunk(self) -> bool:
        if len(self.placed.bodies.get("trunk", ())) < 2:
            return False
        base = self.poses["pelvis"].of(self.lumbosacral)
        own = self._cluster("trunk", base)
        acromia = [self._mark("shoulder", side) for side in ("left", "right")]
        sides = [middle(own.seen(x)) for x in acromia if x is not None]
        throat = self._between("c7", "clavicle")
        throat = self._mark("c7") if throat is None else throat
        start = middle(own.seen(base))
        if len(sides) < 2 and throat is None:
            return False
        neck = np.mean(sides, axis=0) if throat is None else middle(own.seen(throat))
        left = sides[0] - sides[1] if len(sides) == 2 else middle(own.turned(self.poses["pelvis"].turns[:, :, 1]))
        axes = across(neck - start, left)
        self.poses["trunk"] = own.with_axes(axes, start)
        self.joints["trunk"] = "pelvis", self.lumbosacral, False
        self.neck = axes.T @ (neck - start)
        for k, side in enumerate(("left", "right")):
            if len(sides) == 2:
                self.shoulders[side] = axes.T @ (shoulder(sides[k], sides[1 - k], axes[:, 2]) - start)
            else:
                aside = np.array([0.0, (1 - 2 * k) * SHOULDERS_ASIDE * self.height, 0.0])
                hip = middle(self.poses["trunk"].seen(self.poses["pelvis"].places))
                self.shoulders[side] = hip + (self.neck - hip) / CERVICALE_OVER_SHOULDERS + aside
        return True

    def _arm(self, side: str) -> None:
        upper, fore, hand = f"{side}_upper_arm", f"{side}_forearm", f"{side}_hand"
        marker, wrist = self._mark("elbow", side), self._between("wrist", "wrist medial", side=side)
        wrist = self._mark("wrist", side) if wrist is None else wrist
        if marker is None or wrist is None or Landmark("shoulder", side) not in self.placed.one:
            return
        trunk = self.poses["trunk"]
        start = trunk.of(self.shoulders[side])
        inwards = self._inwards(side, start, marker, wrist)
        beside = marker + _BESIDE * inwards  # seen with the rest of an arm that is bent, for segments of one marker
        few = {body: len(self.placed.bodies.get(body, ())) < 2 for body in (upper, fore)}
        if any(few.values()) and not np.isfinite(beside).any():
            return
        own = self._cluster(upper, start, *([beside] if few[upper] else []))
        elbow = self._elbow(side, own, marker, inwards)
        self.joints[upper] = "trunk", self.shoulders[side], False
        self._place(upper, own, middle(own.seen(start)), elbow, trunk.turns[:, :, 1])
        self._hang(fore, upper, own.of(elbow), False)
        lower = self._cluster(fore, own.of(elbow), *([beside] if few[fore] else []))
        end = middle(lower.seen(wrist))
        self._place(fore, lower, middle(lower.seen(own.of(elbow))), end, trunk.turns[:, :, 1])
        self.wrists[side] = middle(self.poses[fore].seen(wrist))
        if self.placed.bodies.get(hand):
            self._hang(hand, fore, lower.of(end), False)
            self.poses[hand] = self.poses[fore].with_axes(np.eye(3), self.joints[hand][1])

    def _inwards(self, side: str, start: Array, marker: Array, wrist: Array) -> Array:
        """(n, 3): from the marker on an elbow along the axis about which the arm is bent; NaN where it is straight."""
        upper, fore = marker - start, wrist - marker
        normal = np.cross(upper, fore) / (np.linalg.norm(upper, axis=1) * np.linalg.norm(fore, axis=1))[:, None]
        bent = np.linalg.norm(normal, axis=1) > _BENT
        normal[~bent] = np.nan
        found: Array = normal / np.linalg.norm(normal, axis=1, keepdims=True) * (1.0 if side == "left" else -1.0)
        return found

    def _elbow(self, side: str, own: Rigid, marker: Array, inwards: Array) -> Array:
        """An elbow in the axes of the upper arm: between two markers, or inwards from one."""
        both = self._between("elbow", "elbow medial", side=side)
        if both is not None:
            return middle(own.seen(both))
        half = 0.5 * self.widths.get("elbow", WIDTHS["elbow"] * self.height)
        self.notes.append(f"the {side} elbow is taken {1000 * half:.0f} mm beside its marker; widths= has measured widths")
        way = middle(own.turned(inwards))
        if np.isnan(way).any():
            way = middle(own.turned(self.poses["trunk"].turns[:, :, 1])) * (-1.0 if side == "left" else 1.0)
        return middle(own.seen(marker)) + half * way / np.linalg.norm(way)

    def _head(self) -> None:
        if len(self.placed.bodies.get("head", ())) < 3 or self.neck is None:
            return
        trunk = self.poses["trunk"]
        own = self._cluster("head")
        axes = mean_turn(np.swapaxes(own.turns, 1, 2) @ trunk.turns)
        self.poses["head"] = own.with_axes(axes, middle(own.seen(trunk.of(self.neck))))
        self.joints["head"] = "trunk", self.neck, True
