"""Mobility of closed chains: degrees of freedom, a choice of generalized coordinates, and how all joints follow them (S2 II)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import svd
from ..describe.coordinates import Coordinates, Given
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError, listed
from ..kernels.constraints import jacobian as constraint
from ..kernels.constraints import sharing
from ..tolerances import ASSEMBLED, CLOSED, LOOP_RANK
from .assembly import assemble, open_constraints

Array = NDArray[np.float64]

KEPT = 0.1
"""An earlier choice of coordinates is kept until its conditioning falls below this part of that of a fresh choice."""

_GIVEN = 1e-3  # weight of the coordinates that a caller gave, so that a proposal keeps as many of them as possible


@dataclass(frozen=True, eq=False)
class Mobility:
    """The generalized coordinates θ_G of a mechanism in a state; made by `mobility`.

    A coordinate has the name of its joint, with a number where the joint has several: "crank", "base[3]".

    Attributes
    ----------
    joints : int
        N_J: the coordinates of all joints, loop joints too.
    rank : int
        m: the number of independent constraints, the rank of the constraint Jacobian J_C.
    dof : int
        N_F = N_J − m: the degrees of freedom.
    independent : tuple of str
        θ_G, the generalized coordinates.
    dependent : tuple of str
        θ_S, the rest.
    actuated : tuple of str
        θ_A: the coordinates of the joints whose type is actuated; not those of `Free`, where no motor can be (S2 VI-B).
    H : (m, N_F) array
        θ̇_S = H θ̇_G.
    W : (nv, N_F) array
        v = W θ̇_G.
    S : (N_A, N_F) array
        θ̇_A = S θ̇_G.
    conditioning : float
        How well θ_G is conditioned: the least size of θ̇_G, scaled, in any motion of size 1. It is 1 at best, and 0 where these
        coordinates depend on each other.
    """

    joints: int
    rank: int
    dof: int
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    actuated: tuple[str, ...]
    H: Array = field(repr=False)
    W: Array = field(repr=False)
    S: Array = field(repr=False)
    conditioning: float


def mobility(mech: Mechanism, state: State, independent: Iterable[Given] | None = None, keep: Mobility | None = None) -> Mobility:
    """Degrees of freedom of a mechanism in a state, and generalized coordinates for them.

    The choice is a well conditioned one, by a QR factorisation with pivots, in which actuated tree joints come first unless
    others are twice as good.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position; the loops must be closed.
    independent : iterable of str, optional
        The caller's own choice: "crank", or "base[3]" for one coordinate of several.
    keep : Mobility, optional
        An earlier answer whose choice is kept as long as it is good.

    Returns
    -------
    Mobility

    Raises
    ------
    StructureError
        If loops are open, or the caller's coordinates depend on each other.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("pin", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> mech.add_joint("slot", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> found = rg.mobility(mech, mech.state())
    >>> found.joints, found.rank, found.dof, found.independent, found.H.round(12).tolist()
    (2, 1, 1, ('pin',), [[1.0]])
    """
    if independent is not None and keep is not None:
        raise ModelError("mobility: give the independent coordinates, or an earlier choice to keep, not both.")
    motions = allowed_motions(mech, state)
    if independent is not None:
        chosen = _checked(motions, motions.coordinates.find("independent", independent))
    else:
        chosen = _independent(motions, motions.coordinates.weights)
        if keep is not None:
            chosen = _kept(motions, chosen, keep)
    return _described(motions, chosen)


class AllowedMotions(NamedTuple):
    """The velocities that loops allow in a state: J_C in coordinates θ̂ without units, decomposed as U diag(sizes) Vt."""

    coordinates: Coordinates
    scale: Array
    """(N_J,): θ̇ = scale · θ̂̇, such that each θ̂̇ of 1 moves its joint's child about as much."""
    rank: int
    """m: the rank of J_C, as many directions as the loops do not allow."""
    Vt: Array
    """(N_J, N_J): an orthonormal basis of all directions of θ̂̇ as rows, those first that the loops do not allow."""
    sizes: Array
    U: Array
    """(at least m, rows of J_C): the rows that belong to those directions."""
    row_scale: Array
    """(rows of J_C,): what makes the rows free of units."""

    @property
    def held(self) -> Array:
        """(N_J, m): an orthonormal basis of the directions of θ̂̇ that the loops do not allow."""
        return self.Vt[: self.rank].T

    @property
    def free(self) -> Array:
        """(N_J, N_F): an orthonormal basis of the directions that they allow, the null space of J_C."""
        return self.Vt[self.rank :].T

    @property
    def inverse(self) -> Array:
        """(N_J, rows of J_C): the pseudo-inverse of J_C, with the least θ̂̇."""
        found: Array = (self.scale[:, None] * self.held / self.sizes[: self.rank]) @ (self.U[: self.rank] * self.row_scale)
        return found


