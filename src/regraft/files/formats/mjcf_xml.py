"""A look at an MJCF file before MuJoCo reads it: whether it is one, and whether it asks for more than there is room for."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

from ...errors import FileError, printable

MOST_COPIES = 1_000_000
"""How many copies of a part a file may ask for; MuJoCo makes all of them while it reads."""
_COPYING = ("replicate", "composite", "flexcomp")
_ELSEWHERE = {
    "robot": " This is a URDF: give it the suffix .urdf.",
    "sdf": " This is an SDF: give it the suffix .sdf.",
    "mujocoinclude": " Such a file is a part of others; read one that includes it.",
}


def check_xml(path: Path) -> dict[str, bytes]:
    """Refuse what is no XML, has another root element or a document type, or asks for a million copies of something.

    Returns the files that it includes, by the names that it has for them.
    """
    look = _Look(path)
    look.file(path)
    if look.root is None:
        raise FileError(f"{str(path)!r}: there is no element in it; an MJCF file has the root element <mujoco>.")
    return look.parts


def _is_file(path: Path) -> bool:
    """Whether there is a file; an error where there is something else, such as a pipe, for which MuJoCo would wait."""
    try:
        if path.is_file() or path.is_dir() or not path.exists():
            return path.is_file()
    except (OSError, ValueError):  # no name that a file can have
        return False
    raise FileError(f"{str(path)!r} is not a file but a pipe or a device; it is not read.")


class _Look:
    """One look at a file and at those that it includes."""

    def __init__(self, path: Path) -> None:
        self.path, self.seen = path, set[Path]()
        self.models = [path]  # the file, the one that is attached to it, the one that is attached to that one
        self.root: str | None = None
        self.copies = [1]
        self.parts: dict[str, bytes] = {}

    def file(self, file: Path, name: str = "") -> None:
        """Look at one file; what MuJoCo may understand and we do not, MuJoCo decides on."""
        if file in self.seen or not _is_file(file):
            return
        self.seen.add(file)
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            data = file.read_bytes()
            if name:
                self.parts[name] = data
            parser.Parse(data, True)
        except OSError as problem:
            raise FileError(f"cannot read {str(file)!r}: {problem}.") from problem
        except expat.ExpatError as problem:
            if self.root is None:
                raise FileError(f"{str(self.path)!r} is not XML: {problem}.") from problem
            self.copies = [1]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self.root is None:
            self.root = name
            if name != "mujoco":
                said = f"the root element of an MJCF file is <mujoco>, not <{printable(name)}>.{_ELSEWHERE.get(name, '')}"
                raise FileError(f"{str(self.path)!r}: {said}")
        count = self.copies[-1]
        if name in _COPYING:
            for number in attributes.get("count", "1").split():
                count *= max(1, int(number)) if number.isdecimal() and len(number) < 19 else 1
        if count > MOST_COPIES:
            raise FileError(
                f"{str(self.path)!r}: it asks for {count} copies by <{name}>; {MOST_COPIES} is the most that is read."
            )
        self.copies.append(count)
        if name == "include":
            self.file(self.path.parent / attributes.get("file", ""), attributes.get("file", ""))
        elif name == "model" and attributes.get("file"):
            self._attached(attributes["file"])

    def _attached(self, name: str) -> None:
        """Look at a model that is attached; MuJoCo reads one that leads to itself until the process ends."""
        found = [folder / name for folder in (self.models[-1].parent, self.path.parent) if _is_file(folder / name)]
        if not found:
            return
        if any(found[0].samefile(outer) for outer in self.models):
            raise FileError(f"{str(self.path)!r}: the model in {name!r} is attached to itself, by way of <model file=...>.")
        self.models.append(found[0])
        self.file(found[0])
        self.models.pop()

    def _end(self, _name: str) -> None:
        if len(self.copies) > 1:
            self.copies.pop()

    def _doctype(self, *_: Any) -> None:
        raise FileError(
            f"{str(self.path)!r}: it declares a document type, in which entities could be hidden; leave <!DOCTYPE …> out."
        )
