"""The elements of an OpenSim file, with the lines they are on; entities and document types are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError

Array = NDArray[np.float64]

_TRUTH = {"true": True, "1": True, "false": False, "0": False, "": False}


@dataclass(eq=False)
class Element:
    """One element: its tag, its name where it has one, its text and what is in it."""

    file: str
    tag: str
    name: str
    line: int
    texts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)

    @property
    def text(self) -> str:
        """What is written in it, without blanks around it."""
        return "".join(self.texts).strip()

    @property
    def where(self) -> str:
        """The file and the line, for a message."""
        return f"{self.file}, line {self.line}"

    def error(self, what: str) -> FileError:
        """An error at this element."""
        return FileError(f"{self.where}: {what}")

    def find(self, *tags: str) -> Element | None:
        """The first child with one of these tags, or None."""
        return next((child for child in self if child.tag in tags), None)

    def within(self, path: str) -> Iterator[Element]:
        """All elements at a path of tags, such as "BodySet/objects"; the last one may be "*"."""
        first, _, rest = path.partition("/")
        for child in self:
            if first in ("*", child.tag):
                yield from child.within(rest) if rest else (child,)

    def everywhere(self) -> Iterator[Element]:
        """This element and all below it."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))

    def value(self, *tags: str) -> str:
        """The text of the first child with one of these tags; empty where there is none."""
        child = self.find(*tags)
        return "" if child is None else child.text

    def truth(self, tag: str) -> bool:
        """A child's true or false; false where there is none."""
        child = self.find(tag)
        if child is None:
            return False
        if child.text.lower() not in _TRUTH:
            raise child.error(f"<{tag}> must be true or false, not {child.text!r}.")
        return _TRUTH[child.text.lower()]

    def numbers(self, tag: str, count: int | None = None, default: tuple[float, ...] | None = None) -> Array:
        """A child's numbers; the default where there is no such child."""
        child = self.find(tag)
        if child is None or not child.text:
            if default is None:
                raise self.error(f"<{self.tag}> {self.name!r} has no <{tag}>.")
            return np.array(default, dtype=float)
        return child.own_numbers(count)

    def own_numbers(self, count: int | None = None) -> Array:
        """The numbers that it consists of."""
        try:
            found = np.array([float(word) for word in self.text.strip("()").replace(",", " ").split()])
        except ValueError:
            raise self.error(f"<{self.tag}> must have numbers, not {self.text[:60]!r}.") from None
        if count is not None and len(found) != count:
            raise self.error(f"<{self.tag}> must have {count} numbers, not {len(found)}.")
        if not np.isfinite(found).all():
            raise self.error(f"<{self.tag}> has numbers that are not finite: {self.text[:60]!r}.")
        return found

    def number(self, tag: str, default: float | None = None) -> float:
        """A child's one number."""
        return float(self.numbers(tag, 1, None if default is None else (default,))[0])


def read_xml(path: str | Path, kind: str) -> Element:
    """The outermost element of a file; `kind` says in errors what it should be."""
    file = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror or problem}.") from None
    if not data.strip():
        raise FileError(f"{file} is empty; {kind} was expected.")
    return _Reader(file, kind).read(data)


class _Reader:
    def __init__(self, file: str, kind: str) -> None:
        self.file, self.kind = file, kind
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except (expat.ExpatError, LookupError, ValueError) as problem:
            raise FileError(f"{self.file} is not XML, and {self.kind} is: {problem}.") from None
        if self.root is None:
            raise FileError(f"{self.file} has no element; {self.kind} was expected.")
        return self.root

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(self.file, tag, attributes.get("name", ""), self.parser.CurrentLineNumber)
        if tag == "OpenSimDocument":
            element.name = attributes.get("Version", "")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open:
            self.open[-1].texts.append(text)

    def refuse(self, *_: object) -> None:
        raise FileError(
            f"{self.file}, line {self.parser.CurrentLineNumber}: a document type (<!DOCTYPE>) is declared; {self.kind} has none, "
            "and entities in it could expand without end. Take the declaration out."
        )
