"""How accelerations change with position, velocity and torque, and torques with position, velocity and acceleration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import empty
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.derivatives.accelerations import forward_derivatives, pushed_derivatives
from ..kernels.derivatives.closed import closed_derivatives
from ..kernels.derivatives.momenta import momentum_slopes
from ..kernels.derivatives.torques import inverse_derivatives, pushed_inverse_derivatives
from ..structure.failures import explain_failure
from ..structure.structure import Structure
from .forward import forward_dynamics
from .loads import Accelerations, Torques, Wrenches, external_table, joint_accelerations, joint_torques

Array = NDArray[np.float64]
_FLOAT64 = np.dtype(np.float64)


class _Blocks:
    """Three matrices side by side."""

    __slots__ = ("_found", "_nv")

    def __init__(self, found: Array, nv: int) -> None:
        self._found, self._nv = found, nv

    @property
    def q(self) -> Array:
        """The first of them."""
        return self._found[..., : self._nv]

    @property
    def v(self) -> Array:
        """The second."""
        return self._found[..., self._nv : 2 * self._nv]

    def _third(self) -> Array:
        return self._found[..., 2 * self._nv : 3 * self._nv]


class Derivatives(_Blocks):
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

    __slots__ = ()

    @property
    def tau(self) -> Array:
        """∂v̇/∂tau."""
        return self._third()

    def __repr__(self) -> str:
        return f"Derivatives(q={self.q!r}, v={self.v!r}, tau={self.tau!r})"


class InverseDerivatives(_Blocks):
    """Partial derivatives of inverse dynamics; made by `inverse_dynamics_derivatives`.

    Attributes
    ----------
    q : (nv, nv) array
        ∂τ/∂q in the tangent space: column c is the change along q ⊕ ε e_c.
    v : (nv, nv) array
        ∂τ/∂v.
    a : (nv, nv) array
        ∂τ/∂v̇: the mass matrix.
    """

    __slots__ = ()

    @property
    def a(self) -> Array:
        """∂τ/∂v̇."""
        return self._third()

    def __repr__(self) -> str:
        return f"InverseDerivatives(q={self.q!r}, v={self.v!r}, a={self.a!r})"


def derivatives(mech: Mechanism, state: State, tau: Torques | None = None, wrenches: Wrenches | None = None) -> Derivatives:
    """How the accelerations v̇ change with position, velocity and torque, exact to rounding.

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
    # As short as that of forward dynamics, and for the same reason.
    structure = mech.follows.structure or mech.structure
    try:
        torque: Any = structure.no_torque if tau is None else tau
        if wrenches is None and torque.dtype is _FLOAT64 and torque.ndim == 1:
            slopes, work = structure.slopes, structure.ready or structure.work
            found = empty((structure.nv, slopes.width))
            a = empty(structure.nv)
            margin = -1.0
            if state.layout is structure.open_layout:
                margin = forward_derivatives.call(work, slopes, state._x, torque, a, found)
            elif state.layout is structure.layout:
                margin = closed_derivatives.call(work, slopes, state._x, torque, structure.no_forces, a, found)
            if margin > 0.0:
                return Derivatives(found, structure.nv)
    except (AttributeError, TypeError):  # not a state, or not an array
        pass
    return _careful_derivatives(mech, mech.structure_for(state), state, tau, wrenches)


def _careful_derivatives(
    mech: Mechanism, structure: Structure, state: State, tau: Torques | None, wrenches: Wrenches | None
) -> Derivatives:
    """Derivatives for any input: converts what can be converted and says what is wrong with the rest."""
    if structure.layout.is_constrained:
        return _closed_derivatives(mech, structure, state, tau, wrenches)
    nv, torque = structure.nv, joint_torques(mech, tau)[0]
    work, slopes = structure.new_work(), structure.new_slopes()
    found, a = empty((nv, slopes.width)), empty(nv)
    if wrenches is None:  # by the same kernel as the quick path, so that the last digits are the same
        margin = forward_derivatives.call(work, slopes, state._x, torque, a, found)
    else:
        margin = pushed_derivatives.call(work, slopes, state._x, torque, external_table(mech, wrenches), a, found)
    if margin > 0.0:
        return Derivatives(found, nv)
    if np.isnan(margin) and np.isfinite(a).all():
        representable("the derivatives", found[:, : 3 * nv])
    raise explain_failure(structure, work, state._q)


