"""`bifurcation_diagram`: what a motion settles to, over a parameter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite
from ..ask.assembly import assemble
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from ..extras import require
from ..sweeping.functions import digest_of
from ..sweeping.sweep import sweep
from .families import ModelOf, Search, model_at, return_map_for
from .match import Match
from .walks import ELSEWHERE, FAILED, Walks

Array = NDArray[np.float64]

BEFORE, MODEL = "before", "model"
_TAKEN = ("q", "v", "time", "fate", "status", "error", "return", "coordinate", "velocity")


def bifurcation_diagram(
    model_of: ModelOf,
    values: Iterable[float],
    *,
    name: str = "parameter",
    settle: int = 200,
    keep: int = 64,
    begin: str = BEFORE,
    section: str | Iterable[str] | None = None,
    match: Match = None,
    torque: Any = None,
    integrator: str = "dopri5",
    rtol: float = 1e-9,
    atol: float = 1e-10,
    step: float | None = None,
    longest: float = 30.0,
    executor: Any = None,
    client: Any = None,
    store: str | Path | None = None,
    progress: bool | None = None,
) -> Any:
    """The returns of a motion after it has settled, for each value of a parameter: the attractor over the parameter.

    Unlike `continuation` this sees stable motions alone, and of these periods of any length and chaos.

    Parameters
    ----------
    model_of : callable
        ``model_of(parameter)`` builds a model, as for `continuation`.
    values : iterable of float
        Of the parameter, in the order in which they are run.
    name : str, optional
        Of the parameter, for the axis.
    settle, keep : int, optional
        How many returns are left out, and how many are kept after these.
    begin : {"before", "model"}, optional
        Where the motion begins: where it was for the value before, or in the state of each model. From the second value on
        "before" follows one attractor, and must be run in one process; after a fall it begins in the model's state again.
    section, match, torque, integrator, rtol, atol, step, longest : optional
        As for `limit_cycle`.
    executor, client, store, progress : optional
        Who runs it, and where it is kept, as for `sweep`; an executor or a store needs ``begin="model"``.

    Returns
    -------
    xarray.Dataset
        Over the parameter and ``"return"``: ``q`` and ``v``, the states just after the section, as those of the starting
        structure, with the joints' names as labels; ``time`` since the return before; and over the parameter ``fate``:
        "goes on", "stopped", "no return" or "failed".

    Raises
    ------
    ModelError
        If there is no value, or a count is not positive.

    Examples
    --------
    >>> import regraft as rg
    >>> found = rg.gait.bifurcation_diagram(lambda slope: rg.models.compass_biped(slope=slope), [0.05, 0.06], settle=40, keep=4)
    >>> found.fate.values.tolist(), found.time.values.round(3).tolist()
    (['goes on', 'goes on'], [[0.732, 0.732, 0.732, 0.732], [0.741, 0.741, 0.741, 0.741]])
    """
    given = list(values) if isinstance(values, Iterable) else []
    if not given:
        raise ModelError("bifurcation_diagram: give values of the parameter, as a list; there is none.")
    if not callable(model_of):
        raise ModelError(f"bifurcation_diagram: model_of must be a function that builds a model, not {model_of!r}.")
    numbers = finite("bifurcation_diagram: values", given, (len(given),))
    if name in _TAKEN:
        raise ModelError(f"bifurcation_diagram: the parameter cannot be called {name!r}, as the result has something else of it.")
    if not all(isinstance(count, int) and count >= least for count, least in ((settle, 0), (keep, 1))):
        raise ModelError("bifurcation_diagram: settle and keep must be whole numbers, and keep positive.")
    if begin not in (BEFORE, MODEL):
        raise ModelError(f'bifurcation_diagram: begin must be "{BEFORE}" or "{MODEL}", not {begin!r}.')
    if begin == BEFORE and (executor is not None or client is not None or store is not None):
        raise ModelError(
            f'bifurcation_diagram: with begin="{BEFORE}" each value begins where the one before has ended, in one process; '
            f'say begin="{MODEL}" to run them on others, or to keep them in a store.'
        )
    search = Search(section, 1, match, torque, None, integrator, rtol, atol, step, longest)
    settled = _Settled(model_of, search, settle, keep, begin == BEFORE)
    swept = sweep(settled, {"value": numbers.tolist()}, executor, store, client=client, progress=progress)
    return _dataset(swept, settled, name, numbers)


class _Settled:
    """What a sweep calls: the returns of one model."""

    def __init__(self, model_of: ModelOf, search: Search, settle: int, keep: int, goes_on: bool) -> None:
        self._model_of, self._search, self._settle, self._keep, self._goes_on = model_of, search, settle, keep, goes_on
        self._last: State | None = None
        laws = [digest_of(law) if callable(law) else law for law in (model_of, search.match, search.torque)]
        said = repr((replace(search, match=None, torque=None), settle, keep, laws))
        self.fingerprint = hashlib.sha256(said.encode()).hexdigest()

    def mechanism(self, value: float) -> Mechanism:
        """The structure in which states are read."""
        return model_at(self._model_of, value).mech

    def __call__(self, value: float) -> dict[str, Any]:
        model = model_at(self._model_of, value)
        walks, mech = Walks(return_map_for(model, self._search)), model.mech
        states = [model.state]
        if self._last is not None and self._last.layout.same_structure(mech.layout):
            states.insert(0, State(mech.layout, self._last._x))
        for state in states:
            fate = walks.walk(assemble(mech, state), self._settle + self._keep + 1)
            if fate.fate == ELSEWHERE:
                break
        q, v, time = (np.full((self._keep, *more), np.nan) for more in ((mech.nq,), (mech.nv,), ()))
        self._last = None
        if fate.fate == ELSEWHERE:
            found = [walks.image(arrival) for arrival in fate.arrivals[-self._keep :]]
            q[:], v[:] = [state._q for state in found], [state._v for state in found]
            time[:] = np.diff(fate.times)[-self._keep :]
            self._last = found[-1] if self._goes_on else None
        array = require("xarray", "bifurcation_diagram").DataArray
        return {
            "q": array(q, dims=("return", "coordinate")),
            "v": array(v, dims=("return", "velocity")),
            "time": array(time, dims="return"),
            "fate": "goes on" if fate.fate == ELSEWHERE else fate.fate,
        }


def _labels(slices: Mapping[str, slice]) -> list[str]:
    """A name for each number: that of its joint, with its place where the joint has several."""
    return [
        joint if where.stop - where.start == 1 else f"{joint}[{i}]"
        for joint, where in sorted(slices.items(), key=lambda item: item[1].start)
        for i in range(where.stop - where.start)
    ]


def _dataset(swept: Any, settled: _Settled, name: str, values: Array) -> Any:
    """What the sweep has found, with names."""
    found = swept.rename_dims({"value": name}).rename_vars({"value": name})
    done = found.status.values == "done"
    found["fate"] = (name, np.where(done, found["fate"].values if "fate" in found else FAILED, FAILED))
    if not done.any():
        return found
    layout = settled.mechanism(float(values[done][0])).layout
    return found.assign_coords({name: values, "coordinate": _labels(layout.q_slices), "velocity": _labels(layout.v_slices)})
