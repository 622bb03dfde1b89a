"""Mechanisms from JSON files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..describe.mechanism import Mechanism
from ..describe.plain import read_json
from ..errors import ModelError


def load_mechanism(path: str | Path) -> Mechanism:
    """Read a mechanism that `Mechanism.save` wrote."""
    return mechanism_in(path, read_json(Path(path)))


def mechanism_in(path: str | Path, data: Any) -> Mechanism:
    """The mechanism in the data of a JSON file."""
    try:
        return Mechanism.from_dict(data)
    except ModelError as problem:
        raise ModelError(f"{str(path)!r}: {problem}") from problem
