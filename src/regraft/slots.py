"""Which joint has which numbers in a state: tree joints get slots in q and v, loop joints are found and get none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .joints import JointType
from .parts import Joint

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Which tree joint has which numbers in q and v; equal for mechanisms of equal structure."""

    joints: tuple[tuple[str, JointType, str, str], ...]
    """(name, type, parent, child) of each tree joint, in the order in which they were added."""
    types: Mapping[str, JointType]
    loops: tuple[tuple[str, str, str], ...]
    """(name, parent, child) of each loop joint."""
    q_slices: Mapping[str, slice]
    v_slices: Mapping[str, slice]
    nq: int
    nv: int
    neutral: Array
    """Every joint at the position at which its two frames coincide."""
    curved: tuple[str, ...]
    """The joints whose positions lie on a manifold, such as unit quaternions."""

    def same_structure(self, other: Layout) -> bool:
        """Whether a state of the one can be read as a state of the other."""
        return self is other or (
            self.loops == other.loops
            and len(self.joints) == len(other.joints)
            and all(
                a[0] == b[0] and type(a[1]) is type(b[1]) and a[2:] == b[2:]
                for a, b in zip(self.joints, other.joints, strict=True)
            )
        )


def lay_out(joints: Mapping[str, Joint]) -> Layout:
    """Tell tree joints from loop joints, in the order in which they were added, and give the tree joints their slots."""
    above: dict[str, str] = {}

    def top(body: str) -> str:
        while body in above:
            over = above[body]
            if over in above:
                above[body] = above[over]
            body = over
        return body

    tree, loops = [], []
    q_slices, v_slices, nq, nv = {}, {}, 0, 0
    for joint in joints.values():
        a, b = top(joint.parent), top(joint.child)
        if a == b:
            loops.append((joint.name, joint.parent, joint.child))
            continue
        above[b] = a
        tree.append((joint.name, joint.type, joint.parent, joint.child))
        q_slices[joint.name], v_slices[joint.name] = slice(nq, nq + joint.type.nq), slice(nv, nv + joint.type.nv)
        nq, nv = nq + joint.type.nq, nv + joint.type.nv
    neutral = [kind.neutral() for _, kind, *_ in tree]
    return Layout(
        joints=tuple(tree),
        types={name: kind for name, kind, *_ in tree},
        loops=tuple(loops),
        q_slices=q_slices,
        v_slices=v_slices,
        nq=nq,
        nv=nv,
        neutral=np.concatenate(neutral) if neutral else np.zeros(0),
        curved=tuple(name for name, kind, *_ in tree if kind.kernels.normalise is not None),
    )
