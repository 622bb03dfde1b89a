"""Where joints are between markers on the skin, as published.

Harrington, M. E. et al. (2007). Prediction of the hip joint centre in adults, children, and patients with cerebral palsy based on
magnetic resonance imaging. Journal of Biomechanics 40, 595–602: the regressions on the width and the depth of the pelvis.
Reed, M. P. et al. (1999), in Dumas, R. et al. (2007). Journal of Biomechanics 40, 543–553: the lumbosacral joint.
Rab, G., Petuskey, K. and Bagley, A. (2002). A method for determination of upper extremity kinematics. Gait & Posture 15, 113–119.
Davis, R. B. et al. (1991). A gait analysis data collection and reduction technique. Human Movement Science 10, 575–587.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WIDTHS = {"knee": 0.058, "ankle": 0.042, "elbow": 0.040}
"""Between the markers on both sides of a joint, of the height: assumptions, to a tenth or so; half of a marker is in them."""

_LUMBOSACRAL = {"male": (-0.264, 0.126), "female": (-0.289, 0.172)}  # of the width, to the front and up from between the ASIS
_TILT = np.radians(12.0)  # Reed's upwards is from the pubis to the ASIS; to the front of it the plane of ASIS and PSIS sinks so
_UNDER_ACROMION = 0.17  # of the distance of the acromia


def hips(width: float, depth: float) -> tuple[Array, Array]:
    """Left and right hip from the middle between the ASIS: to the front, to the left and up, in metres (Harrington 2007)."""
    ahead, aside, up = -0.24 * depth - 0.0099, 0.33 * width + 0.0073, -0.30 * width - 0.0109
    return np.array([ahead, aside, up]), np.array([ahead, -aside, up])


def lumbosacral(width: float, sex: str | None) -> Array:
    """The joint between pelvis and trunk from the same point and in the same axes (Reed 1999); without a sex the mean of both."""
    both = np.array([_LUMBOSACRAL[sex]] if sex else list(_LUMBOSACRAL.values())).mean(axis=0)
    c, s = np.cos(_TILT), np.sin(_TILT)
    return width * np.array([c * both[0] - s * both[1], 0.0, s * both[0] + c * both[1]])


def shoulder(acromion: Array, other: Array, up: Array) -> Array:
    """The centre of a shoulder, below its acromion (Rab 2002)."""
    return acromion - _UNDER_ACROMION * float(np.linalg.norm(acromion - other)) * up


def chord(start: Array, marker: Array, wand: Array, distance: float) -> Array:
    """The centre of a joint at a distance from the marker beside it (Davis 1991).

    It lies in the plane of the joint before it, this marker and one on the segment between, on the side away from that one, and
    is seen from the centre under a right angle between that joint and the marker.
    """
    along = start - marker
    length = float(np.linalg.norm(along))
    if not 0.0 < distance < length:
        return marker
    along = along / length
    aside = (wand - marker) - ((wand - marker) @ along) * along
    aside = -aside / np.linalg.norm(aside)
    near = distance**2 / length
    found: Array = marker + near * along + np.sqrt(distance**2 - near**2) * aside
    return found
