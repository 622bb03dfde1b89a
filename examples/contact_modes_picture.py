"""The picture of the modes of a contact and the events between them.

Run with ``python examples/contact_modes_picture.py``. It writes ``docs/images/contact_modes.png``, which the page on contacts
shows.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from regraft.atomic import writing

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "contact_modes.png"
INK, FILL, ARROW = "#1f2a30", "#e3f0ee", "#00695c"
WIDTH, HEIGHT = 2.5, 0.95
MODES = {
    "open": (0.0, 1.6, "nothing holds, nothing acts"),
    "sliding": (5.2, 3.0, "one row; friction µ N\nagainst the slip"),
    "sticking\nor rolling": (5.2, 0.2, "a joint: three rows"),
}
EVENTS = [  # from, to, label, bend, where the label is
    ("open", "sliding", "touch, with slip", 0.18, (1.95, 2.92)),
    ("sliding", "open", "normal force\nwould pull", 0.18, (3.6, 2.12)),
    ("open", "sticking\nor rolling", "touch", 0.18, (3.55, 1.02)),
    ("sticking\nor rolling", "open", "normal force would pull", 0.18, (1.75, 0.28)),
    ("sticking\nor rolling", "sliding", "friction is\nnot enough", 0.28, (4.2, 1.42)),
    ("sliding", "sticking\nor rolling", "slip ends", 0.28, (6.25, 1.58)),
]


def main() -> None:
    """Draw it."""
    figure, axes = plt.subplots(figsize=(8.4, 4.2), dpi=160)
    for name, (x, y, note) in MODES.items():
        corner = x - WIDTH / 2, y - HEIGHT / 2
        axes.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle="round,pad=0.08", fc=FILL, ec=INK, lw=1.2))
        axes.text(x, y + 0.17, name.replace("\n", " "), ha="center", va="center", fontsize=12, color=INK, weight="bold")
        axes.text(x, y - 0.24, note, ha="center", va="center", fontsize=8, color=INK)
    for start, end, label, bend, (x, y) in EVENTS:
        axes.add_patch(
            FancyArrowPatch(
                anchor(start, end), anchor(end, start), connectionstyle=f"arc3,rad={-bend}", arrowstyle="-|>", mutation_scale=14,
                color=ARROW, lw=1.4, shrinkA=4, shrinkB=4,
            )
        )  # fmt: skip
        axes.text(x, y, label, ha="center", va="center", fontsize=8.5, color=ARROW)
    axes.set(xlim=(-1.6, 6.9), ylim=(-0.75, 3.8), aspect="equal")
    axes.axis("off")
    with writing(PICTURE) as beside:
        figure.savefig(beside, format="png", bbox_inches="tight", facecolor="white")
    print(f"wrote {PICTURE.name}")


def anchor(mode: str, other: str) -> tuple[float, float]:
    """Where arrows to another mode touch the box of one."""
    x, y, _ = MODES[mode]
    to_x, to_y, _ = MODES[other]
    if abs(to_x - x) > 1.0:
        return x + (WIDTH / 2 + 0.1) * (1 if to_x > x else -1), y + 0.2 * (1 if to_y > y else -1)
    return x, y + (HEIGHT / 2 + 0.1) * (1 if to_y > y else -1)


if __name__ == "__main__":
    main()
