"""What came out of a batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...errors import ModelError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Batch:
    """Many motions of one mechanism, as `simulate_batch` returns them.

    Attributes
    ----------
    mech : Mechanism
        The mechanism.
    t : (samples,) array
        The times of the samples.
    q : (states, samples, nq) array
        Positions; NaN from where a motion was stopped, failed or was interrupted.
    v : (states, samples, nv) array
        Velocities, likewise.
    failed : dict of int to str
        The states that could not go on, by their numbers, and why; empty where all went well.
    stopped : (states,) array
        When an event stopped each motion; NaN for those that none did.
    events : tuple of str or None
        The name of that event, for each state.
    until : (states,) array
        Up to which time each motion was computed.
    final_q : (states, nq) array
        The position at that time: at the end, at the event, or the last before a failure.
    final_v : (states, nv) array
        The velocity, likewise.
    measured : dict of str to (states,) array
        What was measured, by name; up to where each motion was computed.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    mech: Mechanism
    t: Array
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    failed: dict[int, str]
    stopped: Array = field(repr=False)
    events: tuple[str | None, ...] = field(repr=False)
    until: Array = field(repr=False)
    final_q: Array = field(repr=False)
    final_v: Array = field(repr=False)
    measured: dict[str, Array] = field(repr=False)
    interrupted: bool = False

    def __len__(self) -> int:
        """How many motions there are."""
        return len(self.q)

    def __repr__(self) -> str:
        ends = int(np.isfinite(self.stopped).sum())
        said = [f"{len(self)} motions", f"{len(self.t)} samples to t = {self.t[-1]:g}"]
        said += [f"{ends} stopped"] * bool(ends) + [f"{len(self.failed)} failed"] * bool(self.failed)
        return f"Batch({', '.join(said + ['interrupted'] * self.interrupted)})"

    def state(self, number: int, sample: int | None = None) -> State:
        """The state of one motion at a sample.

        Parameters
        ----------
        number : int
            Which motion.
        sample : int, optional
            Which sample; by default where the motion ended.

        Returns
        -------
        State

        Raises
        ------
        ModelError
            If there is no such motion, or it did not come so far.
        """
        if not _is_index(number, len(self)):
            raise ModelError(f"there is no motion {number!r}; there are {len(self)}.")
        if not (sample is None or _is_index(sample, len(self.t))):
            raise ModelError(f"there is no sample {sample!r}; there are {len(self.t)}.")
        if sample is None:
            x = np.concatenate((self.final_q[number], self.final_v[number]))
        else:
            x = np.concatenate((self.q[number, sample], self.v[number, sample]))
        if not np.isfinite(x).all():
            raise ModelError(f"motion {number} has no state there: it came to t = {self.until[number]:g}.")
        return State(self.mech.layout, x)


def _is_index(given: Any, count: int) -> bool:
    is_whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    return is_whole and -count <= int(given) < count
