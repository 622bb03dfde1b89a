"""How the demonstrations' pictures look, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from ..atomic import writing
from .colours import BLUE, EARTH, GREEN, GREY, INK, ORANGE, PURPLE

__all__ = ["BLUE", "DASHES", "EARTH", "GREEN", "GREY", "INK", "ORANGE", "PURPLE", "STYLE", "draw", "draw_all", "few_colours"]

DASHES = (0, (3, 2))
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.solid_capstyle": "round",
    "figure.facecolor": "white",
}
_COLOURS = 128  # in the palette of a picture: a third of the size, and nothing to see
_NEARLY_WHITE = 247  # of 255: what a palette has for paper


def draw(
    path: Path, size: tuple[float, float], drawings: Mapping[str, Callable[[Axes], object]], mosaic: str, **options: Any
) -> Path:
    """Write a picture that has one letter of the mosaic for each drawing."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplot_mosaic(mosaic, **options)
        for letter, ax in axes.items():
            drawings[str(letter)](ax)
        if len(axes) > 1:
            for letter, ax in axes.items():
                place: Any = {"xycoords": "axes fraction", "textcoords": "offset points"}
                ax.annotate(str(letter), (0, 1), (-34, 9), fontsize=12, fontweight="bold", annotation_clip=False, **place)
        with writing(path) as beside:
            figure.savefig(beside, dpi=130)
            with Image.open(beside) as picture:
                few = few_colours(picture.convert("RGB"), _COLOURS)
            few.save(beside, optimize=True)
    return path


def draw_all(pictures: Sequence[Callable[[], Path]], drawn: Callable[[int, int], object]) -> list[Path]:
    """Draw pictures and write pages; `drawn` is told how many of how many are done."""
    files = []
    for number, picture in enumerate(pictures, 1):
        files.append(picture())
        drawn(number, len(pictures))
    return files


def few_colours(picture: Image.Image, count: int) -> Image.Image:
    """The picture with a palette of so many colours, in which white stays white."""
    few = picture.quantize(count, dither=Image.Dither.NONE)
    palette = np.array(few.getpalette(), np.uint8).reshape(-1, 3)
    palette[(palette > _NEARLY_WHITE).all(axis=1)] = 255
    few.putpalette(palette.tobytes())
    return few
