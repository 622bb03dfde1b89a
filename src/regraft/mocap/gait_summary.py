"""A gait in a few numbers: speed, times, shares of phases, and peaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ask.poses import frame_position
from .gait_cycles import FLEXION, Stride, View, body_places, on_end, powers, sagittal_moments, strides
from .gait_events import SIDES, GaitEvent
from .gait_result import Gait

Array = NDArray[np.float64]


class Measure(NamedTuple):
    """A number of each foot, or of both together."""

    name: str
    unit: str
    left: float
    right: float

    is_common: bool = False
    """Whether it is one number for both feet."""


class Summary(NamedTuple):
    """What is told of a gait; NaN where it is not known."""

    speed: float
    """Along the way that the body looks, relative to the ground, in m/s; on a turn it is more than from start to end."""
    measures: tuple[Measure, ...]
    strides: tuple[Stride, ...]

    def cells(self, digits: int = 2) -> list[tuple[str, str, str]]:
        """Name with unit, left and right, as text."""

        def text(x: float) -> str:
            return f"{x:.{digits}f}" if np.isfinite(x) else "–"

        return [
            (f"{m.name} ({m.unit})" if m.unit else m.name, text(m.left), "" if m.is_common else text(m.right))
            for m in self.measures
        ]


def summarise(gait: Gait) -> Summary:
    """The numbers of a gait. Times and peaks are means over whole strides; without these, peaks are those of the record."""
    whole = strides(gait)
    weight = gait.mass * float(np.linalg.norm(gait.motion.mech.gravity))
    view = View.of(gait)
    inside = _inside(gait, whole)
    speed = _speed(gait, view)
    found = [_common("speed", "m/s", speed), _common("cadence", "steps/min", gait.cadence)]
    found.append(_sides("stride", "s", lambda foot: _mean([s.end - s.start for s in whole if s.foot == foot])))
    found.append(_sides("step length", "m", lambda foot: _step_length(gait, view, foot)))
    shares = {foot: [100.0 * (s.off - s.start) / (s.end - s.start) for s in whole if s.foot == foot] for foot in SIDES}
    found.append(_sides("stance", "% of a stride", lambda foot: _mean(shares[foot])))
    for phase, name in (("both", "double support"), ("none", "flight")):
        found.append(_common(name, "% of the time", 100.0 * float((gait.phase[inside] == phase).mean())))
    peaks: list[tuple[str, str, Callable[[str], Array | None], float]] = [
        ("peak vertical force", "body weights", lambda foot: gait.reaction[foot][:, 2] / weight, 1.0),
        ("peak braking force", "body weights", lambda foot: view.along(gait.reaction[foot]) / weight, -1.0),
        ("peak driving force", "body weights", lambda foot: view.along(gait.reaction[foot]) / weight, 1.0),
    ]
    moments, watts = sagittal_moments(gait, view), powers(gait)
    for joint, (positive, _) in FLEXION.items():
        negative = {"plantarflexion": "dorsiflexion", "extension": "flexion"}[positive]
        for word, sign in ((positive, 1.0), (negative, -1.0)):
            peaks.append((f"peak {joint} {word}", "N m/kg", _of(moments, joint, gait.mass), sign))
    for joint in FLEXION:
        for word, sign in (("given", 1.0), ("taken", -1.0)):
            peaks.append((f"peak {joint} power {word}", "W/kg", _of(watts, joint, gait.mass), sign))
    for name, unit, values, sign in peaks:
        left, right = (_peak(gait, whole, foot, values(foot), sign) for foot in SIDES)
        found.append(Measure(name, unit, left, right))
    return Summary(speed, tuple(found), whole)


def phase_runs(gait: Gait) -> list[tuple[str, str, float, float]]:
    """Phase and root from one time to another, in turn; each lasts until the next begins."""
    keys = list(zip(gait.phase.tolist(), gait.root.tolist(), strict=True))
    cuts = [0, *(i for i in range(1, len(keys)) if keys[i] != keys[i - 1]), len(keys)]
    ends = [*(float(gait.t[i]) for i in cuts[:-1]), float(gait.t[-1])]
    return [(*keys[a], start, end) for a, start, end in zip(cuts[:-1], ends[:-1], ends[1:], strict=True)]


def _of(values: Mapping[str, Array], joint: str, mass: float) -> Callable[[str], Array | None]:
    def per_kg(foot: str) -> Array | None:
        own = values.get(f"{foot}_{joint}")
        return None if own is None else own / mass

    return per_kg


def _common(name: str, unit: str, value: float) -> Measure:
    return Measure(name, unit, value, value, is_common=True)


def _sides(name: str, unit: str, value: Callable[[str], float]) -> Measure:
    left, right = (float(value(foot)) for foot in SIDES)
    return Measure(name, unit, left, right)


def _mean(values: Sequence[float]) -> float:
    known = [x for x in values if np.isfinite(x)]
    return float(np.mean(known)) if known else float("nan")


def _speed(gait: Gait, view: View) -> float:
    going = view.along(np.gradient(body_places(gait.motion)[:, 0, 9:], gait.t, axis=0) - gait.belt)
    return float(np.nanmean(going))


def _step_length(gait: Gait, view: View, foot: str) -> float:
    """On the ground, from a strike of the other foot to the next of this one, on average."""
    strikes = [event for event in gait.events if event.kind == "strike" and event.foot in SIDES]
    lengths = []
    for a, b in pairwise(strikes):
        if b.foot == foot != a.foot and on_end(gait, a.time, b.time):
            i = int(np.abs(gait.t - b.time).argmin())
            step = _heel(gait, b) - _heel(gait, a) - gait.belt * (b.time - a.time)
            lengths.append(float(step @ view.forward[i]))
    return _mean(lengths)


def _heel(gait: Gait, event: GaitEvent) -> Array:
    """Where the heel is that strikes."""
    motion, i = gait.motion, int(np.abs(gait.t - event.time).argmin())
    return frame_position(motion.mech, motion.mech.state(q=motion.q[i]), motion.feet[event.foot].heel)


def _inside(gait: Gait, whole: Sequence[Stride]) -> NDArray[np.bool_]:
    """The frames within whole strides of both feet; all frames where there is none."""
    within: list[Any] = [(gait.t >= s.start) & (gait.t < s.end) for s in whole] or [np.isfinite(gait.residual).all(axis=1)]
    found: NDArray[np.bool_] = np.any(within, axis=0)
    return found


def _peak(gait: Gait, whole: Sequence[Stride], foot: str, values: Array | None, sign: float) -> float:
    """The largest of each stride, on average, as a positive number; 0 where it is never of that sign."""
    if values is None or not np.isfinite(values).any():
        return float("nan")
    mine = [values[(gait.t >= s.start) & (gait.t < s.end)] for s in whole if s.foot == foot] or [values]
    return max(0.0, _mean([float(np.nanmax(sign * part)) for part in mine if np.isfinite(part).any()]))
