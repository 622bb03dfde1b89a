"""Text files line by line: what every reader of a text format needs, with errors that name the file and the line."""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...atomic import path_of
from ...errors import FileError, ModelError, printable

Array = NDArray[np.float64]

_NOT_A_NUMBER = {"1.#qnan", "-1.#qnan", "1.#ind", "-1.#ind", "1.#nan", "-1.#nan"}  # as some compilers print it
LARGEST = 1e15  # nothing that was measured is larger, in whatever unit


class Lines:
    """The lines of a text file; those of an empty file, of one that is no text, or of none at all, are a FileError.

    Attributes
    ----------
    path : Path
        The file.
    texts : list of str
        Its lines, without what ends them; the blank ones at its end are left out.
    notes : list of str
        What was found unusual.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path_of(path)
        self.notes: list[str] = []
        self.texts = self._decoded(read_bytes(self.path)).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        while self.texts and not self.texts[-1].strip():
            self.texts.pop()
        if not self.texts:
            raise FileError(f"{str(self.path)!r} is empty.")

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> str:
        return self.texts[index]

    def _decoded(self, data: bytes) -> str:
        data = data.rstrip(b"\x1a")  # with which DOS ends a text
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            try:
                return data.decode("utf-16")
            except UnicodeDecodeError:
                raise FileError(
                    f"{str(self.path)!r} is no text file: it begins as UTF-16 and goes on as something else."
                ) from None
        if b"\0" in data:
            line = 1 + data[: data.index(b"\0")].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
            raise FileError(f"{str(self.path)!r} is no text file: line {line} has a zero byte.")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.notes.append("the file is not in UTF-8; its letters are read as Latin-1")
            return data.decode("latin-1")

    def error(self, index: int, problem: str) -> FileError:
        """What is wrong with the line of that index, as an error to be raised."""
        return FileError(f"{str(self.path)!r}, line {min(index, len(self) - 1) + 1}: {printable(problem)}")

    def first(self, start: int = 0) -> int:
        """The index of the first line from there on that is not blank; the number of lines where there is none."""
        while start < len(self) and not self[start].strip():
            start += 1
        return start

    def number(self, index: int, word: str, what: str) -> float:
        """A number that a line has, by its word."""
        found = as_number(word)
        if found is None or not abs(found) <= LARGEST:
            raise self.error(index, f"{what} must be a number of a usual size, not {word!r}.")
        return found

    def count(self, index: int, word: str, what: str) -> int:
        """A whole number from 0 on that a line has, by its word."""
        found = as_number(word)
        if found is None or not 0 <= found <= LARGEST or found != int(found):
            raise self.error(index, f"{what} must be a whole number from 0 on, not {word!r}.")
        return int(found)

    def table(self, start: int, width: int, what: str, *, tabs: bool = False) -> tuple[Array, list[int]]:
        """The numbers of all lines from there on, (rows, width), and the index of each row; blank lines are passed over.

        With `tabs`, fields are what is between tabs and an empty one is NaN; otherwise words are what is between blanks.
        """
        rows, places = [], []
        for index in range(start, len(self)):
            line = self[index]
            if line.strip():
                rows.append(self.row(index, line.split("\t") if tabs and "\t" in line else line.split(), width, what))
                places.append(index)
        found = np.array(rows, dtype=np.float64).reshape(len(rows), width)
        self.sensible(found, places)
        return found, places

    def sensible(self, values: Array, places: Sequence[int]) -> None:
        """Refuse numbers that nobody can have measured, of rows (n, width) that are on these lines."""
        for row, column in np.argwhere(np.abs(values) > LARGEST):
            raise self.error(places[row], f"number {column + 1} is {values[row, column]:g}, which nobody can have measured.")

    def row(self, index: int, words: list[str], width: int, what: str) -> list[float]:
        """The numbers of one line, by its words or fields."""
        if len(words) > width and not any(map(str.strip, words[width:])):  # tabs at the end of a line
            words = words[:width]
        if len(words) != width:
            raise self.error(index, f"{what} has {len(words)} values, not {width}: the file is damaged or was cut off.")
        try:
            if "_" not in self[index] and self[index].isascii():  # float() would take 1_000 and the digits of all scripts
                return list(map(float, words))
        except ValueError:
            pass
        return [self._value(index, k, word) for k, word in enumerate(words)]

    def _value(self, index: int, position: int, word: str) -> float:
        if not word.strip():
            return math.nan
        found = as_number(word)
        if found is None:
            hint = "; decimal commas are not understood, write points" if re.fullmatch(r"[-+]?\d+,\d+", word.strip()) else ""
            raise self.error(index, f"value {position + 1} is {word.strip()[:40]!r}, not a number{hint}.")
        return found

    def counted(self, declared: int, found: int, what: str, where: int) -> None:
        """Compare a number of rows that a header declares with those there are: fewer are an error, and more are told."""
        if found < declared:
            raise self.error(
                len(self) - 1,
                f"the file ends after {found} {what} but says in line {where + 1} that it has {declared}: it was cut off. "
                f"If it is whole, correct that line.",
            )
        if found > declared:
            self.notes.append(f"the file says that it has {declared} {what} and has {found}; all of them are read")


def read_bytes(path: Path) -> bytes:
    """All of a file; one that cannot be read is a FileError."""
    try:
        return path.read_bytes()
    except OSError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem.strerror or problem}.") from problem


def fields(line: str) -> list[str]:
    """What is between the tabs of a line, without blanks around it."""
    return [field.strip() for field in line.split("\t")]


def as_number(word: str) -> float | None:
    """A number, NaN included, or None."""
    if not word.isascii() or "_" in word:
        return None
    try:
        return float(word)
    except ValueError:
        return math.nan if word.strip().lower() in _NOT_A_NUMBER else None


def checked_rate(rate: float) -> float:
    """The frames per second, as a caller gave them."""
    try:
        found = float(rate)
    except (TypeError, ValueError):
        found = math.nan
    if not 0.0 < found <= LARGEST:
        raise ModelError(f"rate is how many frames there are in a second, a positive number, not {rate!r}.")
    return found


def checked_times(lines: Lines, t: Array, places: list[int]) -> Array:
    """The column of times; one that is missing or not after the one before is an error."""
    for k in np.flatnonzero(~np.isfinite(t)):
        raise lines.error(places[k], "the time is missing.")
    for k in np.flatnonzero(np.diff(t) <= 0.0):
        raise lines.error(
            places[k + 1], f"the time {t[k + 1]:g} s is not after the one before, {t[k]:g} s; leave one of them out."
        )
    return np.ascontiguousarray(t)


def number(value: float) -> str:
    """All digits of a number."""
    return "NaN" if math.isnan(value) else repr(value)


def distinct(names: Iterable[str], what: str, notes: list[str]) -> list[str]:
    """The names, with a number where one is blank or was there before; that is told."""
    given = list(names)
    taken, found, changed = {name for name in given if name}, [], []
    seen: Counter[str] = Counter()
    for position, name in enumerate(given, 1):
        seen[name] += 1
        new = name
        if not name or seen[name] > 1:
            number = seen[name] if name else position
            while not new or new in taken:
                new, number = f"{name or what}_{number}", number + 1
            taken.add(new)
            changed.append(f"{what} {position} ({name!r}) is now {new!r}")
        found.append(new)
    if changed:
        notes.append("names that were blank or there twice: " + "; ".join(changed[:12]) + ("; ..." if len(changed) > 12 else ""))
    return found


def spans(numbers: Sequence[int]) -> str:
    """Ascending whole numbers in words: 3 to 5, 9."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    told = [f"{a}" if a == b else f"{a} to {b}" for a, b in parts]
    return ", ".join(told[:8]) + (", ..." if len(told) > 8 else "")
