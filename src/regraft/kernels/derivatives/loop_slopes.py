"""How a loop joint by itself changes with its coordinates, for those that have torques of their own or columns that change.

The position q, velocity v and acceleration of a loop joint follow from its bodies. With the dual wrenches b of its columns,
S · b = 1, a motion ρ of the child against the parent changes q by b · ρ. Torques τ along v are the wrench b τ; where the columns
change by c with q, a wrench W that the child carries along does work of c · W less. Called by its address, as `joint_slopes` is.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load, store, table_at
from ...algebra.spatial import compose, invert, minus, power
from ...compilation import entry, inline, jit
from ...joints import joint_nearest, joint_pull, nearest_velocity, parameters
from ..constraints.rows import in_frame, lacking, least_wrench, loop_frames, loop_twists, wrench_of
from ..constraints.tables import DRIVE, POSITION, VELOCITY, Loops
from ..constraints.torques import torques_but_springs, wind_loop
from ..memory import loops_at, model_at, work_at
from ..tables import COILED, DOFS, KIND, PAR, VARIES, KernelModel, Work
from .joint_slopes import GOING, HERE, MOVED, PULL, STEP, WAY, change_columns, complex_frame, step_on
from .tables import (
    BY_Q,
    CHANGES,
    COMPLEX_COLUMNS,
    COMPLEX_ROWS,
    DAMP,
    DUAL,
    HEADER,
    SCRATCH_AT,
    STIFF,
    TOTAL_WRENCH,
    slopes_at,
)

TAU = 0  # row of the scratch: torques


@entry
def loop_slopes_kernel(handle: int, slopes: int, l: int) -> float:
    """`own` of a loop joint, of which TOTAL_WRENCH is there; after the dynamics, with VEL and A of all bodies."""
    model, work, closed, s = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0), slopes_at(slopes)
    scratch = table_at(table_at(slopes, 1, HEADER, slopes)[0, SCRATCH_AT], COMPLEX_ROWS, COMPLEX_COLUMNS, 0j)
    kind, nv, own = closed.loops[l, KIND], closed.loops[l, DOFS], s.own
    X_c = find_duals(model, work, closed, l, own)
    for c in range(COMPLEX_COLUMNS):
        scratch[HERE, c] = closed.scratch[POSITION, c]
    for d in range(nv):
        scratch[GOING, d] = closed.scratch[VELOCITY, d]
    if closed.loops[l, VARIES]:
        par = parameters(closed.geometry, l, PAR, 0j)
        change_columns(kind, nv, par, complex_frame(X_c), 1.0, closed.scratch[VELOCITY], own[BY_Q], 0, own, scratch)
    else:
        for f in range(nv):
            for c in range(DUAL):
                own[f, c] = 0.0
    differentiate_torques(model, closed, l, own, scratch)
    wrench = load(own, TOTAL_WRENCH, 0, 6)
    for f in range(nv):
        for d in range(nv):
            own[f, STIFF + d] -= power(load(own, f, CHANGES + 6 * d, 6), wrench)
    return 0.0


@jit
def find_duals(model: KernelModel, work: Work, closed: Loops, l: int, own: Any) -> Any:
    """DUAL of each velocity; POSITION, VELOCITY, and the acceleration into BY_Q. Returns the joint's frame on its child."""
    lack = lacking(model, work, closed, l)
    X_p, X_c, apart = loop_frames(model, work, closed, l)
    V_c, V_p = loop_twists(work, closed, l, apart)
    kind, nv, scratch = closed.loops[l, KIND], closed.loops[l, DOFS], closed.scratch
    par, unit = parameters(closed.geometry, l, PAR, 0.0), scratch[DRIVE]
    joint_nearest(kind, par, compose(invert(X_p), X_c), scratch[POSITION], 0)
    twist = in_frame(X_c, minus(V_c, V_p))
    nearest_velocity(kind, closed.geometry[l : l + 1, PAR:], scratch[POSITION], twist, scratch[VELOCITY, :nv], scratch)
    for f in range(nv):
        for d in range(nv):
            unit[d] = 1.0 if d == f else 0.0
        dual = least_wrench(kind, par, scratch[POSITION], nv, unit, scratch)
        own[BY_Q, f] = -power(dual, lack)
        store(own, f, DUAL, wrench_of(X_c, dual))
    return X_c


@jit
def differentiate_torques(model: KernelModel, closed: Loops, l: int, own: Any, scratch: Any) -> None:
    """STIFF and DAMP: of motor, damping, friction, limits and springs, by the complex step."""
    kind, nv = closed.loops[l, KIND], closed.loops[l, DOFS]
    for by_v in range(2):  # one call for both, as it is merged in
        for f in range(nv):
            step_on(kind, f, by_v, scratch)
            find_torques(model, closed, l, scratch[MOVED], scratch[GOING], scratch)
            scratch[GOING, f] = scratch[GOING, f].real
            for d in range(nv):
                own[f, (DAMP if by_v else STIFF) + d] = scratch[TAU, d].imag / STEP


@inline
def find_torques(model: KernelModel, closed: Loops, l: int, q: Any, v: Any, scratch: Any) -> None:
    """TAU: all torques of a loop joint."""
    torques_but_springs(model, closed, l, q, v, scratch[TAU])
    for row in range(model.tree_coils, model.coil_rows.shape[0]):
        if model.coil_rows[row, COILED] == model.walk.shape[0] + l:
            wind_loop(model, row, q, scratch[WAY], scratch[PULL])
            joint_pull(closed.loops[l, KIND], scratch[WAY], 0, scratch[PULL], 0)
            for d in range(closed.loops[l, DOFS]):
                scratch[TAU, d] -= scratch[PULL, d]
