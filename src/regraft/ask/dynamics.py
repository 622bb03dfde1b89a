"""Forward and inverse dynamics, and what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import empty
from numpy.typing import ArrayLike, NDArray

from ..algebra.dense import solve_definite
from ..algebra.pose import finite, representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError, listed
from ..kernels import entries
from ..kernels.constraints import reactions as loop_reactions
from ..kernels.constraints.closure import ASSEMBLED
from ..kernels.tables import EXTERNAL, JOINT, PUSH, PUSH_POINT
from ..structure.loops import LoopTables, dynamics_kernel, loops_of
from ..structure.tree import Tree
from .actuation import Bounds, Names, Weights, actuators_of, refuse_loop_joints, shared_torques
from .loop_forces import own_wrenches, ways_of

Array = NDArray[np.float64]
Wrenches = Mapping[str, ArrayLike]
Torques = ArrayLike | Mapping[str, ArrayLike]


def forward_dynamics(mech: Mechanism, state: State, tau: Torques | None = None, wrenches: Wrenches | None = None) -> Array:
    """The accelerations v̇ under torques, gravity, springs, damping, limits and external wrenches, with or without loops.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    tau : (nv,) array_like, or mapping of str to array_like, optional
        Joint torques, as one array or by joint name, loop joints too; by default none.
    wrenches : mapping of str to (6,) array_like, optional
        By body: moment, then force, in world axes; the force acts at the body's origin.

    Returns
    -------
    (nv,) array

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
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.forward_dynamics(mech, mech.state())
    array([-9.81])
    """
    # A small arm's dynamics takes little more than a microsecond, so this path does without all that can be spared.
    # It takes what is derived from the mechanism once, and keeps tree and tables alive while a kernel has their addresses.
    derived = mech._derived
    tree = derived.tree or mech.tree_of(derived)
    try:
        torque: Any = tree.no_torque if tau is None else tau
        if wrenches is None and torque.dtype is _FLOAT64:
            out = empty(tree.nv)
            if state.layout is derived.open_layout:
                if entries.forward_dynamics.call(tree.handle, state._x, torque, out) > 0.0:
                    return out
            elif state.layout is derived.layout:
                closed = derived.closed or loops_of(mech, derived)
                if entries.quick_closed_dynamics.call(tree.handle, closed.handle, dynamics_kernel(), state._x, torque, out) > 0.0:
                    return out
    except (AttributeError, TypeError):  # not a state, or not an array of one axis
        pass
    return _careful_forward_dynamics(mech, state, tau, {} if wrenches is None else wrenches)[0]


_FLOAT64 = np.dtype(np.float64)


def _careful_forward_dynamics(
    mech: Mechanism, state: State, tau: Torques | None, wrenches: Wrenches
) -> tuple[Array, LoopTables | None]:
    """Forward dynamics for any input: converts what can be converted and says what is wrong with the rest.

    Returns also the tables of the loops, with their forces.
    """
    derived = mech.derived_for(state)
    tree = mech.tree_of(derived)
    torque, loop_torques = joint_torques(mech, tau)
    external = external_table(mech, wrenches)
    out = empty(tree.nv)
    work = tree.new_work()  # its own, to look into afterwards
    closed = LoopTables(mech, derived=derived) if mech.layout_of(derived).loops else None
    if closed is not None:
        closed.drive(loop_torques)
        margin, gap = entries.closed_dynamics(work.handle, closed.handle, dynamics_kernel(), state._x, torque, external, out)
        if gap > ASSEMBLED:
            raise StructureError(
                f"the loops are open by {gap:.3g} in this state; close them first: state = assemble(mech, state)."
            )
    elif wrenches:
        margin = entries.pushed_dynamics(work.handle, state._q, state._v, torque, external, out)
    else:  # by the same kernel as the quick path, so that the last digits are the same
        margin = entries.forward_dynamics.call(work.handle, state._x, torque, out)
    if not margin > 0.0:
        raise tree.explain_failure(work, state._q)
    return out, closed


def joint_torques(mech: Mechanism, tau: Torques | None) -> tuple[Array, dict[int, Array]]:
    """Torques as an array (nv,) for the tree joints, and those of loop joints by their number."""
    if not isinstance(tau, Mapping):
        return mech.tree.no_torque if tau is None else finite("tau", tau, (mech.nv,)), {}
    torques, of_loops = np.zeros(mech.nv), {}
    for name, given in tau.items():
        if name not in mech.joints:
            raise ModelError(f"tau: there is no joint {name!r}; the joints are: {listed(mech.joints)}.")
        count = mech.joints[name].type.nv
        one_number: Any = [given] if count == 1 and np.ndim(given) == 0 else given
        numbers = finite(f"tau of joint {name!r}", one_number, (count,))
        if name in mech.layout.v_slices:
            torques[mech.v_slice(name)] = numbers
        else:
            of_loops[mech.loop_joints.index(name)] = numbers
    return torques, of_loops


def inverse_dynamics(
    mech: Mechanism,
    state: State,
    a: ArrayLike,
    wrenches: Wrenches | None = None,
    *,
    actuated: Names | None = None,
    weights: Weights | None = None,
    bounds: Bounds | None = None,
) -> Array:
    """The joint torques that make a mechanism accelerate as asked, beside gravity, springs, damping, limits and wrenches.

    In a closed mechanism many torques may do; those with the least Σ weight · torque² within the bounds are taken.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    a : (nv,) array_like
        The accelerations v̇; in a closed mechanism they must keep the loops closed, see `consistent_acceleration`.
    wrenches : mapping of str to (6,) array_like, optional
        By body: moment, then force, in world axes; the force acts at the body's origin.
    actuated : iterable of str, optional
        Names of the tree joints, or of single coordinates, that have motors; all others get 0. By default all have.
    weights, bounds : optional
        As for `actuator_torques`.

    Returns
    -------
    (nv,) array

    Raises
    ------
    ModelError
        If an argument does not fit.
    StructureError
        If the acceleration would open a loop, or these motors cannot make it.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.inverse_dynamics(mech, mech.state(), [0.0])
    array([19.62])
    """
    tree = mech.tree_for(state)
    rate = finite("a", a, (tree.nv,))
    needed = _newton_euler(tree, mech, state, rate, wrenches)
    if not mech.layout.loops and actuated is None and weights is None and bounds is None:
        return needed
    actuators = actuators_of(mech, actuated, weights, bounds)
    refuse_loop_joints(actuators)
    return shared_torques(mech, state, rate, needed, actuators)[: mech.nv]


def actuator_torques(
    mech: Mechanism,
    state: State,
    a: ArrayLike,
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
    a : (nv,) array_like
        The accelerations v̇.
    actuated : iterable of str, optional
        Names of joints, or of single coordinates, such as "wrist[1]", and then the rest of the joint gets 0. By default all tree
        joints.
    weights : array_like or mapping of str to float, optional
        Positive, one for each coordinate in that order, or by name.
    bounds : (lower, upper) or mapping of str to (lower, upper), optional
        Each one number or one for each coordinate.
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
        If the acceleration would open a loop, or these motors cannot make it.

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
    tree = mech.tree_for(state)
    rate = finite("a", a, (tree.nv,))
    actuators = actuators_of(mech, actuated, weights, bounds)
    needed = _newton_euler(tree, mech, state, rate, wrenches)
    return actuators.by_joint(shared_torques(mech, state, rate, needed, actuators))


def bias_force(mech: Mechanism, state: State) -> Array:
    """The torques c(q, v) that hold v̇ at zero against velocity, gravity, springs, damping and limits; loops are left out.

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
    tree = mech.tree_for(state)
    return _newton_euler(tree, mech, state, np.zeros(tree.nv), None)


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
    tree = mech.tree_for(state)
    out = np.empty((tree.nv, tree.nv))
    entries.mass_matrix(tree.handle, state._q, out)
    return representable("the moments of inertia", out)


