"""The constraint rows of couplings, where one joint's position is a linear function of those of others.

That is Σ (factor · position − shift) = 0 over the coupled joints, its *terms*, and gives one row. Along a joint of the tree its
force is a torque at that joint, the multiplier times the factor. A joint that closes a loop has no place in v: there the torque
is a pair of wrenches on the joint's two bodies, the least one that does the same work along its coordinate (as in `torques`), and
its position is found from where its bodies are. That tells an angle up to whole turns, and the gap of the coupling up to a
period; of all gaps the least one counts.

A *rotor* is what armature A makes of a coordinate θ of a loop joint: a torque λ = −A θ̈ along it. That is a row of the same kind,
with one term, that is soft: (J M⁻¹ Jᵀ + 1/A) λ = −θ̈, the acceleration without it. Where velocities change, λ = −A Δθ̇, so the
projections onto closed loops are least in a metric that has the rotor's energy too.
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import load, store
from ...algebra.scalars import Scalar, zero
from ...algebra.spatial import Force, compose, invert, plus_times, power, times, zero_spatial
from ...compilation import inline, jit
from ...joints import joint_nearest, parameters
from ...tolerances import HIDDEN
from ..tables import CHILD, DOFS, END, GIVEN, KIND, PAR, PARENT, VEL, D, KernelModel, S, U, V, Work
from .rows import lacking, least_wrench, loop_frames, pair_of
from .tables import (
    ALONG,
    APPLIED,
    DRIVE,
    END_TERM,
    FACTOR,
    FIRST,
    FIRST_TERM,
    INVERSE,
    ON_CHILD,
    ON_PARENT,
    PATH,
    PERIOD,
    POSITION,
    RESIDUAL,
    SHIFT,
    SIZE_ALONE,
    SOFT,
    SOFTNESS,
    TERM_JOINT,
    TERM_Q,
    TERM_V,
    Loops,
)


@jit
def hold_couplings(model: KernelModel, work: Work, closed: Loops, q: Any, spreads: bool) -> float:
    """RESIDUAL = minus the gap of each coupling at q, after bodies are placed; returns the largest gap.

    With `spreads` also Y, after joints are eliminated.  O(terms · depth).
    """
    worst = 0.0
    for b in range(closed.loops.shape[0], closed.cuts.shape[0]):
        gap, r = zero(closed.scratch[0, 0]), closed.cuts[b, FIRST]
        for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
            at, factor = closed.terms[i, TERM_Q], closed.term_numbers[i, FACTOR]
            if at < 0:
                hold_loop_joint(model, work, closed, i)
            gap += factor * (q[at] if at >= 0 else closed.scratch[POSITION, 0]) - closed.term_numbers[i, SHIFT]
        period = closed.term_numbers[closed.cuts[b, FIRST_TERM], PERIOD]
        if period > 0.0:
            gap -= period * math.floor(gap.real / period + 0.5)
        if b >= closed.hard:
            gap = zero(closed.scratch[0, 0])
        closed.rows[r, RESIDUAL], closed.rows[r, APPLIED] = -gap, 0.0
        closed.rows[r, SOFT] = closed.term_numbers[closed.cuts[b, FIRST_TERM], SOFTNESS]
        worst = max(worst, abs(gap.real))
        if spreads:
            spread_coupling(model, work, closed, b)
    return worst


@jit
def hold_loop_joint(model: KernelModel, work: Work, closed: Loops, i: int) -> None:
    """POSITION of a term that is a loop joint, and the wrenches by which the coupling turns it."""
    l = closed.terms[i, TERM_JOINT] - model.walk.shape[0]
    own = closed.terms[i, TERM_V] - closed.loops[l, V]
    along, force, back = pair_along(model, work, closed, l, own, closed.term_numbers[i, FACTOR])
    store(closed.pairs, i, ALONG, along)
    store(closed.pairs, i, ON_CHILD, force)
    store(closed.pairs, i, ON_PARENT, back)


@jit
def pair_along(model: KernelModel, work: Work, closed: Loops, l: int, own: int, torque: float) -> tuple[Force, Force, Force]:
    """The wrenches of a torque along a loop joint's velocity `own`: ALONG, ON_CHILD and ON_PARENT.

    POSITION becomes that of the joint.
    """
    scratch = closed.scratch
    X_p, X_c, apart = loop_frames(model, work, closed, l)
    kind, par = closed.loops[l, KIND], parameters(closed.geometry, l, PAR, scratch[0, 0])
    joint_nearest(kind, par, compose(invert(X_p), X_c), scratch[POSITION], 0)
    nv, tau = closed.loops[l, DOFS], scratch[DRIVE]
    for d in range(nv):
        tau[d] = torque if d == own else 0.0
    along = least_wrench(kind, par, scratch[POSITION], nv, tau, scratch)
    force, back = pair_of(X_c, apart, along)
    return along, force, back


@jit
def coupling_gaps(model: KernelModel, work: Work, closed: Loops, numbers: Any, accelerating: bool) -> float:
    """RESIDUAL = −Σ factor · number of each coupling, for velocities or accelerations; returns the largest size.

    After `hold_couplings`, with VEL, and where they are accelerations also with A. A soft row lacks no velocity, and of its
    acceleration what its force has not made yet.
    """
    worst, n = 0.0, model.walk.shape[0]
    for b in range(closed.loops.shape[0], closed.cuts.shape[0]):
        lack, r = zero(closed.scratch[0, 0]), closed.cuts[b, FIRST]
        for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
            k, d = closed.terms[i, TERM_JOINT], closed.terms[i, TERM_V]
            if k < n:
                lack -= closed.term_numbers[i, FACTOR] * (numbers[d] + work.dof[d, GIVEN] if accelerating else numbers[d])
            elif accelerating:
                lack += power(load(closed.pairs, i, ALONG, 6), lacking(model, work, closed, k - n))
            else:
                lack -= moved_pair(closed, i, k - n, work.body, VEL)
        if accelerating:
            lack -= closed.rows[r, SOFT] * closed.rows[r, APPLIED]
        elif b >= closed.hard:
            lack = zero(closed.scratch[0, 0])
        closed.rows[r, RESIDUAL] = lack
        worst = max(worst, abs(lack.real))
    return worst


@inline
def moved_pair(closed: Loops, i: int, l: int, table: Any, column: int) -> Scalar:
    """The power of a term's two wrenches for motions of the bodies of its loop joint, a column of a table of bodies."""
    c, p, total = closed.loops[l, CHILD], closed.loops[l, PARENT], zero(closed.scratch[0, 0])
    if c >= 0:
        total += power(load(closed.pairs, i, ON_CHILD, 6), load(table, c, column, 6))
    if p >= 0:
        total += power(load(closed.pairs, i, ON_PARENT, 6), load(table, p, column, 6))
    return total


