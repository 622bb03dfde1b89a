"""C3D files: markers, analog channels and force plates, by ezc3d."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError, listed
from ...extras import require
from ..recording import Plate, Recording
from .axes import scale_of, turn_of, upward_axis
from .c3d_checks import check_c3d
from .c3d_plates import CHANNELS, Description, outside, plate_of
from .text import distinct

Array = NDArray[np.float64]

_LENGTHS = {
    "m": 1.0,
    "meters": 1.0,
    "metres": 1.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 1 / 1000,
    "in": 0.0254,
    "inches": 0.0254,
    "ft": 0.3048,
}
_COMPUTED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
"""Lists of points that are no places, as Vicon's models write them."""
_MOST = 1e6  # of frames, channels or plates


def read_c3d(path: str | Path, *, up: str | None = None, scale: float | None = None) -> Recording:
    """Read a C3D file: markers in metres with z up, analog channels, and force plates of types 1 to 4."""
    check_c3d(path)
    file = _File(str(path), _opened(path))
    notes: list[str] = []
    metres = file.metres(scale, notes)
    markers = file.markers(metres, notes)
    axis = upward_axis(up, markers, file.screen_up(), notes)
    turn = turn_of(axis)
    plates = file.plates(metres, turn[2], notes)
    wrong = outside(plates, turn[2])
    if wrong:
        notes.append(f"the centre of pressure is mostly outside of {listed(wrong)}: its origin or its units may be wrong")
    analogs = file.analogs(notes)
    return Recording(
        str(path),
        file.t,
        markers={name: track @ turn.T for name, track in markers.items()},
        plates=tuple(_turned(plate, turn) for plate in plates),
        analogs=analogs,
        analog_t=file.analog_t if analogs else np.empty(0),
        notes=tuple(notes),
    )


def _opened(path: str | Path) -> Any:
    ezc3d = require("ezc3d", "reading C3D files")
    try:
        return ezc3d.c3d(str(path))
    except Exception as problem:  # whatever the C++ library throws at a file that it cannot read
        raise FileError(f"{path} cannot be read as a C3D file: {problem}.") from None


def _turned(plate: Plate, turn: Array) -> Plate:
    assert plate.corners is not None
    return plate._replace(
        force=plate.force @ turn.T,
        point=plate.point @ turn.T,
        moment=plate.moment @ turn.T,
        corners=plate.corners @ turn.T,
    )


