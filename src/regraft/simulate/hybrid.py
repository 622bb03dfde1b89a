"""`simulate`: continuous motion in compiled code, interleaved with events that may change the structure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..algebra.pose import finite_number
from ..describe.contacts import Contact
from ..describe.mechanism import Mechanism, a_mechanism
from ..describe.state import State
from ..errors import ModelError
from .events import Event, check_events, events_of
from .motions import Motion
from .run import Run
from .settings import Options, method_of, settings_of
from .trajectory import Trajectory
from .ways import checked_before

MOST_STEPS = 10**9
"""A run with more steps of a given size must say so by `max_steps`."""


def simulate(
    mech: Mechanism,
    state: State,
    duration: float,
    torque: Any = None,
    events: Event | Iterable[Event] = (),
    integrator: str = "dopri5",
    rtol: float = 1e-9,
    atol: float = 1e-10,
    step: float | None = None,
    coordinates: str = "reduced",
    progress: bool | None = None,
    *,
    wrenches: Any = None,
    every: int | None = None,
    start: float = 0.0,
    stabilise: bool | None = None,
    max_steps: int | None = None,
    prescribed: Mapping[str, Motion] | None = None,
    contacts: Contact | Iterable[Contact] = (),
    impacts: str = "simultaneous",
    resolve: str = "error",
) -> Trajectory:
    """The motion of a mechanism from a state on, with events that may change its structure.

    Parameters
    ----------
    mech : Mechanism
        The mechanism at the start.
    state : State
        Its state at the start.
    duration : float
        How long, in seconds.
    torque : callable, law, mapping, array_like or list of these, optional
        ``torque(t, mech, state)`` returns the joint torques, (nv,) or by joint name, loop joints too; a `law` for joints by
        name, or a Numba function ``torque(t, q, v, out)`` that fills `out`, runs inside the compiled loop, and so do `controls`
        of actuators; or constant torques, by joint name or (nv,). Those of a list add up. What knows places in `q` and `v`
        instead of names, a Numba function without a law or an array, stops the run where the structure moves these places.
    events : Event or iterable of Event, optional
        What to watch for, and what to do then.
    integrator : {"dopri5", "dop853", "rk4", "euler", "hakenberg"}, optional
        "dopri5", of order 5, and "dop853", of order 8, choose their steps within `rtol` and `atol`; the others take steps of the
        size `step`. "dop853" takes fewer and costlier steps, which pays where tolerances are tight. "hakenberg" is S3's own step,
        for maximal coordinates only.
    rtol, atol : float, optional
        Relative and absolute error of "dopri5" and "dop853".
    step : float, optional
        The size of a fixed step, or the largest step of "dopri5" and "dop853", in seconds.
    coordinates : {"reduced", "maximal"}, optional
        With "maximal" every body moves by itself and forces of all joints hold them together (S3). Functions, events and the
        trajectory stay in the mechanism's joints.
    progress : bool, optional
        Whether a bar says how far a run is that takes longer than a second; by default it does in a terminal. Without Rich,
        which ``pip install 'regraft[cli]'`` brings, these are plain lines.
    wrenches : mapping of str to (6,) array_like, or callable, optional
        Constant wrenches by body; ``wrenches(t, mech, state)``, which returns such; or a Numba function ``wrenches(t, q, v,
        out)`` that fills a row of `out` for each body. A wrench is (moment, force) in world axes, the force at the body's origin.
    every : int, optional
        Keep each so many steps a sample, without dense output. By default every step is kept with its dense output.
    start : float, optional
        The time at the start.
    stabilise : bool, optional
        Whether the joints that close loops, and in maximal coordinates all joints, are put back after each step where they are
        closed; by default so for all integrators but "hakenberg".
    max_steps : int, optional
        How many steps the run may take, however short they are. Without it a run stops where its steps become so short that it
        would never end, and a `step` of which there would be more than a billion is refused.
    prescribed : mapping of str to callable, optional
        Joints that move as told, by name, loop joints too: ``f(t) -> (q, v, a)``, position, velocity and acceleration, each a
        number or an array; one that is compiled by Numba runs inside the compiled loop. All else follows; the torque that it
        takes is in `Trajectory.torques`. The state must start on these motions. For a joint that comes later: ``law(name, f,
        absent="skip")``.
    contacts : Contact or iterable of Contact, optional
        What can touch. Each point of contact is open, sticks or slides; when that changes is found as other events are, and
        what came out is in `Trajectory.contacts`.
    impacts : {"simultaneous", "sequential"}, optional
        Whether points that collide at the same time do so together or one after the other.
    resolve : {"error", "push"}, optional
        What becomes of a start in which shapes are within one another: an error, or the least move that takes them apart.

    Returns
    -------
    Trajectory
        All that was computed. Ctrl-C ends the run and returns what there is until then.

    Raises
    ------
    SimulationError
        If the motion cannot go on; the error has the trajectory so far.
    ModelError
        If an argument does not fit.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> hit = rg.when_joint("fall", 0.0, rg.STOP, direction=-1, name="hit")
    >>> traj = rg.simulate(mech, mech.state(q={"fall": 4.905}), 10.0, events=hit)
    >>> traj.events[0].name, round(traj.events[0].t, 12)
    ('hit', 1.0)
    """
    a_mechanism("simulate", mech).check_state(state)
    method = method_of(integrator)
    options = Options(
        torque, wrenches, rtol, atol, step, every, coordinates, stabilise, max_steps, prescribed, contacts, impacts, resolve
    )
    happening = events_of(events)
    settings = checked_before(mech, happening, method, options)
    if settings is None:
        settings, happening = settings_of(method, mech, options), check_events(happening, mech)
    begin, span = finite_number("start", start), finite_number("duration", duration)
    if span < 0.0:
        raise ModelError(f"duration must not be negative, not {span:g}.")
    if max_steps is None and span > MOST_STEPS * settings.step:
        raise ModelError(
            f"steps of {settings.step:g} s make {span / settings.step:.3g} of them in {span:g} s; take longer ones, or say "
            "with max_steps how many there may be."
        )
    run = Run(method, settings, happening, begin, begin + span, progress, learns=True)
    return run.from_state(mech.copy(), state)
