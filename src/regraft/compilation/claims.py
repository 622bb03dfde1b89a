"""Who compiles what: a process claims a kernel, and others that need it wait for the file instead of doing the same work.

A claim is a small file beside the kernel's own. One of a process that is gone, or that has been at it for very long, is void. A
process that waits holds claims only on what calls the kernel that it waits for, so no two wait for each other.
"""

from __future__ import annotations

import atexit
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

_PATIENCE = 120.0  # seconds after which a claim is void; no kernel takes half as long
_LOOK = 0.02  # seconds between looks at a file that another process is making

_ours: set[Path] = set()


def claim(file: Path) -> bool:
    """Take it on to make a file; False where another process has made it, or has had the claim and is done."""
    path = _claim_on(file)
    while True:
        try:
            with path.open("x", encoding="utf-8") as claimed:
                claimed.write(f"{socket.gethostname()} {os.getpid()}")
        except FileExistsError:
            if path in _ours:
                return True
            if not _is_void(path):
                if file.exists():
                    return False
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


def release(file: Path) -> None:
    """Give up the claim on a file, which is there now or will not come."""
    path = _claim_on(file)
    if path in _ours:
        _ours.discard(path)
        with suppress(OSError):
            path.unlink()


def any_claims() -> bool:
    """Whether this process has any."""
    return bool(_ours)


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
    """A process that was forked has none of its parent's claims."""
    _ours.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
