"""The colours of a gait: left and right, what stands, and what is the root."""

from __future__ import annotations

from ..mocap.gait_events import carries
from ..mocap.gait_result import Gait
from .colours import BLUE, GREEN, ORANGE, SKIN

SIDE_COLOURS = {"left": BLUE, "right": ORANGE}
"""Of the feet; other supports are green."""
LIGHT = "#9ADBC5"  # of a foot that stands and is not the root


def body_colours(gait: Gait, i: int) -> dict[str, str]:
    """Of each body in a frame: the root, with the rest of its foot, in green, and other feet that stand in light green."""
    feet, root = gait.motion.feet, str(gait.root[i])
    found = {body: SIDE_COLOURS.get(side_of(body), SKIN) for body in gait.motion.mech.bodies}
    for side, foot in feet.items():
        if carries(gait.phase[i], side):
            found |= dict.fromkeys(foot.bodies, LIGHT)
    own = next((foot.bodies for foot in feet.values() if root in foot.bodies), (root,))
    return found | dict.fromkeys(own, GREEN)


def side_of(body: str) -> str:
    """Left or right, by the name of a body."""
    name = body.lower()
    for side in SIDE_COLOURS:
        if name.startswith(side) or name.endswith(f"_{side[0]}"):
            return side
    return ""
