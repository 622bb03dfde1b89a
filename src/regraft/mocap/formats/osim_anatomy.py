"""Which joints and bodies of an OpenSim model are knees and feet, told by their names, and where a foot's sole is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...ask.poses import frame_pose
from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...joints import Fixed
from ..body_motion import Foot
from .osim_places import Place

Array = NDArray[np.float64]

_JOINTS = (
    ("patell", None),
    ("subtalar", "subtalar"),
    ("radioulnar", "forearm"),
    ("radius_hand", "wrist"),
    ("hip", "hip"),
    ("knee", "knee"),
    ("ankle", "ankle"),
    ("mtp", "toes"),
    ("acromial", "shoulder"),
    ("shoulder", "shoulder"),
    ("glenohumeral", "shoulder"),
    ("elbow", "elbow"),
    ("wrist", "wrist"),
    ("back", "back"),
    ("lumbar", "back"),
    ("neck", "neck"),
)
"""What is in the name of an OpenSim joint, and the anatomical one that it is; None: of no interest."""

_SIDES = re.compile(r"^(?:(?P<before>r|l|right|left)[_.\- ])?(?P<name>.*?)(?:[_.\- ](?P<behind>r|l|right|left))?$", re.IGNORECASE)

_SOLE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Axes of the sole's frames in those of an OpenSim foot: x forward, y to the left, z up."""
HALF_WIDTH = 0.2
"""Half the width of a foot that has no markers, as a part of the way from its heel to the joint of its toes."""
TOES = 0.35
"""How far the toes reach beyond their joint, as a part of the same way."""
MARKED = 0.6
"""Markers that span less than this part of that way do not tell where the sole ends."""


def sided(name: str) -> tuple[str, str]:
    """The side ("left", "right" or none) that a name has in front or behind, and the rest of it."""
    found = _SIDES.match(name)
    assert found is not None
    letter = (found["behind"] or found["before"] or "")[:1].lower()
    return {"r": "right", "l": "left", "": ""}[letter], found["name"].lower()


def anatomical_joints(mech: Mechanism, chains: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The joints of the mechanism behind "right_knee" and the others, where one moves at all."""
    found: dict[str, tuple[str, ...]] = {}
    for name, joints in chains.items():
        side, rest = sided(name)
        what = next((what for word, what in _JOINTS if word in rest), None)
        moving = tuple(joint for joint in joints if not isinstance(mech.joints[joint].type, Fixed))
        if what is not None and moving:
            key = f"{side}_{what}" if side else what
            found[key] = (*found.get(key, ()), *moving)
    return found


def find_feet(
    mech: Mechanism, rest: State, markers: Mapping[str, Place], spheres: Sequence[tuple[Place, float]], notes: list[str]
) -> dict[str, Foot]:
    """The feet of a model, by the names of bodies; the points of their soles become frames."""
    feet = {}
    for side in ("left", "right"):
        bodies = _bodies_of(mech, side)
        if bodies:
            feet[side] = _foot(mech, rest, side, bodies, markers, spheres, notes)
    if not feet:
        notes.append("no feet were found: no body is called calcn, foot or talus with a side (_r, _l).")
    return feet


def _bodies_of(mech: Mechanism, side: str) -> tuple[str, ...]:
    own = {name: rest for name in mech.bodies for found, rest in (sided(name),) if found == side and "." not in name}
    for words in (("calcn", "calcaneus"), ("foot",), ("talus",)):
        main = [name for name, rest in own.items() if any(word in rest for word in words)]
        if main:
            toes = [name for name, rest in own.items() if rest.startswith("toe")]
            return (main[0], *toes[:1])
    return ()


def _foot(
    mech: Mechanism,
    rest: State,
    side: str,
    bodies: tuple[str, ...],
    markers: Mapping[str, Place],
    spheres: Sequence[tuple[Place, float]],
    notes: list[str],
) -> Foot:
    """Heel, ball and toe on the lowest plane of the foot, in the axes of its first body: x forward, y up, z to the right."""
    toes = _seen_from(mech, rest, bodies[0], bodies[-1])
    joint = toes.translation if len(bodies) > 1 else np.array([0.18, 0.0, 0.0])
    resting = [_on(mech, rest, bodies, place) - [0.0, radius, 0.0] for place, radius in spheres if place.body in bodies]
    marked = [_on(mech, rest, bodies, place) for place in markers.values() if place.body in bodies]
    points, source = (resting, "contact spheres") if _spread(resting, joint) else (marked, "markers")
    if not _spread(points, joint):
        points, source = _guessed(joint), "sizes of other feet"
    shown = np.array(points)
    height = float(min([*shown[:, 1], *((0.0, joint[1]) if source != "contact spheres" else ())]))
    heel, toe = shown[shown[:, 0].argmin()], shown[shown[:, 0].argmax()]
    low, high = _edges(shown, joint)
    inner, outer = (low, high) if side == "right" else (high, low)
    names = {"heel": heel, "ball_inner": (joint[0], 0.0, inner), "ball_outer": (joint[0], 0.0, outer), "toe": toe}
    for name, point in names.items():
        at, body = Pose(_SOLE, (point[0], height, point[2])), bodies[0]
        if name == "toe" and len(bodies) > 1:
            at, body = toes.inverse() @ at, bodies[1]
        mech.add_frame(f"{side}_{name}", body, at)
    notes.append(
        f"the sole of the {side} foot is guessed from {source}, {-1000 * height:.0f} mm below the origin of {bodies[0]!r}."
    )
    return Foot(bodies, f"{side}_heel", (f"{side}_ball_inner", f"{side}_ball_outer"), f"{side}_toe")


def _seen_from(mech: Mechanism, rest: State, body: str, other: str) -> Pose:
    return frame_pose(mech, rest, body).inverse() @ frame_pose(mech, rest, other)


def _on(mech: Mechanism, rest: State, bodies: tuple[str, ...], place: Place) -> Array:
    return (_seen_from(mech, rest, bodies[0], place.body) @ place.pose).translation


def _spread(points: Sequence[Array], joint: Array) -> bool:
    """Whether points reach far enough along the foot, and on both sides of it, to show where the sole is."""
    if len(points) < 3:
        return False
    x, z = np.array(points)[:, 0], np.array(points)[:, 2]
    return bool(np.ptp(x) > MARKED * joint[0] and np.ptp(z) > 0.5 * HALF_WIDTH * joint[0])


def _guessed(joint: Array) -> list[Array]:
    x, _, z = joint
    wide = HALF_WIDTH * x
    return [np.array(p) for p in ((-0.1 * x, 0.0, 0.0), (x, 0.0, z - wide), (x, 0.0, z + wide), ((1.0 + TOES) * x, 0.0, z))]


def _edges(points: Array, joint: Array) -> tuple[float, float]:
    """How far the sole reaches to the left and to the right, near the ball."""
    near = points[points[:, 0] > 0.5 * joint[0]]
    near = near if len(near) else points
    return float(near[:, 2].min()), float(near[:, 2].max())
