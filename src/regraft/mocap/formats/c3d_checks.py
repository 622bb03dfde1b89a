"""Whether a C3D file is whole: its header, its parameters and the size of its data, before a library in C++ relies on them."""

from __future__ import annotations

import struct
from math import prod
from pathlib import Path
from typing import NamedTuple

from ...errors import FileError
from .text import read_bytes

BLOCK = 512
_MAGIC = 0x50
_PROCESSORS = {84: "<", 85: "<", 86: ">"}
"""Intel, DEC and MIPS: the order of the bytes of whole numbers."""
_DEC = 85
_SIZES = {-1: 1, 1: 1, 2: 2, 4: 4}
_MOST_DIMENSIONS = 7
_MOST_RATIO = 100
_ROTATION = 4 * 17
"""Bytes of one rotation in one frame."""


class Parameter(NamedTuple):
    """A parameter as it lies in the file."""

    type: int
    """-1: text, 1: bytes, 2: whole numbers of 16 bits, 4: floats."""
    dimensions: tuple[int, ...]
    data: bytes
    order: str
    dec: bool

    @property
    def size(self) -> int:
        """How many numbers or characters it has."""
        return prod(self.dimensions)

    def numbers(self) -> list[float]:
        """Its numbers; none where it is a text."""
        if self.type == -1:
            return []
        if self.type == 4 and self.dec:
            return [_dec_float(self.data[i : i + 4]) for i in range(0, len(self.data), 4)]
        letter = {1: "B", 2: "h", 4: "f"}[self.type]
        return [float(x) for x in struct.unpack(f"{self.order}{self.size}{letter}", self.data)]


Parameters = dict[tuple[str, str], Parameter]


def check_c3d(path: str | Path) -> Parameters:
    """The parameters of a C3D file by group and name; a file that is damaged or cut off is a FileError with the block."""
    data = read_bytes(Path(path))
    file = str(path)
    if not data:
        raise FileError(f"{file} is empty; a C3D file was expected.")
    if len(data) < 2 * BLOCK or data[1] != _MAGIC:
        raise FileError(f"{file} is not a C3D file: its first block does not say so (0x50 in the second byte).")
    parameters, processor = _parameters(file, data)
    _check_data(file, data, parameters, _PROCESSORS[processor])
    return parameters


def _dec_float(raw: bytes) -> float:
    swapped = raw[2:4] + raw[0:2]
    return float(struct.unpack("<f", swapped)[0]) / 4.0 if any(raw) else 0.0


def _damaged(file: str, where: int, what: str) -> FileError:
    return FileError(f"{file} is damaged in block {where // BLOCK + 1}: {what}.")


def _parameters(file: str, data: bytes) -> tuple[Parameters, int]:
    start = (data[0] - 1) * BLOCK
    if start < BLOCK or start + BLOCK > len(data):
        raise _damaged(file, 0, f"the parameters should begin with block {data[0]}, and the file has {len(data) // BLOCK} blocks")
    blocks, processor = data[start + 2], data[start + 3]
    if processor not in _PROCESSORS:
        raise _damaged(file, start, f"the kind of processor is {processor}, not 84, 85 or 86")
    end = start + blocks * BLOCK
    if blocks == 0 or end > len(data):
        raise FileError(f"{file} was cut off: its parameters go on to block {end // BLOCK}, and it has {len(data) / BLOCK:.1f}.")
    return _Records(file, data, start + 4, end, processor).read(), processor


class _Records:
    def __init__(self, file: str, data: bytes, at: int, end: int, processor: int) -> None:
        self.file, self.data, self.at, self.end, self.processor = file, data, at, end, processor
        self.order = _PROCESSORS[processor]
        self.groups: dict[int, str] = {}
        self.found: list[tuple[int, str, Parameter, int]] = []

    def take(self, count: int) -> bytes:
        if self.at + count > self.end:
            raise _damaged(self.file, min(self.at, self.end - 1), "a parameter goes on beyond the end of the parameters")
        self.at += count
        return self.data[self.at - count : self.at]

    def read(self) -> Parameters:
        while self.at + 2 <= self.end:
            begin = self.at
            length, group = struct.unpack("bb", self.take(2))
            if length == 0 and group == 0:
                break
            following = self.record(begin, abs(length), group)
            if following is None:
                break
            self.at = following
        known: Parameters = {}
        for group, name, parameter, where in self.found:
            if group not in self.groups:
                raise _damaged(self.file, where, f"the parameter {name!r} is of group {group}, which is not there")
            if (self.groups[group], name) in known:
                raise _damaged(self.file, where, f"the parameter {self.groups[group]}:{name} is there twice")
            known[self.groups[group], name] = parameter
        return known

    def record(self, begin: int, length: int, group: int) -> int | None:
        """One group or parameter; where the next one begins, or None after the last."""
        if length == 0 or group in (0, -128):
            raise _damaged(self.file, begin, "a parameter has no name or no group")
        name = self.take(length)
        if not name.isascii() or not name.decode("ascii").isprintable():
            raise _damaged(self.file, begin, f"{name!r} cannot be the name of a parameter")
        word = name.decode("ascii").strip().upper()
        place = self.at
        step = int(struct.unpack(f"{self.order}H", self.take(2))[0])
        if group < 0:
            if -group in self.groups:
                raise _damaged(self.file, begin, f"the group {-group} is there twice")
            self.groups[-group] = word
        else:
            self.found.append((group, word, self.parameter(word), begin))
        self.take(self.take(1)[0])
        if step == 0:
            return None
        if place + step < self.at or (group < 0 and place + step > self.at):
            raise _damaged(self.file, begin, f"{word!r} does not end where the next parameter begins")
        return place + step

    def parameter(self, name: str) -> Parameter:
        begin = self.at
        (kind,) = struct.unpack("b", self.take(1))
        count = self.take(1)[0]
        if kind not in _SIZES or count > _MOST_DIMENSIONS:
            raise _damaged(self.file, begin, f"the parameter {name!r} is of the unknown type {kind} with {count} dimensions")
        if kind == -1 and count == 0:
            raise _damaged(self.file, begin, f"the text {name!r} has no length")
        dimensions = tuple(self.take(count))
        return Parameter(kind, dimensions, self.take(prod(dimensions) * abs(_SIZES[kind])), self.order, self.processor == _DEC)


