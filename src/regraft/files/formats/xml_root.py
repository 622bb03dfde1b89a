"""Files that end in .xml: which format one has, its outermost element says."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

from ...errors import FileError

SUFFIX_OF = {"mujoco": ".mjcf", "robot": ".urdf", "sdf": ".sdf", "OpenSimDocument": ".osim"}
"""The format of a file by the tag of its outermost element."""

_CHUNK = 1 << 16
_MOST = 1 << 24  # bytes before the outermost element; comments in front of it are shorter


class _Found(Exception):  # noqa: N818 (no error: parsing ends where the answer is known)
    """The outermost element."""


def suffix_by_root(path: Path) -> str:
    """The suffix that a file of this content usually has. Nothing behind its first element is looked at, no entity expanded."""

    def stop(tag: str, _attributes: Any) -> None:
        raise _Found(tag)

    parser = expat.ParserCreate()
    parser.StartElementHandler = stop
    try:
        with path.open("rb") as file:
            for _ in range(_MOST // _CHUNK):
                data = file.read(_CHUNK)
                parser.Parse(data, not data)
                if not data:
                    break
    except _Found as found:
        tag = str(found)
    except (expat.ExpatError, LookupError, ValueError) as problem:
        raise FileError(f"{str(path)!r} is not XML: {problem}.") from None
    except OSError as problem:
        raise FileError(f"{str(path)!r} cannot be read: {problem.strerror or problem}.") from None
    else:
        raise FileError(f"{str(path)!r} has no element.")
    if tag not in SUFFIX_OF:
        known = ", ".join(f"<{one}>" for one in SUFFIX_OF)
        raise FileError(
            f"{str(path)!r}: the outermost element is <{tag[:60]}>; of files that end in .xml, those with {known} are read."
        )
    return SUFFIX_OF[tag]
