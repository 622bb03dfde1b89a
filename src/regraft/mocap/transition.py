"""Smooth transition: how the two feet share the load while both stand, as Ren, Jones and Howard (2008) assume it.

What the hind foot carries falls from what it carried when the other one landed to nothing, by curves of time alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .heading import about
from .support import stretches

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_K1, _K2 = np.exp(4.0 / 9.0), 0.5 * np.exp(-16.0 / 9.0)


def hind_wrenches(t: Array, total: Array, stands: Mask, points: Array, forward: Array) -> tuple[Array, list[str]]:
    """(n, 2, 6): the wrench on the foot behind while both stand, about the world's origin; zero elsewhere, and what to say.

    `total` (n, 6) is what the body needs, `points` (n, 2, 3) a point of each foot about which moments fall, and `forward` (3,)
    the way that the body goes.
    """
    found, both, notes = np.zeros((len(t), 2, 6)), stands.all(axis=1), []
    for a, b in stretches(np.asarray(both)):
        if a == 0 or b == len(t):
            notes.append(
                f"from {t[a]:.3f} to {t[b - 1]:.3f} s both feet stand at an end of the record: shared by least effort there."
            )
            continue
        hind = int(np.flatnonzero(stands[a - 1])[0]) if stands[a - 1].any() else 0
        start, half = t[a - 1], 0.5 * (t[b] - t[a - 1])
        (at_strike,) = about(total[a - 1 : a], points[a - 1 : a, hind])
        for i in range(a, b):
            s = (t[i] - start) / half
            falling = at_strike * np.exp(-(s**3))
            along = float(at_strike[3:] @ forward) * (_K1 * np.exp(-((s - 2.0 / 3.0) ** 2)) - _K2 * s)
            falling[3:] += (along - float(falling[3:] @ forward)) * forward
            (found[i, hind],) = about(falling[None], -points[i : i + 1, hind])
    return found, notes
