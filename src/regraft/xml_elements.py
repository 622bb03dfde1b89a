"""The elements of an XML file, with the lines they are on; document types are refused, so no entity is ever expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

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

    `source` is the element as it is written in the file; only elements directly in the outermost one have it.
    """

    __slots__ = ("attributes", "children", "file", "line", "source", "tag", "texts")

    def __init__(self, file: str, tag: str, attributes: dict[str, str], line: int) -> None:
        self.file, self.tag, self.attributes, self.line = file, tag, attributes, line
        self.texts: list[str] = []
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
        inner = escape(self.text) + "".join(child.written() for child in self.children)
        return f"<{self.tag}{attributes_text(self.attributes)}>{inner}</{self.tag}>"


def attributes_text(attributes: dict[str, str]) -> str:
    """Attributes as they stand in a tag, with a blank before each."""
    return "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())


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
    return _Reader(file, kind, _as_utf8(data, file), opened).read()


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


class _Reader:
    """The handlers of a parser; each element costs two calls, so they are short."""

    def __init__(self, file: str, kind: str, data: bytes, opened: Mapping[str, bool] | None) -> None:
        self.file, self.kind, self.data, self.opened = file, kind, data, opened
        self.top = Element(file, "", {}, 0)
        self.open = [self.top]
        self.begin, self.closed_depth = 0, 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.refuse
        self._listen()

    def _listen(self) -> None:
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters if self.opened is None else None

    def read(self) -> Element:
        try:
            self.parser.Parse(self.data, True)
        except (expat.ExpatError, ValueError) as problem:
            if isinstance(problem, FileError):
                raise
            raise FileError(f"{self.file} is not XML, and {self.kind} is: {problem}.") from None
        return self.top.children[0]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        stack, parser = self.open, self.parser
        element = Element(self.file, tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)
        depth = len(stack)
        if depth == 3:
            self.begin = parser.CurrentByteIndex
            if self.opened is not None:
                if tag not in self.opened:
                    self.closed_depth = 0
                    parser.StartElementHandler, parser.EndElementHandler = self.deeper, self.shallower
                elif self.opened[tag]:
                    parser.CharacterDataHandler = self.characters
        elif depth > MOST_DEPTH:
            raise element.error(f"elements are in one another more than {MOST_DEPTH} deep; {self.kind} has no such.")

    def end(self, _tag: str) -> None:
        stack = self.open
        if len(stack) == 3:
            stack[2].source = self._source(stack[2])
            if self.opened is not None:
                self.parser.CharacterDataHandler = None
        stack.pop()

    def deeper(self, _tag: str, _attributes: dict[str, str]) -> None:
        self.closed_depth += 1
        if self.closed_depth > MOST_DEPTH:
            raise self.open[-1].error(f"elements are in one another more than {MOST_DEPTH} deep; {self.kind} has no such.")

    def shallower(self, tag: str) -> None:
        if self.closed_depth == 0:
            self._listen()
            self.end(tag)
        self.closed_depth -= 1

    def _source(self, element: Element) -> str:
        """The text from the beginning of an element's first tag to the end of its last one."""
        at = self.parser.CurrentByteIndex
        if at == self.begin or not self.data.startswith(b"</", at):  # one tag alone; a bracket in it may be part of a value
            return f"<{element.tag}{attributes_text(element.attributes)}/>"
        return self.data[self.begin : self.data.index(b">", at) + 1].decode()

    def characters(self, text: str) -> None:
        texts = self.open[-1].texts
        if texts or not text.isspace():  # blanks between elements are most of a file
            texts.append(text)

    def refuse(self, *_: object) -> None:
        raise FileError(
            f"{self.file}, line {self.parser.CurrentLineNumber}: a document type (<!DOCTYPE>) is declared; {self.kind} has none, "
            "and entities in it could expand without end. Take the declaration out."
        )
