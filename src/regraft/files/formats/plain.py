"""Mechanisms as Regraft's own JSON files."""

from __future__ import annotations

from pathlib import Path

from ...describe.mechanism import Mechanism
from ...describe.plain import write_json
from ...describe.state import State
from ..mechanisms import load_mechanism
from ..report import Findings
from .contract import ReadOptions, WriteOptions


def read_plain(path: Path, _options: ReadOptions, _found: Findings) -> tuple[Mechanism, State]:
    """What `Mechanism.save` wrote, in its bind state."""
    mech = load_mechanism(path)
    return mech, mech.state()


def write_plain(mech: Mechanism, _state: State, path: Path, _options: WriteOptions) -> None:
    """Write a mechanism; it is read back equal to the last digit."""
    write_json(path, mech.to_dict())
