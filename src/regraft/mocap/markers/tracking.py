"""A mechanism follows its markers: inverse kinematics of all frames, and what is told about them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...ask.inverse_kinematics import InverseKinematics, inverse_kinematics
from ...ask.targets import JointTarget, Marker
from ...describe.mechanism import Mechanism
from ...errors import ModelError, RegraftWarning, listed
from ...tolerances import LEFT_OPEN

Array = NDArray[np.float64]


class Tracked(NamedTuple):
    """What was found from markers."""

    q: Array
    """(n, nq); NaN in frames in which too few markers were seen."""
    residuals: dict[str, Array]
    """(n,) for each marker, in metres; NaN where it was not seen, or the frame was left out."""
    rms: float
    """Of all that was seen."""
    notes: list[str]
    found: Array
    """(n, nq): the same, but in those frames what stayed from others."""


def follow(
    mech: Mechanism, markers: Mapping[str, Marker], rest: Array, kept: Iterable[str] = (), start: Array | None = None
) -> Tracked:
    """Find the positions of all frames from markers on bodies.

    A joint that markers determine in no frame stays near its `rest`, and so do those that are `kept` there. A frame that leaves
    open what others determine has too few markers: its row is NaN.
    """
    if not markers:
        raise ModelError("there is no marker to follow.")
    slices, speeds = mech.structure.layout.q_slices, mech.structure.layout.v_slices
    frames = len(np.asarray(next(iter(markers.values())).positions))

    def at_rest(names: Iterable[str]) -> dict[str, JointTarget]:
        over = {name: np.tile(rest[slices[name]], (frames, 1)) for name in names}
        return {f"rest of {name}": JointTarget(values, LEFT_OPEN, name) for name, values in over.items()}

    targets: dict[str, Marker | JointTarget] = {**markers, **at_rest(kept)}
    found = _quietly(mech, targets, start)
    never = [name for name, part in speeds.items() if found.undetermined[:, part].any(axis=1).all() and part.stop > part.start]
    notes = []
    if never:
        found = _quietly(mech, targets | at_rest(never), start)
        notes.append(f"no markers determine {listed(never)}: these joints stay as near to rest as the others let them")
    few = np.asarray(found.undetermined.any(axis=1))
    if few.all():
        raise ModelError("in no frame there are enough markers to tell where the body is.")
    q = found.q.copy()
    q[few] = np.nan
    if few.any():
        notes.append(f"too few markers in {few.sum()} of {len(few)} frames, which were left out")
    lost = ~found.converged & ~few
    if lost.any():
        notes.append(f"inverse kinematics did not converge in {lost.sum()} of {len(few)} frames")
    residuals = {name: np.where(few, np.nan, found.residuals[name]) for name in markers}
    rms, said = told_misses(residuals)
    return Tracked(q, residuals, rms, [*notes, said], found.q)


def _quietly(mech: Mechanism, targets: Mapping[str, Marker | JointTarget], start: Array | None) -> InverseKinematics:
    """Without warnings: notes say the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RegraftWarning)
        return inverse_kinematics(mech, targets, start, limits=False)


def told_misses(residuals: Mapping[str, Array]) -> tuple[float, str]:
    """The root of the mean square of all misses, and a sentence that also has the worst marker."""
    each = {name: np.sqrt(np.nanmean(miss**2)) for name, miss in residuals.items() if not np.isnan(miss).all()}
    every = np.concatenate(list(residuals.values()))
    rms, worst = float(np.sqrt(np.nanmean(every**2))), max(each, key=lambda name: float(each[name]))
    return rms, (
        f"{len(each)} markers are missed by {1000 * rms:.2f} mm (RMS); the worst, {worst!r}, by {1000 * each[worst]:.2f} mm "
        f"(RMS) and {1000 * np.nanmax(residuals[worst]):.2f} mm at most"
    )
