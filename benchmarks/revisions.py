"""Another revision of this project, beside the one that is worked on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent


@contextmanager
def checked_out(revision: str, folder: Path) -> Iterator[Path]:
    """The files of a revision in a folder that is not there before and after."""
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(folder), revision], cwd=ROOT, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(folder)], cwd=ROOT, check=True)


def commit(revision: str) -> str:
    """The short name of its commit."""
    command = ["git", "rev-parse", "--short", "--verify", f"{revision}^{{commit}}"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
