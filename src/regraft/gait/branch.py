"""`Branch`: periodic motions along a parameter, with their multipliers and bifurcations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite_number
from ..describe.state import State
from ..errors import ModelError, warn
from ..extras import require
from ..progress_bar import LateBar
from . import branch_files
from .bifurcations import angle
from .branch_points import BranchPoint
from .curves import Control, Ended, Solved, between, solved_at
from .cycle import LimitCycle, cycle_at
from .families import GaitFamily
from .following import Track, follow
from .switching import doubled, first_step

Array = NDArray[np.float64]


TAKEN = ("kind", "period", "stable", "residual", "point", "q", "v", "multipliers")
"""What tables have beside the parameter."""


class Plan(NamedTuple):
    """What is asked of a branch."""

    name: str
    range: tuple[float, float]
    control: Control
    most: int
    store: str | Path | None
    progress: bool | None


@dataclass(frozen=True, eq=False, repr=False)
class Branch:
    """Periodic motions along a parameter, in their order along the branch; made by `continuation`.

    Attributes
    ----------
    name : str
        What the parameter is called in tables.
    parameter : (n,) array
        Its value at each point; the points of bifurcations are among them.
    states : tuple of State
        The state just after the section event at each point.
    q : (n, nq) array
        Their positions.
    v : (n, nv) array
        Their velocities.
    period : (n,) array
        In seconds.
    multipliers : (n, 2 nv) complex array
        The Floquet multipliers at each point, the largest first.
    stable : (n,) array of bool
        Whether all of them are inside the unit circle.
    residual : (n,) array
        The largest difference between a state and its return.
    kinds : tuple of str
        What each point is: empty, or the kind of its bifurcation.
    points : list of BranchPoint
        The bifurcations: pairs (kind, parameter), with their states, periods and multipliers by name.
    returns : int
        How many occurrences of the section make one period.
    ends : (str, str)
        Why the branch begins and ends where it does.
    complete : bool
        Whether it does so at the ends of the range, at the bifurcation where it was begun, or because it is closed.
    """

    name: str
    ends: tuple[str, str]
    complete: bool
    kinds: tuple[str, ...]
    _solved: tuple[Solved, ...]
    _family: GaitFamily
    _plan: Plan

    def __len__(self) -> int:
        return len(self._solved)

    @property
    def parameter(self) -> Array:
        """(n,): the parameter at each point."""
        return np.array([point.p for point in self._solved])

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The state just after the section event at each point."""
        return tuple(self._state(point) for point in self._solved)

    @property
    def q(self) -> Array:
        """(n, nq): positions."""
        return np.array([state.q for state in self.states])

    @property
    def v(self) -> Array:
        """(n, nv): velocities."""
        return np.array([state.v for state in self.states])

    @property
    def period(self) -> Array:
        """(n,): in seconds."""
        return np.array([point.pace.time for point in self._solved])

    @cached_property
    def multipliers(self) -> NDArray[np.complex128]:
        """(n, 2 nv): the Floquet multipliers, the largest first."""
        return np.array([point.multipliers for point in self._solved])

    @property
    def stable(self) -> NDArray[np.bool_]:
        """(n,): whether all multipliers are inside the unit circle."""
        return np.asarray(np.abs(self.multipliers).max(axis=1, initial=0.0) < 1.0)

    @property
    def residual(self) -> Array:
        """(n,): the largest difference between a state and its return."""
        return np.array([point.residual for point in self._solved])

    @property
    def returns(self) -> int:
        """How many occurrences of the section make one period."""
        return self._family.search.returns

    @cached_property
    def points(self) -> list[BranchPoint]:
        """The bifurcations, in their order along the branch."""
        return [
            BranchPoint(kind, s.p, number, s.pace.time, self.states[number], s.multipliers, angle(s))
            for number, (kind, s) in enumerate(zip(self.kinds, self._solved, strict=True))
            if kind
        ]

    def cycle(self, index: int) -> LimitCycle:
        """The periodic motion at a point, with its trajectory.

        Parameters
        ----------
        index : int
            Which point; that of a bifurcation is its `number`.

        Returns
        -------
        LimitCycle
        """
        return self._cycle(self._solved[index])

    def at(self, parameter: float) -> list[LimitCycle]:
        """The periodic motions of the branch at a value of the parameter: none, one, or several beyond a fold.

        Parameters
        ----------
        parameter : float
            The value.

        Returns
        -------
        list of LimitCycle
            In their order along the branch.
        """
        found, control = [], self._plan.control
        off = self.parameter - finite_number("parameter", parameter)
        for k, here in enumerate(self._solved):
            if off[k] == 0.0:
                found.append(self._cycle(here))
            elif k and off[k - 1] * off[k] < 0.0:
                way = between(self._family, self._solved[k - 1], here, control.measure)
                row = np.zeros(len(way))
                row[-1] = 1.0
                step = way * (off[k - 1] / (off[k - 1] - off[k]))
                solved = solved_at(self._family, self._solved[k - 1], step, row, control)
                found.append(self._cycle(replace(solved, p=float(parameter))))
        return found

    def switch(
        self,
        point: BranchPoint | int | None = None,
        parameter: tuple[float, float] | None = None,
        *,
        most: int | None = None,
        store: str | Path | None = None,
        progress: bool | None = None,
    ) -> Branch:
        """The branch of twice the period that begins at a flip.

        Parameters
        ----------
        point : BranchPoint or int, optional
            A flip of `points`, or its number there; by default the first one.
        parameter : (float, float), optional
            The range; by default that of this branch.
        most : int, optional
            How many points there may be; by default as for this branch.
        store : str or Path, optional
            A file that keeps the branch while it grows, and from which it goes on.
        progress : bool, optional
            As for `continuation`.

        Returns
        -------
        Branch
            With `returns` doubled, from the flip onwards.

        Raises
        ------
        ModelError
            If the point is no flip of this branch.
        SimulationError
            If the branch that begins there is not found.
        """
        default = next((one for one in self.points if one.kind == "flip"), None)
        if isinstance(point, int) and -len(self.points) <= point < len(self.points):
            point = self.points[point]
        chosen = default if point is None else point
        if not isinstance(chosen, BranchPoint) or chosen.kind != "flip" or self.kinds[chosen.number] != "flip":
            raise ModelError(
                f"a branch of twice the period begins at a flip, which {'this branch has' if point is None else 'this is'} not; "
                f"the bifurcations are: {[tuple(one) for one in self.points]}."
            )
        family, here = self._family.with_returns(2 * self.returns), self._solved[chosen.number]
        bounds = self._plan.range if parameter is None else checked_range(parameter)
        plan = self._plan._replace(range=bounds, most=self._plan.most if most is None else most, store=store, progress=progress)
        begun = doubled(here)
        first, length = first_step(self._family, family, here, begun, plan.control)
        track = Track(length, switched=True)
        track.add(begun)
        track.add(first)
        return grown(family, [track], plan)

    def to_pandas(self) -> Any:
        """The branch as a table, a row for each point and a column for each number. Needs `regraft[tables]`.

        Returns
        -------
        pandas.DataFrame
            The parameter, "kind", "period", "stable", "q[0]" …, "v[0]" …, "multiplier[0]" …, complex, and "residual".
        """
        pandas = require("pandas", "to_pandas()")
        columns: dict[str, Any] = {
            self.name: self.parameter,
            "kind": list(self.kinds),
            "period": self.period,
            "stable": self.stable,
        }
        for name, values in (("q", self.q), ("v", self.v), ("multiplier", self.multipliers)):
            columns.update({f"{name}[{i}]": values[:, i] for i in range(values.shape[1])})
        return pandas.DataFrame({**columns, "residual": self.residual})

    def to_xarray(self) -> Any:
        """The branch as a dataset over its points. Needs `regraft[tables]`.

        Returns
        -------
        xarray.Dataset
            The parameter and "kind" as coordinates of the dimension "point"; "period", "stable", "q", "v", "multipliers",
            "residual".
        """
        xarray = require("xarray", "to_xarray()")
        names = {"q": "q component", "v": "v component", "multipliers": "multiplier"}
        variables: dict[str, Any] = {name: (("point", dimension), getattr(self, name)) for name, dimension in names.items()}
        variables |= {name: ("point", getattr(self, name)) for name in ("period", "stable", "residual")}
        coordinates = {self.name: ("point", self.parameter), "kind": ("point", np.array(self.kinds, str))}
        return xarray.Dataset(variables, coords=coordinates, attrs={"returns": self.returns, "ends": list(self.ends)})

    def __repr__(self) -> str:
        p = self.parameter
        special = ", ".join(f"{kind} at {value:.12g}" for kind, value in self.points) or "no bifurcations"
        return (
            f"Branch: {len(self)} points, {self.name} from {p[0]:.9g} to {p[-1]:.9g}, returns {self.returns}; {special}; "
            f"it begins where {self.ends[0]}, and ends where {self.ends[1]}"
        )

    def _state(self, point: Solved) -> State:
        return State(self._family.mech.layout, point.x.copy())

    def _cycle(self, point: Solved) -> LimitCycle:
        image = self._family.image(point.x, point.p, point.pace)
        return_map = self._family.return_map(point.p)
        return cycle_at(return_map, image.note.start, image.note, point.jacobian, float(np.abs(image.change).max(initial=0.0)), 0)


