"""Events: what a simulation watches for, and what it does then."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from ..algebra.pose import finite
from ..ask.places import place_of
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, check_name
from ..describe.state import State
from ..errors import ModelError, listed, meant
from ..joints import settle
from .driver import Call
from .guards import FUNCTION, HEIGHT, JOINT, Guard
from .laws import Law, law_of_guard, number


class Answer:
    """What an action returns instead of a mechanism and a state; there is one of each, also after pickling."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name


STOP: Final = Answer("STOP")
"""What an action returns to end the simulation."""
PASS: Final = Answer("PASS")
"""What an action returns to pass the event over: nothing changes, and the event leaves no trace."""

Action = Callable[..., Any] | Answer


@dataclass(frozen=True)
class FrameBelow:
    """Height of a frame above the ground z = height + slope · x."""

    frame: str
    height: float
    slope: float
    missing: str = "error"

    def row(self, mech: Mechanism) -> Guard | None:
        """The guard in a structure; None while the frame is not there."""
        found = place_of(mech, self.frame)
        if found is None:
            return None
        body, place = found
        if body == WORLD:
            raise ModelError(f"event: frame {self.frame!r} is on the world, which does not move.")
        structure = mech.structure
        point = tuple(structure.point(body, place.translation))
        return Guard(sort=HEIGHT, body=int(structure.row_of[body]), point=point, value=self.height, slope=self.slope)


@dataclass(frozen=True)
class JointAt:
    """Position of a joint with one degree of freedom, less a value."""

    joint: str
    value: float

    missing: str = "error"

    def found_in(self, mech: Mechanism) -> JointAt | FunctionGuard | None:
        """The guard in a structure, a function where the joint closes a loop; None while the joint is not there."""
        if self.joint not in mech.joints:
            return None
        if (count := mech.joints[self.joint].type.nq) != 1:
            many = "more than one position" if count > 1 else "no position"
            raise ModelError(f"event: joint {self.joint!r} has {many}; give a guard function instead.")
        return self if self.joint in mech.layout.q_slices else self.of_loop()

    def row(self, mech: Mechanism) -> Guard:
        """The guard where the joint has a place in q."""
        at, rate = mech.layout.q_slices[self.joint].start, mech.layout.v_slices[self.joint].start
        return Guard(sort=JOINT, coordinate=at, velocity=rate, value=self.value)

    def of_loop(self) -> FunctionGuard:
        """The guard where the joint closes a loop; its angle goes on through whole turns from one look to the next."""
        last = math.nan

        def value(mech: Mechanism, state: State) -> float:
            nonlocal last
            joint = mech.joints[self.joint]
            motions = mech.structure.motions_of(state._x, joint.parent, joint.child)
            found = float(settle(joint.type, motions, joint.places())[0][0])
            if joint.type.turns and math.isfinite(last):
                found += math.tau * round((last - found) / math.tau)
            last = found
            return found - self.value

        return FunctionGuard(value)


@dataclass(frozen=True)
class TimeAt:
    """A moment."""

    time: float


@dataclass(frozen=True)
class FunctionGuard:
    """A function of the user: ``guard(mech, state)`` or ``guard(t, mech, state)``; compiled or a law, ``guard(t, q, v)``."""

    function: Any
    timed: bool = False
    """Whether a Python function takes the time as well, before the mechanism."""

    def value(self, t: float, mech: Mechanism, state: State) -> float:
        """What a Python function says."""
        return number(self.function(*((t,) if self.timed else ()), mech, state))


def function_row(call: Call) -> Guard:
    """A guard that is a function of the user."""
    return Guard(sort=FUNCTION, address=call.address, context=call.context)


