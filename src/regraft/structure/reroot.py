"""Re-rooting: another body becomes the top of its tree, with the motion carried over (S1)."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..dynamics import mass_matrix, open_tree
from ..errors import ModelError, StructureError
from ..joints import Free, JointType, screws
from ..kernels.layout import JOINT, ROOT
from ..mechanism import Mechanism
from ..parts import WORLD, Joint
from ..pose import Pose, finite
from ..state import State
from .carry import (
    Motion,
    carried_acceleration,
    carried_velocity,
    check_body,
    halves_exchanged,
    motion_of,
    rebuilt_state,
    twist_rate,
)

Array = NDArray[np.float64]

_SAME_PLACE = 1e-12  # relative to 1 + distance: where a former base joint counts as being at the point asked for


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
    """Make `top` the body that hangs on the world: the old base joint of its tree goes, every other joint stays as it is.

    The new base joint, `Free()` unless given, sits at the absolute point `at`, by default the body's origin. Its zero is the
    body's bind orientation, or with ``align="current"`` the present one. ``velocity="carry"`` keeps every body's motion and
    is refused where the joint cannot carry it; ``velocity="impact"`` lets the joint stop what it cannot carry, as a plastic
    impact of the whole mechanism. A base joint that was there before, under the same name, type and point, is put back as it was.

    Returns the new mechanism and state; with the accelerations of the old joints as `acceleration` also those of the new ones,
    which leave the acceleration of every body as it is.

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
    kind = Free() if joint is None else joint
    if not isinstance(kind, JointType):
        raise StructureError(f"joint must be a joint type, such as Revolute((0, 1, 0)), not {joint!r}.")
    old = _base_of(mech, top)
    new_name = f"{top}_base" if name is None else name
    now = motion_of(mech, state, top, Pose()).pose
    point = now.translation if at is None else _point(at)
    wanted = Joint(new_name, kind, WORLD, top, Pose(), Pose(None, now.inverse().apply(point)))
    former = None if align == "current" else _former(mech, wanted, now, point)
    base = former or _placed(wanted, now if align == "current" else motion_of(mech, mech.state(), top, Pose()).pose, point)
    moving = motion_of(mech, state, top, base.child_pose)
    q = _position(base, moving)
    changed = mech.with_base(old, base)
    if velocity == "carry":
        v = carried_velocity(new_name, kind, q, moving.twist)
        after = rebuilt_state(changed, state, {new_name: q}, {new_name: v})
        if acceleration is None:
            return changed, after
        a = finite("acceleration", acceleration, (mech.nv,))
        rate = twist_rate(mech, state, top, moving, base.child_pose, a)
        new = carried_acceleration(new_name, kind, q, v, rate)
        return changed, after, _rebuilt_rates(mech, changed, a, new_name, new)
    if acceleration is not None:
        raise StructureError('accelerations are not defined through an impact; leave acceleration out, or use velocity="carry".')
    return changed, _impact(mech, state, changed, old, base, q, moving)


def _rebuilt_rates(mech: Mechanism, changed: Mechanism, a: Array, base: str, new: Array) -> Array:
    """Accelerations by name from the old order to the new."""
    return np.concatenate([new if name == base else a[mech.v_slice(name)] for name, *_ in changed.layout.joints])


def _check_words(velocity: str, align: str) -> None:
    if velocity not in ("carry", "impact"):
        raise StructureError(f'velocity must be "carry" or "impact", not {velocity!r}.')
    if align not in ("bind", "current"):
        raise StructureError(f'align must be "bind" or "current", not {align!r}.')


def _point(at: ArrayLike) -> Array:
    try:
        return finite("at", at, (3,))
    except ModelError as problem:
        raise StructureError(f"{problem} Give the absolute position of the new base joint.") from problem


def _base_of(mech: Mechanism, top: str) -> str:
    """The joint by which the tree of a body hangs on the world."""
    tree = open_tree(mech, "re-rooting")
    root = int(tree.walk[tree.row_of[top], ROOT])
    return tree.joint_names[int(tree.walk[root, JOINT])]


def _placed(wanted: Joint, zero: Pose, point: Array) -> Joint:
    """The new base joint at its point, with the axes of the body's zero pose on the world (S1 eqs. 13–18)."""
    # by way of the quaternion, so that rounding does not add up over many changes of the root
    return replace(wanted, parent_pose=Pose.from_quaternion(zero.quaternion, point))


def _former(mech: Mechanism, wanted: Joint, now: Pose, point: Array) -> Joint | None:
    """The base joint of this name as it was before it was replaced, if it fits what is asked for (A1)."""
    former = mech.former_bases.get(wanted.name)
    if former is None or (former.parent, former.child, former.type) != (WORLD, wanted.child, wanted.type):
        return None
    frame = now @ former.child_pose
    if np.abs(frame.translation - point).max() > _SAME_PLACE * (1.0 + float(np.abs(point).max())):
        return None
    try:
        former.type.position(former.parent_pose.inverse() @ frame)
    except StructureError:
        return None
    return former


def _position(base: Joint, moving: Motion) -> Array:
    """The inverse joint problem (S1 eqs. 21–22)."""
    try:
        return base.type.position(base.parent_pose.inverse() @ moving.pose)
    except StructureError as problem:
        raise StructureError(
            f"joint {base.name!r} cannot take the orientation that {base.child!r} now has relative to its bind pose: {problem} "
            'Or make the present pose its zero with align="current".'
        ) from problem


def _impact(mech: Mechanism, state: State, changed: Mechanism, old: str, base: Joint, q: Array, moving: Motion) -> State:
    """The plastic impact of the whole mechanism at the new base joint (S1 7.2, 8.5).

    Of all motions that the joint allows it takes the one nearest to the present motion in the metric of kinetic energy, so
    momentum is kept along all that stays free: M v⁺ = Pᵀ M' v', with v' the motion on a free base and P the allowed part of it.
    """
    floating_base = Joint(base.name, Free(), WORLD, base.child, base.parent_pose, base.child_pose)
    floating = mech.with_base(old, floating_base)
    relative = base.parent_pose.inverse() @ moving.pose
    at = {base.name: floating_base.type.nearest(relative)}
    before = rebuilt_state(floating, state, at, {base.name: halves_exchanged(moving.twist)})
    resting = rebuilt_state(changed, state, {base.name: q}, {base.name: np.zeros(base.type.nv)})
    columns = screws(base.type, q)
    allowed = np.zeros((floating.nv, changed.nv))
    allowed[floating.v_slice(base.name), changed.v_slice(base.name)] = halves_exchanged(columns).T
    for name, *_ in changed.layout.joints:
        if name != base.name:
            allowed[floating.v_slice(name), changed.v_slice(name)] = np.eye(changed.joints[name].type.nv)
    M = mass_matrix(floating, before)
    kept = allowed.T @ M @ before._v
    try:
        after = np.linalg.solve(mass_matrix(changed, resting), kept)
    except np.linalg.LinAlgError:
        raise StructureError(f"joint {base.name!r}: the impact has no unique result; some joint moves no inertia.") from None
    exchanged = (M @ (allowed @ after - before._v))[floating.v_slice(base.name)]
    impulse = (halves_exchanged(exchanged).reshape(2, 3) @ moving.pose.rotation.T).ravel()
    return State(changed.layout, np.concatenate([resting._q, after]), {base.name: impulse})
