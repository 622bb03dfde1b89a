"""Who compiles what: a process claims a kernel, and others that need it wait for the file instead of doing the same work.

A claim is a small file beside the kernel's own. One of a process that is gone, or that has been at it for very long, is void. A
process claims a kernel before the stages that it is made of, so no two wait for each other: what one of them waits for would have
to be made of itself.
"""

from __future__ import annotations

import atexit
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_PATIENCE = 120.0  # seconds after which a claim is void; no kernel takes half as long
_LOOK = 0.02  # seconds between looks at a file that another process is making

_ours: set[Path] = set()
_children: dict[int, Callable[[], int | None]] = {}
"""For processes that this one has started, what says how they have ended; else the system keeps them as if they lived."""


def claim(file: Path, meanwhile: Callable[[], bool] = lambda: False) -> bool:
    """Take it on to make a file; False where another process has made it, or has had the claim and is done.

    `meanwhile` does something useful while another process is at it, and says whether there was anything to do.
    """
    path = _claim_on(file)
    while True:
        try:
            with path.open("x", encoding="utf-8") as claimed:
                claimed.write(_claimant(os.getpid()))
        except FileExistsError:
            if path in _ours:
                return True
            if not _is_void(path):
                if file.exists():
                    return False
                if not meanwhile():
                    time.sleep(_LOOK)
                continue
            with suppress(OSError):
                path.unlink()
        except OSError:  # nothing can be written here: everyone for himself
            return True
        else:
            _ours.add(path)
            if file.exists():  # it has come since it was looked for, or is damaged
                release(file)
                return False
            return True


def is_claimed(file: Path) -> bool:
    """Whether another process is making a file."""
    path = _claim_on(file)
    return path not in _ours and path.exists() and not _is_void(path)


def release(file: Path) -> None:
    """Give up the claim on a file, which is there now or will not come."""
    path = _claim_on(file)
    if path in _ours:
        _ours.discard(path)
        with suppress(OSError):
            path.unlink()


def watch(process: int, ended: Callable[[], int | None]) -> None:
    """Know of a process that this one has started; `ended` is None as long as it runs."""
    _children[process] = ended


def release_for(process: int, home: Path) -> None:
    """Give up the claims that a process, which this one has started and ended, has left behind in a folder."""
    _children.pop(process, None)
    for path in home.glob("*.claim"):
        with suppress(OSError):
            if path.read_text(encoding="utf-8") == _claimant(process):
                path.unlink()


def any_claims() -> bool:
    """Whether this process has any."""
    return bool(_ours)


def _claimant(process: int) -> str:
    return f"{socket.gethostname()} {process}"


def _claim_on(file: Path) -> Path:
    return file.with_suffix(".claim")


def _is_void(path: Path) -> bool:
    try:
        host, process = path.read_text(encoding="utf-8").split()
        age = time.time() - path.stat().st_mtime
    except (OSError, ValueError):  # it is gone, or is being written
        try:
            return time.time() - path.stat().st_mtime > 1.0
        except OSError:
            return False
    return age > _PATIENCE or (host == socket.gethostname() and not _lives(int(process)))


def _lives(process: int) -> bool:
    if process in _children:
        return _children[process]() is None
    if os.name == "nt":  # there is no asking there: signal 0 would be Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@atexit.register
def _release_all() -> None:
    for path in list(_ours):
        with suppress(OSError):
            path.unlink()
    _ours.clear()


def _forget() -> None:
    """A process that was forked has none of its parent's claims, and no children."""
    _ours.clear()
    _children.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