@jit
def spread_coupling(model: KernelModel, work: Work, closed: Loops, b: int) -> None:
    """Y and SIZE_ALONE of a coupling, as `delassus.spread_rows` makes them of a loop: the shares of joints in its force.

    A torque at a joint of the tree is a share by itself, and what this joint passes on to those below it begins with it.
    O(terms · depth).
    """
    count, start, n = closed.cuts[b, PATH], b * closed.path.shape[1], model.walk.shape[0]
    none = zero_spatial(closed.scratch[0, 0])
    for i in range(count):
        store(closed.Y, start + i, 0, none)
        closed.Y[start + i, INVERSE] = work.dof[closed.dofs[0, closed.path[b, i]], D]
    alone = zero(closed.scratch[0, 0])
    for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
        k = closed.terms[i, TERM_JOINT]
        if k < n:
            d, factor = closed.terms[i, TERM_V], closed.term_numbers[i, FACTOR]
            at = 0
            while closed.path[b, at] != closed.ranks[0, k]:
                at += 1
            closed.Y[start + at, 0] += factor
            alone += factor * factor * work.dof[d, D]
            passed = times(-factor * work.dof[d, D], load(work.dof, d, U, 6))
            alone += carry_down(model, work, closed, b, model.walk[k, PARENT], passed)
        else:
            l = k - n
            alone += carry_down(model, work, closed, b, closed.loops[l, CHILD], load(closed.pairs, i, ON_CHILD, 6))
            alone += carry_down(model, work, closed, b, closed.loops[l, PARENT], load(closed.pairs, i, ON_PARENT, 6))
    closed.rows[closed.cuts[b, FIRST], SIZE_ALONE] = alone + closed.rows[closed.cuts[b, FIRST], SOFT]


@jit
def carry_down(model: KernelModel, work: Work, closed: Loops, b: int, k: int, force: Force) -> Scalar:
    """Add the shares of all joints between row k and its root in a force to Y; returns the sum of share² D, with its rounding."""
    walk, dof, path, start = model.walk, work.dof, closed.path, b * closed.path.shape[1]
    hides, alone, at = HIDDEN * power(force, force), zero(closed.scratch[0, 0]), closed.cuts[b, PATH] - 1
    while k >= 0:
        for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
            rank = closed.ranks[0, k] + d - walk[k, V]
            while path[b, at] != rank:
                at -= 1
            screw, inverse = load(dof, d, S, 6), dof[d, D]
            share = power(screw, force)
            closed.Y[start + at, 0] += share
            alone += inverse * (share * share + power(screw, screw) * hides)
            force = plus_times(force, -share * inverse, load(dof, d, U, 6))
        k = walk[k, PARENT]
    return alone
