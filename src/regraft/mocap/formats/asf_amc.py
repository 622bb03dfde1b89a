"""ASF and AMC files (Acclaim): a skeleton, and in another file the angles of its bones in every frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...atomic import path_of
from ...errors import FileError, listed
from ..recording import Bone, Recording
from ..skeleton import about
from .axes import CMU_UNIT
from .skeletons import assembled
from .still_frame import first_frame_is_artificial
from .text import LARGEST, Lines, checked_rate, spans

Array = NDArray[np.float64]

_RATE = 120.0  # Hz: of the CMU database, from which nearly all such files are
_CMU_LENGTH = 0.45
_FREEDOMS = ("tx", "ty", "tz", "rx", "ry", "rz", "l")


@dataclass
class _Bone:
    name: str
    line: int
    direction: Array = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    axes: Array = field(default_factory=lambda: np.eye(3))
    """Its own axes in those of the world, in the pose in which nothing is turned."""
    freedoms: tuple[str, ...] = ()
    """What an AMC file has of it, in that order."""
    parent: str | None = None

    @property
    def end(self) -> Array:
        return self.length * self.direction


@dataclass
class Skeleton:
    """An ASF file: its bones by name, each after its parent, in units of the file."""

    path: Path
    bones: dict[str, _Bone]
    position: Array
    length: float | None
    """The unit of length as the file has it; None where it has none."""
    radians: bool
    notes: list[str]


def read_asf(path: str | Path) -> Skeleton:
    """Read the skeleton of an ASF file."""
    lines = Lines(path)
    parts = _sections(lines)
    for needed in (":root", ":bonedata", ":hierarchy"):
        if needed not in parts:
            what = "the file is damaged or was cut off" if parts else "this is a file of another kind"
            raise lines.error(len(lines) - 1 if parts else 0, f"an ASF file has a section {needed}; {what}.")
    units = {words[0].lower(): (words[1], index) for index, words in _words(lines, parts.get(":units", [])) if len(words) > 1}
    word, index = units.get("angle", ("deg", 0))
    if word.lower() not in ("deg", "degrees", "rad", "radians"):
        raise lines.error(index, f"the unit of angles is deg or rad, not {word!r}.")
    radians = word.lower().startswith("rad")
    length = lines.number(units["length"][1], units["length"][0], "the unit of length") if "length" in units else None
    if length is not None and length <= 0.0:
        raise lines.error(units["length"][1], f"the unit of length must be more than 0, not {length:g}.")
    root, position = _root(lines, parts[":root"], radians)
    bones = {"root": root}
    for bone in _bones(lines, parts[":bonedata"], radians):
        if bone.name in bones:
            raise lines.error(bone.line, f"there is a second bone {bone.name!r}.")
        bones[bone.name] = bone
    order = _hierarchy(lines, parts[":hierarchy"], bones)
    return Skeleton(lines.path, {name: bones[name] for name in order}, position, length, radians, lines.notes)


def _sections(lines: Lines) -> dict[str, list[int]]:
    """The lines of each section, by its word; comments and blank lines are left out."""
    parts: dict[str, list[int]] = {}
    current: list[int] = []
    for index in range(len(lines)):
        text = lines[index].strip()
        if text.startswith(":"):
            word = text.split()[0].lower()
            if word in parts:
                raise lines.error(index, f"there is a second section {word}.")
            current = parts[word] = []
        elif text and not text.startswith("#"):
            current.append(index)
    return parts


def _words(lines: Lines, indices: list[int]) -> Iterator[tuple[int, list[str]]]:
    for index in indices:
        yield index, lines[index].split()


def _three(lines: Lines, index: int, words: list[str]) -> Array:
    if len(words) < 4:
        raise lines.error(index, f"{words[0]!r} needs three numbers.")
    return np.array([lines.number(index, word, words[0]) for word in words[1:4]])


def _axes(lines: Lines, index: int, angles: Array, order: str, radians: bool) -> Array:
    """Turned about the fixed axes of the world, one after another in that order: XYZ is R_z R_y R_x."""
    if sorted(order.upper()) != ["X", "Y", "Z"]:
        raise lines.error(index, f"the order of an axis is XYZ, ZYX and so on, not {order!r}.")
    turn = np.eye(3)
    for letter in order.upper():
        k = "XYZ".index(letter)
        turn = about(k, angles[k] if radians else np.radians(angles[k])) @ turn
    return turn


def _root(lines: Lines, indices: list[int], radians: bool) -> tuple[_Bone, Array]:
    root, position, angles, order, at = _Bone("root", indices[0] if indices else 0), np.zeros(3), np.zeros(3), "XYZ", 0
    root.freedoms = ("tx", "ty", "tz", "rx", "ry", "rz")
    for index, words in _words(lines, indices):
        key = words[0].lower()
        if key == "order":
            root.freedoms = _freedoms(lines, index, words)
        elif key == "axis" and len(words) > 1:
            order, at = words[1], index
        elif key == "position":
            position = _three(lines, index, words)
        elif key == "orientation":
            angles, at = _three(lines, index, words), at or index
    root.axes = _axes(lines, at, angles, order, radians)
    return root, position


def _freedoms(lines: Lines, index: int, words: list[str]) -> tuple[str, ...]:
    found = tuple(word.lower() for word in words[1:])
    for word in found:
        if word not in _FREEDOMS or found.count(word) > 1:
            raise lines.error(index, f"{word!r} is no freedom of a bone, or is there twice; there are {', '.join(_FREEDOMS)}.")
    return found


def _bones(lines: Lines, indices: list[int], radians: bool) -> Iterator[_Bone]:
    bone: _Bone | None = None
    for index, words in _words(lines, indices):
        key = words[0].lower()
        if key == "begin":
            if bone is not None:
                raise lines.error(index, "a bone begins before the one above has its 'end'.")
            bone = _Bone("", index)
        elif bone is None:
            raise lines.error(index, f"expected 'begin' before {words[0]!r}.")
        elif key == "end":
            if not bone.name or " " in bone.name:
                raise lines.error(bone.line, "this bone has no name, or one with blanks in it.")
            yield bone
            bone = None
        elif key == "name":
            bone.name = " ".join(words[1:])
        elif key == "direction":
            bone.direction = _three(lines, index, words)
        elif key == "length":
            bone.length = lines.number(index, words[1] if len(words) > 1 else "", "length")
        elif key == "axis":
            order = words[4] if len(words) > 4 else "XYZ"
            bone.axes = _axes(lines, index, _three(lines, index, words), order, radians)
        elif key == "dof":
            bone.freedoms = _freedoms(lines, index, words)
    if bone is not None:
        raise lines.error(bone.line, "this bone has no 'end': the file is damaged or was cut off.")


def _hierarchy(lines: Lines, indices: list[int], bones: Mapping[str, _Bone]) -> list[str]:
    """The names of the bones, each after its parent."""
    order = ["root"]
    for index, words in _words(lines, indices):
        if words in (["begin"], ["end"]):
            continue
        for name in words:
            if name not in bones:
                raise lines.error(index, f"there is no bone {name!r} in :bonedata.")
        for name in words[1:]:
            if name == "root" or bones[name].parent is not None:
                raise lines.error(index, f"{name!r} has two parents.")
            bones[name].parent = words[0]
    below: dict[str | None, list[str]] = {}
    for name, bone in bones.items():
        below.setdefault(bone.parent, []).append(name)
    for name in order:
        order += below.get(name, [])
    loose = sorted(bones.keys() - set(order))
    if loose:
        raise lines.error(indices[-1] if indices else len(lines) - 1, f"bones that hang on nothing: {listed(loose)}.")
    return order


def read_amc(
    path: str | Path,
    *,
    up: str | None = None,
    scale: float | None = None,
    skeleton: str | Path | None = None,
    rate: float | None = None,
    keep_first_frame: bool | None = None,
) -> Recording:
    """Read an AMC file and its ASF file: the unit of length is CMU's where the skeleton has that, and guessed otherwise."""
    rate = None if rate is None else checked_rate(rate)
    lines = Lines(path)
    asf = read_asf(_skeleton(lines, skeleton))
    lines.notes += asf.notes
    frames, radians, told_rate, values = _frames(lines, asf)
    if rate is None and told_rate is None:
        lines.notes.append(
            f"the file has no rate; it is taken as {_RATE:g} frames a second, as in the CMU database; rate= says otherwise"
        )
    t = (frames - frames[0]) / (rate or told_rate or _RATE)
    turns, origins = _placed(asf, values, radians)
    if keep_first_frame is False or (keep_first_frame is None and first_frame_is_artificial(turns)):
        if len(t) < 2:
            raise FileError(f"{str(lines.path)!r} has one frame only, which is to be left out; keep_first_frame=True keeps it.")
        lines.notes.append("the first frame is left out: a reference pose, or as asked; keep_first_frame=True keeps it")
        t, turns, origins = t[1:], turns[1:], origins[1:]
    parents = {bone.parent for bone in asf.bones.values()}
    bones = [
        Bone(
            bone.name,
            bone.parent,
            asf.position if bone.parent is None else asf.bones[bone.parent].end,
            () if bone.name in parents or not bone.end.any() else (bone.end,),
        )
        for bone in asf.bones.values()
    ]
    likely = CMU_UNIT if asf.length == _CMU_LENGTH else None
    return assembled(lines.path, t, bones, turns, origins, up=up, scale=scale, notes=lines.notes, likely=likely)


