"""Joints that follow others, in files: what such a file says, and where they start."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...describe.parts import Coupling


@dataclass(frozen=True, slots=True)
class Mimic:
    """That a joint follows another one: position = ratio · that of the driver + offset."""

    element: Any
    driver: str
    ratio: float
    offset: float


def followed_positions(couplings: Iterable[Coupling]) -> dict[str, float]:
    """The positions of joints that follow one other, where all others are at zero; empty where all of these are at zero too."""
    following = {coupling.driven: coupling for coupling in couplings}
    if not any(coupling.offset for coupling in following.values()):
        return {}
    positions: dict[str, float] = {}
    for joint in following:
        chain, at = {joint: None}, following[joint].drivers[0][0]
        while at in following and at not in positions and at not in chain:
            chain[at] = None
            at = following[at].drivers[0][0]
        for driven in reversed(chain):
            (driver, ratio), offset = following[driven].drivers[0], following[driven].offset
            positions[driven] = ratio * positions.get(driver, 0.0) + offset
    return positions
