"""Pictures of any mechanism and any motion: one pose, poses side by side, a moving picture."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..atomic import path_of
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import FileError, ModelError, listed, warn
from ..simulate.trajectory import Trajectory
from .animation import write_animation, write_video
from .outlines import not_drawn
from .scene import Scene, draw_strip, moving_scene
from .scenery import Camera, empty_collection
from .style import STYLE, draw

Array = NDArray[np.float64]

_LONG = 6.0  # inches: the longer edge of a picture
_COLUMNS = 5  # of a strip
_MOST_FRAMES = 2000
_NAMED = 3


class Still(NamedTuple):
    """A motion of one moment."""

    mech: Mechanism
    pose: State
    t: Array
    events: tuple[tuple[float, str], ...] = ()

    def mechanism(self, _t: float) -> Mechanism:
        """The mechanism."""
        return self.mech

    def state(self, _t: float) -> State:
        """Its state."""
        return self.pose


def draw_pose(mech: Mechanism, state: State, path: str | Path, azimuth: float, elevation: float) -> Path:
    """`Mechanism.draw`."""
    mech.check_state(state)
    file, scene = _file(path, ".png"), Scene(_camera(azimuth, elevation), Still(mech, state, np.zeros(1)), 1, 1, fitted=True)
    _tell(mech)
    return draw(file, _size(scene), {"a": partial(_draw_one, scene=scene)}, "a")


def draw_poses(traj: Trajectory, path: str | Path, poses: int, azimuth: float, elevation: float) -> Path:
    """`Trajectory.strip`."""
    if poses < 2:
        raise ModelError(f"a strip has two poses or more, not {poses}; Mechanism.draw draws one.")
    rows = math.ceil(poses / _COLUMNS)
    file = _file(path, ".png")
    scene = Scene(_camera(azimuth, elevation), traj, rows, math.ceil(poses / rows), fitted=True)
    _tell(traj.mechanism(scene.start))
    return draw(file, scene.strip_size, {"a": partial(draw_strip, scene=scene)}, "a")


def draw_motion(traj: Trajectory, path: str | Path, slower: float, fps: float, azimuth: float, elevation: float) -> Path:
    """`Trajectory.animate`."""
    if not (slower > 0.0 and fps > 0.0):
        raise ModelError(f"slower and fps must be positive, not {slower:g} and {fps:g}.")
    file, scene = _file(path, ".gif", ".mp4"), Scene(_camera(azimuth, elevation), traj, 1, 1, fitted=True)
    count = max(2, round((scene.end - scene.start) * slower * fps) + 1)
    if count > _MOST_FRAMES:
        raise ModelError(f"these are {count} frames, and {_MOST_FRAMES} at most can be drawn: give a smaller slower or fps.")
    _tell(traj.mechanism(scene.start))
    times = np.linspace(scene.start, scene.end, count)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=_size(scene), dpi=100, layout="constrained")
        movers = (moving_scene(figure.subplots(), scene, times),)
        if file.suffix.lower() == ".mp4":
            return write_video(file, figure, movers, count, fps)
        return write_animation(file, figure, movers, count, 1.0 / fps, False, lambda _made, _all: None)


def _draw_one(ax: Axes, scene: Scene) -> None:
    bodies = empty_collection()
    scene.drawn(scene.start).put_into(bodies)
    ax.add_collection(bodies)
    ax.set(xlim=(scene.low[0], scene.high[0]), ylim=(scene.low[1], scene.high[1]), aspect="equal")
    ax.axis("off")


def _camera(azimuth: float, elevation: float) -> Camera:
    if not (math.isfinite(azimuth) and 0.0 < elevation <= 90.0):
        raise ModelError(f"elevation must be above 0 and up to 90 degrees, and azimuth a number, not {elevation} and {azimuth}.")
    return Camera(azimuth, elevation)


def _file(path: str | Path, *suffixes: str) -> Path:
    file = path_of(path)
    if file.suffix.lower() not in suffixes:
        raise FileError(f"{str(path)!r}: such a picture is a {' or '.join(suffixes)} file.")
    return file


def _size(scene: Scene) -> tuple[float, float]:
    wide, high = scene.size
    longer = max(wide, high)
    return _LONG * wide / longer, _LONG * high / longer


def _tell(mech: Mechanism) -> None:
    """Which meshes are not drawn."""
    lacking = not_drawn(mech)
    if lacking:
        warn(
            f"{len(lacking)} meshes are not drawn, and sticks stand for their bodies: {listed(lacking, _NAMED)}. Drawn are .stl "
            "and .obj files that are found when a mechanism is read; packages=(folder, ...) of regraft.read says where they are."
        )
