"""Links and joints of a URDF file as a tree: one root, and one joint to each other link. In linear time, without recursion."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import listed
from ...xml_tree import Node, NodeError
from .urdf_joints import JointRead


def root_of(links: Mapping[str, Node], joints: Mapping[str, JointRead]) -> str:
    """The name of the root link; an error that names the line where the links are no tree."""
    above: dict[str, JointRead] = {}
    for joint in joints.values():
        for side, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise NodeError(
                    joint.element, f"the {side} of the joint {joint.name!r} is the link {link!r}, which is not in the file."
                )
        if joint.parent == joint.child:
            raise NodeError(joint.element, f"the joint {joint.name!r} joins the link {joint.parent!r} to itself.")
        if joint.child in above:
            raise NodeError(
                joint.element,
                f"the link {joint.child!r} is the child of two joints, {above[joint.child].name!r} and {joint.name!r}; URDF has "
                "trees only. Loops can be closed after reading, by rg.connect.",
            )
        above[joint.child] = joint
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        if not roots:
            raise _cycle(next(iter(links)), above)
        where = links[roots[1]]
        raise NodeError(
            where, f"the robot has {len(roots)} roots: {listed(roots)} are no joint's child. Join all but one to others."
        )
    _check_reached(roots[0], joints, above)
    return roots[0]


def _check_reached(root: str, joints: Mapping[str, JointRead], above: Mapping[str, JointRead]) -> None:
    """Each link but the root has one joint above it, so what the root does not lead to is on a cycle or behind one."""
    below: dict[str, list[str]] = {}
    for joint in joints.values():
        below.setdefault(joint.parent, []).append(joint.child)
    reached, waiting = {root}, [root]
    while waiting:
        for link in below.get(waiting.pop(), ()):
            reached.add(link)
            waiting.append(link)
    lost = next((link for link in above if link not in reached), None)
    if lost is not None:
        raise _cycle(lost, above)


def _cycle(link: str, above: Mapping[str, JointRead]) -> Exception:
    """An error that names the joints of the cycle above a link."""
    seen: set[str] = set()
    while link not in seen:
        seen.add(link)
        link = above[link].parent
    names, at = [], link
    while True:
        names.append(above[at].name)
        at = above[at].parent
        if at == link:
            break
    return NodeError(above[link].element, f"the joints {listed(names)} go round in a cycle; URDF has trees only.")
