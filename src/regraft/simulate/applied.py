"""What drove a motion: the torques and wrenches of a run at its samples, and the reactions of the joints to them.

A run does not record them. Its functions are asked again at the samples, when somebody wants to know; a file has the answers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ask.loads import put_wrenches
from ..ask.prescribed import driven_dynamics, tell_shared
from ..ask.reactions import joint_reactions
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from .contacts.looking import Looking, Pushed, pushed_by, with_pushes
from .drives import Motors, Pushes, Torques
from .motions import Motion
from .prescribed import Guiding, Sampling
from .recorded import Segment
from .shown import Shown

Array = NDArray[np.float64]
Rows = Callable[[float, State], Array]


class Forces(NamedTuple):
    """What acts on a mechanism at the samples of a segment; None where nothing does."""

    torques: Array | None = None
    """(samples, N_J): of the tree joints in the order of v, then of the loop joints."""
    wrenches: Array | None = None
    """(samples, bodies, 6), or (1, bodies, 6) where they are the same all the time."""

    @property
    def are_constant(self) -> bool:
        """Whether they are the same at all samples."""
        return self.torques is None and (self.wrenches is None or len(self.wrenches) == 1)


class Applied:
    """Torques and wrenches of one segment: the functions of the run, and their answers once they have been asked."""

    def __init__(
        self,
        torque: Any = None,
        wrenches: Any = None,
        known: Forces | None = None,
        later: float = 0.0,
        prescribed: Mapping[str, Motion] | None = None,
    ) -> None:
        self.torque, self.wrenches, self.known, self.prescribed = torque, wrenches, known, prescribed or {}
        self.later = later
        """By how much the segment has been moved in time since its run, whose time is that of the functions."""

    def at_other_samples(self, later: float = 0.0) -> Applied | None:
        """The same for a segment with other samples, or moved in time; None where there are no functions to ask."""
        if self.known is None or self.has_functions:
            return Applied(self.torque, self.wrenches, None, self.later + later, self.prescribed)
        return Applied(known=self.known) if self.known.are_constant else None

    @property
    def has_functions(self) -> bool:
        """Whether there is a function that can be asked."""
        return not (self.torque is None and self.wrenches is None and not self.prescribed)

    def impose(self, mech: Mechanism, times: Array, x: Array) -> None:
        """Put the prescribed joints, in states (times, nq + nv), exactly where they are to be."""
        if self.prescribed:
            sampling = Sampling(mech, self.prescribed, self.later)
            for t, state in zip(times.tolist(), x, strict=True):
                sampling.impose(t, state[: mech.nq], state[mech.nq :])

    def __reduce__(self) -> Any:
        # functions stay in their process, as many cannot be sent to another one; without their answers nothing is known there
        if self.known is None and self.has_functions:
            return _not_known, ()
        return Applied, (None, None, self.known, self.later)


def _not_known() -> None:
    return None


def forces_of(segment: Segment) -> Forces:
    """What acted on a segment's mechanism at its samples."""
    applied = segment.applied
    if applied is None:
        raise ModelError(
            "the torques of this motion are not known: it was read from a file and then resampled, or the file does not have "
            "them. Ask for them before resampling, and save the trajectory with this version."
        )
    if applied.known is None:
        applied.known = _asked(segment, applied)
    return applied.known  # type: ignore[no-any-return]


def with_known_forces(segment: Segment) -> Segment:
    """The segment with all that its functions have to say, so that it can do without them."""
    if segment.applied is None:
        return segment
    try:
        return replace(segment, applied=Applied(known=forces_of(segment)))
    except Exception as problem:  # whatever a function of the user raises: the motion itself must not be lost for it
        warnings.warn(
            f"torques and wrenches are not kept with this trajectory: asked again at its samples, a function of the run failed "
            f"({type(problem).__name__}: {problem}).",
            RuntimeWarning,
            stacklevel=4,
        )
        return replace(segment, applied=None)


def _asked(segment: Segment, applied: Applied) -> Forces:
    mech = segment.mech.copy()  # functions get what they cannot spoil

    def sampled(ask: Rows | None) -> Array | None:
        if ask is None:
            return None
        times = (segment.t - applied.later).tolist()
        return np.array([ask(t, State(mech.layout, x)) for t, x in zip(times, segment.seen, strict=True)])

    if isinstance(applied.wrenches, Mapping):
        pushes = _push_table(mech, applied.wrenches)[None] if applied.wrenches else None
    else:
        pushes = sampled(_wrench_rows(mech, applied.wrenches))
    torques = sampled(_torque_rows(mech, applied.torque))
    if applied.prescribed:
        torques = _with_prescribed(segment, applied, torques, pushes)
    return Forces(torques, pushes)


def seen_contacts(segment: Segment, begins: Array | None = None) -> tuple[Looking, Array]:
    """The contacts of a segment, and what is seen of them at its samples; `begins` as in `Looking.seen`."""
    forces = forces_of(segment)
    return _seen_with(segment, forces.torques, forces.wrenches, begins)


def _seen_with(
    segment: Segment, torques: Array | None, wrenches: Array | None, begins: Array | None = None
) -> tuple[Looking, Array]:
    applied = segment.applied
    guided = Guiding(segment.moved, applied.prescribed) if applied.prescribed else None
    looking = Looking(segment, guided, applied.later)
    return looking, looking.seen(segment.t, segment.x, torques, wrenches, begins)


def pushed(segment: Segment) -> Pushed:
    """What contacts do to the bodies and joints of a segment's mechanism at its samples."""
    if segment.contacts is None:
        return Pushed({}, {})
    looking, seen = seen_contacts(segment)
    return pushed_by(segment, looking.points, seen)


