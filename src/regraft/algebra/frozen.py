"""Objects whose attributes are set once, when they are made: safe to share between mechanisms and as keys."""

from __future__ import annotations

from typing import Any

import numpy as np


class Frozen:
    """Base of the immutable descriptions: poses, inertias, joint types."""

    __slots__ = ()

    def _set(self, **values: Any) -> None:
        """Set attributes while the object is being made; arrays become read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed; make a new one with another {name}.")

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        self._set(**state[1])


def array_key(array: np.ndarray) -> bytes:
    """What equal arrays have in common: their bytes, with one zero for 0.0 and −0.0."""
    return bytes((array + 0.0).tobytes())
