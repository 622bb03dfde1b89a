"""A figure with markers whose joints are exactly where published rules have them, in a motion that is known."""

import numpy as np
from scipy.spatial.transform import Rotation

from regraft.mocap.recording import Recording

WIDTH, DEPTH = 0.24, 0.16  # of the pelvis
_FRONT = np.array([0.0, 0.0, 0.99])  # between the ASIS
_HIP = _FRONT + np.array([-0.24 * DEPTH - 0.0099, 0.0, -0.30 * WIDTH - 0.0109])
_ASIDE = 0.33 * WIDTH + 0.0073
_BASE = _FRONT + Rotation.from_rotvec([0.0, np.radians(-12.0), 0.0]).apply(
    [-0.2765 * WIDTH, 0.0, 0.149 * WIDTH]
)  # the lumbosacral joint
_NECK = _BASE + np.array([0.0, 0.0, 0.42])
_ACROMION = 0.19


def _sided(point):
    return np.array([point[0], -point[1], point[2]])


# joints of the left side and of the middle: carrier and place, when the figure stands and looks along x
JOINTS = {
    "pelvis": (None, _HIP),
    "trunk": ("pelvis", _BASE),
    "head": ("trunk", _NECK),
    "left_thigh": ("pelvis", _HIP + np.array([0.0, _ASIDE, 0.0])),
    "left_shank": ("left_thigh", np.array([_HIP[0] + 0.01, _ASIDE, 0.48])),
    "left_foot": ("left_shank", np.array([_HIP[0], _ASIDE, 0.08])),
    "left_upper_arm": ("trunk", np.array([_BASE[0], _ACROMION, _NECK[2] - 0.02 - 0.17 * 2 * _ACROMION])),
    "left_forearm": ("left_upper_arm", np.array([_BASE[0], _ACROMION, 1.07])),
    "left_hand": ("left_forearm", np.array([_BASE[0], _ACROMION, 0.82])),
}
_L = JOINTS["left_shank"][1], JOINTS["left_foot"][1], JOINTS["left_forearm"][1], JOINTS["left_hand"][1]
# label without its side: body, place
MARKERS = {
    "ASI": ("pelvis", _FRONT + np.array([0.0, WIDTH / 2, 0.0])),
    "PSI": ("pelvis", _FRONT + np.array([-DEPTH, 0.05, 0.0])),
    "THI": ("thigh", np.array([_HIP[0] + 0.01, _ASIDE + 0.09, 0.7])),
    "KNE": ("thigh", _L[0] + np.array([0.0, 0.052, 0.0])),
    "KNM": ("thigh", _L[0] - np.array([0.0, 0.052, 0.0])),
    "TIB": ("shank", np.array([_HIP[0] + 0.02, _ASIDE + 0.08, 0.3])),
    "ANK": ("shank", _L[1] + np.array([0.0, 0.036, 0.0])),
    "MMA": ("shank", _L[1] - np.array([0.0, 0.036, 0.0])),
    "HEE": ("foot", _L[1] + np.array([-0.07, 0.0, -0.04])),
    "TOE": ("foot", _L[1] + np.array([0.13, 0.0, -0.04])),
    "MT5": ("foot", _L[1] + np.array([0.10, 0.05, -0.05])),
    "SHO": ("trunk", np.array([_BASE[0], _ACROMION, _NECK[2] - 0.02])),
    "UPA": ("upper_arm", np.array([_BASE[0] + 0.02, _ACROMION + 0.05, 1.2])),
    "ELB": ("upper_arm", _L[2] + np.array([0.0, 0.035, 0.0])),
    "ELBM": ("upper_arm", _L[2] - np.array([0.0, 0.035, 0.0])),
    "WRA": ("forearm", _L[3] + np.array([0.03, 0.0, 0.0])),
    "WRB": ("forearm", _L[3] - np.array([0.03, 0.0, 0.0])),
    "FIN": ("hand", _L[3] + np.array([0.01, 0.02, -0.08])),
    "FHD": ("head", _NECK + np.array([0.1, 0.07, 0.15])),
    "BHD": ("head", _NECK + np.array([-0.09, 0.06, 0.14])),
}
MIDDLE = {
    "C7": ("trunk", _NECK + np.array([-0.06, 0.0, 0.0])),
    "CLAV": ("trunk", _NECK + np.array([0.06, 0.0, 0.0])),
    "T10": ("trunk", np.array([-0.16, 0.0, 1.2])),
    "STRN": ("trunk", np.array([0.06, 0.0, 1.25])),
}
UPPER_BODY = ("SHO", "UPA", "ELB", "ELBM", "WRA", "WRB", "FIN", "FHD", "BHD", *MIDDLE)


def both_sides():
    """{body: (carrier, joint)} and {label: (body, place)} of the whole figure."""
    joints, markers = {}, dict(MIDDLE)
    for name, (carrier, place) in JOINTS.items():
        joints[name] = carrier, place
        if name.startswith("left_"):
            upper = carrier.replace("left_", "right_")
            joints[name.replace("left_", "right_")] = upper, _sided(place)
    for label, (body, place) in MARKERS.items():
        for letter, side, point in (("L", "left_", place), ("R", "right_", _sided(place))):
            middle = body in ("pelvis", "trunk", "head")
            markers[letter + label] = (body if middle else side + body), point
    return joints, markers


def walker(n=150, rate=100.0, seed=0, still=("left_hand", "right_hand"), noise=0.0, size=0.4):
    """(recording, {body: (axes, joint)}): the figure stands for a third of the time, then moves all joints but the still ones."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / rate
    fade = np.clip(1.5 * (t / t[-1] - 1.0 / 3.0), 0.0, 1.0)[:, None] ** 3
    joints, markers = both_sides()
    known = {}
    for name, (carrier, place) in joints.items():
        moves = 0.0 if name in still else size
        swing = Rotation.from_rotvec(fade * moves * np.sin(np.outer(t, rng.uniform(3, 9, 3)) + rng.uniform(0, 6, 3)))
        if carrier is None:
            known[name] = swing, place + np.outer(fade[:, 0] * t, (1.2, 0.1, 0.05))
        else:
            turned, at = known[carrier]
            known[name] = turned * swing, at + turned.apply(place - joints[carrier][1])
    tracks = {}
    for label, (body, place) in markers.items():
        turned, at = known[body]
        tracks[label] = at + turned.apply(place - joints[body][1]) + noise * rng.normal(size=(n, 3))
    return Recording("figure.trc", t, markers=tracks), {name: (turn.as_matrix(), at) for name, (turn, at) in known.items()}
