"""`motion`: an OpenSim model and what its coordinates or its markers did, as a body in motion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError, listed
from .body_motion import Motion
from .filtering import CUTOFF, smooth
from .formats.osim import OsimModel, read_osim
from .formats.storage import Table, read_storage
from .loading import load
from .opensim_markers import followed
from .opensim_soles import soles_on_the_ground
from .plausible import check_rate
from .recording import Recording

Array = NDArray[np.float64]

_MOST_RADIANS = 2.0 * np.pi  # angles that are larger are in degrees, where a file does not say it


def motion(
    model: str | Path | OsimModel,
    coordinates: str | Path | Recording,
    *,
    cutoff: float | None = CUTOFF,
    degrees: bool | None = None,
    ground: float | None = 0.0,
    weights: Mapping[str, float] | None = None,
) -> Motion:
    """The motion of an OpenSim model from its coordinates, or its markers, over time.

    Parameters
    ----------
    model : str, Path or OsimModel
        The .osim file, or what `read_osim` has read from it.
    coordinates : str, Path or Recording
        A .mot or .sto file with a column for each coordinate, such as OpenSim's inverse kinematics writes; or a .trc or .c3d
        file, or a recording, with markers that the model has, too. Inverse kinematics follows these; locked coordinates stay.
    cutoff : float or None, optional
        Of a zero-lag low-pass filter, in Hz; None for no filter.
    degrees : bool, optional
        Whether angles are in degrees, where the file does not say it; otherwise their size tells.
    ground : float or None, optional
        How high the ground is, on which the feet stand now and then: the soles are lowered to it. None leaves them as the model
        has them.
    weights : mapping of str to float, optional
        How much the square of a marker's miss counts, by the names of the model; 1 unless given, and with 0 it is only told.

    Returns
    -------
    Motion
        Position, velocity and acceleration by OpenSim's own coordinates: each is a joint of the mechanism.

    Raises
    ------
    FileError
        If a file cannot be read, or no column is a coordinate of the model.
    ModelError
        If the cut-off does not fit the rate of the recording, or markers do not fit the model.

    Examples
    --------
    >>> import regraft as rg
    >>> walk = rg.mocap.motion("subject01.osim", "subject01_walk_IK.mot", cutoff=6.0)  # doctest: +SKIP
    >>> walk.mech.q_slice("knee_angle_r")  # doctest: +SKIP
    slice(4, 5, None)
    """
    read = model if isinstance(model, OsimModel) else read_osim(model)
    residuals: Mapping[str, Array] = {}
    if isinstance(coordinates, Recording) or Path(coordinates).suffix.lower() in (".trc", ".c3d"):
        rec = coordinates if isinstance(coordinates, Recording) else load(coordinates)
        found = followed(read, rec, weights or {})
        t, q, residuals, notes = rec.t, found.q, found.residuals, [*read.notes, *rec.notes, *found.notes]
    else:
        t, q, notes = _from_table(read, coordinates, degrees)
    notes += check_rate(t, "the motion")
    smoothed = smooth(read.mech, t, q, cutoff=cutoff, ends="reflect")
    mech = read.mech if ground is None else soles_on_the_ground(read.mech, smoothed.q, read.feet, ground, notes)
    return Motion(
        mech=mech,
        t=t,
        q=smoothed.q,
        v=smoothed.v,
        a=smoothed.a,
        feet=read.feet,
        joints=read.joints,
        residuals=dict(residuals),
        notes=(*notes, *smoothed.notes),
        raw=None if cutoff is None else q,
        cutoff=cutoff,
        ends="reflect",
    )


def _from_table(read: OsimModel, file: str | Path, degrees: bool | None) -> tuple[Array, Array, list[str]]:
    """Times and positions that a table has, and what there is to say."""
    table = read_storage(file)
    notes = [*read.notes, *table.notes]
    columns = _columns(read, table, str(file), notes)
    q = np.tile(read.default.q, (len(table.t), 1))
    factor = np.pi / 180.0 if _in_degrees(read, table, columns, degrees, notes) else 1.0
    for name, column in columns.items():
        q[:, read.place(name)[1]] = column * (factor if read.coordinates[name].motion == "rotation" else 1.0)
    return table.t, q, notes


def _columns(model: OsimModel, table: Table, file: str, notes: list[str]) -> dict[str, Array]:
    """The columns that are coordinates of the model, by the coordinates' names; all others, and what is missing, is told."""
    found: dict[str, Array] = {}
    others = []
    for label, column in table.columns.items():
        words = label.strip("/").split("/")
        name = words[-2] if len(words) > 1 and words[-1] == "value" else label
        if name in model.coordinates and name not in found:
            found[name] = column
        else:
            others.append(label)
    if not found:
        raise FileError(
            f"{file!r} has no coordinate of the model {model.name!r}: its columns are {listed(table.columns)}, "
            f"and the coordinates {listed(model.coordinates)}."
        )
    missing = [name for name in model.coordinates if name not in found]
    if missing:
        values = ", ".join(f"{name!r} ({model.coordinates[name].default:g})" for name in missing)
        notes.append(f"coordinates that {Path(file).name!r} does not have stay at their defaults: {values}.")
    if others:
        notes.append(f"columns of {Path(file).name!r} that are no coordinates are left out: {listed(others)}.")
    return found


def _in_degrees(model: OsimModel, table: Table, columns: Mapping[str, Array], degrees: bool | None, notes: list[str]) -> bool:
    if table.in_degrees is not None:
        return table.in_degrees
    if degrees is not None:
        return degrees
    angles = [np.nanmax(np.abs(column)) for name, column in columns.items() if model.coordinates[name].motion == "rotation"]
    largest = float(max(angles, default=0.0))
    notes.append(
        f"the file does not say whether angles are in degrees; the largest is {largest:.4g}, so "
        f"{'degrees' if largest > _MOST_RADIANS else 'radians'} are taken. degrees= says otherwise."
    )
    return largest > _MOST_RADIANS