@dataclass(frozen=True)
class Event:
    """Something to watch for: where `guard` goes through zero in its direction, `action` changes mechanism and state.

    Parameters
    ----------
    name : str
        What the event is called in `Trajectory.events` and in messages; no two events of a run have the same name.
    guard : callable
        ``guard(mech, state) -> float`` or ``guard(t, mech, state) -> float``, or a Numba function or a `law`
        ``guard(t, q, v) -> float``.
        `at_time`, `when_frame_below` and `when_joint` make events with guards that run compiled.
    action : callable or STOP, optional
        ``action(mech, state)`` or ``action(t, mech, state)``. It returns a new ``(mech, state)``, `STOP` to end the run, or
        `PASS` for an event that is to be passed over. Without it the event is only noted.
    direction : {-1, 1, 0}, optional
        −1: from above zero to below; +1: the other way; 0: both.
    already : {"fire", "wait"}, optional
        What the event does where a segment starts with its guard beyond zero: below it for the direction −1, above it for +1.
        (With the direction 0 neither side is beyond.) A segment starts with the run, and after each action that changed
        something. "fire": it happens there, unless its guard was beyond zero already before the change. "wait": it happens when
        the guard has come back and goes through zero again. Without a choice it waits, and a `RegraftWarning` says so.

    Raises
    ------
    ModelError
        If one of these is something else.

    Examples
    --------
    A joint that breaks under more than 50 N, also if it is loaded with more from the start:

    >>> import numpy as np
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("load", rg.Inertia.sphere(10.0, 0.1))
    >>> mech.add_joint("hook", rg.Fixed(), "world", "load")
    >>> def margin(mech, state):
    ...     return 50.0 - np.linalg.norm(rg.joint_reactions(mech, state)["hook"][3:]) if "hook" in mech.joints else 1.0
    >>> breaks = rg.Event("break", margin, lambda mech, state: rg.cut(mech, state, "hook"), already="fire")
    >>> traj = rg.simulate(mech, mech.state(), 0.1, events=breaks)
    >>> traj.events[0].t, list(traj.final[0].joints)
    (0.0, ['load_free'])
    """

    name: str
    guard: Any
    action: Action | None = None
    direction: int = -1
    already: str | None = None
    timed: bool = field(init=False, repr=False, compare=False, default=False)
    """Whether the action takes the time."""

    def __post_init__(self) -> None:
        check_name(self.name, "an event")
        if self.direction not in (-1, 0, 1):
            raise ModelError(f"event {self.name!r}: direction must be -1, 0 or 1, not {self.direction!r}.")
        if self.already not in (None, "fire", "wait"):
            raise ModelError(f'event {self.name!r}: already must be "fire" or "wait", not {self.already!r}.')
        if not isinstance(self.guard, (FrameBelow, JointAt, TimeAt, FunctionGuard)):
            if not callable(self.guard) and not (isinstance(self.guard, Law) and not self.guard.is_constant):
                raise ModelError(f"event {self.name!r}: the guard must be a function of mechanism and state, not {self.guard!r}.")
            timed = law_of_guard(self.guard) is None and _takes_time(self.guard, f"event {self.name!r}: the guard")
            object.__setattr__(self, "guard", FunctionGuard(self.guard, timed))
        if callable(self.action):
            object.__setattr__(self, "timed", _takes_time(self.action, f"event {self.name!r}: the action"))
        elif self.action is not None and self.action is not STOP:
            raise ModelError(f"event {self.name!r}: the action must be a function, STOP or None, not {self.action!r}.")

    def act(self, t: float, mech: Mechanism, state: State) -> Any:
        """What the action returns; STOP or None where that is all the action is."""
        if not callable(self.action):
            return self.action
        return self.action(t, mech, state) if self.timed else self.action(mech, state)


def _takes_time(function: Any, what: str) -> bool:
    """Whether a function takes the time before mechanism and state: it does if it needs three arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions of C do not tell
        return False
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in by_place)
    most = math.inf if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(by_place)
    named = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    if needed > 3 or most < 2 or named:
        raise ModelError(f"{what} must take (mech, state) or (t, mech, state), not {inspect.signature(function)}.")
    return needed == 3


def at_time(time: float, action: Any = None, name: str | None = None) -> Event:
    """An event at a moment. One before the start of a run does not happen in it, one at its start does.

    Parameters
    ----------
    time : float
        When it happens, exactly.
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


