"""What a reader found in a file that it could not carry over, repaired, guessed or thinks odd; nothing is dropped in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import FileError, ModelError, listed, printable

_SHOWN = 60  # parts of which the same is said


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing in a file that did not become part of the mechanism as it stands there.

    Attributes
    ----------
    kind : str
        Of what kind it is, such as "tendon": the word that `ignore` takes.
    part : str
        The name of what it is about; empty where it is the whole file.
    message : str
        What it is, and what became of it.
    dynamics : bool
        Whether the mechanism moves otherwise than the file says because of it.
    """

    kind: str
    part: str
    message: str
    dynamics: bool = False

    def __str__(self) -> str:
        about = f" {printable(self.part)!r}" if self.part else ""
        return f"{self.kind}{about}: {printable(self.message)}"


@dataclass(frozen=True, slots=True)
class Report:
    """All that a reader has to say about a file, as `regraft.read` gives it.

    Attributes
    ----------
    path : str
        The file.
    findings : tuple of Finding
        In the order in which they were found.
    """

    path: str
    findings: tuple[Finding, ...] = ()

    @property
    def changes_dynamics(self) -> tuple[Finding, ...]:
        """Those because of which the mechanism moves otherwise than the file says."""
        return tuple(one for one in self.findings if one.dynamics)

    def __str__(self) -> str:
        if not self.findings:
            return f"{self.path}: all of it was carried over."
        return "\n".join([f"{self.path}:", *(f"- {line}" for line in grouped(self.findings))])


def alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of the same kind that say the same of several parts, together, in the order of the first of each."""
    found: dict[tuple[str, str, bool, bool], list[Finding]] = {}
    for one in findings:
        found.setdefault((one.kind, one.message, one.dynamics, bool(one.part)), []).append(one)
    return list(found.values())


def grouped(findings: Iterable[Finding]) -> list[str]:
    """A line for each thing that is to be said, with all parts that it is said of."""
    return [f"{same[0].kind}{_about(same)}: {printable(same[0].message)}" for same in alike(findings)]


def _about(same: list[Finding]) -> str:
    return " " + listed((printable(one.part) for one in same), _SHOWN) if same[0].part else ""


@dataclass(slots=True)
class Findings:
    """What a reader notes down while it reads."""

    noted: list[Finding] = field(default_factory=list)

    def note(self, kind: str, part: str, message: str, *, dynamics: bool = False) -> None:
        """Note one thing down."""
        self.noted.append(Finding(kind, part, message, dynamics))

    def report(self, path: Path, ignore: Collection[str]) -> Report:
        """The report; one error that lists all that changes the dynamics and is not to be ignored.

        Parameters
        ----------
        path : Path
            The file.
        ignore : collection of str
            Kinds of findings that the user can do without; ``"all"`` among them stands for every kind.
        """
        loud = [one for one in self.noted if one.dynamics and one.kind not in ignore and "all" not in ignore]
        if loud:
            raise FileError(_complaint(path, loud))
        return Report(str(path), tuple(self.noted))


def _complaint(path: Path, loud: Iterable[Finding]) -> str:
    found = list(loud)
    kinds = Counter(one.kind for one in found)
    words = ", ".join(repr(kind) for kind in kinds) + ("," if len(kinds) == 1 else "")
    lines = "\n".join(f"- {line}" for line in grouped(found))
    return (
        f"{str(path)!r} has what a mechanism cannot say, so it would move otherwise:\n{lines}\n"
        f'Leave it out by ignore=({words}), or all of it by ignore="all".'
    )


def checked_ignore(ignore: str | Collection[str]) -> frozenset[str]:
    """The kinds that a user wants to ignore, as a set."""
    given = (ignore,) if isinstance(ignore, str) else ignore
    if not isinstance(given, Collection) or not all(isinstance(kind, str) for kind in given):
        raise ModelError(f'ignore must be kinds of findings, such as ("tendon",), or "all", not {ignore!r}.')
    return frozenset(given)
