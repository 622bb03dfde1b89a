"""Joint angles of normal walking, as published.

Winter, D. A. (1991). The Biomechanics and Motor Control of Human Gait: Normal, Elderly and Pathological, 2nd ed. University of
Waterloo Press. Means of adults at their natural cadence, in degrees, at every 2 % of a stride from one heel strike to the next.
They are typed from copies of this table that are in public use, not from the book.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CADENCE = 105.3
"""Steps a minute at natural cadence (Winter)."""

HIP = (
    19.33, 18.92, 18.45, 17.94, 17.30, 16.40, 15.18, 13.67, 11.97, 10.21, 8.48, 6.74, 4.94, 3.13, 1.42, -0.13, -1.54,
    -2.87, -4.12, -5.30, -6.40, -7.43, -8.39, -9.27, -10.02, -10.61, -10.95, -10.91, -10.31, -9.00, -6.95, -4.25, -1.05, 2.42,
    5.93, 9.22, 12.11, 14.55, 16.53, 18.13, 19.45, 20.54, 21.38, 21.84, 21.87, 21.50, 20.84, 20.09, 19.50, 19.18, 19.01,
)  # fmt: skip
"""Flexion of the hip: the thigh against the trunk."""
KNEE = (
    3.97, 7.00, 10.52, 14.12, 17.38, 19.84, 21.27, 21.67, 21.22, 20.20, 18.86, 17.35, 15.73, 14.08, 12.50, 11.09, 9.91, 8.97,
    8.28, 7.86, 7.72, 7.94, 8.60, 9.76, 11.50, 13.86, 16.97, 20.96, 26.00, 32.03, 38.74, 45.60, 52.05, 57.54, 61.66, 64.12,
    64.86, 63.95, 61.59, 57.97, 53.27, 47.58, 40.94, 33.46, 25.38, 17.27, 9.94, 4.31, 1.12, 0.54, 2.21,
)  # fmt: skip
"""Flexion of the knee."""
ANKLE = (
    0.02, -2.06, -3.88, -4.60, -3.98, -2.40, -0.45, 1.45, 3.04, 4.27, 5.13, 5.71, 6.10, 6.43, 6.76, 7.12, 7.54, 7.99, 8.44,
    8.86, 9.23, 9.51, 9.62, 9.43, 8.70, 7.20, 4.69, 1.15, -3.26, -8.17, -13.05, -17.13, -19.52, -19.77, -18.12, -15.29, -12.04,
    -8.85, -5.96, -3.51, -1.64, -0.50, -0.07, -0.16, -0.42, -0.52, -0.26, 0.36, 1.00, 1.20, 0.58,
)  # fmt: skip
"""Dorsiflexion of the ankle."""
