"""From the visual and collision elements of a URDF file to shapes, with colours and the names of materials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...algebra.pose import Pose
from ...describe.mechanism import Mechanism
from ...describe.shapes import Box, Capsule, Cylinder, Form, Mesh, Sphere
from ...errors import FileError, ModelError
from ...xml_tree import Node, NodeError, Tree, written
from ..report import Findings
from .meshes import MeshSearch
from .urdf_own import Own
from .urdf_poses import Origins, check_once, number, numbers

Color = tuple[float, float, float, float]

_ONE = (1.0, 1.0, 1.0)
USES = ("visual", "collision")


@dataclass(slots=True)
class _ShapeRead:
    """A shape of a link, and what is besides in its elements, by their tags."""

    element: Node
    name: str
    form: Form
    pose: Pose
    visual: bool
    collision: bool
    material: Node | None
    odd: dict[str, list[str]]

    def is_twin(self, other: _ShapeRead) -> bool:
        """Whether the two are one shape, once to be seen and once to be touched."""
        apart = self.visual != other.visual and self.collision != other.collision
        return apart and self.form == other.form and self.pose == other.pose

    def take(self, twin: _ShapeRead) -> None:
        """Be both; the material of what is seen counts."""
        first, second = (twin.material, self.material) if twin.visual else (self.material, twin.material)
        self.material = second if first is None else first
        self.visual = self.collision = True
        self.odd |= twin.odd


class ShapeReader:
    """Adds the shapes of links to a mechanism.

    Attributes
    ----------
    extras : dict
        By the name of a shape: its material, and elements that are not known.
    """

    def __init__(self, mech: Mechanism, found: Findings, meshes: MeshSearch, own: Own, origins: Origins, tree: Tree) -> None:
        self.mech, self.found, self.meshes, self.own, self.origins, self.tree = mech, found, meshes, own, origins, tree
        self.colors: dict[str, Color | None] = {}
        self.parsed: dict[Node, Color | None] = {}
        self.forms: dict[tuple[str, str | None], Mesh] = {}
        self.extras: dict[str, dict[str, Any]] = {}
        self.counts: dict[str, int] = {}
        self.given: set[str] = set()

    def know(self, material: Node) -> None:
        """Take in a material with a colour, which others then name; the first one counts."""
        color = material.find("color")
        name = material.get("name")
        if color is not None and name and name not in self.colors:
            self.colors[name] = self._color(color)

    def know_all(self, links: list[Node]) -> None:
        """Take in the materials and the names of all shapes before any is added, for they are used before they are told too."""
        for link in links:
            for element in link:
                if element.tag in USES:
                    if name := element.get("name"):
                        self.given.add(name)
                    material = element.find("material")
                    if material is not None:
                        self.know(material)

    def add(self, link: Node, body: str, kept: list[str]) -> None:
        """Add all shapes of a link; what is none of the known forms goes to `kept` as text.

        A visual and a collision of one name, form and place are one shape, to be seen and to be touched.
        """
        read: list[_ShapeRead] = []
        named: dict[str, _ShapeRead] = {}
        for element in link:
            if element.tag not in USES:
                continue
            new = self._read(element, body)
            if new is None:
                kept.append(written(element))
                continue
            twin = named.get(new.name) if new.name else None
            if twin is not None and twin.is_twin(new):
                twin.take(new)
                continue
            read.append(new)
            named.setdefault(new.name, new)
        for shape in read:
            self._add(shape, body)

    def _read(self, element: Node, link: str) -> _ShapeRead | None:
        geometry = origin = material = None
        odd = []
        for child in element:
            tag = child.tag
            if tag == "geometry":
                geometry = child
            elif tag == "origin":
                origin = child
            elif tag == "material":
                material = child
            else:
                odd.append(written(child))
        check_once(element, ("geometry", "origin", "material"), f"a <{element.tag}> of the link {link!r}")
        if geometry is None:
            raise NodeError(element, f"a <{element.tag}> of the link {link!r} has no <geometry>.")
        form = self._form(geometry, element.tag, link)
        if form is None:
            return None
        visual = element.tag == "visual"
        pose = self.origins.pose(origin)
        return _ShapeRead(
            element, element.get("name", ""), form, pose, visual, not visual, material, {element.tag: odd} if odd else {}
        )

    def _add(self, shape: _ShapeRead, body: str) -> None:
        name, material = self._name(shape.name, body, shape.element.tag), shape.material
        color = None if material is None else self._color_of(material)
        try:
            pose = self.own.exact("shape", name, shape.pose)
            self.mech.add_shape(body, shape.form, name, pose, visual=shape.visual, collision=shape.collision, color=color)
        except ModelError as problem:
            raise NodeError(shape.element, f"link {body!r}: {problem}") from None
        if material is None and not shape.odd:
            return
        extra: dict[str, Any] = {f"{use}_elements": texts for use, texts in shape.odd.items()}
        if material is not None:
            extra["material"] = material.get("name", "")
            odd = [written(child) for child in material if child.tag != "color"]
            if odd:
                extra["material_elements"] = odd
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

    def _form(self, geometry: Node, use: str, link: str) -> Form | None:
        inner = geometry[0] if len(geometry) else None
        tag = "" if inner is None else inner.tag
        if len(geometry) > 1:
            raise NodeError(geometry, f"a <geometry> of the link {link!r} has {len(geometry)} forms; it may have one.")
        if inner is None or tag not in _FORMS:
            what = f"<{tag}>" if tag else "nothing in it"
            self.found.note("geometry", link, f"the geometry of a {use} is {what}; kept as text")
            return None
        try:
            return self._mesh(inner) if tag == "mesh" else _FORMS[tag](inner)
        except ModelError as problem:
            if isinstance(problem, FileError):
                raise
            raise NodeError(inner, f"link {link!r}: {problem}") from None

    def _mesh(self, element: Node) -> Mesh:
        path = element.get("filename", "")
        if not path:
            raise NodeError(element, "a <mesh> does not name its file: it needs filename.")
        key = path, element.get("scale")
        if key not in self.forms:
            self.forms[key] = Mesh(path, numbers(element, "scale", 3, _ONE), self.meshes.find(path))
        return self.forms[key]

    def _color_of(self, material: Node) -> Color | None:
        color = material.find("color")
        return self._color(color) if color is not None else self.colors.get(material.get("name", ""))

    def _color(self, element: Node) -> Color | None:
        if element in self.parsed:
            return self.parsed[element]
        color = self.parsed[element] = self._parsed_color(element)
        return color

    def _parsed_color(self, element: Node) -> Color | None:
        red, green, blue, opacity = numbers(element, "rgba", 4)
        if min(red, green, blue, opacity) < 0.0 or max(red, green, blue, opacity) > 1.0:
            self.found.note(
                "color", "", f"line {self.tree.line(element)}: a colour is four numbers from 0 to 1; this one is left out"
            )
            return None
        return red, green, blue, opacity


def _capsule(element: Node) -> Capsule:
    half = 0.5 * number(element, "length")
    return Capsule(number(element, "radius"), (0.0, 0.0, -half), (0.0, 0.0, half))


_FORMS: dict[str, Any] = {
    "box": lambda element: Box(numbers(element, "size", 3)),
    "sphere": lambda element: Sphere(number(element, "radius")),
    "cylinder": lambda element: Cylinder(number(element, "radius"), number(element, "length")),
    "capsule": _capsule,
    "mesh": None,
}
