"""`sweep`: a function over many parameters."""

from __future__ import annotations

import platform
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from pathlib import Path
from typing import Any

import numba
import numpy as np

from .._version import __version__
from ..errors import ModelError, SweepError, warn
from ..extras import require
from ..progress_bar import LateBar
from .cells import Batch, Job, Outcome, Unloadable
from .crews import Crew, crew_for
from .functions import check_arguments, digest_of, name_of
from .grids import Grid, grid_of
from .results import FAILED, NOT_RUN, Results
from .store import Store

PIECE = 0.5
"""Seconds that a piece of work takes, about: long beside what it costs to hand it over, short beside a user's patience."""
DEATHS = 2
"""How often a cell may end the process that runs it, with no other cell under way, until it counts as failed."""
_STARTS = 2  # how often all processes may end before anything has come back


def sweep(
    function: Callable[..., Any],
    grid: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
    executor: Any = None,
    store: str | Path | None = None,
    *,
    client: Any = None,
    seed: int | None = None,
    retry: bool = False,
    block: int | None = None,
    progress: bool | None = None,
) -> Any:
    """Call a function for every point of a grid, on one core, on all, or on a cluster.

    The function is called with the parameters by name. It returns a number, a text or an array, or several of these by name; of
    the same names and shapes for all points. What it raises is kept as the text of that cell's error and disturbs no other.

    Parameters
    ----------
    function : callable
        ``function(**parameters)``. To run in other processes it must be picklable; functions of a notebook and lambdas are,
        where cloudpickle is installed, which ``regraft[cluster]`` brings.
    grid : mapping of str to iterable, or iterable of mappings
        The values of each parameter, all combinations of which are run; or a list of points, each with its parameters, such as
        `samples` makes, or a table of pandas. Values are numbers, truth values or texts.
    executor : optional
        None for this process; "processes" for as many processes as there are cores, or their number; any executor of
        `concurrent.futures`, as ``dask.distributed.Client(...).get_executor()``; or the address of a Dask scheduler,
        ``"tcp://host:8786"``.
    store : path, optional
        A folder, in which results are kept as they come (Zarr). A sweep that was killed goes on from there when it is called
        again.
    client : dask.distributed.Client, optional
        In place of an executor.
    seed : int, optional
        The function gets ``rng=``, a generator of random numbers of its own for each cell, the same wherever it is run.
    retry : bool, optional
        Run cells again that failed in an earlier run, as the store has it.
    block : int, optional
        How many cells are kept together in the store; what is incomplete when the program is killed is run again. By default
        one, but more where there are more than a thousand cells.
    progress : bool, optional
        Show how far it is, once it takes longer than a second; by default on a terminal.

    Returns
    -------
    xarray.Dataset
        With the parameters as axes, or the axis ``"point"`` for a list; what the function returns by name (or ``"value"``);
        ``status``, which is "done", "failed" or "not run", and ``error`` for each cell. Where there are no values, numbers are
        NaN, for which whole numbers and truth values become floats, and texts are empty. Its attributes have function, seed
        and versions.

    Raises
    ------
    ModelError
        If the grid has no points, the function does not take the parameters, or cannot be sent to other processes.
    FileError
        If the store belongs to another sweep.
    SweepError
        If nobody is left to run cells; ``.results`` has what was done.

    Warns
    -----
    RegraftWarning
        If cells have failed, or the run was interrupted (Ctrl-C), after which what is there is returned.

    Examples
    --------
    >>> import regraft as rg
    >>> found = rg.sweep(lambda mass, length: 1.0 / (mass * length**2), {"mass": [1.0, 2.0], "length": [0.5, 1.0, 2.0]})
    >>> found["value"].sel(mass=2.0, length=0.5).item()
    2.0
    """
    cells = grid_of(grid)
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
        raise ModelError(f"sweep: seed must be a whole number, not {seed!r}.")
    if block is not None and (not isinstance(block, int) or block < 1):
        raise ModelError(f"sweep: block must be a positive whole number of cells, not {block!r}.")
    check_arguments(function, cells.parameters(0), seed)
    require("xarray", "sweep")
    attributes = _attributes(function, seed)
    results = Results(cells)
    kept = None if store is None else Store(store, results, attributes, block)
    try:
        if retry:
            results.status[results.status == FAILED] = NOT_RUN
            if kept is not None:
                kept.count()
        todo = deque(np.flatnonzero(results.status == NOT_RUN).tolist())
        run = _Run(cells, results, kept, todo, seed, attributes)
        if todo:
            run.with_crew(crew_for(function, executor, client), progress)
    finally:
        if kept is not None:
            kept.close()
    _tell_failures(results)
    return results.dataset(attributes)


def _attributes(function: Callable[..., Any], seed: int | None) -> dict[str, Any]:
    versions = f"regraft {__version__}, python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    return {
        "function": name_of(function),
        "code": digest_of(function),
        "seed": "none" if seed is None else int(seed),
        "versions": versions,
    }


def _tell_failures(results: Results) -> None:
    failed = np.flatnonzero(results.status == FAILED)
    if failed.size:
        first = int(failed[0])
        at = ", ".join(f"{name}={value!r}" for name, value in results.grid.parameters(first).items())
        warn(f"{failed.size} of {results.status.size} cells failed; the first one, at {at}: {results.errors[first]}")


