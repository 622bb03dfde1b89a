"""Inverse dynamics of a measured walk, beside OpenSim's own tool with the same files: gait2354, 23 degrees of freedom."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import regraft as rg
from regraft.mocap.external_loads import read_external_loads
from regraft.mocap.formats.storage import read_storage
from timing import Comparison, best

CUTOFF = 6.0  # Hz
AGREEMENT = 0.5  # N m: how far apart both may be, root of the mean square; the tool filters and interpolates in its own way
RUNS = 4
KNEES_AND_ANKLES = ("knee_angle_r", "ankle_angle_r", "knee_angle_l", "ankle_angle_l")
FILES = ("subject01_simbody.osim", "subject01_walk1_ik.mot", "subject01_walk1_grf.xml")


def opensim_comparisons() -> list[Comparison]:
    """Per frame: inverse dynamics alone, with phases and all that a gait has, and from files on.

    There is nothing where OpenSim or its files are not there, which is said. The tool reads, filters and writes files each time.
    """
    shared = Path(os.environ.get("REGRAFT_SHARED_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
    model, coordinates, loads = (shared / "mocap" / "gait2354" / name for name in FILES)
    if find_spec("opensim") is None or not model.exists():
        print(f"no row for OpenSim's tool: it needs `pip install opensim`, and {model} (REGRAFT_SHARED_DATA names the folder)")
        return []
    frames = len(read_storage(coordinates).t)
    read = rg.mocap.read_osim(model)

    motion, plates = rg.mocap.motion(read, coordinates, cutoff=CUTOFF), read_external_loads(loads)[0]

    def from_files() -> rg.mocap.Gait:
        return rg.mocap.analyse(rg.mocap.motion(read, coordinates, cutoff=CUTOFF), plates=loads)

    ways: dict[str, tuple[Callable[[], object], float | None]] = {
        "inverse dynamics of a measured walk, per frame": (_inverse_dynamics(motion, from_files()), 0.02),
        "the same with phases, roots and centres of pressure": (lambda: rg.mocap.analyse(motion, plates=plates), None),
        "the same from files to moments": (from_files, None),
    }
    theirs, rows = float("inf"), []
    for what, (ours, target) in ways.items():
        for _ in range(RUNS):  # of a new tool each: another run of the same one takes longer, and filters what is filtered
            with tempfile.TemporaryDirectory() as folder:
                tool, forces = inverse_dynamics_tool(model, coordinates, loads, Path(folder))
                start = time.perf_counter()
                tool.run()
                theirs = min(theirs, (time.perf_counter() - start) / frames * 1e6)
                _check(from_files(), read_storage(forces).columns)
        rows.append(Comparison(what, "gait2354 of 23 dof", best(ours) / frames, "opensim.InverseDynamicsTool", theirs, target))
    return rows


def _inverse_dynamics(motion: rg.mocap.Motion, gait: rg.mocap.Gait) -> Callable[[], object]:
    """`rg.inverse_dynamics` of all frames, called from Python, with the plates' forces on the feet; checked against the gait."""
    mech, feet = motion.mech, {"calcn_r": "right", "calcn_l": "left"}
    frames = []
    for i in range(len(motion.t)):
        state, pushes = mech.state(motion.q[i], motion.v[i]), {}
        for body, side in feet.items():
            force, at = gait.reaction[side][i], gait.pressure[side][i]
            if np.isfinite(at).all():
                lever = at - rg.body_poses(mech, state)[body].translation
                about_vertical = np.array([0.0, 0.0, gait.free_moment[side][i]])
                pushes[body] = np.concatenate((np.cross(lever, force) + about_vertical, force))
        frames.append((state, motion.a[i], pushes))

    def run() -> list[Any]:
        return [rg.inverse_dynamics(mech, state, a, wrenches=pushes) for state, a, pushes in frames]

    torques = np.array(run())
    for name in KNEES_AND_ANKLES:
        off = torques[:, mech.v_slice(name)] - gait.moment[name]
        assert float(np.sqrt(np.mean(off**2))) < AGREEMENT, name
    return run


def inverse_dynamics_tool(model: Path, coordinates: Path, loads: Path, folder: Path) -> tuple[Any, Path]:
    """The tool as its users set it up, with its filter at `CUTOFF`, and the file that it writes; a test has it too."""
    import opensim  # where it is there

    opensim.Logger.setLevelString("off")
    opensim.Logger.removeFileSink()  # or it would leave opensim.log wherever one is
    own = opensim.Model(str(model))
    own.initSystem()
    tool = opensim.InverseDynamicsTool()
    tool.setModel(own)
    tool.setCoordinatesFileName(str(coordinates))
    tool.setExternalLoadsFileName(str(loads))
    tool.setLowpassCutoffFrequency(CUTOFF)
    times = read_storage(coordinates).t
    tool.setStartTime(float(times[0]))
    tool.setEndTime(float(times[-1]))
    muscles = opensim.ArrayStr()
    muscles.append("Muscles")
    tool.setExcludedForces(muscles)
    tool.setResultsDir(str(folder))
    tool.setOutputGenForceFileName("forces.sto")
    tool.thisown_model = own  # which must live as long as the tool
    return tool, folder / "forces.sto"


def _check(gait: rg.mocap.Gait, columns: Any) -> None:
    """Both have computed the same: knees and ankles."""
    for name in KNEES_AND_ANKLES:
        off = float(np.sqrt(np.mean((gait.moment[name][:, 0] - columns[f"{name}_moment"]) ** 2)))
        assert off < AGREEMENT, f"{name}: {off:.3f} N m apart"
