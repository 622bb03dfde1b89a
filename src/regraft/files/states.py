"""States of a given mechanism from JSON files: those that `State.save` wrote, and shorter ones that people write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..describe.mechanism import Mechanism
from ..describe.plain import read_json
from ..describe.state import State
from ..errors import ModelError, listed

FORM = 'A state is {"q": {joint: number or list, ...}, "v": {...}}; what is left out is at zero and at rest.'


def load_state(mech: Mechanism, path: Path) -> State:
    """The state of a mechanism in a JSON file; what the file leaves out is at the bind pose and at rest."""
    data = read_json(path, way_out=FORM)
    try:
        return _state_from_data(mech, data)
    except ModelError as problem:
        raise ModelError(f"{str(path)!r}: {problem}") from problem


def _state_from_data(mech: Mechanism, data: Any) -> State:
    if not isinstance(data, dict):
        raise ModelError(f"this is not a state but a {type(data).__name__}. {FORM}")
    if "format" in data:
        found = State.from_dict(data)
        mech.check_state(found)
        return State(mech.layout, found._x, found.impulse)
    unknown = [key for key in data if key not in ("q", "v")]
    if unknown:
        raise ModelError(f"a state has no entry {listed(unknown)}. {FORM}")
    for key, numbers in data.items():
        if not isinstance(numbers, dict):
            raise ModelError(f"the entry {key!r} must give numbers by the names of joints. {FORM}")
    return mech.state(data.get("q"), data.get("v"))
