"""Shapes for bodies that have none: each reaches from joint to joint, and is as thick as its mass."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..ask.poses import body_poses
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..models import Shape
from ..tolerances import DRAWN_APART

Array = NDArray[np.float64]

_DENSITY = 1000.0  # kg/m³
_THINNEST, _THICKEST = 0.02, 0.09  # m: radii
_SOLE = 0.012  # m: of a body with a sole, which is to stand on the ground, not in it
_SHORTEST = 0.08  # m: what is shorter is a ball


def stick_shapes(mech: Mechanism, state: State, soles: frozenset[str] = frozenset()) -> tuple[Shape, ...]:
    """A shape for every body with mass, up to where joints are in a state; `soles` are the frames that feet stand on."""
    poses = body_poses(mech, state)
    return tuple(_shape(mech, name, poses, soles) for name, body in mech.bodies.items() if body.inertia.mass > 0.0)


def _shape(mech: Mechanism, body: str, poses: Mapping[str, Pose], soles: frozenset[str]) -> Shape:
    inertia = mech.bodies[body].inertia
    standing = [frame.pose.translation for name, frame in mech.frames.items() if frame.body == body and name in soles]
    points = _apart([*_joints(mech, body, poses), *standing]) or [np.asarray(inertia.com, float)]
    if len(points) > 1:
        radius = _radius(inertia.mass, max(float(np.linalg.norm(a - b)) for a in points for b in points))
    else:  # the far end of a body is as far from its centre of mass as its joint
        reach = 2.0 * (inertia.com - points[0])
        length = float(np.linalg.norm(reach))
        radius = _radius(inertia.mass, length)
        points = _apart([points[0], points[0] + reach * max(0.0, 1.0 - radius / max(length, radius))])
    return Shape(body, tuple((float(x), float(y), float(z)) for x, y, z in points), _SOLE if standing else radius)


def _radius(mass: float, length: float) -> float:
    """Of a cylinder of flesh, within limits."""
    return min(max(math.sqrt(mass / (math.pi * _DENSITY * max(length, _SHORTEST))), _THINNEST), _THICKEST)


def _joints(mech: Mechanism, body: str, poses: Mapping[str, Pose]) -> list[Array]:
    """Where joints are on a body, each on its child; not that of a joint to the world, which may be anywhere."""
    found = []
    for joint in mech.joints.values():
        if joint.child == body and joint.parent != WORLD:
            found.append(joint.child_pose.translation)
        if joint.parent == body:
            found.append(poses[body].inverse().apply(poses[joint.child].apply(joint.child_pose.translation)))
    return found


def _apart(points: list[Array]) -> list[Array]:
    """Points that are not in one place."""
    found: list[Array] = []
    for point in points:
        if all(float(np.linalg.norm(point - other)) > DRAWN_APART for other in found):
            found.append(np.asarray(point, float))
    return found
