"""What readers and writers of mechanisms are told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FrameChoice = Literal["keep", "move"]
InertiaChoice = Literal["error", "repair"]
BaseChoice = Literal["fixed", "free"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is read.

    Attributes
    ----------
    inertia : "error" or "repair"
        What becomes of an inertia that no real body has.
    packages : sequence of Path
        Folders in which packages and meshes are searched, after the file's own.
    base : "fixed", "free" or None
        How the root of a robot is joined to the world in a format that does not say it; None: as the file says, or else fixed.
    """

    inertia: InertiaChoice = "error"
    packages: Sequence[Path] = ()
    base: BaseChoice | None = None


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a file is written.

    Attributes
    ----------
    frames : "keep" or "move"
        Where the frames of links go in a format that has each at its joint: they stay where they are, with helper links where
        joints are elsewhere, or move to the joints.
    ignore : collection of str
        Kinds of what the format has no words for that may be left out; "all" among them stands for every kind.
    """

    frames: FrameChoice = "keep"
    ignore: Collection[str] = ()
