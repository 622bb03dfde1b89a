"""The picture of the swing-up: the pole at moments of the plan that the page finds, and the push.

``python examples/swing_up_picture.py`` writes docs/images/swing_up.png; the code of the page is run as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from regraft.atomic import writing

DOCS = Path(__file__).parent.parent / "docs"
MOMENTS = 9


def plan() -> dict[str, Any]:
    """What the first code on the page finds."""
    found: dict[str, Any] = {"__name__": "swing_up"}
    text = (DOCS / "swing_up.md").read_text(encoding="utf-8")
    code = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    exec(compile(code, "swing_up.md", "exec"), found)
    return found


def draw(x: Any, u: Any, h: float, path: Path) -> None:
    """Poses one beside the other, later ones darker, and the push over time."""
    steps = len(u)
    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 3.6), height_ratios=(1, 1), layout="constrained")
    for number, k in enumerate(np.linspace(0, steps, MOMENTS).round().astype(int)):
        shade = plt.get_cmap("viridis")(0.9 - 0.8 * k / steps)
        at = 2.2 * number + x[k, 0]
        tip = at - np.sin(x[k, 1]), -np.cos(x[k, 1])
        above.plot([2.2 * number - 1.0, 2.2 * number + 1.0], [0, 0], color="0.85", linewidth=1)
        above.add_patch(Rectangle((at - 0.2, -0.1), 0.4, 0.2, color=shade, alpha=0.6))
        above.plot([at, tip[0]], [0, tip[1]], color=shade, linewidth=4, solid_capstyle="round")
        above.text(2.2 * number, -1.35, f"{k * h:.2f} s", ha="center", fontsize=8)
    above.set_aspect("equal")
    above.set_ylim(-1.6, 1.15)
    above.set_xlim(-1.2, 2.2 * (MOMENTS - 1) + 1.2)
    above.axis("off")
    below.step(h * np.arange(steps + 1), np.append(u[:, 0], u[-1, 0]), where="post", color="teal")
    below.axhline(0.0, color="0.85", linewidth=1)
    below.set_xlabel("time in s")
    below.set_ylabel("push in N")
    below.set_xlim(0.0, h * steps)
    with writing(path) as beside:
        figure.savefig(beside, dpi=110)


if __name__ == "__main__":
    found = plan()
    draw(found["x"], found["u"], found["h"], DOCS / "images" / "swing_up.png")
