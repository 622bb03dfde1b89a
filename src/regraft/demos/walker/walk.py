"""A walk of a passive biped, step by step: the motion, and what each step took and cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ask.balance import energy
from ...ask.poses import body_poses
from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...models.bipeds import FALL, LEGS, CompassBiped, Legs, standing_leg
from ...simulate import PASS, STOP, Trajectory, simulate

Array = NDArray[np.float64]

LONGEST_STEP = 20.0  # in units of √(length / g): a biped that takes longer balances, and will not step again
SETTLED = 1e-3  # a change per step below which a gait is called steady
ENOUGH, ON_CYCLE = 80, 1e-9  # steps after which a biped is on its limit cycle, and the change per step by which that is told


@dataclass(frozen=True)
class Step:
    """From one heel strike to the next."""

    number: int
    foot: str
    """The leg whose foot lands at its end."""
    period: float
    length: float
    """Between the feet at its end."""
    lost: float
    """Energy that the strike at its end took."""
    gained: float
    """Potential energy that the slope gave from its start to its end."""
    change: float
    """How far the state after the strike at its end is from the one after the strike at its start: rad and rad/s together."""
    legs: Legs
    """The state after the strike at its end."""
    off_cycle: float = math.nan
    """How far that is from the limit cycle; NaN where there is none."""

    @property
    def speed(self) -> float:
        """Mean speed along the slope."""
        return self.length / self.period


@dataclass(frozen=True)
class LegMotion:
    """One leg during one step: its angle from the vertical and its rate."""

    supports: bool
    angle: Array
    rate: Array


@dataclass(frozen=True)
class Walk:
    """A walk and its steps."""

    biped: CompassBiped
    trajectory: Trajectory
    steps: tuple[Step, ...]
    fell: bool

    @property
    def end(self) -> float:
        """When it ended."""
        return float(self.trajectory.segments[-1].t[-1])

    @property
    def settled(self) -> bool:
        """Whether its last step was as the one before."""
        return not self.fell and len(self.steps) > 2 and self.steps[-1].change < SETTLED

    def leg(self, name: str) -> list[LegMotion]:
        """The motion of a leg, a piece for each time between strikes."""
        history = self.trajectory.body(name)
        angles = np.unwrap(np.arctan2(history.rotation[:, 0, 2], history.rotation[:, 2, 2]))
        pieces = zip(self.by_segment(angles), self.by_segment(history.angular_velocity[:, 1]), strict=True)
        supports = (standing_leg(segment.mech) == name for segment in self.trajectory.segments)
        return [LegMotion(stands, angle, rate) for stands, (angle, rate) in zip(supports, pieces, strict=True)]

    def by_segment(self, values: Array) -> list[Array]:
        """What was found at all samples, a piece for each time between strikes."""
        return np.split(values, np.cumsum([len(segment.t) for segment in self.trajectory.segments])[:-1])

    def legs_at(self, t: float) -> dict[str, tuple[float, float]]:
        """Angle and rate of each leg at a time, by its name."""
        mech = self.trajectory.mechanism(t)
        legs = self.biped.legs(mech, self.trajectory.state(t))
        stance, swing = (legs.stance, legs.stance_rate), (legs.swing, legs.swing_rate)
        return dict(zip(LEGS, (stance, swing) if standing_leg(mech) == LEGS[0] else (swing, stance), strict=True))

    def outcome(self) -> str:
        """How it ended, in a sentence."""
        count = f"{len(self.steps)} step{'' if len(self.steps) == 1 else 's'}"
        if self.fell:
            return f"The walker fell after {count}, {self.end:.2f} s after its start."
        if self.trajectory.interrupted:
            return f"The walk was interrupted after {count}."
        if self.trajectory.segments[-1].event is None:
            return f"The walker stopped stepping after {count} and balances."
        return f"The walker made {count} in {self.end:.2f} s."


def take_walk(biped: CompassBiped, steps: int, made: Callable[[int], object] = lambda _count: None) -> Walk:
    """Walk so many steps, or until the biped falls; `made` is told after each step how many there are."""
    strikes: list[tuple[Mechanism, State]] = []

    def counted(action: Any) -> Any:
        def strike(mech: Mechanism, state: State) -> Any:
            after = action(mech, state)
            if after is not PASS:
                strikes.append(after)
                made(len(strikes))
            return STOP if len(strikes) == steps else after

        return strike

    events = [event if event.action is STOP else replace(event, action=counted(event.action)) for event in biped.events]
    gravity = float(np.linalg.norm(biped.mech.gravity))
    duration = steps * LONGEST_STEP * math.sqrt(biped.length / gravity)
    found = simulate(*biped.start, duration, events=events, progress=False)
    fell = bool(found.events) and found.events[-1].name == FALL
    return Walk(biped, found, tuple(_steps(biped, found, strikes)), fell)


def cycle_of(biped: CompassBiped) -> Legs | None:
    """The state after a strike on the limit cycle to which a biped converges, found by walking on; None where it does not."""
    walk = take_walk(biped, ENOUGH)
    return walk.steps[-1].legs if len(walk.steps) == ENOUGH and walk.steps[-1].change < ON_CYCLE else None


def with_distances(walk: Walk, cycle: Legs | None) -> Walk:
    """The walk with the distance of each step from a limit cycle."""
    if cycle is None:
        return walk
    return replace(walk, steps=tuple(replace(step, off_cycle=_distance(step.legs, cycle)) for step in walk.steps))


def disturbed(biped: CompassBiped, factor: float) -> CompassBiped:
    """The same biped, started with other rates."""
    legs = biped.legs(biped.mech, biped.state)
    rates = {"stance_rate": factor * legs.stance_rate, "swing_rate": factor * legs.swing_rate}
    return replace(biped, state=biped.standing(legs._replace(**rates)))


def _steps(biped: CompassBiped, found: Trajectory, strikes: list[tuple[Mechanism, State]]) -> list[Step]:
    """The steps that the strikes end."""
    made = []
    before = biped.start
    for number, (segment, after) in enumerate(zip(found.segments, strikes, strict=False), 1):
        end = energy(segment.mech, segment.state(segment.t[-1]))
        old, new = biped.legs(*before), biped.legs(*after)
        made.append(
            Step(
                number,
                standing_leg(after[0]),
                period=float(segment.t[-1] - segment.t[0]),
                length=2.0 * biped.length * abs(math.sin(0.5 * (new.stance - new.swing))),
                lost=end.total - energy(*after).total,
                gained=energy(*before).potential - end.potential,
                change=_distance(old, new),
                legs=new,
            )
        )
        before = after
    return made


def _distance(one: Legs, other: Legs) -> float:
    return float(np.linalg.norm(np.subtract(one, other)))


def positions(walk: Walk, times: Array) -> dict[str, Array]:
    """Hip and feet at several times, (times, 2): the distance walked, which counts down the slope, and the height."""
    places: dict[str, list[Array]] = {name: [] for name in ("hip", *LEGS)}
    for t in times.tolist():
        poses = body_poses(walk.trajectory.mechanism(t), walk.trajectory.state(t))
        places["hip"].append(poses[LEGS[0]].translation)
        for leg in LEGS:
            places[leg].append(poses[leg].apply((0.0, 0.0, -walk.biped.length)))
    return {name: np.array(found)[:, [0, 2]] * (-1.0, 1.0) for name, found in places.items()}
