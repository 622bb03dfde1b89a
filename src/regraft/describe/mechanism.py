"""A mechanism: bodies, joints, frames and springs by name, as a graph. How the graph is walked is its `structure`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, StructureError
from ..joints import settle
from ..structure.layout import Layout
from ..structure.structure import Structure
from ..tolerances import ASSEMBLED
from . import plain as files
from .alterable import Alterable
from .graph import PARTS
from .portrayed import Portrayed
from .state import State, build_state
from .text import draw_tree

Array = NDArray[np.float64]


class Mechanism(Alterable, Portrayed):
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

    # --- read --------------------------------------------------------------------------------------------------------

    @property
    def layout(self) -> Layout:
        """Which joint has which numbers in a state."""
        return self.structure.layout

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

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data, for JSON.

        Returns
        -------
        dict
        """
        return files.mechanism_to_dict(self)

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
        return files.mechanism_from_dict(cls, data)

    def save(
        self,
        path: str | Path,
        *,
        state: State | None = None,
        frames: Literal["keep", "move"] = "keep",
        ignore: str | Collection[str] = (),
    ) -> None:
        """Write the mechanism to a file, whole or not at all; its suffix says in which format.

        A .json file has all of it, and `regraft.load` reads it back equal to the last digit. What another format cannot hold is
        one error that lists it.

        Parameters
        ----------
        path : str or Path
            The file.
        state : State, optional
            A state to start from, for formats that have one.
        frames : {"keep", "move"}, optional
            For formats that have the frame of each link at its joint: frames stay where they are, with helper links, or move.
        ignore : str or collection of str, optional
            Kinds of what URDF has no words for that may be left out although the mechanism moves otherwise without them: "loop",
            "armature", "stiffness", "spring", "coupling", or "all" for all of these. A warning names what is left out.
        """
        from ..files.writing import write  # formats are an outer layer, which is loaded when it is needed

        write(self, path, state, frames, ignore)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return np.array_equal(self._gravity, other._gravity) and all(
            list(getattr(self, table).items()) == list(getattr(other, table).items()) for table in PARTS
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
            True if the parts, the former bases with their motors, and the extras are equal, parts in the same order.

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
        former = [(one._former_bases, dict(one.former_actuators)) for one in (self, other)]
        alike = [[list(table.items()) for table in tables] for tables in former]
        return self == other and alike[0] == alike[1] and self._extras == other._extras

    def __repr__(self) -> str:
        return draw_tree(self._bodies, self._joints, self._couplings, self.layout, len(self._springs))

    # --- for the functions that ask --------------------------------------------------------------------------------

    def structure_for(self, state: State) -> Structure:
        """The structure that a state belongs to; rejects a state of another one."""
        structure = self.structure
        self._check_layout(state, structure.layout)
        return structure

    def check_state(self, state: State) -> None:
        """Reject a state of another structure."""
        self._check_layout(state, self.structure.layout)

    def _check_layout(self, state: State, layout: Layout) -> None:
        if not isinstance(state, State):
            raise ModelError(f"give a State, made by mech.state(...), not {type(state).__name__}.")
        if not layout.same_structure(state.layout):
            raise ModelError(
                "this state belongs to a mechanism of another structure (other joints, other order or other bodies); "
                "make one with mech.state(...) of this mechanism, or use the state that the change of structure returned."
            )

    def settled(self, state: State, loop: str, checked: bool = True) -> tuple[Array, Array]:
        """Position and velocity of a loop joint, from the motions of its two bodies; where it is open, an error if `checked`."""
        joint = self._joints[loop]
        motions = self.structure.motions_of(state._x, joint.parent, joint.child)
        q, v, gap, _ = settle(joint.type, motions, joint.places())
        if checked and not gap <= ASSEMBLED:
            raise StructureError(
                f"the loop of joint {loop!r} is open: the nearest pose that {joint.type!r} can take is off by {gap:.3g}."
            )
        return q, v

    def _check_tree_joint(self, name: str) -> None:
        self._check_joint(name)
        if name not in self.layout.q_slices:
            raise ModelError(f"joint {name!r} is a loop joint and has no place in q and v; ask joint_position for its position.")


def a_mechanism(task: str, given: object) -> Mechanism:
    """What is given, if it is a mechanism, and no model that has one, nor a state that should come after it."""
    if not isinstance(given, Mechanism):
        raise ModelError(f"{task}: give a mechanism, not {type(given).__name__}; of a Model that is model.mech.")
    return given