class _Run:
    """One run of the cells that are still to do."""

    def __init__(
        self, grid: Grid, results: Results, store: Store | None, todo: deque[int], seed: int | None, attributes: dict[str, Any]
    ) -> None:
        self.grid, self.results, self.store, self.seed, self.attributes = grid, results, store, seed, attributes
        self.todo = todo
        self.suspects: deque[int] = deque()
        """Cells that were under way when a process died: each is run with no other beside it, to find who is to blame."""
        self.deaths: dict[int, int] = {}
        self.under_way: dict[Future[Batch | Unloadable], list[int]] = {}
        self.pace = 0.0
        """Seconds a cell, lately."""
        self.done = grid.size - len(todo)
        self.returned = self.starts = 0

    def with_crew(self, crew: Crew, progress: bool | None) -> None:
        """Run all of them."""
        at_once = True
        try:
            with LateBar(self.grid.size, progress) as bar:
                while self.todo or self.suspects or self.under_way:
                    self._hand_out(crew)
                    self._collect(crew)
                    bar.update(self.done, f"{self.done} of {self.grid.size} cells")
            at_once = False
        except KeyboardInterrupt:
            warn(f"the sweep was interrupted; {self.done} of {self.grid.size} cells are there.")
        finally:
            crew.close(list(self.under_way) if at_once else [])
            if self.store is not None:
                self.store.flush()

    def _hand_out(self, crew: Crew) -> None:
        while self.suspects and not self.under_way:
            self._submit(crew, [self.suspects.popleft()])
        while self.todo and not self.suspects and len(self.under_way) < crew.slots and not self._trying_one():
            fair = -(-len(self.todo) // (2 * crew.slots))  # towards the end pieces become small, so that all end together
            count = 1 if not self.returned else fair if fair * self.pace <= PIECE else max(1, int(PIECE / self.pace))
            self._submit(crew, [self.todo.popleft() for _ in range(min(count, len(self.todo)))])

    def _trying_one(self) -> bool:
        return any(len(cells) == 1 and cells[0] in self.deaths for cells in self.under_way.values())

    def _submit(self, crew: Crew, cells: list[int]) -> None:
        try:
            future = crew.submit([Job(cell, self.grid.parameters(cell), self.seed) for cell in cells])
        except (BrokenExecutor, RuntimeError) as problem:
            if not isinstance(problem, BrokenExecutor) and "shutdown" not in str(problem):
                raise
            self.todo.extendleft(reversed(cells))
            self._renew(crew, problem)
            return
        self.under_way[future] = cells

    def _collect(self, crew: Crew) -> None:
        finished, _ = wait(self.under_way, return_when=FIRST_COMPLETED)
        lost: BaseException | None = None
        for future in finished:
            cells = self.under_way.pop(future)
            try:
                batch = future.result()
            except Exception as problem:
                lost = problem
                self._suspect(cells, problem)
                continue
            if isinstance(batch, Unloadable):
                raise self._error(
                    f"the function cannot be loaded in another process: {batch.why}. Define it in a module that it can import"
                )
            self._take(batch)
        if lost is not None:
            for cells in self.under_way.values():  # whatever else was under way in the same processes
                self._suspect(cells, lost)
            for future in self.under_way:
                future.cancel()
            self.under_way.clear()
            self._renew(crew, lost)

    def _take(self, batch: Batch) -> None:
        if batch.outcomes:
            self.returned += len(batch.outcomes)
            own = batch.seconds / len(batch.outcomes)
            self.pace = own if self.pace == 0.0 else 0.5 * (self.pace + own)
            self._keep(batch.outcomes)
        if batch.interrupted:
            raise KeyboardInterrupt

    def _keep(self, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            self.results.take(outcome)
        self.done += len(outcomes)
        if self.store is not None:
            self.store.keep([outcome.cell for outcome in outcomes])

    def _suspect(self, cells: list[int], problem: BaseException) -> None:
        """Note that these were under way when a process died; a cell that was alone is to blame."""
        if len(cells) == 1 and cells[0] in self.deaths and not self.under_way:
            self.deaths[cells[0]] += 1
            if self.deaths[cells[0]] >= DEATHS:
                why = f"{type(problem).__name__}: the process that ran it died, {DEATHS} times ({problem})"
                self._keep([Outcome(cells[0], None, why)])
                return
        for cell in cells:
            self.deaths.setdefault(cell, 0)
        self.suspects.extend(cells)

    def _renew(self, crew: Crew, problem: BaseException) -> None:
        """Go on with new processes, unless there can be none."""
        self.starts += 1
        if not self.returned and self.starts >= _STARTS:
            raise self._error(
                f"the processes that were to run it ended before any cell was done ({problem}). In a script, call sweep under "
                "`if __name__ == '__main__':`, as each new process reads the script"
            ) from problem
        if not crew.renew():
            raise self._error(f"the executor takes no more work ({type(problem).__name__}: {problem})") from problem

    def _error(self, why: str) -> SweepError:
        where = "" if self.store is None else " What was done is in the store, too."
        done = f"{self.done} of {self.grid.size} cells are in .results."
        return SweepError(f"sweep: {why}. {done}{where}", self.results.dataset(self.attributes))
