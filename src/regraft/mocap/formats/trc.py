"""TRC files (Motion Analysis, OpenSim): markers by name, in every frame."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...atomic import writing
from ...errors import ModelError
from ..recording import Recording
from .axes import scale_of, turn_of, upward_axis
from .text import Lines, as_number, checked_times, distinct, fields, number, spans

Array = NDArray[np.float64]

_METRES = {"m": 1.0, "mm": 1 / 1000, "cm": 0.01, "dm": 0.1, "in": 0.0254, "inch": 0.0254, "ft": 0.3048, "um": 1 / 1000**2}
_METRES |= {"meters": 1.0, "metres": 1.0, "millimeters": 1 / 1000, "millimetres": 1 / 1000, "inches": 0.0254}
_LATE = 1.5  # times as long as from frame to frame: a gap


def read_trc(path: str | Path, *, up: str | None = None, scale: float | None = None) -> Recording:
    """Read a TRC file: its unit is in its header, and its axis upwards is guessed by the markers unless given."""
    lines = Lines(path)
    header, where = _header(lines)
    metres = _unit(lines, header, where, scale)
    names = _names(lines, lines.count(where, header.get("nummarkers", ""), "NumMarkers"))
    values, places = lines.table(_first_row(lines), 2 + 3 * len(names), "this frame", tabs=True)
    lines.counted(lines.count(where, header.get("numframes", ""), "NumFrames"), len(values), "frames", where)
    if not len(values):
        raise lines.error(len(lines) - 1, "there is no frame.")
    t = _times(lines, header, where, values, places)
    points = metres * values[:, 2:].reshape(len(values), -1, 3)
    points[np.isnan(points).any(axis=2)] = np.nan
    _unseen(points, names, lines.notes)
    tracks = {name: points[:, k] for k, name in enumerate(names)}
    turn = turn_of(upward_axis(up, tracks, "y", lines.notes))
    markers = {name: track @ turn.T for name, track in tracks.items()}
    return Recording(str(path), t, markers=markers, notes=tuple(lines.notes))


def _header(lines: Lines) -> tuple[dict[str, str], int]:
    """What the third line says, by the words of the second in small letters, and the index of the third."""
    if not lines[0].lower().startswith("pathfiletype"):
        raise lines.error(0, "a TRC file begins with PathFileType; this is a file of another kind.")
    if len(lines) < 4:
        raise lines.error(len(lines) - 1, "the file ends within its header: it was cut off.")
    words, values = ([word for word in re.split(r"\s+", lines[k].strip()) if word] for k in (1, 2))
    if len(values) < len(words) <= len(fields(lines[2])):  # one of them is blank
        values = fields(lines[2])[: len(words)]
    if len(words) != len(values):
        raise lines.error(2, f"there are {len(values)} values for the {len(words)} words of line 2.")
    header = {word.lower(): value for word, value in zip(words, values, strict=True)}
    for word in ("NumFrames", "NumMarkers", "Units"):
        if word.lower() not in header:
            raise lines.error(1, f"the header has no {word}.")
    return header, 2


def _unit(lines: Lines, header: dict[str, str], where: int, scale: float | None) -> float:
    unit = header["units"].lower()
    if scale is not None:
        metres = scale_of(scale)
        lines.notes.append(f"one unit of the file is {metres:g} m, as given")
        return metres
    if unit not in _METRES:
        raise lines.error(where, f"the unit {header['units']!r} is not known; scale= says how many metres it is.")
    if unit != "m":
        lines.notes.append(f"lengths are in {unit} and become metres")
    return _METRES[unit]


def _names(lines: Lines, count: int) -> list[str]:
    """The names of the markers: three columns each, or, where that does not fit, all words one after another."""
    if count == 0:
        raise lines.error(2, "the file says that it has no markers.")
    line = lines[3]
    parts = fields(line) if "\t" in line else line.split()
    if len(parts) < 2 or not parts[0].lower().startswith("frame") or parts[1].lower() != "time":
        raise lines.error(3, "this line must begin with Frame# and Time, and go on with the names of the markers.")
    given = [part for part in parts[2:] if part]
    if len(given) != count:
        apart = parts[2 : 2 + 3 * count : 3]
        between = [part for k, part in enumerate(parts[2:]) if part and (k % 3 or k >= 3 * count)]
        if between or len(given) > count or "\t" not in line:
            raise lines.error(3, f"there are {len(given)} names of markers, but line 3 says {count}: correct one of them.")
        given = apart + [""] * (count - len(apart))
    return distinct(given, "marker", lines.notes)


def _first_row(lines: Lines) -> int:
    """The first line of numbers: after the line with X1, Y1, ... where there is one."""
    index = lines.first(4)
    if index < len(lines) and as_number(lines[index].split()[0]) is None:
        if not re.match(r"X\s*1\b", lines[index].strip(), re.IGNORECASE):
            raise lines.error(index, "this line must be X1, Y1, Z1 and so on, or the first frame.")
        index += 1
    return index


def _times(lines: Lines, header: dict[str, str], where: int, values: Array, places: list[int]) -> Array:
    """The column of times; where it has but few digits and agrees with the rate of the header, times with all digits."""
    t, frames = checked_times(lines, values[:, 1], places), values[:, 0]
    for k in np.flatnonzero(~(np.isfinite(frames) & (frames == np.round(frames)))):
        raise lines.error(places[k], "the number of the frame must be a whole number.")
    for k in np.flatnonzero(np.diff(frames) <= 0):
        raise lines.error(places[k + 1], f"frame {frames[k + 1]:g} comes after frame {frames[k]:g}.")
    lacking = [spans(range(int(a) + 1, int(b))) for a, b in pairwise(frames) if b - a > 1]
    if lacking:
        lines.notes.append(f"frames are missing in the file: {', '.join(lacking[:8])}{', ...' if len(lacking) > 8 else ''}")
    if len(t) < 2:
        return t
    step = float(np.median(np.diff(t)))
    late = np.flatnonzero(np.diff(t) > _LATE * step)
    if len(late) and not lacking:
        lines.notes.append(
            f"the time jumps by more than a frame after {len(late)} frames: {spans([int(frames[k]) for k in late])}"
        )
    rate = lines.number(where, header["datarate"], "DataRate") if "datarate" in header else 0.0
    if rate <= 0.0:
        return t
    even: Array = t[0] + (frames - frames[0]) / rate
    if np.abs(t - even).max() <= 0.6 * 0.1 ** _digits(lines, places):
        return even
    if abs(step * rate - 1.0) > 0.01:
        lines.notes.append(f"the header says {rate:g} frames a second, but the times are of {1.0 / step:g}; the times are taken")
    return t


def _digits(lines: Lines, places: list[int]) -> int:
    """How many digits the times have after the point, zeros at the end not counted."""
    words = (lines[k].split()[1].lower() for k in places)
    return max(17 if "e" in word else len(word.partition(".")[2].rstrip("0")) for word in words)


def _unseen(points: Array, names: list[str], notes: list[str]) -> None:
    """What is exactly at zero was not seen, as some programs write it; that and other gaps are told."""
    nowhere = np.asarray((points == 0.0).all(axis=2))
    if nowhere.any():
        points[nowhere] = np.nan
        told = [name for name, gone in zip(names, np.atleast_1d(nowhere.any(axis=0)), strict=True) if gone]
        notes.append(
            f"markers exactly at 0, 0, 0 count as not seen there: {', '.join(told[:12])}{', ...' if len(told) > 12 else ''}"
        )
    gaps = np.isnan(points[..., 0])
    never = [name for name, gone in zip(names, np.atleast_1d(gaps.all(axis=0)), strict=True) if gone]
    if never:
        notes.append(f"never seen: {', '.join(never[:12])}{', ...' if len(never) > 12 else ''}")
    if gaps.any():
        notes.append(f"{gaps.any(axis=0).sum()} of {len(names)} markers are missing (NaN) in some of the frames")


def write_trc(rec: Recording, path: str | Path, *, up: str = "y", scale: float | None = None) -> None:
    """Write the markers of a recording, in millimetres unless scaled to metres or another unit that the header can name."""
    if not rec.markers:
        raise ModelError(f"{rec!r} has no markers, which is what a TRC file holds.")
    for name in rec.markers:
        if not name.strip() or re.search(r"[\t\r\n]", name):
            raise ModelError(f"{name!r} cannot be the name of a marker in a TRC file.")
        if np.shape(rec.markers[name]) != (len(rec.t), 3):
            raise ModelError(f"marker {name!r} has shape {np.shape(rec.markers[name])}, not {(len(rec.t), 3)}.")
    metres = 1 / 1000 if scale is None else scale_of(scale)
    unit = next((word for word, length in _METRES.items() if length == metres), None)
    if unit is None:
        raise ModelError(f"a TRC file cannot name a unit of {metres:g} m; take one of m, dm, cm, mm, in, ft.")
    rate = number(rec.rate if len(rec.t) > 1 else 1.0)
    points = np.stack([track @ turn_of(up) / metres for track in rec.markers.values()], axis=1).reshape(len(rec.t), -1)
    count, n = len(rec.markers), len(rec.t)
    head = [
        f"PathFileType\t4\t(X/Y/Z)\t{Path(path).name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{n}\t{count}\t{unit}\t{rate}\t1\t{n}",
        "Frame#\tTime\t" + "\t\t\t".join(rec.markers) + "\t\t",
        "\t\t" + "\t".join(f"{axis}{k}" for k in range(1, count + 1) for axis in "XYZ"),
        "",
    ]
    rows = (
        "\t".join([str(k), number(at), *map(number, row)])
        for k, (at, row) in enumerate(zip(rec.t.tolist(), points.tolist(), strict=True), 1)
    )
    with writing(path) as beside:
        beside.write_text("\n".join([*head, *rows, ""]), encoding="utf-8", newline="\n")
