"""A mechanism that moves and is changed at the same time: the session behind the page, which needs no page."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..ask.assembly import assembled, assembled_anyhow
from ..ask.forward import forward_dynamics
from ..ask.manifold import difference, integrate
from ..ask.poses import body_poses
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import ModelError, RegraftError, SimulationError, StructureError
from ..simulate import Trajectory, simulate
from .editing import Edit, connected, cut_off, rooted
from .history import Carried, Change, Entry, Frames, History, Moment, frame_lines
from .words import named, number, numbers, python, told, vector

Array = NDArray[np.float64]

FRAME = 1.0 / 60.0
"""s: what a step of the page is long."""
MOST_STEPS = 20_000
"""Of the integrator in one frame; where it needs more, the mechanism cannot go on."""
STOPPED = "The simulation stopped: "
"""How the log tells that a run could not go on."""
PULL = "pull of the hand"
"""The name of the spring with which a hand pulls."""
_PULL_RATE, _PULL_DAMPING = 9.0, 0.35  # rad/s, of all that moves on that spring; and the share of its critical damping
_FREE = 6  # degrees of freedom of a joint that holds nothing: its damping would be a drag in the air


class Grip(NamedTuple):
    """A hand at a body."""

    body: str
    point: Array
    """Where it has taken hold, in the body's frame,"""
    target: Array
    """and where it pulls that point to, in the world."""


