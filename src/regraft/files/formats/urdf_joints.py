"""From the joint elements of a URDF file to joint types: axes, limits, damping, friction, effort and velocity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...algebra.pose import Pose
from ...errors import FileError, ModelError
from ...joints import Fixed, Free, JointType, Planar, Prismatic, Revolute
from ...xml_tree import Node, NodeError, written
from ..report import Findings
from .following import Mimic
from .urdf_poses import HERE, Origins, number, numbers

UNBOUNDED = 1e300
"""How the writer says that there is no bound, where URDF asks for one; other programs read it as a very large number."""

MOVING: dict[str, Any] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "planar": Planar,
    "floating": Free,
}
TYPES = (*MOVING, "fixed")
FOLLOWING = ("revolute", "continuous", "prismatic")
"""Types with one coordinate: they may follow one another."""

_X = (1.0, 0.0, 0.0)
_KNOWN = {
    "limit": {"lower", "upper", "effort", "velocity"},
    "dynamics": {"damping", "friction"},
    "mimic": {"joint", "multiplier", "offset"},
}
_PARTS = frozenset({"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"})


@dataclass(slots=True)
class JointRead:
    """A joint of a file: what it joins, where, and how it moves."""

    element: Node
    name: str
    parent: str
    child: str
    kind: str
    type: JointType
    parent_pose: Pose
    child_pose: Pose
    mimic: Mimic | None

    @property
    def is_followed(self) -> bool:
        """Whether it has one coordinate, which another joint may follow."""
        return self.kind in FOLLOWING


@dataclass(slots=True)
class JointReader:
    """Reads joints; equal joint types are made once."""

    found: Findings
    origins: Origins
    kept: dict[str, list[str]]
    attributes: dict[str, dict[str, str]]
    known: dict[tuple[object, ...], JointType]
    zero_efforts: list[str]

    def read(self, element: Node) -> JointRead:
        """One joint."""
        name, kind = element.get("name", ""), element.get("type", "")
        if not name:
            raise NodeError(element, "a <joint> has no name.")
        if kind not in TYPES:
            raise NodeError(element, f"the joint {name!r} is of the type {kind!r}; URDF has {', '.join(TYPES)}.")
        parts = self._parts(element, name)
        parent, child = _end(element, name, "parent", parts), _end(element, name, "child", parts)
        mimic = self._mimic(name, kind, parts.get("mimic"))
        try:
            made = self._type(element, kind, parts, mimic is None)
        except ModelError as problem:
            if isinstance(problem, FileError):
                raise
            raise NodeError(element, f"joint {name!r}: {problem}") from None
        pose = self.origins.pose(parts.get("origin"))
        return JointRead(element, name, parent, child, kind, made, pose, HERE, mimic)

    def _parts(self, element: Node, name: str) -> dict[str, Node]:
        """The children by tag; what is not known is kept as text."""
        parts: dict[str, Node] = {}
        for child in element:
            if child.tag in _PARTS:
                if child.tag in parts:
                    raise NodeError(child, f"the joint {name!r} has two elements <{child.tag}>.")
                parts[child.tag] = child
            else:
                self.kept.setdefault(name, []).append(written(child))
        for tag, known in _KNOWN.items():
            part = parts.get(tag)
            if part is not None and not part.attrib.keys() <= known:
                odd = {key: value for key, value in part.attrib.items() if key not in known}
                self.attributes[f"joint {name} {tag}"] = odd
        if len(element.attrib) > 2:
            self.attributes[f"joint {name}"] = {k: v for k, v in element.attrib.items() if k not in ("name", "type")}
        return parts

    def _mimic(self, name: str, kind: str, part: Node | None) -> Mimic | None:
        if part is None:
            return None
        if kind not in FOLLOWING:
            self.kept.setdefault(name, []).append(written(part))
            return None
        driver = part.get("joint")
        if not driver:
            raise NodeError(part, f'the joint {name!r} does not say which joint it follows: <mimic joint="..."/>.')
        return Mimic(part, driver, number(part, "multiplier", 1.0), number(part, "offset", 0.0))

    def _type(self, element: Node, kind: str, parts: dict[str, Node], actuated: bool) -> JointType:
        if kind == "fixed":
            return self._made(Fixed, (), kind, None, None, None, 0.0, 0.0, True)
        axis = numbers(parts["axis"], "xyz", 3) if "axis" in parts else _X
        limit, dynamics = parts.get("limit"), parts.get("dynamics")
        limits = self._limits(element, kind, limit)
        effort = speed = None
        if limit is not None:
            effort, speed = _bound(limit, "effort"), _bound(limit, "velocity")
            if effort == 0.0:
                self.zero_efforts.append(element.get("name", ""))
        damping = friction = 0.0
        if dynamics is not None:
            damping, friction = number(dynamics, "damping", 0.0), number(dynamics, "friction", 0.0)
        return self._made(
            MOVING[kind], () if kind == "floating" else axis, kind, limits, effort, speed, damping, friction, actuated
        )

    def _made(
        self,
        cls: Any,
        axis: tuple[float, ...],
        kind: str,
        limits: tuple[float, float] | None,
        *settings: Any,
    ) -> JointType:
        key = (cls, axis, limits, *settings)
        made = self.known.get(key)
        if made is None:
            effort, speed, damping, friction, actuated = settings
            own = {} if kind == "fixed" else {"effort": effort, "speed": speed, "damping": damping, "friction": friction}
            given = (axis,) if axis else ()
            made = self.known[key] = cls(*given, limits=limits, actuated=actuated, **own)
        return made

    def _limits(self, element: Node, kind: str, limit: Node | None) -> tuple[float, float] | None:
        """Lower and upper bound; None where there are none."""
        name = element.get("name", "")
        if kind not in ("revolute", "prismatic"):
            if limit is not None and any(number(limit, side, 0.0) for side in ("lower", "upper")):
                self.found.note("limit", name, f"a {kind} joint has no bounds in URDF; lower and upper are left out")
            return None
        if limit is None:
            self.found.note("limit", name, f"a {kind} joint must have a <limit> and has none; it moves without bounds")
            return None
        lower, upper = number(limit, "lower", 0.0), number(limit, "upper", 0.0)
        if lower == upper == 0.0:
            self.found.note(
                "limit", name, "both limits are 0, which is what they are where none are given; it moves without bounds"
            )
            return None
        if not lower < upper:
            way = "is locked" if lower == upper else "has its limits the wrong way round"
            self.found.note("limit", name, f"it {way}, {lower:g} to {upper:g}; it moves without bounds", dynamics=True)
            return None
        low, high = (-math.inf if lower <= -UNBOUNDED else lower), (math.inf if upper >= UNBOUNDED else upper)
        return None if math.isinf(low) and math.isinf(high) else (low, high)


def _end(element: Node, name: str, side: str, parts: dict[str, Node]) -> str:
    """The link on one side of a joint."""
    part = parts.get(side)
    link = None if part is None else part.get("link")
    if not link:
        raise NodeError(element, f'the joint {name!r} does not say its {side}: it needs <{side} link="..."/>.')
    return link


def _bound(limit: Node, attribute: str) -> float | None:
    """The largest effort or velocity; None where there is no bound."""
    text = limit.get(attribute)
    if text is None or (text[-1:].isalpha() and text.strip().lower() in ("inf", "+inf")):
        return None
    value = number(limit, attribute)
    return None if value >= UNBOUNDED else value
