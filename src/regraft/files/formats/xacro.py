"""Reading .xacro files, which are programs that write URDF: by the optional package xacrodoc."""

from __future__ import annotations

from pathlib import Path

from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...errors import FileError
from ...extras import require
from ..report import Findings
from .contract import ReadOptions
from .urdf import urdf_from_text


def read_xacro(path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The mechanism that a .xacro file describes. Read only files that you trust: they may include others and run expressions."""
    xacrodoc = require("xacrodoc", "a .xacro file")
    for folder in options.packages:
        xacrodoc.packages.look_in([str(folder), str(folder.parent)])
    try:
        text = xacrodoc.XacroDoc.from_file(str(path), resolve_packages=False).to_urdf_string()
    except Exception as problem:  # whatever the file makes xacro fail with
        raise FileError(f"{str(path)!r}: xacro cannot read it: {type(problem).__name__}: {problem}.") from problem
    return urdf_from_text(text, path, options, found)
