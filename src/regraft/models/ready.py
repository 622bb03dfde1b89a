"""What a ready-made mechanism comes with: a state to start from, and what acts on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..algebra.pose import Pose, finite_number
from ..change import cut
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from ..simulate import Event

Wrench = tuple[float, float, float, float, float, float]
Point = tuple[float, float, float]


class Shape(NamedTuple):
    """A piece of a body for pictures: all that is within a radius of the hull of some points.

    Attributes
    ----------
    body : str
        The body that it belongs to.
    points : tuple of (x, y, z)
        In the body's axes.
    radius : float
        In metres.
    joint : bool
        Whether it is a joint, which is to be told from the bodies.
    """

    body: str
    points: tuple[Point, ...]
    radius: float
    joint: bool = False


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
    shapes : tuple of Shape
        What there is to draw of it.
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
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        self.mech.check_state(self.state)

    @property
    def start(self) -> tuple[Mechanism, State]:
        """Mechanism and state, as `simulate` takes them."""
        return self.mech, self.state


@dataclass(frozen=True)
class Cutting:
    """The action that cuts a joint. Actions of ready-made models are objects, which can be sent to another process."""

    joint: str

    def __call__(self, mech: Mechanism, state: State) -> tuple[Mechanism, State]:
        """Mechanism and state without the joint."""
        return cut(mech, state, self.joint)


def turn_about_y(angle: float) -> Pose:
    """A turn about the axis that points to a figure's left: what is ahead goes down, what hangs goes back."""
    return Pose.about((0.0, 1.0, 0.0), angle)


def positive(what: str, value: float) -> float:
    """A finite number above zero, or a ModelError that says which is not."""
    number = finite_number(what, value)
    if number <= 0.0:
        raise ModelError(f"{what} must be positive, not {number:g}.")
    return number
