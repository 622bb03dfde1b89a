"""Re-rooting: another body becomes the root of its spanning tree, the one that hangs on the world; its motion is kept (S1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.memory import load_vector, store_pose
from ..algebra.pose import POSE, WORLD_MOTION, Pose, finite
from ..algebra.rotations import orthonormal
from ..algebra.spatial import identity, rotate_back, subtract
from ..compilation import Floats, Table, entry
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..errors import StructureError
from ..joints import Free, JointType, Settling, is_registered
from ..kernels.impact import plastic_impact
from ..structure.failures import explain_failure
from ..structure.structure import Structure
from ..tolerances import CARRIED, REPRESENTABLE, SAME_POINT
from .carry import Settled, absolute_point, carried, carried_accelerations, check_body, refuse_motion
from .connect import hold_together
from .impulses import Impact, Impulses

Array = NDArray[np.float64]

_FREE, _HERE = Free(), Pose()


@overload
def reroot(
    mech: Mechanism,
    state: State,
    top: str,
    *,
    at: ArrayLike | None = None,
    joint: JointType | None = None,
    name: str | None = None,
    velocity: str = "carry",
    align: str = "bind",
    acceleration: None = None,
) -> tuple[Mechanism, State]: ...


@overload
def reroot(
    mech: Mechanism,
    state: State,
    top: str,
    *,
    at: ArrayLike | None = None,
    joint: JointType | None = None,
    name: str | None = None,
    velocity: str = "carry",
    align: str = "bind",
    acceleration: ArrayLike,
) -> tuple[Mechanism, State, Array]: ...


def reroot(
    mech: Mechanism,
    state: State,
    top: str,
    *,
    at: ArrayLike | None = None,
    joint: JointType | None = None,
    name: str | None = None,
    velocity: str = "carry",
    align: str = "bind",
    acceleration: ArrayLike | None = None,
) -> tuple[Mechanism, State] | tuple[Mechanism, State, Array]:
    """Make another body the one that hangs on the world: the old base joint of its tree goes, every other joint stays as it is.

    A base joint that was there before, under the same name, type and point, is put back as it was, with its actuators. Where the
    new base joint has another number of coordinates than the old one, the places in q and v of the joints behind it shift.

    Parameters
    ----------
    mech : Mechanism
        The mechanism; it is not changed.
    state : State
        Its position and velocity.
    top : str
        The body that is to hang on the world.
    at : (3,) array_like, optional
        The absolute point where the new base joint sits; by default the body's origin.
    joint : JointType, optional
        The new base joint; by default `Free()`.
    name : str, optional
        Its name; by default ``"<top>_base"``.
    velocity : {"carry", "impact"}, optional
        "carry" keeps every body's motion and is refused where the joint cannot carry it; "impact" lets the joint stop what it
        cannot carry, as a plastic impact of the whole mechanism.
    align : {"bind", "current"}, optional
        The orientation of the body at which the new joint is at zero: the one it has when all joints of the mechanism are at zero
        (its bind pose), or the present one.
    acceleration : (nv,) array_like, optional
        Accelerations v̇ of the old joints, to be carried over too.

    Returns
    -------
    mech : Mechanism
        The re-rooted mechanism.
    state : State
        Its state; after an impact `impulse` has what was exchanged, by joint.
    acceleration : (nv,) array
        Only if one was given: the accelerations of the new joints, with which every body accelerates as before.

    Raises
    ------
    StructureError
        If there is no such body, the joint cannot take its pose or carry its motion, or a coupling needs the old base joint.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("thigh", rg.Inertia.rod(7.0, (0, 0, 0), (0, 0, -0.4)))
    >>> mech.add_body("shank", rg.Inertia.rod(3.0, (0, 0, 0), (0, 0, -0.4)))
    >>> mech.add_joint("hip", rg.Revolute((0, 1, 0)), "world", "thigh")
    >>> mech.add_joint("knee", rg.Revolute((0, 1, 0)), "thigh", "shank", rg.Pose(translation=(0, 0, -0.4)))
    >>> standing, state = rg.reroot(mech, mech.state(q={"knee": 0.3}), "shank", name="ankle")
    >>> print(standing)
    Mechanism: 2 bodies, 2 joints, 7 degrees of freedom, 10 kg
    world
    └─ ankle: Free → shank (3 kg)
       └─ knee: Revolute ← thigh (7 kg)
    """
    check_body(mech, top)
    mech.check_state(state)
    _check_words(velocity, align)
    kind = _FREE if joint is None else joint
    if not is_registered(kind):
        raise StructureError(f"joint must be a joint type of the registry, such as Revolute((0, 1, 0)), not {joint!r}.")
    if acceleration is not None and velocity == "impact":
        raise StructureError('accelerations are not defined through an impact; leave acceleration out, or use velocity="carry".')
    landed = Landing(top, kind, name, align=align).new_base(
        mech.structure, mech.former_bases, mech.structure.motion(state._x), None if at is None else absolute_point(at)
    )
    if velocity == "impact":
        return struck(mech, state, landed)
    base, held, j = landed.base, landed.held, landed.place
    changed = mech.with_base(mech.structure.joint_names[j], base)
    if not held.twist_gap <= CARRIED:
        raise refuse_motion(base, held.twist_gap)
    if mech.layout.is_constrained:
        after = carried(mech, state, changed, {base.name: held})
    else:
        after = State(changed.layout, mech.layout.exchanged(state._x, j, held.q, held.v))
    if acceleration is None:
        return changed, after
    a = finite("acceleration", acceleration, (mech.nv,))
    return changed, after, carried_accelerations(mech, state, a, changed, {base.name: held})


class NewBase(NamedTuple):
    """A joint by which a body is to hang on the world."""

    base: Joint
    held: Settled
    """Its position and velocity."""
    now: Array
    """(18,): how the body is and moves."""
    place: int
    """Which joint of the layout it replaces."""


class Landing:
    """A body that comes to hang on the world by a joint of some type, once or again and again.

    It does so at a frame `on` it, at a point that is given with its motion, or at its origin. Not for two threads at a time.
    """

    def __init__(self, top: str, kind: JointType, name: str | None, *, on: Pose | None = None, align: str = "bind") -> None:
        self.top, self._type, self._on, self._align = top, kind, on, align
        self._name = f"{top}_base" if name is None else name
        self._settle = Settling(kind)
        self._motions = np.array((WORLD_MOTION, WORLD_MOTION))

    def new_base(self, structure: Structure, formers: Mapping[str, Joint], motions: Array, point: Array | None = None) -> NewBase:
        """The joint by which it is to hang on the world; `motions` are those of all bodies, as `Structure.motion` gives them."""
        row = structure.row_of[self.top]
        now, afresh = motions[row], self._align == "current"
        if self._on is not None:
            point = now[:9].reshape(3, 3).dot(self._on.translation) + now[9:POSE]
        former = None if afresh else self._former(formers, now, point)
        base, held = former or self._aligned(now, now if afresh else structure.bind[row], point)
        return NewBase(base, held, now, structure.base_joints[row])

    def _aligned(self, now: Array, zero: Array, point: Array | None) -> tuple[Joint, Settled]:
        """A joint that is at zero where the body is turned as at `zero`; an error where it cannot take the present pose."""
        places = _base_places(now, zero, now[9:POSE] if point is None else point)
        if self._on is not None:
            places[1] = self._on.row
        on_body = self._on if self._on is not None else _HERE if point is None else Pose.from_row(places[1])
        base = Joint(self._name, self._type, WORLD, self.top, Pose.from_row(places[0]), on_body)
        held = self._settled(True, now, places)
        if not held.pose_gap <= REPRESENTABLE:
            raise _refuse_orientation(base, self.top, held.pose_gap)
        return base, held

    def _former(self, formers: Mapping[str, Joint], now: Array, point: Array | None) -> tuple[Joint, Settled] | None:
        """The base joint that had this name before another one replaced it, if it is what is asked for (A1)."""
        former = formers.get(self._name) if isinstance(self._name, str) else None
        if former is None or {former.parent, former.child} != {WORLD, self.top} or former.type != self._type:
            return None
        is_child = former.child == self.top
        held = self._settled(is_child, now, former.places())
        if not held.pose_gap <= REPRESENTABLE:
            return None
        on_top = former.child_pose if is_child else former.parent_pose
        place, there = Pose.from_row(now).apply(on_top.translation), now[9:POSE] if point is None else point
        return (former, held) if np.abs(place - there).max() <= SAME_POINT * (1.0 + float(np.abs(there).max())) else None

    def _settled(self, is_child: bool, now: Array, places: Array) -> Settled:
        """Position and velocity of a joint between the world and the body, its child or its parent; see `settled`."""
        own = int(is_child)
        self._motions[own], self._motions[1 - own] = now, WORLD_MOTION
        return Settled._make(self._settle(self._motions, places))


def struck(mech: Mechanism, state: State, landed: NewBase) -> tuple[Mechanism, State]:
    """The mechanism on its new base joint, after the plastic impact there."""
    structure, (base, held, now, j) = mech.structure, landed
    changed = mech.with_base(structure.joint_names[j], base)
    top = base.child if base.parent == WORLD else base.parent
    if mech.layout.is_constrained:
        return changed, _closed_impact(mech, state, changed, top, base, held)
    x, gap = impact_on(changed.structure, mech.layout.exchanged(state._x, j, held.q, held.v), top, now)
    if not gap > 0.0:
        why = explain_failure(changed.structure, changed.structure.work, x[: changed.nq], changed.structure.row_of[top])
        raise StructureError(f"joint {base.name!r}: the impact has no unique result: {why}")
    exchanged = Impact(changed, changed.structure, x, structure, state._x, (), np.zeros((0, 6)))
    return changed, State(changed.layout, x, Impulses(exchanged))


def impact_on(structure: Structure, x: Array, top: str, now: Array) -> tuple[Array, float]:
    """(q, v) after the plastic impact of a whole tree at its new base joint (S1 7.2, 8.5), and the least MARGIN of its joints.

    Where that is not positive, there is no unique result.
    """
    after = np.empty(structure.nv)
    margin = plastic_impact.call(structure.work, x, structure.row_of[top], now.reshape(1, -1), after)
    if margin > 0.0:
        x[structure.nq :] = after
    return x, margin


def _check_words(velocity: str, align: str) -> None:
    if velocity not in ("carry", "impact"):
        raise StructureError(f'velocity must be "carry" or "impact", not {velocity!r}.')
    if align not in ("bind", "current"):
        raise StructureError(f'align must be "bind" or "current", not {align!r}.')


@entry
def _places(now: Floats, zero: Floats, point: Floats, out: Table) -> None:
    """Where the new base joint's frame is on the world and on the body (S1 eqs. 13–18).

    On the world it has the axes that the body has in its zero pose, on the body those of the body.
    """
    to = load_vector(point, 0, 3)
    R_now, p_now = load_vector(now, 0, 9), load_vector(now, 9, 3)
    store_pose(out, 0, (orthonormal(load_vector(zero, 0, 9)), to))
    store_pose(out, 1, (identity(0.0), rotate_back(R_now, subtract(to, p_now))))


def _base_places(now: Array, zero: Array, point: Array) -> Array:
    """(2, 12): the new base joint's frame on the world and on the body."""
    places = np.empty((2, POSE))
    _places.call(now, zero, point, places)
    return places


def _refuse_orientation(base: Joint, top: str, gap: float) -> StructureError:
    return StructureError(
        f"joint {base.name!r}, {base.type!r}, cannot take the orientation that {top!r} now has relative to its bind pose: the "
        f"nearest one that it has is off by {gap:.3g}. Use a joint with more freedom, such as Free(), "
        'or make the present pose its zero with align="current".'
    )


def _closed_impact(mech: Mechanism, state: State, changed: Mechanism, top: str, base: Joint, held: Settled) -> State:
    """The same with closed loops: the mechanism is let float, then the new base takes hold of it as `connect` would."""
    floating, before = reroot(mech, state, top, name=_unused(mech, f"{base.name}_"))
    caught, after = hold_together(floating, before, [base])
    known = {base.name: held._replace(v=caught.joint_velocity(after, base.name))}
    return carried(caught, after, changed, known, after.impulse.among(changed.joints))


def _unused(mech: Mechanism, name: str) -> str:
    """A joint's name that no joint has."""
    while name in mech.joints:
        name += "_"
    return name