def _skeleton(lines: Lines, given: str | Path | None) -> Path:
    """The ASF file: the one given, that of the same name or subject (02.asf of 02_01.amc), or the only one there."""
    if given is not None:
        return path_of(given)
    stem = lines.path.stem.lower()
    beside = sorted(file for file in lines.path.parent.iterdir() if file.suffix.lower() == ".asf")
    for name in (stem, stem.rpartition("_")[0]):
        for file in beside:
            if name and file.stem.lower() == name:
                return file
    if len(beside) == 1:
        lines.notes.append(f"the skeleton is of {beside[0].name!r}, the only one there; skeleton= says otherwise")
        return beside[0]
    found = f"of {listed(file.name for file in beside)} none has its name" if beside else "there is none beside it"
    raise FileError(f"{str(lines.path)!r} needs the .asf file with its skeleton, and {found}; skeleton= says where it is.")


def _frames(lines: Lines, asf: Skeleton) -> tuple[Array, bool, float | None, dict[str, Array]]:
    """The numbers of the frames, whether angles are in radians, the rate if it is there, and the values (n, freedoms) by bone."""
    radians, rate, start = asf.radians, None, len(lines)
    for index in range(len(lines)):
        text = lines[index].strip()
        if text.startswith(":"):
            words = text.lower().split()
            if words[0] in (":degrees", ":radians"):
                radians = words[0] == ":radians"
            elif words[0] == ":samples-per-second" and len(words) > 1:
                rate = lines.number(index, words[1], "the rate")
                if rate <= 0.0:
                    raise lines.error(index, f"the rate must be more than 0, not {rate:g}.")
        elif text and not text.startswith("#"):
            start = index
            break
    if start == len(lines) or not lines[start].strip().isdecimal():
        raise lines.error(start, "an AMC file has the number of a frame here; this is a file of another kind, or it was cut off.")
    frames: list[int] = []
    begins: list[int] = []
    rows: dict[str, list[list[float]]] = {}
    for index in range(start, len(lines)):
        words = lines[index].split()
        if len(words) == 1 and words[0].isdecimal():
            _complete(lines, begins, rows)
            number = lines.count(index, words[0], "the number of a frame")
            if frames and number <= frames[-1]:
                raise lines.error(index, f"frame {number} comes after frame {frames[-1]}.")
            frames.append(number)
            begins.append(index)
        elif words and not words[0].startswith("#"):
            _take(lines, index, words, asf, rows, len(frames))
    _complete(lines, begins, rows)
    values = _checked(lines, asf, frames, rows)
    return np.array(frames, dtype=np.float64), radians, rate, values


