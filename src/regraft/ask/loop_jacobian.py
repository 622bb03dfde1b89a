"""The constraint Jacobian of all loops (S2's J_C) and its rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import StructureError
from ..kernels.constraints.demands import DEMANDS, constraint_matrices
from ..tolerances import ASSEMBLED

Array = NDArray[np.float64]

_IMAGINARY = 1e-30  # the step of a derivative along the imaginary axis: exact, whatever its size


def loop_jacobian(mech: Mechanism, state: State, reduced: bool = False) -> Array:
    """The constraint Jacobian J_C of all loops: J_C θ̇ = 0 for the velocities θ̇ of tree joints and loop joints (S2 eq. 11).

    Its columns are those of the tree joints in the order of v, then those of the loop joints. A loop has six rows: the twist of
    the loop joint's child, less that of its parent, less the joint's own S q̇; the last two together are the twist of S2's virtual
    link. Rows are angular over linear, in world axes, at the joint's frame on its child. After the loops there is a row for each
    coupling, with the factors of its joints.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position; the loops must be closed.
    reduced : bool, optional
        Whether the columns are those of v alone, and the loop joint's own directions are projected out: a joint with f degrees of
        freedom keeps 6 − f rows, in an orthonormal basis.

    Returns
    -------
    (6 · loops + couplings, N_J) array
        N_J is the number of velocities of all joints; or (rows, nv) if `reduced`.

    Raises
    ------
    StructureError
        If loops are open.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("pin", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> end = rg.Pose(translation=(1, 0, 0))
    >>> mech.add_joint("slot", rg.Prismatic((0, 0, 1)), "world", "rod", end, end)
    >>> rg.loop_jacobian(mech, mech.state()).T + 0.0
    array([[ 0.,  1.,  0.,  0.,  0., -1.],
           [ 0.,  0.,  0.,  0.,  0., -1.]])
    """
    found = loop_matrices(mech, state)
    if not reduced:
        return found.J
    return np.vstack([np.zeros((0, mech.nv)), *(loop.held() @ loop.twists for loop in found.loops()), found.coupled()])


def loop_jacobian_rate(mech: Mechanism, state: State, reduced: bool = False) -> Array:
    """dJ_C/dt along the motion, so that J_C θ̈ + dJ_C/dt θ̇ = 0; the loops must be closed in velocity too.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity; the loops must be closed in both.
    reduced : bool, optional
        Whether the rate is that of ``loop_jacobian(mech, state, reduced=True)``, whose columns are those of v alone. Then
        J v̇ + dJ/dt v = 0.

    Returns
    -------
    (6 · loops + couplings, N_J) array, or (rows, nv) if reduced
        The rate of the matrix that `loop_jacobian` gives, row by row.

    Raises
    ------
    StructureError
        If a loop is open, in position or in velocity.

    Examples
    --------
    >>> import regraft as rg
    >>> mech, state = rg.models.four_bar().start
    >>> moving = rg.assemble(mech, state.replace(v={"motor": 2.0}), hold="motor")
    >>> J, dJ = (f(mech, moving, reduced=True) for f in (rg.loop_jacobian, rg.loop_jacobian_rate))
    >>> bool(abs(J @ rg.forward_dynamics(mech, moving) + dJ @ moving.v).max() < 1e-9)
    True
    """
    found = loop_matrices(mech, state, moving=True)
    if not reduced:
        return found.rate
    rates = [loop.held_rate() @ loop.twists + loop.held() @ loop.twist_rates for loop in found.loops()]
    return np.vstack([np.zeros((0, mech.nv)), *rates, found.coupled_rate()])


class Loop(NamedTuple):
    """The six rows of a loop: what the tree joints give its joint's child against its parent, and what the joint itself does."""

    twists: Array
    """(6, nv)."""
    twist_rates: Array
    """How they change along the motion."""
    columns: Array
    """(6, nv of the joint): its screws, in world axes, at its frame on its child."""
    column_rates: Array
    """How they change."""

    def held(self) -> Array:
        """(6 − nv of the joint, 6): an orthonormal basis of what the joint does not allow."""
        basis: Array = _complement(self.columns).T
        return basis

    def held_rate(self) -> Array:
        """How `held` changes with the columns."""
        rate: Array = _complement(self.columns + 1j * _IMAGINARY * self.column_rates).T.imag / _IMAGINARY
        return rate


class LoopMatrices(NamedTuple):
    """The constraint Jacobian of all loops in a state, its rate, and the velocities θ̇ that go with them."""

    J: Array
    rate: Array
    velocities: Array
    tree: int
    """How many of the columns belong to tree joints."""
    own: tuple[slice, ...]
    """Which of them belong to each loop joint."""

    def loops(self) -> Iterator[Loop]:
        """The rows of each loop."""
        for l, own in enumerate(self.own):
            rows, rates = self.J[6 * l : 6 * l + 6], self.rate[6 * l : 6 * l + 6]
            yield Loop(rows[:, : self.tree], rates[:, : self.tree], -rows[:, own], -rates[:, own])

    def coupled(self) -> Array:
        """(couplings, nv): the rows of couplings, in which loop joints follow from the joints of the tree."""
        rows = self.J[6 * len(self.own) :]
        found: Array = rows[:, : self.tree].copy()
        for loop, own in zip(self.loops(), self.own, strict=True):
            if rows[:, own].any():
                found += rows[:, own] @ np.linalg.pinv(loop.columns) @ loop.twists
        return found

    def coupled_rate(self) -> Array:
        """How `coupled` changes along the motion; where there is no loop joint in it, not at all."""
        rows = self.J[6 * len(self.own) :]
        found = np.zeros((len(rows), self.tree))
        for loop, own in zip(self.loops(), self.own, strict=True):
            if rows[:, own].any():
                s = loop.columns[:, 0]  # a coupled joint has one
                size, ds = s @ s, loop.column_rates[:, 0]
                change = ds / size - 2.0 * (s @ ds) / size**2 * s
                found += rows[:, own] @ (change @ loop.twists + s / size @ loop.twist_rates)[None]
        return found


def loop_matrices(mech: Mechanism, state: State, moving: bool = False) -> LoopMatrices:
    """J_C and its rate in a state; an error where a loop is open in position, with `moving` also in velocity."""
    structure, coordinates = mech.structure_for(state), mech.coordinates
    layout = structure.layout
    rows = 6 * len(layout.loops) + len(layout.couplings)
    J, rate = np.empty((rows, coordinates.count)), np.empty((rows, coordinates.count))
    velocities, demands = np.empty(coordinates.count), np.empty((len(layout.constraints), DEMANDS))
    constraint_matrices.call(structure.work, state._x, coordinates.loop_size, demands, velocities, J, rate)
    for which, (gap, slip, *_) in zip(layout.constraints, demands.tolist(), strict=True):
        if not (gap <= ASSEMBLED and (not moving or slip <= ASSEMBLED)):
            raise open_loop(which, gap, slip)
    own = tuple(coordinates.slices[name] for name, *_ in layout.loops)
    return LoopMatrices(J, rate, velocities, structure.nv, own)


def open_loop(which: str, gap: float, slip: float) -> StructureError:
    """The error that a loop or a coupling, as `Layout.constraints` calls it, is open, in position or in velocity."""
    return StructureError(
        f"{which} is open in this state, by {gap:.3g} in position and {slip:.3g} in "
        "velocity; close it first: state = assemble(mech, state)."
    )


def _complement(columns: Any) -> Any:
    """(6, 6 − n): an orthonormal basis of what is orthogonal to n independent columns, by Householder's reflections.

    It is analytic in the columns, so a small imaginary part carries their rate along.
    """
    left, basis = columns.copy(), np.eye(6, dtype=columns.dtype)
    for k in range(columns.shape[1]):
        mirror = left[k:, k].copy()
        length = np.sqrt(mirror @ mirror)
        mirror[0] += length if mirror[0].real >= 0.0 else -length  # away from zero
        mirror /= np.sqrt(mirror @ mirror)
        left[k:, k:] -= 2.0 * np.outer(mirror, mirror @ left[k:, k:])
        basis[:, k:] -= 2.0 * np.outer(basis[:, k:] @ mirror, mirror)
    return basis[:, columns.shape[1] :]
