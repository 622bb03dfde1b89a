"""A branched chain swings for eight seconds: describe a mechanism, ask for its accelerations, integrate, draw.

Run with ``python examples/showcase.py``. It writes pictures to ``demo/``; the page on dynamics shows a copy of one.
"""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import regraft as rg
from regraft.atomic import writing

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
LINK = 0.30  # length of a link, m
DURATION, STEP, SAMPLE = 8.0, 1.25e-3, 16  # s, s, steps from one sample to the next
SWING, FLASHES = 1.3, 14  # s that the strobe picture shows, and in how many poses
COLOURS = {"1": "#0072B2", "2": "#E69F00", "3": "#CC79A7", "kinetic": "#0072B2", "potential": "#E69F00", "total": "black"}
STYLE: dict[Any, Any] = {"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25}


def build() -> rg.Mechanism:
    """Three links hang from the ceiling and fork into two branches of three, tied together by a spring."""
    mech = rg.Mechanism()
    hang_chain(mech, "trunk", "world", rg.Pose(), mass=1.0, ball=1)
    for name, y in (("left", 0.1), ("right", -0.1)):
        hang_chain(mech, name, "trunk 3", rg.Pose(translation=(0, y, -LINK)), mass=0.5, ball=3)
        mech.add_frame(f"{name} tip", f"{name} 3", rg.Pose(translation=(0, 0, -LINK)))
    mech.add_spring("tie", "left 2", (0, 0, -LINK), "right 2", (0, 0, -LINK), stiffness=40.0, rest_length=0.6)
    return mech


def hang_chain(mech: rg.Mechanism, name: str, parent: str, place: rg.Pose, mass: float, ball: int) -> None:
    """Add three links, one below the other; link `ball` hangs on a ball joint, the others on hinges."""
    for number in (1, 2, 3):
        link, end = f"{name} {number}", (0, 0, -LINK)
        mech.add_body(link, rg.Inertia.cylinder(mass, 0.02, (0, 0, 0), end))
        joint = rg.Spherical() if number == ball else rg.Revolute(axis=(0, 1, 0))
        mech.add_joint(f"{link} joint", joint, parent, link, parent_pose=place)
        parent, place = link, rg.Pose(translation=end)


def lifted(mech: rg.Mechanism) -> rg.State:
    """At rest, lifted sideways and a little out of the plane, with the fork open."""
    lift = rg.Pose.about((0.08, 1.0, 0.0), -1.0).quaternion
    return mech.state(q={"trunk 1 joint": lift, "left 1 joint": 0.5, "right 1 joint": -0.5})


class RungeKutta:
    """The classical fourth-order method, on the manifold of positions (Munthe-Kaas).

    Within a step positions are q ⊕ u with u in the tangent space at the step's start; what is integrated is u.
    """

    def __init__(self, mech: rg.Mechanism) -> None:
        balls = [mech.v_slice(name) for name, joint in mech.joints.items() if isinstance(joint.type, rg.Spherical)]
        self.mech, self.balls = mech, np.array([range(ball.start, ball.stop) for ball in balls])

    def slope(self, q: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """u̇ and v̇ at q ⊕ u. For a ball joint u̇ = v + u × v / 2 + u × (u × v) / 12 up to u⁴, else u̇ = v."""
        state = self.mech.state(q=rg.integrate(self.mech, q, u), v=v)
        rate, turn = v.copy(), u[self.balls]
        across = np.cross(turn, v[self.balls])
        rate[self.balls] += across / 2 + np.cross(turn, across) / 12
        return rate, rg.forward_dynamics(self.mech, state)

    def step(self, state: rg.State, h: float) -> rg.State:
        """The state after the time h."""
        q, v = state.q, state.v
        u1, a1 = self.slope(q, 0 * v, v)
        u2, a2 = self.slope(q, h / 2 * u1, v + h / 2 * a1)
        u3, a3 = self.slope(q, h / 2 * u2, v + h / 2 * a2)
        u4, a4 = self.slope(q, h * u3, v + h * a3)
        end = rg.integrate(self.mech, q, h / 6 * (u1 + 2 * u2 + 2 * u3 + u4))
        return self.mech.state(q=rg.normalise(self.mech, end), v=v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4))


@dataclass
class Motion:
    """Samples of the motion in time, and the seconds that it took to compute."""

    mech: rg.Mechanism
    t: Array
    states: list[rg.State]
    energy: dict[str, Array]
    drift: Array
    """The change of the total energy, relative to the largest kinetic energy."""
    wall: float


def progress_bar(console: Console) -> Progress:
    """One line: what is being done, a bar, a count and the time."""
    return Progress(TextColumn("{task.description:26}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console)


def compile_kernels(mech: rg.Mechanism, state: rg.State, console: Console) -> None:
    """Call every kernel that is needed here: the first time it compiles, later it comes from the cache on disk."""
    needed: dict[str, Callable[[], object]] = {
        "forward dynamics": lambda: rg.forward_dynamics(mech, state),
        "q ⊕ step": lambda: rg.normalise(mech, rg.integrate(mech, state.q, state.v)),
        "energy": lambda: rg.energy(mech, state),
        "poses": lambda: rg.body_poses(mech, state),
        "joint reactions": lambda: rg.joint_reactions(mech, state),
    }
    with progress_bar(console) as progress:
        task = progress.add_task("kernels", total=len(needed))
        for name, call in needed.items():
            progress.update(task, description=f"kernels: {name}")
            call()
            progress.advance(task)


def swing(mech: rg.Mechanism, state: rg.State, console: Console) -> Motion:
    """Integrate and sample the motion."""
    method, states, samples = RungeKutta(mech), [state], round(DURATION / STEP) // SAMPLE
    with progress_bar(console) as progress:
        start = time.perf_counter()
        for _ in progress.track(range(samples), description="swinging"):
            for _ in range(SAMPLE):
                state = method.step(state, STEP)
            states.append(state)
        wall = time.perf_counter() - start
    energies = [rg.energy(mech, s) for s in states]
    energy = {part: np.array([getattr(e, part) for e in energies]) for part in ("kinetic", "potential", "total")}
    drift = (energy["total"] - energy["total"][0]) / energy["kinetic"].max()
    return Motion(mech, np.linspace(0.0, DURATION, samples + 1), states, energy, drift, wall)


def report(motion: Motion) -> Table:
    """The numbers of the run."""
    mech, states = motion.mech, motion.states
    weight = float(np.linalg.norm(mech.gravity)) * sum(body.inertia.mass for body in mech.bodies.values())
    pull = max(float(np.linalg.norm(rg.joint_reactions(mech, s)["trunk 1 joint"][3:])) for s in states)
    once = min(timeit.repeat(lambda: rg.forward_dynamics(mech, states[0]), number=1000, repeat=5)) / 1000
    table = Table(title="A branched chain, swinging", title_justify="left", show_header=False)
    table.add_row("bodies, degrees of freedom", f"{len(mech.bodies)}, {mech.nv}")
    table.add_row("simulated", f"{DURATION:g} s in steps of {1e3 * STEP:g} ms, computed in {motion.wall:.1f} s")
    table.add_row("one forward dynamics", f"{1e6 * once:.1f} µs, called from Python")
    table.add_row("fastest joint", f"{max(float(np.abs(s.v).max()) for s in states):.1f} rad/s")
    table.add_row("largest pull on the ceiling", f"{pull:.0f} N, {pull / weight:.1f} times the weight")
    table.add_row("largest drift of the energy", f"{np.abs(motion.drift).max():.1e} of the largest kinetic energy")
    return table


def draw_strobe(ax: Axes, motion: Motion) -> None:
    """The first swing from the side: a line from each body's origin to what hangs on it, coloured by time."""
    mech, colours = motion.mech, plt.get_cmap("viridis")
    ends = [(joint.parent, joint.parent_pose) for joint in mech.joints.values() if joint.parent != "world"]
    ends += [(frame.body, frame.pose) for frame in mech.frames.values()]
    for k in np.linspace(0, round(SWING / (STEP * SAMPLE)), FLASHES).astype(int):
        poses = rg.body_poses(mech, motion.states[k])
        lines = np.array([poses[body].apply(np.outer((0, 1), local.translation))[:, [0, 2]] for body, local in ends])
        colour = colours(motion.t[k] / SWING)
        ax.add_collection(LineCollection(list(lines), colors=[colour], linewidths=1.8, capstyle="round"))
        ax.scatter(lines[:, 1, 0], lines[:, 1, 1], s=9, color=[colour], zorder=3)
    ax.plot(0, 0, "ks", markersize=6, zorder=4)
    ax.set(aspect="equal", xlabel="x (m)", ylabel="z (m)")
    scale = ScalarMappable(Normalize(0, SWING), colours)
    ax.figure.colorbar(scale, cax=ax.inset_axes((0.03, 0.93, 0.27, 0.03)), orientation="horizontal", label="time (s)")


def draw_energy(ax: Axes, motion: Motion) -> None:
    """Kinetic, potential and total energy over time; the potential is counted from its lowest sample."""
    lowest = motion.energy["potential"].min()
    for part, values in motion.energy.items():
        ax.plot(motion.t, values if part == "kinetic" else values - lowest, color=COLOURS[part], label=part, linewidth=1.3)
    ax.set(xlabel="time (s)", ylabel="energy (J),\npotential above its lowest", xlim=(0, DURATION), ylim=(0, None))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, handlelength=1.3)


def draw_drift(ax: Axes, motion: Motion) -> None:
    """The relative error of the total energy over time."""
    ax.plot(motion.t, 1e9 * motion.drift, color="black", linewidth=1.3)
    ax.set(xlabel="time (s)", ylabel="drift of the total\n($10^{-9}$ of max. kinetic)", xlim=(0, DURATION))


def draw_angles(ax: Axes, motion: Motion, part: str) -> None:
    """The angles of one chain's hinges over time."""
    for name, joint in motion.mech.joints.items():
        if name.startswith(part) and isinstance(joint.type, rg.Revolute):
            angle, link = [s.q[motion.mech.q_slice(name)] for s in motion.states], name.removesuffix(" joint")
            ax.plot(motion.t, angle, color=COLOURS[link[-1]], label=link, linewidth=1.3)
    ax.set(xlabel="time (s)", ylabel="hinge angle (rad)", xlim=(0, DURATION))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, handlelength=1.3)


def draw(path: str, mosaic: str, size: tuple[float, float], motion: Motion, dpi: int = 150, **options: Any) -> str:
    """A picture with one letter of the mosaic for each part; returns the path of its file from the project's root."""
    angles = {part[0]: partial(draw_angles, part=part) for part in ("trunk", "left", "right")}
    pictures: dict[str, Callable[..., None]] = {"s": draw_strobe, "e": draw_energy, "d": draw_drift, **angles}
    with plt.rc_context(STYLE):
        figure, axes = plt.subplot_mosaic(mosaic, figsize=size, layout="constrained", **options)
        for letter, ax in axes.items():
            pictures[letter](ax, motion)
            if options.get("sharex"):
                ax.label_outer()
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        with writing(ROOT / path) as beside:
            figure.savefig(beside, dpi=dpi)
        plt.close(figure)
    return path


def main() -> None:
    """Describe, compile, simulate, report, draw."""
    console, mech = Console(), build()
    print(mech, end="\n\n")
    state = lifted(mech)
    compile_kernels(mech, state, console)
    motion = swing(mech, state, console)
    console.print(report(motion))
    plt.switch_backend("Agg")
    for path in (
        draw("demo/strobe.png", "s", (7.5, 4.5), motion),
        draw("demo/energy.png", "e;d", (7.0, 4.8), motion, height_ratios=(2, 1), sharex=True),
        draw("demo/angles.png", "t;l;r", (7.0, 6.5), motion, sharex=True),
        draw("demo/showcase.png", "sss;edl", (11.0, 8.2), motion, dpi=100, height_ratios=(9, 4)),
    ):
        console.print(f"wrote {path}")


if __name__ == "__main__":
    main()
