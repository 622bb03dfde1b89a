"""Which joint has which numbers in a state: tree joints get slots in q and v, loop joints are found and get none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..joints import JointType

if TYPE_CHECKING:
    from ..describe.parts import Joint

WORLD = "world"
"""The body that does not move."""

Array = NDArray[np.float64]


class Layout(NamedTuple):
    """Which tree joint has which numbers in q and v; equal for mechanisms of equal structure."""

    joints: tuple[tuple[str, JointType, str, str], ...]
    """(name, type, parent, child) of each tree joint, in the order in which they were added."""
    names: tuple[str, ...]
    """Their names alone."""
    loops: tuple[tuple[str, str, str], ...]
    """(name, parent, child) of each loop joint."""
    q_slices: Mapping[str, slice]
    v_slices: Mapping[str, slice]
    nq: int
    nv: int
    rest: Array
    """(q, v) of the bind pose: every joint at the position at which its two frames coincide, and at rest."""
    curved: tuple[int, ...]
    """Which of the joints have positions on a manifold, such as unit quaternions."""
    couplings: tuple[str, ...] = ()
    """The name of each coupling; states need not know of them."""

    @property
    def is_constrained(self) -> bool:
        """Whether there are loops or couplings, so that not all positions and velocities are possible."""
        return bool(self.loops or self.couplings)

    @property
    def constraints(self) -> tuple[str, ...]:
        """All that has constraint rows, in the order of these, as messages name it."""
        loops = [f"the loop of joint {name!r}" for name, *_ in self.loops]
        return (*loops, *(f"the coupling {name!r}" for name in self.couplings))

    @property
    def neutral(self) -> Array:
        """The positions of the bind pose."""
        return self.rest[: self.nq]

    def with_joint(self, j: int, new: Joint) -> Layout:
        """The layout with another joint in the place of the j-th, for a change that makes no loop.  Mostly O(1) work."""
        old, kind = self.joints[j], new.type
        q, v = self.q_slices[old[0]], self.v_slices[old[0]]
        joints, names = list(self.joints), list(self.names)
        joints[j], names[j] = (new.name, kind, new.parent, new.child), new.name
        curved = [c for c in self.curved if c != j]
        if kind.kernels.normalise is not None:
            curved = sorted([*curved, j])
        q_slices, v_slices = dict(self.q_slices), dict(self.v_slices)
        del q_slices[old[0]], v_slices[old[0]]
        q_slices[new.name], v_slices[new.name] = slice(q.start, q.start + kind.nq), slice(v.start, v.start + kind.nv)
        more_q, more_v = kind.nq - old[1].nq, kind.nv - old[1].nv
        if more_q or more_v:
            for name in names[j + 1 :]:
                q_slices[name] = slice(q_slices[name].start + more_q, q_slices[name].stop + more_q)
                v_slices[name] = slice(v_slices[name].start + more_v, v_slices[name].stop + more_v)
        alike = type(kind) is type(old[1])
        return Layout(
            joints=tuple(joints),
            names=tuple(names),
            loops=self.loops,
            q_slices=q_slices,
            v_slices=v_slices,
            nq=self.nq + more_q,
            nv=self.nv + more_v,
            rest=self.rest if alike else self.exchanged(self.rest, j, kind.neutral(), np.zeros(kind.nv)),
            curved=tuple(curved),
        )

    def with_loops(self, loops: tuple[tuple[str, str, str], ...], couplings: tuple[str, ...] = ()) -> Layout:
        """The layout of the same tree with other loops and couplings."""
        return Layout._make((*self[:2], loops, *self[3:-1], couplings))

    def exchanged(self, x: Array, j: int, q: Array, v: Array) -> Array:
        """The numbers (q, v) with other ones, as many as there are, in the place of the j-th joint's."""
        name, nq = self.names[j], self.nq
        at_q, at_v = self.q_slices[name], self.v_slices[name]
        if len(q) == at_q.stop - at_q.start and len(v) == at_v.stop - at_v.start:
            found = x.copy()
            found[at_q], found[nq:][at_v] = q, v
            return found
        return np.concatenate((x[: at_q.start], q, x[at_q.stop : nq + at_v.start], v, x[nq + at_v.stop :]))

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
        kind = joint.type
        in_q = slice(nq, nq + kind.nq)
        in_v = in_q if nq == nv and kind.nq == kind.nv else slice(nv, nv + kind.nv)  # shared, as in large trees most are equal
        q_slices[joint.name], v_slices[joint.name] = in_q, in_v
        nq, nv = in_q.stop, in_v.stop
    at_rest = {cls: cls.neutral(kind) for cls, kind in {type(kind): kind for _, kind, *_ in tree}.items()}  # one for each type
    neutral = [at_rest[type(kind)] for _, kind, *_ in tree]
    return Layout(
        joints=tuple(tree),
        names=tuple(name for name, *_ in tree),
        loops=tuple(loops),
        q_slices=q_slices,
        v_slices=v_slices,
        nq=nq,
        nv=nv,
        rest=np.concatenate([*neutral, np.zeros(nv)]),
        curved=tuple(j for j, (_, kind, *_) in enumerate(tree) if kind.kernels.normalise is not None),
    )
