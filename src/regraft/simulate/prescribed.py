"""Joints whose motion is prescribed in a run: position, velocity and acceleration as functions of time.

They are imposed at every stage of every step, so a joint is where its function says to the last digit. Loops and couplings are
closed without moving it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite
from ..ask.manifold import difference
from ..ask.prescribed import prescribed_place
from ..compilation import address_of
from ..describe.graph import by_name
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from ..kernels.constraints.closure import closed_positions, closed_velocities
from ..kernels.prescribed import prescribed_closed_step, prescribed_step
from ..kernels.tables import GIVEN, HELD
from ..structure.workspace import Workspace
from ..tolerances import ASSEMBLED, PRESCRIBED_RATE

Array = NDArray[np.float64]
Motion = Callable[[float], Any]
"""From a time to (position, velocity, acceleration)."""

_NEARBY = 1e-4  # s: the step of a derivative


def motions_of(prescribed: Any, mech: Mechanism, maximal: bool) -> dict[str, Motion]:
    """The prescribed motions that a user gives, checked."""
    given = dict(by_name("prescribed", "joints", prescribed))
    if given and maximal:
        raise ModelError('prescribed motions need the coordinates of joints: use coordinates="reduced".')
    for name, motion in given.items():
        prescribed_place(mech, name)
        if not callable(motion):
            raise ModelError(f"prescribed: the motion of {name!r} must be a function of time, t -> (q, v, a), not {motion!r}.")
    return given


class Place(NamedTuple):
    """A prescribed joint in one structure."""

    name: str
    motion: Motion
    q: slice
    v: slice
    curved: bool

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration at a time, checked."""
        found = self.motion(t)
        try:
            q, v, a = found
        except (TypeError, ValueError):
            raise ModelError(
                f"the prescribed motion of {self.name!r} must return (q, v, a) of the joint; not {found!r}."
            ) from None
        counts = (("position", q, self.q), ("velocity", v, self.v), ("acceleration", a, self.v))
        position, velocity, rate = (
            finite(
                f"the prescribed {what} of {self.name!r} at t = {t:g}",
                np.reshape(numbers, 1) if np.ndim(numbers) == 0 else numbers,
                (where.stop - where.start,),
            )
            for what, numbers, where in counts
        )
        return position, velocity, rate


class Guiding:
    """The prescribed motions of a run in one structure; joints that are not there, or no longer, are left out."""

    def __init__(self, mech: Mechanism, motions: Mapping[str, Motion], later: float = 0.0) -> None:
        layout = mech.layout
        self.mech, self.later = mech, later
        self.curved = {layout.names[j] for j in layout.curved}
        self.places = [
            Place(name, motion, layout.q_slices[name], prescribed_place(mech, name), name in self.curved)
            for name, motion in motions.items()
            if name in mech.joints
        ]

    def hold(self, work: Workspace) -> None:
        """Let a workspace not move these joints."""
        for place in self.places:
            work.dof[place.v, HELD] = np.inf

    def impose(self, t: float, q: Array, v: Array, given: Array | None = None) -> None:
        """Put positions and velocities at a time into q and v, and accelerations into `given` (nv,)."""
        for place in self.places:
            q[place.q], v[place.v], rate = place.at(t - self.later)
            if given is not None:
                given[place.v] = rate

    def accelerations(self, t: float) -> dict[str, Array]:
        """By joint."""
        return {place.name: place.at(t - self.later)[2] for place in self.places}

    def check_start(self, t: float, state: State, span: float) -> None:
        """Refuse a state from which a motion would have to jump, and velocities that are not those of the positions."""
        for place in self.places:
            q, v, _ = place.at(t)
            there = state._q.copy()
            there[place.q] = q
            gap = np.abs(difference(self.mech, state._q, there)[place.v]).max(initial=0.0)
            slip = np.abs(state._v[place.v] - v).max(initial=0.0)
            if not (gap <= ASSEMBLED and slip <= ASSEMBLED * (1.0 + np.abs(v).max(initial=0.0))):
                raise ModelError(
                    f"the prescribed motion of {place.name!r} does not start where the joint is: it is off by {gap:.3g} in "
                    f"position and {slip:.3g} in velocity at t = {t:g}. Start there: state = assemble(mech, state.replace(q={{"
                    f"{place.name!r}: …}}, v={{{place.name!r}: …}}), hold={place.name!r})."
                )
            self._check_rates(place, t, there, min(_NEARBY, 0.1 * span))

    def _check_rates(self, place: Place, t: float, q: Array, h: float) -> None:
        """Velocity and acceleration against differences of the positions and velocities just after the start."""
        if h <= 0.0:
            return
        samples = [place.at(t + i * h) for i in range(3)]
        moved = []
        for position, _, _ in samples:
            other = q.copy()
            other[place.q] = position
            moved.append(difference(self.mech, other, q)[place.v])
        (_, v, a), (_, v_1, _), (_, v_2, _) = samples
        size = 1.0 + float(max(np.abs(v).max(initial=0.0), h * np.abs(a).max(initial=0.0)))
        for what, of, found, told, scale in (
            ("velocity", "position", (4.0 * moved[1] - moved[2] - 3.0 * moved[0]) / (2.0 * h), v, size),
            ("acceleration", "velocity", (4.0 * v_1 - v_2 - 3.0 * v) / (2.0 * h), a, size + float(np.abs(a).max(initial=0.0))),
        ):
            if not np.abs(found - told).max(initial=0.0) <= PRESCRIBED_RATE * scale:
                raise ModelError(
                    f"the prescribed {what} of {place.name!r} is {told.tolist()} at t = {t:g}, but its {of} changes at "
                    f"{found.round(6).tolist()}: give (q, v, a) of one motion."
                )

    def start(self, t: float, work: Workspace, state: State) -> State:
        """The state with these joints exactly where they are to be, and loops closed without moving them."""
        q, v = state._q.copy(), state._v.copy()
        self.impose(t, q, v, work.dof[:, GIVEN])
        if self.mech.layout.is_constrained:
            closed_positions.call(work, q, 20)
            closed_velocities.call(work, q, v)
        return State(self.mech.layout, np.concatenate((q, v)))

    def stage(self, work: Workspace, begin: Array) -> Callable[[float, Array, Array, Array], None]:
        """A function that imposes the motions on one stage of a step, whose start has the position `begin`.

        It changes q, v and the way `u` from the start of the step to q.
        """
        given = work.dof[:, GIVEN]

        def imposing(t: float, q: Array, v: Array, u: Array) -> None:
            self.impose(t, q, v, given)
            for place in self.places:
                if place.curved:
                    u[place.v] = difference(self.mech, q, begin)[place.v]
                else:
                    u[place.v] = q[place.q] - begin[place.q]

        return imposing


def dynamics_of(mech: Mechanism) -> int:
    """The address of the dynamics where motions are prescribed."""
    return address_of(prescribed_closed_step if mech.layout.is_constrained else prescribed_step)
