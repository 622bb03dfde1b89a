"""How large a mechanism and its bodies are, as far as shapes and joints tell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ask.poses import body_poses
from ..describe.hulls import hull_of
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import ENDLESS, Mesh
from ..describe.state import State

Array = NDArray[np.float64]


class Reach(NamedTuple):
    """What is known of where a body is."""

    points: Array
    """(k, 3), in its axes: hulls of shapes, corners of what is around them, and the joints on it."""
    joints: int
    """How many of the first points are joints."""
    whole: bool
    """Whether its shapes say how large it is: it has some, and none of them is a mesh."""


def reaches(mech: Mechanism) -> dict[str, Reach]:
    """Of every body."""
    joints: dict[str, list[Array]] = {body: [] for body in mech.bodies}
    for joint in mech.joints.values():
        for body, pose in ((joint.parent, joint.parent_pose), (joint.child, joint.child_pose)):
            if body != WORLD:
                joints[body].append(pose.translation)
    hulls: dict[str, list[Array]] = {body: [] for body in mech.bodies}
    unknown = set()
    for shape in mech.shapes.values():
        hull = hull_of(shape.form)
        if shape.body == WORLD or isinstance(shape.form, ENDLESS):
            continue
        if isinstance(shape.form, Mesh) or hull is None:
            unknown.add(shape.body)
            continue
        around = hull.radius * np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], float)
        hulls[shape.body].append((shape.pose.apply(hull.points)[:, None] + around).reshape(-1, 3))
    found = {}
    for body in mech.bodies:
        points = [np.reshape(joints[body], (-1, 3)), *hulls[body]]
        found[body] = Reach(np.concatenate(points), len(joints[body]), bool(hulls[body]) and body not in unknown)
    return found


def extent(mech: Mechanism, state: State) -> float:
    """The diagonal of the box around all joints and origins of bodies, m."""
    poses = body_poses(mech, state)
    places = [pose.translation for pose in poses.values()]
    places += [poses[joint.child].apply(joint.child_pose.translation) for joint in mech.joints.values() if joint.child != WORLD]
    return diagonal(np.array(places)) if places else 0.0


def diagonal(points: Array) -> float:
    """Of the box around points."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))