def when_frame_below(
    frame: str,
    height: float,
    action: Any = None,
    slope: float = 0.0,
    name: str | None = None,
    *,
    already: str = "fire",
    missing: str = "error",
) -> Event:
    """An event where a frame, or a body's origin, comes down through the ground ``z = height + slope * x``.

    Parameters
    ----------
    frame : str
        The frame, or the body.
    height : float
        Of the ground at x = 0, in metres.
    action : callable or STOP, optional
        As for `Event`.
    slope : float, optional
        How much the ground rises along x.
    name : str, optional
        By default ``"<frame> below"``.
    already : {"fire", "wait"}, optional
        What happens where a segment starts with the frame below the ground, as for `Event`. It happens at once by default: a foot
        that is in the ground has met it.
    missing : {"error", "wait"}, optional
        What happens where the mechanism has no such frame at the start of the run: an error, or the event waits for it. A frame
        that goes later is waited for in any case.

    Returns
    -------
    Event

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("flight", rg.Free(), "world", "ball")
    >>> landing = rg.when_frame_below("ball", -4.905, rg.STOP)
    >>> round(float(rg.simulate(mech, mech.state(), 2.0, events=landing).t[-1]), 9)
    1.0
    """
    _check_text("when_frame_below: frame", frame)
    ground = float(finite("when_frame_below: height", height, ())), float(finite("slope", slope, ()))
    guard = FrameBelow(frame, *ground, _missing("when_frame_below", missing))
    return Event(f"{frame} below" if name is None else name, guard, action, already=already)


def when_joint(
    joint: str,
    value: float,
    action: Any = None,
    direction: int = 0,
    name: str | None = None,
    *,
    already: str = "wait",
    missing: str = "error",
) -> Event:
    """An event where the position of a joint goes through a value.

    Parameters
    ----------
    joint : str
        A joint with one degree of freedom. While it closes a loop, its angle is counted on from one step to the next.
    value : float
        Radians or metres.
    action : callable or STOP, optional
        As for `Event`.
    direction : {-1, 1, 0}, optional
        −1 is downwards, +1 upwards, 0 both.
    name : str, optional
        By default ``"<joint> at <value>"``.
    already : {"fire", "wait"}, optional
        What happens where a segment starts with the joint beyond the value, as for `Event`. By default the joint must go through
        the value.
    missing : {"error", "wait"}, optional
        What happens where the mechanism has no such joint at the start of the run: an error, or the event waits for it. A joint
        that goes later is waited for in any case.

    Returns
    -------
    Event

    Examples
    --------
    >>> import regraft as rg
    >>> rg.when_joint("knee", 0.0, rg.STOP, direction=1).name
    'knee at 0'
    """
    _check_text("when_joint: joint", joint)
    guard = JointAt(joint, float(finite("when_joint: value", value, ())), _missing("when_joint", missing))
    return Event(f"{joint} at {value:g}" if name is None else name, guard, action, direction, already)


def _check_text(what: str, name: Any) -> None:
    if not isinstance(name, str):
        raise ModelError(f"{what} must be a name, not {name!r}.")


def _missing(what: str, missing: str) -> str:
    if missing not in ("error", "wait"):
        raise ModelError(f'{what}: missing must be "error" or "wait", not {missing!r}.')
    return missing


def events_of(events: Any) -> tuple[Any, ...]:
    """One event or several as a tuple."""
    try:
        return (events,) if isinstance(events, Event) else tuple(events)
    except TypeError:
        raise ModelError(f"events must be an Event or several of them, not {events!r}.") from None


def check_events(events: Any, mech: Mechanism) -> tuple[Event, ...]:
    """A tuple of events with different names, whose frames and joints the mechanism has at the start."""
    found = events_of(events)
    for event in found:
        if not isinstance(event, Event):
            raise ModelError(f"events must be Event objects, such as at_time(1.0, action), not {event!r}.")
    if len({event.name for event in found}) < len(found):
        twice = [name for name, count in Counter(event.name for event in found).items() if count > 1]
        raise ModelError(f"events must have different names; there are several {listed(twice)}.")
    for event in found:
        guard, later = event.guard, 'or, if it comes later, say missing="wait"'
        if isinstance(guard, FrameBelow) and guard.missing == "error" and place_of(mech, guard.frame) is None:
            near = meant(guard.frame, (*mech.frames, *mech.bodies))
            raise ModelError(
                f"event {event.name!r}: there is no frame or body {guard.frame!r}; add it with add_frame, {later}.{near}"
            )
        if isinstance(guard, JointAt) and guard.missing == "error" and guard.joint not in mech.joints:
            raise ModelError(
                f"event {event.name!r}: there is no joint {guard.joint!r}; give one of {listed(mech.joints)}, {later}."
                f"{meant(guard.joint, mech.joints)}"
            )
    return found
