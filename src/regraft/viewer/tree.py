"""The tree of a mechanism as a page tells it: its roots, which way each joint is walked, and what closes loops."""

from __future__ import annotations

from typing import NamedTuple

from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..kernels.tables import BODY, JOINT, PARENT, POLARITY
from .words import named


class Step(NamedTuple):
    """One step of the walk from the root to the leaves."""

    joint: str
    above: str
    """The body that it is walked from,"""
    below: str
    """and the one that it leads to."""
    forward: bool
    """Whether that is from the joint's parent to its child: its polarity is +1."""


class Tree(NamedTuple):
    """How a mechanism is walked."""

    steps: tuple[Step, ...]
    """From the roots to the leaves, those from the world to the roots too."""
    loops: tuple[str, ...]
    """The joints that close loops."""

    @property
    def roots(self) -> dict[str, str]:
        """The bodies that hang on the world, and the joints by which they do."""
        return {step.below: step.joint for step in self.steps if step.above == WORLD}

    @property
    def backward(self) -> tuple[str, ...]:
        """The joints that are walked from their child to their parent."""
        return tuple(step.joint for step in self.steps if not step.forward)


def tree_of(mech: Mechanism) -> Tree:
    """How a mechanism is walked."""
    structure = mech.structure
    walk = structure.walk[:, [BODY, PARENT, JOINT, POLARITY]].tolist()
    names = [structure.body_names[row[0]] for row in walk]
    steps = (
        Step(structure.joint_names[joint], WORLD if above < 0 else names[above], name, polarity > 0)
        for name, (_, above, joint, polarity) in zip(names, walk, strict=True)
    )
    return Tree(tuple(steps), mech.loop_joints)


def told_tree(tree: Tree) -> list[str]:
    """The tree in sentences."""
    roots = [f"{named(body)} (on {named(joint)})" for body, joint in tree.roots.items()]
    found = [("Root: " if len(roots) == 1 else "Roots: ") + _listed(roots) + "."] if roots else []
    found.append(f"Closes a loop: {_listed([named(name) for name in tree.loops])}." if tree.loops else "No loops.")
    if tree.backward:
        found.append(f"Walked backwards: {_listed([named(name) for name in tree.backward])}.")
    return found


def told_change(before: Tree, after: Tree) -> str:
    """What a change did to the tree, in words; empty where that is nothing."""
    found = []
    if before.roots != after.roots:
        found.append("root: " + _listed([named(name) for name in after.roots]))
    gone = [name for name in before.loops if name not in after.loops]
    new = [name for name in after.loops if name not in before.loops]
    found += [f"loop opened at {_listed([named(name) for name in gone])}"] if gone else []
    found += [f"loop closed at {_listed([named(name) for name in new])}"] if new else []
    turned = {step.joint: step.forward for step in before.steps}
    flipped = [step.joint for step in after.steps if turned.get(step.joint, step.forward) != step.forward]
    found += [f"walked the other way: {_listed([named(name) for name in flipped])}"] if flipped else []
    return "; ".join(found)


_NAMED = 8


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
