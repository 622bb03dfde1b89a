"""S1's view of a mechanism's trees: parents, children and siblings, tree transforms, pivots, variables with flipped signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..kernels.tables import BODY, JOINT, PARENT, POLARITY
from ..structure.structure import Structure

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Hierarchy:
    """The trees of a mechanism in S1's terms; made by `hierarchy`. S1 is the first of the papers in the README.

    Everything but `tops` is by the name of a body. A body's frame has the body's axes and sits at its pivot, the joint by which
    it hangs on its parent. S1's eq. 5 has `E`, `t` and `r`.

    Attributes
    ----------
    tops : tuple of str
        The bodies that hang on the world, one for each tree.
    parent : mapping of str to str
        λ; of a top it is the world.
    first_child, next_sibling : mapping of str to str or None
        The other two links of S1's tree.
    E : mapping of str to (3, 3) array
        Turns coordinates of the parent's frame into those of the body's, in the bind pose.
    t : mapping of str to (3,) array
        The body's pivot in the parent's frame, in the bind pose.
    r : mapping of str to (3,) array
        From the body's centre of mass to its pivot, in the body's axes.
    q, v : mapping of str to array
        Position and velocity of the joint that each body hangs on, seen from its parent: reversed where the joint is walked
        backwards.
    """

    tops: tuple[str, ...]
    parent: Mapping[str, str]
    first_child: Mapping[str, str | None]
    next_sibling: Mapping[str, str | None]
    E: Mapping[str, Array]
    t: Mapping[str, Array]
    r: Mapping[str, Array]
    q: Mapping[str, Array]
    v: Mapping[str, Array]

    @property
    def top(self) -> str:
        """The top of the first tree."""
        return self.tops[0]


def hierarchy(mech: Mechanism, state: State | None = None) -> Hierarchy:
    """The trees of a mechanism as S1 describes them.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State, optional
        Where the joint variables are from; by default the bind pose at rest.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("thigh", rg.Inertia.rod(7.0, (0, 0, 0), (0, 0, -0.4)))
    >>> mech.add_body("shank", rg.Inertia.rod(3.0, (0, 0, 0), (0, 0, -0.4)))
    >>> mech.add_joint("hip", rg.Revolute((0, 1, 0)), "world", "thigh")
    >>> mech.add_joint("knee", rg.Revolute((0, 1, 0)), "thigh", "shank", rg.Pose(translation=(0, 0, -0.4)))
    >>> view = rg.hierarchy(mech)
    >>> view.top, view.parent["shank"], view.first_child["thigh"], view.t["shank"].tolist()
    ('thigh', 'thigh', 'shank', [0.0, 0.0, -0.4])
    """
    structure = mech.structure
    now = mech.state() if state is None else state
    mech.check_state(now)
    names = [structure.body_names[b] for b in structure.walk[:, BODY].tolist()]
    above = [WORLD if p < 0 else names[p] for p in structure.walk[:, PARENT].tolist()]
    turns, pivots = _bind_frames(structure)
    E, t, r, q, v = {}, {}, {}, {}, {}
    for k, name in enumerate(names):
        p = structure.walk[k, PARENT]
        axes, origin = (np.eye(3), np.zeros(3)) if p < 0 else (turns[p], pivots[p])
        E[name], t[name] = turns[k].T @ axes, axes.T @ (pivots[k] - origin)
        r[name] = structure.far[k, 9:] - mech.bodies[name].inertia.com
        joint, kind, *_ = mech.layout.joints[structure.walk[k, JOINT]]
        q[name], v[name] = mech.joint_position(now, joint), mech.joint_velocity(now, joint)
        if structure.walk[k, POLARITY] < 0:
            q[name], v[name] = kind.reverse(q[name]), kind.reverse_velocity(q[name], v[name])
    children: dict[str, list[str]] = {}
    for name, over in zip(names, above, strict=True):
        children.setdefault(over, []).append(name)
    next_sibling = {a: b for row in children.values() for a, b in zip(row, [*row[1:], None], strict=True)}
    return Hierarchy(
        tops=tuple(children.get(WORLD, ())),
        parent=dict(zip(names, above, strict=True)),
        first_child={name: children[name][0] if name in children else None for name in names},
        next_sibling=next_sibling,
        E=E,
        t=t,
        r=r,
        q=q,
        v=v,
    )


def _bind_frames(structure: Structure) -> tuple[Array, Array]:
    """Orientation and pivot of every row's body in the bind pose."""
    motions = structure.bind
    turns = motions[:, :9].reshape(-1, 3, 3)
    return turns, motions[:, 9:POSE] + np.einsum("kij,kj->ki", turns, structure.far[:, 9:])
