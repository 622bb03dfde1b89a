"""Why a run gives up, in words: what went wrong in the compiled loop, and the way out."""

from __future__ import annotations

from ..errors import listed
from ..structure.failures import why_idle
from . import stepping_loop
from .runner import Runner


def is_collapse(runner: Runner, why: int) -> bool:
    """Whether there is no other reason than that steps have become too short."""
    broken = runner.broken_joint() is None and runner.idle_joint() is None
    unsolved = runner.contacts is not None and runner.contacts.problem() is not None
    return why == stepping_loop.TOO_SMALL and broken and not unsolved


def reason(runner: Runner, why: int) -> tuple[str, str | None]:
    """Why the compiled loop gave up, and the joint that did it."""
    t = runner.t
    if why == stepping_loop.FUNCTION_FAILED:
        problem = runner.problem()
        said = "it raised an exception or gave NaN" if problem is None else f"{type(problem).__name__}: {problem}"
        return f"{runner.failed_function()} failed near t = {t:.9g}: {said}", None
    if runner.contacts is not None and (unsolved := runner.contacts.problem()) is not None:
        return f"at t = {t:.9g} {unsolved}", None
    if (joint := runner.idle_joint()) is not None:
        return f"at t = {t:.9g} {why_idle(runner.structure, joint, runner.x[: runner.nq])}", joint
    joint = runner.broken_joint()
    if why == stepping_loop.NOT_FINITE and joint is None:
        if runner.mech.layout.is_constrained:
            return (
                f"the loops cannot be closed again after a step at t = {t:.9g}: the motion leads where they cannot follow, as "
                f"out of a singular position. Take smaller steps, or start from another velocity.{runner.prescribed_hint()}"
            ), None
        if runner.contacts is not None and (closed := runner.contacts.closed()):
            return (
                f"the contacts {listed(closed)} cannot all be closed again after a step at t = {t:.9g}: the motion leads where "
                "they cannot follow, as out of a singular position. Take smaller steps, or let what they hold move otherwise."
            ), None
    return (
        f"the motion is no longer finite at t = {t:.9g}"
        + (f"; joint {joint!r} broke first" if joint else "")
        + ". Take smaller steps, and check the masses, stiffnesses and torques there."
    ), joint


def collapse(runner: Runner, lately: str) -> tuple[str, float, str | None]:
    """That steps have become too short, when, and the joint that changes fastest there."""
    t, joint = runner.t, runner.fastest_joint()
    where = "" if joint is None else f"; joint {joint!r} changes fastest there"
    closed = ", or loops are near a singular position, where digits are lost" if runner.mech.layout.is_constrained else ""
    if runner.contacts is not None and (touching := runner.contacts.closed()):
        closed += f", or what presses {listed(touching)} together cannot be held (let it give way, by a spring or a force)"
    return (
        (
            f"the step size became too small at t = {t:.9g}{lately}{where}. Usual reasons: a function that jumps, such as "
            "-sign(v) (smooth it, or let an event switch it), or gives NaN, limits or springs that are too stiff (soften them, "
            f"or loosen rtol and atol), events that follow each other at once{closed}.{runner.prescribed_hint()}"
        ),
        t,
        joint,
    )
