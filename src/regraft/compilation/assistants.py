"""Other processes that compile at the same time: where a first call has to wait for the compiler, all cores work on it.

Assistants are told what this process will need. They take what nobody has claimed, and put it where everybody finds it, in the
cache. An assistant is a Python process of its own, as compilers hold locks that a fork would share; it ends when its caller does,
or after a while with nothing to do. Whatever may be wrong with one, the caller compiles by itself.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from .ahead import forget, newly_coming
from .cache import cache_home, why_not_kept
from .claims import release_for, watch
from .plan import units_of

_MOST = 3  # assistants of one process, where the environment says nothing else
_WORTH = 30  # functions of an entry that are still to be compiled, below which an assistant would come too late

_PROGRAM = "import sys; sys.path[:] = {path!r}; from regraft.warmup import assist; assist()"

_assistants: list[subprocess.Popen[bytes]] = []


def ask_for_help(dispatcher: Any, signature: tuple[Any, ...]) -> None:
    """Have others compile what this process will need besides the entry that it begins with."""
    if not _can_be_helped():
        return
    missing = sum(unit.size for unit in units_of(dispatcher, signature) if not unit.is_there)
    if _assistants or missing >= _WORTH:
        _tell("".join(f"{name}\n" for name in newly_coming(dispatcher, signature)).encode())


def _can_be_helped() -> bool:
    """Whether there is another core, a cache to share, and a Python that can be started."""
    python = Path(sys.executable or "").name.lower()  # where Python is a part of another program, that is what would start
    return _how_many() > 0 and parent_process() is None and python.startswith(("python", "pypy")) and why_not_kept() is None


def _how_many() -> int:
    """How many assistants there may be: as the environment says, else one for each further core."""
    given = os.environ.get("REGRAFT_ASSISTANTS", "")
    return int(given) if given.isdecimal() else min(_MOST, _cores() - 1)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tell(requests: bytes) -> None:
    """Hand requests to all assistants; they see for themselves who does what."""
    for assistant in [*_assistants]:
        if not _write(assistant, requests):
            _dismiss(assistant)
    while len(_assistants) < _how_many():
        new = _start()
        if new is None:
            return
        _assistants.append(new)
        if not _write(new, requests):
            _dismiss(new)
            return


def _start() -> subprocess.Popen[bytes] | None:
    program = _PROGRAM.format(path=[str(folder) for folder in sys.path])
    nothing = subprocess.DEVNULL
    try:
        new = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, start_new_session=True
        )
    except OSError:
        return None
    watch(new.pid, new.poll)
    return new


def _write(assistant: subprocess.Popen[bytes], requests: bytes) -> bool:
    """Whether an assistant is there to take requests."""
    assert assistant.stdin is not None
    try:
        assistant.stdin.write(requests)
        assistant.stdin.flush()
    except OSError:
        return False
    return True


def _dismiss(assistant: subprocess.Popen[bytes]) -> None:
    """End an assistant at once: files are written whole or not at all."""
    _assistants.remove(assistant)
    assistant.kill()
    with suppress(OSError):
        assistant.communicate()
    home = cache_home()
    if home is not None:
        release_for(assistant.pid, home)


@atexit.register
def _dismiss_all() -> None:
    for assistant in [*_assistants]:
        _dismiss(assistant)


def _leave_them() -> None:
    """A process that was forked has no assistants: they are its parent's, and end with that."""
    for assistant in _assistants:
        if assistant.stdin is not None:
            with suppress(OSError):
                assistant.stdin.close()
    _assistants.clear()
    forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_them)
