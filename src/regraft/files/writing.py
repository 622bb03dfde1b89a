"""Mechanisms to files of any format, by the file's suffix."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import get_args

from ..atomic import path_of
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import FileError, ModelError
from .formats import WRITERS, function_at
from .formats.contract import FrameChoice, WriteOptions
from .report import checked_ignore


def write(
    mech: Mechanism,
    path: str | Path,
    state: State | None = None,
    frames: FrameChoice = "keep",
    ignore: str | Collection[str] = (),
) -> None:
    """Write a mechanism, whole or not at all; `Mechanism.save` says what the arguments mean."""
    if frames not in get_args(FrameChoice):
        raise ModelError(f'frames must be "keep" or "move", not {frames!r}.')
    file, kinds = path_of(path), checked_ignore(ignore)
    suffix = file.suffix.lower() or ".json"
    if suffix not in WRITERS:
        raise FileError(f"{str(path)!r}: there is no writer for {suffix}; known are {', '.join(WRITERS)}.")
    if state is not None:
        mech.check_state(state)
    function_at(WRITERS[suffix])(mech, mech.state() if state is None else state, file, WriteOptions(frames, kinds))
