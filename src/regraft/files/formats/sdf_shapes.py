"""From the visual and collision elements of an SDF link to shapes."""

from __future__ import annotations

from ...describe.shapes import Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Plane, Sphere
from ...xml_elements import Element
from ..report import Findings
from .meshes import MeshSearch

Color = tuple[float, ...]

_ONE, _UP = (1.0, 1.0, 1.0), (0.0, 0.0, 1.0)


def form_of(geometry: Element, meshes: MeshSearch) -> Form | None:
    """The form in a <geometry>; None where it is none that a shape can have."""
    inner = next(iter(geometry), None)
    if inner is None:
        return None
    if inner.tag == "box":
        return Box(tuple(inner.numbers("size", 3, _ONE).tolist()))
    if inner.tag == "sphere":
        return Sphere(inner.number("radius", 1.0))
    if inner.tag == "cylinder":
        return Cylinder(inner.number("radius", 1.0), inner.number("length", 1.0))
    if inner.tag == "capsule":
        half = 0.5 * inner.number("length", 1.0)
        return Capsule(inner.number("radius", 0.5), (0.0, 0.0, -half), (0.0, 0.0, half))
    if inner.tag == "ellipsoid":
        return Ellipsoid(tuple(inner.numbers("radii", 3, _ONE).tolist()))
    if inner.tag == "plane":
        return Plane(tuple(inner.numbers("normal", 3, _UP).tolist()))
    if inner.tag == "mesh":
        name = inner.value("uri")
        if not name:
            raise inner.error("a <mesh> does not name its file: it needs <uri>.")
        return Mesh(name, tuple(inner.numbers("scale", 3, _ONE).tolist()), meshes.find(name))
    return None


def color_of(shape: Element, found: Findings) -> Color | None:
    """The colour of a visual: that which it scatters, else that which it has in the shade."""
    material = shape.find("material")
    color = None if material is None else material.find("diffuse", "ambient")
    if color is None:
        return None
    parts = tuple(color.own_numbers().tolist())
    if len(parts) not in (3, 4) or min(parts) < 0.0 or max(parts) > 1.0:
        found.note("color", "", f"line {color.line}: a colour is three or four numbers from 0 to 1; this one is left out")
        return None
    return parts
