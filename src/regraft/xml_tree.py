"""An XML file as a tree of the standard library's elements, made without a call of Python's for each; no entity is ever expanded.

Elements do not know where they are in the file. Where a message needs a line, the file is looked at once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TypeAlias
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from .errors import FileError

Node: TypeAlias = Element

MOST_BYTES = 512 * 2**20
MOST_DEPTH = 200
"""What a file may have; a robot of 100 000 links has some 50 MB, and elements in elements in elements up to ten deep."""

_DECLARED = re.compile(rb"""^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.\-]+)["']""")
_SAME_AS_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED = _ESCAPED | str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


class NodeError(FileError):
    """What is wrong with an element; `Tree.telling_lines` makes an error of it that says where the element is."""

    def __init__(self, node: Node, what: str) -> None:
        super().__init__(what)
        self.node = node


class Tree:
    """The elements of a file.

    Attributes
    ----------
    file : str
        Its name, for messages.
    data : bytes
        All of it, as UTF-8.
    root : Node
        The outermost element.
    """

    __slots__ = ("data", "file", "lines", "root")

    def __init__(self, file: str, data: bytes, root: Node) -> None:
        self.file, self.data, self.root = file, data, root
        self.lines: dict[Node, int] = {}

    def line(self, node: Node) -> int:
        """The line on which an element begins."""
        if not self.lines:
            self.lines = dict(zip(self.root.iter(), _lines(self.data), strict=True))
        return self.lines[node]

    @contextmanager
    def telling_lines(self) -> Iterator[None]:
        """Errors at elements say in which line these are."""
        try:
            yield
        except NodeError as problem:
            raise FileError(f"{self.file}, line {self.line(problem.node)}: {problem}") from None

    def sources(self, nodes: Sequence[Node]) -> list[str]:
        """Elements as they are written in the file, each from its first tag to its last."""
        spans: dict[Node, tuple[int, int]] = {}
        hidden = set()
        for tag in {node.tag for node in nodes}:
            if (found := _plain_spans(self.data, self.root, tag)) is None:
                hidden.add(tag)
            else:
                spans |= found
        if hidden:
            spans |= _spans(self.data, self.root, hidden)
        return [self.data[slice(*spans[node])].decode() if node in spans else written(node) for node in nodes]


# --- from a file ------------------------------------------------------------------------------------------------------


def read_tree(path: str | Path, kind: str) -> Tree:
    """The elements of a file; `kind` is what it should be, for errors."""
    file = str(path)
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise FileError(f"{file} has more than {MOST_BYTES // 2**20} MiB, which is too much for {kind}.")
        data = Path(path).read_bytes()
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror or problem}.") from None
    return parse_tree(data, file, kind)


def parse_tree(data: bytes, file: str, kind: str) -> Tree:
    """The same from the bytes of a file; `file` is its name in errors."""
    if not data or data.isspace():
        raise FileError(f"{file} is empty; {kind} was expected.")
    data = _as_utf8(data, file)
    tree = Tree(file, data, _parsed(data, file, kind))
    level, depth = [tree.root], 0
    while level:
        depth += 1
        if depth > MOST_DEPTH:
            deep = f"elements are in one another more than {MOST_DEPTH} deep; {kind} has no such."
            raise FileError(f"{file}, line {tree.line(level[0])}: {deep}")
        level = list(chain.from_iterable(level))
    return tree


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


def _parsed(data: bytes, file: str, kind: str) -> Node:
    """The outermost element. Expat calls the builder, and nothing in between is Python."""
    parser, builder = expat.ParserCreate("utf-8"), TreeBuilder()

    def refuse(*_: object) -> None:
        raise FileError(
            f"{file}, line {parser.CurrentLineNumber}: a document type (<!DOCTYPE>) is declared; {kind} has none, "
            "and entities in it could expand without end. Take the declaration out."
        )

    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as problem:
        if isinstance(problem, FileError):
            raise
        raise FileError(f"{file} is not XML, and {kind} is: {problem}.") from None
    finally:
        parser.StartDoctypeDeclHandler = None  # which refers to the parser, and would wait for the garbage collector with it
    root: Node = builder.close()
    return root


