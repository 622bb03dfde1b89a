"""Links as URDF text: inertials, visuals and collisions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...algebra.pose import Pose
from ...describe.inertia import Inertia
from ...describe.parts import Shape
from ...describe.plain import pose_to_dict
from ...describe.shapes import Box, Capsule, Cylinder, Form, Mesh, Sphere
from ...xml_tree import attributes_text, quoted
from .urdf_poses import HERE, angles_of, number_text, text_of

Kept = Mapping[str, Any]


class Poses:
    """Poses as text; those that three angles do not give to the last digit are noted down too."""

    def __init__(self) -> None:
        self.exact: dict[str, dict[str, Any]] = {}

    def origin(self, pose: Pose, key: str) -> str:
        """The <origin> of a pose; empty where it is the identity."""
        if pose == HERE:
            return ""
        angles, is_exact = angles_of(pose)
        if not is_exact:
            self.exact[key] = pose_to_dict(pose)
        turn = f' rpy="{text_of(angles)}"' if any(angles) else ""
        return f'<origin xyz="{text_of(pose.translation.tolist())}"{turn}/>'


def inertial_lines(inertia: Inertia) -> Iterator[str]:
    """The <inertial> of a link, in the link's own axes; nothing for a link without mass."""
    if inertia.mass == 0.0 and not inertia.com.any():
        return
    com, tensor = text_of(inertia.com.tolist()), inertia.tensor
    moments = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    yield "<inertial>"
    if inertia.com.any():
        yield f'  <origin xyz="{com}"/>'
    yield f'  <mass value="{number_text(inertia.mass)}"/>'
    yield "  <inertia" + "".join(f' {name}="{number_text(tensor[at].item())}"' for name, at in moments.items()) + "/>"
    yield "</inertial>"


def shape_lines(shape: Shape, pose: Pose, poses: Poses, kept: Kept) -> Iterator[str]:
    """The <visual> and the <collision> of a shape."""
    text, placed = _geometry(shape.form)
    origin = poses.origin(pose if placed is None else pose @ placed, f"shape {shape.name}")
    for use in ("visual", "collision"):
        if not getattr(shape, use):
            continue
        yield f"<{use} name={quoted(shape.name)}>"
        if origin:
            yield f"  {origin}"
        yield f"  <geometry>{text}</geometry>"
        if use == "visual" or not shape.visual:
            yield from (f"  {line}" for line in _material(shape, kept))
        yield from (f"  {line}" for line in kept.get(f"{use}_elements", ()))
        yield f"</{use}>"


def _material(shape: Shape, kept: Kept) -> Iterator[str]:
    others = "".join(kept.get("material_elements", ()))
    if shape.color is None and "material" not in kept:
        return
    name = kept.get("material", f"{shape.name}_material")
    color = "" if shape.color is None else f'<color rgba="{text_of(shape.color)}"/>'
    inner = color + others
    yield f"<material name={quoted(name)}>{inner}</material>" if inner else f"<material name={quoted(name)}/>"


def _geometry(form: Form) -> tuple[str, Pose | None]:
    """The element of a form, and where it is in the shape's frame if it is not there as it is."""
    if isinstance(form, Box):
        return f'<box size="{text_of(form.size)}"/>', None
    if isinstance(form, Sphere):
        return f'<sphere radius="{number_text(form.radius)}"/>', None
    if isinstance(form, Cylinder):
        return f'<cylinder radius="{number_text(form.radius)}" length="{number_text(form.length)}"/>', None
    if isinstance(form, Capsule):
        length, placed = _capsule(form)
        return f'<capsule radius="{number_text(form.radius)}" length="{number_text(length)}"/>', placed
    assert isinstance(form, Mesh)
    scale = {} if form.scale == (1.0, 1.0, 1.0) else {"scale": text_of(form.scale)}
    return f"<mesh{attributes_text({'filename': form.path} | scale)}/>", None


def _capsule(form: Capsule) -> tuple[float, Pose | None]:
    """The length of a capsule, and where one along z would have to be."""
    start, end = np.array(form.start), np.array(form.end)
    if form.start == (0.0, 0.0, -form.end[2]) and form.end[:2] == (0.0, 0.0) and form.end[2] >= 0.0:
        return 2.0 * form.end[2], None
    along, middle = end - start, 0.5 * (start + end)
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return 0.0, Pose(translation=middle)
    across = np.cross((0.0, 0.0, 1.0), along / length)
    turn = math.atan2(float(np.linalg.norm(across)), along[2] / length)
    axis = across if across.any() else (1.0, 0.0, 0.0)
    return length, Pose.about(axis, turn, middle)
