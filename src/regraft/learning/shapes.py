"""The shapes of what frameworks give: leading axes that fit, and sizes that a mechanism has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError


class Given(NamedTuple):
    """An argument, and the size of its last axes; None for any size."""

    name: str
    value: Any
    size: tuple[int | None, ...]


def steps_of(steps: Any) -> int | None:
    """How many steps a user wants; None for as many as there are torques."""
    if steps is None:
        return None
    if not isinstance(steps, (int, np.integer)) or isinstance(steps, bool) or steps < 1:
        raise ModelError(f"steps must be a whole number, at least 1, or None for as many as there are torques; not {steps!r}.")
    return int(steps)


def shaped(given: Sequence[Given]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """The leading axes that all arguments have together, and the last axes of each; what is None has none of the first."""
    leads, sizes = {}, []
    for name, value, size in given:
        if value is None:
            if None in size:
                raise ModelError(f"{name} is left out, which tells the number of steps; give steps=.")
            sizes.append(tuple(int(n or 0) for n in size))
            continue
        shape = tuple(int(n) for n in value.shape)
        last = shape[len(shape) - len(size) :] if len(shape) >= len(size) else ()
        if len(last) != len(size) or any(n is not None and n != m for n, m in zip(size, last, strict=True)):
            wanted = ", ".join(["...", *("steps" if n is None else str(n) for n in size)])
            raise ModelError(f"{name} must have shape ({wanted}), not {shape}.")
        leads[name] = shape[: len(shape) - len(size)]
        sizes.append(last)
    if any(size[0] < 1 for size in sizes[2:] if len(size) == 2):
        raise ModelError("there must be at least one step, and tau has none.")
    try:
        return np.broadcast_shapes(*leads.values()), sizes
    except ValueError:
        said = ", ".join(f"{name} {lead}" for name, lead in leads.items())
        raise ModelError(f"leading axes must be equal, or 1, or left out; they are those of {said}.") from None
