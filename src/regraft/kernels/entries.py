"""What Python calls: each entry hands its arrays to a kernel. Compiled on first use for each scalar, then kept on disk."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import entry, long_entry
from ..memory import load, store, table_at
from ..spatial import at_point, compose
from . import configuration
from . import energy as energy_kernel
from . import jacobian as jacobian_kernel
from .aba import aba
from .batch import aba_batch
from .crba import crba
from .derivatives import rnea_derivatives
from .kinematics import frame, move_bodies, place_bodies
from .layout import EXTERNAL, ORIGIN, ROOT, VEL, model_at, positions_in, work_at
from .rnea import reactions, rnea


@entry
def forward_dynamics(handle: int, x: Any, tau: Any, out: Any) -> float:
    """`aba` without external forces at the state x = (q, v); NaN where tau has the wrong length or gaps."""
    if tau.shape[0] != out.shape[0] or tau.strides[0] != out.strides[0]:
        return np.nan
    nq = positions_in(handle)
    nothing = table_at(handle, 0, EXTERNAL, x)
    return aba(model_at(handle), work_at(handle, x), x[:nq], x[nq:], tau, nothing, out)


@entry
def pushed_dynamics(handle: int, q: Any, v: Any, tau: Any, external: Any, out: Any) -> Any:
    """`aba` with external forces."""
    return aba(model_at(handle), work_at(handle, q), q, v, tau, external, out)


@entry
def inverse_dynamics(handle: int, q: Any, v: Any, a: Any, external: Any, out: Any) -> None:
    """`rnea`."""
    rnea(model_at(handle), work_at(handle, q), q, v, a, external, out)


@entry
def joint_reactions(handle: int, q: Any, v: Any, a: Any, external: Any, tau: Any, out: Any) -> None:
    """`rnea`, then `reactions`."""
    rnea(model_at(handle), work_at(handle, q), q, v, a, external, tau)
    reactions(model_at(handle), work_at(handle, q), q, out)


@entry
def mass_matrix(handle: int, q: Any, out: Any) -> None:
    """`crba`."""
    crba(model_at(handle), work_at(handle, q), q, out)


@entry
def jacobian(handle: int, q: Any, k: int, local: Any, out: Any) -> None:
    """`jacobian` of a point fixed to row k."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    jacobian_kernel.jacobian(model_at(handle), work_at(handle, q), k, local, out)


@entry
def jacobian_rate(handle: int, q: Any, v: Any, k: int, local: Any, out: Any) -> None:
    """`jacobian_rate` of a point fixed to row k."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    jacobian_kernel.jacobian_rate(model_at(handle), work_at(handle, q), k, local, out)


@entry
def energy(handle: int, q: Any, v: Any) -> Any:
    """Kinetic and potential energy."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    return energy_kernel.energy(model_at(handle), work_at(handle, q), q)


@entry
def momentum(handle: int, q: Any, v: Any) -> Any:
    """Angular and linear momentum, first moment and mass."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    return energy_kernel.momentum(model_at(handle), work_at(handle, q))


@entry
def integrate(walk: Any, q: Any, step: Any, out: Any) -> None:
    """q ⊕ step."""
    configuration.integrate(walk, q, step, out)


@entry
def difference(walk: Any, q1: Any, q0: Any, out: Any) -> None:
    """q1 ⊖ q0."""
    configuration.difference(walk, q1, q0, out)


@entry
def normalise(walk: Any, q: Any) -> None:
    """Back onto the manifold."""
    configuration.normalise(walk, q)


@long_entry
def inverse_derivatives(handle: int, q: Any, v: Any, a: Any, external: Any, scratch: Any, by_q: Any, by_v: Any) -> None:
    """`rnea_derivatives`."""
    rnea_derivatives(model_at(handle), work_at(handle, q), q, v, a, external, scratch, by_q, by_v)


@long_entry
def forward_dynamics_batch(
    handle: int, external: Any, lanes: Any, q: Any, v: Any, tau: Any, first: int, end: int, out: Any, worst: Any
) -> None:
    """`aba_batch`."""
    aba_batch(handle, external, lanes, q, v, tau, first, end, out, worst)


@entry
def motion(handle: int, q: Any, v: Any, attach: Any, poses: Any, twists: Any) -> None:
    """Pose (R, p) in the world and twist at its own origin, world axes, of the frame attach[k] of each row."""
    m, w = model_at(handle), work_at(handle, q)
    place_bodies(m, w, q)
    move_bodies(m, w, q, v)
    for k in range(m.walk.shape[0]):
        local = load(attach, k, 0, 9), load(attach, k, 9, 3)
        R_k, p_k = compose(frame(w.body, k), local)
        origin = load(w.body, m.walk[k, ROOT], ORIGIN, 3)
        store(poses, k, 0, R_k)
        store(poses, k, 9, (p_k[0] + origin[0], p_k[1] + origin[1], p_k[2] + origin[2]))
        store(twists, k, 0, at_point(load(w.body, k, VEL, 6), p_k))