class _File:
    """What ezc3d has read, with the parameters looked up by name."""

    def __init__(self, name: str, data: Any) -> None:
        self.name = name
        self.groups = data["parameters"]
        points, channels = data["data"]["points"], data["data"]["analogs"]
        self.points = np.moveaxis(np.asarray(points, dtype=float)[:3], 0, -1)
        """(points, n, 3)."""
        self.residuals = np.asarray(data["data"]["meta_points"]["residuals"], dtype=float).reshape(points.shape[1:])
        self.channels = np.asarray(channels, dtype=float)[0]
        """(channels, m)."""
        if not np.isfinite(self.channels).all():
            raise FileError(f"{name} is damaged: analog channels have numbers that are not finite. Is ANALOG:SCALE right?")
        rate = float(data["header"]["points"]["frame_rate"]) or self.number("POINT", "RATE")
        frames = points.shape[2] if points.shape[1] else (self.whole("POINT", "FRAMES") or [0])[0]
        if not (np.isfinite(rate) and rate > 1.0 / _MOST):
            raise FileError(f"{name} is damaged: its frame rate (POINT:RATE) is {rate:g}.")
        samples = self.channels.shape[1] // frames if frames else 0
        start = max(0, int(data["header"]["points"]["first_frame"])) / rate
        self.t = start + np.arange(frames) / rate
        self.analog_t = start + np.arange(self.channels.shape[1]) / (rate * max(1, samples))

    def value(self, group: str, name: str) -> Any:
        """A parameter's numbers or texts; nothing where it is not there."""
        found = self.groups.get(group, {}).get(name)
        return [] if found is None else found["value"]

    def number(self, group: str, name: str) -> float:
        found = np.ravel(self.value(group, name))
        return float(found[0]) if len(found) and not isinstance(found[0], str) else 0.0

    def whole(self, group: str, name: str) -> list[int]:
        """A parameter's whole numbers."""
        found = np.ravel(self.value(group, name))
        if len(found) and (found.dtype.kind not in "fiu" or not np.isfinite(found).all() or np.abs(found).max() > _MOST):
            raise FileError(f"{self.name} is damaged: {group}:{name} must have whole numbers.")
        return [int(number) for number in found]

    def texts(self, group: str, name: str) -> list[str]:
        """Texts of a parameter and of those that go on where it is full: LABELS, LABELS2, LABELS3 and so on."""
        found: list[str] = []
        for more in ("", *map(str, range(2, 100))):
            part = self.value(group, name + more)
            if len(part) == 0:
                break
            found += [str(word).strip().strip("\0").strip() for word in part]
        return found

    def metres(self, scale: float | None, notes: list[str]) -> float:
        """How long the file's unit is."""
        if scale is not None:
            notes.append(f"one unit of the file is {scale_of(scale):g} m, as given")
            return scale_of(scale)
        unit = (self.texts("POINT", "UNITS") or [""])[0]
        if unit.lower() in _LENGTHS:
            notes.append(f"lengths are in {unit}, as the file says")
            return _LENGTHS[unit.lower()]
        if unit or self.points.size:
            notes.append(f"lengths are taken as mm, for the file says {unit!r}; scale= says otherwise")
        return _LENGTHS["mm"]

    def screen_up(self) -> str:
        """The axis that the file shows upwards; z where it does not say."""
        word = (self.texts("POINT", "Y_SCREEN") or ["+Z"])[0].lower().lstrip("+")
        return word if word in ("x", "y", "z", "-x", "-y", "-z") else "z"

    def markers(self, metres: float, notes: list[str]) -> dict[str, Array]:
        """Points by name, NaN where one was not seen; what was computed from them is left out."""
        count = len(self.points)
        labels = (self.texts("POINT", "LABELS") + [""] * count)[:count]
        names = distinct(labels, "marker", notes)
        computed = {word for kind in _COMPUTED for word in self.texts("POINT", kind)}
        left = [name for name, label in zip(names, labels, strict=True) if label and label in computed]
        if left:
            notes.append(f"points that are angles, forces and the like are left out: {listed(left)}")
        found, unseen = {}, []
        for name, track, residual in zip(names, self.points, self.residuals, strict=True):
            if name in left:
                continue
            gone = (residual < 0.0) | (track == 0.0).all(axis=1) | ~np.isfinite(track).all(axis=1)
            found[name] = np.where(gone[:, None], np.nan, metres * track)
            if gone.all():
                unseen.append(name)
        if unseen:
            notes.append(f"points that are never seen: {listed(unseen)}")
        return found

    def channel_names(self, notes: list[str]) -> list[str]:
        count = len(self.channels)
        return distinct((self.texts("ANALOG", "LABELS") + [""] * count)[:count], "channel", notes)

    def analogs(self, notes: list[str]) -> dict[str, Array]:
        """Analog channels by name, in the units of the file."""
        return dict(zip(self.channel_names(notes), self.channels, strict=True))

    def plates(self, metres: float, up: Array, notes: list[str]) -> list[Plate]:
        """Force plates in newtons and metres, in the file's axes."""
        used = (self.whole("FORCE_PLATFORM", "USED") or [0])[0]
        kinds = self.whole("FORCE_PLATFORM", "TYPE")
        found = []
        for i in range(used):
            name = f"plate{i + 1}"
            if i >= len(kinds) or kinds[i] not in CHANNELS:
                kind = kinds[i] if i < len(kinds) else "not given"
                notes.append(f"{name} is left out: its type is {kind}, and types 1 to 4 are read")
                continue
            found.append(self._plate(i, name, kinds[i], metres, up, notes))
        return found

    def _plate(self, i: int, name: str, kind: int, metres: float, up: Array, notes: list[str]) -> Plate:
        corners = self._table("CORNERS", (3, 4), i, name).T * metres
        origin = self._table("ORIGIN", (3,), i, name) * metres
        if np.linalg.matrix_rank(corners - corners[0]) < 2:
            raise FileError(f"{self.name}: {name} has no surface: its corners (FORCE_PLATFORM:CORNERS) are on one line.")
        numbers = self._channels(i, name, CHANNELS[kind])
        values = self.channels[numbers].T.copy()
        calibration = None
        if kind == 4:
            calibration = self._table("CAL_MATRIX", (6, 6), i, name)
            calibration = np.vstack((calibration[:3], metres * calibration[3:]))
        elif kind == 1:
            values[:, 3:5] *= metres
            values[:, 5] *= self._moment_unit(numbers[5], metres)
        elif kind == 2:
            for column in (3, 4, 5):
                values[:, column] *= self._moment_unit(numbers[column], metres)
        return plate_of(Description(name, kind, corners, origin, up, calibration), self.analog_t, values, notes)

    def _table(self, parameter: str, shape: tuple[int, ...], i: int, name: str) -> Array:
        """One plate's numbers of a parameter whose last index is the plate."""
        value = np.asarray(self.value("FORCE_PLATFORM", parameter))
        if value.dtype.kind not in "fiu" or value.shape[:-1] != shape or value.shape[-1] <= i:
            raise FileError(
                f"{self.name}: {name} needs FORCE_PLATFORM:{parameter} of shape {(*shape, i + 1)} or more; it has {value.shape}."
            )
        if not np.isfinite(value).all():
            raise FileError(f"{self.name} is damaged: FORCE_PLATFORM:{parameter} has numbers that are not finite.")
        return value[..., i].astype(float)

    def _channels(self, i: int, name: str, count: int) -> list[int]:
        value = np.asarray(self.value("FORCE_PLATFORM", "CHANNEL"))
        self.whole("FORCE_PLATFORM", "CHANNEL")
        have = value[:count, i].tolist() if value.ndim == 2 and value.shape[1] > i else []
        numbers = [int(number) - 1 for number in have]
        if len(numbers) < count or not all(0 <= number < len(self.channels) for number in numbers):
            raise FileError(
                f"{self.name}: {name} needs {count} channels (FORCE_PLATFORM:CHANNEL) out of {len(self.channels)}; "
                f"it has {[number + 1 for number in numbers]}."
            )
        return numbers

    def _moment_unit(self, channel: int, metres: float) -> float:
        """Newton metres in the unit of a channel: as it says, or newtons times the file's unit of length."""
        units = self.texts("ANALOG", "UNITS")
        unit = units[channel].lower().replace(" ", "").replace(".", "").replace("*", "") if channel < len(units) else ""
        return {"nm": 1.0, "nmm": 1 / 1000, "ncm": 1 / 100}.get(unit, metres)
