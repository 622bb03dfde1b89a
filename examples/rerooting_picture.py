"""A walker before and after its root moves from the pelvis to the left foot, drawn as a figure and as a tree.

Run with ``python examples/rerooting_picture.py``. It writes ``docs/images/rerooting.png``, which the page on re-rooting shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle
from matplotlib.path import Path as Curve
from numpy.typing import ArrayLike, NDArray
from PIL import Image

import regraft as rg
from regraft.atomic import writing

Array = NDArray[np.float64]

PICTURE = "docs/images/rerooting.png"
ROOT = Path(__file__).resolve().parents[1]
WORLD, NEW_TOP, SHOWN = "world", "left foot", "left knee"

INK, BODY, CHAIN, GROUND = "#222222", "#E4E4E4", "#F8CFAE", "#777777"
FORWARDS, BACKWARDS, BASE = "#0072B2", "#D55E00", "#009E73"  # joints: of polarity +1, of polarity −1, on the world
STYLE: dict[Any, Any] = {"font.size": 10, "text.color": INK, "hatch.linewidth": 0.8}

VIEW = 0.25  # rad that the walker is seen from behind; at 0 it is seen from its left
THICK = {"head": 10.0, "torso": 20.0, "pelvis": 17.0, "thigh": 20.0, "shank": 15.0, "foot": 8.0, "arm": 13.0, "forearm": 11.0}
SKULL, SOLE = 0.115, 0.025  # m: radius of the head, and what the foot's thickness adds below its frames
COLUMN, LEVEL, WIDTH, HEIGHT = 1.08, 0.75, 1.0, 0.25  # inches: of the trees, and of the boxes in them
BEND, BADGE = 0.14, 0.085  # inches from a box down to where its branches part; radius of a polarity's badge
HEAD = "-|>,head_length=5,head_width=3"


def build() -> rg.Mechanism:
    """A human figure of thirteen bodies: x forwards, y to its left, z up. Frames mark where a body ends without a joint."""
    mech = rg.Mechanism()
    mech.add_body("pelvis", rg.Inertia.box(11.0, (0.14, 0.26, 0.16), at=(0, 0, 0.06)))
    mech.add_joint("float", rg.Free(), WORLD, "pelvis")
    add_leg(mech, "left", 0.12)
    mech.add_body("torso", rg.Inertia.cylinder(27.0, 0.14, (0, 0, 0), (0, 0, 0.42)))
    mech.add_joint("waist", rg.Spherical(), "pelvis", "torso", rg.Pose(translation=(0, 0, 0.17)))
    add_arm(mech, "left", 0.17)
    add_link(mech, "neck", "torso", (0, 0, 0.46), "head", 4.6, (0.02, 0, 0.19))
    mech.add_frame("skull", "head", rg.Pose(translation=(0.02, 0, 0.19)))
    add_arm(mech, "right", -0.17)
    add_leg(mech, "right", -0.12)
    return mech


def add_leg(mech: rg.Mechanism, side: str, y: float) -> None:
    """Thigh, shank and foot; `y` is where the hip is on the pelvis."""
    add_link(mech, f"{side} hip", "pelvis", (0, y, 0), f"{side} thigh", 7.0, (0, 0, -0.43))
    add_link(mech, f"{side} knee", f"{side} thigh", (0, 0, -0.43), f"{side} shank", 3.3, (0, 0, -0.42))
    add_link(mech, f"{side} ankle", f"{side} shank", (0, 0, -0.42), f"{side} foot", 1.0, (0.17, 0, -0.05))
    mech.add_frame(f"{side} sole", f"{side} foot", rg.Pose(translation=(-0.06, 0, -0.05)))
    mech.add_frame(f"{side} toes", f"{side} foot", rg.Pose(translation=(0.17, 0, -0.05)))


def add_arm(mech: rg.Mechanism, side: str, y: float) -> None:
    """Arm and forearm; `y` is where the shoulder is on the torso."""
    add_link(mech, f"{side} shoulder", "torso", (0, y, 0.37), f"{side} arm", 2.0, (0, 0, -0.29))
    add_link(mech, f"{side} elbow", f"{side} arm", (0, 0, -0.29), f"{side} forearm", 1.6, (0, 0, -0.32))
    mech.add_frame(f"{side} hand", f"{side} forearm", rg.Pose(translation=(0, 0, -0.32)))


def add_link(mech: rg.Mechanism, joint: str, parent: str, place: ArrayLike, body: str, mass: float, end: ArrayLike) -> None:
    """A rod from its hinge to `end`; the hinges turn about y."""
    mech.add_body(body, rg.Inertia.rod(mass, (0, 0, 0), end))
    mech.add_joint(joint, rg.Revolute((0, 1, 0)), parent, body, rg.Pose(translation=place))


def mid_stride(mech: rg.Mechanism) -> rg.State:
    """The left heel touches the ground at z = 0, the right foot pushes off, the shoulders turn against the hips."""
    forwards = rg.Pose.about((0, 0, 1), -0.4).quaternion
    q: dict[str, ArrayLike] = {
        "float": [0, 0, 0, *forwards],
        "waist": (rg.Pose.about((0, 0, 1), 0.9) @ rg.Pose.about((0, 1, 0), 0.06)).quaternion,
        **{"left hip": -0.62, "left knee": 0.35, "left ankle": 0.05, "right hip": 0.28, "right knee": 0.67, "right ankle": -0.1},
        **{"left shoulder": 0.6, "left elbow": -0.45, "right shoulder": -0.55, "right elbow": -0.7, "neck": -0.04},
    }
    height = SOLE - rg.frame_position(mech, mech.state(q=q), "left sole")[2]
    return mech.state(q=q | {"float": [0, 0, height, *forwards]})


@dataclass(frozen=True)
class Step:
    """One step of the walk over the tree: from the body above, through a joint, to the body."""

    above: str
    joint: rg.Joint
    body: str

    @property
    def polarity(self) -> int:
        """+1 where the walk goes from the joint's parent to its child, else −1."""
        return 1 if self.joint.child == self.body else -1

    @property
    def colour(self) -> str:
        """What the joint is drawn in."""
        if self.above == WORLD:
            return BASE
        return FORWARDS if self.polarity > 0 else BACKWARDS


