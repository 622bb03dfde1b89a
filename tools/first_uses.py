"""Call a few functions once and report, as JSON, the seconds of a processor that each took and how much was compiled."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from numba.core import event

import regraft as rg


class Count(event.Listener):  # type: ignore[misc]
    """Counts what Numba compiles; what is loaded does not count."""

    compiled = 0

    def on_start(self, _: event.Event) -> None:
        """One more function."""
        self.compiled += 1

    def on_end(self, _: event.Event) -> None:
        """Counted already."""


def seconds(use: Callable[[], object]) -> float:
    """How long a call takes, in seconds of a processor."""
    begin = time.process_time()
    use()
    return time.process_time() - begin


def main() -> None:
    """One call after the other: each finds what those before it have loaded."""
    count = Count()
    event.register("numba:compile", count)
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1, at=(0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    state = mech.state()
    page = Path(tempfile.mkdtemp(), "swings.html")
    uses: dict[str, Callable[[], object]] = {
        "forward_dynamics": lambda: rg.forward_dynamics(mech, state),
        "simulate": lambda: rg.simulate(mech, state, 1.0),
        "to_html": lambda: rg.simulate(mech, state, 1.0).to_html(page),
        "connect": lambda: rg.connect(mech, state, "world", "bob", joint=rg.Revolute((0, 1, 0)), at=(0, 0, 0)),
    }
    print(json.dumps({"seconds": {name: seconds(use) for name, use in uses.items()}, "compiled": count.compiled}))


if __name__ == "__main__":
    main()
