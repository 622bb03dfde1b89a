"""One thing that is wrong or unusual with a mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..errors import listed, printable


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that is wrong or unusual with a mechanism, as `regraft.check` finds it.

    Attributes
    ----------
    level : "error" or "warning"
        An error keeps the mechanism from moving, or says what cannot be; a warning is what is rarely meant.
    kind : str
        What it is about, such as "inertia", "limits" or "loop".
    parts : tuple of str
        The names of the bodies or joints that it is about; empty where it is the whole mechanism.
    message : str
        What it is.
    """

    level: Literal["error", "warning"]
    kind: str
    parts: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        about = f" {printable(listed(self.parts))}" if self.parts else ""
        return f"{self.level}: {self.kind}{about}: {printable(self.message)}"


def error(kind: str, parts: Iterable[str], message: str) -> Remark:
    """Something that cannot be, or that keeps the mechanism from moving."""
    return Remark("error", kind, tuple(parts), message)


def warning(kind: str, parts: Iterable[str], message: str) -> Remark:
    """Something that is rarely meant."""
    return Remark("warning", kind, tuple(parts), message)