@dataclass(frozen=True)
class Walker:
    """A mechanism in a state, with what the drawings ask of it."""

    mech: rg.Mechanism
    state: rg.State
    chain: frozenset[str]
    """The bodies of the chain of inversion."""

    @property
    def poses(self) -> Mapping[str, rg.Pose]:
        """Where the bodies are."""
        return rg.body_poses(self.mech, self.state)

    @property
    def walk(self) -> list[Step]:
        """The steps of the walk, as S1's view of the tree has them."""
        joints = {frozenset((joint.parent, joint.child)): joint for joint in self.mech.joints.values()}
        parent = rg.hierarchy(self.mech, self.state).parent
        return [Step(above, joints[frozenset((above, body))], body) for body, above in parent.items()]

    def fill(self, body: str) -> str:
        """The colour of a body."""
        return CHAIN if body in self.chain else BODY

    def outline(self, body: str) -> Array:
        """(n, 3): the joints and frames that a body carries, in the world; those to the world are not part of its shape."""
        joints = [joint for joint in self.mech.joints.values() if joint.parent != WORLD]
        places = [joint.child_pose for joint in joints if joint.child == body]
        places += [joint.parent_pose for joint in joints if joint.parent == body]
        places += [frame.pose for frame in self.mech.frames.values() if frame.body == body]
        return self.poses[body].apply(np.array([place.translation for place in places]))

    def joint_point(self, joint: rg.Joint) -> Array:
        """(3,): where a joint is in the world."""
        return self.poses[joint.child].apply(joint.child_pose.translation)


def chain_of_inversion(mech: rg.Mechanism, new_top: str) -> frozenset[str]:
    """The bodies from the new top to the old one."""
    parent, body, chain = rg.hierarchy(mech).parent, new_top, []
    while body != WORLD:
        chain.append(body)
        body = parent[body]
    return frozenset(chain)


