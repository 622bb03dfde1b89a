"""Common changes of structure as data: actions for events that need no function of one's own.

Each is called like any action, with a mechanism and a state. As they say what they do, maps of gaits run them without Python.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import WORLD_MOTION, Pose, finite
from ..ask.places import known_place
from ..ask.poses import frame_position
from ..change.carry import check_body
from ..change.connect import connect
from ..change.cut import cut
from ..change.derivatives import Change
from ..change.reroot import Landing, reroot, struck
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import ModelError, StructureError
from ..joints import JointType, is_registered
from ..structure.structure import Structure
from .events import PASS, Answer

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Past:
    """A strike happens only where the foot is further along a direction than another frame, by a distance at least."""

    frame: str
    along: tuple[float, float, float]
    least: float


@dataclass(frozen=True)
class Footing:
    """Where in a mechanism the foot of a strike is, and the frame that it must be past."""

    body: str
    """The body that carries the foot,"""
    on: Pose
    """where on it the joint is to be,"""
    past: Past | None
    """and what the foot must be past,"""
    other: tuple[str, Pose] | None
    """which is there."""

    def is_passed_over(self, structure: Structure, motions: Array) -> bool | None:
        """Whether the foot is not past what it must be past; None where that cannot be told."""
        if self.past is None or self.other is None:
            return False
        body, place = self.other
        ahead = _along(self.past.along, structure, motions, self.body, self.on)
        ahead -= _along(self.past.along, structure, motions, body, place)
        return not ahead > self.past.least if math.isfinite(ahead) else None

    def past_numbers(self, structure: Structure) -> Array | None:
        """When the strike is passed over, as the compiled loop takes it (`guards.PAST`); None where it never is."""
        if self.past is None or self.other is None:
            return None
        foot, other = structure.point(self.body, self.on.translation), structure.point(self.other[0], self.other[1].translation)
        rows = structure.row(self.body), structure.row(self.other[0])
        return np.array([rows[0], *foot, rows[1], *other, *self.past.along, self.past.least])


def _along(direction: tuple[float, float, float], structure: Structure, motions: Array, body: str, place: Pose) -> float:
    """How far along a direction a frame on a body is."""
    (dx, dy, dz), (x, y, z) = direction, place.translation.tolist()
    a, b, c, d, e, f, g, h, i, px, py, pz, *_ = (WORLD_MOTION if body == WORLD else motions[structure.row_of[body]]).tolist()
    far: float = dx * (a * x + b * y + c * z + px) + dy * (d * x + e * y + f * z + py) + dz * (g * x + h * y + i * z + pz)
    return far


@dataclass(frozen=True)
class Strike:
    """A foot lands and its body becomes the root, after a plastic impact; made by `strike`.

    Attributes
    ----------
    foot : str
        The frame that lands, or a body, for its origin.
    joint : JointType
        The joint by which it then stands on the world.
    name : str
        Of that joint.
    past : Past or None
        What the foot must be past.
    """

    foot: str
    joint: JointType
    name: str
    past: Past | None = None

    def __call__(self, mech: Mechanism, state: State) -> Any:
        """The mechanism on that foot and its state, or PASS."""
        structure, footing = mech.structure_for(state), self.footing(mech)
        motions = structure.motion(state._x)
        over = footing.is_passed_over(structure, motions)
        if over is None:
            frame_position(mech, state, self.foot)  # which says what is wrong
        if over:
            return PASS
        return struck(mech, state, self.landing(footing).new_base(structure, mech.former_bases, motions))

    def change_at(self, mech: Mechanism, state: State) -> Change | Answer:
        """The change that this is in a state, or PASS."""
        structure, footing = mech.structure_for(state), self.footing(mech)
        if footing.is_passed_over(structure, structure.motion(state._x)):
            return PASS
        options = {"at": frame_position(mech, state, self.foot), "joint": self.joint, "name": self.name, "velocity": "impact"}
        return Change(reroot, (footing.body,), options, self.foot)

    def landing(self, footing: Footing) -> Landing:
        """How the foot comes to stand where it is."""
        return Landing(footing.body, self.joint, self.name, on=footing.on)

    def footing(self, mech: Mechanism) -> Footing:
        """Where the foot is in a mechanism, and what it must be past; an error where they are not there."""
        body, foot = known_place(mech, self.foot)
        check_body(mech, body)
        other = None if self.past is None else known_place(mech, self.past.frame)
        return Footing(body, Pose(translation=foot.translation), self.past, other)


@dataclass(frozen=True)
class Grip:
    """Two bodies are joined where a frame is, after a plastic impact; made by `grip`.

    Attributes
    ----------
    hand : str
        The frame that takes hold, or a body, for its origin.
    to : str
        The body that it takes hold of.
    joint : JointType
        The joint between them.
    name : str
        Of that joint.
    at : str or None
        The frame that the hand meets there.
    """

    hand: str
    to: str
    joint: JointType
    name: str
    at: str | None = None

    def __call__(self, mech: Mechanism, state: State) -> Any:
        """The mechanism with the joint, and its state."""
        return self.change_at(mech, state).made(mech, state)

    def change_at(self, mech: Mechanism, state: State) -> Change:
        """The change that this is in a state."""
        body, on_hand = known_place(mech, self.hand)
        options: dict[str, Any] = {"joint": self.joint, "name": self.name}
        if self.at is None:
            return Change(connect, (body, self.to), {**options, "at": frame_position(mech, state, self.hand)}, self.hand)
        there, on_other = known_place(mech, self.at)
        if there != self.to:
            raise StructureError(f"joint {self.name!r} cannot take hold of {self.to!r} at {self.at!r}, which is on {there!r}.")
        return Change(connect, (body, self.to), {**options, "pose_a": on_hand, "pose_b": on_other})


@dataclass(frozen=True)
class Release:
    """A joint opens; made by `release`.

    Attributes
    ----------
    name : str
        The joint.
    """

    name: str

    def __call__(self, mech: Mechanism, state: State) -> Any:
        """The mechanism without the joint, and its state."""
        return self.change_at(mech, state).made(mech, state)

    def change_at(self, _mech: Mechanism, _state: State) -> Change:
        """The change that this is in any state."""
        return Change(cut, (self.name,))


def strike(
    foot: str,
    joint: JointType,
    name: str | None = None,
    *,
    past: str | None = None,
    along: ArrayLike = (1.0, 0.0, 0.0),
    least: float = 0.0,
) -> Strike:
    """The action of an event at which a foot lands: a plastic impact, and its body is the root from then on.

    It is `reroot` with ``velocity="impact"`` at the place where the foot is.

    Parameters
    ----------
    foot : str
        The frame that lands, or a body, for its origin.
    joint : JointType
        The joint by which it then stands on the world.
    name : str, optional
        Of that joint; by default ``"<foot>_base"``.
    past : str, optional
        Another frame. The event is passed over unless the foot is further `along` a direction than that one, as legs of equal
        length scuff where they pass each other.
    along : (3,) array_like, optional
        That direction.
    least : float, optional
        By how much it must be further, in metres along a direction of unit length.

    Returns
    -------
    Strike
        An action, for `Event` and `when_frame_below`.

    Raises
    ------
    ModelError
        If the joint is none, or a name or number is not what it should be.

    Examples
    --------
    >>> import regraft as rg
    >>> lands = rg.strike("right foot", rg.Revolute((0, 1, 0)), "stance", past="left foot", along=(-1, 0, 0), least=0.05)
    >>> event = rg.when_frame_below("right foot", 0.0, lands, slope=0.05)
    """
    _check("strike", joint, foot, f"{foot}_base" if name is None else name, *(() if past is None else (past,)))
    direction = tuple(map(float, finite("strike: along", along, (3,))))
    condition = None if past is None else Past(past, direction, float(finite("strike: least", least, ())))  # type: ignore[arg-type]
    return Strike(foot, joint, f"{foot}_base" if name is None else name, condition)


def grip(hand: str, to: str, joint: JointType, name: str | None = None, *, at: str | None = None) -> Grip:
    """The action of an event at which something takes hold: a plastic impact, and a joint from then on.

    It is `connect` at the place where the hand is, whose present pose is then the joint's zero; or with `at` of these two frames,
    which must meet there.

    Parameters
    ----------
    hand : str
        The frame that takes hold, or a body, for its origin.
    to : str
        The body that it takes hold of.
    joint : JointType
        The joint between them.
    name : str, optional
        Of that joint; by default ``"<hand>_grip"``.
    at : str, optional
        The frame of the body `to` that the hand meets, or that body, for its origin.

    Returns
    -------
    Grip
        An action, for `Event` and its like.

    Raises
    ------
    ModelError
        If the joint is none, or a name is no text.

    Examples
    --------
    >>> import regraft as rg
    >>> locks = rg.when_joint("knee", 0.0, rg.grip("shank", "thigh", rg.Fixed(), "lock"), direction=-1)
    """
    given = f"{hand}_grip" if name is None else name
    _check("grip", joint, hand, to, given, *(() if at is None else (at,)))
    return Grip(hand, to, joint, given, at)


def release(name: str) -> Release:
    """The action of an event at which a joint opens: `cut`.

    Parameters
    ----------
    name : str
        The joint.

    Returns
    -------
    Release
        An action, for `Event` and its like.

    Raises
    ------
    ModelError
        If the name is no text.

    Examples
    --------
    >>> import regraft as rg
    >>> lets_go = rg.at_time(1.0, rg.release("right grip"))
    """
    if not isinstance(name, str):
        raise ModelError(f"release: give the name of the joint that is to open, not {name!r}.")
    return Release(name)


def _check(what: str, joint: JointType, *names: str) -> None:
    if not is_registered(joint):
        raise ModelError(f"{what}: joint must be a joint type, such as Revolute((0, 1, 0)), not {joint!r}.")
    for name in names:
        if not isinstance(name, str):
            raise ModelError(f"{what}: frames, bodies and joints are given by name, not {name!r}.")
    if WORLD in names[:1]:
        raise ModelError(f"{what}: the world cannot land or take hold; name a frame or a body that moves.")
