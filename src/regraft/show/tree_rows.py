"""A mechanism's tree as rows of words: what leads to what, and which joints close loops."""

from __future__ import annotations

from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.text import walked
from ..errors import printable
from ..joints import Free

MOST_ROWS = 400
ROOT_ROW, TREE_ROW, REVERSED_ROW, LOOP_ROW, MORE_ROW = "root", "tree", "reversed", "loop", "more"


def tree_rows(mech: Mechanism, root: str = "") -> list[list[str]]:
    """Rows (sort, how it hangs, joint, type, body), in the order in which the tree is walked; then those that close loops.

    The sort of a body that hangs on the world is "root", or that of `root` alone where one is named.
    """
    rows = []
    for joint, body, lead, last in walked(mech.joints, mech.layout):
        hangs = WORLD in (joint.parent, joint.child)
        is_root = body == root if root else hangs
        sort = ROOT_ROW if is_root else TREE_ROW if joint.child == body else REVERSED_ROW
        drawn = f"{lead}{'└─' if last else '├─'}"
        rows.append([sort, drawn, printable(joint.name), type(joint.type).__name__, printable(body)])
    for name, a, b in mech.layout.loops:
        rows.append([LOOP_ROW, "", printable(name), type(mech.joints[name].type).__name__, printable(f"{a} ↔ {b}")])
    if len(rows) > MOST_ROWS:
        return [*rows[:MOST_ROWS], [MORE_ROW, "", f"{len(rows) - MOST_ROWS} more", "", ""]]
    return rows


def is_unjoined(mech: Mechanism) -> bool:
    """Whether this is a mere recording: bodies without mass, none of which is joined to anything. It has no structure to show."""
    floating = all(isinstance(joint.type, Free) and joint.parent == WORLD for joint in mech.joints.values())
    return bool(mech.bodies) and floating and not any(body.inertia.mass > 0.0 for body in mech.bodies.values())


def unjoined_rows(mech: Mechanism) -> list[list[str]]:
    """The rows of such a recording."""
    return [[MORE_ROW, "", f"{len(mech.bodies)} bodies without mass, not joined", "", ""]]