class Reactions(dict[str, Array]):
    """Wrenches by joint name."""

    redundant: tuple[str, ...] = ()
    """The joints whose wrenches the motion does not determine, because loops are redundant: theirs are of least norm."""


def joint_reactions(mech: Mechanism, state: State, tau: Torques | None = None, wrenches: Wrenches | None = None) -> Reactions:
    """The whole wrench that each joint's parent puts on its child.

    Along the joint's own freedom it is tau with damping and limits. Where loops are redundant, the forces of their loop joints
    are the least that hold them.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    tau : (nv,) array_like, or mapping of str to array_like, optional
        Joint torques, as one array or by joint name, loop joints too; by default none.
    wrenches : mapping of str to (6,) array_like, optional
        By body: moment, then force, in world axes; the force acts at the body's origin.

    Returns
    -------
    dict of str to (6,) array
        By joint: moment about the joint's frame on the child, then force, in world axes. Its attribute `redundant` names the
        joints whose wrenches the motion does not determine.

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
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("weld", rg.Fixed(), "world", "ball")
    >>> rg.joint_reactions(mech, mech.state())["weld"].tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 19.62]
    """
    tree, found = mech.tree_for(state), Reactions()
    external = tree.no_forces if wrenches is None else external_table(mech, wrenches)
    out = np.empty((len(tree.walk), 6))
    if mech.layout.loops:
        _closed_reactions(mech, state, tau, wrenches, external, found, out)
    else:
        a = forward_dynamics(mech, state, tau, wrenches)
        entries.joint_reactions(tree.handle, state._q, state._v, a, external, np.empty(tree.nv), out)
    representable("the forces of joints", np.concatenate([out, *(wrench[None] for wrench in found.values())]))
    found.update((tree.joint_names[j], out[k]) for k, j in enumerate(tree.walk[:, JOINT].tolist()))
    return found


