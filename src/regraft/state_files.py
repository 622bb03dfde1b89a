"""States as JSON: positions and velocities by the names of the joints. Numbers keep their last digit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError, listed
from .files import read_json, write_json
from .mechanism import Mechanism
from .state import State

Array = NDArray[np.float64]

_FORM = 'A state is {"q": {joint: number or list, ...}, "v": {...}}; what is left out is at zero and at rest.'


def load_state(mech: Mechanism, path: Path) -> State:
    """The state of a mechanism in a JSON file; what the file leaves out is at the bind pose and at rest."""
    data = read_json(path, way_out=_FORM)
    try:
        return _state_from_data(mech, data)
    except ModelError as problem:
        raise ModelError(f"{str(path)!r}: {problem}") from problem


def save_state(state: State, path: Path) -> None:
    """Write a state to a JSON file; `load_state` reads it back."""
    layout = state.layout
    write_json(path, {"q": _by_joint(state.q, layout.q_slices), "v": _by_joint(state.v, layout.v_slices)})


def _state_from_data(mech: Mechanism, data: Any) -> State:
    if not isinstance(data, dict):
        raise ModelError(f"this is not a state but a {type(data).__name__}. {_FORM}")
    unknown = [key for key in data if key not in ("q", "v")]
    if unknown:
        raise ModelError(f"a state has no entry {listed(unknown)}. {_FORM}")
    for key, numbers in data.items():
        if not isinstance(numbers, dict):
            raise ModelError(f"the entry {key!r} must give numbers by the names of joints. {_FORM}")
    return mech.state(data.get("q"), data.get("v"))


def _by_joint(numbers: Array, slices: Mapping[str, slice]) -> dict[str, Any]:
    """The numbers of each joint that has any: one as it is, several as a list."""
    found = {name: numbers[where].tolist() for name, where in slices.items() if where.stop > where.start}
    return {name: own[0] if len(own) == 1 else own for name, own in found.items()}
