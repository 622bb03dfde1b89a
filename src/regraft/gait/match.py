"""States as points of the return map: read in the structure where the map started, moved and compared on its manifold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.assembly import assemble
from ..ask.manifold import difference, integrate
from ..ask.tangents import reversed_tangents
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError, listed, meant
from ..kernels.tables import JOINT, POLARITY

Array = NDArray[np.float64]
Match = Callable[[Mechanism, State], State] | Mapping[str, str] | None


def moved(mech: Mechanism, state: State, step: Array) -> State:
    """The state at a tangent vector (2 nv,): q ⊕ step and v + step; where there are loops, the nearest one that closes them."""
    found = along(mech, state, step)
    return assemble(mech, found) if mech.layout.is_constrained else found


def along(mech: Mechanism, state: State, step: Array) -> State:
    """The same with the loops as they are."""
    nv = mech.nv
    return State(mech.layout, np.concatenate((integrate(mech, state._q, step[:nv]), state._v + step[nv:])))


def apart(mech: Mechanism, end: State, start: State) -> Array:
    """(2 nv,): the tangent vector that leads from one state to another."""
    return np.concatenate((difference(mech, end._q, start._q), end._v - start._v))


def matched(start: Mechanism, match: Match, mech: Mechanism, state: State) -> State:
    """A state after the map as a state of the mechanism where the map started."""
    if callable(match):
        found: Any = match(mech, state)
        if not isinstance(found, State):
            raise ModelError(f"match(mech, state) must return a state of the starting mechanism, not {type(found).__name__}.")
        start.check_state(found)
        return found
    return _by_name(start, {} if match is None else match, mech, state)


def _by_name(start: Mechanism, names: Mapping[str, str], mech: Mechanism, state: State) -> State:
    """Each joint takes the numbers of its match, reversed where the two are walked in opposite directions."""
    x, nq = np.empty(start.nq + start.nv), start.nq
    for joint, other, is_reversed in _pairs(start, names, mech):
        kind, at_v = start.joints[joint].type, start.layout.v_slices[joint]
        q, v = state._q[mech.layout.q_slices[other]], state._v[mech.layout.v_slices[other]]
        if is_reversed:
            q, v = kind.reverse(q), kind.reverse_velocity(q, v)
        x[start.layout.q_slices[joint]], x[nq + at_v.start : nq + at_v.stop] = q, v
    return State(start.layout, x)


def match_derivative(start: Mechanism, names: Mapping[str, str], mech: Mechanism, state: State) -> Array:
    """(2 nv of start, 2 nv): how a state that is matched by names changes with the one after the map."""
    found = np.zeros((2, start.nv, 2, mech.nv))
    for joint, other, is_reversed in _pairs(start, names, mech):
        kind, at, where = start.joints[joint].type, start.layout.v_slices[joint], mech.layout.v_slices[other]
        q, v = state._q[mech.layout.q_slices[other]], state._v[where]
        own = reversed_tangents(kind, q, v) if is_reversed else np.eye(2 * kind.nv)
        found[:, at, :, where] = own.reshape(2, kind.nv, 2, kind.nv)
    return found.reshape(2 * start.nv, 2 * mech.nv)


def _pairs(start: Mechanism, names: Mapping[str, str], mech: Mechanism) -> Iterator[tuple[str, str, bool]]:
    """Each joint of the start, the one whose numbers it takes, and whether they are walked in opposite directions."""
    unknown = [name for name in names if name not in start.joints]
    if unknown:
        raise ModelError(
            f"match: {unknown[0]!r} is no joint of the structure where the map starts; its joints are: "
            f"{listed(start.joints)}.{meant(unknown[0], start.joints)}"
        )
    before, after = _directions(start), _directions(mech)
    for joint, kind, *_ in start.layout.joints:
        if not kind.nq:
            continue
        other = names.get(joint, joint)
        if other not in mech.layout.q_slices or type(mech.joints[other].type) is not type(kind):
            raise StructureError(
                f"joint {joint!r} of the starting structure has no match after the return: there is no {type(kind).__name__} "
                f'joint {other!r}. Say which one takes its place, such as match={{"{joint}": "another"}}, or give a function.'
            )
        yield joint, other, before[joint] != after[other]


def _directions(mech: Mechanism) -> dict[str, int]:
    structure = mech.structure
    return {structure.joint_names[j]: sign for j, sign in structure.walk[:, [JOINT, POLARITY]].tolist()}