def _closed_reactions(
    mech: Mechanism, state: State, tau: Torques | None, wrenches: Wrenches | None, external: Array, found: Reactions, out: Array
) -> None:
    """The reactions of loop joints to `found`, those of the tree's joints to the rows of `out`."""
    torque, of_loops = joint_torques(mech, tau)
    closed = LoopTables(mech) if of_loops else loops_of(mech)
    closed.drive(of_loops)
    tree = closed.tree
    number = len(closed.loops)
    redundant, a = np.empty((number, 1), np.int64), empty(tree.nv)
    held_with, push = own_wrenches(closed, state._x), np.zeros((len(out), EXTERNAL)) if wrenches is None else external
    if not loop_reactions.closed_reactions.call(
        tree.handle, closed.handle, dynamics_kernel(), state._x, torque, external, a, redundant, held_with, push
    ):  # fmt: skip
        _careful_forward_dynamics(mech, state, tau, wrenches or {})  # raises, and says why there is no answer
    entries.joint_reactions(tree.handle, state._q, state._v, a, push, empty(tree.nv), out)
    names = mech.loop_joints
    found.update(zip(names, held_with, strict=True))
    if redundant.any():
        loops = tuple(name for name, undetermined in zip(names, redundant[:, 0].tolist(), strict=True) if undetermined)
        found.redundant = (*loops, *ways_of(mech, loops))


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
    derived = mech.derived_for(state)
    tree = mech.tree_of(derived)
    nv = tree.nv
    a = forward_dynamics(mech, state, tau, wrenches)
    external = tree.no_forces if wrenches is None else external_table(mech, wrenches)
    torque, of_loops = joint_torques(mech, tau)
    q, v, push, scratch = (x.astype(complex) for x in (state._q, state._v, external, np.zeros((3, max(tree.nq, nv)))))
    work = tree.new_work(complex)
    if mech.layout_of(derived).loops:
        closed, found = LoopTables(mech, 0j, derived), np.empty((nv, 3 * nv))
        closed.drive(of_loops)
        entries.loop_derivatives(work.handle, closed.handle, q, v, torque.astype(complex), push, scratch, found)
        by_q, by_v, by_tau = np.hsplit(representable("the derivatives", found), 3)
        return Derivatives(by_q, by_v, by_tau)
    by_state = np.empty((nv, 2 * nv))
    entries.inverse_derivatives(work.handle, q, v, a.astype(complex), push, scratch, by_state)
    # tau = M a + c holds along the way, so M ∂a = ∂tau − (∂tau at fixed a)
    inverse = solve_definite(mass_matrix(mech, state), np.eye(nv))
    by_q, by_v = np.hsplit(representable("the derivatives", -inverse @ by_state), 2)
    return Derivatives(by_q, by_v, inverse)


def open_tree(mech: Mechanism, task: str = "this computation") -> Tree:
    """The tree of a mechanism without loops; an error says that the task needs one."""
    tree = mech.tree
    if mech.layout.loops:
        names = listed(mech.loop_joints, most=6)
        raise StructureError(
            f"the loop joints {names} close loops, and {task} is for trees; remove them from the mechanism. "
            "mass_matrix, bias_force and kinematics of the spanning tree work as it is."
        )
    return tree


def external_table(mech: Mechanism, wrenches: Wrenches) -> Array:
    """Wrenches by body name as the table that kernels take."""
    tree = mech.tree
    if not isinstance(wrenches, Mapping):
        raise ModelError(f"wrenches must be given by the names of the bodies they act on, not as {type(wrenches).__name__}.")
    table = np.zeros((len(tree.walk), EXTERNAL))
    table[:, PUSH_POINT:] = tree.origins()
    put_wrenches(table, tree.row_of, wrenches)
    return table


def put_wrenches(table: Array, row_of: Mapping[str, int], wrenches: Wrenches) -> None:
    """Write each wrench into the first columns of its body's row."""
    for body, wrench in wrenches.items():
        if body not in row_of:
            raise ModelError(f"wrenches: there is no body {body!r} that could be pushed.")
        table[row_of[body], PUSH:PUSH_POINT] = finite(f"wrench on {body!r}", wrench, (6,))


def _newton_euler(tree: Tree, mech: Mechanism, state: State, a: Array, wrenches: Wrenches | None) -> Array:
    external = tree.no_forces if wrenches is None else external_table(mech, wrenches)
    out = np.empty(tree.nv)
    entries.inverse_dynamics(tree.handle, state._q, state._v, a, external, out)
    return representable("the torques", out)
