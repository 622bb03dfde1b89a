"""The state of a mechanism: positions and velocities of its tree joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError, listed
from .joints import JointType
from .pose import finite
from .slots import Layout

Array = NDArray[np.float64]


class State:
    """Positions q and velocities v of a mechanism's tree joints. Immutable; made by ``Mechanism.state``.

    Attributes
    ----------
    q : (nq,) array
        Positions of the tree joints, in the order in which they were added; a view that cannot be written to.
    v : (nv,) array
        Velocities, likewise.
    impulse : mapping of str to (6,) array, or None
        What the change of structure that made this state exchanged, by joint: (moment, force) impulse on the joint's child, about
        the joint, in world axes. None if there was no impact.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    >>> mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    >>> state = mech.state(q={"hinge": 0.3})
    >>> state.q, state.v
    (array([0.3]), array([0.]))
    """

    __slots__ = ("_x", "impulse", "layout")

    def __init__(self, layout: Layout, x: Array, impulse: Any = None) -> None:
        self.layout = layout
        self._x = x  # q, then v, in one piece
        self.impulse = impulse
        """What the joints exchanged in the impact that led here: by name, the (moment, force) impulse on the child; else None."""

    @property
    def q(self) -> Array:
        """Positions of the tree joints, in the order in which they were added; a view that cannot be written to."""
        return _read_only(self._q)

    @property
    def v(self) -> Array:
        """Velocities of the tree joints, in the order in which they were added; a view that cannot be written to."""
        return _read_only(self._v)

    @property
    def _q(self) -> Array:
        """Positions as kernels take them."""
        return self._x[: self.layout.nq]

    @property
    def _v(self) -> Array:
        """Velocities as kernels take them."""
        return self._x[self.layout.nq :]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return np.array_equal(self._x, other._x) and self.layout.same_structure(other.layout)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lines = ["State:"]
        for name, *_ in self.layout.joints:
            q, v = self._q[self.layout.q_slices[name]], self._v[self.layout.v_slices[name]]
            lines.append(f"  {name}: q = {_numbers(q)}, v = {_numbers(v)}")
        return "\n".join(lines)


def build_state(layout: Layout, q: Any, v: Any) -> State:
    """A state from dicts by joint name or from whole arrays; what is not given is neutral and at rest."""
    positions = _filled("q", layout, q, layout.q_slices, layout.neutral)
    velocities = _filled("v", layout, v, layout.v_slices, np.zeros(layout.nv))
    if q is not None:
        for j in layout.curved:
            name, kind, *_ = layout.joints[j]
            where = layout.q_slices[name]
            positions[where] = _on_manifold(name, kind, positions[where])
    return State(layout, np.concatenate([positions, velocities]))


def _filled(what: str, layout: Layout, given: Any, slices: Mapping[str, slice], default: Array) -> Array:
    if given is None:
        return default
    if isinstance(given, Mapping):
        start = default.copy()
        for name, numbers in given.items():
            if name not in slices:
                raise ModelError(_unknown_joint(name, layout))
            where = slices[name]
            count = where.stop - where.start
            one_number = count == 1 and np.ndim(numbers) == 0
            start[where] = finite(f"{what} of joint {name!r}", [numbers] if one_number else numbers, (count,))
        return start
    return finite(what, given, default.shape)


def _on_manifold(name: str, joint: JointType, q: Array) -> Array:
    nearest = joint.normalised(q)
    off = float(np.abs(nearest - q).max())
    if not off <= 1e-6:
        raise ModelError(
            f"q of joint {name!r} is no position of a {type(joint).__name__} joint: its quaternion (w, x, y, z) must have "
            f"length 1, it is off by {off:.3g}. Normalise it."
        )
    return q if off < 1e-15 else nearest


def _unknown_joint(name: str, layout: Layout) -> str:
    if any(name == loop for loop, *_ in layout.loops):
        return f"joint {name!r} is a loop joint: its position follows from the tree joints, give those."
    return f"there is no joint {name!r}; the tree joints are: {listed(layout.names)}."


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _numbers(values: Array) -> str:
    return f"{values[0]:.6g}" if values.size == 1 else "(" + ", ".join(f"{x:.6g}" for x in values) + ")"
