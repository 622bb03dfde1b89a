"""From accelerations to torques: inverse dynamics, and the terms M and c of the equations of motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels import crba, rnea
from ..structure.structure import Structure
from .actuation import Bounds, Names, Weights, actuators_of, refuse_loop_joints, shared_torques
from .loads import Accelerations, Wrenches, external_table, joint_accelerations

Array = NDArray[np.float64]


def inverse_dynamics(
    mech: Mechanism,
    state: State,
    a: Accelerations,
    wrenches: Wrenches | None = None,
    *,
    actuated: Names | None = None,
    weights: Weights | None = None,
    bounds: Bounds | None = None,
) -> Array:
    """The joint torques that make a mechanism accelerate as asked, beside gravity, wrenches and all passive forces.

    In a closed mechanism many torques may do; those with the least Σ weight · torque² within the bounds are taken.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    a : (nv,) array_like, or mapping of str to number or array_like
        The accelerations v̇, or those of some joints by their names, where the others have none; in a closed mechanism they must
        keep the loops closed, see `consistent_acceleration`.
    wrenches : mapping of str to (6,) array_like, optional
        By body: moment, then force, in world axes; the force acts at the body's origin.
    actuated : iterable of str, optional
        Names of the tree joints, or of single coordinates, that have motors; all others get 0. By default all have.
    weights, bounds : optional
        As for `actuator_torques`; where neither of these three is given, no torque is too large.

    Returns
    -------
    (nv,) array

    Raises
    ------
    ModelError
        If an argument does not fit.
    StructureError
        If the acceleration would open a loop, or these motors cannot make it, within their bounds.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.inverse_dynamics(mech, mech.state(), [0.0])
    array([19.62])
    """
    structure = mech.structure_for(state)
    rate = joint_accelerations(mech, a)
    needed = _newton_euler(structure, mech, state, rate, wrenches)
    if not mech.layout.is_constrained and actuated is None and weights is None and bounds is None:
        return needed
    asked = actuated is not None or weights is not None or bounds is not None
    actuators = actuators_of(mech, actuated, weights, bounds, efforts=asked)
    refuse_loop_joints(actuators)
    return shared_torques(mech, state, rate, needed, actuators)[: mech.nv]


def actuator_torques(
    mech: Mechanism,
    state: State,
    a: Accelerations,
    actuated: Names | None = None,
    weights: Weights | None = None,
    bounds: Bounds | None = None,
    wrenches: Wrenches | None = None,
) -> Mapping[str, Array]:
    """`inverse_dynamics` by joint name, where loop joints may have motors too.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    a : (nv,) array_like, or mapping of str to number or array_like
        The accelerations v̇, as for `inverse_dynamics`.
    actuated : iterable of str, optional
        Names of joints, or of single coordinates, such as "wrist[1]", and then the rest of the joint gets 0. By default all tree
        joints.
    weights : array_like or mapping of str to float, optional
        Positive, one for each coordinate in that order, or by name.
    bounds : (lower, upper) or mapping of str to (lower, upper), optional
        Each one number or one for each coordinate. By default, and for joints that are not named, the joint's `effort`; where it
        has none of its own, that of its actuators by their gears. ``bounds=(-inf, inf)`` asks without any.
    wrenches : mapping of str to (6,) array_like, optional
        By body: moment, then force, in world axes; the force acts at the body's origin.

    Returns
    -------
    mapping of str to array
        The torques by the names of the joints that have motors.

    Raises
    ------
    ModelError
        If an argument does not fit.
    StructureError
        If the acceleration would open a loop, or these motors cannot make it, within their bounds.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("rod", rg.Inertia.rod(2.0, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("left motor", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> mech.add_joint("right motor", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> found = rg.actuator_torques(mech, mech.state(), [0.0], actuated=["left motor", "right motor"], weights=[1, 3])
    >>> {name: torque.round(9).tolist() for name, torque in found.items()}
    {'left motor': [-7.3575], 'right motor': [-2.4525]}
    """
    structure = mech.structure_for(state)
    rate = joint_accelerations(mech, a)
    actuators = actuators_of(mech, actuated, weights, bounds)
    needed = _newton_euler(structure, mech, state, rate, wrenches)
    return actuators.by_joint(shared_torques(mech, state, rate, needed, actuators))


def bias_force(mech: Mechanism, state: State) -> Array:
    """The torques c(q, v) that hold v̇ at zero against velocity, gravity and all passive forces; loops are left out.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.

    Returns
    -------
    (nv,) array

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.bias_force(mech, mech.state())
    array([19.62])
    """
    structure = mech.structure_for(state)
    return _newton_euler(structure, mech, state, np.zeros(structure.nv), None)


def _newton_euler(structure: Structure, mech: Mechanism, state: State, a: Array, wrenches: Wrenches | None) -> Array:
    external = structure.no_forces if wrenches is None else external_table(mech, wrenches)
    out = np.empty(structure.nv)
    rnea.inverse_dynamics.call(structure.work, state._q, state._v, a, external, out)
    return representable("the torques", out)


def mass_matrix(mech: Mechanism, state: State) -> Array:
    """The mass matrix M(q) of the tree; loops are left out.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position.

    Returns
    -------
    (nv, nv) array
        Symmetric, both halves filled.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.mass_matrix(mech, mech.state())
    array([[2.]])
    """
    structure = mech.structure_for(state)
    out = np.empty((structure.nv, structure.nv))
    crba.mass_matrix.call(structure.work, state._q, out)
    return representable("the moments of inertia", out)
