"""What maximal coordinates cost and how far they drift, beside reduced ones.

Run with ``python examples/maximal_pictures.py``. It writes ``maximal_cost.png`` and ``maximal_drift.png`` to ``docs/images``; the
page on maximal coordinates shows them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

import regraft as rg
from regraft.atomic import writing
from regraft.maximal import accelerations, skeleton_of

Array = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
BODIES, DENSE = (5, 10, 20, 40, 80, 160, 320, 640), (5, 10, 20, 40, 80)
STEPS = [0.016 / 2**k for k in range(7)]
DURATION, ENOUGH, ROUNDS = 1.0, 0.02, 15  # s of motion; s for a measurement, and how many of them
INK, BLUE, ORANGE, GREEN, PURPLE, GREY = "#222222", "#0072B2", "#D55E00", "#009E73", "#AA4499", "#8A8A8A"
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
}
WAYS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "S3's step": (ORANGE, "o", {"coordinates": "maximal", "integrator": "hakenberg"}),
    "S3's step, joints closed": (PURPLE, "s", {"coordinates": "maximal", "integrator": "hakenberg", "stabilise": True}),
    "rk4": (GREEN, "o", {"coordinates": "maximal", "integrator": "rk4", "stabilise": False}),
    "rk4, joints closed": (BLUE, "s", {"coordinates": "maximal", "integrator": "rk4"}),
    "rk4, reduced": (INK, "^", {"integrator": "rk4"}),
}


def chain(count: int) -> tuple[rg.Mechanism, rg.State]:
    """A chain of boxes that floats, on spherical joints and hinges in turn, in some state of motion."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    ends = rg.Pose(translation=(0, 0, -0.1)), rg.Pose(translation=(0, 0, 0.1))
    for i in range(count):
        mech.add_body(f"{i}", rg.Inertia.box(1.0, (0.05, 0.08, 0.2)))
        kind = rg.Free() if i == 0 else rg.Spherical() if i % 2 else rg.Revolute((0, 1, 0))
        mech.add_joint(f"joint {i}", kind, "world" if i == 0 else f"{i - 1}", f"{i}", *(ends if i else ()))
    rng = np.random.default_rng(count)
    rest = mech.state()
    return mech, mech.state(q=rg.integrate(mech, rest.q, rng.normal(0, 0.3, mech.nv)), v=rng.normal(0, 1, mech.nv))


def seconds(call: Callable[[], object]) -> float:
    """What one call takes, in the fastest of some rounds."""
    call()
    before = time.perf_counter()
    call()
    count = max(1, int(ENOUGH / (time.perf_counter() - before)))
    best = np.inf
    for _ in range(ROUNDS):
        before = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - before) / count)
    return float(best)


def costs() -> dict[str, list[float]]:
    """The time of all accelerations of chains, in seconds, by way."""
    found: dict[str, list[float]] = {"reduced": [], "maximal": [], "S3 as it is written": []}
    for count in BODIES:
        mech, state = chain(count)
        free, bodies = rg.to_maximal(mech, state)
        found["reduced"].append(seconds(lambda m=mech, s=state: rg.forward_dynamics(m, s)))  # type: ignore[misc]
        found["maximal"].append(seconds(lambda m=free, s=bodies: rg.forward_dynamics(m, s)))  # type: ignore[misc]
        if count in DENSE:
            skeleton = skeleton_of(mech, state)
            found["S3 as it is written"].append(seconds(lambda both=skeleton: accelerations(*both)))  # type: ignore[misc]
    return found


def draw_costs(ax: Axes, found: dict[str, list[float]]) -> None:
    """Time against the number of bodies."""
    for (name, times), colour in zip(found.items(), (INK, BLUE, ORANGE), strict=True):
        ax.loglog(BODIES[: len(times)], 1e6 * np.array(times), "o-", color=colour, markersize=4, label=name)
    guide = np.array(BODIES[2:])
    ax.loglog(guide, 0.6e6 * found["maximal"][2] * guide / guide[0], ":", color=GREY, label="in proportion to n")
    ax.set(xlabel="bodies of a chain, n", ylabel="accelerations of all bodies (µs)")
    ax.legend()


def drifts() -> dict[str, Array]:
    """(steps, 2) by way: the largest gap of a joint, and the largest change of energy as a part of it, of S3's example."""
    model = rg.models.skeleton_example("spherical")
    start, found = rg.energy(*model.start).total, {}
    for name, (_, _, options) in WAYS.items():
        worst = [rg.simulate(*model.start, DURATION, step=h, progress=False, **options).invariants().worst for h in STEPS]
        found[name] = np.array([(each["position gap"], each["energy"] / start) for each in worst])
    return found


def draw_drifts(axes: Sequence[Axes], found: dict[str, Array]) -> None:
    """Gaps and energies against the step."""
    for column, (ax, label) in enumerate(zip(axes, ("largest gap of a joint (m, rad)", "change of energy"), strict=True)):
        for name, values in found.items():
            if values[:, column].any():  # in reduced coordinates there is nothing that could come apart
                colour, marker, _ = WAYS[name]
                ax.loglog(STEPS, values[:, column], f"{marker}-", color=colour, markersize=4, label=name)
        ax.set(xlabel="step (s)", ylabel=label)
    axes[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def write(figure: Figure, name: str) -> None:
    """Write a picture with a palette, a third of the size."""
    with writing(FOLDER / name) as beside:
        figure.savefig(beside, dpi=110)
        with Image.open(beside) as picture:
            few = picture.convert("RGB").quantize(64, dither=Image.Dither.NONE)
        few.save(beside, optimize=True)
    print(f"wrote docs/images/{name}")


def main() -> None:
    """Measure and draw."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        measured = costs()
        draw_costs(figure.subplots(), measured)
        write(figure, "maximal_cost.png")
        figure = Figure(figsize=(10.0, 3.9), layout="constrained")
        drifted = drifts()
        draw_drifts(list(figure.subplots(1, 2)), drifted)
        write(figure, "maximal_drift.png")
    for name, times in measured.items():
        print(f"{name:22}", *(f"{1e6 * t:9.1f}" for t in times))
    for name, values in drifted.items():
        print(f"{name:26}", *(f"{gap:.1e}/{energy:.1e}" for gap, energy in values))


if __name__ == "__main__":
    main()
