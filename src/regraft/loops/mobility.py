"""Generalized coordinates of closed chains: how many there are, which to take, and how all joints follow them (S2 II)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, StructureError, listed
from ..joints import screws
from ..mechanism import Mechanism
from ..state import State
from .assembly import assembled
from .coordinates import Coordinates, Given
from .jacobian import closed_loops, constraint_matrix

Array = NDArray[np.float64]

RANK = 1e-6
"""A singular value of the scaled J_C counts as 0 below this part of the largest one, or of 1, which is the size of a screw.

Loops are closed to 1e-13, and where they lose rank that fixes the position, and with it the singular value, to its root only.
"""

KEPT = 0.1
"""Coordinates are kept until their conditioning falls below this part of what the best choice would have."""

_PREFERENCE = 2.0  # how much better conditioned another choice must be to be taken instead of actuated tree joints
_GIVEN = 1e-3  # the weight of what a caller gave, in a proposal that keeps as much of it as can be
_NO_LEVER = 1e-12  # relative to the places that it is a difference of: a shorter lever is rounding
_FIRST = 1e-6  # of equally good coordinates the first ones are taken, not those that rounding favours


@dataclass(frozen=True, eq=False)
class Mobility:
    """The generalized coordinates θ_G of a mechanism in a state; made by `mobility`.

    A coordinate is called as its joint, or "base[3]" where that has several.

    Attributes
    ----------
    joints : int
        N_J: the coordinates of all joints, loop joints too.
    rank : int
        m: how many independent conditions the loops make.
    dof : int
        N_F = N_J − m: the degrees of freedom.
    independent : tuple of str
        θ_G.
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
        How well θ_G tells the motions apart: 1 at best, 0 where its coordinates depend on each other.
    """

    joints: int
    rank: int
    dof: int
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    actuated: tuple[str, ...]
    H: Array
    W: Array
    S: Array
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
        chosen = _checked(mech, motions, motions.coordinates.find("independent", independent))
    else:
        chosen = _independent(motions, _weights(mech, motions.coordinates))
        if keep is not None:
            chosen = _kept(motions, chosen, keep)
    return _described(mech, motions, chosen)


class AllowedMotions(NamedTuple):
    """What the loops of a mechanism allow in a state, in coordinates θ̂ without units."""

    coordinates: Coordinates
    scale: Array
    """(N_J,): θ̇ = scale · θ̂̇, such that each θ̂̇ of 1 moves its joint's child about as much."""
    held: Array
    """(N_J, m): an orthonormal basis of the directions of θ̂̇ that the loops do not allow."""
    free: Array
    """(N_J, N_F): an orthonormal basis of those that they allow."""
    inverse: Array
    """(N_J, 6 · loops): the pseudo-inverse of J_C, with the least θ̂̇."""


def allowed_motions(mech: Mechanism, state: State) -> AllowedMotions:
    """The motions that all loops allow, with their loops closed to rounding first; an error where they are open."""
    mech.check_state(state)
    coordinates = Coordinates(mech)
    closed = assembled(mech, State(mech.layout, np.concatenate([state._q, np.zeros(mech.nv)])))
    loops = closed_loops(mech, closed)
    J = constraint_matrix(mech, loops)
    length = _characteristic_length(J, max((loop.size for loop in loops), default=0.0))
    rows = np.tile(np.repeat((1.0, 1.0 / length), 3), len(loops))
    positions = {name: closed._q[where] for name, where in mech.layout.q_slices.items()}
    positions |= {loop.joint.name: loop.q for loop in loops}
    scale = 1.0 / _sizes(mech, coordinates, positions, length)
    U, sizes, Vt = np.linalg.svd(rows[:, None] * J * scale, full_matrices=J.shape[0] < J.shape[1])  # all of V, no more of U
    rank = int((sizes > RANK * sizes.max(initial=1.0)).sum())
    held, free = Vt[:rank].T, Vt[rank:].T
    inverse = (scale[:, None] * held / sizes[:rank]) @ (U[:, :rank].T * rows)
    return AllowedMotions(coordinates, scale, held, free, inverse)


