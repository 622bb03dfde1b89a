"""MJCF, MuJoCo's files: read by way of MuJoCo's own compiled model, so that all defaults are what MuJoCo makes of them."""

from __future__ import annotations

from pathlib import Path

from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...errors import FileError, ModelError
from ..report import Findings
from .contract import ReadOptions
from .mjcf_actuators import add_actuators
from .mjcf_fittings import add_frames, add_keyframes, add_shapes
from .mjcf_loops import add_equalities, add_tendons
from .mjcf_notes import note_world
from .mjcf_source import Source, compiled
from .mjcf_tree import add_tree
from .mjcf_writing import write_mjcf

__all__ = ["read_mjcf", "write_mjcf"]

EXTRAS = "mjcf"
"""Where a mechanism keeps what MJCF says beside it."""


def read_mjcf(path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The mechanism in an MJCF file, and the state it starts from: the keyframe "start", or else qpos0.

    The order of q and its numbers are MuJoCo's qpos; velocities too, but for the linear one of a free joint, which is in the axes
    of the body here and of the world there.
    """
    source = compiled(path, options, found)
    try:
        return _mechanism(source)
    except FileError:
        raise
    except ModelError as problem:
        raise FileError(f"{str(path)!r}: {problem}") from problem


def _mechanism(source: Source) -> tuple[Mechanism, State]:
    model = source.model
    mech = Mechanism(gravity=(0.0, 0.0, 0.0) if source.disabled("GRAVITY") else model.opt.gravity.copy())
    add_tree(mech, source)
    add_equalities(mech, source)
    add_tendons(mech, source)
    add_shapes(mech, source)
    add_frames(mech, source)
    add_actuators(mech, source)
    note_world(source)
    _keep(mech, source)
    return mech, add_keyframes(mech, source)


def _keep(mech: Mechanism, source: Source) -> None:
    """Keep what only MJCF says, so that it is written again."""
    option = source.model.opt
    integrator = source.mj.mjtIntegrator(option.integrator).name.removeprefix("mjINT_")
    integrator = {"EULER": "Euler", "RK4": "RK4"}.get(integrator, integrator.lower())  # as files spell it
    mech.extras[EXTRAS] = {"timestep": float(option.timestep), "integrator": integrator}