def walkers() -> tuple[Walker, Walker]:
    """The walker before and after its left heel becomes the base."""
    mech = build()
    state = mid_stride(mech)
    heel = rg.frame_position(mech, state, "left sole") - (0, 0, SOLE)
    stands, after = rg.reroot(mech, state, NEW_TOP, at=heel, joint=rg.Spherical(), name="left heel")
    chain = chain_of_inversion(mech, NEW_TOP)
    return Walker(mech, state, chain), Walker(stands, after, chain)


def seen(points: Array) -> Array:
    """(..., 2): points of the world in the picture; the walker goes to the left."""
    right, up = np.array((-np.cos(VIEW), -np.sin(VIEW), 0.0)), np.array((0.0, 0.0, 1.0))
    picture: Array = points @ np.stack((right, up), axis=1)
    return picture


def nearness(points: Array) -> float:
    """How near to the eye some points are, so that what is nearer covers what is behind it."""
    return float(points.mean(axis=0) @ (-np.sin(VIEW), np.cos(VIEW), 0.0))


def draw_figure(ax: Axes, walker: Walker) -> None:
    """The walker on the ground: its bodies, its joints, and arrows from each joint into the body that the walk comes to."""
    draw_ground(ax, -0.85, 0.85)
    for step in walker.walk:
        draw_body(ax, walker, step.body)
    for step in walker.walk:
        draw_joint(ax, walker, step)
    draw_position(ax, walker, SHOWN)
    top = walker.walk[0].body
    title = f"{'After' if top == NEW_TOP else 'Before'}: the {top} is the top"
    ax.text(0, 1.89, title, fontsize=13, fontweight="bold", ha="center", va="center")
    ax.set(aspect="equal", xlim=(-1.3, 1.3), ylim=(-0.07, 1.95))
    ax.axis("off")


def draw_ground(ax: Axes, start: float, end: float) -> None:
    """A line with hatching below."""
    ax.add_patch(Rectangle((start, -0.05), end - start, 0.05, facecolor="none", edgecolor=GROUND, hatch="////", linewidth=0))
    ax.plot((start, end), (0, 0), color=GROUND, linewidth=1.4, zorder=0)


def draw_body(ax: Axes, walker: Walker, body: str) -> None:
    """The polygon of a body's joints and ends, made round by a thick line: a fill with a dark rim."""
    points, thick = walker.outline(body), THICK[body.rsplit(maxsplit=1)[-1]]
    for colour, rim in ((INK, 1.0), (walker.fill(body), 0.0)):
        look: dict[str, Any] = {"color": colour, "zorder": 2 + nearness(points) - 1e-4 * rim}
        ax.add_patch(Polygon(seen(points), linewidth=thick + 2 * rim, joinstyle="round", capstyle="round", **look))
        if body == "head":
            ax.add_patch(Circle(tuple(seen(points)[-1]), SKULL, linewidth=2 * rim, **look))


def draw_joint(ax: Axes, walker: Walker, step: Step) -> None:
    """A dot with an arrow into the body that uses the joint, as in S1's Fig. 6; a dashed line ties a base joint to the world."""
    start, shape = seen(walker.joint_point(step.joint)), seen(walker.outline(step.body))
    far = shape[np.linalg.norm(shape - start, axis=1).argmax()]
    draw_arrow(ax, [start, start + 0.65 * (far - start)], step.colour, zorder=5)
    marker = "s" if step.above == WORLD else "o"
    ax.plot(*start, marker, color="white", markeredgecolor=step.colour, markeredgewidth=2, markersize=7, zorder=6)
    if step.above == WORLD:
        foot = seen(step.joint.parent_pose.translation)
        ax.plot(*np.stack((foot, start)).T, color=BASE, linewidth=1.6, linestyle=(0, (4, 2)), zorder=1)
        x, y = foot + 0.2 * (start - foot)
        ax.text(x + 0.05, y + 0.03, step.joint.name, color=BASE, va="bottom")


