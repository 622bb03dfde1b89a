"""Which place on a body a marker has, by the labels that the usual marker sets have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, listed
from ..recording import Recording

Array = NDArray[np.float64]

# Plug-in Gait, Helen Hayes, OpenSim's gait models, CAST, Rajagopal's set, the CMU database; without the letter of the side
_SIDED: Mapping[str, tuple[str, str]] = {
    "asis": ("pelvis", "ASI ASIS FWT"),
    "psis": ("pelvis", "PSI PSIS BWT"),
    "pelvis": ("pelvis", "PELVIS ILIAC ILIACCREST CREST IC ICR"),
    "thigh": ("thigh", "THI THIGH TH THIGHUPPER THIGHFRONT THIGHREAR THIGHLATERAL THIGHWAND GTRO GTR TROCHANTER"),
    "knee": ("thigh", "KNE KNEE KNEELAT KNEELATERAL LATKNEE LFC LEK FLE LKNE"),
    "knee medial": ("thigh", "KNEM KNEMED KNEEMED KNEEMEDIAL MEDKNEE KNEEM MFC MEK FME MKNE KNM"),
    "shank": ("shank", "TIB TIBIA TB SHN SHANK SHANKUPPER SHANKFRONT SHANKREAR SHANKWAND SK TTUB TTC TIAD"),
    "ankle": ("shank", "ANK ANKLE ANKLELAT ANKLELATERAL LATANKLE LMAL LM FAL LANK MALLEOLUS"),
    "ankle medial": ("shank", "ANKM ANKMED ANKLEMED ANKLEMEDIAL MEDANKLE MMAL MMA MM TAM MANK MED"),
    "heel": ("foot", "HEE HEEL CAL CALC CALCANEUS FCC"),
    "ball": ("foot", "TOE MT MTP SMH"),
    "ball inner": ("foot", "MTI TOEMED FMH MTPI"),
    "ball outer": ("foot", "MTV TOELAT VMH MTPV"),
    "toe": ("foot", "TOETIP HLX HALLUX HAL BIGTOE TT"),
    "foot": ("foot", "FOOT MIDFOOT MIDFOOTSUP MIDFOOTLAT MIDFOOTMED NAV MF"),
    "shoulder": ("trunk", "SHO SHOULDER ACROMIUM ACROMION ACR AC SAE"),
    "back": ("trunk", "BAK BACK SCAP SCAPULA"),
    "upper arm": ("upper_arm", "UPA UA UPPERARM BICEP BICEPS ARM"),
    "elbow": ("upper_arm", "ELB ELBOW ELBLAT ELBOWLAT ELBOWLATERAL LEL HLE"),
    "elbow medial": ("upper_arm", "ELBM ELBMED ELBOWMED ELBOWMEDIAL MEL HME"),
    "forearm": ("forearm", "FRA FRM FA FOREARM FARM"),
    "wrist": ("forearm", "WRA WRI WRIST WRISTLAT WRISTLATERAL RSP WRISTRADIUS"),
    "wrist medial": ("forearm", "WRB WRISTMED WRISTMEDIAL USP WRISTULNA"),
    "hand": ("hand", "FIN FINGER HAND MCP"),
    "head": ("head", "FHD BHD TEMPLE HEAD HEADFRONT HEADBACK FRONTHEAD BACKHEAD EAR"),
    "hip centre": ("", "HJC HIPCENTER HIPCENTRE"),
    "knee centre": ("", "KJC KNEECENTER KNEECENTRE"),
    "ankle centre": ("", "AJC ANKLECENTER ANKLECENTRE"),
}
_MIDDLE: Mapping[str, tuple[str, str]] = {
    "sacrum": ("pelvis", "SACR SACRUM SAC SACRAL VSACRAL VSAC MPSIS"),
    "c7": ("trunk", "C7 CV7"),
    "t10": ("trunk", "T10 TV10 T8 T12 T2 L1"),
    "clavicle": ("trunk", "CLAV CLAVICLE SJN IJ JN SUP MANUBRIUM"),
    "sternum": ("trunk", "STRN STERNUM STER SXS PX XIPHOID"),
    "trunk": ("trunk", "TRUNK CHEST"),
    "head": ("head", "HEAD TOPHEAD HEADTOP VERTEX ARIEL FOREHEAD"),
}
SEVERAL = ("pelvis", "thigh", "shank", "foot", "back", "upper arm", "forearm", "hand", "head", "trunk", "t10")
"""Places that any number of markers may have."""
_NUMBERED = {"MT1": "MTI", "MT5": "MTV", "MTP1": "MTPI", "MTP5": "MTPV", "FM1": "MTI", "FM5": "MTV", "FM2": "MT"}


class Landmark(NamedTuple):
    """A place on a body."""

    place: str
    side: str = ""
    """"left", "right" or nothing."""

    @property
    def name(self) -> str:
        """Such as "left knee"."""
        return f"{self.side} {self.place}" if self.side else self.place

    @property
    def body(self) -> str:
        """The body that it is on; nothing for the centre of a joint."""
        part = (_SIDED if self.side and self.place in _SIDED else _MIDDLE)[self.place][0]
        return f"{self.side}_{part}" if self.side and part not in ("pelvis", "trunk", "head", "") else part


def _words() -> dict[str, Landmark]:
    found: dict[str, Landmark] = {}
    for place, (_, words) in _SIDED.items():
        for side, letters in (("left", ("L", "LEFT")), ("right", ("R", "RIGHT"))):
            found |= {f"{letter}{word}": Landmark(place, side) for word in words.split() for letter in letters}
    return found | {word: Landmark(place) for place, (_, words) in _MIDDLE.items() for word in words.split()}


_KNOWN = _words()
_CHOICES = [f"left or right {place}" for place in _SIDED] + [place for place in _MIDDLE if place != "head"]


def known_landmark(label: str) -> Landmark | None:
    """The place that a label tells; None where it tells none."""
    tokens = re.findall(r"[A-Z]+\d*|\d+", label.rpartition(":")[2].upper())
    sides = [token for token in tokens if token in ("L", "R", "LEFT", "RIGHT")]
    if len(sides) == 1 and tokens[0] != sides[0]:  # Heel_L as L_Heel
        tokens = [sides[0], *(token for token in tokens if token != sides[0])]
    word = "".join(tokens)
    for number, letters in _NUMBERED.items():
        word = re.sub(rf"^(L|R|LEFT|RIGHT){number}$", rf"\1{letters}", word)
    return _KNOWN.get(word) or _several(
        _KNOWN.get(re.sub(r"\d+$", "", word)) or _KNOWN.get(re.sub(r"\d+[A-Z]?$", "", word)), word
    )


def _several(found: Landmark | None, word: str) -> Landmark | None:
    """A number behind a word tells one marker of several from the others; there is no second knee. MT2 is the ball."""
    several = found is not None and (found.place in SEVERAL or (found.place == "ball" and word.endswith("2")))
    return found if several else None


class Placed(NamedTuple):
    """Markers by their places."""

    one: dict[Landmark, str]
    """The label of each place that only one marker has."""
    bodies: dict[str, tuple[str, ...]]
    """The labels of all markers of each body."""
    notes: list[str]


def places(rec: Recording, names: Mapping[str, str | None] | None = None) -> Placed:
    """Find the place of every marker of a recording.

    Parameters
    ----------
    rec : Recording
        With markers.
    names : mapping of str to str or None, optional
        The places of markers with other labels: ``{"K1": "left knee", "T": None}``, None for one that is left out.

    Returns
    -------
    Placed

    Raises
    ------
    ModelError
        If two markers have the same place, or one was never seen.
    """
    told = names or {}
    found = {label: _told(label, told[label]) if label in told else known_landmark(label) for label in rec.markers}
    known = {label: landmark for label, landmark in found.items() if landmark is not None}
    hidden = [label for label in known if not np.isfinite(rec.markers[label]).all(axis=1).any()]
    if hidden:
        raise ModelError(
            f"{rec.source!r}: {listed(hidden, 99)} {'was' if len(hidden) == 1 else 'were'} seen in no frame (NaN throughout). "
            f"Leave out what is not needed by ignore={hidden!r}."
        )
    one: dict[Landmark, str] = {}
    bodies: dict[str, tuple[str, ...]] = {}
    for label, landmark in known.items():
        if landmark.place not in SEVERAL:
            if landmark in one:
                raise ModelError(
                    f"{rec.source!r}: both {one[landmark]!r} and {label!r} are the {landmark.name}. Leave one of them out by "
                    f"ignore=[{label!r}], or say by names= what they are."
                )
            one[landmark] = label
        if landmark.body:
            bodies[landmark.body] = (*bodies.get(landmark.body, ()), label)
    unknown = [label for label, landmark in found.items() if landmark is None and label not in told]
    notes = [f"markers of no known place are left out: {listed(unknown, 99)}; names= says what they are"] if unknown else []
    notes += [f"markers left out as wanted: {listed(label for label in told if told[label] is None)}"] * (None in told.values())
    return Placed(one, bodies, notes)


def _told(label: str, meaning: str | None) -> Landmark | None:
    if meaning is None:
        return None
    words = re.sub(r"[\s_-]+", " ", meaning.strip().lower())
    side, _, place = words.partition(" ")
    if side in ("left", "right") and place in _SIDED:
        return Landmark(place, side)
    if words in _MIDDLE:
        return Landmark(words)
    raise ModelError(f"names: {label!r} cannot be {meaning!r}; it is one of {', '.join(_CHOICES)}, or None.")


def missing(rec: Recording, wanted: Iterable[str]) -> ModelError:
    """The error for places without a marker: what is missing, and the table to give."""
    lost = list(wanted)
    strange = [label for label in rec.markers if known_landmark(label) is None]
    table = ", ".join(f'"...": "{name.split(" or ")[0]}"' for name in lost)
    return ModelError(
        f"{rec.source!r} has no markers for: {'; '.join(lost)}. If they have other labels, say so by names={{{table}}}; labels "
        f"of no known place: {', '.join(strange) or 'none'}. Places are {', '.join(_CHOICES)}."
    )
