"""Poses as URDF has them, a place and the angles roll, pitch and yaw, and numbers in attributes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from ...algebra.pose import Pose
from ...tolerances import ROUNDING
from ...xml_tree import Node, NodeError

Triple = tuple[float, float, float]

HERE = Pose()
_NEARLY_HALF_A_TURN = 3.1  # rad
_ZERO: Triple = (0.0, 0.0, 0.0)
_COMMON = {
    text: tuple(map(float, text.split())) for text in ("0 0 0", "0.0 0.0 0.0", "1 1 1", "1.0 1.0 1.0", "0 0 1", "0 1 0", "1 0 0")
}
_DIGITS = (6, 10, 15, 16, 17)  # that angles are tried with: first as people and programs write them, at last all there are


# --- from a file ------------------------------------------------------------------------------------------------------


def number(element: Node, attribute: str, default: float | None = None) -> float:
    """An attribute that is one finite number; the default where it is missing."""
    text = element.get(attribute)
    if text is None:
        if default is None:
            raise NodeError(element, f"<{element.tag}> has no attribute {attribute!r}.")
        return default
    try:
        value = float(text)
    except ValueError:
        return _parsed(element, attribute, text, 1)[0]
    return value if value - value == 0.0 and "_" not in text else _parsed(element, attribute, text, 1)[0]


def numbers(element: Node, attribute: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
    """An attribute that has several finite numbers; the default where it is missing."""
    text = element.get(attribute)
    if text is None:
        if default is None:
            raise NodeError(element, f"<{element.tag}> has no attribute {attribute!r}.")
        return default
    common = _COMMON.get(text)
    return common if common is not None and count == 3 else _parsed(element, attribute, text, count)


def _parsed(element: Node, attribute: str, text: str, count: int) -> tuple[float, ...]:
    try:
        found = tuple(map(float, text.split()))
    except ValueError:
        found = None
    if found is None or "_" in text:  # which Python would take for a comma between thousands
        raise NodeError(element, f"{attribute} of <{element.tag}> must be numbers, not {text[:60]!r}.")
    if len(found) != count:
        raise NodeError(element, f"{attribute} of <{element.tag}> must have {count} numbers, not {len(found)}: {text[:60]!r}.")
    if not math.isfinite(sum(map(abs, found))):
        raise NodeError(element, f"{attribute} of <{element.tag}> is not finite, or too large: {text[:60]!r}.")
    return found


def check_once(element: Node, tags: tuple[str, ...], what: str) -> None:
    """Raise an error where an element has two of one kind, of which only one could count."""
    given = [child.tag for child in element]
    if len(set(given)) == len(given):
        return
    for tag in tags:
        if given.count(tag) > 1:
            raise NodeError(element, f"{what} has two elements <{tag}>.")


def each_number(element: Node, attributes: tuple[str, ...], defaults: tuple[float | None, ...]) -> list[float]:
    """Attributes that are one finite number each; the defaults of those that are missing."""
    given = element.attrib
    try:
        texts = [given[attribute] for attribute in attributes]
        found = list(map(float, texts))
    except (KeyError, ValueError):
        found = []
    if not found or "_" in "".join(texts) or not math.isfinite(sum(map(abs, found))):
        return [number(element, attribute, default) for attribute, default in zip(attributes, defaults, strict=True)]
    return found


class Origins:
    """Poses as <origin> says them; one that a file says again and again is made once."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[tuple[str | None, ...], Pose] = {}

    def pose(self, origin: Node | None) -> Pose:
        """The pose that an <origin> says; where there is none, that of no motion."""
        if origin is None:
            return HERE
        given = origin.get
        key = given("xyz"), given("rpy"), given("quat_xyzw")
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = _pose_in(origin)
        return found


def _pose_in(origin: Node) -> Pose:
    """The pose that an <origin> says: a place, and angles or, since URDF 1.2, a quaternion."""
    xyz, rpy = numbers(origin, "xyz", 3, _ZERO), numbers(origin, "rpy", 3, _ZERO)
    if "quat_xyzw" in origin.attrib:
        return _quaternion_pose(origin, xyz)
    return HERE if xyz == _ZERO == rpy else pose_of(xyz, rpy)