def draw_position(ax: Axes, walker: Walker, name: str) -> None:
    """The position of a hinge, written beside it."""
    at = seen(walker.joint_point(walker.mech.joints[name]))
    ax.plot((at[0] - 0.05, at[0] - 0.16), (at[1], at[1]), color=INK, linewidth=1, zorder=5)
    ax.text(at[0] - 0.18, at[1], f"{name}\n{number(walker, name)}", ha="right", va="center", fontsize=11)


def number(walker: Walker, joint: str) -> str:
    """The position of a hinge, with a typographic minus."""
    return f"{float(walker.mech.joint_position(walker.state, joint)[0]):.2f} rad".replace("-", "−")


def draw_arrow(ax: Axes, corners: list[Array], colour: str, zorder: float) -> None:
    """An arrow along some corners."""
    path = Curve(np.array(corners))
    ax.add_patch(FancyArrowPatch(path=path, arrowstyle=HEAD, color=colour, linewidth=2, zorder=zorder, joinstyle="miter"))


def columns_of(walker: Walker) -> dict[str, float]:
    """Where bodies stand from left to right: the ends of branches side by side, each other body in the middle of its children."""
    parent, columns, ends = rg.hierarchy(walker.mech).parent, dict[str, float](), 0
    for body in reversed(list(parent)):
        below = [columns[child] for child, above in parent.items() if above == body]
        columns[body] = (below[0] + below[-1]) / 2 if below else float(-ends)
        ends += not below
    return {body: COLUMN * (column + ends - 1) for body, column in columns.items()}


def draw_tree(ax: Axes, walker: Walker, columns: dict[str, float]) -> None:
    """The tree with the world on top: boxes are bodies, edges are joints."""
    place = {WORLD: np.array((columns[walker.walk[0].body], 0.0))}
    for step in walker.walk:
        place[step.body] = np.array((columns[step.body], place[step.above][1] - LEVEL))
        draw_edge(ax, step, place[step.above], place[step.body])
    for body, at in place.items():
        draw_box(ax, body, at, WIDTH, GROUND if body == WORLD else walker.fill(body))
    ax.set(aspect="equal", xlim=(-0.6, 4 * COLUMN + 0.6), ylim=(-7 * LEVEL - 0.2, 0.15))
    ax.axis("off")


def draw_box(ax: Axes, name: str, at: Array, width: float, colour: str) -> None:
    """A body with its name."""
    look: dict[str, Any] = {"boxstyle": "round,pad=0,rounding_size=0.06", "facecolor": colour, "edgecolor": INK, "zorder": 3}
    ax.add_patch(FancyBboxPatch(tuple(at - (width / 2, HEIGHT / 2)), width, HEIGHT, **look))
    ax.text(at[0], at[1], name, ha="center", va="center_baseline", color="white" if name == WORLD else INK, zorder=4)


def draw_edge(ax: Axes, step: Step, above: Array, below: Array) -> None:
    """A joint: an arrow from its parent to its child, however it is walked, with its polarity and its name."""
    half = np.array((0, HEIGHT / 2))
    top, bottom = above - half, below + half
    bend = top[1] - BEND
    corners = [top, np.array((top[0], bend)), np.array((bottom[0], bend)), bottom]
    draw_arrow(ax, corners[:: step.polarity], step.colour, zorder=2 if step.polarity > 0 else 2.5)
    middle = np.array((bottom[0], (bend + bottom[1]) / 2 + 0.015))
    draw_badge(ax, middle, step.polarity, step.colour)
    name, kind = step.joint.name, type(step.joint.type).__name__
    label = f"{name} ({kind})" if step.above == WORLD else name.replace(" ", "\n")
    ax.text(middle[0] + 1.5 * BADGE, middle[1], label, color=step.colour, fontsize=9, va="center", linespacing=0.95)


def draw_badge(ax: Axes, at: Array, polarity: int, colour: str) -> None:
    """The sign of a joint's polarity, drawn so that it is in the middle."""
    ax.add_patch(Circle(tuple(at), BADGE, facecolor=colour, edgecolor="white", linewidth=1, zorder=4))
    bar = np.array((-0.55, 0.55)) * BADGE
    ax.plot(at[0] + bar, at[1] + 0 * bar, color="white", linewidth=1.6, zorder=5)
    if polarity > 0:
        ax.plot(at[0] + 0 * bar, at[1] + bar, color="white", linewidth=1.6, zorder=5)


