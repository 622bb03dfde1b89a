"""`basin`: from which starts a gait is reached."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, RegraftError
from ..extras import require
from ..sweeping.sweep import sweep
from .cycle import LimitCycle
from .walks import FAILED, Walks

Array = NDArray[np.float64]
PATIENCE = 10.0
"""How many periods a return may take."""
NOT_A_START = "not a start"
"""The fate of a point of the grid for which there is no start."""


def basin(
    cycles: LimitCycle | Sequence[LimitCycle],
    q: Mapping[str, Iterable[float]] | None = None,
    v: Mapping[str, Iterable[float]] | None = None,
    *,
    grid: Mapping[str, Iterable[float]] | None = None,
    start: Callable[..., State | None] | None = None,
    returns: int = 50,
    near: float = 1e-3,
    rtol: float = 1e-7,
    atol: float = 1e-8,
    longest: float | None = None,
    executor: Any = None,
    client: Any = None,
    store: str | Path | None = None,
    progress: bool | None = None,
) -> Any:
    """From which starts a periodic motion is reached, and what becomes of the others.

    Each start is followed from return to return until it comes near one of the cycles, an event stops it, or there have been
    enough returns. Where events only change the structure as `strike`, `grip` (with `at`), `release`, `in_turn` and
    `by_structure` say, and torques are compiled laws, there is no Python in between.

    Parameters
    ----------
    cycles : LimitCycle or sequence of LimitCycle
        The motions that may be reached, of one mechanism with the same events.
    q, v : mapping of str to iterable of float, optional
        Positions and velocities of joints with one coordinate: the axes, called ``"<joint> q"`` and ``"<joint> v"``. All other
        numbers are those of the first cycle's state.
    grid : mapping of str to iterable of float, optional
        Axes of one's own, in place of `q` and `v`,
    start : callable, optional
        and ``start(**point)``, which makes a state of the cycle's mechanism of them; None where there is no start.
    returns : int, optional
        How many returns a start has to reach a cycle.
    near : float, optional
        How near a return must come to one of a cycle: the largest difference of any number.
    rtol, atol : float, optional
        Errors of the integrator, as for `simulate`.
    longest : float, optional
        How many seconds a return may take; by default ten periods of the slowest cycle.
    executor, client, store, progress : optional
        Who runs it, and where it is kept, as for `sweep`. Its cells are the values of the first axis.

    Returns
    -------
    xarray.Dataset
        Over the axes: ``fate`` ("reached", "stopped", "elsewhere", "no return", "failed", "not a start"), ``cycle``, the
        number of the cycle that was reached or −1, ``event``, which stopped it, and ``returns`` and ``time`` until then.

    Raises
    ------
    ModelError
        If there is no axis, a joint does not have one coordinate, or the cycles do not belong together.

    Examples
    --------
    >>> import regraft as rg
    >>> biped = rg.models.compass_biped()
    >>> cycle = rg.gait.limit_cycle(*biped.start, biped.events, section=("left strike", "right strike"))
    >>> rates = rg.gait.basin(cycle, v={"stance": [-1.5, -1.1, -0.5]})
    >>> rates.fate.values.tolist()
    ['stopped', 'reached', 'stopped']
    """
    found = (cycles,) if isinstance(cycles, LimitCycle) else tuple(cycles)
    axes, make = _axes(found, q, v, grid, start)
    if not (isinstance(returns, int) and returns >= 1 and near > 0.0):
        raise ModelError("basin: returns must be a positive whole number, and near positive.")
    limit = PATIENCE * max(cycle.period for cycle in found) if longest is None else float(finite("basin: longest", longest, ()))
    rows = _Rows(found, axes, make, returns, float(near), (rtol, atol), limit)
    swept = sweep(rows, {"row": range(len(next(iter(axes.values()))))}, executor, store, client=client, progress=progress)
    return _dataset(swept, axes, found)


def _axes(
    cycles: Sequence[LimitCycle],
    q: Mapping[str, Iterable[float]] | None,
    v: Mapping[str, Iterable[float]] | None,
    grid: Mapping[str, Iterable[float]] | None,
    start: Callable[..., State | None] | None,
) -> tuple[dict[str, Array], Callable[..., State | None]]:
    """The values along each axis, and what makes a state of a point."""
    if not cycles or not all(isinstance(cycle, LimitCycle) for cycle in cycles):
        raise ModelError("basin: give the cycle that is to be reached, as limit_cycle finds it, or several.")
    mech = cycles[0].mech
    for cycle in cycles[1:]:
        if not cycle.mech.layout.same_structure(mech.layout):
            raise ModelError("basin: the cycles must be those of one mechanism, found from one structure.")
    if (grid is None) != (start is None) or (grid is not None and (q or v)):
        raise ModelError("basin: give q and v by joints; or grid, and a function start that makes a state of its points.")
    if grid is not None and start is not None:
        axes = {name: _values(name, values) for name, values in grid.items()}
        make: Callable[..., State | None] = start
    else:
        axes = {f"{joint} q": _values(joint, values) for joint, values in (q or {}).items()}
        axes |= {f"{joint} v": _values(joint, values) for joint, values in (v or {}).items()}
        make = _Joints(cycles[0].state, [_place(mech, axis) for axis in axes], list(axes))
    if not axes:
        raise ModelError("basin: there is no axis; give values of positions or velocities, as v={'hip': [0.1, 0.2]}.")
    return axes, make


def _values(name: str, values: Iterable[float]) -> Array:
    found = np.asarray(list(values), float)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise ModelError(f"basin: the values of {name!r} must be a list of finite numbers.")
    return found


def _place(mech: Mechanism, axis: str) -> int:
    """Where in (q, v) the number of an axis is."""
    joint, kind = axis[:-2], axis[-1]
    slices = mech.layout.q_slices if kind == "q" else mech.layout.v_slices
    if joint not in slices or slices[joint].stop - slices[joint].start != 1:
        raise ModelError(f"basin: {joint!r} is no joint with one coordinate; give grid and start instead.")
    return int(slices[joint].start) + (0 if kind == "q" else mech.nq)


class _Joints:
    """States that differ in some numbers from one."""

    def __init__(self, state: State, places: list[int], names: list[str]) -> None:
        self._state, self._places, self._names = state, places, names

    def __call__(self, **point: float) -> State:
        x = self._state._x.copy()
        for place, name in zip(self._places, self._names, strict=True):
            x[place] = point[name]
        return State(self._state.layout, x)


class _Rows:
    """What a sweep calls: all starts with one value of the first axis."""

    def __init__(
        self,
        cycles: Sequence[LimitCycle],
        axes: dict[str, Array],
        start: Callable[..., State | None],
        returns: int,
        near: float,
        tolerances: tuple[float, float],
        longest: float,
    ) -> None:
        m = cycles[0].return_map
        settings = replace(m.settings, rtol=tolerances[0], atol=tolerances[1])
        self._map = replace(m, settings=settings, longest=longest, returns=1)
        self._known = [returns_of(cycle) for cycle in cycles]
        self._axes, self._start, self._returns, self._near = axes, start, returns, near
        numbers = [state._x.tolist() for states in self._known for state in states]
        said = repr(({name: values.tolist() for name, values in axes.items()}, numbers, returns, near, tolerances, longest))
        self.fingerprint = hashlib.sha256(said.encode()).hexdigest()
        self._walks: Walks | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_walks": None}  # addresses mean nothing in another process

    def __call__(self, row: int) -> dict[str, Any]:
        if self._walks is None:
            self._walks = Walks(self._map, self._known, self._near)
        (first, values), *others = self._axes.items()
        shape = [len(along) for _, along in others]
        fates = [self._fate({first: values[row], **_point(others, at)}) for at in np.ndindex(*shape)]
        columns: Any = zip(*fates, strict=True)
        names = ("fate", "cycle", "event", "returns", "time")
        return {name: np.array(column).reshape(shape) for name, column in zip(names, columns, strict=True)}

    def _fate(self, point: dict[str, float]) -> tuple[str, int, str, int, float]:
        assert self._walks is not None
        try:
            state = self._start(**point)
            if state is None:
                return NOT_A_START, -1, "", 0, 0.0
            self._map.start.check_state(state)
            fate = self._walks.walk(state, self._returns)
        except RegraftError as problem:
            return FAILED, -1, str(problem), 0, 0.0
        return fate.fate, fate.which, fate.event, len(fate.times), float(fate.times[-1]) if len(fate.times) else 0.0


def returns_of(cycle: LimitCycle) -> list[State]:
    """The states in which a cycle comes to its section, one a return."""
    m = replace(cycle.return_map, returns=1)
    mech, state, found = cycle.mech, cycle.state, [cycle.state]
    for _ in range(cycle.return_map.returns - 1):
        passage = m.passage(mech, state)
        mech, state = passage.mech, passage.state
        found.append(m.image(passage))
    return found


def _point(axes: Sequence[tuple[str, Array]], at: tuple[int, ...]) -> dict[str, float]:
    return {name: float(values[i]) for (name, values), i in zip(axes, at, strict=True)}


def _dataset(swept: Any, axes: dict[str, Array], cycles: Sequence[LimitCycle]) -> Any:
    """What the sweep has found, over the axes of the grid."""
    xarray = require("xarray", "basin")
    dims, shape = list(axes), [len(values) for values in axes.values()]
    there = swept.status.values == "done"
    variables = {}
    for name in ("fate", "cycle", "event", "returns", "time"):
        if name in swept:
            variables[name] = (dims, np.asarray(swept[name].values).reshape(shape))
    if not there.all():
        variables["fate"][1][~there] = FAILED
    found = xarray.Dataset(variables, coords=axes, attrs=dict(swept.attrs))
    found.attrs["cycles"] = [f"period {cycle.period:.12g} s, spectral radius {cycle.spectral_radius:.6g}" for cycle in cycles]
    return found
