"""States of a batch in packs: what a thread needs for it."""

from __future__ import annotations

from ctypes import addressof
from typing import Any

import numpy as np

from ...algebra.scalars import LANES, aligned_zeros
from ...describe.mechanism import Mechanism
from ...kernels.memory import VARIANTS_AT
from ..callbacks import Callback
from ..contacts.rubs import has_friction
from ..driver import Call
from ..drives import Motors, guard_driver
from ..events import Event, FrameBelow, JointAt, function_row
from ..flow import POSITIONS, VELOCITIES, Calls
from ..guards import Guard
from ..laws import Home, law_of_guard
from ..records import given, given_array
from .lane_calls import CallInLanes
from .lane_guards import looking_kernel
from .lane_measures import measuring_kernel
from .lanes import HANDED_OVER, Course, Motions, Room
from .one_by_one import OneByOne
from .rollout import roll_out
from .task import Outcome, Task


def fit_for_packs(task: Task) -> bool:
    """Whether motions can be computed in packs: those of trees without dry friction, in fixed steps."""
    fixed = not (task.method.adaptive or task.method.of_free_bodies)
    tree = not (task.mech.layout.is_constrained or has_friction(task.mech))
    return fixed and tree and task.options["coordinates"] == "reduced"


class Shared:
    """All states, as compiled code takes them: what all workers share."""

    def __init__(self, task: Task, outcome: Outcome) -> None:
        clock, mech = task.clock, task.mech
        self.variants = task.variants.table()
        """(states, numbers), or nothing."""
        arrays = {
            "q": task.q, "v": task.v, "torque": task.drive.table, "variants": self.variants, "times": clock.times,
            "sizes": clock.sizes, "out_q": outcome.q, "out_v": outcome.v, "last_q": outcome.last_q, "last_v": outcome.last_v,
            "reached": outcome.steps, "fate": outcome.fate, "measured": outcome.measured, "stop": outcome.stop,
        }  # fmt: skip
        self._keep = arrays
        self._record = Motions(
            states=task.count, nq=mech.nq, nv=mech.nv, steps=clock.steps, samples=len(clock.samples),
            numbers=self.variants.shape[1], measures=2 * len(task.measures), torques=len(task.drive.table),
            **{name: array.ctypes.data for name, array in arrays.items()},
        )  # fmt: skip
        self.motions = given(self._record)


class PackWorker:
    """What one thread computes packs with."""

    def __init__(self, task: Task, outcome: Outcome, shared: Shared, single: OneByOne) -> None:
        self.task, self.outcome, self._shared, self._single = task, outcome, shared, single
        structure, nq, nv = task.mech.structure, task.mech.nq, task.mech.nv
        self._work = structure.new_pack_work()
        self._home = Home.of(task.mech)
        self._lanes = np.zeros(LANES, np.int64)
        self._functions: list[CallInLanes] = []
        self._calls, self.course = Calls(), Course(every=task.clock.every, rows=task.drive.rows)
        self._guards = self._watch(task.events)
        self._measures: Any = given_array(task.measures.records)
        if len(self._measures):
            self.course.measuring, self.course.measures = measuring_kernel(), self._measures.ctypes.data
            self.course.measure_count = len(self._measures)
        self._drive()
        self._arrays = {
            "q": aligned_zeros((POSITIONS, nq, LANES)),
            "v": aligned_zeros((VELOCITIES, nv, LANES)),
            "result": aligned_zeros((1, LANES)),
            "push": np.zeros((1, 6)),
            "variants": aligned_zeros((shared.variants.shape[1], LANES)),
            "signs": aligned_zeros((len(self._guards), LANES)),
            "measured": aligned_zeros((2 * len(self._measures), LANES)),
            "lanes": self._lanes,
        }
        if shared.variants.size:
            self._work.header[VARIANTS_AT] = self._arrays["variants"].ctypes.data
        addresses = {name: array.ctypes.data for name, array in self._arrays.items()}
        self._room = Room(tree=self._work, calls=addressof(self._calls), **addresses)

    @property
    def callbacks(self) -> list[Callback]:
        """The functions of the user that are called."""
        return [callback for function in self._functions for callback in function.callbacks]

    def run(self, first: int, end: int) -> None:
        """Compute the motions of some states; those that are handed over go on by themselves."""
        method = self.task.method.method
        roll_out.call(method, given(self.course), given(self._room), self._shared.motions, first, end)
        outcome = self.outcome
        outcome.until[first:end] = self.task.clock.times[outcome.steps[first:end]]
        for b in first + np.flatnonzero(outcome.fate[first:end] == HANDED_OVER):
            if outcome.stop[0]:
                return
            self._single.finish(int(b))

    def _drive(self) -> None:
        """Let packs call what drives the joints."""
        torques = self.task.drive.torques(self.task.mech)
        if torques is not None:
            call = Call.of(torques.driver(self.task.mech, _unseen, Motors(self.task.mech)))
            function = self._in_lanes(call, self.task.mech.nv)
            self._calls.torque, self._calls.torque_context = function.address, function.context

    def _watch(self, events: tuple[Event, ...]) -> Any:
        """The guards of all events that are there."""
        found = [(event, guard) for event in events if (guard := self._guard(event)) is not None]
        guards = (Guard * len(found))()
        for e, (event, guard) in enumerate(found):
            guards[e] = guard
            guards[e].direction, guards[e].armed = event.direction, event.already != "wait"
        table: Any = given_array(guards)
        if found:
            self.course.looking, self.course.guards, self.course.guard_count = looking_kernel(), table.ctypes.data, len(found)
        return table

    def _guard(self, event: Event) -> Guard | None:
        mech, guard = self.task.mech, event.guard
        if isinstance(guard, FrameBelow):
            return guard.row(mech)
        if isinstance(guard, JointAt):
            return None if guard.found_in(mech) is None else guard.row(mech)
        law = law_of_guard(guard.function)
        driver = None if law is None else guard_driver(law, mech, self._home, _unseen)
        if driver is None:
            return None
        function = self._in_lanes(Call.of(driver), 1)
        return function_row(Call(function.address, function.context))

    def _in_lanes(self, call: Call, size: int) -> CallInLanes:
        mech = self.task.mech
        function = CallInLanes(call, size, mech.nq + mech.nv, self._lanes)
        self._functions.append(function)
        return function


def _unseen(_t: float, _x: Any) -> tuple[Mechanism, Any]:
    raise AssertionError("functions of mechanism and state are not for packs")
