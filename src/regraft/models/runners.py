"""The spring-legged runner: a point mass on a spring without mass, the spring-mass model of running (Blickhan, 1989)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..algebra.pose import Pose, finite_number
from ..ask.poses import body_poses, body_twists
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Sphere
from ..describe.state import State
from ..errors import ModelError
from ..joints import Prismatic, Revolute
from ..simulate import PASS, STOP, when_frame_below, when_joint
from .ready import Model, add_limb, positive

BODY, LEG, CARRIAGE = "body", "leg", "carriage"
"""The mass; what carries it weighs nothing: the leg on the ground, and in flight a carriage."""
FOOT, SPRING = "foot", "spring"
"""The joints of stance: the angle of the leg from the vertical, forward positive, and its length."""
FORWARD, UP = "forward", "up"
"""The joints of flight."""
TOUCH, LIFT, FALL = "touch-down", "lift-off", "fall"
_BALL, _ROD = 0.08, 0.02  # of the leg's length: the radii of the mass and of the leg, as they are drawn


def spring_runner(
    angle: float = math.radians(68.0),
    stiffness: float = 20_000.0,
    speed: float = 5.0,
    height: float = 1.0,
    mass: float = 80.0,
    length: float = 1.0,
    gravity: float = 9.81,
) -> Model:
    """A point mass that runs towards +x on level ground with a spring for a leg, and always lands at the same angle.

    In flight it falls freely, carried by the joints "forward" and "up". Where the foot of the leg, at its angle and of its rest
    length, meets the ground, the mass is carried by a leg instead: the hinge "foot" and the sliding joint "spring". Where that
    has its rest length again, it flies. Nothing is lost. With the numbers of a human deviations die out without any control:
    running is self-stable (Seyfarth, Geyer, Günther, Blickhan, 2002).

    Energy is kept, so gaits are a family; the `match` of the model puts the energy back to that of `speed` and `height`.

    Parameters
    ----------
    angle : float, optional
        Of the leg at touch-down, from the ground, in radians.
    stiffness : float, optional
        Of the leg, in N/m.
    speed, height : float, optional
        The energy is that of a mass with this speed at this height; m/s, m.
    mass : float, optional
        In kg.
    length : float, optional
        Of the leg at rest, in metres.
    gravity : float, optional
        In m/s².

    Returns
    -------
    Model
        The runner in the moment of touch-down, with events "touch-down", its section, "lift-off", and "fall", a stop.

    Raises
    ------
    ModelError
        If a number is not positive, or the energy does not reach to a touch-down.

    Examples
    --------
    >>> import regraft as rg
    >>> runner = rg.models.spring_runner()
    >>> gait = rg.gait.limit_cycle(*runner.start, runner.events, section=runner.section, match=runner.match)
    >>> gait.stable, round(gait.period, 6)
    (True, 0.252533)
    """
    l, g = positive("length", length), positive("gravity", gravity)
    lean = finite_number("angle", angle)
    if not 0.0 < lean < math.pi / 2.0:
        raise ModelError(f"angle must be between 0 and π/2 in radians, not {lean:g}.")
    touch = l * math.sin(lean)
    spare = positive("speed", speed) ** 2 + 2.0 * g * (positive("height", height) - touch)
    if spare <= 0.0:
        raise ModelError(f"with this energy the mass does not come up to the height of touch-down, {touch:g} m.")
    runner = _Runner(positive("mass", mass), l, positive("stiffness", stiffness), math.pi / 2.0 - lean, g)
    events = (
        when_frame_below(BODY, touch, _TouchDown(runner), name=TOUCH),
        when_joint(SPRING, l, _LiftOff(runner), direction=1, name=LIFT, missing="wait"),
        when_frame_below(BODY, 0.0, STOP, name=FALL),
    )
    down = math.sqrt(min(2.0 * g * max(height - touch, 0.1 * (l - touch)), 0.75 * spare))
    standing = runner.standing(0.0)
    state = runner.landed(standing, math.sqrt(spare - down**2), -down)
    return Model(standing, state, events=events, section=(TOUCH,), match=_SameEnergy(standing, l, spare))


@dataclass(frozen=True)
class _Runner:
    """What the mechanisms of flight and of stance are made of."""

    mass: float
    length: float
    stiffness: float
    lean: float
    """Of the leg at touch-down, from the vertical: how far the foot is ahead."""
    gravity: float

    def flying(self) -> Mechanism:
        """The mass in flight."""
        mech = Mechanism(gravity=(0.0, 0.0, -self.gravity))
        mech.add_body(CARRIAGE, Inertia.point(0.0))
        self._add_mass(mech)
        mech.add_joint(FORWARD, Prismatic((1.0, 0.0, 0.0)), WORLD, CARRIAGE)
        mech.add_joint(UP, Prismatic((0.0, 0.0, 1.0)), CARRIAGE, BODY)
        return mech

    def standing(self, place: float) -> Mechanism:
        """The mass on its leg, whose foot is at a place."""
        mech = Mechanism(gravity=(0.0, 0.0, -self.gravity))
        mech.add_body(LEG, Inertia.point(0.0))
        self._add_mass(mech)
        add_limb(mech, LEG, (0.0, 0.0, 0.0), (0.0, 0.0, 0.5 * self.length), _ROD * self.length)
        mech.add_joint(FOOT, Revolute((0.0, 1.0, 0.0)), WORLD, LEG, Pose(translation=(place, 0.0, 0.0)))
        mech.add_joint(SPRING, Prismatic((0.0, 0.0, 1.0), stiffness=self.stiffness, rest=self.length), LEG, BODY)
        return mech

    def _add_mass(self, mech: Mechanism) -> None:
        mech.add_body(BODY, Inertia.point(self.mass))
        mech.add_shape(BODY, Sphere(_BALL * self.length))

    def landed(self, standing: Mechanism, forward: float, up: float) -> State:
        """The state at touch-down of a mass with these velocities."""
        s, c = math.sin(-self.lean), math.cos(self.lean)
        rates = {FOOT: (c * forward - s * up) / self.length, SPRING: s * forward + c * up}
        return standing.state(q={FOOT: -self.lean, SPRING: self.length}, v=rates)


@dataclass(frozen=True)
class _TouchDown:
    """The leg takes hold of the ground ahead."""

    runner: _Runner

    def __call__(self, mech: Mechanism, state: State) -> Any:
        if SPRING in mech.joints:
            return PASS
        place = float(state.q[0]) + self.runner.length * math.sin(self.runner.lean)
        standing = self.runner.standing(place)
        return standing, self.runner.landed(standing, float(state.v[0]), float(state.v[1]))


@dataclass(frozen=True)
class _LiftOff:
    """The leg leaves the ground."""

    runner: _Runner

    def __call__(self, mech: Mechanism, state: State) -> tuple[Mechanism, State]:
        flying = self.runner.flying()
        position, velocity = body_poses(mech, state)[BODY].translation, body_twists(mech, state)[BODY][3:]
        return flying, flying.state(q=position[[0, 2]], v=velocity[[0, 2]])


@dataclass(frozen=True)
class _SameEnergy:
    """A step later: the speed that the energy gives at touch-down."""

    mech: Mechanism
    length: float
    speed_squared: float

    def __call__(self, mech: Mechanism, state: State) -> State:  # noqa: ARG002
        turn, stretch = (float(v) for v in state.v)
        factor = math.sqrt(self.speed_squared) / math.hypot(self.length * turn, stretch)
        return self.mech.state(q=state.q, v=[factor * turn, factor * stretch])
