"""Force plates on the feet of a moving body: which foot stands on which plate, and the wrench that each foot gets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, listed
from .external_loads import ExternalLoad, read_external_loads
from .loading import load
from .recording import Plate, Recording
from .resampling import resample, without_nan
from .support import stretches

Array = NDArray[np.float64]

LOADED = 20.0
"""N: a foot of a person stands on a plate that measures more."""
_LIGHT = 0.04  # of its weight, for a body that is lighter than people are: 20 N are that of 51 kg
_NOTHING = 0.05  # of that: what a plate measures when nothing is on it
_MARGIN = 0.04  # s before and after a foot loads a plate by that, in which it may touch it
_REACH = 0.35  # m between a foot's middle and the force under it: what is farther away is not under the foot

PlatesGiven = str | Path | Recording | Plate | Iterable[Plate | ExternalLoad]


def least_load(weight: float) -> float:
    """The force in N from which on a foot stands, and has a centre of pressure: 20 N for people, and less for lighter bodies."""
    return min(LOADED, _LIGHT * weight)


def plates_from(given: PlatesGiven) -> tuple[tuple[Plate, ...], dict[str, str]]:
    """The plates of a file, a recording or a list; and the bodies that they act on, as far as the file says it."""
    if isinstance(given, Plate):
        return (given,), {}
    if isinstance(given, Recording):
        return _some(given.plates, given.source), {}
    if isinstance(given, str | Path):
        if Path(given).suffix.lower() == ".xml":
            loads, _ = read_external_loads(given)
            return tuple(one.plate for one in loads), {one.name: one.body for one in loads}
        return _some(load(given).plates, str(given)), {}
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(plate, Plate | ExternalLoad) for plate in found):
        raise ModelError(f"plates must be a file, a Recording or Plates, not {given!r}.")
    return _some(tuple(p.plate if isinstance(p, ExternalLoad) else p for p in found), "the list"), {
        p.name: p.body for p in found if isinstance(p, ExternalLoad)
    }


def _some(plates: Sequence[Plate], source: str) -> tuple[Plate, ...]:
    if not plates:
        raise ModelError(
            f"{source!r} has no force plates: a table has them in columns such as ground_force_vx … vz, ground_force_px … pz and "
            "ground_torque_x … z, and a C3D file in its group FORCE_PLATFORM."
        )
    return tuple(plates)


def wrenches_on_feet(
    given: PlatesGiven,
    t: Array,
    middles: Mapping[str, Array],
    bodies: Mapping[str, Sequence[str]],
    pieces: Sequence[tuple[int, int]],
    least: float = LOADED,
) -> tuple[dict[str, Array], list[str]]:
    """The wrench (n, 6) on each foot that ever stands on a plate, about the world's origin, at the frames of a recording.

    `middles` (n, 3) are the middles of the soles, `bodies` the bodies of each foot, and `pieces` the frames that follow each
    other without a gap. Each time that a plate is loaded by more than `least` newtons, it is under the foot that is nearest to
    its centre of pressure.
    """
    plates, named = plates_from(given)
    _check_once(plates)
    found: dict[str, Array] = {}
    notes: list[str] = []
    for plate in plates:
        _check_times(plate, t)
        mended, said = without_nan(plate, t, least)
        notes += said
        here = resample(mended, t, least=_NOTHING * least)
        force, point = here.force, np.nan_to_num(here.point)
        wrench = np.concatenate((np.cross(point, force) + here.moment, force), axis=1)
        loaded, taken = force[:, 2] > least, np.zeros(len(t), bool)
        most = max(1, round(_MARGIN / float(np.median(np.diff(t)))))
        for a, b, within in [(a, b, piece) for piece in pieces for a, b in stretches(loaded[slice(*piece)], piece[0])]:
            foot = _foot_of(plate, named, bodies) or _nearest(plate, point[a:b], {k: x[a:b] for k, x in middles.items()})
            own = found.setdefault(foot, np.zeros((len(t), 6)))
            first, last = _whole(force, a, b, (max(within[0], a - most), min(within[1], b + most)))
            own[first:last] = np.where(taken[first:last, None], own[first:last], own[first:last] + wrench[first:last])
            taken[first:last] = True
        if not loaded.any():
            notes.append(f"the plate {plate.name!r} carries nothing while the body moves.")
    if not found:
        raise ModelError("no plate carries anything while the body moves; are they of the same trial?")
    return found, notes


def _check_once(plates: Sequence[Plate]) -> None:
    for k, plate in enumerate(plates):
        for other in plates[:k]:
            same = np.shape(plate.force) == np.shape(other.force) and np.array_equal(plate.force, other.force, equal_nan=True)
            if plate.name == other.name or (same and np.nan_to_num(plate.force).any()):
                what = "have measured the same" if same else "have one name"
                raise ModelError(
                    f"the plates {other.name!r} and {plate.name!r} {what}: a plate that is given twice would count twice. "
                    "Leave one of them out, or give each plate a name of its own by plate._replace(name=...)."
                )


def _check_times(plate: Plate, t: Array) -> None:
    slack = 1.5 * float(np.median(np.diff(t)))
    if plate.t[0] > t[0] + slack or plate.t[-1] < t[-1] - slack:
        raise ModelError(
            f"the plate {plate.name!r} was measured from {plate.t[0]:.4g} to {plate.t[-1]:.4g} s and the motion recorded from "
            f"{t[0]:.4g} to {t[-1]:.4g} s: they do not fit in time. Use the plates of the same trial, or cut the motion to it."
        )


def _whole(force: Array, a: int, b: int, most: tuple[int, int]) -> tuple[int, int]:
    """The frames around a loaded stretch in which something pushes up, those at most: without a load a plate may drift."""
    first, last = a, b
    while first > most[0] and force[first - 1, 2] > 0.0:
        first -= 1
    while last < most[1] and force[last, 2] > 0.0:
        last += 1
    return first, last


def _foot_of(plate: Plate, named: Mapping[str, str], bodies: Mapping[str, Sequence[str]]) -> str | None:
    body = named.get(plate.name)
    if body is None:
        return None
    for foot, own in bodies.items():
        if body in own:
            return foot
    raise ModelError(
        f"the load {plate.name!r} acts on {body!r}, which is no foot: the feet are {listed(b[0] for b in bodies.values())}."
    )


def _nearest(plate: Plate, point: Array, middles: Mapping[str, Array]) -> str:
    away = {foot: float(np.median(np.linalg.norm((x - point)[:, :2], axis=1))) for foot, x in middles.items()}
    foot = min(away, key=lambda name: away[name])
    if away[foot] > _REACH:
        raise ModelError(
            f"the plate {plate.name!r} is loaded {away[foot]:.2f} m away from the nearest foot, {foot!r}: the plates do not fit "
            "the record in space or in time. Check that both are of one trial, in one frame of reference, with the same axis up."
        )
    return foot
