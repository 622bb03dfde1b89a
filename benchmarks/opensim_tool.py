"""Inverse dynamics of a measured walk, beside OpenSim's own tool with the same files: gait2354, 23 degrees of freedom."""

from __future__ import annotations

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import regraft as rg
from regraft.mocap.formats.storage import read_storage
from timing import Comparison, compare

CUTOFF = 6.0  # Hz
AGREEMENT = 0.5  # N m: how far apart both may be, root of the mean square; the tool filters and interpolates in its own way
FILES = ("subject01_simbody.osim", "subject01_walk1_ik.mot", "subject01_walk1_grf.xml")


def opensim_comparisons() -> list[Comparison]:
    """Per frame, from files to joint moments; nothing where OpenSim or its files are not there, which is said."""
    shared = Path(os.environ.get("REGRAFT_SHARED_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
    model, coordinates, loads = (shared / "mocap" / "gait2354" / name for name in FILES)
    if find_spec("opensim") is None or not model.exists():
        print(f"no row for OpenSim's tool: it needs `pip install opensim`, and {model} (REGRAFT_SHARED_DATA names the folder)")
        return []
    frames = len(read_storage(coordinates).t)
    read = rg.mocap.read_osim(model)

    def ours() -> rg.mocap.Gait:
        return rg.mocap.analyse(rg.mocap.motion(read, coordinates, cutoff=CUTOFF), plates=loads)

    with tempfile.TemporaryDirectory() as folder:
        tool, forces = _tool(model, coordinates, loads, Path(folder))
        tool.run()
        _check(ours(), read_storage(forces).columns)
        what = "inverse dynamics of a measured walk, files to moments, per frame"
        found = compare(what, "gait2354 of 23 dof", ours, "opensim.InverseDynamicsTool", tool.run, None, frames, 1)
    per_frame = found.theirs / frames
    return [Comparison(found.what, found.subject, found.ours, found.reference, per_frame, None)]


def _tool(model: Path, coordinates: Path, loads: Path, folder: Path) -> tuple[Any, Path]:
    """The tool as its users set it up, and the file that it writes."""
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
    for name in ("knee_angle_r", "ankle_angle_r", "knee_angle_l", "ankle_angle_l"):
        off = float(np.sqrt(np.mean((gait.moment[name][:, 0] - columns[f"{name}_moment"]) ** 2)))
        assert off < AGREEMENT, f"{name}: {off:.3f} N m apart"