def _take(lines: Lines, index: int, words: list[str], asf: Skeleton, rows: dict[str, list[list[float]]], frame: int) -> None:
    """One line of a frame: the name of a bone and its values."""
    name = words[0]
    if name not in asf.bones:
        has = listed(asf.bones)
        raise lines.error(index, f"there is no bone {name!r} in {str(asf.path)!r}, which has {has}: this is another skeleton.")
    row = lines.row(index, words[1:], len(asf.bones[name].freedoms), f"bone {name!r}")
    if any(abs(value) > LARGEST for value in row):
        lines.sensible(np.array([row]), [index])
    held = rows.setdefault(name, [])
    if len(held) != frame - 1:
        fault = "is there twice in this frame" if len(held) >= frame else "was not there in the frames before"
        raise lines.error(index, f"bone {name!r} {fault}.")
    held.append(row)


def _complete(lines: Lines, begins: list[int], rows: Mapping[str, list[list[float]]]) -> None:
    """All bones of the first frame must be in each."""
    if not begins:
        return
    lacking = [name for name, held in rows.items() if len(held) != len(begins)]
    if lacking or not rows:
        raise lines.error(
            begins[-1], f"this frame has no values for {listed(lacking) or 'any bone'}: the file is damaged or was cut off."
        )


def _checked(lines: Lines, asf: Skeleton, frames: list[int], rows: Mapping[str, list[list[float]]]) -> dict[str, Array]:
    """The values of all bones as arrays; what is missing is told."""
    still = [name for name, bone in asf.bones.items() if bone.freedoms and name not in rows]
    if "root" in still:
        raise lines.error(len(lines) - 1, "no frame has a line for the root.")
    if still:
        lines.notes.append(f"bones of which the file has nothing, which are not turned: {listed(still)}")
    lacking = [spans(range(a + 1, b)) for a, b in pairwise(frames) if b - a > 1]
    if lacking:
        lines.notes.append(f"frames are missing in the file: {', '.join(lacking[:8])}{', ...' if len(lacking) > 8 else ''}")
    values = {name: np.array(held).reshape(len(frames), -1) for name, held in rows.items()}
    gaps = [name for name, held in values.items() if np.isnan(held).any()]
    if gaps:
        lines.notes.append(f"numbers are missing (NaN) for {listed(gaps)}")
    return values


