"""OpenSim's external loads (.xml): which columns of which file are forces of the ground, and on which body they act."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline

from ..errors import FileError, ModelError, listed
from ..xml_elements import Element, read_xml
from .formats.axes import turn_of
from .formats.storage import Table, read_storage
from .recording import Plate

Array = NDArray[np.float64]

KIND = "a file of external loads"
_ENDS = (("x", "y", "z"), ("1", "2", "3"), ("_x", "_y", "_z"), ("_1", "_2", "_3"))


@dataclass(frozen=True, eq=False)
class ExternalLoad:
    """A force on a body over time, in a world with z up: where it acts, and a moment about that point.

    Attributes
    ----------
    name : str
        Its name in the file.
    body : str
        The body on which it acts.
    t : (n,) array
        The instants of the data.
    force, point, moment : (n, 3) arrays
        As the file has them; where nothing acts the point means nothing.
    """

    name: str
    body: str
    t: Array
    force: Array
    point: Array
    moment: Array

    @property
    def plate(self) -> Plate:
        """The same as a force plate, whose centre of pressure is NaN where there is no load."""
        point = np.where((self.force == 0.0).all(axis=1, keepdims=True), np.nan, self.point)
        return Plate(self.name, self.t, self.force, point, self.moment)

    def wrenches(self, t: ArrayLike, origins: ArrayLike) -> Array:
        """Moments and forces (m, 6) at given times and points, between samples by cubic splines as in OpenSim.

        Parameters
        ----------
        t : (m,) array_like
            The times.
        origins : (m, 3) array_like
            The points, such as the origins of the body, to which the moments refer.

        Returns
        -------
        (m, 6) array
            As `inverse_dynamics` takes them.

        Raises
        ------
        ModelError
            If a time lies outside of the data.
        """
        times, at = np.asarray(t, float), np.asarray(origins, float)
        step = float(np.diff(self.t).max(initial=0.0))
        if len(times) and not (self.t[0] - step <= times.min() and times.max() <= self.t[-1] + step):
            raise ModelError(
                f"the external load {self.name!r} is known from {self.t[0]:g} s to {self.t[-1]:g} s, "
                f"not from {times.min():g} s to {times.max():g} s."
            )
        found = CubicSpline(self.t, np.column_stack((self.force, self.point, self.moment)))(times)
        force, point, moment = found[:, :3], found[:, 3:6], found[:, 6:]
        return np.column_stack((moment + np.cross(point - at, force), force))


def read_external_loads(
    path: str | Path, *, data: str | Path | None = None, up: str = "y"
) -> tuple[tuple[ExternalLoad, ...], tuple[str, ...]]:
    """Read OpenSim's external loads and the data that they name.

    Parameters
    ----------
    path : str or Path
        The .xml file.
    data : str or Path, optional
        The file with the forces; otherwise the one that the .xml names, beside it.
    up : str, optional
        The axis of the data that points upwards.

    Returns
    -------
    tuple of ExternalLoad, tuple of str
        The loads in a world with z up, and notes on what was left out.

    Raises
    ------
    FileError
        If a file cannot be read, or columns are missing.
    """
    root = read_xml(path, KIND)
    loads = root if root.tag == "ExternalLoads" else root.find("ExternalLoads")
    if loads is None:
        raise root.error(f"there is no <ExternalLoads> in <{root.tag}>; this is not {KIND}.")
    given = list(loads.within("objects/ExternalForce"))
    if not given:
        raise loads.error("there is no <ExternalForce>.")
    table, notes = read_storage(_data_file(loads, Path(path), data)), []
    turn, found = turn_of(up), []
    for element in given:
        if element.truth("isDisabled") or element.value("appliesForce").lower() == "false":
            notes.append(f"the external force {element.name!r} is switched off in the file and left out.")
        else:
            found.append(_load(element, table, turn))
    return tuple(found), (*table.notes, *notes)


def _data_file(loads: Element, path: Path, data: str | Path | None) -> Path:
    if data is not None:
        return Path(data)
    name = loads.value("datafile")
    if not name:
        raise loads.error("no <datafile> says where the forces are; give it as data=.")
    for file in (path.parent / name.replace("\\", "/"), path.parent / Path(name.replace("\\", "/")).name):
        if file.exists():
            return file
    raise FileError(f"{loads.where}: the data file {name!r} is not beside {path.name!r}; give it as data=.")


def _load(element: Element, table: Table, turn: Array) -> ExternalLoad:
    for what in ("force", "point"):
        body = element.value(f"{what}_expressed_in_body").split("/")[-1]
        if body not in ("", "ground"):
            raise element.error(f"{element.name!r}: its {what} is given in axes of {body!r}; only those of ground are read.")
    body = element.value("applied_to_body").split("/")[-1]
    if not body:
        raise element.error(f"{element.name!r} has no <applied_to_body>.")
    force, point, moment = (
        _columns(element, table.columns, what, len(table.t)) @ turn.T for what in ("force", "point", "torque")
    )
    return ExternalLoad(element.name or body, body, table.t, force, point, moment)


def _columns(element: Element, columns: Mapping[str, Array], what: str, rows: int) -> Array:
    """Three columns whose names begin with an identifier."""
    stem = element.value(f"{what}_identifier")
    if stem in ("", "Unassigned"):
        if what == "point" and element.value("force_identifier") not in ("", "Unassigned"):
            raise element.error(f"{element.name!r} has a force but no <point_identifier>, so where it acts is not known.")
        return np.zeros((rows, 3))
    for ends in _ENDS:
        names = [stem + end for end in ends]
        if all(name in columns for name in names):
            return np.column_stack([columns[name] for name in names])
    names = [name for name in columns if name.startswith(stem)]
    if len(names) != 3:
        raise element.error(
            f"{element.name!r}: the data has {len(names) or 'no'} columns that begin with {stem!r}, and 3 are needed; "
            f"its columns are: {listed(columns)}."
        )
    return np.column_stack([columns[name] for name in names])