def _quaternion_pose(origin: Node, xyz: tuple[float, ...]) -> Pose:
    if "rpy" in origin.attrib:
        raise NodeError(origin, "an <origin> has both rpy and quat_xyzw; it may have one of them.")
    x, y, z, w = numbers(origin, "quat_xyzw", 4)
    size = math.hypot(x, y, z, w)
    if size == 0.0:
        raise NodeError(origin, "quat_xyzw of <origin> is zero; a quaternion of no turn is 0 0 0 1.")
    return Pose.from_quaternion((w / size, x / size, y / size, z / size), xyz)


def pose_of(xyz: tuple[float, ...], rpy: tuple[float, ...]) -> Pose:
    """The pose at a place, turned by the roll about x, then by the pitch about y, then by the yaw about z, all fixed axes."""
    if rpy == _ZERO:
        row = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, *xyz])
        row.setflags(write=False)
        return Pose.around(row)
    roll, pitch, yaw = rpy
    a, b, c = math.cos(roll), math.cos(pitch), math.cos(yaw)
    i, j, k = math.sin(roll), math.sin(pitch), math.sin(yaw)
    return Pose._of(
        [
            c * b, c * j * i - k * a, c * j * a + k * i,
            k * b, k * j * i + c * a, k * j * a - c * i,
            -j, b * i, b * a,
            *xyz,
        ]
    )  # fmt: skip


# --- to a file --------------------------------------------------------------------------------------------------------


def angles_of(pose: Pose) -> tuple[Triple, bool]:
    """Roll, pitch and yaw of a pose, and whether `pose_of` makes of them the same rotation to the last digit.

    At a pitch of ±90° roll and yaw turn about the same axis, and only their sum counts. So roll is computed with the yaw that was
    chosen, not by itself: the three angles together are as exact there as elsewhere.
    """
    rotation = pose.row[:9].tolist()
    if rotation == HERE.row[:9].tolist():
        return _ZERO, True
    for angles in _candidates(rotation):
        for digits in _DIGITS:
            roll, pitch, yaw = (_rounded(angle, digits) for angle in angles)
            if pose_of(_ZERO, (roll, pitch, yaw)).row[:9].tolist() == rotation:
                return (roll, pitch, yaw), True
    angles = _with_yaw(rotation, math.atan2(rotation[3], rotation[0]))
    return angles, pose_of(_ZERO, angles).row[:9].tolist() == rotation


def _candidates(rotation: list[float]) -> Iterator[Triple]:
    """Angles that give a rotation, or nearly: with the pitch up to 90° and beyond, half turns either way, no yaw, no roll."""
    a, b, _, d, e, *_ = rotation
    yaw = math.atan2(d, a)
    yaws = [yaw, yaw - math.copysign(math.pi, yaw)]
    if math.hypot(a, d) <= math.sqrt(ROUNDING):
        yaws += [0.0, math.atan2(-b, e)]
    for turned in yaws:
        yield from itertools.product(*(_either_way(angle) for angle in _with_yaw(rotation, turned)))


def _with_yaw(rotation: list[float], yaw: float) -> Triple:
    """The roll and the pitch that go with a yaw."""
    a, b, c, d, e, f, g, *_ = rotation
    cosine, sine = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(sine * c - cosine * f, cosine * e - sine * b)
    pitch = math.atan2(-g, cosine * a + sine * d)
    return roll, pitch, yaw


def _either_way(angle: float) -> tuple[float, ...]:
    """An angle, and near half a turn the same one the other way round: files have π with few digits, which may be more than π."""
    return (angle, angle - math.copysign(2.0 * math.pi, angle)) if abs(angle) > _NEARLY_HALF_A_TURN else (angle,)


def _rounded(angle: float, digits: int) -> float:
    return 0.0 if abs(angle) < ROUNDING else float(f"{angle:.{digits}g}")


def text_of(values: tuple[float, ...] | list[float]) -> str:
    """Numbers for an attribute, with all digits."""
    return " ".join(number_text(value) for value in values)


def number_text(value: float) -> str:
    """A number with all its digits, and without a fraction where it has none."""
    whole = float(value)
    if whole.is_integer() and abs(whole) < 2**53:
        return str(int(whole))
    return repr(whole)
