"""Functions that are swept over, where other processes can import them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

import regraft as rg


def pendulum(length, angle):
    """Numbers of every kind: of a pendulum that is let go."""
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -length)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    traj = rg.simulate(mech, mech.state(q={"hinge": angle}), 0.3)
    return {
        "q": traj.final[1].q,
        "energy": traj.energy().total[-1],
        "steps": traj.steps,
        "name": f"{length:g}",
        "far": angle > 1.0,
    }


def drawn(width, rng):
    return width * rng.standard_normal(3)


def sometimes_fails(x):
    if x == 3:
        raise rg.StructureError("three cannot be done")
    return x * x


def note(folder, x):
    """Leave a file for each call, with the process that made it."""
    path = Path(folder) / f"{x}-{os.getpid()}-{time.monotonic_ns()}"
    path.touch()
    return path


def slow_square(x, folder, pause):
    note(folder, x)
    time.sleep(pause)
    return x * x


def kills_once(x, folder):
    """The process dies the first time that cell 2 is run."""
    first = not list(Path(folder).glob("2-*"))
    note(folder, x)
    if x == 2 and first:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def kills_always(x):
    if x == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def arrays(n):
    return np.arange(float(n))


def kind_by_number(x):
    """A whole number, a float, a truth value: which comes first depends on who runs it."""
    return {"n": (x, 0.5 * x, x > 1)[x % 3]}


def ends_the_program(x):
    if x == 1:
        raise SystemExit(3)
    return x


def notes_and_sleeps(x, folder):
    note(folder, x)
    time.sleep(3600.0)
    return x
