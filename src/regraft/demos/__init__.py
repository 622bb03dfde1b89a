"""Demonstrations that run from the shell: each computes something, says what it found, and draws it."""

from ..extras import require

for _package in ("rich", "matplotlib", "PIL"):
    require(_package, "a demonstration")
