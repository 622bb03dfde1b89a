"""Force plates in a table: which columns belong together, by the names that OpenSim's users give them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..recording import Plate
from .axes import scale_of, turn_of

Array = NDArray[np.float64]

_GROUND = re.compile(  # ground_force_vx, 1_ground_force_px, ground_force_r_vx, ground_moment_r_mx, l_ground_torque_x
    r"(?P<before>.*?)_?ground_(?P<what>force|torque|moment)(?P<mid>(?:_\w+?)?)_(?P<kind>[vpfm]?)(?P<axis>[xyz])(?P<after>_\w+)?",
    re.IGNORECASE,
)
_PLATE = re.compile(r"(?P<name>(?:fp|plate|force_?plate)_?\d+)_(?P<kind>[vpfm])(?P<axis>[xyz])", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<kind>[fpm])(?P<name>\d+)_(?P<axis>[123xyz])", re.IGNORECASE)  # f1_1, p1_1, m1_1
_KINDS = {"v": "force", "f": "force", "p": "point", "m": "moment"}
_FAR = 20.0  # metres: plates that are farther away are in millimetres


def _part(label: str) -> tuple[str, str, int] | None:
    """The plate, the kind and the axis of a column that is of a force plate."""
    if found := _GROUND.fullmatch(label):
        kind = _KINDS[found["kind"].lower() or "f"] if found["what"].lower() == "force" else "moment"
        words = [found["before"], "ground_force" + found["mid"], (found["after"] or "").strip("_")]
        return "_".join(filter(None, words)), kind, "xyz".index(found["axis"].lower())
    if found := _PLATE.fullmatch(label):
        return found["name"], _KINDS[found["kind"].lower()], "xyz".index(found["axis"].lower())
    if found := _NUMBERED.fullmatch(label):
        return f"plate{found['name']}", _KINDS[found["kind"].lower()], "123xyz".index(found["axis"].lower()) % 3
    return None


def columns_of_plates(
    t: Array, columns: Mapping[str, Array], *, up: str | None, scale: float | None, notes: list[str]
) -> tuple[tuple[Plate, ...], dict[str, Array]]:
    """The force plates of a table in metres with z up, and the columns that are of none."""
    found: dict[str, dict[tuple[str, int], str]] = {}
    for label in columns:
        if part := _part(label):
            found.setdefault(part[0], {})[part[1:]] = label
    plates, used = [], set()
    for name, labels in found.items():
        lacking = [f"{kind} {'xyz'[axis]}" for kind in _KINDS.values() for axis in range(3) if (kind, axis) not in labels]
        if any(word.startswith("force") for word in lacking):
            notes.append(f"{', '.join(labels.values())} are no force plate, for it has no {lacking[0]}; they stay columns")
            continue
        used |= set(labels.values())
        plates.append(_plate(name, t, {key: columns[label] for key, label in labels.items()}, notes))
    rest = {label: column for label, column in columns.items() if label not in used}
    return (_converted(plates, up, scale, notes) if plates else ()), rest


def _plate(name: str, t: Array, parts: Mapping[tuple[str, int], Array], notes: list[str]) -> Plate:
    """A plate in the units and axes of the file."""

    def three(kind: str, otherwise: float) -> Array:
        lacking = [axis for axis in range(3) if (kind, axis) not in parts]
        if lacking:
            taken = "taken as 0" if otherwise == 0.0 else "unknown (NaN)"
            notes.append(f"{name} has no {kind} {', '.join('xyz'[axis] for axis in lacking)}, which is {taken}")
        return np.stack([parts.get((kind, axis), np.full(len(t), otherwise)) for axis in range(3)], axis=1)

    force, point, moment = three("force", 0.0), three("point", np.nan), three("moment", 0.0)
    point[(force == 0.0).all(axis=1)] = np.nan
    return Plate(name, t, force, point, moment)


def _converted(plates: Sequence[Plate], up: str | None, scale: float | None, notes: list[str]) -> tuple[Plate, ...]:
    axis = up or _upward(plates)
    turn = turn_of(axis)
    notes.append(
        f"up is the {axis} axis of the force plates: {'as given' if up else 'most of the force is along it; up= says otherwise'}"
    )
    if scale is not None:
        metres = scale_of(scale)
        notes.append(f"one unit of length of the force plates is {metres:g} m, as given")
    else:
        points = np.abs(np.concatenate([plate.point for plate in plates]))
        far = np.isfinite(points).any() and float(np.nanmedian(np.nanmax(points[np.isfinite(points).any(axis=1)], axis=1))) > _FAR
        metres = 1 / 1000 if far else 1.0
        notes.append(f"lengths of the force plates are read as {'millimetres' if far else 'metres'}; scale= says otherwise")
    return tuple(
        plate._replace(force=plate.force @ turn.T, point=metres * plate.point @ turn.T, moment=metres * plate.moment @ turn.T)
        for plate in plates
    )


def _upward(plates: Sequence[Plate]) -> str:
    """The axis along which the ground pushes most; y where nothing pushes."""
    total = np.nansum(np.abs(np.concatenate([plate.force for plate in plates])), axis=0)
    return "xyz"[int(np.argmax(total))] if total.any() else "y"


def named_columns(plates: Sequence[Plate], turn: Array, metres: float) -> dict[str, Array]:
    """The columns of force plates as OpenSim calls them, in axes that `turn` turns so that z is up."""
    columns = {}
    for plate in plates:
        before, after = _stem(plate.name)
        unloaded = (plate.force == 0.0).all(axis=1)[:, None]
        parts = {
            "force_v": plate.force,
            "force_p": np.where(unloaded, 0.0, plate.point) / metres,
            "torque_": plate.moment / metres,
        }
        for kind, values in parts.items():
            what, _, symbol = kind.partition("_")
            for axis, column in zip("xyz", (values @ turn).T, strict=True):
                columns[f"{before}ground_{what}{after}_{symbol}{axis}"] = np.ascontiguousarray(column)
    return columns


def _stem(name: str) -> tuple[str, str]:
    """What goes before and after `ground_force` in the names of a plate's columns."""
    found = re.fullmatch(r"(?P<before>.*?)ground_force(?P<after>(?:_\w+)?)", name)
    if found:
        return found["before"], found["after"]
    return "", "_" + re.sub(r"\W", "", name)
