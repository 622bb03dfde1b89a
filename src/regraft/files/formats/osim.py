"""OpenSim models as mechanisms; `regraft.mocap.read_osim` reads them, and knows coordinates, markers and feet besides."""

from __future__ import annotations

from pathlib import Path

from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...mocap.formats.osim import read_osim
from ..report import Findings
from .contract import ReadOptions


def read_osim_model(path: Path, _options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The mechanism of a model and its default state; the model's notes are findings."""
    model = read_osim(path)
    kinds = {told: kind for kind, told in model.unlike.items()}
    for told in model.notes:
        found.note(kinds.get(told, "note"), "", told, dynamics=told in kinds)
    return model.mech, model.default
