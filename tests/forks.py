"""Fresh processes without the start of a new Python: forks of one that has imported the package and has called nothing of it.

    with Forks() as forks:
        done = forks.run("import regraft as rg; print(rg.__version__)")

What is about importing itself, or about what is read at imports, needs a Python of its own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

PRELOADED = ("numpy", "regraft")
SAFE = sys.platform == "linux"
"""Elsewhere there are no forks, or libraries of the system do not bear them, and each program has a Python of its own."""


class Forks:
    """A process that waits for programs; a context, after which it is gone."""

    def __init__(self, source=Path(__file__).parents[1] / "src", environment=None):
        environment = (environment or os.environ) | {"PYTHONPATH": str(source)}
        command = [sys.executable, __file__]
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, code, *arguments, environment=None, folder=None, out=None, err=None):
        """Run a program as `python -c` would; what it writes goes to the files `out` and `err`, or else is returned."""
        with TemporaryDirectory() as kept:
            outputs = [str(given or Path(kept) / name) for given, name in ((out, "out"), (err, "err"))]
            request = {
                "code": code,
                "arguments": [str(argument) for argument in arguments],
                "environment": dict(environment or os.environ),
                "folder": str(folder or Path.cwd()),
                "outputs": outputs,
            }
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            written = [
                None if given else Path(file).read_text(encoding="utf-8") for given, file in zip((out, err), outputs, strict=True)
            ]
        return subprocess.CompletedProcess(arguments, code, *written)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate()


def next_program():
    """Wait for programs, each of which returns here in a process of its own; None at the end, in the process that waits."""
    for line in sys.stdin:
        if not SAFE:
            print(subprocess.call([sys.executable, __file__, line], stdout=sys.stderr), flush=True)
            continue
        child = os.fork()
        if child == 0:
            return json.loads(line)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


def become(program):
    """What a new process would have from its beginning; the code that it is to run."""
    for number, file in enumerate(program["outputs"], 1):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(program["environment"])
    os.chdir(program["folder"])
    sys.path[0] = ""
    sys.argv = ["-c", *program["arguments"]]
    return compile(program["code"], "<string>", "exec")


def run(code):
    """What Python does with a program: its exit code."""
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def leave(code):
    """End as Python does, but without taking all modules apart, which takes as long as half an import."""
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        traceback.print_exc()
        code = 120
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    if sys.argv[1:]:
        leave(run(become(json.loads(sys.argv[1]))))
    for name in PRELOADED:
        importlib.import_module(name)
    importlib.import_module("numba").njit("float64(float64)")(lambda x: x)  # wakes the compiler, which takes as long as an import
    gc.freeze()
    found = next_program()
    if found is not None:
        leave(run(become(found)))
    os._exit(0)
