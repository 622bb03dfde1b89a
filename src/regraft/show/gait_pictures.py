"""A gait on paper: the body pose by pose, with its root and the forces of the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..mocap.gait_cycles import body_places, strides, way
from ..mocap.gait_events import carries
from ..mocap.gait_result import Gait
from .colours import SHADOW
from .gait_colours import body_colours
from .gait_plots import phase_name
from .outlines import outlines_of
from .scene import Poses, spread_moments
from .scenery import Camera, Drawn, draw_placed, together
from .style import GREEN, INK

Array = NDArray[np.float64]

ARROW = 0.9
"""Metres on paper of a force that is the body's weight."""
_AROUND, _ELEVATION = -25.0, 9.0  # degrees: the camera is a little in front of the body, and above
_BEFORE, _BESIDE, _STRIPE = 0.75, 0.36, 0.5  # m: the floor around the body, and from stripe to stripe on it
_SIZE = 0.17  # m: of the sign below the root
_TRIANGLE = np.array([(0.0, 0.0), (-0.6, -1.0), (0.6, -1.0)])
_MIDDLE = _TRIANGLE.mean(axis=0)


class GaitScene(Poses):
    """A gait as a camera sees it that goes along with the body."""

    def __init__(self, gait: Gait, start: float, end: float, rows: int = 2, columns: int = 5) -> None:
        self.gait, self.start, self.end, self.rows, self.columns = gait, start, end, rows, columns
        mech, feet = gait.motion.mech, gait.motion.feet
        self.soles = {side: (foot.heel, *foot.ball, foot.toe) for side, foot in feet.items()}
        self.rows_of = mech.structure.row_of
        self.places = body_places(gait.motion)
        self.whole = np.flatnonzero(np.isfinite(self.places[:, 0, 0]) & (gait.root != ""))
        standing = frozenset(name for names in self.soles.values() for name in names)
        self.outlines = outlines_of(mech, mech.state(q=gait.motion.q[self.whole[0]]), standing)
        self.way = way(gait)
        self.camera = Camera(float(np.degrees(np.arctan2(self.way[1], self.way[0]))) + _AROUND, _ELEVATION)
        self.level = min((stance.level for stance in gait.stances), default=0.0)
        self.weight = gait.mass * float(np.linalg.norm(mech.gravity))
        aside = np.cross((0.0, 0.0, 1.0), self.way)
        self.floor = np.array([a * _BEFORE * self.way + b * _BESIDE * aside for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        centres = np.array([self._centre(i) for i in range(len(gait.t))])
        tall = float(np.nanmax([self._points(i)[:, 2].max() for i in self.whole[:: max(1, len(self.whole) // 20)]]))
        seen = self.camera.see(np.concatenate((self.floor, [[0.0, 0.0, tall + 0.06]])))[:, :2]
        self.low, self.high = seen.min(axis=0) - (0.02, 0.10), seen.max(axis=0) + 0.02
        self.centres = centres

    @property
    def moments(self) -> list[float]:
        """The times of poses: when feet land and leave, and between them others."""
        events = [event.time for event in self.gait.events if self.start < event.time < self.end]
        return spread_moments(self.start, events, self.end, self.rows * self.columns)

    def said(self, number: int) -> list[str]:
        """The time, who carries the body, and the root."""
        t = self.moments[number]
        i = self.frame(t)
        return [f"{t:.2f} s", phase_name(str(self.gait.phase[i])), f"root: {self.gait.root[i]}"]

    def frame(self, t: float) -> int:
        """The frame nearest to a moment, of those that were recorded whole."""
        return int(self.whole[np.abs(self.gait.t[self.whole] - t).argmin()])

    def drawn(self, t: float) -> Drawn:
        """What is to be seen at a moment: floor, body with its root, and forces."""
        i = self.frame(t)
        colours = self.colours(i)
        centre = self.centres[i]
        placed = [(one, self._placed(i, one.body, one.points) - centre) for one in self.outlines]
        seen = draw_placed(placed, self.camera, self.floor, colours.__getitem__)
        floor, bodies = seen.some(slice(1)), seen.some(slice(1, None))
        return together(floor, self._stripes(t, centre), bodies, self._signs(i), self._arrows(i, centre))

    def held(self, i: int) -> set[str]:
        """The feet that stand."""
        return {side for side in self.soles if carries(self.gait.phase[i], side)}

    def colours(self, i: int) -> dict[str, str]:
        """Of each body in a frame: the root, with the rest of its foot, in green."""
        return body_colours(self.gait, i)

    # --- parts of it --------------------------------------------------------------------------------------------------------

    def _centre(self, i: int) -> Array:
        """Below the first body, on the ground."""
        found: Array = self.places[i, 0, 9:] * (1.0, 1.0, 0.0) + (0.0, 0.0, self.level)
        return found

    def _placed(self, i: int, body: str, points: Array) -> Array:
        row = self.places[i, self.rows_of[body]]
        found: Array = points @ row[:9].reshape(3, 3).T + row[9:]
        return found

    def _points(self, i: int) -> Array:
        parts = [self._placed(i, one.body, one.points) + np.array((0.0, 0.0, one.radius)) for one in self.outlines]
        found: Array = np.concatenate(parts) - (0.0, 0.0, self.level)
        return found

    def _stripes(self, t: float, centre: Array) -> Drawn:
        """Marks on the ground, which stay where they are in the world or move with the belt."""
        gone = float(self.way @ (centre - self.gait.belt * t)) / _STRIPE
        found, aside = [], np.cross((0.0, 0.0, 1.0), self.way) * _BESIDE
        for k in range(int(np.ceil(gone - _BEFORE / _STRIPE)), int(np.floor(gone + _BEFORE / _STRIPE)) + 1):
            middle = (k - gone) * _STRIPE * self.way
            ends = np.array([middle - 0.008 * self.way, middle + 0.008 * self.way])
            found.append(self.camera.see(np.concatenate((ends - aside, ends[::-1] + aside)))[:, :2])
        return Drawn.plain(found, [SHADOW] * len(found), [SHADOW] * len(found))

    def _signs(self, i: int) -> Drawn:
        """A triangle below a foot that is the root, and an empty one below a foot that closes a loop."""
        outlines, colours, root = [], [], str(self.gait.root[i])
        for side in self.soles:
            if side in self.held(i):
                middle = self._sole(i, side) - self.centres[i]
                x, y = self.camera.see(middle * (1.0, 1.0, 0.0))[:2]
                outlines.append((x, y) + _SIZE * _TRIANGLE)
                colours.append(GREEN)
                if root not in self.gait.motion.feet[side].bodies:
                    outlines.append((x, y) + _SIZE * (_MIDDLE + 0.6 * (_TRIANGLE - _MIDDLE)))
                    colours.append("white")
        return Drawn.plain(outlines, colours, colours)

    def _sole(self, i: int, side: str) -> Array:
        frames = self.gait.motion.mech.frames
        points = [self._placed(i, frames[name].body, frames[name].pose.translation[None])[0] for name in self.soles[side]]
        found: Array = np.mean(points, axis=0)
        return found

    def _arrows(self, i: int, centre: Array) -> Drawn:
        found = []
        for side, force in self.gait.reaction.items():
            point = self.gait.pressure[side][i]
            if np.isfinite(point).all():
                tail = point - centre
                head = tail + ARROW * force[i] / self.weight
                a, b = self.camera.see(np.array([tail, head]))[:, :2]
                found.append(arrow(a, b))
        return Drawn.plain(found, [INK] * len(found), ["white"] * len(found))


def arrow(tail: Array, head: Array, width: float = 0.028, tip: float = 0.14) -> Array:
    """(7, 2): the outline of an arrow on the paper; a short one is all tip."""
    along = head - tail
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return np.tile(tail, (7, 1))
    along = along / length
    across = np.array([-along[1], along[0]])
    neck = head - min(tip, length) * along
    half, wide = 0.5 * width * across, 0.5 * min(tip, length) * 0.75 * across
    return np.array([tail - half, neck - half, neck - wide, head, neck + wide, neck + half, tail + half])


def shown_stride(gait: Gait) -> tuple[float, float]:
    """The first whole stride; the whole record where there is none."""
    whole = strides(gait)
    return (whole[0].start, whole[0].end) if whole else (float(gait.t[0]), float(gait.t[-1]))
