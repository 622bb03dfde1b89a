"""Elements of MJCF for the parts of a mechanism: inertials, joints, geoms and actuators."""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ...algebra.pose import Pose, pose_along
from ...describe.grounds import Ground, Surface
from ...describe.inertia import Inertia
from ...describe.parts import Actuator, Shape
from ...describe.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from ...tolerances import LEAST_MOMENT
from .mjcf_chains import Motion
from .mjcf_numbers import pose_attributes, text
from .mjcf_tree import FAR

SETTINGS = ("damping", "armature", "stiffness", "friction")
_FLOOR = "0 0 1"  # an infinite plane; the third number is the spacing of its grid


def add_inertial(body: Element, inertia: Inertia, *, moves: bool) -> bool:
    """Mass, centre and principal moments; whether a moment had to be made larger, because MuJoCo takes none that is 0."""
    moments, axes = np.linalg.eigh(inertia.tensor)
    axes[:, 2] *= np.linalg.det(axes)
    raised = np.maximum(moments, LEAST_MOMENT if moves else 0.0)
    raised[2] = min(raised[2], (raised[0] + raised[1]))  # by rounding a flat body may have more
    diagonal = np.array_equal(inertia.tensor, np.diag(np.diag(inertia.tensor)))
    if diagonal:
        raised, axes = np.maximum(np.diag(inertia.tensor), LEAST_MOMENT if moves else 0.0), np.eye(3)
        largest = int(np.argmax(raised))
        raised[largest] = min(raised[largest], raised.sum() - raised[largest])
    place = {"pos": "0 0 0"} | pose_attributes(Pose(axes, inertia.com))
    SubElement(body, "inertial", place | {"mass": repr(inertia.mass), "diaginertia": text(raised)})
    return bool(moves and moments[0] < LEAST_MOMENT)


def add_joint(body: Element, motion: Motion, problems: list[str]) -> None:
    """A hinge, slide, ball or free joint with its settings."""
    kind, joint = motion.joint.type, motion.joint.name
    if motion.kind == "free":
        found = {"name": motion.name, "type": "free"}
    else:
        found = {"name": motion.name, "type": motion.kind, "pos": text(motion.place.translation)}
    if motion.kind in ("hinge", "slide"):
        found["axis"] = text(motion.place.rotation @ motion.axis)
        found |= {"ref": text([motion.ref])} if motion.ref else {}
        along: Any = motion.number
        if motion.follows:
            SubElement(body, "joint", found)  # all that a screw has besides is on its hinge
            return
    else:
        along = slice(None)
    for what in SETTINGS:
        numbers = np.atleast_1d(getattr(kind, what)[along])
        if np.any(numbers != numbers[0]):
            problems.append(f"joint {joint!r}: MJCF has one {what} for all directions of a {motion.kind} joint")
        elif numbers[0]:
            found["frictionloss" if what == "friction" else what] = text(numbers[:1])
    found |= _rest(motion, problems) | _limits(motion, problems)
    if motion.kind in ("hinge", "slide") and np.isfinite(kind.effort[along]):
        found["actuatorfrcrange"] = text((-kind.effort[along], kind.effort[along]))
    SubElement(body, "joint", found)


def _rest(motion: Motion, problems: list[str]) -> dict[str, str]:
    kind, joint = motion.joint.type, motion.joint.name
    if not np.any(kind.stiffness):
        return {}
    if motion.kind == "free":
        problems.append(f"joint {joint!r}: the spring of a free joint in MJCF pulls otherwise")
        return {}
    if motion.kind == "ball":
        if not np.array_equal(kind.rest, kind.neutral()):
            problems.append(f"joint {joint!r}: the spring of a ball joint in MJCF is at rest where its frames coincide")
        return {}
    return {"springref": text([kind.rest[motion.number]])}


def _limits(motion: Motion, problems: list[str]) -> dict[str, str]:
    limits, joint = motion.joint.type.limits, motion.joint.name
    if limits is None:
        return {}
    number = motion.number if motion.kind != "ball" else 0
    lower, upper = limits.lower[number], limits.upper[number]
    if motion.kind == "ball":
        if lower > 0.0:
            problems.append(f"joint {joint!r}: the angle of a ball joint has an upper limit alone in MJCF")
        return {"range": text((0.0, upper))} if math.isfinite(upper) else {}
    if math.isinf(lower) and math.isinf(upper):
        return {}
    return {"range": text((max(lower, -FAR), min(upper, FAR)))}


def unsayable_form(shape: Shape) -> str | None:
    """Why MJCF cannot hold a shape; None where it can."""
    form = shape.form
    if isinstance(form, Surface):
        return f"shape {shape.name!r}: it is a surface, a function"
    if isinstance(form, Ground) and form.profile is not None:
        return f"shape {shape.name!r}: MJCF has planes, and no profiles"
    return f"shape {shape.name!r}: MJCF has no hollow spheres" if isinstance(form, Sphere) and form.hollow else None


def add_geom(body: Element, shape: Shape, meshes: dict[tuple[str, tuple[float, ...]], str]) -> None:
    """A shape without mass; meshes are collected, with a name for each file and scale."""
    form, pose = shape.form, shape.pose
    found: dict[str, str] = {}
    if isinstance(form, Box):
        found = {"type": "box", "size": text(0.5 * size for size in form.size)}
    elif isinstance(form, Sphere):
        found = {"type": "sphere", "size": text([form.radius])}
    elif isinstance(form, Cylinder):
        found = {"type": "cylinder", "size": text((form.radius, 0.5 * form.length))}
    elif isinstance(form, Ellipsoid):
        found = {"type": "ellipsoid", "size": text(form.radii)}
    elif isinstance(form, Capsule):
        start, end = np.array(form.start), np.array(form.end)
        half = 0.5 * float(np.linalg.norm(end - start))
        found = (
            {"type": "capsule", "size": text((form.radius, half))} if half else {"type": "sphere", "size": text([form.radius])}
        )
        pose = pose @ pose_along(end - start, 0.5 * (start + end))
    elif isinstance(form, Plane):
        found = {"type": "plane", "size": _FLOOR}
        pose = pose @ pose_along(form.normal)
    elif isinstance(form, Ground) and form.plane is not None:
        found = {"type": "plane", "size": _FLOOR}
        pose = pose @ form.plane
    elif isinstance(form, Mesh):
        name = meshes.setdefault((form.path, form.scale), f"mesh_{len(meshes) + 1}")
        found = {"type": "mesh", "mesh": name}
    found = {"name": shape.name, **found, **pose_attributes(pose), "mass": "0"}
    if shape.color is not None:
        found["rgba"] = text(shape.color)
    touch = "1" if shape.collision else "0"
    group = "3" if not shape.visual else "0" if shape.collision else "2"
    SubElement(body, "geom", found | {"contype": touch, "conaffinity": touch, "group": group})


def add_actuator(section: Element, actuator: Actuator, joint: str, servo: dict[str, Any] | None) -> None:
    """A motor, or the servo that it was in the file that it comes from."""
    found = {"name": actuator.name, "joint": joint, "gear": text([actuator.gear])}
    if math.isfinite(actuator.effort):
        found["forcerange"] = text((-actuator.effort, actuator.effort))
    if servo is None:
        if math.isfinite(actuator.effort):
            found["ctrlrange"] = found["forcerange"]
        SubElement(section, "motor", found)
        return
    if "range" in servo:
        found["ctrlrange"] = text(servo["range"])
    found |= {"gaintype": "fixed", "gainprm": text([servo["gain"]]), "biastype": "affine", "biasprm": text(servo["bias"])}
    SubElement(section, "general", found)
