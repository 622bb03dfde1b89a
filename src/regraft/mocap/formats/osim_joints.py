"""OpenSim's joints and coordinates: which axes each kind has, and what is said of its coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError
from ...xml_elements import Element
from .osim_chains import Axis, Chain, chain
from .osim_functions import Line, read_function

Array = NDArray[np.float64]

X, Y, Z = np.eye(3)

_AXES: dict[str, tuple[tuple[Array, ...], tuple[Array, ...]]] = {
    "WeldJoint": ((), ()),
    "PinJoint": ((Z,), ()),
    "SliderJoint": ((), (X,)),
    "UniversalJoint": ((X, Y), ()),
    "BallJoint": ((X, Y, Z), ()),
    "GimbalJoint": ((X, Y, Z), ()),
    "PlanarJoint": ((Z,), (X, Y)),
    "FreeJoint": ((X, Y, Z), (X, Y, Z)),
}
"""Directions of rotations, one after another, and of translations, each with a coordinate of its own, in this order."""

KINDS = (*_AXES, "CustomJoint")

_ELSEWHERE = {
    "EllipsoidJoint": "its child slides on an ellipsoid while it turns, which no joints in a row do",
    "ScapulothoracicJoint": "its child slides on an ellipsoid while it turns, which no joints in a row do",
    "ConstantCurvatureJoint": "it bends along an arc",
    "StationDefinedFrame": "it is a frame",
}


@dataclass(frozen=True)
class Coordinate:
    """A coordinate as OpenSim has it, and the joint of the mechanism that has its number."""

    name: str
    joint: str
    """The joint of the mechanism; its one number is this coordinate."""
    of: str
    """The joint of the OpenSim model."""
    motion: str
    """"rotation", "translation" or "coupled", as OpenSim tells them apart; files in degrees mean rotations only."""
    default: float
    speed: float
    range: tuple[float, float]
    clamped: bool
    locked: bool
    prescribed: bool


@dataclass(frozen=True, eq=False)
class JointRead:
    """A joint of the file: its coordinates, and the chain that it becomes."""

    name: str
    element: Element
    coordinates: tuple[Coordinate, ...]
    unused: tuple[str, ...]
    """Coordinates that move nothing."""
    chain: Chain


def read_joint(element: Element) -> JointRead:
    """A joint of any kind, as a chain of joints with one coordinate each."""
    name = element.name

    def fail(what: str) -> FileError:
        return element.error(f"the joint {name!r}: {what}")

    if element.tag in _ELSEWHERE:
        raise fail(f"a {element.tag} is not read: {_ELSEWHERE[element.tag]}. Put a CustomJoint or a BallJoint in its place.")
    if element.tag not in KINDS:
        raise fail(f"joints of the kind {element.tag!r} are not known; these are: {', '.join(KINDS)}.")
    given = _coordinate_elements(element)
    names = [own.name for own in given]
    if element.tag == "CustomJoint":
        turns, shifts = _spatial_transform(element, names)
    else:
        turns, shifts = _fixed_axes(element.tag, names, fail)
    links = chain(shifts, turns, fail)
    used = {link.coordinate for link in links.links}
    coordinates = tuple(_coordinate(own, name, _motion(own.name, turns, shifts)) for own in given if own.name in used)
    return JointRead(name, element, coordinates, tuple(n for n in names if n not in used), links)


def _coordinate_elements(element: Element) -> list[Element]:
    paths = ("coordinates/Coordinate", "CoordinateSet/objects/Coordinate", "CoordinateSet/Coordinate")
    return [own for path in paths for own in element.within(path)]


def _fixed_axes(tag: str, names: list[str], fail: Callable[[str], FileError]) -> tuple[list[Axis], list[Axis]]:
    turns, shifts = _AXES[tag]
    if len(names) != len(turns) + len(shifts):
        raise fail(f"a {tag} has {len(turns) + len(shifts)} coordinates, not {len(names)}.")
    axes = [Axis(axis, own, Line(1.0, 0.0), direct=True) for axis, own in zip((*turns, *shifts), names, strict=True)]
    return axes[: len(turns)], axes[len(turns) :]


def _spatial_transform(element: Element, names: list[str]) -> tuple[list[Axis], list[Axis]]:
    transform = element.find("SpatialTransform")
    if transform is None:
        hint = " (TransformAxisSet is of OpenSim 1.x)" if element.find("TransformAxisSet") else ""
        raise element.error(
            f"the CustomJoint {element.name!r} has no <SpatialTransform>{hint}; open the model in OpenSim and save it again."
        )
    rows = list(transform.within("TransformAxis"))
    by_name = {row.name: row for row in rows}
    order = [f"rotation{i}" for i in (1, 2, 3)] + [f"translation{i}" for i in (1, 2, 3)]
    unknown = [row for row in rows if row.name not in order]
    if unknown:
        raise unknown[0].error(f"the joint {element.name!r}: <TransformAxis> must be one of {', '.join(order)}.")
    axes = [_axis(by_name[row], element.name, names) if row in by_name else None for row in order]
    return [axis for axis in axes[:3] if axis], [axis for axis in axes[3:] if axis]


def _axis(row: Element, joint: str, names: list[str]) -> Axis:
    whose = f"the joint {joint!r}, {row.name}"
    given = row.value("coordinates", "coordinate").split()
    if len(given) > 1:
        raise row.error(
            f"{whose} follows {len(given)} coordinates ({', '.join(given)}); an axis of one coordinate is read, "
            "so let each have an axis of its own."
        )
    if given and given[0] not in names:
        raise row.error(f"{whose} follows {given[0]!r}, which is not a coordinate of this joint.")
    direction = row.numbers("axis", 3)
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        raise row.error(f"{whose}: its axis has no direction.")
    function = next(iter(row.within("function/*")), None) or next(
        (own for own in row if own.tag not in ("coordinates", "coordinate", "axis", "function")), None
    )
    if function is None:
        if given:
            raise row.error(f"{whose} has no function of {given[0]!r}.")
        return Axis(direction / length, None, Line(0.0, 0.0))
    amount = read_function(function, whose)
    if not given and not (isinstance(amount, Line) and amount.slope == 0.0):
        raise row.error(f"{whose} has a function but no coordinate that it is a function of.")
    direct = function.tag == "LinearFunction" and isinstance(amount, Line) and abs(amount.slope) == 1.0
    return Axis(direction / length, given[0] if given else None, amount, direct)


def _motion(name: str, turns: list[Axis], shifts: list[Axis]) -> str:
    """As OpenSim does: translations count more than rotations, and anything but the coordinate itself is coupled to it."""
    for axes, kind in ((shifts, "translation"), (turns, "rotation")):
        if any(axis.coordinate == name and axis.direct for axis in axes):
            return kind
    return "coupled"


def _coordinate(element: Element, joint: str, motion: str) -> Coordinate:
    low, high = element.numbers("range", 2, (-np.inf, np.inf))
    return Coordinate(
        name=element.name,
        joint=element.name,
        of=joint,
        motion=motion,
        default=element.number("default_value", 0.0),
        speed=element.number("default_speed_value", 0.0),
        range=(float(low), float(high)),
        clamped=element.truth("clamped"),
        locked=element.truth("locked"),
        prescribed=element.truth("prescribed"),
    )