def _lines(data: bytes) -> list[int]:
    """The lines on which the elements of a sound file begin."""
    parser, lines = expat.ParserCreate("utf-8"), list[int]()
    parser.StartElementHandler = lambda _tag, _attributes: lines.append(parser.CurrentLineNumber)
    parser.Parse(data, True)
    parser.StartElementHandler = None
    return lines


def _plain_spans(data: bytes, root: Node, tag: str) -> dict[Node, tuple[int, int]] | None:
    """Where elements of one tag begin and end, but for those of one tag alone. None where its name is elsewhere too.

    All are directly in the outermost element, and the file has as many beginnings of such tags as there are elements, and as many
    ends as elements that have something in them: so none of these is in a comment, and they come in the order of the elements.
    """
    name = tag.encode()
    begins, ends = _places(data, b"<" + name), [_end_of(data, place) for place in _places(data, b"</" + name)]
    nodes = [child for child in root if child.tag == tag]
    full = [(node, begin) for node, begin in zip(nodes, begins, strict=False) if len(node) or node.text]
    if not len(begins) == len(nodes) == sum(1 for _ in root.iter(tag)) or len(ends) != len(full):
        return None
    return {node: (begin, end) for (node, begin), end in zip(full, ends, strict=True)}


def _places(data: bytes, what: bytes) -> list[int]:
    """Where these bytes are. (A regular expression takes several times as long to find them.)"""
    places, at = [], data.find(what)
    while at >= 0:
        places.append(at)
        at = data.find(what, at + 1)
    return places


def _end_of(data: bytes, place: int) -> int:
    """Where the tag that begins at a place ends."""
    return data.find(b">", place) + 1


def _spans(data: bytes, root: Node, tags: Collection[str]) -> dict[Node, tuple[int, int]]:
    """Where elements with these tags begin and end; but for those of one tag alone.

    In a sound file without a document type "<" begins a tag, a comment, a section of plain text or an instruction, and is nowhere
    else outside of these. So tags are found without a parser, and the first one that begins is that of the first element.
    """
    names = b"|".join(re.escape(tag.encode()) for tag in tags)
    found: dict[Node, tuple[int, int]] = {}
    nodes = {tag.encode(): root.iter(tag) for tag in tags}
    opened: list[tuple[Node, int]] = []
    for match in re.finditer(_OTHER + rb"(/?)(" + names + _REST, data, re.DOTALL):
        closing, tag, rest = match.groups()
        if tag is None:
            continue
        if closing:
            node, begin = opened.pop()
            found[node] = begin, match.end()
            continue
        node = next(nodes[tag])
        if not rest.endswith(b"/"):
            opened.append((node, match.start()))
    return found


_OTHER = rb"<(?:!--.*?-->|!\[CDATA\[.*?\]\]>|\?.*?\?>|"
_REST = rb""")(?=[\s/>])((?:[^>"']|"[^"]*"|'[^']*')*+)>)"""


# --- as text ----------------------------------------------------------------------------------------------------------


def text_in(node: Node) -> str:
    """What is written in an element, without blanks around it."""
    if not len(node):
        return (node.text or "").strip()
    return "".join([node.text or "", *(child.tail or "" for child in node)]).strip()


def written(node: Node) -> str:
    """An element as text: on one line, without comments."""
    text = text_in(node)
    if not len(node) and not text:
        return f"<{node.tag}{attributes_text(node.attrib)}/>"
    inner = escaped(text) + "".join(written(child) for child in node)
    return f"<{node.tag}{attributes_text(node.attrib)}>{inner}</{node.tag}>"


def escaped(text: str) -> str:
    """A text as it stands between tags. (Python's own functions for this bring in its client for the network.)"""
    return text.translate(_ESCAPED)


def quoted(value: str) -> str:
    """A value of an attribute, in quotation marks."""
    return f'"{value.translate(_QUOTED)}"'


def attributes_text(attributes: dict[str, str]) -> str:
    """Attributes as they stand in a tag, with a blank before each."""
    return "".join(f" {name}={quoted(value)}" for name, value in attributes.items())
