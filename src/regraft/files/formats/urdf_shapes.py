"""From the visual and collision elements of a URDF file to shapes, with colours and the names of materials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...algebra.pose import Pose
from ...describe.mechanism import Mechanism
from ...describe.shapes import Box, Capsule, Cylinder, Form, Mesh, Sphere
from ...errors import FileError, ModelError
from ...xml_elements import Element
from ..report import Findings
from .meshes import MeshSearch
from .urdf_own import Own
from .urdf_poses import HERE, number, numbers, pose_in

Color = tuple[float, float, float, float]

_ONE = (1.0, 1.0, 1.0)
USES = ("visual", "collision")


@dataclass(slots=True)
class _ShapeRead:
    """A shape of a link, and what is besides in its elements, by their tags."""

    element: Element
    name: str
    form: Form
    pose: Pose
    visual: bool
    collision: bool
    material: Element | None
    odd: dict[str, list[str]]

    def is_twin(self, other: _ShapeRead) -> bool:
        """Whether the two are one shape, once to be seen and once to be touched."""
        apart = self.visual != other.visual and self.collision != other.collision
        return apart and self.form == other.form and self.pose == other.pose

    def take(self, twin: _ShapeRead) -> None:
        """Be both; the material of what is seen counts."""
        self.material = (twin.material or self.material) if twin.visual else (self.material or twin.material)
        self.visual = self.collision = True
        self.odd |= twin.odd


class ShapeReader:
    """Adds the shapes of links to a mechanism.

    Attributes
    ----------
    extras : dict
        By the name of a shape: its material, and elements that are not known.
    """

    def __init__(self, mech: Mechanism, found: Findings, meshes: MeshSearch, own: Own) -> None:
        self.mech, self.found, self.meshes, self.own = mech, found, meshes, own
        self.colors: dict[str, Color | None] = {}
        self.parsed: dict[int, Color | None] = {}
        self.forms: dict[tuple[str, str | None], Mesh] = {}
        self.extras: dict[str, dict[str, Any]] = {}
        self.counts: dict[str, int] = {}
        self.given: set[str] = set()

    def know(self, material: Element) -> None:
        """Take in a material with a colour, which others then name; the first one counts."""
        color = material.find("color")
        if color is not None and material.name and material.name not in self.colors:
            self.colors[material.name] = self._color(color)

    def know_all(self, links: list[Element]) -> None:
        """Take in the materials and the names of all shapes before any is added, for they are used before they are told too."""
        for link in links:
            for element in link.children:
                if element.tag in USES:
                    if name := element.attributes.get("name"):
                        self.given.add(name)
                    material = element.find("material")
                    if material is not None:
                        self.know(material)

    def add(self, link: Element, body: str, kept: list[str]) -> None:
        """Add all shapes of a link; what is none of the known forms goes to `kept` as text.

        A visual and a collision of one name, form and place are one shape, to be seen and to be touched.
        """
        read: list[_ShapeRead] = []
        named: dict[str, _ShapeRead] = {}
        for element in link.children:
            if element.tag not in USES:
                continue
            new = self._read(element, link)
            if new is None:
                kept.append(element.written())
                continue
            twin = named.get(new.name) if new.name else None
            if twin is not None and twin.is_twin(new):
                twin.take(new)
                continue
            read.append(new)
            named.setdefault(new.name, new)
        for shape in read:
            self._add(shape, body, link)

    def _read(self, element: Element, link: Element) -> _ShapeRead | None:
        geometry = origin = material = None
        odd = []
        for child in element.children:
            tag = child.tag
            if tag == "geometry":
                geometry = child
            elif tag == "origin":
                origin = child
            elif tag == "material":
                material = child
            else:
                odd.append(child.written())
        if geometry is None:
            raise element.error(f"a <{element.tag}> of the link {link.name!r} has no <geometry>.")
        form = self._form(geometry, element.tag, link)
        if form is None:
            return None
        visual = element.tag == "visual"
        pose = HERE if origin is None else pose_in(origin)
        return _ShapeRead(element, element.name, form, pose, visual, not visual, material, {element.tag: odd} if odd else {})

    def _add(self, shape: _ShapeRead, body: str, link: Element) -> None:
        name, material = self._name(shape.name, link.name, shape.element.tag), shape.material
        color = None if material is None else self._color_of(material)
        try:
            pose = self.own.exact("shape", name, shape.pose)
            self.mech.add_shape(body, shape.form, name, pose, visual=shape.visual, collision=shape.collision, color=color)
        except ModelError as problem:
            raise shape.element.error(f"link {link.name!r}: {problem}") from None
        if material is None and not shape.odd:
            return
        extra: dict[str, Any] = {f"{use}_elements": texts for use, texts in shape.odd.items()}
        if material is not None:
            extra["material"] = material.name
            if any(child.tag != "color" for child in material.children):
                extra["material_elements"] = [child.written() for child in material.children if child.tag != "color"]
        self.extras[name] = extra

    def _name(self, given: str, link: str, use: str) -> str:
        """A name that no shape has: the given one, one with the link's name before it, or one with a number."""
        if given and given not in self.mech.shapes:
            return given
        base = f"{link}_{given or use}"
        count = self.counts.get(base, 0)
        while True:
            count += 1
            name = base if count == 1 else f"{base}_{count}"
            if name not in self.mech.shapes and name not in self.given:
                self.counts[base] = count
                return name

    def _form(self, geometry: Element, use: str, link: Element) -> Form | None:
        inner = geometry.children[0] if geometry.children else None
        tag = "" if inner is None else inner.tag
        if inner is None or tag not in _FORMS:
            what = f"<{tag}>" if tag else "nothing in it"
            self.found.note("geometry", link.name, f"the geometry of a {use} is {what}; kept as text")
            return None
        try:
            return self._mesh(inner) if tag == "mesh" else _FORMS[tag](inner)
        except ModelError as problem:
            if isinstance(problem, FileError):
                raise
            raise inner.error(f"link {link.name!r}: {problem}") from None

    def _mesh(self, element: Element) -> Mesh:
        path = element.attributes.get("filename", "")
        if not path:
            raise element.error("a <mesh> does not name its file: it needs filename.")
        key = path, element.attributes.get("scale")
        if key not in self.forms:
            self.forms[key] = Mesh(path, numbers(element, "scale", 3, _ONE), self.meshes.find(path))
        return self.forms[key]

    def _color_of(self, material: Element) -> Color | None:
        color = material.find("color")
        return self._color(color) if color is not None else self.colors.get(material.name)

    def _color(self, element: Element) -> Color | None:
        if id(element) in self.parsed:
            return self.parsed[id(element)]
        color = self.parsed[id(element)] = self._parsed_color(element)
        return color

    def _parsed_color(self, element: Element) -> Color | None:
        red, green, blue, opacity = numbers(element, "rgba", 4)
        if min(red, green, blue, opacity) < 0.0 or max(red, green, blue, opacity) > 1.0:
            self.found.note("color", "", f"line {element.line}: a colour is four numbers from 0 to 1; this one is left out")
            return None
        return red, green, blue, opacity


def _capsule(element: Element) -> Capsule:
    half = 0.5 * number(element, "length")
    return Capsule(number(element, "radius"), (0.0, 0.0, -half), (0.0, 0.0, half))


_FORMS: dict[str, Any] = {
    "box": lambda element: Box(numbers(element, "size", 3)),
    "sphere": lambda element: Sphere(number(element, "radius")),
    "cylinder": lambda element: Cylinder(number(element, "radius"), number(element, "length")),
    "capsule": _capsule,
    "mesh": None,
}