def checked_range(given: Any) -> tuple[float, float]:
    """The two ends of a range of the parameter."""
    try:
        a, b = (float(end) for end in given)
    except (TypeError, ValueError):
        a = b = np.nan
    if not (np.isfinite(a) and np.isfinite(b) and a != b):
        raise ModelError(f"the range of the parameter must be two different numbers (from, to), not {given!r}.")
    return a, b


def grown(family: GaitFamily, tracks: list[Track], plan: Plan) -> Branch:
    """The branch that begins with tracks of a point each, the first towards the end of the range; or from its file."""
    low, high = sorted(plan.range)
    described = _described(family, tracks, plan)
    if plan.store is not None:
        tracks = branch_files.load(plan.store, described) or tracks
    count = 0

    def tell(track: Track) -> None:
        nonlocal count
        count = sum(len(one.points) for one in tracks) - len(tracks) + 1
        if plan.store is not None:
            branch_files.keep(plan.store, described, tracks)
        p = min(max(track.points[-1].p, low), high)
        shown.update(p - low, f"{plan.name} = {p:.6g}, {count} points")

    with LateBar(high - low, plan.progress) as shown:
        for number, track in enumerate(tracks):
            left = plan.most - sum(len(one.points) for one in tracks) + len(tracks) - 1 + len(track.points)
            if number == 0 or not _is_closed(tracks[0]):
                follow(family, track, (low, high), plan.control, left, tell)
    return _joined(family, tracks, plan)


