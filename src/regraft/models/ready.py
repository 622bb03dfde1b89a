"""What a ready-made mechanism comes with: a state to start from, and what acts on it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..algebra.pose import Pose, finite_number
from ..describe.mechanism import Mechanism
from ..describe.shapes import Capsule
from ..describe.state import State
from ..errors import ModelError
from ..gait.match import Match
from ..simulate import Event

Wrench = tuple[float, float, float, float, float, float]
Point = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Model:
    """A mechanism with a state to start from, whose loops are closed; made by the functions of `regraft.models`.

    Attributes
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its state at the start.
    wrenches : mapping of str to (6,) array_like
        The constant wrenches that drive it, by body: moment, then force, in world axes.
    events : tuple of Event
        The events that change it.
    section : tuple of str, or None
        Of a model with a gait: the events that end a step, for `limit_cycle` and `continuation`.
    match : callable, mapping or None
        Of such a model: how the state after a step is read as one before it, likewise.
    start : (Mechanism, State)
        Both, as `simulate` takes them.

    Examples
    --------
    >>> import regraft as rg
    >>> model = rg.models.pendulum()
    >>> traj = rg.simulate(*model.start, 1.0, wrenches=model.wrenches, events=model.events)
    """

    mech: Mechanism
    state: State
    wrenches: Mapping[str, Wrench] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    section: tuple[str, ...] | None = None
    match: Match = None

    def __post_init__(self) -> None:
        self.mech.check_state(self.state)

    @property
    def start(self) -> tuple[Mechanism, State]:
        """Mechanism and state, as `simulate` takes them."""
        return self.mech, self.state


def turn_about_y(angle: float) -> Pose:
    """A turn about the axis that points to a figure's left: what is ahead goes down, what hangs goes back."""
    return Pose.about((0.0, 1.0, 0.0), angle)


def add_limb(mech: Mechanism, body: str, start: Point, end: Point, radius: float) -> None:
    """Give a body the shape of a limb: a capsule."""
    mech.add_shape(body, Capsule(radius, start, end))


def add_flat(mech: Mechanism, body: str, corners: tuple[Point, Point, Point, Point], radius: float) -> None:
    """Give a body the shape of all that is within a radius of a quadrilateral: capsules side by side, and across their ends.

    They are so near to each other that there is no gap between them.
    """
    a, b, c, d = (np.array(corner) for corner in corners)
    wide = max(float(np.linalg.norm(b - a)), float(np.linalg.norm(c - d)))
    for part in np.linspace(0.0, 1.0, 2 + int(wide / (1.5 * radius))).tolist():
        mech.add_shape(body, Capsule(radius, a + part * (b - a), d + part * (c - d)))
    for start, end in ((a, b), (d, c)):
        mech.add_shape(body, Capsule(radius, start, end))


def positive(what: str, value: float) -> float:
    """A finite number above zero, or a ModelError that says which is not."""
    number = finite_number(what, value)
    if number <= 0.0:
        raise ModelError(f"{what} must be positive, not {number:g}.")
    return number


def slope_angle(angle: float) -> float:
    """The angle of a slope, in radians, or a ModelError if it is none."""
    number = finite_number("slope", angle)
    if abs(number) >= math.pi / 2.0:
        raise ModelError(f"slope must be an angle between -π/2 and π/2 in radians, not {number:g}.")
    return number
