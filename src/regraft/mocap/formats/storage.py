"""MOT and STO files (OpenSim): a table over time, in which coordinates and forces are told apart by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...atomic import writing
from ...errors import ModelError
from ..recording import Recording
from .axes import scale_of, turn_of
from .plates import columns_of_plates, named_columns
from .text import Lines, checked_times, distinct, fields, number

Array = NDArray[np.float64]

_ROWS, _COLUMNS = ("nrows", "datarows"), ("ncolumns", "datacolumns")


class Table(NamedTuple):
    """A table as its file has it: no unit is changed."""

    name: str
    header: Mapping[str, str]
    """What the header says, by its words in small letters."""
    t: Array
    columns: Mapping[str, Array]
    """All columns but the time, by their names."""
    in_degrees: bool | None
    """Whether angles are in degrees; None where the header does not say."""
    notes: tuple[str, ...] = ()


def read_storage(path: str | Path) -> Table:
    """Read a MOT or STO file as it is.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Table
        Its numbers, unchanged; whether those that are angles are in degrees is in ``in_degrees``.

    Raises
    ------
    FileError
        If it cannot be read, with the line.
    """
    lines = Lines(path)
    header, where, index = _header(lines)
    labels = _labels(lines, index)
    for key in _COLUMNS:
        if key in header and lines.count(where[key], header[key], key) != len(labels):
            raise lines.error(
                index,
                f"there are {len(labels)} names of columns, but line {where[key] + 1} says {header[key]}: correct one of them.",
            )
    values, places = lines.table(index + 1, len(labels), "this row", tabs=True)
    for key in _ROWS:
        if key in header:
            lines.counted(lines.count(where[key], header[key], key), len(values), "rows", where[key])
    if not len(values):
        raise lines.error(index, "there is no row.")
    t = checked_times(lines, values[:, 0], places)
    names = distinct(labels[1:], "column", lines.notes)
    columns = dict(zip(names, np.ascontiguousarray(values[:, 1:].T), strict=True))
    gaps = [name for name, column in columns.items() if np.isnan(column).any()]
    if gaps:
        lines.notes.append(f"numbers are missing (NaN) in {', '.join(map(repr, gaps[:12]))}{', ...' if len(gaps) > 12 else ''}")
    return Table(_name(lines, header), header, t, columns, _in_degrees(lines, header, where), tuple(lines.notes))


def _header(lines: Lines) -> tuple[dict[str, str], dict[str, int], int]:
    """What the header says, on which lines, and the index of the line with the names of the columns."""
    header: dict[str, str] = {}
    where: dict[str, int] = {}
    for index in range(len(lines)):
        text = lines[index].strip()
        if text.lower() == "endheader":
            begin = lines.first(index + 1)
            if begin == len(lines):
                raise lines.error(index, "there is nothing after the header: the file was cut off.")
            if header.get("datatype", "double").lower() != "double":
                raise lines.error(
                    where["datatype"], f"tables of {header['datatype']!r} are not read, only those of plain numbers."
                )
            return header, where, begin
        key, sign, value = text.partition("=")
        if not sign:
            key, _, value = text.partition(" ")
        if re.fullmatch(r"\w+", key.strip()) and (sign or key in ("name", "datacolumns", "datarows")):
            header[key.strip().lower()], where[key.strip().lower()] = value.strip(), index
        elif "angles are in degrees" in text.lower():
            header.setdefault("angles", "degrees")
    raise lines.error(
        0, "there is no line 'endheader', with which the header of a MOT or STO file ends; this is a file of another kind."
    )


def _labels(lines: Lines, index: int) -> list[str]:
    line = lines[index].rstrip()
    labels = fields(line) if "\t" in line else line.split()
    if labels[0].lower() != "time":
        raise lines.error(index, f"the first column must be the time, not {labels[0][:40]!r}.")
    if len(labels) < 2:
        raise lines.error(index, "there is no column but the time.")
    return labels


def _name(lines: Lines, header: Mapping[str, str]) -> str:
    first = lines[lines.first()].strip()
    return header.get("name") or (first if "=" not in first else lines.path.stem)


def _in_degrees(lines: Lines, header: Mapping[str, str], where: Mapping[str, int]) -> bool | None:
    word = header.get("indegrees", "").lower()
    if word in ("yes", "y", "true", "1"):
        return True
    if word in ("no", "n", "false", "0"):
        return False
    if word:
        raise lines.error(where["indegrees"], f"inDegrees is yes or no, not {word!r}.")
    return True if header.get("angles") == "degrees" else None


def read_motion(path: str | Path, *, up: str | None = None, scale: float | None = None) -> Recording:
    """Read a MOT or STO file: columns of forces become force plates in metres with z up, all others stay as they are."""
    table = read_storage(path)
    notes = list(table.notes)
    plates, rest = columns_of_plates(table.t, table.columns, up=up, scale=scale, notes=notes)
    if not plates and (up is not None or scale is not None):
        raise ModelError(f"up and scale are for force plates, and {str(path)!r} has none.")
    if rest:
        told = {True: "are in degrees", False: "are in radians", None: "are in a unit that the file does not tell"}
        notes.append(f"columns keep the file's numbers; angles among them {told[table.in_degrees]}")
    return Recording(str(path), table.t, columns=rest, plates=plates, notes=tuple(notes), in_degrees=table.in_degrees)


def write_storage(path: str | Path, name: str, t: Array, columns: Mapping[str, Array], in_degrees: bool | None = None) -> None:
    """Write a table over time with all digits, as OpenSim reads it.

    Parameters
    ----------
    path : str or Path
        The file.
    name : str
        What its first line says.
    t : (n,) array
        The times.
    columns : mapping of str to (n,) array
        The columns by name.
    in_degrees : bool, optional
        Whether angles among them are in degrees; the file does not say it unless given.
    """
    for label, column in columns.items():
        if np.shape(column) != np.shape(t):
            raise ModelError(f"column {label!r} has shape {np.shape(column)}, but there are {len(t)} times.")
        if not label.strip() or re.search(r"[\t\r\n]", label):
            raise ModelError(f"{label!r} cannot be the name of a column.")
    head = [" ".join(name.split()) or "table", "version=1", f"nRows={len(t)}", f"nColumns={len(columns) + 1}"]
    if in_degrees is not None:
        head.append(f"inDegrees={'yes' if in_degrees else 'no'}")
    rows = np.column_stack([t, *columns.values()]).tolist()
    text = ["\t".join(["time", *columns]), *("\t".join(map(number, row)) for row in rows)]
    with writing(path) as beside:
        beside.write_text("\n".join([*head, "endheader", *text, ""]), encoding="utf-8", newline="\n")


def write_motion(rec: Recording, path: str | Path, *, up: str = "y", scale: float | None = None) -> None:
    """Write the columns and the force plates of a recording; lengths of the plates are in metres unless scaled."""
    columns, t = dict(rec.columns), rec.t
    if rec.plates:
        times = [plate.t for plate in rec.plates] + ([rec.t] if columns else [])
        t = times[0]
        if not all(np.array_equal(t, other) for other in times):
            raise ModelError("a table has one column of times, but plates and columns have others; save them one by one.")
        for label, column in named_columns(rec.plates, turn_of(up), 1.0 if scale is None else scale_of(scale)).items():
            if label in columns:
                raise ModelError(f"there is a column {label!r} and a force plate that needs this name.")
            columns[label] = column
    if not columns:
        raise ModelError(f"{rec!r} has no columns and no force plates, which is what a MOT or STO file holds.")
    write_storage(path, Path(path).stem, t, columns, rec.in_degrees)
