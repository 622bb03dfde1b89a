"""Files that are either written whole or left as they were, whatever happens meanwhile: a crash, a kill, a full disk."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import ModelError, RegraftError


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """As `replacing`, with errors of the system as a RegraftError that names the file: for every file that a user asks for.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with writing(file) as beside:
    ...     _ = beside.write_text("1 2 3")
    >>> file.read_text()
    '1 2 3'
    """
    target = path_of(path)
    try:
        with replacing(target) as beside:
            yield beside
    except OSError as problem:
        raise RegraftError(f"cannot write {str(path)!r}: {problem.strerror or problem}.") from problem


def path_of(given: str | Path) -> Path:
    """The path that a user gave, or a ModelError where it cannot be one."""
    try:
        path = Path(given)
    except TypeError:
        raise ModelError(f"give the path of a file, as a text or a Path, not {given!r}.") from None
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ModelError(f"the path of a file cannot have a half of a character in it: {str(path)!r}.") from None
    if "\0" in str(path):
        raise ModelError(f"the path of a file cannot have the character '\\0' in it: {str(path)!r}.")
    return path


def make_folder(path: Path) -> None:
    """Make a folder, and those it is in, unless it is there already."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise RegraftError(f"cannot write to {str(path)!r}: {problem.strerror or problem}.") from problem


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A new file beside `path`, of the same ending, to be written by the caller; it takes the place of `path` at the end.

    If the caller fails, the new file is removed and the old one stays. Links are followed, and a file keeps its permissions.
    What is no ordinary file, such as a pipe or /dev/stdout, is written to directly.
    """
    if _is_direct(Path(path)):
        yield Path(path)
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not os.access(target, os.W_OK):  # its folder alone would allow that it is replaced
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    beside = _new_beside(target)
    try:
        yield beside
        if (mode := _mode(target)) is not None:
            beside.chmod(mode)
        _sync(beside)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    with suppress(OSError):  # the new name is on the disk too; not every system lets a folder be synced
        _sync(target.parent)


def _is_direct(path: Path) -> bool:
    """Whether a path leads to what cannot be replaced: a pipe, a device, or a file that is already open under a number."""
    if path.exists() and not path.is_file():
        return True
    for _ in range(40):  # as many links in a row as systems follow
        if os.path.realpath(path.parent).startswith("/proc/"):
            return True
        if not path.is_symlink():
            return False
        path = path.parent / path.readlink()
    return False


def _new_beside(target: Path) -> Path:
    """An empty file that was not there before, which nobody can read who cannot read the file it is to replace."""
    mode = _mode(target)
    while True:
        beside = target.with_name(f".{target.stem[:40]}-{secrets.token_hex(6)}{target.suffix}")
        with suppress(FileExistsError):
            os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else mode))
            return beside


def _mode(target: Path) -> int | None:
    """The permissions that a file has; None where there is no file, whose permissions then are the usual ones."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return None


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