class Session:
    """A mechanism and its state, with all that a page can do to them; every method may be called from any thread.

    A change that cannot be made changes nothing; the log says why. A simulation that cannot go on is paused where it was.
    """

    def __init__(self, mech: Mechanism, state: State, options: Mapping[str, Any] | None = None, source: str = "") -> None:
        mech.check_state(state)
        self.options = dict(options or {})
        self.source = source
        """The Python lines that make `mech` and `state`, and `options` where there are any."""
        assembled(mech, state)  # an error where loops are open
        self.first = Moment(mech.frozen(), state)
        self.moment = self.first
        self.history = History(bool(self.options))
        self.lock = threading.RLock()
        self.running, self.speed = False, 1.0
        self.grip: Grip | None = None
        self.version = 0
        """Grows with every change that is no motion."""
        self.keeps_last = False
        """Whether the last step of the simulation is kept,"""
        self.last: Trajectory | None = None
        """here; None where something has been changed since."""

    def again(self) -> Session:
        """A session of its own that begins as this one did."""
        return Session(self.first.mech, self.first.state, self.options, self.source)

    @property
    def mech(self) -> Mechanism:
        """The mechanism as it is now."""
        return self.moment.mech

    @property
    def state(self) -> State:
        """Its state."""
        return self.moment.state

    @property
    def t(self) -> float:
        """The time, in seconds."""
        return self.moment.t

    # --- motion --------------------------------------------------------------------------------------------------------

    def advance(self, dt: float = FRAME) -> bool:
        """Go on by a time; False where that was not possible, and the run is paused."""
        with self.lock:
            before, grip = self.moment, self.grip
            try:
                moving = before.mech if grip is None else self._pulled(grip)
                told_time = {"start": before.t} if self.options else {}  # as in the lines: another start rounds otherwise
                traj = simulate(moving, before.state, dt, progress=False, **{"max_steps": MOST_STEPS} | told_time | self.options)
                mech, state = traj.final
                assembled(mech, state)  # an error where steps near a singular position have left loops open
            except RegraftError as problem:
                self.running = False
                self.history.tell(before.t, "stopped", STOPPED + _why(problem, 0.0 if self.options else before.t))
                self.version += 1
                return False
            changed = mech.structure is not moving.structure
            if grip is not None:
                mech = mech.without(PULL, kind="spring") if changed else before.mech
            self.moment = replace(before, mech=mech if changed else before.mech, state=state, t=before.t + dt)
            self._remember(before, dt, changed, [name for _, name in traj.events], grip)
            self.last = traj if self.keeps_last else None
            return True

    def _remember(self, before: Moment, dt: float, changed: bool, events: list[str], grip: Grip | None) -> None:
        if not changed:
            if grip is None:
                self.history.moved(dt)
            else:
                self.history.pulled(self.moment.state, self.moment.t)
            return
        lines = frame_lines(Frames(1, dt), bool(self.options))
        if grip is not None:
            lines = [*self._pull_lines(grip, before), *lines, f"mech = mech.without({PULL!r}, kind='spring')"]
        words = "Events of the simulation: " + ", ".join(named(name) for name in events) + "."
        self._did(words, lines, before)

    def hold(self, body: str, point: ArrayLike, target: ArrayLike) -> None:
        """Let a hand pull a point of a body, in its own frame, to a target in the world, by a spring."""
        grip = Grip(body, numbers("point", point, 3).copy(), numbers("target", target, 3).copy())
        with self.lock:
            if body in self.mech.bodies:
                self.grip = grip

    def let_go(self) -> None:
        """Take the hand away."""
        with self.lock:
            self.grip = None

    def _pulled(self, grip: Grip) -> Mechanism:
        mech = self.mech.copy()
        mech.add_spring(PULL, grip.body, grip.point, WORLD, grip.target, **self._pull_settings(self.mech))
        return mech

    def _pull_settings(self, mech: Mechanism) -> dict[str, float]:
        mass = sum(body.inertia.mass for body in mech.bodies.values())
        damping = 2.0 * _PULL_DAMPING * _PULL_RATE * mass
        return {"stiffness": _PULL_RATE**2 * mass, "damping": damping, "rest_length": 0.0}

    def _pull_lines(self, grip: Grip, before: Moment) -> list[str]:
        given = ", ".join(f"{what}={value!r}" for what, value in self._pull_settings(before.mech).items())
        places = f"{grip.body!r}, {vector(grip.point)}, 'world', {vector(grip.target)}"
        return ["mech = mech.copy()", f"mech.add_spring({PULL!r}, {places}, {given})"]

    # --- structure -----------------------------------------------------------------------------------------------------

    def cut(self, joint: str) -> Entry:
        """Cut a joint."""
        return self._edit(cut_off, joint)

    def connect(self, body_a: str, body_b: str, choice: str = "Fixed", at: ArrayLike | None = None) -> Entry:
        """Connect two bodies by a joint of `words.JOINT_CHOICES` at a place in the world; by default midway between them."""
        return self._edit(connected, body_a, body_b, choice, at)

    def reroot(self, body: str, choice: str = "Free", impact: bool = False, at: ArrayLike | None = None) -> Entry:
        """Make a body the root: its motion is carried over, or it is caught by the joint with an impact."""
        return self._edit(rooted, body, choice, impact, at)

    def _edit(self, change: Any, *given: Any) -> Entry:
        with self.lock:
            before = self.moment
            try:
                edit: Edit = change(before.mech, before.state, *given)
                _check_motion(edit)
            except RegraftError as problem:
                return self._refused(problem)
            self.moment = replace(before, mech=edit.mech.frozen(), state=edit.state)
            return self._did(edit.words + _unable(self.moment), edit.lines, before)

    # --- numbers -------------------------------------------------------------------------------------------------------

    def set_gravity(self, gravity: ArrayLike) -> Entry:
        """Let things fall otherwise."""
        with self.lock:
            before = self.moment
            try:
                mech = before.mech.replace(gravity=numbers("gravity", gravity, 3))
            except RegraftError as problem:
                return self._refused(problem)
            self.moment = replace(before, mech=mech.frozen())
            size = number(math.hypot(*mech.gravity))
            head, tail = "mech = mech.replace(gravity=", ")"
            return self._did(f"Set gravity to {size} m/s².", (head, tail), before, "gravity", (vector(mech.gravity),))

    def set_damping(self, damping: float) -> Entry:
        """Add damping to all joints that hold something; 0 leaves them the damping that they came with."""
        with self.lock:
            before = self.moment
            joints = {name: one.type for name, one in before.mech.joints.items() if 0 < one.type.nv < _FREE}
            own = {name: before.own_damping.get(name, kind.damping) for name, kind in joints.items()}
            try:
                damping = float(numbers("damping", damping, 1)[0])
                wanted = {name: given + damping for name, given in own.items()}
                mech = before.mech.replace(damping=wanted)
            except RegraftError as problem:
                return self._refused(problem)
            self.moment = replace(before, mech=mech.frozen(), damping=damping, own_damping=own)
            values = "{" + ", ".join(f"{name!r}: {python(one)}" for name, one in wanted.items()) + "}"
            words = f"Added {number(damping)} N m s (or N s/m) of damping to {len(wanted)} joints."
            return self._did(words, ("mech = mech.replace(damping=", ")"), before, "damping", (values,))

    def stop(self) -> Entry:
        """Bring all to rest."""
        with self.lock:
            before = self.moment
            self.moment = replace(before, state=before.state.replace(v=np.zeros(before.mech.nv)))
            return self._did("Brought all to rest.", ("state = state.replace(v=[0.0] * mech.nv)",), before)

    def coordinates(self, joint: str) -> Array:
        """(nv,): where a tree joint is, as the sliders have it: how far from its zero along each of its velocities."""
        mech, state = self.moment.mech, self.moment.state
        return np.asarray(difference(mech, state.q, mech.state().q)[mech.v_slice(joint)])

    def set_joint(self, joint: str, values: ArrayLike) -> Entry:
        """Put a tree joint where its sliders say; what closes loops follows. Only while the run is paused."""
        with self.lock:
            before = self.moment
            if self.running:
                return self._refused(ModelError("pause the run before you move a joint; while it runs, pull at a body."))
            mech = before.mech
            try:
                step, where = np.zeros(mech.nv), mech.v_slice(joint)
                step[where] = numbers(f"the position of {named(joint)}", values, mech.joints[joint].type.nv)
                q = integrate(mech, mech.state().q, step)[mech.q_slice(joint)]
                state, note = assembled_anyhow(mech, before.state, q={joint: q})
            except RegraftError as problem:
                return self._refused(problem)
            self.moment = replace(before, state=state)
            shown = ", ".join(number(float(x)) for x in np.atleast_1d(values))
            parts = f"state = rg.assemble(mech, state, q={{{joint!r}: ", "})"
            words = f"Put the joint {named(joint)} to {shown}." + (f" Note: {note}" if note else "")
            return self._did(words, parts, before, f"joint {joint}", (python(q),), True)

    # --- back and forth ------------------------------------------------------------------------------------------------

    def reset(self) -> Entry:
        """Go back to the beginning."""
        with self.lock:
            before, self.grip = self.moment, None
            self.moment = self.first
            return self._did("Went back to the beginning.", ("t, mech, state = 0.0, *first",), before)

    def undo(self) -> Entry:
        """Go back to the moment before the last change."""
        with self.lock:
            change = self.history.undo()
            if change is None:
                return self._refused(ModelError("there is nothing to undo."))
            return self._went("undo", "Undone", change.words, change.before)

    def redo(self) -> Entry:
        """Go to the moment after the change that was undone last."""
        with self.lock:
            change = self.history.redo()
            if change is None:
                return self._refused(ModelError("there is nothing to do again."))
            return self._went("redo", "Done again", change.words, change.after)

    def _went(self, kind: str, what: str, words: str, to: Moment) -> Entry:
        self.moment, self.grip, self.last = to, None, None
        self.version += 1
        return self.history.tell(to.t, kind, f"{what}: {words[:1].lower()}{words[1:]}")

    # --- log -----------------------------------------------------------------------------------------------------------

    def script(self, most: int | None = None) -> str:
        """The Python lines that lead from the start to the present; they run as they are after what `source` says.

        With `most`, only the last lines, about so many characters; where others are left out, the first line says it.
        """
        with self.lock:
            lines, whole = (self.history.lines(), True) if most is None else self.history.last_lines(most)
        if not whole:
            return "\n".join(["# the last lines; the file that is saved has all", "…", *lines, ""])
        source = self.source or given_lines(bool(self.options))
        return "\n".join(["import regraft as rg", "", source, "t, first = 0.0, (mech, state)", *lines, ""])

    def _did(
        self,
        words: str,
        lines: Iterable[str],
        before: Moment,
        topic: str = "",
        values: tuple[str, ...] = (),
        gathers: bool = False,
    ) -> Entry:
        self.version += 1
        self.last = None
        if self.grip is not None and self.grip.body not in self.moment.mech.bodies:
            self.grip = None
        return self.history.did(Change(words, tuple(lines), before, self.moment, (), topic or None, values, gathers))

    def _refused(self, problem: Exception) -> Entry:
        self.version += 1
        return self.history.tell(self.moment.t, "refused", f"Not possible: {told(problem)}")


