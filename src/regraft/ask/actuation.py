"""Inverse dynamics with loops: how the torques that a motion needs are shared among the joints with motors (S2 III-A)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.dense import least_squares
from ..algebra.pose import finite, real_numbers
from ..describe.coordinates import Coordinates, Given
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError, listed
from ..kernels.constraints import sharing
from ..tolerances import ASSEMBLED, AT_BOUND, BOUND_ROUNDING, OUT_OF_REACH, TINY
from .acceleration import loop_torques_at
from .mobility import AllowedMotions, allowed_motions

Array = NDArray[np.float64]
Names = Iterable[Given]
Weights = ArrayLike | Mapping[str, ArrayLike]
Bounds = tuple[ArrayLike, ArrayLike] | Mapping[str, tuple[ArrayLike, ArrayLike]]


class Actuators(NamedTuple):
    """The coordinates that have motors, and what is asked of them."""

    coordinates: Coordinates
    places: list[int]
    weights: Array
    bounds: tuple[Array, Array] | None
    """(lower, upper) of each, where there are any."""

    def by_joint(self, torques: Array) -> dict[str, Array]:
        """Torques of all coordinates (N_J,) by the names of the joints that have motors."""
        return {name: torques[self.coordinates.slices[name]] for name in self.coordinates.joints_of(self.places)}


def actuators_of(
    mech: Mechanism, actuated: Names | None, weights: Weights | None, bounds: Bounds | None, *, efforts: bool = True
) -> Actuators:
    """What a caller asks of which actuators, checked; all tree joints where none are named.

    With `efforts` the bounds of joints for which none are given are those of their motors.
    """
    coordinates = mech.coordinates
    places = list(range(coordinates.tree)) if actuated is None else coordinates.find("actuated", actuated)
    if len(set(places)) < len(places):
        raise ModelError("actuated: a coordinate is named twice; name each once.")
    most = _efforts(mech, places) if efforts else np.full(len(places), np.inf)
    unbounded = bounds is None and bool(np.isinf(most).all())
    within = None if unbounded else _bounds(coordinates, places, {} if bounds is None else bounds, most)
    return Actuators(coordinates, places, _weights(coordinates, places, weights), within)


def refuse_loop_joints(actuators: Actuators) -> None:
    """An error where an actuator has no place among the velocities of the tree."""
    coordinates = actuators.coordinates
    if max(actuators.places, default=-1) >= coordinates.tree:
        closing = coordinates.joints_of(i for i in actuators.places if i >= coordinates.tree)
        raise StructureError(
            f"actuated: loop joints have no place in tau, and {listed(closing)} close loops; ask actuator_torques, which gives "
            "torques by name."
        )


def shared_torques(mech: Mechanism, state: State, a: Array, needed: Array, actuators: Actuators) -> Array:
    """Torques of all coordinates (N_J,), 0 where there is no motor, that do the same as `needed` in the cut tree (S2's τ_O).

    Of all that do, those with the least Σ weight · torque² within the bounds; an error where there are none.
    """
    passive = loop_torques_at(mech, state, a)
    motions = allowed_motions(mech, state)
    acting = motions.scale * np.concatenate([needed, -passive])
    stretch = np.sqrt(actuators.weights)  # y = stretch · torque is what becomes least
    shared = _shared(motions, acting, stretch, actuators)
    out = np.zeros(actuators.coordinates.count)
    out[actuators.places] = _within_bounds(shared, stretch, actuators)
    return out


class Shared(NamedTuple):
    """All y with reach y = wanted: least + rest z for any z, where rest is orthonormal and ⊥ least."""

    least: Array
    rest: Array
    reach: Array
    wanted: Array


def _shared(motions: AllowedMotions, acting: Array, stretch: Array, actuators: Actuators) -> Shared:
    """What y = stretch · torque must fulfil; an error where something is asked that the actuators cannot do."""
    count, dof = len(actuators.places), motions.coordinates.count - motions.rank
    reach, wanted = np.empty((min(count, dof), count)), np.empty(min(count, dof))
    y, lacking = np.empty((1 if actuators.bounds is None else count + 1, count)), np.empty(dof)
    places = np.array(actuators.places, np.int64).reshape(count, 1)
    weights = motions.scale[places[:, 0]] / stretch
    able = sharing.share.call(motions.Vt[motions.rank :], acting, places, weights, reach, wanted, y, lacking)
    if able < 0:
        raise _undriven(motions.free @ lacking, actuators)
    return Shared(y[0], y[1 : count - able + 1].T, reach[:able], wanted[:able])


def _undriven(motion: Array, actuators: Actuators) -> StructureError:
    """A motion, in θ̂̇, that the actuators do no work in, though it needs some."""
    sizes, coordinates = np.abs(motion), actuators.coordinates
    moving = [i for i in np.argsort(-sizes, kind="stable").tolist() if sizes[i] > ASSEMBLED * sizes.max()]
    first, *others = coordinates.joints_of(moving)
    along = f" (with {listed(others, most=6)})" if others else ""
    drivers = listed(coordinates.joints_of(actuators.places), most=6)
    return StructureError(
        f"the motion of {first!r}{along} cannot be driven by {drivers or 'nothing'}: no actuated joint moves in it, and these "
        f"accelerations need a force along it. Actuate {first!r}, or ask for accelerations that forward_dynamics gives."
    )


# --- bounds --------------------------------------------------------------------------------------------------------------


def _within_bounds(shared: Shared, stretch: Array, actuators: Actuators) -> Array:
    """The torques y / stretch that are least within the bounds."""
    least, rest, bounds = shared.least, shared.rest, actuators.bounds
    if bounds is None:
        return least / stretch
    lower, upper = stretch * bounds[0], stretch * bounds[1]
    slack = BOUND_ROUNDING * float(np.abs(least).max(initial=0.0))
    if not ((least >= lower - slack).all() and (least <= upper + slack).all()):
        z = _least_distance(np.vstack([rest, -rest]), np.concatenate([lower - least, least - upper]) - slack)
        if z is None:
            raise _out_of_bounds(shared.reach, shared.wanted, lower, upper, actuators)
        least = least + rest @ z
    found: Array = np.clip(least / stretch, *bounds)  # which they are within but for rounding
    return found


def _least_distance(G: Array, h: Array) -> Array | None:
    """The least z with G z ≥ h, or None: by the least squares with signs that are dual to it (Lawson, Hanson 1974, ch. 23)."""
    from scipy.optimize import nnls  # on first use: it takes as long to import as all of Regraft

    binding = np.isfinite(h)
    G, h = G[binding], h[binding]
    rows = np.column_stack([G, h / h.max(initial=0.0)])
    sizes = np.linalg.norm(rows, axis=1)
    rows /= np.where(sizes > 0.0, sizes, 1.0)[:, None]
    target = np.zeros(rows.shape[1])
    target[-1] = 1.0
    forces, left = nnls(rows.T, target, maxiter=100 * len(rows))
    if left <= OUT_OF_REACH:  # 1 / (1 + |z|²)½ of a z measured by the largest miss
        return None
    at_bounds = forces > 0.0
    return least_squares(G[at_bounds], h[at_bounds])


def _out_of_bounds(reach: Array, wanted: Array, lower: Array, upper: Array, actuators: Actuators) -> StructureError:
    """Which actuators are at their bounds where as much as possible is done."""
    from scipy.optimize import lsq_linear

    apart = np.maximum(upper, lower + BOUND_ROUNDING * (1.0 + np.where(np.isfinite(lower), np.abs(lower), 0.0)))
    best = lsq_linear(reach, wanted, (lower, apart), method="bvls")
    room = np.minimum(best.x - lower, upper - best.x)
    stuck = np.flatnonzero(room < AT_BOUND * (1.0 + np.abs(best.x).max())).tolist()
    assert actuators.bounds is not None
    low, high = actuators.bounds
    names = actuators.coordinates.named(actuators.places[i] for i in stuck)
    bounds = ", ".join(f"{low[i]:g} to {high[i]:g} of {name!r}" for i, name in zip(stuck, names, strict=True))
    done = 1.0 - float(np.linalg.norm(best.fun)) / max(float(np.linalg.norm(wanted)), TINY)
    return StructureError(
        f"bounds: these accelerations need more torque than allowed; with {listed(names)} at their bounds "
        f"{max(done, 0.0):.1%} of it can be made. Widen these bounds, {bounds}; actuate other joints, or ask for less."
    )


# --- what a caller gives -------------------------------------------------------------------------------------------------


def _weights(coordinates: Coordinates, places: list[int], given: Weights | None) -> Array:
    weights = np.ones(len(places))
    if given is None:
        return weights
    if isinstance(given, Mapping):
        for name, which, numbers in _by_coordinate("weights", coordinates, places, given):
            weights[which] = _spread(f"weights of {name!r}", numbers, len(which))
    else:
        weights = finite("weights", given, (len(places),))
    if not all(0.0 < weight < np.inf for weight in weights.tolist()):
        raise ModelError(f"weights must be positive and finite, not {weights.tolist()}.")
    return weights


def _efforts(mech: Mechanism, places: list[int]) -> Array:
    """The largest torque at each of some coordinates: its joint's effort, or else that of its motors by their gears."""
    most = np.full(mech.coordinates.count, np.inf)
    motors: dict[str, float] = {}
    for motor in mech.actuators.values():
        for driven, gear in motor.joints:
            motors[driven] = motors.get(driven, 0.0) + abs(gear) * motor.effort
    for name, joint in mech.joints.items():
        own = joint.type.effort
        most[mech.coordinates.slices[name]] = np.where(np.isinf(own) & (joint.type.nv == 1), motors.get(name, np.inf), own)
    return most[places]


def _bounds(coordinates: Coordinates, places: list[int], given: Bounds, efforts: Array) -> tuple[Array, Array]:
    """(lower, upper) of each; `efforts` are the largest sizes where none are given."""
    lower, upper = -efforts, efforts.copy()
    if isinstance(given, Mapping):
        for name, which, pair in _by_coordinate("bounds", coordinates, places, given):
            low, high = _pair(f"bounds of {name!r}", pair)
            lower[which] = _spread(f"lower bound of {name!r}", low, len(which))
            upper[which] = _spread(f"upper bound of {name!r}", high, len(which))
    else:
        low, high = _pair("bounds", given)
        lower, upper = _spread("lower bounds", low, len(places)), _spread("upper bounds", high, len(places))
    for i, least, most in zip(places, lower.tolist(), upper.tolist(), strict=True):
        if not least <= most or least == np.inf or most == -np.inf:
            raise ModelError(f"bounds of {coordinates.labels[i]!r}: no torque is between {least:g} and {most:g}.")
    return lower, upper


def _by_coordinate(
    what: str, coordinates: Coordinates, places: list[int], given: Mapping[str, Any]
) -> Iterator[tuple[str, list[int], Any]]:
    """For each name its numbers, and which of the actuated coordinates they belong to."""
    for name, numbers in given.items():
        found = coordinates.find(what, name)
        if not set(found) <= set(places):
            raise ModelError(f"{what}: {name!r} is not among the actuated joints; name it there too.")
        yield name, [places.index(i) for i in found], numbers


def _pair(what: str, given: Any) -> tuple[Any, Any]:
    try:
        low, high = given
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be a pair (lower, upper), not {given!r}.") from None
    return low, high


def _spread(what: str, given: ArrayLike, count: int) -> Array:
    """One number for all, or one for each; infinities are allowed."""
    numbers = real_numbers(what, given)
    if numbers.shape not in ((), (count,)) or np.isnan(numbers).any():
        raise ModelError(f"{what} must be one number, or {count}; not {given!r}.")
    return np.full(count, numbers)