def _check_data(file: str, data: bytes, parameters: Parameters, order: str) -> None:
    """Whether the header agrees with the parameters, and all of the frames are there."""
    points, analogs, first, last = struct.unpack_from(f"{order}4H", data, 2)
    start, samples = struct.unpack_from(f"{order}2H", data, 16)
    scale = Parameter(4, (1,), data[12:16], order, False).numbers()[0]
    used, channels = (_whole(file, parameters, group, "USED") for group in ("POINT", "ANALOG"))
    if used != points:
        raise _damaged(file, 0, f"the header has {points} points, and POINT:USED is {used}")
    if channels * samples != analogs:
        raise _damaged(
            file, 0, f"the header has {analogs} analog values a frame, and {channels} channels with {samples} samples each"
        )
    if channels:
        for name, count in (("GEN_SCALE", 1), ("SCALE", channels), ("OFFSET", channels)):
            _check_numbers(file, parameters, name, count)
    frames = max(last - first + 1, _frames(parameters)) if last != 0xFFFF else _frames(parameters)
    size = (4 if scale < 0.0 or _is_real(parameters) else 2) * (4 * points + analogs)
    begin = (start - 1) * BLOCK
    if start < 3 or begin < data[0] * BLOCK - BLOCK or begin > len(data):
        raise _damaged(file, 0, f"the data should begin with block {start}, and the file has {len(data) // BLOCK} blocks")
    if begin + frames * size > len(data):
        whole = (len(data) - begin) // size if size else 0
        raise FileError(
            f"{file} was cut off: {frames} frames of data should go on to block {-(-(begin + frames * size) // BLOCK)}, "
            f"and the file ends in block {-(-len(data) // BLOCK)}, with {whole} whole frames."
        )
    ratio, rotations = (_whole(file, parameters, "ROTATION", name) for name in ("RATIO", "USED"))
    if ratio > _MOST_RATIO or rotations * ratio * frames * _ROTATION > len(data):
        raise FileError(f"{file} is damaged: it should have {rotations} rotations, {ratio} times a frame (ROTATION:RATIO).")
    if frames <= 0:
        raise _damaged(file, 0, f"the header has frames from {first} to {last}")


def _whole(file: str, parameters: Parameters, group: str, name: str) -> int:
    found = parameters.get((group, name))
    if found is None:
        return 0
    numbers = found.numbers()
    if found.type != 2 or len(numbers) != 1:
        raise FileError(f"{file} is damaged: {group}:{name} must be one whole number.")
    return int(numbers[0]) & 0xFFFF


def _check_numbers(file: str, parameters: Parameters, name: str, count: int) -> None:
    """Whether as many numbers are there as the channels need, for a library that does not ask."""
    found, more = parameters.get(("ANALOG", name)), parameters.get(("ANALOG", f"{name}2"))
    have = sum(len(part.numbers()) for part in (found, more) if part is not None)
    if have < count:
        raise FileError(f"{file} is damaged: ANALOG:{name} has {have} numbers, and {count} are needed.")


def _frames(parameters: Parameters) -> int:
    found = parameters.get(("POINT", "FRAMES"))
    numbers = found.numbers() if found else []
    return (int(numbers[0]) & 0xFFFF if found and found.type == 2 else int(numbers[0])) if numbers else 0


def _is_real(parameters: Parameters) -> bool:
    found = parameters.get(("POINT", "SCALE"))
    numbers = found.numbers() if found else []
    return bool(numbers) and numbers[0] < 0.0
