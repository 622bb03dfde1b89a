"""The elements of an XML file, with the lines they are on; document types are refused, so no entity is ever expanded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from .errors import FileError

Array = NDArray[np.float64]

MOST_BYTES = 512 * 2**20
MOST_DEPTH = 200
"""What a file may have; a robot of 100 000 links has some 50 MB, and elements in elements in elements up to ten deep."""

_TRUTH = {"true": True, "1": True, "false": False, "0": False, "": False}
_DECLARED = re.compile(rb"""^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.\-]+)["']""")
_SAME_AS_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


class Element:
    """One element: its tag, its attributes, its text and what is in it.

    `source` is the element as it is written in the file; only elements directly in the outermost one have it, and of those only
    the ones that are not opened, or opened with their texts.
    """

    __slots__ = ("attributes", "children", "file", "line", "source", "tag", "texts")

    def __init__(self, file: str, tag: str, attributes: dict[str, str], line: int) -> None:
        self.file, self.tag, self.attributes, self.line = file, tag, attributes, line
        self.texts: Sequence[str] = ()
        self.children: list[Element] = []
        self.source = ""

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)

    @property
    def name(self) -> str:
        """Its attribute of this name; empty where it has none."""
        return self.attributes.get("name", "")

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
        for child in self.children:
            if child.tag in tags:
                return child
        return None

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

    def written(self) -> str:
        """The element as text: on one line, without comments."""
        if not self.children and not self.text:
            return f"<{self.tag}{attributes_text(self.attributes)}/>"
        inner = escaped(self.text) + "".join(child.written() for child in self.children)
        return f"<{self.tag}{attributes_text(self.attributes)}>{inner}</{self.tag}>"


_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED = _ESCAPED | str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def escaped(text: str) -> str:
    """A text as it stands between tags. (Python's own functions for this bring in its client for the network.)"""
    return text.translate(_ESCAPED)


def quoted(value: str) -> str:
    """A value of an attribute, in quotation marks."""
    return f'"{value.translate(_QUOTED)}"'


def attributes_text(attributes: dict[str, str]) -> str:
    """Attributes as they stand in a tag, with a blank before each."""
    return "".join(f" {name}={quoted(value)}" for name, value in attributes.items())


def read_xml(path: str | Path, kind: str, opened: Mapping[str, bool] | None = None) -> Element:
    """The outermost element of a file.

    Parameters
    ----------
    path : str or Path
        The file.
    kind : str
        What it should be, for errors.
    opened : mapping of str to bool, optional
        Tags of the elements directly in the outermost one that are wanted with what is in them, and whether with the texts that
        are in it; others have their `source` only. By default all is wanted.
    """
    file = str(path)
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise FileError(f"{file} has more than {MOST_BYTES // 2**20} MiB, which is too much for {kind}.")
        data = Path(path).read_bytes()
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror or problem}.") from None
    return parse_xml(data, file, kind, opened)


def parse_xml(data: bytes, file: str, kind: str, opened: Mapping[str, bool] | None = None) -> Element:
    """The same from the bytes of a file; `file` is its name in errors."""
    if not data.strip():
        raise FileError(f"{file} is empty; {kind} was expected.")
    return _parse(_as_utf8(data, file), file, kind, opened)


