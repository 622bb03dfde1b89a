"""BVH files (Biovision): a skeleton, and the position and angles of its joints in every frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError
from ..recording import Bone, Recording
from ..skeleton import about
from .skeletons import assembled
from .still_frame import first_frame_is_artificial
from .text import Lines, checked_rate, distinct, spans

Array = NDArray[np.float64]

_WORDS = re.compile(r"[{}]|[^\s{}]+")
_CHANNELS = {f"{axis}{kind}": (kind, k) for kind in ("position", "rotation") for k, axis in enumerate("xyz")}


@dataclass
class _Joint:
    name: str
    parent: int
    line: int
    offset: Array | None = None
    channels: list[tuple[str, int]] | None = None
    tips: list[Array] = field(default_factory=list)


def read_bvh(
    path: str | Path,
    *,
    up: str | None = None,
    scale: float | None = None,
    rate: float | None = None,
    keep_first_frame: bool | None = None,
) -> Recording:
    """Read a BVH file: its unit and its axis upwards are guessed unless given, and a T-pose in front is left out unless kept."""
    lines = Lines(path)
    given_step = None if rate is None else 1.0 / checked_rate(rate)
    joints, index = _Hierarchy(lines).read()
    step, rows, places = _motion(lines, index, sum(len(joint.channels or ()) for joint in joints))
    turns, origins = _placed(joints, rows, lines.notes)
    _tell_gaps(rows, lines)
    t = np.arange(len(rows), dtype=np.float64) * (given_step or step)
    kept = _kept(turns, keep_first_frame, lines, places)
    names = distinct((joint.name for joint in joints), "joint", lines.notes)
    bones = [
        Bone(name, names[joint.parent] if joint.parent >= 0 else None, _offset(joint), tuple(joint.tips))
        for name, joint in zip(names, joints, strict=True)
    ]
    return assembled(lines.path, t[kept], bones, turns[kept], origins[kept], up=up, scale=scale, notes=lines.notes)


def _offset(joint: _Joint) -> Array:
    return np.zeros(3) if joint.offset is None else joint.offset


class _Hierarchy:
    """The words of the first part of a file, taken one after another."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.words: list[tuple[str, int]] = []
        self.motion = len(lines)
        for index in range(len(lines)):
            if lines[index].strip().lower().rstrip(":") == "motion":
                self.motion = index
                break
            self.words += [(word, index) for word in _WORDS.findall(lines[index])]
        self.next = 1  # after HIERARCHY
        self.joints: list[_Joint] = []

    def read(self) -> tuple[list[_Joint], int]:
        """The joints, each after its parent, and the line at which the motion begins."""
        if not self.words or self.words[0][0].lower() != "hierarchy":
            raise self.lines.error(self.lines.first(), "a BVH file begins with HIERARCHY; this is a file of another kind.")
        if self.motion == len(self.lines):
            raise self.lines.error(self.motion, "there is no MOTION: the file is damaged or was cut off.")
        self._expect("root")
        self._joint(-1)
        if self.next < len(self.words):
            word, index = self.words[self.next]
            if word.lower() == "root":
                raise self.lines.error(index, "there is a second ROOT; split the file into one for each person.")
            raise self.lines.error(index, f"{word!r} comes after the end of the hierarchy; is there a '}}' too many?")
        return self.joints, self.motion

    def _take(self) -> tuple[str, int]:
        if self.next >= len(self.words):
            raise self.lines.error(self.motion, "the hierarchy ends too early; is there a '}' missing?")
        self.next += 1
        return self.words[self.next - 1]

    def _expect(self, *wanted: str) -> int:
        word, index = self._take()
        if word.lower() not in wanted:
            raise self.lines.error(index, f"expected {' or '.join(w.upper() for w in wanted)}, not {word!r}.")
        return index

    def _name(self, begin: int) -> str:
        """The words up to the next '{', all of them on the line of the keyword."""
        words: list[str] = []
        while True:
            word, index = self._take()
            if word == "{":
                return " ".join(words)
            if word == "}" or index != begin:
                raise self.lines.error(index, f"expected '{{' before {word!r}.")
            words.append(word)

    def _joint(self, root_parent: int) -> None:
        """A joint and, without recursion, all that hang on it."""
        stack: list[int] = []
        self._begin(root_parent, stack)
        while stack:
            word, index = self._take()
            joint, key = self.joints[stack[-1]], word.lower()
            if key == "}":
                if joint.offset is None:
                    raise self.lines.error(joint.line, f"joint {joint.name!r} has no OFFSET.")
                stack.pop()
            elif key == "offset":
                if joint.offset is not None:
                    raise self.lines.error(index, f"joint {joint.name!r} has a second OFFSET.")
                joint.offset = self._three(index)
            elif key == "channels":
                if joint.channels is not None:
                    raise self.lines.error(index, f"joint {joint.name!r} has its CHANNELS twice.")
                joint.channels = self._channels(index)
            elif key == "joint":
                self._begin(stack[-1], stack)
            elif key == "end":
                joint.tips.append(self._end_site())
            elif key == "root":
                raise self.lines.error(index, "there is a ROOT inside of another; a file has one.")
            else:
                raise self.lines.error(index, f"{word!r} is not known here; is a '}}' or a line break missing?")

    def _begin(self, parent: int, stack: list[int]) -> None:
        begin = self.words[self.next - 1][1]
        name = self._name(begin)
        if not name:
            raise self.lines.error(begin, "this joint has no name.")
        stack.append(len(self.joints))
        self.joints.append(_Joint(name, parent, begin))

    def _end_site(self) -> Array:
        begin = self._expect("site")
        self._name(begin)
        tip = self._three(self._expect("offset"))
        word, index = self._take()
        if word != "}":
            raise self.lines.error(index, f"expected '}}' after the OFFSET of an End Site, not {word!r}.")
        return tip

    def _three(self, line: int) -> Array:
        found = []
        for _ in range(3):
            word, index = self._take()
            if index != line:
                raise self.lines.error(line, "an OFFSET has three numbers.")
            found.append(self.lines.number(index, word, "an OFFSET"))
        return np.array(found)

    def _channels(self, line: int) -> list[tuple[str, int]]:
        word, index = self._take()
        found = []
        for _ in range(self.lines.count(index, word, "the number of channels")):
            word, index = self._take()
            if word.lower() not in _CHANNELS:
                raise self.lines.error(index, f"{word!r} is no channel; there are Xposition, Xrotation and so on.")
            channel = _CHANNELS[word.lower()]
            if channel[0] == "position" and channel in found:
                raise self.lines.error(line, f"{word!r} is there twice.")
            found.append(channel)
        return found