def _characteristic_length(J: Array, size: float) -> float:
    """The longest lever by which a joint turns a loop; 1 where there is none but rounding of places of this size."""
    turning, moving = (np.sqrt((J.reshape(J.shape[0] // 6, 2, 3, J.shape[1])[:, half] ** 2).sum(axis=1)) for half in (0, 1))
    turns = turning > RANK  # the rest slides, or is on the way to both ends of a loop and moves neither against the other
    longest = float((moving[turns] / turning[turns]).max(initial=0.0))
    return longest if longest > _NO_LEVER * size else 1.0


def _sizes(mech: Mechanism, coordinates: Coordinates, positions: Mapping[str, Array], length: float) -> Array:
    """(N_J,): the size of each joint's screws, (angular, linear by length)."""
    each = np.empty((coordinates.count, 6))
    for name, where in coordinates.slices.items():
        each[where] = screws(mech.joints[name].type, positions[name])
    found: Array = np.linalg.norm(each * np.repeat((1.0, 1.0 / length), 3), axis=1)
    return found


# --- the choice --------------------------------------------------------------------------------------------------------


def _weights(mech: Mechanism, coordinates: Coordinates) -> Array:
    """What speaks for a coordinate as a dependent one, beside its conditioning."""
    weights = np.full(coordinates.count, _PREFERENCE)
    actuated = _actuated(mech, coordinates)
    weights[[i for i in actuated if i < coordinates.tree]] = 1.0
    return weights


def _independent(motions: AllowedMotions, weights: Array) -> list[int]:
    """N_F coordinates: those that are left when the m columns of J_C that are best together are taken out."""
    from scipy.linalg import qr  # on first use: it takes as long to import as all of Regraft

    count, rank = motions.held.shape
    if rank == 0:
        return list(range(count))
    in_order = 1.0 + _FIRST * np.arange(count)
    _, _, pivots = qr((motions.held * (weights * in_order)[:, None]).T, mode="economic", pivoting=True)
    return sorted(pivots[rank:].tolist())


def _kept(motions: AllowedMotions, fresh: list[int], keep: Mobility) -> list[int]:
    """The earlier choice, unless there are other coordinates now, or it has become much worse than a fresh one."""
    labels = motions.coordinates.labels
    if len(keep.independent) != len(fresh) or not set(keep.independent) <= set(labels):
        return fresh
    before = [labels.index(name) for name in keep.independent]
    return before if _conditioning(motions, before) >= KEPT * _conditioning(motions, fresh) else fresh


def _conditioning(motions: AllowedMotions, chosen: list[int]) -> float:
    """The least size that the chosen coordinates have in any motion of size 1."""
    return float(np.linalg.svd(motions.free[chosen], compute_uv=False).min(initial=1.0))


def _checked(mech: Mechanism, motions: AllowedMotions, chosen: list[int]) -> list[int]:
    """The caller's choice, if it is independent and complete."""
    coordinates, dof = motions.coordinates, motions.free.shape[1]
    known, follow = np.zeros((0, dof)), []
    for i in chosen:
        own = motions.free[i]
        for _ in range(2):
            own = own - known.T @ (known @ own)
        size = float(np.linalg.norm(own))
        if size > RANK:
            known = np.vstack([known, own / size])
        else:
            follow.append(i)
    if not follow and len(chosen) == dof:
        return chosen
    weights = _weights(mech, coordinates)
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


def _actuated(mech: Mechanism, coordinates: Coordinates) -> list[int]:
    """The coordinates of joints that can have a motor: of actuated type, and with something to hold on to."""
    able = [name for name, joint in mech.joints.items() if joint.type.actuated and joint.type.nv < 6]
    return sorted(i for name in able for i in range(coordinates.slices[name].start, coordinates.slices[name].stop))


def _described(mech: Mechanism, motions: AllowedMotions, chosen: list[int]) -> Mobility:
    coordinates, dof = motions.coordinates, motions.free.shape[1]
    follow = np.linalg.solve(motions.free[chosen].T, motions.free.T).T  # θ̂̇ = follow θ̂̇_G
    follow[chosen] = np.eye(dof)
    rates = motions.scale[:, None] * follow / motions.scale[chosen]
    rest = sorted(set(range(coordinates.count)) - set(chosen))
    actuated = _actuated(mech, coordinates)
    H, W, S = rates[rest], rates[: coordinates.tree].copy(), rates[actuated]
    for matrix in (H, W, S):
        matrix.flags.writeable = False
    return Mobility(
        joints=coordinates.count,
        rank=coordinates.count - dof,
        dof=dof,
        independent=coordinates.named(chosen),
        dependent=coordinates.named(rest),
        actuated=coordinates.named(actuated),
        H=H,
        W=W,
        S=S,
        conditioning=_conditioning(motions, chosen),
    )