def _as_utf8(data: bytes, file: str) -> bytes:
    """The bytes of a file as UTF-8, whatever it says that they are."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    else:
        declared = _DECLARED.match(data)
        encoding = "utf-8" if declared is None else declared[1].decode("ascii").lower()
    if encoding in _SAME_AS_UTF8:
        return data
    try:
        return data.decode(encoding).encode()
    except (LookupError, UnicodeError) as problem:
        raise FileError(f"{file} is not in the encoding {encoding} that it names: {problem}.") from None


class _Passing:
    """Passes over an element that is not opened. Its end is the next end of its name, unless another of that name is in it."""

    def __init__(self, parser: Any, data: bytes, kind: str) -> None:
        self.parser, self.data, self.kind = parser, data, kind
        self.element: Element | None = None
        self.opening, self.begin, self.depth = b"", 0, 0
        self.then: Callable[[str], None] = lambda _tag: None

    def over(self, element: Element, begin: int, then: Callable[[str], None]) -> None:
        """Pass over an element; at its end, call `then`."""
        self.element, self.begin, self.then = element, begin, then
        self.opening = f"<{element.tag}".encode()
        self.parser.StartElementHandler, self.parser.EndElementHandler = None, self.ended

    def ended(self, tag: str) -> None:
        assert self.element is not None
        if tag != self.element.tag:
            return
        at = self.parser.CurrentByteIndex
        if self.data.find(self.opening, self.begin + 1, at) < 0:
            self.then(tag)
            return
        counting = expat.ParserCreate("utf-8")  # how deep it is here; from here on every element is counted
        self.depth = 0
        counting.StartElementHandler, counting.EndElementHandler = self.deeper, self.shallower
        self.then, then = lambda _tag: None, self.then
        counting.Parse(self.data[self.begin : at], False)
        self.then = then
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.deeper, self.shallower
        self.shallower(tag)

    def deeper(self, _tag: str, _attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            assert self.element is not None
            raise _too_deep(self.element, self.kind)

    def shallower(self, tag: str) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.then(tag)


def _parse(data: bytes, file: str, kind: str, opened: Mapping[str, bool] | None) -> Element:
    """The outermost element. Each element costs two calls, so these are short."""
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    top, passing, begin = Element(file, "", {}, 0), _Passing(parser, data, kind), 0
    stack = [top]
    push, pop = stack.append, stack.pop

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal begin
        element = Element(file, tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        push(element)
        depth = len(stack)
        if depth == 3:
            begin = parser.CurrentByteIndex
            if opened is not None:
                if tag not in opened:
                    passing.over(element, begin, back)
                elif opened[tag]:
                    parser.CharacterDataHandler = characters
        elif depth > MOST_DEPTH:
            raise _too_deep(element, kind)

    def end(_tag: str) -> None:
        if len(stack) == 3:
            if opened is None or opened.get(stack[2].tag, True):
                stack[2].source = _source(stack[2], data, begin, parser.CurrentByteIndex)
            if opened is not None:
                parser.CharacterDataHandler = None
        pop()

    def back(tag: str) -> None:
        parser.StartElementHandler, parser.EndElementHandler = start, end
        end(tag)

    def characters(text: str) -> None:
        element = stack[-1]
        if isinstance(element.texts, list):
            element.texts.append(text)
        elif not text.isspace():  # blanks between elements are most of a file
            element.texts = [text]

    def refuse(*_: object) -> None:
        raise FileError(
            f"{file}, line {parser.CurrentLineNumber}: a document type (<!DOCTYPE>) is declared; {kind} has none, "
            "and entities in it could expand without end. Take the declaration out."
        )

    parser.StartDoctypeDeclHandler, parser.StartElementHandler, parser.EndElementHandler = refuse, start, end
    parser.CharacterDataHandler = characters if opened is None else None
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as problem:
        if isinstance(problem, FileError):
            raise
        raise FileError(f"{file} is not XML, and {kind} is: {problem}.") from None
    return top.children[0]


def _source(element: Element, data: bytes, begin: int, at: int) -> str:
    """The text from the beginning of an element's first tag to the end of its last one, which begins at `at`."""
    if at == begin or not data.startswith(b"</", at):  # one tag alone; a bracket in it may be part of a value
        return f"<{element.tag}{attributes_text(element.attributes)}/>"
    return data[begin : data.index(b">", at) + 1].decode()


def _too_deep(element: Element, kind: str) -> FileError:
    return element.error(f"elements are in one another more than {MOST_DEPTH} deep; {kind} has no such.")