def _closed_derivatives(
    mech: Mechanism, structure: Structure, state: State, tau: Torques | None, wrenches: Wrenches | None
) -> Derivatives:
    """The same for closed chains."""
    nv = structure.nv
    external = structure.no_forces if wrenches is None else external_table(mech, wrenches)
    torque, of_loops = joint_torques(mech, tau)
    work, slopes = structure.new_work(), structure.new_slopes()
    found, a = empty((nv, slopes.width)), empty(nv)
    work.drive(of_loops)
    if not closed_derivatives.call(work, slopes, state._x, torque, external, a, found) > 0.0:
        forward_dynamics(mech, state, tau, wrenches)  # says what is wrong with the state
        representable("the derivatives", found[:, : 3 * nv])
    return Derivatives(found, nv)


def inverse_dynamics_derivatives(
    mech: Mechanism, state: State, a: Accelerations, wrenches: Wrenches | None = None
) -> InverseDerivatives:
    """How the torques of `inverse_dynamics` change with position, velocity and acceleration, exact to rounding.

    Loops and couplings are left out, as `mass_matrix` and `bias_force` leave them out: these are the torques of the tree.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    a : (nv,) array_like, or mapping of str to number or array_like
        The accelerations v̇, or those of some joints by their names, where the others have none.
    wrenches : mapping of str to (6,) array_like, optional
        By body; they keep their moment and force in world axes and go with their body's origin.

    Returns
    -------
    InverseDerivatives

    Raises
    ------
    ModelError
        If an argument does not fit, or a number is not finite.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("bob", rg.Inertia.point(2.0, at=(0, 0, -1)))
    >>> mech.add_joint("hinge", rg.Revolute((0, 1, 0), damping=0.5), "world", "bob")
    >>> d = rg.inverse_dynamics_derivatives(mech, mech.state(), [0.0])
    >>> d.q.tolist(), d.v.tolist(), d.a.tolist()
    ([[19.62]], [[0.5]], [[2.0]])
    """
    structure = mech.follows.structure or mech.structure
    try:
        rate: Any = a
        if wrenches is None and state.layout is structure.layout and rate.dtype is _FLOAT64 and rate.ndim == 1:
            slopes = structure.slopes
            found = empty((structure.nv, slopes.width))
            if inverse_derivatives.call(structure.ready or structure.work, slopes, state._x, rate, found) == 0.0:
                return InverseDerivatives(found, structure.nv)
    except (AttributeError, TypeError):  # not a state, or not an array
        pass
    structure = mech.structure_for(state)
    slopes, rate = structure.slopes, joint_accelerations(mech, a)
    found = empty((structure.nv, slopes.width))
    if wrenches is None:
        inverse_derivatives.call(structure.work, slopes, state._x, rate, found)
    else:
        pushed_inverse_derivatives.call(structure.work, slopes, state._x, rate, external_table(mech, wrenches), found)
    representable("the derivatives", found[:, : 3 * structure.nv])
    return InverseDerivatives(found, structure.nv)


@dataclass(frozen=True)
class MomentumDerivatives:
    """Partial derivatives of momentum; made by `momentum_derivatives`.

    Attributes
    ----------
    q : (6, nv) array
        By the position, in the tangent space: angular momentum about the world's origin, then linear momentum.
    v : (6, nv) array
        By the velocity, which is the momentum matrix: v times it is the momentum.
    """

    q: Array
    v: Array


def momentum_derivatives(mech: Mechanism, state: State) -> MomentumDerivatives:
    """How the momentum of the whole mechanism changes with position and velocity, exact to rounding.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.

    Returns
    -------
    MomentumDerivatives

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("bob", rg.Inertia.point(2.0, at=(0, 0, -1)))
    >>> mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    >>> d = rg.momentum_derivatives(mech, mech.state(v=[3.0]))
    >>> d.v[:, 0].tolist(), d.q[5, 0]  # it begins to rise
    ([0.0, 2.0, 0.0, -2.0, 0.0, 0.0], np.float64(6.0))
    """
    structure = mech.structure_for(state)
    found = empty((2, 6, structure.nv))
    momentum_slopes.call(structure.work, structure.slopes, state._x, found[0], found[1])
    representable("the derivatives of momentum", found)
    return MomentumDerivatives(found[0], found[1])
