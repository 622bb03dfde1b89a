"""A gait as a film: what carries the body is the root of its tree, and a foot that shares the load closes a loop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..change.reroot import reroot
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..joints import Fixed, Free
from ..mocap.gait_cycles import body_places
from ..mocap.gait_events import carries
from ..mocap.gait_result import Gait
from .colours import GREEN
from .film import Curve, Film, Forces, Happened, Part
from .filming import MOST_POSES
from .gait_colours import SIDE_COLOURS, body_colours
from .html import write_page

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

_HAPPENS = {"strike": "lands", "off": "leaves"}


def film_of_gait(gait: Gait) -> Film:
    """All frames that were recorded whole, in parts in which the same feet stand and the same body is the root."""
    places, mech = body_places(gait.motion), gait.motion.mech
    whole = np.flatnonzero(np.isfinite(places[:, 0, 0]) & (gait.root != ""))
    every = -(-len(whole) * len(mech.bodies) // MOST_POSES)
    told = (f"of {len(whole)} frames every {every}th is shown.",) if every > 1 else ()
    parts, rows = [], []
    for first, frames in _runs(gait, whole[::every]):
        standing, state = _standing(gait, first, places[first])
        poses = {body: places[frames, row] for body, row in mech.structure.row_of.items()}
        parts.append(Part(standing, state, gait.t[frames], poses, body_colours(gait, first), str(gait.root[first])))
        rows.append(frames)
    which = np.concatenate(rows)
    weight = gait.mass * float(np.linalg.norm(mech.gravity))
    pressing = {side: np.nan_to_num(force[which, 2] / weight) for side, force in gait.reaction.items()}
    curves = tuple(Curve(side, SIDE_COLOURS.get(side, GREEN), share) for side, share in pressing.items())
    points, vectors = (np.stack([by[side][which] for side in gait.reaction], axis=1) for by in (gait.pressure, gait.reaction))
    feet = [f"{side} foot" if side in SIDE_COLOURS else side for side in gait.reaction]
    named = dict(zip(gait.reaction, feet, strict=True))
    events = tuple(Happened(e.time, f"{named.get(e.foot, e.foot)} {_HAPPENS[e.kind]}", True) for e in gait.events)
    level = min((stance.level for stance in gait.stances), default=0.0)
    floor = Pose(translation=(0.0, 0.0, level))
    return Film(tuple(parts), events, curves, "vertical force / weight", Forces(tuple(feet), points, vectors), told, floor)


def write_gait(gait: Gait, path: str | Path, **showing: Any) -> Path:
    """`Gait.to_html`."""
    return write_page(lambda: film_of_gait(gait), path, showing)


def _runs(gait: Gait, frames: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Frames in a row with one root and the same feet on the ground, each run with the first frame of the next one."""
    keys = [(str(gait.root[i]), str(gait.phase[i])) for i in frames]
    start = 0
    for k in range(1, len(frames) + 1):
        if k == len(frames) or keys[k] != keys[start]:
            yield int(frames[start]), frames[start : min(k + 1, len(frames))]
            start = k


def _standing(gait: Gait, i: int, places: Array) -> tuple[Mechanism, State]:
    """The mechanism in a frame as it was walked there: from its root, with joints for other feet that stand."""
    mech, root = gait.motion.mech, str(gait.root[i])
    state = mech.state(q=gait.motion.q[i])
    if not any({joint.parent, joint.child} == {WORLD, root} for joint in mech.joints.values()):
        mech, state = reroot(mech, state, root, joint=Free(), name=f"{root} on the ground")
    loops = mech.copy()
    for side, foot in gait.motion.feet.items():
        if carries(str(gait.phase[i]), side) and root not in foot.bodies:
            body = foot.bodies[0]
            here = Pose.from_row(places[gait.motion.mech.structure.row_of[body]])
            loops.add_joint(f"{side} foot on the ground", Fixed(), WORLD, body, here)
    return loops, State(loops.layout, state._x.copy())
