"""How a question and a change of structure travel through the package.

Run with ``python examples/architecture_picture.py``. It writes ``docs/images/architecture.png``, which the page on the
architecture shows.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from regraft.atomic import writing
from regraft.show.style import BLUE, GREEN, GREY, INK, ORANGE, STYLE

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "architecture.png"
WIDTH, HEIGHT = 3.7, 0.62
LAYERS = (("ask, change", 5.0), ("describe", 4.0), ("structure", 2.5), ("kernels", 0.5))


class Box(NamedTuple):
    """A file, or a few, at a place."""

    x: float
    y: float
    file: str
    does: str


QUESTION = (
    Box(2.2, 5.0, "ask/forward.py", "forward_dynamics(mech, state, tau)"),
    Box(2.2, 4.0, "describe/graph.py", "mech.structure"),
    Box(2.2, 2.5, "structure/structure.py", "structure.work: the memory"),
    Box(2.2, 1.5, "kernels/aba.py", "the entry, then the passes"),
    Box(2.2, 0.5, "kernels/kinematics.py, passive.py", "place, move, load, eliminate …"),
)
CHANGE = (
    Box(6.7, 5.0, "change/connect.py", "connect(mech, state, a, b)"),
    Box(6.7, 4.0, "describe/rejoinable.py", "mech.with_loops(joint)"),
    Box(6.7, 3.0, "structure.py, description.py", "one row more among those that close loops"),
    Box(6.7, 2.0, "structure/close.py", "the tree, and where loops pass: a new block"),
    Box(6.7, 0.5, "kernels/constraints/closure.py", "the impact: J v = 0"),
)
BACK = Box(10.9, 4.5, "change/impact.py, impulses.py", "the state after it, with its impulse")


def draw_box(ax: Axes, box: Box, colour: str) -> None:
    """A box with a file's name and what it does."""
    corner = box.x - WIDTH / 2, box.y - HEIGHT / 2
    ax.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, "round,pad=0,rounding_size=0.08", fc="white", ec=colour, lw=1.6, zorder=2))
    ax.text(box.x, box.y + 0.12, box.file, ha="center", va="center", fontsize=9, fontweight="bold", color=colour, zorder=3)
    ax.text(box.x, box.y - 0.13, box.does, ha="center", va="center", fontsize=8.5, color=INK, zorder=3)


def draw_arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str, bend: float = 0.0) -> None:
    """An arrow from one place to another."""
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>,head_length=5,head_width=3",
            connectionstyle=f"arc3,rad={bend}",
            color=colour,
            lw=1.6,
            zorder=1,
        )
    )


def draw(ax: Axes) -> None:
    """Both ways, side by side, over the layers that they pass."""
    ax.set(xlim=(-1.25, 12.9), ylim=(-0.05, 6.0))
    ax.set_axis_off()
    for name, y in LAYERS:
        ax.text(-1.2, y, name, va="center", fontsize=9.5, color=GREY, style="italic")
    for y in (4.5, 3.5):
        ax.plot([-1.2, 8.7], [y, y], color=GREY, lw=0.6, ls=(0, (2, 4)), zorder=0)
    for boxes, colour, title in ((QUESTION, BLUE, "a question"), (CHANGE, ORANGE, "a change of structure")):
        ax.text(boxes[0].x, 5.62, title, ha="center", fontsize=11, color=colour, fontweight="bold")
        for box in boxes:
            draw_box(ax, box, colour)
        for above, below in pairwise(boxes):
            draw_arrow(ax, (above.x, above.y - HEIGHT / 2), (below.x, below.y + HEIGHT / 2), colour)
    draw_box(ax, BACK, GREEN)
    last = CHANGE[-1]
    draw_arrow(ax, (last.x + WIDTH / 2, last.y), (BACK.x, BACK.y - HEIGHT / 2), GREEN, 0.35)
    draw_arrow(ax, (BACK.x, BACK.y + HEIGHT / 2), (CHANGE[0].x + WIDTH / 2, CHANGE[0].y), GREEN, 0.3)


def main() -> None:
    """Write the picture."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10.4, 4.7), layout="constrained")
        draw(figure.subplots())
        with writing(PICTURE) as beside:
            figure.savefig(beside, dpi=120, format="png")


if __name__ == "__main__":
    main()
