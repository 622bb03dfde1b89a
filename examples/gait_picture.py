"""One stride of a walk, with what carries the body as its root.

Run with ``python examples/gait_picture.py``. It writes ``docs/images/gait.png``, which the page on joint torques shows.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

import regraft as rg
from regraft.show.gait_pictures import GaitScene, shown_stride
from regraft.show.gait_plots import draw_vertical
from regraft.show.scene import draw_strip
from regraft.show.style import draw

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "gait.png"
COLUMNS = 7


def draw_forces(ax: Axes, gait: rg.mocap.Gait, start: float, end: float) -> None:
    """The vertical forces of one stride."""
    draw_vertical(ax, gait, None, legend=True)
    ax.set(xlim=(start, end), xlabel="time (s)")


def main() -> None:
    """Walk, find who carries the body, and draw a stride."""
    gait = rg.mocap.analyse(rg.mocap.normal_walk().motion)
    start, end = shown_stride(gait)
    scene = GaitScene(gait, start, end, rows=1, columns=COLUMNS)
    wide, high = scene.strip_size
    drawings = {"a": partial(draw_strip, scene=scene), "b": partial(draw_forces, gait=gait, start=start, end=end)}
    draw(PICTURE, (wide, high + 3.4), drawings, "a\nb", height_ratios=(high + 0.6, 2.0))
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
