"""The formats of mechanisms, one file each: which function reads a file and which writes it, by the file's suffix.

A reader takes a path, `ReadOptions` and `Findings`, in which it notes down all that does not become part of the mechanism, and
returns the mechanism and a state to start from. A writer takes a mechanism, a state, a path and `WriteOptions`; what the format
cannot hold is one `FileError` that lists it. Both are imported when they are first needed.
"""

import importlib
from typing import Any

READERS: dict[str, tuple[str, str]] = {
    ".json": ("plain", "read_plain"),
    ".osim": ("osim", "read_osim_model"),
    ".sdf": ("sdf", "read_sdf"),
    ".urdf": ("robot_yaml", "read_urdf_and_loops"),
    ".xacro": ("xacro", "read_xacro"),
    ".yaml": ("robot_yaml", "read_yaml"),
    ".mjcf": ("mjcf", "read_mjcf"),
}
"""The module in this folder and the function of it. Files that end in .xml are known by their outermost element."""

WRITERS: dict[str, tuple[str, str]] = {
    ".json": ("plain", "write_plain"),
    ".urdf": ("urdf_writing", "write_urdf"),
    ".xml": ("mjcf", "write_mjcf"),
    ".mjcf": ("mjcf", "write_mjcf"),
}


def function_at(place: tuple[str, str]) -> Any:
    """The reader or writer at a place of these tables, imported."""
    module, name = place
    return getattr(importlib.import_module(f".{module}", __name__), name)
