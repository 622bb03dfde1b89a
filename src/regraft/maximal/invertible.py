"""In maximal coordinates every body needs a mass and an inertia tensor that can be inverted."""

from __future__ import annotations

import numpy as np

from ..describe.inertia import Inertia
from ..errors import ModelError
from ..tolerances import INVERTIBLE


def check_invertible(name: str, inertia: Inertia) -> None:
    """Reject a body without mass, or without a moment of inertia about some axis: its acceleration would not be finite."""
    if inertia.mass == 0.0:
        raise ModelError(f"body {name!r} has no mass; give it one, or make it one body with its neighbour.")
    moments = np.linalg.eigvalsh(inertia.tensor)
    if moments[0] <= INVERTIBLE * moments[2]:
        raise ModelError(
            f"body {name!r} is a point mass or a thin rod: its inertia tensor, with the principal moments "
            f"{', '.join(f'{x:.6g}' for x in moments)}, has no inverse. Give it moments of inertia about all axes, "
            "make it one body with its neighbour, or use reduced coordinates."
        )
