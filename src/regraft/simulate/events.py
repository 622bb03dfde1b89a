"""Events: what a simulation watches for, and what it does then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, listed
from ..mechanism import Mechanism
from ..motion import place_of
from ..parts import WORLD, check_name
from ..pose import finite
from ..state import State
from .callbacks import Callback, compiled_callback, is_compiled, python_callback
from .guards import ADDRESS, FUNCTION, GUARD, GUARD_NUMBERS, HEIGHT, INDEX, JOINT, SLOPE, SORT, VALUE

Array = NDArray[np.float64]


class _Stop:
    def __repr__(self) -> str:
        return "STOP"

    def __reduce__(self) -> str:
        return "STOP"  # the one of this module, also after it has been sent to another process


STOP: Final = _Stop()
"""What an action returns to end the simulation."""

Action = Callable[[Mechanism, State], Any] | _Stop


@dataclass(frozen=True)
class GuardRow:
    """A guard of one structure as the compiled loop reads it."""

    integers: NDArray[np.int64]
    numbers: Array
    callback: Callback | None = None


def _row(sort: int, index: int, address: int = 0, callback: Callback | None = None, **numbers: Any) -> GuardRow:
    integers, values = np.zeros(GUARD, np.int64), np.zeros(GUARD_NUMBERS)
    integers[SORT], integers[INDEX], integers[ADDRESS] = sort, index, address
    for column, value in (("value", VALUE), ("slope", SLOPE)):
        values[value] = numbers.get(column, 0.0)
    values[:3] = numbers.get("point", 0.0)
    return GuardRow(integers, values, callback)


@dataclass(frozen=True)
class FrameBelow:
    """Height of a frame above the ground z = height + slope · x."""

    frame: str
    height: float
    slope: float

    def row(self, mech: Mechanism) -> GuardRow | None:
        """The guard in a structure; None while the frame is not there."""
        found = place_of(mech, self.frame)
        if found is None:
            return None
        body, place = found
        if body == WORLD:
            raise ModelError(f"event: frame {self.frame!r} is on the world, which does not move.")
        tree = mech.tree
        return _row(HEIGHT, tree.row_of[body], point=tree.point(body, place.translation), value=self.height, slope=self.slope)


@dataclass(frozen=True)
class JointAt:
    """Position of a joint with one degree of freedom, less a value."""

    joint: str
    value: float

    def row(self, mech: Mechanism) -> GuardRow | None:
        """The guard in a structure; None while the joint is not there."""
        where = mech.layout.q_slices.get(self.joint)
        if where is None:
            return None
        if where.stop - where.start != 1:
            raise ModelError(f"event: joint {self.joint!r} has more than one position; give a guard function instead.")
        return _row(JOINT, where.start, value=self.value)


@dataclass(frozen=True)
class TimeAt:
    """A moment."""

    time: float


@dataclass(frozen=True)
class FunctionGuard:
    """A function of the user: ``guard(mech, state)`` in Python, or a Numba function ``guard(t, q, v)``."""

    function: Callable[..., Any]
    timed: bool = False
    """Whether a Python function takes the time as well, before the mechanism."""

    def row(self, mech: Mechanism) -> GuardRow | None:
        """The guard in a structure."""
        if is_compiled(self.function):
            callback = compiled_callback(self.function, "guard", "a guard")
        else:
            layout = mech.layout

            def value(t: float, q: Array, v: Array) -> float:
                when = (t,) if self.timed else ()
                found = float(self.function(*when, mech, State(layout, np.concatenate((q, v)))))
                if found != found:  # noqa: PLR0124 (NaN)
                    raise ModelError("it returned NaN, and a guard must be a number wherever the motion comes.")
                return found

            callback = python_callback(value, 1, "a guard")
        return _row(FUNCTION, 0, callback.address, callback)


@dataclass(frozen=True)
class Event:
    """Something to watch for: where `guard` goes through zero in its direction, `action` changes mechanism and state.

    Parameters
    ----------
    name : str
        Its name in `Trajectory.events`.
    guard : callable
        ``guard(mech, state)`` returns a number, or a Numba function ``guard(t, q, v)`` does; `at_time`, `when_frame_below` and
        `when_joint` make events whose guards run compiled.
    action : callable or STOP, optional
        ``action(mech, state)`` returns a new ``(mech, state)``, `STOP`, or None for an event that is to be passed over. By
        default nothing changes.
    direction : {-1, 1, 0}, optional
        −1 is from above zero to below, +1 the other way, 0 both.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> fast = rg.Event("fast", lambda mech, state: state.v[0] + 9.81, rg.STOP)
    >>> round(rg.simulate(mech, mech.state(), 10.0, events=fast).t[-1], 9)
    np.float64(1.0)
    """

    name: str
    guard: Any
    action: Action | None = None
    direction: int = -1

    def __post_init__(self) -> None:
        check_name(self.name, "an event")
        if self.direction not in (-1, 0, 1):
            raise ModelError(f"event {self.name!r}: direction must be -1, 0 or 1, not {self.direction!r}.")
        if not isinstance(self.guard, (FrameBelow, JointAt, TimeAt, FunctionGuard)):
            if not callable(self.guard):
                raise ModelError(f"event {self.name!r}: the guard must be a function of mechanism and state, not {self.guard!r}.")
            object.__setattr__(self, "guard", FunctionGuard(self.guard))
        if self.action is not None and not callable(self.action) and self.action is not STOP:
            raise ModelError(f"event {self.name!r}: the action must be a function, STOP or None, not {self.action!r}.")


def at_time(time: float, action: Any = None, name: str | None = None) -> Event:
    """An event at a moment.

    Parameters
    ----------
    time : float
        In seconds.
    action : callable or STOP, optional
        As for `Event`.
    name : str, optional
        By default "t = …".

    Returns
    -------
    Event

    Examples
    --------
    >>> import regraft as rg
    >>> rg.at_time(1.5, rg.STOP).name
    't = 1.5'
    """
    moment = float(finite("at_time: time", time, ()))
    return Event(f"t = {moment:g}" if name is None else name, TimeAt(moment), action)


def when_frame_below(frame: str, height: float, action: Any = None, slope: float = 0.0, name: str | None = None) -> Event:
    """An event where a frame comes down through the ground ``z = height + slope * x``.

    Parameters
    ----------
    frame : str
        The name of a frame or a body.
    height : float
        Of the ground at x = 0, in metres.
    action : callable or STOP, optional
        As for `Event`.
    slope : float, optional
        How much the ground rises along x.
    name : str, optional
        By default ``"<frame> below"``.

    Returns
    -------
    Event

    Examples
    --------
    >>> import regraft as rg
    >>> rg.when_frame_below("heel", 0.0, rg.STOP, name="heel strike").name
    'heel strike'
    """
    guard = FrameBelow(frame, float(finite("when_frame_below: height", height, ())), float(finite("slope", slope, ())))
    return Event(f"{frame} below" if name is None else name, guard, action)


def when_joint(joint: str, value: float, action: Any = None, direction: int = 0, name: str | None = None) -> Event:
    """An event where the position of a joint goes through a value; while there is no such joint, it does not happen.

    Parameters
    ----------
    joint : str
        The name of a joint with one degree of freedom.
    value : float
        The position.
    action : callable or STOP, optional
        As for `Event`.
    direction : {-1, 1, 0}, optional
        −1 is downwards, +1 upwards, 0 both.
    name : str, optional
        By default ``"<joint> at <value>"``.

    Returns
    -------
    Event

    Examples
    --------
    >>> import regraft as rg
    >>> rg.when_joint("knee", 0.0, rg.STOP, direction=-1, name="knee straight").direction
    -1
    """
    guard = JointAt(joint, float(finite("when_joint: value", value, ())))
    return Event(f"{joint} at {value:g}" if name is None else name, guard, action, direction)


def check_events(events: Any, mech: Mechanism) -> tuple[Event, ...]:
    """A tuple of events with different names, whose frames the mechanism has at the start."""
    try:
        found = (events,) if isinstance(events, Event) else tuple(events)
    except TypeError:
        raise ModelError(f"events must be an Event or several of them, not {events!r}.") from None
    for event in found:
        if not isinstance(event, Event):
            raise ModelError(f"events must be Event objects, such as at_time(1.0, action), not {event!r}.")
    names = [event.name for event in found]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ModelError(f"events must have different names; there are several {listed(twice)}.")
    for event in found:
        if isinstance(event.guard, FrameBelow) and event.guard.frame not in (WORLD, *mech.frames, *mech.bodies):
            raise ModelError(f"event {event.name!r}: there is no frame or body {event.guard.frame!r}; add it with add_frame.")
    return found
