"""The two libraries that can hang a model on another root at all: Pinocchio's model graph, and DART's `moveTo`.

What they keep of the motion:

- Pinocchio builds another model from its graph, and converts the joints' positions and velocities. Where the base is and how it
  moves it does not convert: these numbers are zero afterwards, the quaternion too.
- DART moves one body with all that hangs on it to another parent. A change of the root is such a move for each joint between the
  old and the new root. Each body keeps the joint that it had to its former parent, with its numbers; frames, axes and types are
  to be set by hand, and from Python the type of a joint cannot be changed. So nothing of the motion is kept by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pinocchio as pin

from structure import FOOT, reroot_and_derive
from subjects import Subject, se3
from timing import Comparison, compare


def peer_comparisons(s: Subject) -> list[Comparison]:
    """The humanoid re-rooted from pelvis to foot, ready for dynamics, beside what the two do."""
    ours = reroot_and_derive(s, FOOT)
    what = "reroot, ready for dynamics"
    return [
        compare(what, s.name, ours, "pin.graph: model, data, q and v of joints", graph_rebuilt(s), None, 1, 50),
        compare(what, s.name, ours, "dartpy moveTo, joint by joint", bodies_moved(s), None, 1, 50),
    ]


def graph_rebuilt(s: Subject) -> Callable[[], object]:
    """Pinocchio: the model with another root, its data, and the joints' numbers converted."""
    graph = pin.graph.ModelGraph()
    for body in s.mech.bodies.values():
        graph.addBody(body.name, pin.Inertia(body.inertia.mass, np.array(body.inertia.com), np.array(body.inertia.tensor)))
    for joint in s.mech.joints.values():
        if joint.parent != "world":
            hinge = pin.graph.JointRevolute(np.array(joint.type.axis))  # type: ignore[attr-defined]
            graph.addJoint(joint.name, hinge, joint.parent, se3(joint.parent_pose), joint.child, se3(joint.child_pose.inverse()))

    def rooted_at(body: str) -> Any:
        return pin.graph.buildModelWithBuildInfo(graph, body, pin.SE3.Identity(), pin.graph.JointFreeFlyer(), "base")

    model, info = rooted_at(s.mech.joints[s.mech.layout.names[0]].child)
    q, v = pin.neutral(model), np.zeros(model.nv)

    def rebuild() -> object:
        other, its_info = rooted_at(FOOT)
        converter = pin.graph.createConverter(model, other, info, its_info)
        return other.createData(), converter.convertConfigurationVector(q), converter.convertTangentVector(q, v)

    return rebuild


def bodies_moved(s: Subject) -> Callable[[], object]:
    """DART: the bodies between foot and pelvis moved one by one, in turns there and back."""
    import dartpy  # here: it is needed for this row alone

    skeleton = dartpy.dynamics.Skeleton("humanoid")
    nodes: dict[str, Any] = {}
    parents: dict[str, str] = {}
    for joint in s.mech.joints.values():
        if joint.parent == "world":
            nodes[joint.child] = skeleton.createFreeJointAndBodyNodePair()[1]
        else:
            properties = dartpy.dynamics.RevoluteJointProperties()
            properties.mName, properties.mAxis = joint.name, joint.type.axis  # type: ignore[attr-defined]
            nodes[joint.child] = skeleton.createRevoluteJointAndBodyNodePair(nodes[joint.parent], properties)[1]
            parents[joint.child] = joint.parent
    way = [FOOT]
    while way[-1] in parents:
        way.append(parents[way[-1]])
    turns = [[nodes[name] for name in way], [nodes[name] for name in reversed(way)]]

    def move() -> object:
        there = turns[0]
        there[0].moveTo(None)
        for above, body in pairwise(there):
            body.moveTo(above)
        turns.reverse()
        return there

    return move
