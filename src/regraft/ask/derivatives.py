"""How accelerations change with position, velocity and torque."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import solve_definite
from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.derivatives import inverse_derivatives, loop_derivatives
from .forward import forward_dynamics
from .inverse import mass_matrix
from .loads import Torques, Wrenches, external_table, joint_torques

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Derivatives:
    """Partial derivatives of forward dynamics; made by `derivatives`.

    Attributes
    ----------
    q : (nv, nv) array
        ∂v̇/∂q in the tangent space: column c is the change along q ⊕ ε e_c.
    v : (nv, nv) array
        ∂v̇/∂v.
    tau : (nv, nv) array
        ∂v̇/∂tau: the inverse of the mass matrix, and in a closed mechanism what its loops leave of that.
    """

    q: Array
    v: Array
    tau: Array


def derivatives(mech: Mechanism, state: State, tau: Torques | None = None, wrenches: Wrenches | None = None) -> Derivatives:
    """How the accelerations v̇ change with position, velocity and torque, exact to rounding (complex step).

    In a closed mechanism only changes that keep the loops closed mean anything: multiply by the columns of `mobility(...).W`, or
    by any such change.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    tau : (nv,) array_like, or mapping of str to array_like, optional
        Joint torques, as one array or by joint name, loop joints too; by default none.
    wrenches : mapping of str to (6,) array_like, optional
        By body; they keep their moment and force in world axes and go with their body's origin.

    Returns
    -------
    Derivatives

    Raises
    ------
    ModelError
        If a joint moves no inertia, or a number is not finite.
    StructureError
        If loops are open, or can only break from here.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    >>> mech.add_joint("hinge", rg.Revolute((0, 1, 0), damping=0.5), "world", "bob")
    >>> d = rg.derivatives(mech, mech.state())
    >>> d.q.tolist(), d.v.tolist(), d.tau.tolist()
    ([[-9.81]], [[-0.5]], [[1.0]])
    """
    structure = mech.structure_for(state)
    nv = structure.nv
    a = forward_dynamics(mech, state, tau, wrenches)
    external = structure.no_forces if wrenches is None else external_table(mech, wrenches)
    torque, of_loops = joint_torques(mech, tau)
    q, v, push, scratch = (x.astype(complex) for x in (state._q, state._v, external, np.zeros((3, max(structure.nq, nv)))))
    work = structure.new_work(0j)
    if structure.layout.is_constrained:
        found = np.empty((nv, 3 * nv))
        work.drive(of_loops)
        loop_derivatives.call(work, q, v, torque.astype(complex), push, scratch, found)
        by_q, by_v, by_tau = np.hsplit(representable("the derivatives", found), 3)
        return Derivatives(by_q, by_v, by_tau)
    by_state = np.empty((nv, 2 * nv))
    inverse_derivatives.call(work, q, v, a.astype(complex), push, scratch, by_state)
    # tau = M a + c holds along the way, so M ∂a = ∂tau − (∂tau at fixed a)
    inverse = solve_definite(mass_matrix(mech, state), np.eye(nv))
    by_q, by_v = np.hsplit(representable("the derivatives", -inverse @ by_state), 2)
    return Derivatives(by_q, by_v, inverse)
