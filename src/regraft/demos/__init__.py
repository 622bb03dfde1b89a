"""Demonstrations that run from the shell: each computes something, says what it found, and draws it."""
