"""From the visual and collision elements of a URDF file to shapes, with colours and the names of materials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...algebra.pose import Pose
from ...describe.mechanism import Mechanism
from ...describe.shapes import Box, Capsule, Cylinder, Form, Mesh, Sphere
from ...errors import ModelError
from ...xml_elements import Element
from ..report import Findings
from .meshes import MeshSearch
from .urdf_own import Own
from .urdf_poses import number, numbers, origin_pose

Color = tuple[float, float, float, float]

_ONE = (1.0, 1.0, 1.0)
_PARTS = frozenset({"origin", "geometry", "material"})
USES = ("visual", "collision")


@dataclass(slots=True)
class _ShapeRead:
    """A shape of a link, with the elements that it is from, by their tags."""

    name: str
    form: Form
    pose: Pose
    uses: dict[str, Element]

    def is_twin(self, other: _ShapeRead) -> bool:
        same = self.name == other.name and self.form == other.form and self.pose == other.pose
        return same and self.uses.keys().isdisjoint(other.uses)


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
        for element in link.children:
            if element.tag not in USES:
                continue
            form = self._form(element, link)
            if form is None:
                kept.append(element.written())
                continue
            new = _ShapeRead(element.name, form, origin_pose(element), {element.tag: element})
            twin = next((shape for shape in read if shape.is_twin(new)), None) if new.name else None
            if twin is None:
                read.append(new)
            else:
                twin.uses |= new.uses
        for shape in read:
            self._add(shape, body, link)

    def _add(self, shape: _ShapeRead, body: str, link: Element) -> None:
        first = next(iter(shape.uses.values()))
        name = self._name(shape.name, link.name, first.tag)
        material = next(filter(None, (shape.uses[use].find("material") for use in USES if use in shape.uses)), None)
        color = None if material is None else self._color_of(material)
        visual, collision = (use in shape.uses for use in USES)
        try:
            pose = self.own.exact("shape", name, shape.pose)
            self.mech.add_shape(body, shape.form, name, pose, visual=visual, collision=collision, color=color)
        except ModelError as problem:
            raise first.error(f"link {link.name!r}: {problem}") from None
        self._keep(name, shape, material)

    def _keep(self, name: str, shape: _ShapeRead, material: Element | None) -> None:
        """Note down what a shape has no place for."""
        extra: dict[str, Any] = {}
        if material is not None:
            extra["material"] = material.name
            others = [child.written() for child in material.children if child.tag != "color"]
            if others:
                extra["material_elements"] = others
        for use, element in shape.uses.items():
            odd = [child.written() for child in element.children if child.tag not in _PARTS]
            if odd:
                extra[f"{use}_elements"] = odd
        if extra:
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

    def _form(self, element: Element, link: Element) -> Form | None:
        geometry = element.find("geometry")
        if geometry is None:
            raise element.error(f"a <{element.tag}> of the link {link.name!r} has no <geometry>.")
        inner = next(iter(geometry.children), None)
        tag = None if inner is None else inner.tag
        if inner is None or tag not in _FORMS:
            what = f"<{tag}>" if tag else "nothing in it"
            self.found.note("geometry", link.name, f"the geometry of a {element.tag} is {what}; kept as text")
            return None
        try:
            return self._mesh(inner) if tag == "mesh" else _FORMS[tag](inner)
        except ModelError as problem:
            if str(problem).startswith(element.file):
                raise
            raise inner.error(f"link {link.name!r}: {problem}") from None

    def _mesh(self, element: Element) -> Mesh:
        path = element.attributes.get("filename", "")
        if not path:
            raise element.error("a <mesh> does not name its file: it needs filename.")
        self.meshes.find(path)
        return Mesh(path, numbers(element, "scale", 3, _ONE))

    def _color_of(self, material: Element) -> Color | None:
        color = material.find("color")
        return self._color(color) if color is not None else self.colors.get(material.name)

    def _color(self, element: Element) -> Color | None:
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
