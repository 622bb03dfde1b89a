"""States as points of the return map: read in the structure where the map started, moved and compared on its manifold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.manifold import difference, integrate
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError
from ..kernels.tables import JOINT, POLARITY

Array = NDArray[np.float64]
Match = Callable[[Mechanism, State], State] | Mapping[str, str] | None


def moved(mech: Mechanism, state: State, step: Array) -> State:
    """The state at a tangent vector (2 nv,): q ⊕ step and v + step."""
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
    before, after = _directions(start), _directions(mech)
    x, nq = np.empty(start.nq + start.nv), start.nq
    for joint, kind, *_ in start.layout.joints:
        if not kind.nq:
            continue
        other = names.get(joint, joint)
        where = mech.layout.q_slices.get(other)
        if where is None or type(mech.joints[other].type) is not type(kind):
            raise StructureError(
                f"joint {joint!r} of the starting structure has no match after the return: there is no {type(kind).__name__} "
                f'joint {other!r}. Say which one takes its place, such as match={{"{joint}": "another"}}, or give a function.'
            )
        q, v = state._q[where], state._v[mech.layout.v_slices[other]]
        if before[joint] != after[other]:
            q, v = kind.reverse(q), kind.reverse_velocity(q, v)
        at_v = start.layout.v_slices[joint]
        x[start.layout.q_slices[joint]], x[nq + at_v.start : nq + at_v.stop] = q, v
    return State(start.layout, x)


def _directions(mech: Mechanism) -> dict[str, int]:
    structure = mech.structure
    return {structure.joint_names[j]: sign for j, sign in structure.walk[:, [JOINT, POLARITY]].tolist()}
