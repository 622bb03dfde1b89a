"""Sticks for bodies that have no shapes: each reaches from joint to joint, and is as thick as its mass."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..ask.poses import body_poses
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..tolerances import DRAWN_APART
from .forms import Outline

Array = NDArray[np.float64]

_DENSITY = 1000.0  # kg/m³
_THINNEST, _THICKEST = 0.02, 0.09  # m: radii
_SLENDER = 0.12  # of a short stick the least radius, as a share of its length
_SOLE = 0.012  # m: of a body with a sole, which is to stand on the ground, not in it
_SHORTEST = 0.08  # m: what is shorter is a ball


def stick_of(mech: Mechanism, body: str, joints: list[Array], soles: frozenset[str] = frozenset(), scale: float = 1.0) -> Outline:
    """A stick for a body, up to where its joints are; `soles` are the frames that feet stand on.

    `scale` is how much larger or smaller all bounds on its thickness are, for mechanisms that are not of the size of a person.
    """
    inertia = mech.bodies[body].inertia
    standing = [frame.pose.translation for name, frame in mech.frames.items() if frame.body == body and name in soles]
    points = _apart([*joints, *standing], scale) or [np.asarray(inertia.com, float)]
    if len(points) > 1:
        radius = _radius(inertia.mass, max(float(np.linalg.norm(a - b)) for a in points for b in points), scale)
    else:  # the far end of a body is as far from its centre of mass as its joint
        reach = 2.0 * (inertia.com - points[0])
        length = float(np.linalg.norm(reach))
        radius = _radius(inertia.mass, length, scale)
        points = _apart([points[0], points[0] + reach * max(0.0, 1.0 - radius / max(length, radius))], scale)
    radius = scale * _SOLE if standing else radius
    return Outline(body, np.array(points), radius, radius)


def where_joints_are(mech: Mechanism, state: State) -> Mapping[str, list[Array]]:
    """Where joints are on each body, each joint on its child; not that of a joint to the world, which may be anywhere."""
    poses = body_poses(mech, state)
    found: dict[str, list[Array]] = {body: [] for body in mech.bodies}
    for joint in mech.joints.values():
        if WORLD in (joint.parent, joint.child):
            continue
        place = joint.child_pose.translation
        found[joint.child].append(place)
        found[joint.parent].append(poses[joint.parent].inverse().apply(poses[joint.child].apply(place)))
    return found


def _radius(mass: float, length: float, scale: float) -> float:
    """Of a cylinder of flesh, within limits."""
    of_flesh = math.sqrt(mass / (math.pi * _DENSITY * max(length, scale * _SHORTEST)))
    return min(max(of_flesh, min(scale * _THINNEST, _SLENDER * length)), scale * _THICKEST)


def _apart(points: list[Array], scale: float) -> list[Array]:
    """Points that are not in one place."""
    found: list[Array] = []
    for point in points:
        if all(float(np.linalg.norm(point - other)) > scale * DRAWN_APART for other in found):
            found.append(np.asarray(point, float))
    return found
