"""The state of a mechanism: positions and velocities of its tree joints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite
from ..errors import ModelError, listed, meant, printable
from ..joints import JointType
from ..structure.layout import Layout
from ..tolerances import QUATERNION_ROUNDING, UNIT_QUATERNION
from . import plain as files

Array = NDArray[np.float64]

FORMAT = "regraft state"
VERSION = 1


class JointState(NamedTuple):
    """Position and velocity of one joint, as `State` gives them by name.

    Attributes
    ----------
    q : (nq,) array
        Its position; an array without dimensions, which `float` takes, where it has one number.
    v : (nv,) array
        Its velocity, in the same form.
    """

    q: Array
    v: Array


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
    >>> float(state["hinge"].q), float(state["hinge"].v)
    (0.3, 0.0)
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

    def __getitem__(self, joint: str) -> JointState:
        """Position and velocity of a tree joint; those of a loop joint follow from these, ask `Mechanism.joint_position`."""
        if not isinstance(joint, str) or joint not in self.layout.q_slices:
            raise ModelError(_unknown_joint(joint, self.layout))
        q, v = self.q[self.layout.q_slices[joint]], self.v[self.layout.v_slices[joint]]
        return JointState(q[0, ...] if q.size == 1 else q, v[0, ...] if v.size == 1 else v)

    def replace(self, q: Any = None, v: Any = None) -> State:
        """A state with other numbers for some joints; the rest stays, to the last digit.

        Parameters
        ----------
        q : mapping of str to number or array_like, or (nq,) array_like, optional
            Positions, by the names of tree joints or as a whole array, as `Mechanism.state` takes them.
        v : mapping of str to number or array_like, or (nv,) array_like, optional
            Velocities, likewise.

        Returns
        -------
        State
            It belongs to the same mechanism. It has no `impulse`, whatever this one has.

        Raises
        ------
        ModelError
            If there is no such joint, or its numbers are not what the joint has.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.Mechanism()
        >>> mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
        >>> mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
        >>> mech.state(q={"hinge": 0.3}).replace(v={"hinge": -1.0})
        State:
          hinge: q = 0.3, v = -1
        """
        return _changed(self.layout, self._q.copy(), self._v.copy(), q, v)

    def to_dict(self) -> dict[str, Any]:
        """The state as plain data, for JSON.

        Returns
        -------
        dict
            Numbers by joint name, and the joints that tell its structure; `State.from_dict` makes the state of it.
        """
        found = {"format": FORMAT, "version": VERSION, **files.layout_to_dict(self.layout)}
        found |= {"q": _by_joint(self._q, self.layout.q_slices), "v": _by_joint(self._v, self.layout.v_slices)}
        if self.impulse is not None:
            found["impulse"] = {name: np.asarray(wrench).tolist() for name, wrench in self.impulse.items()}
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> State:
        """The state of `to_dict`; every number and joint is checked.

        Parameters
        ----------
        data : mapping
            What `State.to_dict` gave.

        Returns
        -------
        State
            Of every mechanism that has these joints between these bodies; with another one it is an error.

        Raises
        ------
        ModelError
            If the data is damaged or something else.
        """
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise ModelError(f"this is not a state: the field 'format' must be {FORMAT!r}.")
        if data.get("version") != VERSION:
            raise ModelError(f"the file has version {data.get('version')!r}; this release reads version {VERSION}.")
        try:
            layout = files.layout_from_dict(dict(data))
            found = build_state(layout, dict(data["q"]), dict(data["v"]))
            given = data.get("impulse")
            impulse = given and {name: finite(f"impulse of {name!r}", wrench, (6,)) for name, wrench in given.items()}
            return cls(layout, found._x, impulse)
        except KeyError as missing:
            raise ModelError(f"the description is damaged: the entry {missing} is missing. Save the state again.") from missing
        except (TypeError, AttributeError, ValueError) as problem:
            raise ModelError(
                f"the description is damaged: {printable(str(problem)).rstrip('.')}. Save the state again."
            ) from problem

    def save(self, path: str | Path) -> None:
        """Write the state to a JSON file; `regraft.load` reads it back, equal to the last digit.

        The file has the names and types of the joints and the bodies that they join, not their inertias and places: what
        comes back is a state of every mechanism of this structure.

        Parameters
        ----------
        path : str or Path
            The file; what was there is replaced once all of the new one is written.

        Raises
        ------
        RegraftError
            If the file cannot be written.

        Examples
        --------
        >>> import regraft as rg, tempfile, pathlib
        >>> mech, state = rg.models.pendulum().start
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "start.json"
        >>> state.save(file)
        >>> rg.load(file) == state
        True
        """
        files.write_json(path, self.to_dict())

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
    return _changed(layout, layout.neutral, np.zeros(layout.nv), q, v)


def _changed(layout: Layout, positions: Array, velocities: Array, q: Any, v: Any) -> State:
    """The state with these positions and velocities but for those that are given."""
    positions = _filled("q", layout, q, layout.q_slices, positions)
    velocities = _filled("v", layout, v, layout.v_slices, velocities)
    if q is not None:
        for j in layout.curved:
            name, kind, *_ = layout.joints[j]
            if not isinstance(q, Mapping) or name in q:
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
    if not off <= UNIT_QUATERNION:
        off = 1.0 if np.isnan(off) else off  # from zeros there is no nearest one
        raise ModelError(
            f"q of joint {name!r} is no position of a {type(joint).__name__} joint: its quaternion (w, x, y, z) must have "
            f"length 1, it is off by {off:.3g}. Normalise it."
        )
    return q if off < QUATERNION_ROUNDING else nearest


def _unknown_joint(name: str, layout: Layout) -> str:
    if any(name == loop for loop, *_ in layout.loops):
        return f"joint {name!r} is a loop joint: its position follows from the tree joints, give those."
    return f"there is no joint {name!r}; the tree joints are: {listed(layout.names)}.{meant(name, layout.names)}"


def _by_joint(numbers: Array, slices: Mapping[str, slice]) -> dict[str, Any]:
    """The numbers of each joint that has any: one as it is, several as a list."""
    found = {name: numbers[where].tolist() for name, where in slices.items() if where.stop > where.start}
    return {name: own[0] if len(own) == 1 else own for name, own in found.items()}


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _numbers(values: Array) -> str:
    return f"{values[0]:.6g}" if values.size == 1 else "(" + ", ".join(f"{x:.6g}" for x in values) + ")"