def _placed(asf: Skeleton, values: Mapping[str, Array], radians: bool) -> tuple[Array, Array]:
    """The turns and origins of all bones, in units of the file.

    A bone turns by C M Cᵀ: M about its own axes C, by its freedoms one after another, those axes staying where they are.
    """
    n = len(values["root"])
    turns, origins = np.empty((n, len(asf.bones), 3, 3)), np.empty((n, len(asf.bones), 3))
    stretched = {}
    for k, (name, bone) in enumerate(asf.bones.items()):
        turn = np.broadcast_to(np.eye(3), (n, 3, 3))
        moved = np.zeros((n, 3))
        length = np.full(n, bone.length)
        for word, value in zip(bone.freedoms, values.get(name, np.zeros((n, len(bone.freedoms)))).T, strict=True):
            if word == "l":
                length = length + value
            elif word[0] == "t":
                moved[:, "xyz".index(word[1])] = value
            else:
                turn = about("xyz".index(word[1]), value if radians else np.radians(value)) @ turn
        stretched[name] = length[:, None] * bone.direction
        root = bone.parent is None
        turns[:, k] = bone.axes @ turn if root else bone.axes @ turn @ bone.axes.T
        origins[:, k] = asf.position + moved if root else stretched[str(bone.parent)] + moved @ bone.axes.T
    return turns, origins