def _is_closed(track: Track) -> bool:
    return track.ended is not None and track.ended.why.startswith("the branch has come back")


def _described(family: GaitFamily, tracks: Sequence[Track], plan: Plan) -> dict[str, Any]:
    """What tells one branch from another, and can be written down."""
    s, start = family.search, tracks[0].points[0]
    section = list(s.section) if s.section is not None and not isinstance(s.section, str) else s.section
    return {
        "name": plan.name, "range": list(plan.range), "start": start.p, "state": start.x.tolist(), "switched": tracks[0].switched,
        "returns": s.returns, "section": section, "integrator": s.integrator, "rtol": s.rtol, "atol": s.atol, "step": s.step,
        "control": [list(plan.control.measure), *plan.control[1:]], "joints": list(family.mech.joints),
    }  # fmt: skip


def _joined(family: GaitFamily, tracks: Sequence[Track], plan: Plan) -> Branch:
    """Both directions as one branch."""
    forward, *backward = tracks
    ended = [track.ended or Ended(f"it has its most points, {plan.most}", False) for track in tracks]
    solved, kinds = list(forward.points), list(forward.kinds)
    begins = Ended(f"it was begun, at {forward.points[0].p:.12g}", True)
    if forward.switched:
        begins = Ended(f"the period doubles, at {forward.points[0].p:.12g}", True)
    for track, why in zip(backward, ended[1:], strict=True):
        solved, kinds = [*track.points[:0:-1], *solved], [*track.kinds[:0:-1], *kinds]
        begins = begins if _is_closed(forward) else why
    for why in (begins, ended[0]):
        if not why.expected:
            warn(f"the branch has {len(solved)} points and is not complete: {why.why.rstrip(chr(46))}.")
    complete = begins.expected and ended[0].expected
    return Branch(plan.name, (begins.why, ended[0].why), complete, tuple(kinds), tuple(solved), family, plan)
