"""The elements of an XML file, with the lines they are on and with words for what they have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .errors import FileError
from .xml_tree import read_tree, text_in

Array = NDArray[np.float64]

_TRUTH = {"true": True, "1": True, "false": False, "0": False, "": False}


class Element:
    """One element: its tag, its attributes, its text without blanks around it, its line, and what is in it."""

    __slots__ = ("attributes", "children", "file", "line", "tag", "text")

    def __init__(self, file: str, tag: str, attributes: dict[str, str], text: str, line: int) -> None:
        self.file, self.tag, self.attributes, self.text, self.line = file, tag, attributes, text, line
        self.children: list[Element] = []

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)

    @property
    def name(self) -> str:
        """Its attribute of this name; empty where it has none."""
        return self.attributes.get("name", "")

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


def read_xml(path: str | Path, kind: str) -> Element:
    """The outermost element of a file; `kind` is what it should be, for errors."""
    tree = read_tree(path, kind)
    made = {node: Element(tree.file, node.tag, node.attrib, text_in(node), tree.line(node)) for node in tree.root.iter()}
    for node, element in made.items():
        element.children.extend([made[child] for child in node])
    return made[tree.root]