def _motion(lines: Lines, index: int, width: int) -> tuple[float, Array, list[int]]:
    """The time of a frame, the numbers of all frames, and their lines."""
    at, declared, step = index + 1, None, None
    counts = times = at
    while (declared is None or step is None) and (at := lines.first(at)) < len(lines):
        key, _, value = (part.strip() for part in lines[at].partition(":"))
        if key.lower() == "frames" and declared is None:
            declared, counts = lines.count(at, value, "Frames"), at
        elif re.fullmatch(r"frame\s*time", key.lower()) and step is None:
            step, times = lines.number(at, value, "Frame Time"), at
        else:
            break
        at += 1
    if declared is None or step is None:
        raise lines.error(at, f"expected {'Frames:' if declared is None else 'Frame Time:'} after MOTION.")
    if step <= 0.0:
        raise lines.error(times, f"Frame Time must be more than 0 s, not {step:g}; write the seconds from frame to frame.")
    if width == 0:
        raise lines.error(index, "no joint has any channel, so nothing moves.")
    rows, places = lines.table(at, width, "this frame")
    lines.counted(declared, len(rows), "frames", counts)
    if not len(rows):
        raise lines.error(counts, "there is no frame.")
    return step, rows, places


def _placed(joints: Sequence[_Joint], rows: Array, notes: list[str]) -> tuple[Array, Array]:
    """The turns and origins of all joints, in units of the file."""
    n = len(rows)
    turns, origins = np.empty((n, len(joints), 3, 3)), np.empty((n, len(joints), 3))
    first = 0
    for k, joint in enumerate(joints):
        channels = joint.channels or []
        values = rows[:, first : first + len(channels)]
        first += len(channels)
        turn = np.broadcast_to(np.eye(3), (n, 3, 3))
        moved = {}
        for (kind, axis), value in zip(channels, values.T, strict=True):
            if kind == "position":
                moved[axis] = value
            else:
                turn = turn @ about(axis, np.radians(value))
        turns[:, k] = turn
        origins[:, k] = _moved(joint, moved, n, notes)
    return turns, origins


def _moved(joint: _Joint, moved: dict[int, Array], n: int, notes: list[str]) -> Array:
    """Where a joint is: its offset, and what its position channels put in place of it or add to it."""
    offset = _offset(joint)
    origin = np.tile(offset, (n, 1))
    if not moved:
        return origin
    given = list(moved)
    known = np.stack([moved[axis] for axis in given], axis=1)
    known = known[np.isfinite(known).all(axis=1)]
    middle = np.median(known, axis=0) if len(known) else np.zeros(len(given))
    whole = 2.0 * float(middle @ offset[given]) > float(offset[given] @ offset[given])
    for axis, value in moved.items():
        origin[:, axis] = value if whole else offset[axis] + value
    if offset[given].any():
        does = "are in place of" if whole else "are added to"
        notes.append(f"the positions of {joint.name!r} {does} its OFFSET, to which they are {'near' if whole else 'not near'}")
    return origin


def _tell_gaps(rows: Array, lines: Lines) -> None:
    gaps = np.flatnonzero(np.isnan(rows).any(axis=1))
    if len(gaps):
        lines.notes.append(f"numbers are missing (NaN) in {len(gaps)} frames: {spans([int(k) + 1 for k in gaps])}")


def _kept(turns: Array, keep: bool | None, lines: Lines, places: list[int]) -> slice:
    """All frames, or all but the first, which is told."""
    artificial = first_frame_is_artificial(turns) if keep is None else not keep
    if not artificial:
        return slice(None)
    if len(turns) < 2:
        raise FileError(f"{str(lines.path)!r} has one frame only, which is to be left out; keep_first_frame=True keeps it.")
    why = "as asked" if keep is False else "a reference pose that jumps to the motion; keep_first_frame=True keeps it"
    lines.notes.append(f"the first frame (line {places[0] + 1}) is left out: {why}")
    return slice(1, None)
