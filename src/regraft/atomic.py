"""Files that are either written whole or left as they were, whatever happens meanwhile: a crash, a kill, a full disk."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A new file beside `path`, of the same ending, to be written by the caller; it takes the place of `path` at the end.

    If the caller fails, the new file is removed and the old one stays. Links are followed; what is no ordinary file, such as a
    pipe, is written to directly.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with replacing(file) as beside:
    ...     _ = beside.write_text("1 2 3")
    >>> file.read_text()
    '1 2 3'
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.stem[:40]}-", suffix=target.suffix, dir=target.parent)
    beside = Path(name)
    try:
        os.close(handle)
        yield beside
        beside.chmod(_mode(target))
        _sync(beside)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    with suppress(OSError):  # the new name is on the disk too; not every system lets a folder be synced
        _sync(target.parent)


def _mode(target: Path) -> int:
    """The permissions that a file has, or that a new one would get."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
