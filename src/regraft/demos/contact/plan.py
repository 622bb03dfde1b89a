"""What a scene with contacts is made of, before it is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...describe.contacts import Contact
from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...show.scenery import Camera
from ...simulate import Event


@dataclass(frozen=True)
class Plan:
    """A scene: what moves, what can touch, how long it is watched, and what there is to say of it."""

    name: str
    """Of its pictures' files."""
    title: str
    told: str
    """What it is, for its section of the report."""
    mech: Mechanism
    state: State
    contacts: Sequence[Contact]
    duration: float
    camera: Camera
    rows: int
    columns: int
    """Of the strip of its poses."""
    margin: float
    """Around what is seen, m."""
    rtol: float
    parameters: Sequence[tuple[str, str]]
    events: Sequence[Event] = ()
    torque: Any = None
    since: float = 0.0
    """When the pictures over time begin, s."""
    early: float = 1.0
    """The part of the time in which all poses of the strip are, but for the last."""
    between_impacts: bool = False
    """Whether its poses are those halfway between impacts, instead of at equal times."""
    other: str = ""
    """What takes energy besides friction and impacts; empty where nothing does."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The points of contacts that are one line of the picture of modes, by its name; else each contact is one."""
