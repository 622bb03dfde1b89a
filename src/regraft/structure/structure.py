"""The structure of a mechanism, between describing and asking: which numbers a state has, and the memory that kernels run on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import MOTION, POSE, WORLD_MOTION
from ..errors import ModelError
from ..kernels import tables
from ..kernels.constraints.tables import CUT, FIRST, RESISTS
from ..kernels.kinematics import motion
from ..kernels.memory import CUTS_AT, FAR_AT, JOINTS_AT, LIMITS, TREE_LIMITS, Block
from .derive import derive_closed, derive_tree
from .description import Description, describe
from .layout import WORLD, Layout, lay_out
from .once import kept_first, once
from .workspace import Workspace

if TYPE_CHECKING:
    from ..describe.parts import Body, Joint, Spring

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class Structure:
    """The layout of states, the spanning tree, the loops, and the memory of kernels, for one set of parts.

    It never changes. What takes long to make is made when it is first asked for; all threads that ask get the same.
    """

    __slots__ = ("__dict__", "layout", "no_torque", "nv", "open_layout", "ready")  # those of the quickest questions, and the rest

    def __init__(self, body_names: tuple[str, ...], layout: Layout, source: Description | Exchange | Opening) -> None:
        self.body_names, self.layout, self._source = body_names, layout, source
        self.joint_names, self.nq, self.nv, self.rest = layout.names, layout.nq, layout.nv, layout.rest
        self.no_torque: Array = np.zeros(layout.nv)
        self.open_layout = None if layout.loops else layout
        """The layout where there are no loops: of states whose dynamics is that of the tree alone."""
        self.ready: Workspace | None = None
        """`work`, once somebody has asked for it: a few nanoseconds less for the quickest of questions."""

    @classmethod
    def of(
        cls, bodies: Mapping[str, Body], joints: Mapping[str, Joint], springs: Mapping[str, Spring], gravity: Array
    ) -> Structure:
        """The structure of these parts."""
        layout = lay_out(joints)
        return cls(tuple(bodies), layout, describe(bodies, joints, springs, layout, gravity))

    def __reduce__(self) -> Any:
        raise TypeError("a structure has memory of this process; it is derived again where it is needed.")

    # --- changed structures ------------------------------------------------------------------------------------------------

    def with_joint(self, j: int, new: Joint) -> Structure:
        """The structure of a tree with another joint in the place of its j-th, which makes no loop."""
        return Structure(self.body_names, self.layout.with_joint(j, new), Exchange(self.description, j, new))

    def with_loop(self, new: Joint) -> Structure:
        """The structure with one more joint, between bodies that are connected already."""
        layout = self.layout.with_loops((*self.layout.loops, (new.name, new.parent, new.child)))
        return Structure(self.body_names, layout, self.description.with_loop(self._ends(new), new))

    def without_loop(self, name: str) -> Structure:
        """The structure without a joint that closes a loop."""
        loops = self.layout.loops
        l = [loop[0] for loop in loops].index(name)
        layout = self.layout.with_loops((*loops[:l], *loops[l + 1 :]))
        return Structure(self.body_names, layout, Opening(self.description, len(self.joint_names) + l))

    @once
    def description(self) -> Description:
        """The parts as arrays."""
        source = self._source
        if isinstance(source, Description):
            return source
        if isinstance(source, Opening):
            return source.before.without_loop(source.j)
        return source.before.with_joint(source.j, self._ends(source.new), source.new)

    def _ends(self, joint: Joint) -> tuple[int, int]:
        return self._number(joint.parent), self._number(joint.child)

    def _number(self, body: str) -> int:
        return -1 if body == WORLD else self.body_names.index(body)

    # --- memory ---------------------------------------------------------------------------------------------------------------

    @once
    def block(self) -> Block:
        """The tables of this structure."""
        derive = derive_closed if self.layout.loops else derive_tree
        reached, links, address, memory = derive.call(self.description, self.nq, self.nv)
        block = Block(address, memory, links > 0)
        if reached < len(self.description.inertias):
            self._refuse_lost_bodies(block.table(JOINTS_AT, reached, tables.JOINTS, np.int64)[:, tables.BODY].tolist())
        return block

    def _refuse_lost_bodies(self, reached: list[int]) -> None:
        walked = set(reached)
        lost = [name for b, name in enumerate(self.body_names) if b not in walked]
        raise ModelError(
            f"body {lost[0]!r} has no path to the world"
            + (f" (nor have {len(lost) - 1} others)" if len(lost) > 1 else "")
            + f'; connect it, or let it float: add_joint("{lost[0]}_free", Free(), "world", "{lost[0]}").'
        )

    @property
    def work(self) -> Workspace:
        """The workspace of all entries that hold the interpreter's lock: there is never more than one of them at work.

        What an entry leaves in it is gone as soon as another thread calls one: to look at it, make one of your own.
        """
        if self.ready is None:
            self.ready = kept_first(self, "_work", self.new_work())
        return self.ready

    def new_work(self, like: complex = 0.0) -> Workspace:
        """A new workspace, for real numbers or for complex ones as `like` is."""
        return Workspace.of(self.block, like)

    def new_pack_work(self) -> Workspace:
        """A new workspace of packs."""
        return Workspace.of_packs(self.block)

    @once
    def walk(self) -> Integers:
        """(n, JOINTS): the joints of the tree in the order of the walk, see `kernels.tables`."""
        return self.joints[: len(self.body_names)]

    @once
    def joints(self) -> Integers:
        """(n + loops, JOINTS): all joints."""
        found: Integers = self.block.table(JOINTS_AT, len(self.body_names) + len(self.layout.loops), tables.JOINTS, np.int64)
        found.flags.writeable = False
        return found

    @once
    def far(self) -> Array:
        """(n, 12): the frame of the joint that leads to each row, on its body."""
        found: Array = self.block.table(FAR_AT, len(self.body_names), POSE)
        found.flags.writeable = False
        return found

    @once
    def rows_of_loops(self) -> tuple[slice, ...]:
        """Which constraint rows each loop has."""
        cuts = self.block.table(CUTS_AT, len(self.layout.loops), CUT, np.int64)
        counts = 6 - self.joints[len(self.body_names) :, tables.DOFS]
        return tuple(slice(first, first + count) for first, count in zip(cuts[:, FIRST].tolist(), counts.tolist(), strict=True))

    @once
    def loops_resist(self) -> bool:
        """Whether a loop joint has damping or limits."""
        return bool(self.block.table(CUTS_AT, len(self.layout.loops), CUT, np.int64)[:, RESISTS].any())

    @once
    def loops_limited(self) -> bool:
        """Whether a loop joint has limits."""
        return self.block.size(LIMITS) > self.block.size(TREE_LIMITS)

    @property
    def no_forces(self) -> Array:
        """(0, EXTERNAL): no external wrenches."""
        return _NO_FORCES

    # --- where bodies are -------------------------------------------------------------------------------------------------------

    @once
    def row_of(self) -> dict[str, int]:
        """The row of each body."""
        return {self.body_names[b]: k for k, b in enumerate(self.walk[:, tables.BODY].tolist())}

    def row(self, body: str) -> int:
        """The row of a body, −1 for the world."""
        return -1 if body == WORLD else self.row_of[body]

    def point(self, body: str, point: Array) -> Array:
        """A point given in a body's own axes, in the frame that the tables give the body."""
        if body == WORLD:
            return point
        far = self.far[self.row_of[body]]
        result: Array = far[:9].reshape(3, 3).T @ (point - far[9:])
        return result

    def origins(self) -> Array:
        """(n, 3): the origin of each row's body in the frame that the tables give the body."""
        turns, origins = self.far[:, :9].reshape(-1, 3, 3), self.far[:, 9:]
        found: Array = -np.einsum("kji,kj->ki", turns, origins)
        return found

    def motion(self, x: Array) -> Array:
        """(n, 18) of each row's body in its own frame: pose in the world, and twist at its origin in world axes."""
        out = np.empty((len(self.body_names), MOTION))
        motion.call(self.work, x, out)
        return out

    @once
    def bind(self) -> Array:
        """(n, 18): `motion` in the bind pose, at rest."""
        return self.motion(self.rest)

    def motions_of(self, x: Array, *bodies: str) -> Array:
        """(bodies, 18): the motions of some bodies, the world too."""
        found = self.motion(x)
        return np.array([WORLD_MOTION if body == WORLD else found[self.row_of[body]] for body in bodies])


class Exchange(NamedTuple):
    """A description that is still to be made: another one with a new joint in the place of its j-th."""

    before: Description
    j: int
    new: Joint


class Opening(NamedTuple):
    """A description that is still to be made: another one without the loop joint in row j."""

    before: Description
    j: int


_NO_FORCES = np.zeros((0, tables.EXTERNAL))
