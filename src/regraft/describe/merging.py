"""Two mechanisms as one: a gripper on an arm, a rider on a bicycle."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from ..algebra.pose import Pose
from ..errors import ModelError, StructureError, listed
from ..joints import JointType
from .graph import PARTS, check_pose, check_type, known
from .mechanism import Mechanism
from .parts import WORLD, Joint, Keyframe
from .state import State


def merge(
    mech: Mechanism,
    other: Mechanism,
    *,
    prefix: str = "",
    onto: str = WORLD,
    pose: Pose = Pose(),  # noqa: B008 (a pose is immutable)
    joint: JointType | None = None,
) -> Mechanism:
    """One mechanism with the parts of two; what was the world of the second becomes a body or a frame of the first.

    The joints between the second and its world are then joints to that body, and frames, springs and shapes on its world are on
    that body. Keyframes of either have the joints of the other at their bind pose. The second's `extras` and former bases, which
    belong to a file and a world of its own, are not taken over.

    Parameters
    ----------
    mech : Mechanism
        The first one; it is not changed.
    other : Mechanism
        The second one; it is not changed.
    prefix : str, optional
        What is put before the names of all parts of the second.
    onto : str, optional
        The body or frame of the first that the second is put on; by default the world.
    pose : Pose, optional
        Where the second's world is there; by default in the same place, with the same axes.
    joint : JointType, optional
        What replaces the joint between the second and its world, such as ``Fixed()`` for one that was free.

    Returns
    -------
    Mechanism

    Raises
    ------
    ModelError
        If names of the two are the same, gravity is not the same, or there is no such body or frame.
    StructureError
        If `joint` is given and the second has not exactly one joint to its world.

    Examples
    --------
    >>> import regraft as rg
    >>> arm, hand = rg.Mechanism(), rg.Mechanism()
    >>> arm.add_body("forearm", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, 0.3)))
    >>> arm.add_joint("elbow", rg.Revolute((0, 1, 0)), "world", "forearm")
    >>> arm.add_frame("flange", "forearm", rg.Pose(translation=(0, 0, 0.3)))
    >>> hand.add_body("palm", rg.Inertia.box(0.2, (0.1, 0.02, 0.1)))
    >>> hand.add_joint("base", rg.Free(), "world", "palm")
    >>> print(rg.merge(arm, hand, prefix="hand_", onto="flange", joint=rg.Fixed()))
    Mechanism: 2 bodies, 2 joints, 1 degree of freedom, 1.2 kg
    world
    └─ elbow: Revolute → forearm (1 kg)
       └─ hand_base: Fixed → hand_palm (0.2 kg)
    """
    for given in (mech, other):
        if not isinstance(given, Mechanism):
            raise ModelError(f"merge: give two mechanisms, not {type(given).__name__}; of a Model that is model.mech.")
    if not isinstance(prefix, str):
        raise ModelError(f"merge: prefix must be a text, not {prefix!r}.")
    if not np.array_equal(mech.gravity, other.gravity):
        raise ModelError(
            f"merge: the two have different gravity, {mech.gravity.tolist()} and {other.gravity.tolist()}; give one of them the "
            "other's, with mech.replace(gravity=...)."
        )
    _check_names(mech, other, prefix)
    merged = mech.copy()
    _Merging(merged, prefix, *_place(mech, onto, pose)).take(other, _rejoined(other, joint))
    _complete_keyframes(merged, mech, other, prefix)
    return merged


def merge_states(merged: Mechanism, state: State, other: State, *, prefix: str = "") -> State:
    """The state of a merged mechanism in which each of the two is as it was.

    Parameters
    ----------
    merged : Mechanism
        What `merge` made of the two.
    state : State
        A state of the first one.
    other : State
        A state of the second one, whose positions and velocities are then relative to what it was put on.
    prefix : str, optional
        As it was given to `merge`.

    Returns
    -------
    State
        A base joint that `merge` has replaced is at its bind pose.

    Raises
    ------
    ModelError
        If the states have joints that the merged mechanism does not have.

    Examples
    --------
    >>> import regraft as rg
    >>> one, other = rg.models.pendulum(), rg.models.pendulum()
    >>> double = rg.merge(one.mech, other.mech, prefix="second ", onto="bob")
    >>> rg.merge_states(double, one.state, other.state, prefix="second ").q.round(3).tolist()
    [-1.571, -1.571]
    """
    for given in (state, other):
        if not isinstance(given, State):
            raise ModelError(f"merge_states: give states of the two mechanisms, not {type(given).__name__}.")
    places, q, v = merged.layout, {}, {}
    for one, before in ((state, ""), (other, prefix)):
        for name, kind, *_ in one.layout.joints:
            joint = merged.joints.get(before + name)
            if joint is None or before + name not in places.q_slices:
                raise ModelError(
                    f"merge_states: {before + name!r} is no joint of the merged tree; give the states of the two mechanisms that "
                    f"were merged, and the same prefix. {known('joints', places.q_slices)}"
                )
            if type(joint.type) is type(kind):
                q[joint.name], v[joint.name] = one.q[one.layout.q_slices[name]], one.v[one.layout.v_slices[name]]
    return merged.state(q, v)


def _check_names(mech: Mechanism, other: Mechanism, prefix: str) -> None:
    """No part of the second may have the name of one of the first; all that do are in one error."""
    places = {*mech.bodies, *mech.frames}
    taken = [prefix + name for name in (*other.bodies, *other.frames) if prefix + name in places]
    for table in set(PARTS) - {"bodies", "frames"}:
        there = {*getattr(mech, table), *(mech.former_actuators if table == "actuators" else ())}
        taken += [prefix + name for name in getattr(other, table) if prefix + name in there]
    if taken:
        names = listed(dict.fromkeys(sorted(taken)))
        raise ModelError(f"merge: both would have parts called {names}; give another prefix, such as prefix='gripper_'.")


def _place(mech: Mechanism, onto: str, pose: Pose) -> tuple[str, Pose]:
    """The body of the first that becomes the world of the second, and where on it."""
    check_pose("merge", onto, "pose", pose)
    if isinstance(onto, str) and onto in mech.frames:
        frame = mech.frames[onto]
        return frame.body, frame.pose @ pose
    if not isinstance(onto, str) or (onto != WORLD and onto not in mech.bodies):
        raise ModelError(f"merge: there is no body or frame {onto!r} to put the second on. {known('bodies', mech.bodies, onto)}")
    return onto, pose


def _rejoined(other: Mechanism, kind: JointType | None) -> Iterable[Joint]:
    """The joints of the second, with another one to its world if that is given."""
    if kind is None:
        return other.joints.values()
    bases = [joint for joint in other.joints.values() if WORLD in (joint.parent, joint.child)]
    if len(bases) != 1:
        found = listed(base.name for base in bases) if bases else "none"
        raise StructureError(f"merge: joint= replaces the one joint between the second and its world, which has: {found}.")
    check_type(bases[0].name, kind)
    return [dataclasses.replace(joint, type=kind) if joint is bases[0] else joint for joint in other.joints.values()]


@dataclasses.dataclass(frozen=True)
class _Merging:
    """Where the parts of the second go."""

    into: Mechanism
    prefix: str
    body: str
    place: Pose

    def take(self, other: Mechanism, joints: Iterable[Joint]) -> None:
        """Add all parts of another mechanism but its keyframes, with these joints."""
        into, prefix = self.into, self.prefix
        for body in other.bodies.values():
            into.add_body(prefix + body.name, body.inertia)
        for joint in joints:
            (parent, parent_pose), (child, child_pose) = (
                self.at(*end) for end in ((joint.parent, joint.parent_pose), (joint.child, joint.child_pose))
            )
            into.add_joint(prefix + joint.name, joint.type, parent, child, parent_pose, child_pose)
        for frame in other.frames.values():
            into.add_frame(prefix + frame.name, *self.at(frame.body, frame.pose))
        for spring in other.springs.values():
            (a, on_a), (b, on_b) = (
                self.at(body, Pose(translation=point))
                for body, point in ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))
            )
            settings = {"stiffness": spring.stiffness, "damping": spring.damping, "rest_length": spring.rest_length}
            into.add_spring(prefix + spring.name, a, on_a.translation, b, on_b.translation, **settings)
        for shape in other.shapes.values():
            on, pose = self.at(shape.body, shape.pose)
            into.add_shape(
                on, shape.form, prefix + shape.name, pose, visual=shape.visual, collision=shape.collision, color=shape.color
            )
        for coupling in other.couplings.values():
            drivers = {prefix + name: ratio for name, ratio in coupling.drivers}
            into.add_coupling(prefix + coupling.name, drivers, prefix + coupling.driven, offset=coupling.offset)
        for actuator in other.actuators.values():
            law = {what: getattr(actuator, what) for what in ("gain", "bias", "control_range", "force_range")}
            into.add_actuator(prefix + actuator.name, {prefix + joint: gear for joint, gear in actuator.joints}, **law)

    def at(self, body: str, pose: Pose) -> tuple[str, Pose]:
        """A place on a body of the second, in the merged mechanism."""
        return (self.body, self.place @ pose) if body == WORLD else (self.prefix + body, pose)


def _complete_keyframes(merged: Mechanism, mech: Mechanism, other: Mechanism, prefix: str) -> None:
    """Keyframes of either get bind poses for joints of the other and for one that was replaced; others stay as they are."""
    rest, layout = merged.state(), merged.layout
    for one, before in ((mech, ""), (other, prefix)):
        own = {before + name for name, kind, *_ in one.layout.joints if type(merged.joints[before + name].type) is type(kind)}
        replaced = {before + name for name in one.layout.q_slices} - own
        for key in one.keyframes.values():
            numbers = []
            for given, whole, places in ((key.q, rest.q, layout.q_slices), (key.v, rest.v, layout.v_slices)):
                kept = {before + name: values for name, values in given if before + name not in replaced}
                added = {name: tuple(whole[place].tolist()) for name, place in places.items() if name not in own}
                found = kept | added
                numbers.append(tuple((name, found[name]) for name in dict.fromkeys((*places, *kept)) if name in found))
            merged._keyframes[before + key.name] = Keyframe(before + key.name, *numbers)