def allowed_motions(mech: Mechanism, state: State) -> AllowedMotions:
    """The velocities that all loops allow. The loops are closed to rounding first; an error where they are open by more."""
    mech.check_state(state)
    coordinates, structure = mech.coordinates, mech.structure
    layout = structure.layout
    count, rows = coordinates.count, 6 * len(layout.loops) + len(layout.couplings)
    least, q = min(rows, count), state._q.copy()
    scale, row_scale, sizes = np.empty(count), np.empty(rows), np.empty(least)
    U, Vt = np.empty((least, rows)), np.empty((count, count))
    found = constraint.allowed_motions.call(structure.work, q, coordinates.loop_size, scale, row_scale, U, sizes, Vt)
    gap, left, rank = found
    if not gap <= ASSEMBLED:
        raise StructureError(
            f"{open_constraints(layout)} in this state, by {gap:.3g} in position; close them first: "
            "state = assemble(mech, state)."
        )
    if not left <= CLOSED:  # assembling says which loop it is
        return allowed_motions(mech, assemble(mech, State(mech.layout, np.concatenate([state._q, np.zeros(mech.nv)]))))
    return AllowedMotions(coordinates, scale, rank, Vt, sizes, U, row_scale)


# --- the choice --------------------------------------------------------------------------------------------------------


def _independent(motions: AllowedMotions, weights: Array) -> list[int]:
    """N_F generalized coordinates: all but the m whose columns of J_C are best conditioned together."""
    chosen = np.empty((motions.coordinates.count - motions.rank, 1), np.int64)
    sharing.choose.call(motions.Vt, motions.rank, weights, chosen)
    found: list[int] = chosen[:, 0].tolist()
    return found


def _kept(motions: AllowedMotions, fresh: list[int], keep: Mobility) -> list[int]:
    """The earlier choice, unless there are other coordinates now, or it has become much worse than a fresh one."""
    labels = motions.coordinates.labels
    if len(keep.independent) != len(fresh) or not set(keep.independent) <= set(labels):
        return fresh
    before = [labels.index(name) for name in keep.independent]
    return before if _conditioning(motions, before) >= KEPT * _conditioning(motions, fresh) else fresh


def _conditioning(motions: AllowedMotions, chosen: list[int]) -> float:
    """The least size that the chosen coordinates have in any motion of size 1."""
    return float(svd(motions.free[chosen])[1].min(initial=1.0))


def _checked(motions: AllowedMotions, chosen: list[int]) -> list[int]:
    """The caller's choice, if it is independent and complete."""
    coordinates, dof = motions.coordinates, motions.free.shape[1]
    known, follow = np.zeros((0, dof)), []
    for i in chosen:
        own = motions.free[i]
        for _ in range(2):
            own = own - known.T @ (known @ own)
        size = float(np.linalg.norm(own))
        if size > LOOP_RANK:
            known = np.vstack([known, own / size])
        else:
            follow.append(i)
    if not follow and len(chosen) == dof:
        return chosen
    weights = coordinates.weights.copy()
    weights[chosen] *= _GIVEN
    works = coordinates.named(_independent(motions, weights))
    problem = f"{_counted(len(chosen), 'coordinate')} given"
    if follow:
        problem = f"of the given ones {listed(coordinates.named(follow))} can move only as those before do, or not at all"
    raise StructureError(
        f"independent coordinates: the mechanism has {_counted(dof, 'degree')} of freedom in this state, {problem}. "
        f"A choice that works: {listed(works, most=dof) or 'none'}."
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _described(motions: AllowedMotions, chosen: list[int]) -> Mobility:
    coordinates, dof = motions.coordinates, len(chosen)
    rates = np.empty((coordinates.count, dof))
    conditioning = sharing.follow.call(motions.Vt, motions.rank, motions.scale, np.array(chosen, np.int64).reshape(dof, 1), rates)
    rest = sorted(set(range(coordinates.count)).difference(chosen))
    H, W, S = rates[rest], rates[: coordinates.tree].copy(), rates[coordinates.actuated]
    for matrix in (H, W, S):
        matrix.flags.writeable = False
    return Mobility(
        joints=coordinates.count,
        rank=coordinates.count - dof,
        dof=dof,
        independent=coordinates.named(chosen),
        dependent=coordinates.named(rest),
        actuated=coordinates.named(coordinates.actuated),
        H=H,
        W=W,
        S=S,
        conditioning=conditioning,
    )
