"""Compiled kernels on disk: where they are kept, and how a file is known to be whole.

Numba's own cache looks at the file of a cached function alone, and does not notice an edit in *another* file that the function is
made of. Here a kernel is kept under a hash of all that it is made of; see `ingredients`.

The cache can never make a call fail. What cannot be read, is cut short or has been changed is compiled again and replaced; what
cannot be written is not kept. A kernel is machine code, so it is loaded only from folders that nobody else can write to.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching, serialize
from numba.core.registry import cpu_target

from ..atomic import replacing
from . import shipped
from .ahead import compile_meanwhile
from .claims import any_claims, claim, release
from .haste import loading_quickly
from .ingredients import full_name, key_of
from .libraries import StageLibrary
from .loading import can_load, load
from .sealing import seal, unseal

_KEPT = 8  # versions of each kernel that stay on disk
_VERSION = re.compile(r"\.[0-9a-f]{32}\.kernel")
_FORMER = re.compile(r"[0-9a-f]{16}")


class KernelCache(caching._Cache):  # type: ignore[misc]
    """The compiled forms of one function: one file for each signature, processor and version of what it is made of."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self._function, self._options = function, options
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder, None where there is none."""
        home = cache_home()
        return None if home is None else str(home)

    def enable(self) -> None:
        """Load and save from now on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither load nor save from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Forget what is kept of this function."""
        home = cache_home()
        if home is not None and is_private(home):
            for file in home.glob(f"{self._name}.*.kernel"):
                _remove(file)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The function compiled for a signature, None where that is neither kept nor shipped or cannot be used."""
        with loading_quickly():
            file = self._file(signature, target.codegen())
            found = (None if file is None else self._read(file, target)) or self._load_shipped(signature, target)
        if found is None and file is not None and why_not_kept() is None and not claim(file, compile_meanwhile):
            found = self._read(file, target)  # another process has compiled it meanwhile
        return found

    def has(self, signature: Any) -> bool:
        """Whether a signature is kept for this process's processor."""
        file = self.file(signature)
        return file is not None and file.exists()

    def is_shipped(self, signature: Any) -> bool:
        """Whether a signature comes with the package."""
        return shipped.has(self._name, self.key(signature))

    def file(self, signature: Any) -> Path | None:
        """Where a signature is kept for this process's processor, None where nothing is."""
        return self._file(signature, cpu_target.target_context.codegen())

    def release(self, signature: Any) -> None:
        """Let others compile for a signature, where this process is done with it or has failed."""
        file = self.file(signature) if any_claims() else None
        if file is not None:
            release(file)

    def _read(self, file: Path, target: Any) -> Any:
        """What a file has, None where it is not there or cannot be used."""
        if not is_private(file.parent):
            return None
        try:
            content = unseal(file.read_bytes())
            if content is None:
                return None
            found = rebuild(target, pickle.loads(content))
        except Exception:  # whatever is wrong with the file: it is compiled again, and replaced
            return None
        with suppress(OSError):
            os.utime(file)  # the versions used last are the ones to keep
        return found

    def _load_shipped(self, signature: Any, target: Any) -> Any:
        data = shipped.load(self._name, self.key(signature), target.codegen()) if self._enabled else None
        if data is None:
            return None
        try:
            place = self._place(signature, target.codegen())
            if place is not None:
                _keep(place, serialize.dumps(data))
            return rebuild(target, data)
        except Exception:  # as above
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what has been compiled for a signature, if that is possible."""
        place = self._place(signature, result.codegen)
        if place is not None and not result.library.has_dynamic_globals and can_load(result.library):
            _keep(place, serialize.dumps(reduce(result)))

    @property
    def _name(self) -> str:
        return full_name(self._function)

    def _file(self, signature: Any, codegen: Any) -> Path | None:
        home = cache_home() if self._enabled else None
        if home is None:
            return None
        form = hashlib.sha256(repr((signature, codegen.magic_tuple())).encode()).hexdigest()[:12]
        return home / f"{self._name}.{form}.{self.key(signature)}.kernel"

    def _place(self, signature: Any, codegen: Any) -> Path | None:
        """The file to write to, None where that is not possible."""
        return self._file(signature, codegen) if why_not_kept() is None else None

    def key(self, signature: Any) -> str:
        """A hash of what the function compiled for a signature is made of."""
        return key_of(self._function, self._options, signature)


# --- what is kept of a kernel -------------------------------------------------------------------------------------------

STAGES: dict[str, Any] = {}
"""All stages by their full names."""


def reduce(result: Any) -> Any:
    """A compiled function as plain data, with the stages that it calls and what they return."""
    library = result.library
    calls = [(name, arguments, STAGES[name].overloads[arguments].signature.return_type) for name, arguments in library.stages]
    return library.described if isinstance(library, StageLibrary) else None, calls, result._reduce()


def rebuild(target: Any, data: Any) -> Any:
    """The compiled function; None where a stage that it calls returns something else by now."""
    described, calls, rest = data
    for name, arguments, returned in calls:  # they must be there before machine code that calls them is loaded
        dispatcher = STAGES[name]
        dispatcher.compile(arguments)
        if dispatcher.overloads[arguments].signature.return_type != returned:
            return None
    found = load(target, described, rest)
    found.library.stages = tuple((name, arguments) for name, arguments, _ in calls)
    return found


# --- where kernels are kept --------------------------------------------------------------------------------------------


@cache
def cache_home() -> Path | None:
    """The folder of all kept kernels, None where there is no place for one; it need not be there yet."""
    given = os.environ.get("REGRAFT_CACHE_DIR")
    home = Path(given) if given else _user_cache() / "regraft"
    return home if home.is_absolute() else None  # else it would be another one in each working directory


def _user_cache() -> Path:
    """The user's own cache folder."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches"
        given = Path(os.environ.get("XDG_CACHE_HOME") or ".")
        return given if given.is_absolute() else Path.home() / ".cache"
    except RuntimeError:  # there is no home directory
        return Path()


def why_not_kept() -> str | None:
    """Why compiled kernels cannot be kept, None where they can."""
    home = cache_home()
    if home is None:
        return "no cache directory that does not depend on the current folder"
    try:
        _make_private(home)
    except OSError:
        return f"{home} cannot be made"
    if not is_private(home):
        return f"others can write to {home}"
    if not os.access(home, os.W_OK):
        return f"{home} cannot be written to"
    return None


def is_private(folder: Path) -> bool:
    """Whether a folder is there and only its owner, this user or the system's, can write to it."""
    try:
        found = folder.stat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid in (0, os.getuid()) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _make_private(folder: Path) -> None:
    """Make a folder that its user alone can look into; one that is there stays as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _keep(file: Path, content: bytes) -> None:
    """Write a kernel to a file, if that is possible."""
    with suppress(OSError):
        with replacing(file) as beside:
            beside.write_bytes(seal(content))
        _forget_old(file)


def _forget_old(file: Path) -> None:
    """Keep the newest few versions of a kernel, since each edit makes another one, and nothing of releases long gone."""
    form = file.name.removesuffix(".kernel").rpartition(".")[0]
    versions = [other for other in file.parent.glob(f"{form}.*.kernel") if _VERSION.fullmatch(other.name[len(form) :])]
    for stale in sorted(versions, key=_last_used, reverse=True)[_KEPT:]:
        _remove(stale)
    _forget_former(file.parent)


@cache
def _forget_former(home: Path) -> None:
    """Remove the folders of earlier releases, which had one for each version of the sources."""
    for folder in home.iterdir():
        if _FORMER.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)


def _last_used(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()
