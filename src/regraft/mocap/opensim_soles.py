"""Soles of OpenSim's feet at the height of the ground: a model does not say how thick a shoe is, a motion does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..ask.poses import frame_position
from ..describe.mechanism import Mechanism
from .body_motion import Foot

Array = NDArray[np.float64]

_STANDING = 0.05  # of all frames: at least in so many a foot stands on the ground
_THINNEST, _THICKEST = -0.03, 0.1  # metres that a sole may be lower than guessed; otherwise the ground is elsewhere
_FRAMES = 500  # are enough to see where feet are low


def soles_on_the_ground(mech: Mechanism, q: Array, feet: Mapping[str, Foot], ground: float, notes: list[str]) -> Mechanism:
    """The mechanism with the frames of its soles lowered, or raised, so that each foot stands at the height of the ground."""
    seen = q[np.isfinite(q).all(axis=1)]
    states = [mech.state(q=row) for row in seen[:: 1 + len(seen) // _FRAMES]]
    moved: dict[str, Pose] = {}
    for side, foot in feet.items():
        names = (foot.heel, *foot.ball, foot.toe)
        lowest = np.array([min(frame_position(mech, state, name)[2] for name in names) for state in states])
        lower = float(np.quantile(lowest, _STANDING)) - ground
        if not _THINNEST <= lower <= _THICKEST:
            notes.append(
                f"the {side} foot comes no nearer than {1000 * lower:.0f} mm to a ground at height {ground:g}; "
                "its sole stays as guessed."
            )
            continue
        moved |= {name: mech.frames[name].pose @ Pose(translation=(0.0, 0.0, -lower)) for name in names}
        notes.append(
            f"the sole of the {side} foot is taken {1000 * lower:.0f} mm lower, where it stands on the ground at {ground:g}."
        )
    return _with_frames(mech, moved) if moved else mech


def _with_frames(mech: Mechanism, moved: Mapping[str, Pose]) -> Mechanism:
    """The same mechanism with some frames elsewhere."""
    data = mech.to_dict()
    data["frames"] = []
    found = Mechanism.from_dict(data)
    for name, frame in mech.frames.items():
        found.add_frame(name, frame.body, moved.get(name, frame.pose))
    return found
