"""What a URDF file that Regraft wrote says besides, so that it is read back as it was: in an element <regraft>, as JSON.

Other programs pass it over. It never contradicts what they read: a pose in it counts only where it is the same as the one that is
in the file but for rounding.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...algebra.pose import Pose
from ...describe.plain import pose_from_dict
from ...errors import FileError, ModelError
from ...tolerances import SAME_WRITTEN
from ...xml_tree import Node, NodeError, text_in
from .urdf_joints import JointRead

TAG = "regraft"
VERSION = 1


@dataclass(slots=True)
class Own:
    """The data in the element <regraft>; empty where there is none.

    Attributes
    ----------
    data : dict
        ``poses``: those that three angles do not give to the last digit. ``helpers``: links that are no bodies, by the joint
        that they were made for. ``frames``: links that are frames. ``base``: the joint to the world. ``joints``, ``couplings``,
        ``efforts``, ``actuators``, ``shapes``, ``keyframes``, ``gravity``: what URDF has no word for.
    """

    data: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, element: Node | None) -> Own:
        """From the element in a file."""
        if element is None:
            return cls()
        try:
            data = json.loads(text_in(element))
        except (ValueError, RecursionError) as problem:
            raise _damaged(element, str(problem)) from None
        if not isinstance(data, dict) or data.get("version") != VERSION:
            raise _damaged(element, f"it must have the version {VERSION}")
        tables = ("poses", "helpers", "frames", "base", "joints", "couplings", "efforts", "actuators")
        if not all(isinstance(data.get(table, {}), dict) for table in tables):
            raise _damaged(element, f"{', '.join(tables)} must be tables")
        return cls(data)

    def table(self, name: str) -> dict[str, Any]:
        """One of its tables; empty where there is none."""
        found: dict[str, Any] = self.data.get(name, {})
        return found

    def exact(self, kind: str, name: str, pose: Pose) -> Pose:
        """A pose of the file with all its digits."""
        return self._exact(f"{kind} {name}", pose) if self.data else pose

    def _exact(self, key: str, pose: Pose) -> Pose:
        written = self.table("poses").get(key)
        if written is None:
            return pose
        exact = pose_from_dict(written)
        return exact if same_pose(exact, pose) else pose

    def place(self, joint: JointRead) -> None:
        """Give a joint its two poses with all digits."""
        if not self.data:
            return
        poses = self.table("poses")
        parent, child = poses.get(f"parent {joint.name}"), poses.get(f"child {joint.name}")
        if parent is None and child is None:
            return
        on_parent = joint.parent_pose if parent is None else pose_from_dict(parent)
        on_child = joint.child_pose if child is None else pose_from_dict(child)
        if joint.kind == "fixed":
            agrees = same_pose(on_parent @ on_child.inverse(), joint.parent_pose @ joint.child_pose.inverse())
        else:
            agrees = same_pose(on_parent, joint.parent_pose) and same_pose(on_child, joint.child_pose)
        if agrees:
            joint.parent_pose, joint.child_pose = on_parent, on_child


def fold_helpers(own: Own, links: dict[str, Node], joints: dict[str, JointRead]) -> None:
    """Take out the links that were written only to have a place for a joint; the joint then ends on the body behind."""
    helpers = own.table("helpers")
    if not helpers:
        return
    below: dict[str, list[JointRead]] = {}
    for one in joints.values():
        below.setdefault(one.parent, []).append(one)
    for helper, name in helpers.items():
        joint, behind = joints.get(name), below.get(helper, [])
        is_helper = helper in links and len(links[helper]) == 0 and len(behind) == 1 and behind[0].kind == "fixed"
        if joint is not None and joint.child == helper and is_helper:
            joint.child, joint.child_pose = behind[0].child, behind[0].parent_pose.inverse()
            del links[helper], joints[behind[0].name]


def taken_frames(own: Own, links: dict[str, Node], joints: dict[str, JointRead]) -> dict[str, JointRead]:
    """Take out the links that were written for frames, and give back the joints that hold them, by the frames' names."""
    frames = own.table("frames")
    if not frames:
        return {}
    parents = {joint.parent for joint in joints.values()}
    holding = {joint.child: joint for joint in joints.values()}
    found = {}
    for name in frames:
        joint = holding.get(name)
        if name in links and len(links[name]) == 0 and name not in parents and joint is not None and joint.kind == "fixed":
            found[name] = joint
            del links[name], joints[joint.name]
    return found


def same_pose(one: Pose, other: Pose) -> bool:
    """Whether two poses are the same but for rounding."""
    size = 1.0 + float(np.abs(other.row).max())
    return bool(np.abs(one.row - other.row).max() <= SAME_WRITTEN * size)


def read_own_parts(element: Node | None, add: Any) -> None:
    """Let `add` read plain data of the element; where that fails, the element is damaged."""
    try:
        add()
    except (ModelError, KeyError, TypeError, ValueError, AttributeError) as problem:
        if element is None or isinstance(problem, FileError):
            raise
        raise _damaged(element, str(problem)) from None


def _damaged(element: Node, problem: str) -> FileError:
    return NodeError(element, f"the element <{TAG}> is damaged ({problem}); take it out, or write the file again.")
