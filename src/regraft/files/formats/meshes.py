"""Where the mesh files are that a file of a robot names. They are looked for and never read; one that is missing is told."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ...errors import listed
from ..report import Findings

_SEARCHED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
_SHOWN = 3


class MeshSearch:
    """Looks for meshes as a robot's programs do: in packages, and beside the file.

    A package is searched in `folders`, then in the folders of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, then in the folders that
    the file is in, from the inner to the outer ones. Each of them may be the package itself, or have it in it.

    Parameters
    ----------
    file : Path
        The file that names meshes.
    folders : sequence of Path
        Where packages are searched first.
    """

    def __init__(self, file: Path, folders: Sequence[Path]) -> None:
        self.beside = Path(os.path.abspath(file)).parent
        named = [Path(entry) for name in _SEARCHED for entry in os.environ.get(name, "").split(os.pathsep) if entry]
        self.places = [*folders, *named, *(entry / "share" for entry in named), self.beside, *self.beside.parents]
        self.packages: dict[str, str | None] = {}
        self.seen: dict[str, str | None] = {}
        self.odd: dict[str, str] = {}

    def find(self, name: str) -> str | None:
        """The file of a mesh, or None."""
        if name not in self.seen:
            self.seen[name] = self._find(name)
        return self.seen[name]

    def _find(self, name: str) -> str | None:
        if "\0" in name:
            self.odd[name] = "has a character that no path has"
            return None
        scheme, _, rest = name.partition("://")
        if not rest:
            return self._existing(os.path.join(self.beside, name))
        if scheme in ("package", "model"):
            package, _, inside = rest.lstrip("/").partition("/")
            folder = self._package(package)
            if folder is None:
                return None
            path = os.path.normpath(f"{folder}{os.sep}{inside}")
            if path != folder and not path.startswith(folder.rstrip(os.sep) + os.sep):
                self.odd[name] = "leads out of its package, so it was not looked for"
                return None
            return self._existing(path)
        if scheme == "file":
            return self._existing(unquote(urlsplit(name).path))
        self.odd[name] = "is not on this machine, and nothing is fetched"
        return None

    def _package(self, name: str) -> str | None:
        if name not in self.packages:
            plain = name not in ("", ".", "..")
            found = next(filter(None, (_in(place, name) for place in self.places if plain)), None)
            self.packages[name] = None if found is None else os.path.normpath(found)
        return self.packages[name]

    def _existing(self, path: str) -> str | None:
        try:
            return path if os.path.exists(path) else None
        except ValueError:
            return None

    def tell(self, found: Findings) -> None:
        """Note down the meshes that are missing."""
        missing = [name for name, place in self.seen.items() if place is None and name not in self.odd]
        if missing:
            found.note(
                "mesh",
                "",
                f"{len(missing)} of {len(self.seen)} mesh files are not there: {listed(missing, _SHOWN)}. They are kept by name; "
                "packages=(folder, ...) says where packages are",
            )
        for name, why in self.odd.items():
            found.note("mesh", name, f"{why}; it is kept by name")


def _in(place: Path, package: str) -> Path | None:
    """The folder of a package, if it is this one or in it."""
    if place.name == package and os.path.isdir(place):
        return place
    inside = place / package
    return inside if os.path.isdir(inside) else None