def _with_prescribed(segment: Segment, applied: Applied, torques: Array | None, pushes: Array | None) -> Array:
    """(samples, N_J): the torques, with those that prescribed motions take."""
    mech = _without_rubs(segment)
    found = np.zeros((len(segment.t), mech.coordinates.count)) if torques is None else torques.copy()
    acting = Forces(torques, pushes)
    if segment.contacts is not None:
        looking, seen = _seen_with(segment, torques, pushes)
        acting = _and_contacts(segment, pushed_by(segment, looking.points, seen), acting)
    sampling, where = Sampling(mech, applied.prescribed, applied.later), mech.coordinates.slices
    for i, (t, x) in enumerate(zip(segment.t.tolist(), segment.seen, strict=True)):
        state = State(mech.layout, x)
        driven = driven_dynamics(mech, state, sampling.accelerations(t), *_by_name(mech, acting, i))
        if i == 0:
            tell_shared(mech, state, driven)
        for name, torque in driven.torques.items():
            found[i, where[name]] += torque
    return found


def _by_name(mech: Mechanism, forces: Forces, i: int) -> tuple[dict[str, Array] | None, dict[str, Array] | None]:
    """Torques by joint and wrenches by body at sample i; None where there are none."""
    tau, wrenches, where = None, None, mech.coordinates.slices
    if forces.torques is not None:
        tau = {name: forces.torques[i, place] for name, place in where.items() if place.stop > place.start}
    if forces.wrenches is not None:
        wrenches = dict(zip(mech.bodies, forces.wrenches[i if len(forces.wrenches) > 1 else 0], strict=True))
    return tau, wrenches


def _torque_rows(mech: Mechanism, torque: Torques | None) -> Rows | None:
    """The torques of all joints at a time and a state, (N_J,)."""
    if torque is None:
        return None
    coordinates, motors = mech.coordinates, Motors(mech)
    driver = torque.driver(mech, Shown(mech).at, motors)

    def ask(t: float, state: State) -> Array:
        found = np.zeros(coordinates.count)
        found[: mech.nv] = driver.ask(t, state._q, state._v)
        for name, numbers in motors.torques().items():
            found[coordinates.slices[name]] = numbers
        return found

    return ask


def _wrench_rows(mech: Mechanism, wrenches: Pushes | None) -> Rows | None:
    """The wrenches on all bodies at a time and a state, (bodies, 6)."""
    if wrenches is None:
        return None
    driver = wrenches.driver(mech, Shown(mech).at)
    return lambda t, state: driver.ask(t, state._q, state._v).reshape(-1, 6)


def _push_table(mech: Mechanism, wrenches: Mapping[str, Any]) -> Array:
    table = np.zeros((len(mech.bodies), 6))
    put_wrenches(table, {name: b for b, name in enumerate(mech.bodies)}, wrenches)
    return table


# --- over a trajectory -------------------------------------------------------------------------------------------------


def torque_histories(segments: Sequence[Segment]) -> dict[str, Array]:
    """By joint that can move: (samples, nv), or (samples,) where it has one velocity; NaN while it is not there."""
    sizes = {name: joint.type.nv for s in reversed(segments) for name, joint in s.mech.joints.items() if joint.type.nv}
    found = _nothing(segments, sizes)
    for segment, rows in _with_rows(segments):
        coordinates, forces = segment.mech.coordinates, forces_of(segment)
        for name, where in coordinates.slices.items():
            if sizes.get(name) == where.stop - where.start:
                found[name][rows] = 0.0 if forces.torques is None else forces.torques[:, where]
    return {name: values[:, 0] if values.shape[1] == 1 else values for name, values in found.items()}


def reaction_histories(segments: Sequence[Segment]) -> dict[str, Array]:
    """By joint: (samples, 6), as `joint_reactions` gives them; NaN while it is not there."""
    found = _nothing(segments, {name: 6 for segment in segments for name in segment.mech.joints})
    for segment, rows in _with_rows(segments):
        mech, forces = _without_rubs(segment), _and_contacts(segment, pushed(segment), forces_of(segment))
        for i, x in enumerate(segment.seen):
            for name, wrench in joint_reactions(mech, State(mech.layout, x), *_by_name(mech, forces, i)).items():
                found[name][rows.start + i] = wrench
    return found


def _without_rubs(segment: Segment) -> Mechanism:
    """The segment's mechanism without the dry friction of joints that its contacts have: it acts as they have found it."""
    rubs = () if segment.contacts is None else segment.contacts.rubs
    if not rubs:
        return segment.mech
    return segment.mech.replace(settings={rub.joint: {"friction": 0.0} for rub in rubs})


def _and_contacts(segment: Segment, contacts: Pushed, forces: Forces) -> Forces:
    """Torques and wrenches that acted, with those of contacts and of dry friction in joints."""
    mech, count, torques = segment.mech, len(segment.t), forces.torques
    if contacts.torques:
        torques = np.zeros((count, mech.coordinates.count)) if torques is None else torques.copy()
        for name, more in contacts.torques.items():
            torques[:, mech.coordinates.slices[name]] += more
    return Forces(torques, with_pushes(mech.bodies, forces.wrenches, contacts.wrenches, count))


def _nothing(segments: Sequence[Segment], sizes: Mapping[str, int]) -> dict[str, Array]:
    count = sum(len(segment.t) for segment in segments)
    return {name: np.full((count, size), np.nan) for name, size in sizes.items()}


def _with_rows(segments: Sequence[Segment]) -> list[tuple[Segment, slice]]:
    """The segments, each with the places of its samples among all."""
    ends = np.cumsum([len(segment.t) for segment in segments]).tolist()
    return [(segment, slice(end - len(segment.t), end)) for segment, end in zip(segments, ends, strict=True)]
