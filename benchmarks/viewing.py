"""The viewer: what the simulation behind a page takes of a core, and how long a click takes; and how large pages are."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import regraft as rg

sys.path.append(str(Path(__file__).parent.parent / "tests" / "viewer"))  # a visitor without a browser
from visitor import Visitor, until  # type: ignore[import-not-found]

THERE = hasattr(rg, "view")  # versions that are compared with this one may have no viewer
RATE, WATCHED, CLICKS = 60.0, 300, 20  # frames a second; how many are watched; clicks
LINKS, FRAMES = 30, 600  # of the motion whose page is weighed


def viewing_lines(found: dict[str, float]) -> list[str]:
    """The figures of `viewing_figures` in a sentence; none where this version has no viewer."""
    if not found:
        return []
    clicks = f"{1e3 * found['click']:.0f} ms (the longest of {CLICKS}: {1e3 * found['longest_click']:.0f} ms)"
    return [
        f"The high bar live in the viewer at {found['frames_a_second']:.0f} frames a second: {100.0 * found['core']:.0f} % of a "
        f"core; a cut takes effect after {clicks}. A motion of {LINKS} bodies and {FRAMES} frames as one HTML file: "
        f"{found['page_megabytes']:.2f} MB.",
    ]


def viewing_figures() -> dict[str, float]:
    """Measured on a running page; clicks are those of a visitor over the socket, and seen in the mechanism."""
    if not THERE:
        return {}
    return {**live(), "page_megabytes": page_size()}


def live() -> dict[str, float]:
    """The human figure on the high bar, with its two loops."""
    with rg.view(rg.models.high_bar().start, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.press("Play")
        session = viewer.session
        page = until(lambda: viewer.pages)[0]
        until(lambda: page.frames > RATE)
        spent, frames, begun = page.worker.spent, page.frames, time.perf_counter()
        until(lambda: page.frames - frames >= WATCHED)
        seconds, made, taken = time.perf_counter() - begun, page.frames - frames, page.worker.spent - spent
        clicks = []
        for _ in range(CLICKS):
            visitor.put("Joint", "left hand")
            until(lambda: not visitor["Cut it"]["disabled"])
            start = time.perf_counter()
            visitor.press("Cut it")
            while "left hand" in session.mech.joints:
                time.sleep(1e-3)
            clicks.append(time.perf_counter() - start)
            session.undo()
    return {
        "frames_a_second": made / seconds,
        "core": taken / made * RATE,
        "click": float(np.median(clicks)),
        "longest_click": max(clicks),
    }


def page_size() -> float:
    """MB of a chain that falls."""
    mech = rg.Mechanism()
    before = "world"
    for k in range(LINKS):
        mech.add_body(f"link {k}", rg.Inertia.cylinder(0.1, 0.02, (0, 0, 0), (0, 0, -0.1)))
        at = rg.Pose(translation=(0, 0, -0.1 if k else 3.0))
        mech.add_joint(f"joint {k}", rg.Spherical(damping=0.01), before, f"link {k}", at)
        mech.add_shape(f"link {k}", rg.Capsule(0.02, (0, 0, 0), (0, 0, -0.1)))
        before = f"link {k}"
    turned = rg.Pose.about((1, 2, 0), 1.0).quaternion
    traj = rg.simulate(mech, mech.state(q={"joint 0": turned}), FRAMES / RATE, rtol=1e-6)
    with tempfile.TemporaryDirectory() as folder:
        return traj.to_html(Path(folder, "chain.html")).stat().st_size / 1e6


def main() -> None:
    """Only what is measured here."""
    print("\n".join(viewing_lines(viewing_figures())))


if __name__ == "__main__":
    main()
