"""A mechanism: bodies, joints, frames and springs by name, as a graph. How the graph is walked is derived, by `tree`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import Pose, finite
from ..errors import ModelError, StructureError, listed, printable
from ..joints import JointType, is_registered, settle
from ..kernels.constraints.closure import ASSEMBLED
from ..structure.derived import Derived
from ..structure.description import Description, Exchange, describe
from ..structure.layout import Layout, lay_out
from ..structure.tree import Tree
from . import plain as files
from .inertia import Inertia
from .parts import WORLD, Body, Frame, Joint, Spring, check_name
from .state import State, build_state
from .text import draw_tree

Array = NDArray[np.float64]


class Mechanism:
    """Bodies, joints, frames and springs by name; ``"world"`` is the body that does not move.

    A joint between two bodies that are already connected closes a loop and becomes a loop joint by itself: it has no place in `q`
    and `v`. The other joints make the tree, and their numbers are in `q` and `v` in the order in which the joints were added.

    Parameters
    ----------
    gravity : (3,) array_like, optional
        The acceleration of free fall, in m/s², world axes.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("thigh", rg.Inertia(mass=7.0, com=(0, 0, -0.2)))
    >>> mech.add_body("shank", rg.Inertia(mass=3.0, com=(0, 0, -0.2)))
    >>> mech.add_joint("hip", rg.Revolute((0, 1, 0)), "world", "thigh")
    >>> mech.add_joint("knee", rg.Revolute((0, 1, 0)), "thigh", "shank", parent_pose=rg.Pose(translation=(0, 0, -0.4)))
    >>> print(mech)
    Mechanism: 2 bodies, 2 joints, 2 degrees of freedom, 10 kg
    world
    └─ hip: Revolute → thigh (7 kg)
       └─ knee: Revolute → shank (3 kg)
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self._gravity = finite("gravity", gravity, (3,))
        self._gravity.flags.writeable = False
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._frames: dict[str, Frame] = {}
        self._springs: dict[str, Spring] = {}
        self._former_bases: dict[str, Joint] = {}
        self._derived = Derived()
        self._is_frozen = False

    # --- describe ----------------------------------------------------------------------------------------------------

    def add_body(self, name: str, inertia: Inertia) -> None:
        """Add a rigid body; join it to others with `add_joint`.

        Parameters
        ----------
        name : str
            A name that no body and no frame has.
        inertia : Inertia
            Its mass and how that is spread, in the body's axes.

        Raises
        ------
        ModelError
            If the name is taken.
        """
        self._check_changeable(f"the body {name!r}")
        self._check_new_name(name, "body")
        self._bodies[name] = Body(name, _checked_inertia(name, inertia))
        self._changed()

    def add_joint(
        self,
        name: str,
        joint: JointType,
        parent: str,
        child: str,
        parent_pose: Pose = Pose(),  # noqa: B008 (a pose is immutable)
        child_pose: Pose = Pose(),  # noqa: B008
    ) -> None:
        """Join two bodies; a body without a way to the world needs a `Free()` joint to it.

        Parameters
        ----------
        name : str
            A name that no joint has.
        joint : JointType
            The kind of joint, such as ``Revolute((0, 1, 0))``.
        parent, child : str
            The two bodies; the joint's coordinates are the motion of the child relative to the parent.
        parent_pose, child_pose : Pose, optional
            Where the joint's frame is on either body; by default at its origin, with its axes.

        Raises
        ------
        ModelError
            If the name is taken or there is no such body.
        """
        self._check_changeable(f"the joint {name!r}")
        self._check_new_name(name, "joint")
        new = Joint(name, joint, parent, child, parent_pose, child_pose)
        self._check_parts(new)
        self._joints[name] = Joint(name, joint, parent, child, parent_pose.orthonormal(), child_pose.orthonormal())
        self._changed()

    def add_frame(self, name: str, body: str, pose: Pose = Pose()) -> None:  # noqa: B008
        """Name a place on a body.

        Parameters
        ----------
        name : str
            A name that no frame and no body has.
        body : str
            The body that carries it.
        pose : Pose, optional
            Where it is on that body.

        Raises
        ------
        ModelError
            If the name is taken or there is no such body.
        """
        self._check_changeable(f"the frame {name!r}")
        self._check_new_name(name, "frame")
        self._check_body(body, "body of frame", name)
        _check_pose("frame", name, "pose", pose)
        self._frames[name] = Frame(name, body, pose.orthonormal())

    def add_spring(
        self,
        name: str,
        body_a: str,
        point_a: ArrayLike,
        body_b: str,
        point_b: ArrayLike,
        *,
        stiffness: float,
        damping: float = 0.0,
        rest_length: float = 0.0,
    ) -> None:
        """Put a spring and a damper between two points.

        Parameters
        ----------
        name : str
            A name that no spring has.
        body_a, body_b : str
            The two bodies.
        point_a, point_b : (3,) array_like
            Where its ends are, each in the axes of its body.
        stiffness : float
            In N/m.
        damping : float, optional
            In N s/m.
        rest_length : float, optional
            In metres.

        Raises
        ------
        ModelError
            If the name is taken, there is no such body, both ends are on one body or a number is negative.
        """
        self._check_changeable(f"the spring {name!r}")
        self._check_new_name(name, "spring")
        self._check_body(body_a, "body_a of spring", name)
        self._check_body(body_b, "body_b of spring", name)
        if body_a == body_b:
            raise ModelError(f"spring {name!r}: both ends are on the body {body_a!r}; it would do nothing.")
        numbers = [finite(f"spring {name!r}: {what}", x, ()) for what, x in
                   (("stiffness", stiffness), ("damping", damping), ("rest_length", rest_length))]  # fmt: skip
        if any(x < 0 for x in numbers):
            raise ModelError(f"spring {name!r}: stiffness, damping and rest_length must not be negative.")
        ends = [finite(f"spring {name!r}: {what}", x, (3,)) for what, x in (("point_a", point_a), ("point_b", point_b))]
        point_a_, point_b_ = (_triple(end) for end in ends)
        self._springs[name] = Spring(name, body_a, point_a_, body_b, point_b_, *(float(x) for x in numbers))
        self._changed()

    # --- read --------------------------------------------------------------------------------------------------------

    @property
    def gravity(self) -> Array:
        """The acceleration of free fall."""
        return self._gravity

    @property
    def bodies(self) -> Mapping[str, Body]:
        """The bodies by name, without the world."""
        return MappingProxyType(self._bodies)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """The joints by name, loop joints too."""
        return MappingProxyType(self._joints)

    @property
    def frames(self) -> Mapping[str, Frame]:
        """The frames by name."""
        return MappingProxyType(self._frames)

    @property
    def springs(self) -> Mapping[str, Spring]:
        """The springs by name."""
        return MappingProxyType(self._springs)

    @property
    def layout(self) -> Layout:
        """Which joint has which numbers in a state."""
        derived = self._derived
        return derived.layout or self.layout_of(derived)

    @property
    def loop_joints(self) -> tuple[str, ...]:
        """The joints that close loops."""
        return tuple([loop[0] for loop in self.layout.loops])

    @property
    def nq(self) -> int:
        """How many numbers a position has."""
        return self.layout.nq

    @property
    def nv(self) -> int:
        """How many numbers a velocity has."""
        return self.layout.nv

    def q_slice(self, joint: str) -> slice:
        """Where a tree joint's numbers are in q.

        Parameters
        ----------
        joint : str
            Its name.

        Returns
        -------
        slice

        Raises
        ------
        ModelError
            If there is no such joint, or it is a loop joint.
        """
        self._check_tree_joint(joint)
        return self.layout.q_slices[joint]

    def v_slice(self, joint: str) -> slice:
        """Where a tree joint's numbers are in v.

        Parameters
        ----------
        joint : str
            Its name.

        Returns
        -------
        slice

        Raises
        ------
        ModelError
            If there is no such joint, or it is a loop joint.
        """
        self._check_tree_joint(joint)
        return self.layout.v_slices[joint]

    def state(self, q: Any = None, v: Any = None) -> State:
        """A state from numbers by joint name or from whole arrays.

        Parameters
        ----------
        q : mapping of str to array_like, or (nq,) array_like, optional
            Positions; joints that are not named are at the bind pose, where q = 0 and quaternions are the identity.
        v : mapping of str to array_like, or (nv,) array_like, optional
            Velocities; joints that are not named are at rest.

        Returns
        -------
        State

        Raises
        ------
        ModelError
            If there is no such tree joint, or numbers have the wrong shape or are not finite.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.models.four_bar().mech
        >>> mech.state(q={"motor": 0.3}, v={"motor": 1.0}).q.tolist()
        [0.3, 0.0, 0.0]
        """
        return build_state(self.layout, q, v)

    def joint_position(self, state: State, joint: str) -> Array:
        """The position of any joint, loop joints too.

        Parameters
        ----------
        state : State
            A state of this mechanism.
        joint : str
            The joint's name.

        Returns
        -------
        array
            As many numbers as the joint type's `nq`.

        Raises
        ------
        ModelError
            If there is no such joint.
        StructureError
            If it is a loop joint whose loop is open.
        """
        self._check_joint(joint)
        self.check_state(state)
        where = self.layout.q_slices.get(joint)
        if where is not None:
            return state.q[where].copy()
        return self.settled(state, joint)[0]

    def joint_velocity(self, state: State, joint: str) -> Array:
        """The velocity of any joint, loop joints too.

        Parameters
        ----------
        state : State
            A state of this mechanism.
        joint : str
            The joint's name.

        Returns
        -------
        array
            As many numbers as the joint type's `nv`.

        Raises
        ------
        ModelError
            If there is no such joint.
        StructureError
            If it is a loop joint whose loop is open.
        """
        self._check_joint(joint)
        self.check_state(state)
        where = self.layout.v_slices.get(joint)
        if where is not None:
            return state.v[where].copy()
        return self.settled(state, joint)[1]

    # --- whole -------------------------------------------------------------------------------------------------------

    def copy(self) -> Mechanism:
        """A mechanism that can be changed without changing this one.

        Returns
        -------
        Mechanism
        """
        twin = Mechanism.__new__(Mechanism)
        twin.__dict__ = self.__dict__.copy()
        twin._bodies, twin._joints = self._bodies.copy(), self._joints.copy()
        twin._frames, twin._springs = self._frames.copy(), self._springs.copy()
        twin._former_bases = self._former_bases.copy()
        twin._is_frozen = False
        return twin

    def replace(
        self,
        gravity: ArrayLike | None = None,
        *,
        inertia: Mapping[str, Inertia] | None = None,
        damping: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> Mechanism:
        """A copy with other numbers and the same structure: states of the one are states of the other.

        Parameters
        ----------
        gravity : (3,) array_like, optional
            The acceleration of free fall.
        inertia : mapping of str to Inertia, optional
            Inertias by the names of bodies.
        damping : mapping of str to number or array_like, optional
            Damping by the names of joints, loop joints too, as joint types take it.
        limits : mapping of str to limits, optional
            Limits by the names of joints, as joint types take them; ``limits={"knee": None}`` takes limits away.

        Returns
        -------
        Mechanism
            This one stays as it is.

        Raises
        ------
        ModelError
            If there is no such body or joint, or it cannot have what is given.

        Examples
        --------
        >>> import regraft as rg
        >>> mech, state = rg.models.pendulum().start
        >>> on_the_moon = mech.replace(gravity=(0, 0, -1.62), damping={"hinge": 0.1})
        >>> on_the_moon.gravity[2].item(), on_the_moon.joints["hinge"].type.damping
        (-1.62, array([0.1]))
        """
        twin = self.copy()
        if gravity is not None:
            twin._gravity = finite("gravity", gravity, (3,))
            twin._gravity.flags.writeable = False
        for body, new in _given("inertia", "bodies", inertia).items():
            if body not in self._bodies:
                raise ModelError(f"inertia: there is no body {body!r}. {_known('bodies', self._bodies)}")
            twin._bodies[body] = Body(body, _checked_inertia(body, new))
        for what, table in (("damping", damping), ("limits", limits)):
            for name, value in _given(what, "joints", table).items():
                self._check_joint(name)
                joint = twin._joints[name]
                twin._joints[name] = dataclasses.replace(joint, type=joint.type.with_settings(**{what: value}))
        twin._changed()
        return twin

    def frozen(self) -> Mechanism:
        """The same mechanism as one to which nothing can be added; what `simulate` hands to torques, wrenches and guards.

        Returns
        -------
        Mechanism
            It answers every question as this one does. Its `copy()` can be changed again.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.Mechanism().frozen()
        >>> try:
        ...     mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1))
        ... except rg.StructureError as problem:
        ...     print(str(problem)[:56])
        the body 'bob' cannot be added: this mechanism is frozen
        >>> mech.copy().add_body("bob", rg.Inertia.sphere(1.0, 0.1))
        """
        twin = self.copy()
        twin._is_frozen = True
        return twin

    def __copy__(self) -> Mechanism:
        return self.copy()

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data, for JSON.

        Returns
        -------
        dict
        """
        return {
            "format": files.FORMAT,
            "version": files.VERSION,
            "gravity": self._gravity.tolist(),
            "bodies": [files.body_to_dict(body) for body in self._bodies.values()],
            "joints": [files.joint_to_dict(joint) for joint in self._joints.values()],
            "frames": [files.frame_to_dict(frame) for frame in self._frames.values()],
            "springs": [files.spring_to_dict(spring) for spring in self._springs.values()],
            "former_bases": [files.joint_to_dict(joint) for joint in self._former_bases.values()],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Mechanism:
        """The mechanism of `to_dict`; every part is checked as if it were added by hand.

        Parameters
        ----------
        data : mapping
            What `to_dict` made.

        Returns
        -------
        Mechanism

        Raises
        ------
        ModelError
            If something is missing or wrong in it.
        """
        if not isinstance(data, Mapping) or data.get("format") != files.FORMAT:
            raise ModelError(f"this is not a mechanism: the field 'format' must be {files.FORMAT!r}.")
        if data.get("version") != files.VERSION:
            raise ModelError(f"the file has version {data.get('version')!r}; this release reads version {files.VERSION}.")
        try:
            mech = cls(data["gravity"])
            for body in data["bodies"]:
                mech.add_body(body["name"], files.inertia_from_dict(body))
            for joint in map(files.joint_from_dict, data["joints"]):
                mech.add_joint(joint.name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
            for frame in data["frames"]:
                mech.add_frame(frame["name"], frame["body"], files.pose_from_dict(frame["pose"]))
            for spring in data["springs"]:
                mech.add_spring(**spring)
            for joint in map(files.joint_from_dict, data["former_bases"]):
                mech._check_former_base(joint)
                mech._remember(joint)
        except KeyError as missing:
            raise ModelError(
                f"the description is damaged: the entry {missing} is missing. Save the mechanism again."
            ) from missing
        except (TypeError, AttributeError, ValueError) as problem:
            if isinstance(problem, ModelError):
                raise
            raise ModelError(f"the description is damaged: {printable(str(problem))}. Save the mechanism again.") from problem
        return mech

    def save(self, path: str | Path) -> None:
        """Write the mechanism to a JSON file; `regraft.load` reads it back, equal to the last digit.

        Parameters
        ----------
        path : str or Path
            The file.
        """
        files.write_json(path, self.to_dict())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return np.array_equal(self._gravity, other._gravity) and all(
            list(getattr(self, table).items()) == list(getattr(other, table).items()) for table in _TABLE_OF.values()
        )

    __hash__ = None  # type: ignore[assignment]

    def same_as(self, other: Mechanism) -> bool:
        """Whether nothing that is done to the two can tell them apart.

        Equal mechanisms, ``one == other``, have equal parts. They may remember other `former_bases`, so that a change of the root
        puts a joint back in the one and makes a new joint in the other.

        Parameters
        ----------
        other : Mechanism
            The mechanism to compare with.

        Returns
        -------
        bool
            True if the parts and the former bases are equal, each in the same order.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.Mechanism()
        >>> mech.add_body("foot", rg.Inertia.sphere(1.0, 0.1))
        >>> mech.add_joint("stance", rg.Revolute((0, 1, 0)), "world", "foot")
        >>> away = rg.reroot(mech, mech.state(), "foot", name="flight")
        >>> again, _ = rg.reroot(*away, "foot", joint=rg.Revolute((0, 1, 0)), name="stance")
        >>> again == mech, again.same_as(mech), list(again.former_bases)
        (True, False, ['stance', 'flight'])
        """
        return self == other and list(self._former_bases.items()) == list(other._former_bases.items())

    def __repr__(self) -> str:
        return draw_tree(self._bodies, self._joints, self.layout, len(self._springs))

    # --- for the functions that change the structure -------------------------------------------------------------------

    @property
    def former_bases(self) -> Mapping[str, Joint]:
        """Joints to the world that re-rooting has replaced, by name, so that they can be put back as they were.

        The last 64 of them, that replaced last at the end.
        """
        return MappingProxyType(self._former_bases)

    def with_joint(self, old: str, new: Joint) -> Mechanism:
        """A mechanism with one joint in the place of another, which need not join the same bodies; all else is shared.

        Where there are no loops the new joint must connect what the old one did, so that there are none again.
        """
        if new.name != old:
            self._check_new_name(new.name, "joint")
        layout = self.layout
        twin = self.copy()
        twin._joints = {
            (new.name if name == old else name): (new if name == old else joint) for name, joint in self._joints.items()
        }
        if layout.loops:
            twin._changed()
        else:
            j, description = layout.names.index(old), self.description
            after = layout.with_joint(j, new)
            twin._derived = Derived(after, exchange=Exchange(description, j, new))
        return twin

    def joined_by(self, joints: Mapping[str, Joint]) -> Mechanism:
        """The same bodies, frames and springs with other joints, by name and in this order."""
        twin = self.copy()
        twin._joints = dict(joints)
        twin._changed()
        return twin

    def with_loops(self, new: Iterable[Joint]) -> Mechanism:
        """A mechanism with more joints; as every body is connected already, each of them closes a loop."""
        twin, layout = self.copy(), self.layout
        loops = [*layout.loops]
        for joint in new:
            twin._check_new_name(joint.name, "joint")
            twin._check_parts(joint)
            twin._joints[joint.name] = joint
            loops.append((joint.name, joint.parent, joint.child))
        twin._lay_out(layout.with_loops(tuple(loops)))
        return twin

    def without_joint(self, name: str) -> Mechanism:
        """A mechanism without a joint; without one that closed no loop there may be bodies that nothing holds."""
        twin, layout = self.copy(), self.layout
        del twin._joints[name]
        if name in layout.q_slices:
            twin._changed()
        else:
            twin._lay_out(layout.with_loops(tuple([loop for loop in layout.loops if loop[0] != name])))
        return twin

    def with_base(self, old: str, new: Joint) -> Mechanism:
        """A mechanism with another joint to the world, that remembers the one it replaces."""
        twin = self.with_joint(old, new)
        twin._remember(self._joints[old])
        return twin

    def _remember(self, base: Joint) -> None:
        """Put a joint at the end of the former bases; the first is forgotten where there are too many."""
        bases = self._former_bases
        bases.pop(base.name, None)
        bases[base.name] = base
        if len(bases) > _REMEMBERED:
            del bases[next(iter(bases))]

    # --- for the functions that ask --------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The spanning tree as arrays, derived on first use after a change.

        Its handle is a bare address: whoever uses it keeps the tree in a variable of its own until the kernel has returned.
        """
        derived = self._derived
        return derived.tree or self.tree_of(derived)

    def tree_for(self, state: State) -> Tree:
        """The tree that a state belongs to; rejects a state of another structure."""
        return self.tree_of(self.derived_for(state))

    def derived_for(self, state: State) -> Derived:
        """All that is derived from the structure that a state belongs to; rejects a state of another one."""
        derived = self._derived
        self._check_layout(state, self.layout_of(derived))
        return derived

    def tree_of(self, derived: Derived) -> Tree:
        """`tree`, where `derived` has been taken already."""
        if derived.tree is not None:
            return derived.tree
        layout, description = self.layout_of(derived), self._description_of(derived)
        return derived.publish("tree", Tree(self._gravity, tuple(self._bodies), layout, description))

    @property
    def description(self) -> Description:
        """The parts as arrays, made on first use after a change."""
        return self._description_of(self._derived)

    def layout_of(self, derived: Derived) -> Layout:
        """`layout`, where `derived` has been taken already."""
        return derived.layout or derived.lay_out(lay_out(self._joints))

    def _description_of(self, derived: Derived) -> Description:
        found, exchange = derived.description, derived.exchange  # in this order: another thread may be about to settle it
        if found is not None:
            return found
        if exchange is None:
            made = describe(self._bodies, self._joints, self._springs, self.layout_of(derived))
        else:
            before, j, new = exchange
            made = before.with_joint(j, (self._body_number(new.parent), self._body_number(new.child)), new)
        found = derived.publish("description", made)
        derived.exchange = None  # or a mechanism would keep the numbers of the one that it was made from
        return found

    def _body_number(self, name: str) -> int:
        return -1 if name == WORLD else list(self._bodies).index(name)

    def check_state(self, state: State) -> None:
        """Reject a state of another structure."""
        self._check_layout(state, self.layout)

    def _check_layout(self, state: State, layout: Layout) -> None:
        if not isinstance(state, State):
            raise ModelError(f"give a State, made by mech.state(...), not {type(state).__name__}.")
        if not layout.same_structure(state.layout):
            raise ModelError(
                "this state belongs to a mechanism of another structure (other joints, other order or other bodies); "
                "make one with mech.state(...) of this mechanism, or use the state that the change of structure returned."
            )

    def settled(self, state: State, loop: str) -> tuple[Array, Array]:
        """Position and velocity of a loop joint, from the motions of its two bodies."""
        joint = self._joints[loop]
        motions = self.tree.motions_of(state._x, joint.parent, joint.child)
        q, v, gap, _ = settle(joint.type, motions, joint.places())
        if not gap <= ASSEMBLED:
            raise StructureError(
                f"the loop of joint {loop!r} is open: the nearest pose that {joint.type!r} can take is off by {gap:.3g}."
            )
        return q, v

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._gravity.flags.writeable = False  # which an array forgets on the way

    def _lay_out(self, layout: Layout) -> None:
        """Take another layout; the tree is still the same, its loops may be others."""
        self._derived = self._derived.with_layout(layout)

    def _changed(self) -> None:
        self._derived = Derived()

    def _check_changeable(self, part: str) -> None:
        if self._is_frozen:
            raise StructureError(
                f"{part} cannot be added: this mechanism is frozen, as the one that a simulation shows to its functions. Add it "
                "to mech.copy(), or let the action of an event change the structure."
            )

    def _check_parts(self, joint: Joint) -> None:
        """A joint of a registered type between two bodies that there are."""
        name, kind = joint.name, joint.type
        if not isinstance(kind, JointType):
            raise ModelError(f"joint {name!r}: give a joint type, such as Revolute((0, 0, 1)), not {kind!r}.")
        if not is_registered(kind):
            raise ModelError(
                f"joint {name!r}: {type(kind).__name__} is not in the registry; add it to JOINT_TYPES in regraft.joints."
            )
        self._check_body(joint.parent, "parent of joint", name)
        self._check_body(joint.child, "child of joint", name)
        if joint.parent == joint.child:
            raise ModelError(f"joint {name!r}: parent and child are the same body {joint.parent!r}; join it to another one.")
        _check_pose("joint", name, "parent_pose", joint.parent_pose)
        _check_pose("joint", name, "child_pose", joint.child_pose)

    def _check_former_base(self, joint: Joint) -> None:
        check_name(joint.name, "a joint")
        self._check_parts(joint)
        if WORLD not in (joint.parent, joint.child):
            raise ModelError(f"joint {joint.name!r} cannot have been the base of a tree: it does not join a body to the world.")

    def _check_new_name(self, name: str, kind: str) -> None:
        check_name(name, f"a {kind}")
        if name in getattr(self, _TABLE_OF[kind]) or (kind == "body" and name == WORLD):
            raise ModelError(f"there is already a {kind} {name!r}; choose another name.")
        if kind in ("body", "frame") and (name in self._bodies or name in self._frames):
            raise ModelError(
                f"there is already a body or frame {name!r}: both are places, so they share their names; choose another."
            )
        if kind == "frame" and name == WORLD:
            raise ModelError("a frame cannot be called 'world'; choose another name.")

    def _check_body(self, name: str, role: str, part: str) -> None:
        if not isinstance(name, str) or (name != WORLD and name not in self._bodies):
            raise ModelError(
                f"{role} {part!r}: there is no body {name!r}; add it first with add_body. {_known('bodies', self._bodies)}"
            )

    def _check_joint(self, name: str) -> None:
        if not isinstance(name, str) or name not in self._joints:
            raise ModelError(f"there is no joint {name!r}. {_known('joints', self._joints)}")

    def _check_tree_joint(self, name: str) -> None:
        self._check_joint(name)
        if name not in self.layout.q_slices:
            raise ModelError(f"joint {name!r} is a loop joint and has no place in q and v; ask joint_position for its position.")


_REMEMBERED = 64  # former bases: far more than a figure has feet and hands, and little to keep in each of its mechanisms

_TABLE_OF = {"body": "_bodies", "joint": "_joints", "frame": "_frames", "spring": "_springs"}


def load_mechanism(path: str | Path) -> Mechanism:
    """Read a mechanism that `Mechanism.save` wrote."""
    return mechanism_in(path, files.read_json(Path(path)))


def mechanism_in(path: str | Path, data: Any) -> Mechanism:
    """The mechanism in the data of a JSON file."""
    try:
        return Mechanism.from_dict(data)
    except ModelError as problem:
        raise ModelError(f"{str(path)!r}: {problem}") from problem


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _known(what: str, table: Mapping[str, Any]) -> str:
    return f"Known {what}: {listed(table)}."


def _given(what: str, whose: str, table: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if table is not None and not isinstance(table, Mapping):
        raise ModelError(f"{what} must be given by the names of the {whose} it is for, as a dict, not as {table!r}.")
    return table or {}


def _checked_inertia(body: str, inertia: Inertia) -> Inertia:
    if not isinstance(inertia, Inertia):
        raise ModelError(f"body {body!r}: inertia must be an Inertia, such as Inertia(mass=1.0), not {inertia!r}.")
    return inertia


def _check_pose(kind: str, name: str, which: str, pose: Pose) -> None:
    if not isinstance(pose, Pose):
        raise ModelError(f"{kind} {name!r}: {which} must be a Pose, such as Pose(translation=(0, 0, 1)), not {pose!r}.")
