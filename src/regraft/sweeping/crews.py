"""Who runs the cells of a sweep: this process, processes of one's own, or an executor of the user's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Protocol

from ..errors import ModelError, RegraftError
from ..extras import require
from .cells import Batch, Job, Unloadable, run, run_packed
from .functions import Function, packed

PROCESSES = "processes"
_PATIENCE = "10s"
"""How long a scheduler may take to answer."""


class Crew(Protocol):
    """Takes jobs."""

    slots: int
    """How many pieces of work are under way at once; a few more than there are hands, so that none of them waits."""

    def submit(self, jobs: Sequence[Job]) -> Future[Batch | Unloadable]:
        """Have these jobs done."""
        ...

    def renew(self) -> bool:
        """After a piece of work was lost: whether more can be given to it."""
        ...

    def close(self, useless: Sequence[Future[Any]]) -> None:
        """No more work; what is under way still, if anything, is of no use."""
        ...


def end_with_parent() -> None:
    """In a process of a pool: end when the program that has made it is gone, be it in the middle of a cell."""

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


class Alone:
    """This process."""

    slots = 1

    def __init__(self, function: Function) -> None:
        self._function = function

    def submit(self, jobs: Sequence[Job]) -> Future[Batch | Unloadable]:
        """Do it at once."""
        done: Future[Batch | Unloadable] = Future()
        done.set_result(run(self._function, jobs))
        return done

    def renew(self) -> bool:
        """Nothing is ever lost."""
        return True

    def close(self, useless: Sequence[Future[Any]]) -> None:
        """Nothing to put away."""


class OwnProcesses:
    """As many processes as there are cores; where one dies, all of them are replaced."""

    def __init__(self, function: Function, count: int) -> None:
        self._packed, self._count = packed(function), count
        self.slots = 2 * count
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        # Processes that are forked take along the locks of threads that they do not have.
        return ProcessPoolExecutor(self._count, mp_context=get_context("spawn"), initializer=end_with_parent)

    def submit(self, jobs: Sequence[Job]) -> Future[Batch | Unloadable]:
        """To the next free process."""
        return self._pool.submit(run_packed, self._packed, jobs)

    def renew(self) -> bool:
        """With new processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._new_pool()
        return True

    def close(self, useless: Sequence[Future[Any]]) -> None:
        """End the processes; the pool marks what is under way as lost, and would stumble over what was cancelled."""
        if useless:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
        self._pool.shutdown()


class Hired:
    """An executor that belongs to the user."""

    def __init__(self, function: Function, executor: Executor, hands: int) -> None:
        self._executor, self.slots = executor, 2 * hands
        self._shares_memory = isinstance(executor, ThreadPoolExecutor)
        self._function, self._packed = function, b"" if self._shares_memory else packed(function)

    def submit(self, jobs: Sequence[Job]) -> Future[Batch | Unloadable]:
        """To the executor."""
        if self._shares_memory:
            return self._executor.submit(run, self._function, jobs)
        return self._executor.submit(run_packed, self._packed, jobs)

    def renew(self) -> bool:
        """Whether it still takes work; one whose processes have died does not."""
        return not getattr(self._executor, "_broken", False)

    def close(self, useless: Sequence[Future[Any]]) -> None:
        """It stays open for its owner, without work that has not begun."""
        for future in useless:
            future.cancel()


class OwnClient(Hired):
    """A client of Dask's, which was made for this sweep alone."""

    def __init__(self, function: Function, address: str) -> None:
        self._client = connected(address)
        super().__init__(function, self._client.get_executor(), hands_of(self._client))

    def close(self, useless: Sequence[Future[Any]]) -> None:
        """Leave the cluster."""
        super().close(useless)
        self._client.close()


def connected(address: str) -> Any:
    """A client of the Dask scheduler at an address."""
    distributed = require("distributed", "sweep on a cluster")
    try:
        return distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except Exception as problem:  # of any kind, where something else answers
        raise RegraftError(
            f"sweep: no Dask scheduler answers at {address!r} ({type(problem).__name__}: {problem}); start one with "
            "`dask scheduler`, and workers with `dask worker ADDRESS`."
        ) from problem


def hands_of(client: Any) -> int:
    """How many threads the workers of a cluster have; those that join later are used too, with less to wait for them."""
    return max(1, int(sum(client.nthreads().values())))


def crew_for(function: Function, executor: Any, client: Any) -> Crew:
    """Whom the user wants to run it."""
    if client is not None:
        if executor is not None:
            raise ModelError("sweep: give an executor or a client, not both.")
        if not hasattr(client, "get_executor"):
            raise ModelError(f"sweep: client must be a client of Dask's, not {client!r}.")
        return Hired(function, client.get_executor(), hands_of(client))
    if executor is None:
        return Alone(function)
    if executor == PROCESSES:
        return OwnProcesses(function, os.cpu_count() or 1)
    if isinstance(executor, int) and not isinstance(executor, bool) and executor > 0:
        return OwnProcesses(function, executor)
    if isinstance(executor, str) and "://" in executor:
        return OwnClient(function, executor)
    if isinstance(executor, Executor):
        if (of_dask := getattr(executor, "_client", None)) is not None:
            return Hired(function, executor, hands_of(of_dask))
        return Hired(function, executor, getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
    raise ModelError(
        f"sweep: executor must be None (this process), {PROCESSES!r} (all cores), a number of processes, the address of a Dask "
        f"scheduler or an executor of concurrent.futures, not {executor!r}."
    )
