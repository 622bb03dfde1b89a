"""The constraint rows of loop joints that move as told: one along each of their own coordinates.

Such a row has the force of a coupling that names this coordinate alone, the least pair of wrenches that does work along it,
and its multiplier is the torque that the motion takes. What differs is what it misses. With the pose X that the joint has and X_t
that of the position which it is told, the gap is log(X_t⁻¹ X) along the coordinate; poses know nothing of whole turns, so none
has to be counted. Velocity and acceleration along it are to be those that are told, instead of zero.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load
from ...algebra.rotations import log_pose
from ...algebra.scalars import Scalar
from ...algebra.spatial import compose, invert, power
from ...compilation import entry, jit
from ...joints import joint_transform, parameters
from ..memory import loops_at, model_at, work_at
from ..tables import KIND, PAR, KernelModel, Work
from .coupling_kernels import look_at_couplings
from .rows import loop_frames
from .tables import (
    ACCELERATIONS,
    ALONG,
    ASIDE,
    FIRST,
    FIRST_TERM,
    PRESCRIBED,
    RESIDUAL,
    TERM_JOINT,
    TOLD_A,
    TOLD_Q,
    TOLD_V,
    VELOCITIES,
    Loops,
)


@entry
def prescribed_rows_kernel(handle: int, what: int, numbers: int) -> float:
    """As `couplings_kernel`, where some of the rows are those of prescribed coordinates."""
    look_at_couplings(handle, what, numbers, 0.0)
    return tell_rows(model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0), what)


@jit
def tell_rows(model: KernelModel, work: Work, closed: Loops, what: int) -> float:
    """RESIDUAL of the rows of prescribed coordinates; returns the largest size of all rows behind those of loops.

    O(prescribed coordinates).
    """
    worst = 0.0
    for b in range(closed.loops.shape[0], closed.cuts.shape[0]):
        i, r = closed.cuts[b, FIRST_TERM], closed.cuts[b, FIRST]
        if closed.term_numbers[i, PRESCRIBED] > 0.0:
            if what == VELOCITIES:
                closed.rows[r, RESIDUAL] += closed.pairs[i, TOLD_V]
            elif what == ACCELERATIONS:
                closed.rows[r, RESIDUAL] += closed.pairs[i, TOLD_A]
            else:
                closed.rows[r, RESIDUAL] = -gap_to_told(model, work, closed, i)
        worst = max(worst, abs(closed.rows[r, RESIDUAL].real))
    return worst


@jit
def gap_to_told(model: KernelModel, work: Work, closed: Loops, i: int) -> Scalar:
    """How far a prescribed coordinate is from what it is told, after `hold_couplings`."""
    l = closed.terms[i, TERM_JOINT] - model.walk.shape[0]
    X_p, X_c, _ = loop_frames(model, work, closed, l)
    par = parameters(closed.geometry, l, PAR, closed.scratch[0, 0])
    told = joint_transform(closed.loops[l, KIND], par, closed.pairs[i], TOLD_Q)
    return power(load(closed.pairs, i, ALONG, 6), log_pose(compose(invert(told), compose(invert(X_p), X_c))))


@jit
def set_velocities_aside(closed: Loops, aside: Any) -> None:
    """Let prescribed coordinates stand still, or go on after that; for differences of velocities, which do not follow them."""
    for i in range(closed.pairs.shape[0]):
        if closed.term_numbers[i, PRESCRIBED] > 0.0:
            if aside:
                closed.pairs[i, ASIDE], closed.pairs[i, TOLD_V] = closed.pairs[i, TOLD_V], 0.0
            else:
                closed.pairs[i, TOLD_V] = closed.pairs[i, ASIDE]
