"""Changes in words, and as the Python lines that do the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError, SimulationError
from ..joints import Cylindrical, Fixed, JointType, Planar, Prismatic, Revolute, Spherical
from ..tolerances import NOTHING_LOST

Vector = tuple[float, float, float]

AXES: dict[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_ALONG: dict[str, Callable[[Vector], JointType]] = {
    "Revolute": Revolute, "Prismatic": Prismatic, "Cylindrical": Cylindrical, "Planar": Planar,
}  # fmt: skip
JOINT_CHOICES = ("Fixed", "Spherical", *(f"{kind} {axis}" for kind in _ALONG for axis in AXES))
"""The joint types that a page offers, with the axis or normal in the world."""

_LARGE = 1e6


def joint_of(choice: str) -> tuple[JointType, str]:
    """The joint type of a choice, and as Python writes it; a ModelError where it is none of `JOINT_CHOICES`."""
    if choice not in JOINT_CHOICES:
        raise ModelError(f"{choice!r} is no joint type of this page; those are: {', '.join(JOINT_CHOICES)}.")
    kind, _, axis = choice.partition(" ")
    if not axis:
        found: JointType = {"Fixed": Fixed, "Spherical": Spherical}[kind]()
        return found, f"rg.{kind}()"
    return _ALONG[kind](AXES[axis]), f"rg.{kind}({AXES[axis]!r})"


def vector(numbers: ArrayLike) -> str:
    """Three numbers as Python writes them, to the last digit."""
    return repr(tuple(float(x) for x in np.asarray(numbers, float)))


def number(value: float) -> str:
    """A number for people: four digits, and powers of ten only beyond a million and below a thousandth."""
    short = f"{value:.4g}"
    return f"{float(short):.0f}" if "e+" in short and abs(value) < _LARGE else short


def point(numbers: ArrayLike) -> str:
    """A place for people."""
    return "(" + ", ".join(f"{float(x):.3f}" for x in np.asarray(numbers, float)) + ")"


def named(name: str) -> str:
    """A name in a sentence: control characters are spelled out."""
    return "“" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in name) + "”"


def told(problem: BaseException) -> str:
    """An error as a sentence for a page, without control characters and without what is for programs only."""
    text = (problem.reason if isinstance(problem, SimulationError) else str(problem)) or type(problem).__name__
    return re.sub(r"\s+", " ", "".join(c if c.isprintable() or c.isspace() else repr(c)[1:-1] for c in text)).strip()


def taken(before: float, after: float) -> str:
    """What an impact took, in words; empty where that is nothing."""
    lost = before - after
    if abs(lost) <= NOTHING_LOST * (1.0 + abs(before)):
        return ""
    share = f", {100.0 * lost / before:.3g} % of the energy of motion" if before > 0.0 else ""
    return f" The impact took {number(lost)} J{share}."


def numbers(what: str, given: ArrayLike, count: int) -> NDArray[np.float64]:
    """(count,): finite numbers that somebody gave; a ModelError where they are others."""
    try:
        found = np.atleast_1d(np.asarray(given, float))
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be {count} numbers, not {given!r}.") from None
    if found.shape != (count,) or not np.isfinite(found).all():
        raise ModelError(f"{what} must be {count} finite numbers, not {given!r}.")
    return found


def python(value: Any) -> str:
    """Numbers as Python writes them."""
    found = np.asarray(value, float)
    return repr(float(found)) if found.ndim == 0 else repr([float(x) for x in found])
