"""Moving pictures: what stands still is drawn once, what moves is drawn over a copy of it, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ..atomic import writing
from ..errors import RegraftError
from .style import few_colours

PAUSE = 25
"""Frames for which the end of a motion stays that does not come back to its start."""
_COLOURS = 64


@dataclass(frozen=True)
class Mover:
    """What moves in a panel, in the order in which it is drawn, and what moves it to a frame."""

    axes: Axes
    artists: Sequence[Artist]
    move: Callable[[int], None]


def mover(ax: Axes, move: Callable[[int], None], *artists: Artist) -> Mover:
    """What moves in a panel; from now on it is drawn frame by frame only."""
    for artist in artists:
        artist.set_animated(True)
    return Mover(ax, artists, move)


def write_animation(
    path: Path,
    figure: Figure,
    movers: Sequence[Mover],
    count: int,
    frame_time: float,
    endless: bool,
    drawn: Callable[[int, int], object],
) -> Path:
    """Write so many frames as a picture that plays without end, each for `frame_time` seconds; `drawn` is told of each."""
    frames = []
    for frame, picture in enumerate(_frames(figure, movers, count), 1):
        frames.append(picture)
        drawn(frame, count)
    palette = few_colours(frames[0], _COLOURS)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    durations = [round(1000 * frame_time)] * count
    durations[-1] *= 1 if endless else PAUSE
    with writing(path) as beside:
        first.save(beside, save_all=True, append_images=others, duration=durations, loop=0, optimize=False)
    return path


def write_video(path: Path, figure: Figure, movers: Sequence[Mover], count: int, fps: float) -> Path:
    """Write so many frames as an .mp4 file, by the program ffmpeg."""
    from matplotlib.animation import FFMpegWriter  # which looks for programs, and nothing else here needs it

    if not FFMpegWriter.isAvailable():
        raise RegraftError(
            f"{path.name!r}: .mp4 files are written by the program ffmpeg, which is not found. Install it (on Debian `apt "
            "install ffmpeg`, on macOS `brew install ffmpeg`, with conda `conda install ffmpeg`), or name where it is in "
            "Matplotlib's setting animation.ffmpeg_path; .gif and .html files need no other program."
        )
    writer = FFMpegWriter(fps=fps)  # type: ignore[arg-type]  # it takes any number
    try:
        with writing(path) as beside, writer.saving(figure, str(beside), dpi=figure.dpi):
            for frame in range(count):
                for panel in movers:
                    panel.move(frame)
                writer.grab_frame()
    except CalledProcessError as problem:
        said = (problem.stderr or "").strip().splitlines()[-1:] or [f"it ended with {problem.returncode}"]
        raise RegraftError(f"{path.name!r}: ffmpeg could not write it: {said[0]}.") from problem
    return path


def _frames(figure: Figure, movers: Sequence[Mover], count: int) -> Iterator[Image.Image]:
    canvas: Any = FigureCanvasAgg(figure)
    for panel in movers:
        panel.move(0)
    canvas.draw()
    still = canvas.copy_from_bbox(figure.bbox)
    for frame in range(count):
        canvas.restore_region(still)
        for panel in movers:
            panel.move(frame)
            for artist in panel.artists:
                panel.axes.draw_artist(artist)
        yield Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