def given_lines(options: bool) -> str:
    """What stands for the lines that make the mechanism where they are not known."""
    return "# mech and state" + (", and options," if options else "") + " are what was given to rg.view"


def _check_motion(edit: Edit) -> None:
    """Refuse what an impact near a singular position may leave: velocities without end, or loops that are not closed."""
    if not np.isfinite(edit.state.v).all():
        raise StructureError("the velocities after this impact are not defined: the mechanism is in a singular position.")
    assembled(edit.mech, edit.state)


def _unable(moment: Moment) -> str:
    """What keeps a mechanism from running, such as a thin rod that floats, in words; empty where nothing does."""
    try:
        forward_dynamics(moment.mech, moment.state)
    except RegraftError as problem:
        return f" It cannot run like this: {told(problem)}"
    return ""


def _why(problem: RegraftError, passed: float) -> str:
    """Why a step failed; its times are those of the page, which began so much earlier."""
    if not isinstance(problem, SimulationError):
        return told(problem)
    return told(problem).replace(f"t = {problem.time:.9g}", f"t = {number(problem.time + passed)}")


def grip_place(mech: Mechanism, state: State, body: str, place: ArrayLike) -> Array:
    """A place in the world in a body's frame."""
    found = np.asarray(place, float)
    return found if body == WORLD else body_poses(mech, state)[body].inverse().apply(found)


def is_finite(moment: Moment) -> bool:
    """Whether all numbers of a state are finite."""
    return bool(np.isfinite(moment.state.q).all() and np.isfinite(moment.state.v).all() and math.isfinite(moment.t))


__all__ = ["FRAME", "STOPPED", "Carried", "Grip", "Session", "grip_place", "is_finite"]