def draw_table(ax: Axes, walkers: tuple[Walker, Walker], left: float, top: float) -> None:
    """The joints along the chain of inversion: polarity and position before and after."""
    right, rows = 4 * COLUMN + WIDTH / 2, top - 0.68
    walks = [{step.joint.name: step for step in walker.walk} for walker in walkers]
    turned = [name for name, step in walks[0].items() if name in walks[1] and walks[1][name].polarity != step.polarity]
    ax.text(left, top, "Along the chain of inversion", fontweight="bold", va="center")
    for k, (walker, walk, word) in enumerate(zip(walkers, walks, ("before", "after"), strict=True)):
        x = right - 2.15 + 1.25 * k
        ax.text(x + 0.16, top - 0.36, word, va="center")
        for row, name in enumerate(turned):
            y = rows - 0.27 * row
            draw_badge(ax, np.array((x, y)), walk[name].polarity, walk[name].colour)
            ax.text(x + 0.16, y, number(walker, name), va="center")
    for row, name in enumerate(turned):
        ax.text(left, rows - 0.27 * row, name, va="center")
    for y in (top - 0.18, top - 0.52, rows - 0.27 * len(turned) + 0.1):
        ax.plot((left, right), (y, y), color=INK, linewidth=0.8)
    ax.text(left, rows - 0.27 * len(turned) - 0.08, "Polarities change, positions do not.", va="center")


def draw_legend(ax: Axes, left: float, top: float) -> None:
    """What colours, signs and arrows mean."""
    ax.text(left, top, "How to read it", fontweight="bold", va="center")
    ax.plot((left, 4 * COLUMN + WIDTH / 2), (top - 0.18, top - 0.18), color=INK, linewidth=0.8)
    y = iter(top - 0.4 - 0.3 * np.arange(6))
    row = next(y)
    for x, colour, text in ((left, BODY, "a body"), (left + 1.7, CHAIN, "a body of the chain of inversion")):
        draw_box(ax, "", np.array((x + 0.2, row)), 0.4, colour)
        ax.text(x + 0.52, row, text, va="center")
    for polarity, colour, text in (
        (1, FORWARDS, "a joint that is walked from its parent to its child"),
        (-1, BACKWARDS, "a joint that is walked from its child to its parent"),
        (1, BASE, "the base joint, from the world to the top"),
    ):
        row = next(y)
        draw_badge(ax, np.array((left + 0.2, row)), polarity, colour)
        ax.text(left + 0.52, row, text, va="center")
    ax.text(left, next(y), "Arrows in the figures: the walk, from a joint into the next body.", va="center")
    ax.text(left, next(y) + 0.06, "Arrows in the trees: the joint itself, from its parent to its child.", va="center")


def draw(before: Walker, after: Walker) -> None:
    """Figures above, trees below. A body stands in the same column of both trees: what hangs on it goes with it as it is."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(2, 2, figsize=(11, 9.8), height_ratios=(4.2, 5.6), layout="constrained")
        for (above, below), walker in zip(axes.T, (before, after), strict=True):
            draw_figure(above, walker)
            draw_tree(below, walker, columns_of(before))
        draw_legend(axes[1, 0], left=-WIDTH / 2, top=-4 * LEVEL - 0.5)
        draw_table(axes[1, 1], (before, after), left=COLUMN + 0.4, top=-0.75)
        with writing(ROOT / PICTURE) as beside:
            figure.savefig(beside, dpi=110)
            with Image.open(beside) as picture:  # a palette: a third of the size
                few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
            few.save(beside, optimize=True)
        plt.close(figure)


def main() -> None:
    """Build, re-root, draw."""
    before, after = walkers()
    print(before.mech, after.mech, sep="\n\n")
    plt.switch_backend("Agg")
    draw(before, after)
    print(f"\nwrote {PICTURE}")


if __name__ == "__main__":
    main()
