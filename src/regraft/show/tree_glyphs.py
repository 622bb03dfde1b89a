"""How a mechanism's tree hangs: arrows along each body from the joint that leads to it to those that lead on, and its roots."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose, pose_along
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.text import walked
from ..tolerances import DRAWN_APART
from .colours import INK
from .glyphs import LOOP_JOINT, ROOT
from .pieces import Piece
from .triangles import Triangles, arrow, ball

Array = NDArray[np.float64]


def tree_pieces(mech: Mechanism, size: float) -> list[Piece]:
    """Arrows in the direction in which the tree is walked, each on its body; a ball where a root hangs on the world.

    Where no joint leads on, the arrow ends at the centre of mass. `size` is half of the length of a joint's axis.
    """
    steps = [(joint, body) for joint, body, _, _ in walked(mech.joints, mech.layout)]
    onward: dict[str, list[Joint]] = {body: [] for body in mech.bodies}
    for joint, body in steps:
        before = joint.parent if joint.child == body else joint.child
        if before != WORLD:
            onward[before].append(joint)
    found: list[Piece] = []
    for joint, body in steps:
        start = place_on(joint, body)
        if WORLD in (joint.parent, joint.child):
            found.append(Piece(body, joint.name, ball(0.75 * size, 16).placed(Pose(translation=start)), ROOT))
        ends = [place_on(one, body) for one in onward[body]] or [np.asarray(mech.bodies[body].inertia.com, float)]
        found += [Piece(body, joint.name, surface, INK) for surface in _arrows(start, ends, size)]
    return found


def loop_pieces(mech: Mechanism, size: float) -> list[Piece]:
    """A ball at each joint that closes a loop, so that it is found even where its axis lies within a body."""
    return [
        Piece(joint.child, name, ball(0.6 * size, 16).placed(Pose(translation=place_on(joint, joint.child))), LOOP_JOINT)
        for name, joint in mech.joints.items()
        if name not in mech.layout.q_slices
    ]


def _arrows(start: Array, ends: list[Array], size: float) -> Iterator[Triangles]:
    for end in ends:
        length = float(np.linalg.norm(end - start))
        if length > DRAWN_APART * size:
            yield arrow(length, min(0.12 * size, 0.08 * length)).placed(pose_along(end - start, start))


def place_on(joint: Joint, body: str) -> Array:
    """(3,): where a joint is on one of its bodies."""
    pose = joint.child_pose if joint.child == body else joint.parent_pose
    return np.asarray(pose.translation, float)
