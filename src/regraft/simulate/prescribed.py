"""Joints whose motion is prescribed in a run: position, velocity and acceleration as functions of time.

Joints of the tree are put there at every stage of every step, so each is where its function says to the last digit, and loops and
couplings are closed without moving it. Loop joints, and in maximal coordinates all joints, have constraint rows along their own
coordinates (`kernels.constraints.prescribed_rows`), and are put back there after each step, as loops are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.assembly import close_velocities
from ..ask.told import Place, prescribed_work
from ..compilation import address_of
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError, listed
from ..kernels.constraints.closure import closed_positions
from ..kernels.prescribed import prescribed_closed_step, prescribed_closing, prescribed_dynamics, prescribed_step
from ..kernels.tables import GIVEN, HELD
from ..structure.workspace import Workspace
from ..tolerances import ASSEMBLED, CLOSED
from .flow import Calls
from .imposing import Imposing, imposing_kernel
from .motions import Motion, Told, told_in

Array = NDArray[np.float64]

_TRIALS = 20  # steps by which loops are closed from where they are closed but for a user's digits


class Guiding:
    """The prescribed motions of a run in one structure, in the coordinates of the loop."""

    def __init__(self, mech: Mechanism, motions: Mapping[str, Motion]) -> None:
        self.mech, self.joints = mech, told_in(mech, motions)
        self.work: Workspace
        self.places: list[Place]
        self.work, self.places = prescribed_work(mech, [joint.name for joint in self.joints])

    def check_start(self, t: float, seen: Mechanism, state: State, span: float, first: bool) -> dict[str, Array]:
        """Refuse a state of the user's mechanism from which a joint would have to jump, and rates that are not those of a motion.

        Velocities that jump are an error at the start of a run (`first`), and an impact later: they are returned by joint.
        """
        jumps = {}
        for joint in self.joints:
            told = joint.at(t)
            closes = joint.name not in seen.layout.q_slices
            way = joint.way(told.q, seen.joint_position(state, joint.name), turns_count=not closes)
            jump = told.v - seen.joint_velocity(state, joint.name)
            gap, slip = (float(np.abs(numbers).max(initial=0.0)) for numbers in (way, jump))
            slips = not slip <= ASSEMBLED * (1.0 + np.abs(told.v).max(initial=0.0))
            if not gap <= ASSEMBLED or (first and slips):
                raise ModelError(
                    f"the prescribed motion of {joint.name!r} does not start where the joint is: it is off by {gap:.3g} in "
                    f"position and {slip:.3g} in velocity at t = {t:g}. Start there: state = assemble(mech, state, q={{"
                    f"{joint.name!r}: …}}, v={{{joint.name!r}: …}})."
                )
            joint.check_rates(t, span)
            if slips:
                jumps[joint.name] = jump
        return jumps

    def start(self, t: float, state: State) -> State:
        """The state with these joints exactly where they are to be, and loops closed without moving them.

        What has to change in velocity for that, all other bodies feel: impulses act in the prescribed joints alone, and in loops.
        """
        q, v, changes = state._q.copy(), state._v.copy(), np.zeros(self.mech.nv)
        for joint, place in zip(self.joints, self.places, strict=True):
            told = joint.at(t)
            place.accelerate(self.work, told.a)
            if place.closes:
                place.keep(self.work, told.q, told.v)
            else:
                q[self.mech.q_slice(joint.name)] = told.q
                changes[place.v] = told.v - v[place.v]
        if changes.any():
            v += self._struck(q, changes)
            for joint, place in zip(self.joints, self.places, strict=True):
                if not place.closes:
                    v[place.v] = joint.at(t).v
        if self.mech.layout.is_constrained:
            closed_positions.call(self.work, q, _TRIALS)
            if not close_velocities(self.work, q, v, CLOSED) <= ASSEMBLED:
                names = listed(joint.name for joint in self.joints)
                raise StructureError(
                    f"loops and couplings do not allow the prescribed velocities of {names} together at t = {t:g}. Prescribe "
                    "fewer joints, or motions that fit each other."
                )
        return State(self.mech.layout, np.concatenate((q, v)))

    def _struck(self, q: Array, changes: Array) -> Array:
        """How all velocities of the tree change where those of prescribed joints change at once: M Δv is their impulses.

        That is how accelerations change with the prescribed ones, whatever else acts.
        """
        tree, found = self.mech.structure.tree, []
        x = np.concatenate((q, np.zeros_like(changes)))
        work, out, impulses = tree.new_work(), np.empty(tree.nv), np.empty(tree.nv)
        for place in self.places:
            if not place.closes:
                work.dof[place.v, HELD] = np.inf
        for part in (1.0, 0.0):
            work.dof[:, GIVEN] = part * changes
            prescribed_dynamics.call(work, x, tree.no_torque, tree.no_forces, out, impulses)
            found.append(out.copy())
        return found[0] - found[1]

    def follow(self, q: Array) -> None:
        """Tell loop joints to be where they are at a position q that may be near the start."""
        state = State(self.mech.layout, np.concatenate((q, np.zeros(self.mech.nv))))
        for place in self.places:
            if place.closes:
                place.keep(self.work, *self.mech.settled(state, place.name, checked=False))

    def act_in(self, calls: Calls, begin: Array) -> Imposing:
        """Let the compiled loop impose these motions; `begin` is the position at the start of its steps."""
        found = Imposing(self.mech, self.joints, self.places, self.work, begin)
        calls.motion, calls.motion_context, calls.has_loops = imposing_kernel(), found.context, True
        calls.dynamics = address_of(prescribed_closed_step if self.mech.layout.is_constrained else prescribed_step)
        if any(place.closes for place in self.places):
            calls.closing = address_of(prescribed_closing)
        return found

    def jump_in(self, times: Any) -> tuple[str, float] | None:
        """A joint whose motion jumps between the first and the last of these times, and when; None where there is none."""
        for joint in self.joints:
            found = joint.jump_in(times)
            if found is not None:
                return joint.name, found
        return None

    def breaks_at(self, t: float) -> bool:
        """Whether a motion jumps at a time, or its acceleration does."""
        return any(joint.breaks_at(t) for joint in self.joints)


class Sampling:
    """The same motions at samples that are computed already, which were moved in time by `later` since."""

    def __init__(self, mech: Mechanism, motions: Mapping[str, Motion], later: float) -> None:
        self.joints: list[Told] = told_in(mech, motions)
        self._layout, self._later = mech.layout, later

    def impose(self, t: float, q: Array, v: Array) -> None:
        """Put the joints of the tree exactly where they are to be."""
        for joint in self.joints:
            if joint.name in self._layout.q_slices:
                q[self._layout.q_slices[joint.name]], v[self._layout.v_slices[joint.name]], _ = joint.at(t - self._later)

    def accelerations(self, t: float) -> dict[str, Array]:
        """By joint."""
        return {joint.name: joint.at(t - self._later).a for joint in self.joints}
