"""A run in progress: continuous motion in compiled code, interleaved with what happens at events."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, RegraftError, SimulationError, listed, warn
from ..tolerances import CASCADE, LEAST_STEP, SAME_TIME
from . import giving_up, stepping_loop
from .cascades import ENDLESS, Cascade
from .contacts.bounces import Bounces
from .contacts.contacting import Contacting, Modes
from .coordinates import Maximal, Reduced
from .events import PASS, STOP, Event, TimeAt
from .histories import EventRecord
from .integrators import Integrator
from .motions import jump_message, tell_impacts
from .pace import Pace
from .progress import Progress
from .recorded import Segment
from .runner import Runner
from .settings import Settings
from .trajectory import Trajectory
from .ways import Ways, guarded, kept_ways

_AHEAD = 1e-6  # s: how far behind the end of a run whose steps collapse a function is looked at that may be the reason
_PAUSE = 0.1  # seconds of compiled code between looks at the clock and at Ctrl-C


class Run:
    """A run in progress: what has been computed, and what comes next."""

    def __init__(
        self,
        method: Integrator,
        settings: Settings,
        events: tuple[Event, ...],
        start: float,
        end: float,
        progress: bool | None,
        learns: bool = False,
    ) -> None:
        self.method, self.settings, self.events = method, settings, events
        self.start, self.end, self.progress = start, end, progress
        self.pace = Pace(start, end)
        self.segments: list[Segment] = []
        self.closed: Runner | None = None
        self.happened: list[EventRecord] = []
        self.steps = self.rejected = 0
        self.cascade = Cascade()
        timed = (event for event in events if isinstance(event.guard, TimeAt) and event.guard.time >= start)
        self.waiting = sorted(timed, key=lambda event: -event.guard.time)
        """The events at given times that are still to come, the next one last."""
        self.before: Runner | None = None
        """The runner of the segment before."""
        self.held: Runner | None = None
        """Whose modes contacts have where the run starts, whatever its state, which is moved to where they can have them."""
        self.asked: frozenset[str] = frozenset()
        """The events whose actions led to the present segment."""
        self.warned: set[str] = set()
        self.learns = learns
        """Whether runners go on in structures that come back; else each segment has one that stays as it is."""
        self.ways: Ways | None = None
        self.bounces = Bounces()
        self.touches = 0
        self.calmed = -math.inf
        """When slips that steps could not follow were last ended."""

    def from_state(self, mech: Mechanism, state: State, watching: Progress | None = None) -> Trajectory:
        """Run to the end; `watching` is told how far it is, if it is not to be shown by itself."""
        first = self.begin(mech, state)
        runner: Runner | None = first
        with watching or Progress(self.start, self.end, self.progress) as shown:
            try:
                while runner is not None:
                    runner = self._advance(runner, shown)
            except KeyboardInterrupt:
                return self._interrupted()
        if self.ways is not None and self.ways.first is first:
            self.ways.keep()
        return self._trajectory()

    def begin(self, mech: Mechanism, state: State) -> Runner:
        """The runner with which the run starts."""
        self.ways = kept_ways(mech, self.events, self.method, self.settings) if self.learns else None
        if self.ways is not None:
            return self._begin_with(self.ways.begin_again(mech, state, (self.start, self.end)))
        return self._learn_from(self._new_runner(mech, state, self.start))

    def _learn_from(self, runner: Runner) -> Runner:
        """The same runner, from which ways to others are learned."""
        self.ways = Ways.of(runner, self.events) if self.learns else None
        return runner

    def _new_runner(self, mech: Mechanism, state: State, t: float) -> Runner:
        coordinates = (Maximal if self.settings.maximal else Reduced)(mech, state, t)
        before, hold = (self.before, False) if self.held is None else (self.held, True)
        self.held = None
        first = not self.segments
        runner = Runner(coordinates, (t, self.end), self.method, self.settings, guarded(self.events), first, before, hold)
        if runner.struck:
            tell_impacts(self.happened[-1].name, t, runner.struck)
        return self._begin_with(runner)

    def _begin_with(self, runner: Runner) -> Runner:
        """The same runner, with which the next segment begins."""
        self.runner = runner
        self.closed = None
        runner.control.least = LEAST_STEP * (self.end - self.start)
        runner.arm(self.asked)
        return runner

    def _trajectory(self) -> Trajectory:
        return Trajectory(self.segments, self.happened, self.steps, self.rejected)

    def _interrupted(self) -> Trajectory:
        self.close(self.runner, None)
        return Trajectory(self.segments, self.happened, self.steps, self.rejected, interrupted=True)

    def close(self, runner: Runner, event: str | None) -> None:
        """Keep what a runner has computed as a segment, once."""
        if runner is self.closed:
            return
        self.closed = runner
        self._keep_segment(runner, event)
        self.steps += runner.steps
        self.rejected += int(runner.progress.rejected)

    def _advance(self, runner: Runner, shown: Progress) -> Runner | None:
        """Run to the next event or to the end; the runner to go on with, None at the end."""
        end = min(self.end, self.waiting[-1].guard.time) if self.waiting else self.end
        why, budget = stepping_loop.PAUSED, 256
        while why == stepping_loop.PAUSED:
            before = time.perf_counter()
            why = runner.run(end, min(budget, self._allowed(runner)))
            if why == stepping_loop.PAUSED:
                took = time.perf_counter() - before
                budget = max(16, min(1_000_000, int(budget * min(4.0, _PAUSE / max(took, 1e-6)))))
            shown.update(runner.t)
            if why == stepping_loop.BEYOND_ALREADY:
                if already := self._already(runner):
                    return self.happen(runner, [*already, *self._due(runner.t)])
                why = stepping_loop.PAUSED
        self._refuse_jumps(runner, _AHEAD if why == stepping_loop.TOO_SMALL else 0.0)
        if why == stepping_loop.FINISHED:
            return self.happen(runner, self._due(runner.t))
        if why == stepping_loop.EVENT:
            if hits := runner.contact_hits():
                following = self.change_modes(runner, hits)
                if following is None or not (runner.hit() or (self.waiting and self.waiting[-1].guard.time <= runner.t)):
                    return following
            soon = self._due(runner.t + SAME_TIME * max(1.0, abs(runner.t))) if self.waiting else []
            return self.happen(runner, [*runner.hit(), *soon])
        if why == stepping_loop.NOT_FINITE and self.jam(runner):
            return runner
        if why == stepping_loop.TOO_SMALL and self._get_past(runner):
            return runner
        raise self._failure(runner, why)

    def change_modes(self, runner: Runner, hits: list[int]) -> Runner | None:
        """Let something happen to contacts; the same runner goes on, with another segment. None where that ends the run."""
        contacts, t = runner.contacts, runner.t
        assert contacts is not None
        self._count_touches(runner)
        said = contacts.happened(hits)
        if not (self._took_no_time(runner) and contacts.hand_on()):
            self._keep_segment(runner, said[0])
        contacts.lose_patience(hits, t)
        self.happened.extend(EventRecord(t, what) for what in said)
        self._settle(runner, contacts)
        self._warn_of_impact(contacts, t)
        self.bounces.follow(t, contacts, self.happened)
        return runner

    def _took_no_time(self, runner: Runner) -> bool:
        """Whether the modes of contacts end where they began: they were those of no motion."""
        return bool(self.segments) and self.segments[-1].t[-1] == runner.t and self.segments[-1].contacts is not None

    def _settle(self, runner: Runner, contacts: Contacting) -> None:
        """Go on from the state after what has happened to contacts; an error where their impact has no solution."""
        try:
            runner.restart(contacts.event(runner.x))
        except ModelError as problem:
            raise self._error(f"at t = {runner.t:.9g} {problem}", runner.t, None) from problem

    def jam(self, runner: Runner) -> bool:
        """Where no forces obey Coulomb's law, let the point that jams have its impact; whether there is such a point."""
        contacts, t = runner.contacts, runner.t
        if contacts is None:
            return False
        ended, found = contacts.modes(), contacts.jam(runner.x)
        if found is None:
            return False
        self._count_touches(runner)
        x, said = found
        self._keep_segment(runner, said, ended)
        self.happened.append(EventRecord(t, said))
        self.pace.begin_again()
        runner.restart(x)
        self._warn_of_impact(contacts, t)
        return True

    def _warn_of_impact(self, contacts: Contacting, t: float) -> None:
        """Say once what impacts were not as their laws say."""
        for word, said in contacts.warnings().items():
            if word not in self.warned:
                self.warned.add(word)
                warn(f"at t = {t:.9g} {said}. Later ones of this run are not told.")

    def _count_touches(self, runner: Runner) -> None:
        """An error where contacts have had very many events at one time."""
        t, contacts = runner.t, runner.contacts
        last = self.happened[-1].t if self.happened else -math.inf
        self.touches = self.touches + 1 if t - last <= CASCADE * (1.0 + abs(t)) else 0
        if contacts is not None and self.touches > ENDLESS + 10 * len(contacts.names):
            self._keep_segment(runner, None)
            names = dict.fromkeys(record.name for record in self.happened[-ENDLESS:])
            raise self._error(
                f"events of contacts follow each other without end at t = {t:.12g}: {listed(names)}. Usual reasons: contacts "
                "that are the same twice, or friction so large that they jam. Leave one out, or change what touches.", t, None,
            )  # fmt: skip

    def _keep_segment(self, runner: Runner, event: str | None, modes: Modes | None = None) -> None:
        """Keep what a runner has recorded since its last segment; `modes` are those that it ran in, if others have begun."""
        self.segments.append(runner.recorded(event, modes))

    def _refuse_jumps(self, runner: Runner, further: float) -> None:
        """An error where a prescribed motion has jumped on the way, or does so soon, and no event is there."""
        found = runner.prescribed_jump(further)
        if found is not None:
            self.close(runner, None)
            name, t = found
            raise self._error(jump_message(name, t), t, name)

    def _allowed(self, runner: Runner) -> int:
        """How many steps may be taken until the next look at how far they come; an error where there are none left."""
        steps, t, most = self.steps + runner.steps, runner.t, self.settings.max_steps
        if most is not None:
            if steps < most or t >= self.end:
                return max(most - steps, 0)
            self.close(runner, None)
            raise self._error(f"the run has taken its max_steps = {most} steps at t = {t:.9g}.", t, None)
        if self.pace.has_collapsed(steps, t) and not self._get_past(runner):
            self.close(runner, None)
            raise self._too_short(runner, f", {self.pace.lately:.1e} s in the mean over thousands of steps")
        return self.pace.until_look(steps)

    def _get_past(self, runner: Runner) -> bool:
        """Where steps have collapsed, change what contacts do, the least first; whether anything could be changed."""
        return self._end_slow_slips(runner) or self.jam(runner) or self._stop_slowest_slip(runner)

    def _stop_slowest_slip(self, runner: Runner) -> bool:
        """Let the slowest slip end by a small impact, where it is next to nothing; whether there is one.

        Near Painlevé's paradox its friction may grow beyond all bounds, and which way it turns meanwhile no step can follow.
        """
        contacts, t = runner.contacts, runner.t
        slow = None if contacts is None else contacts.slowest_slip()
        if contacts is None or slow is None:
            return False
        point, speed = slow
        self._count_touches(runner)
        said = contacts.happened([2 * point + 1])
        self._keep_segment(runner, said[0])
        self.happened.append(EventRecord(t, said[0]))
        self.pace.begin_again()
        self._settle(runner, contacts)
        if "slowest slip" not in self.warned:
            self.warned.add("slowest slip")
            warn(
                f"at t = {t:.9g} no step could follow the slip of {contacts.names[point]}, of {speed:.1e} m/s, so it was "
                "stopped. Later ones of this run are not told."
            )
        return True

    def _end_slow_slips(self, runner: Runner) -> bool:
        """Where steps have collapsed, let slips that are next to nothing end, once at a time; whether there are any."""
        contacts, t = runner.contacts, runner.t
        if contacts is None or t - self.calmed <= CASCADE * (1.0 + abs(t)) or not (slow := contacts.slow_slips()).size:
            return False
        self.calmed = t
        self.pace.begin_again()
        self._keep_segment(runner, None)
        contacts.end_slow_slips(slow, t)
        self._settle(runner, contacts)
        return True

    def _already(self, runner: Runner) -> list[Event]:
        """The events that happen where a segment starts, because their guards are beyond zero there and were not before.

        Those whose actions have just led there must wait, or they would act without end.
        """
        before = {} if self.before is None else self.before.beyond()
        beyond = runner.beyond()
        new = [e for e in runner.events if beyond[e.name] and not before.get(e.name, False) and e.name not in self.asked]
        for event in new:
            if event.already is None and event.name not in self.warned:
                self.warned.add(event.name)
                warn(
                    f"event {event.name!r}: its guard is beyond zero at t = {runner.t:.9g}, where a segment starts, so it waits "
                    'until the guard has come back. Say which is meant: Event(..., already="fire") or already="wait".'
                )
        return [event for event in new if event.already == "fire"]

    def _due(self, t: float) -> list[Event]:
        """The timed events up to a time, which wait no longer."""
        due: list[Event] = []
        while self.waiting and self.waiting[-1].guard.time <= t:
            due.append(self.waiting.pop())
        return due

    @cached_property
    def _given(self) -> dict[int, int]:
        """In which order events were given, by their ids."""
        return {id(event): place for place, event in enumerate(self.events)}

    def happen(self, runner: Runner, events: Sequence[Event]) -> Runner | None:
        """Let simultaneous events act in the order in which they were given."""
        if not events:
            self.close(runner, None)
            return None
        t = runner.t
        if self.cascade.is_endless(self.happened, t):
            self.close(runner, None)
            raise self._endless(t)
        if len(events) == 1 and self.ways is not None:
            following = self.ways.follow(runner, events[0], self.end)
            if following is not None:
                return runner if following is PASS else self._come_back(runner, events[0], following)
        if len(events) > 1:
            events = sorted(events, key=lambda event: self._given[id(event)])
        if not any(callable(event.action) for event in events) and not runner.prescribed_breaks(t):
            return self._note(runner, events)
        return self._act(runner, events)

    def _come_back(self, runner: Runner, event: Event, following: Runner) -> Runner:
        """Go on after a strike in a structure that was there before."""
        self.happened.append(EventRecord(runner.t, event.name))
        self.close(runner, event.name)
        self.before, self.asked = runner, frozenset((event.name,))
        return self._begin_with(following)

    def _note(self, runner: Runner, events: Sequence[Event]) -> Runner | None:
        """Let events happen that change nothing."""
        for event in events:
            self.happened.append(EventRecord(runner.t, event.name))
            if event.action is STOP:
                self.close(runner, event.name)
                return None
        return runner

    def _act(self, runner: Runner, events: Sequence[Event]) -> Runner | None:
        """Let the actions of events change mechanism and state; the runner to go on with."""
        if self.ways is not None:
            runner.seen = self.ways.mechanism()
        t, mech, before = runner.t, runner.seen.copy(), runner.state()  # an action may change the mechanism that it is given
        state = before
        for event in events:
            try:
                result = event.act(t, mech, state)
            except KeyboardInterrupt:
                raise
            except Exception as problem:
                self.close(runner, event.name)
                raise self._error(f"the action of event {event.name!r} failed: {problem}", t, None) from problem
            if result is PASS:
                continue
            self.happened.append(EventRecord(t, event.name))
            if result is STOP:
                self.close(runner, event.name)
                return None
            if event.action is not None:
                mech, state = self._changed(runner, event, result)
        if mech.same_as(runner.seen) and state == before and not runner.prescribed_breaks(t):
            return runner  # nothing has changed: go on in the same segment
        self.close(runner, self.happened[-1].name)
        self.before, self.asked = runner, frozenset(event.name for event in events)
        try:
            following = self._new_runner(mech, state, t)
        except RegraftError as problem:
            last = self.happened[-1].name
            raise self._error(f"after event {last!r} the simulation cannot go on: {problem}", t, None) from problem
        if following.contacts is not None and runner.contacts is not None:
            self.happened.extend(EventRecord(t, what) for what in following.contacts.struck_at_start(runner.contacts))
        learned = self.ways is not None and len(events) == 1 and self.ways.arrive(events[0], following)
        return following if learned else self._learn_from(following)

    def _changed(self, runner: Runner, event: Event, result: Any) -> tuple[Mechanism, State]:
        """Mechanism and state that an action returned."""
        problem = "it must return (mech, state), STOP, or PASS for an event that is to be passed over"
        if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Mechanism):
            try:
                result[0].check_state(result[1])
                return result[0].copy(), result[1]  # or whoever kept it could change it under way
            except RegraftError as mismatch:
                problem = str(mismatch)
        self.close(runner, event.name)
        what = "nothing" if result is None else "something else"
        raise self._error(f"the action of event {event.name!r} returned {what}: {problem}.", runner.t, None)

    def _endless(self, t: float) -> SimulationError:
        names = listed(self.cascade.names(self.happened))
        return self._error(
            f"events happen without end at t = {t:.12g}: {names}. Let the action change the state so that the guard leaves zero, "
            "or stop there by returning STOP.",
            t,
            None,
        )

    def _failure(self, runner: Runner, why: int) -> BaseException:
        """Why the compiled loop gave up."""
        self.close(runner, None)
        if isinstance(problem := runner.problem(), KeyboardInterrupt):
            return problem
        if giving_up.is_collapse(runner, why):
            return self._too_short(runner)
        message, joint = giving_up.reason(runner, why)
        error = self._error(message, runner.t, joint)
        error.__cause__ = problem
        return error

    def _too_short(self, runner: Runner, lately: str = "") -> SimulationError:
        """Steps that have collapsed."""
        return self._endless(runner.t) if self.cascade.in_a_row > 1 else self._error(*giving_up.collapse(runner, lately))

    def _error(self, message: str, t: float, joint: str | None) -> SimulationError:
        message = message if message.endswith((".", "!", "?")) else f"{message}."
        return SimulationError(message, self._trajectory(), t, joint, "The trajectory so far is in the error's .trajectory.")
