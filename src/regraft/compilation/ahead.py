"""A second process that compiles with the first: where a call needs several kernels, two cores are busy instead of one.

It begins with the stages that the first process comes to last. Which is whose is settled by `claims`. It ends when there is
nothing left, or with the process that started it. ``REGRAFT_HELPER=0`` in the environment does without it.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from .attention import compile_quietly
from .cache import cache_home, why_not_kept
from .claims import claim, is_claimed, release
from .plan import Unit, units_of

_WORTH_IT = 4  # stages; for fewer the helper would hardly have started
_PACKAGE = __name__.partition(".")[0]
_helper: subprocess.Popen[bytes] | None = None


def ask_for_help(dispatcher: Any, signature: tuple[Any, ...]) -> None:
    """Start a helper for what an entry needs, if that is worth it."""
    global _helper  # noqa: PLW0603
    if os.environ.get("REGRAFT_HELPER") == "0" or (os.cpu_count() or 1) < 2 or (_helper and _helper.poll() is None):
        return
    if sum(not unit.is_there for unit in units_of(dispatcher, signature)) <= _WORTH_IT or why_not_kept() is not None:
        return
    number = dispatcher.declared.index(signature)
    command = [sys.executable, "-m", __name__, dispatcher.py_func.__module__, dispatcher.py_func.__qualname__, str(number)]
    beside = str(Path(__file__).parents[2])
    paths = os.pathsep.join([beside, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]).rstrip(os.pathsep)
    environment = os.environ | {"PYTHONPATH": paths, "REGRAFT_HELPER": "0"}
    nothing = subprocess.DEVNULL
    try:
        _helper = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing)
    except OSError:  # no more processes: then without
        _helper = None


def help_with(module: str, name: str, number: int) -> None:
    """Compile the stages that an entry needs, from the last to the first, but for those that are claimed."""
    compile_quietly()
    dispatcher = getattr(importlib.import_module(module), name)
    for unit in reversed(units_of(dispatcher, dispatcher.declared[number])[:-1]):
        if not unit.is_there and not _is_claimed(unit):
            unit.dispatcher.compile(unit.signature)


def _is_claimed(unit: Unit) -> bool:
    file = unit.dispatcher._cache.file(unit.signature)
    return file is not None and is_claimed(file)


def _end_with_parent() -> None:
    """The other end of standard input is held by the process that started this one."""
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """As the helper."""
    home = cache_home()
    if home is None or is_claimed(home / "helper.kernel") or not claim(home / "helper.kernel"):  # one is enough
        return
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        help_with(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    finally:
        release(home / "helper.kernel")


if __name__ == "__main__":
    main()
