"""The motion of a scene with contacts, and what became of its energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...simulate import Trajectory, simulate
from ...simulate.contacts.results import ContactHistories, ContactHistory
from .plan import Plan

Array = NDArray[np.float64]
Words = NDArray[np.str_]

RESTS = 1e-9
"""A motion with less kinetic energy than this part of the most that it had has come to rest."""
HEADINGS = ("scene", "rest (s)", "steps", "events", "impacts", "friction", "by impact", "other")
_UNITS = {1e3: "kJ", 1.0: "J", 1e-3: "mJ", 1e-6: "µJ", 1e-9: "nJ", 1e-12: "pJ"}


@dataclass(frozen=True, eq=False)
class Moved:
    """A scene that has been computed."""

    plan: Plan
    traj: Trajectory

    @cached_property
    def contacts(self) -> ContactHistories:
        """What all contacts did."""
        return self.traj.contacts()

    @cached_property
    def kinetic(self) -> Array:
        """(samples,): kinetic energy, J."""
        return self.traj.energy().kinetic

    @cached_property
    def potential(self) -> Array:
        """(samples,): potential energy above the least, J."""
        found = self.traj.energy().potential
        above: Array = found - found.min()
        return above

    @cached_property
    def impacts(self) -> Array:
        """(samples,): what impacts have taken, J: what is lost where one segment ends and the next begins."""
        lost = self.contacts.dissipated
        starts = np.cumsum([len(segment.t) for segment in self.traj.segments])[:-1]
        jumps = np.zeros(len(lost))
        jumps[starts] = lost[starts] - lost[starts - 1]
        return np.cumsum(jumps)

    @cached_property
    def friction(self) -> Array:
        """(samples,): what sliding friction has taken, J."""
        return self.contacts.dissipated - self.impacts

    @cached_property
    def other(self) -> Array:
        """(samples,): what else has gone, J; where nothing else takes energy, the error of the balance."""
        total = self.kinetic + self.potential
        gone: Array = total[0] - total - self.contacts.dissipated
        return gone

    @cached_property
    def rest(self) -> float:
        """When it came to rest, s; the end where it did not."""
        moving = np.flatnonzero(self.kinetic > RESTS * self.kinetic.max())
        return float(self.traj.t[min(moving[-1] + 1, len(self.kinetic) - 1)])

    @property
    def rests(self) -> bool:
        """Whether it came to rest."""
        return bool(self.kinetic[-1] <= RESTS * self.kinetic.max())

    @cached_property
    def struck(self) -> Array:
        """(impacts, 2): when there were impacts, s, and the largest impulse of a contact in each, N s."""
        found: dict[float, float] = {}
        for name in self.contacts:
            for impact in self.contacts[name].impacts:
                found[impact.t] = max(found.get(impact.t, 0.0), float(np.linalg.norm(impact.impulse)))
        return np.array(sorted(found.items())).reshape(-1, 2)

    @cached_property
    def on_the_ground(self) -> tuple[Array, Array]:
        """(samples,) twice: all normal forces of the ground, and the size of all of its friction together, N."""
        own = [
            self.contacts[name] for name, contact in zip(self.contacts, self.plan.contacts, strict=True) if contact.b == "ground"
        ]
        rubbing = np.linalg.norm(sum(one.friction for one in own), axis=1)
        return sum((one.normal for one in own), np.zeros(len(self.traj.t))), rubbing

    @property
    def weight(self) -> float:
        """Of everything, N."""
        mass = sum(body.inertia.mass for body in self.plan.mech.bodies.values())
        return mass * float(np.linalg.norm(self.plan.mech.gravity))

    @cached_property
    def modes(self) -> dict[str, Words]:
        """The modes of what ever touched, (samples,), by name."""
        groups = self.plan.groups or {name: (name,) for name in self.contacts}
        found = {label: mode_of([self.contacts[name] for name in names]) for label, names in groups.items()}
        return {label: modes for label, modes in found.items() if (modes != "open").any()}

    def closed(self, t: float) -> int:
        """How many points touch at a time."""
        at = min(int(np.searchsorted(self.traj.t, t, side="right")), len(self.traj.t)) - 1
        return sum(point.mode[at] != "open" for name in self.contacts for point in self.contacts[name].points)

    def cells(self) -> tuple[str, ...]:
        """A row of a table."""
        lost = (float(values[-1]) for values in (self.friction, self.impacts, self.other))
        rest = f"{self.rest:.3f}" if self.rests else "–"
        counts = str(self.traj.steps), str(self.happened), str(len(self.struck))
        return (self.plan.title, rest, *counts, *(joule(value) for value in lost))

    @property
    def happened(self) -> int:
        """How many events there were. Bounces that were made one event, which counts the first of them again, are told apart."""
        return sum(max(1, event.count - 1) for event in self.traj.events)

    def outcome(self) -> str:
        """What happened, in a sentence."""
        ended = f"came to rest after {self.rest:.3f} s" if self.rests else f"still moves after {self.traj.t[-1]:.3g} s"
        start = float(self.kinetic[0] + self.potential[0])
        parts = [f"friction took {joule(self.friction[-1])}", f"impacts took {joule(self.impacts[-1])}"]
        parts += [f"{self.plan.other} took {joule(self.other[-1])}"] if self.plan.other else []
        return (
            f"{self.plan.title} {ended}, with {self.happened} events, {len(self.struck)} of them impacts; of {joule(start)}, "
            f"{', '.join(parts)}."
        )


def move(plan: Plan) -> Moved:
    """Compute a scene."""
    traj = simulate(
        plan.mech, plan.state, plan.duration, torque=plan.torque, events=plan.events, contacts=plan.contacts,
        rtol=plan.rtol, atol=0.1 * plan.rtol, progress=False,
    )  # fmt: skip
    return Moved(plan, traj)


def mode_of(histories: Sequence[ContactHistory]) -> Words:
    """The mode of some contacts together: the one that holds most."""
    found = np.full(len(histories[0].t), "open", dtype="<U8")
    for word in ("sliding", "rolling", "sticking"):
        for one in histories:
            found[one.mode == word] = word
    return found


def joule(value: float) -> str:
    """An energy in J with three digits, in a unit that suits it."""
    for unit, word in _UNITS.items():
        if abs(value) >= unit:
            return f"{value / unit:.3g} {word}"
    return "0 J"
