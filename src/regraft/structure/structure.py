"""The structure of a mechanism, between describing and asking: which numbers a state has, and the memory that kernels run on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import MOTION, POSE, WORLD_MOTION
from ..errors import ModelError, StructureError
from ..kernels import tables
from ..kernels.constraints.tables import COUNT, CUT, FIRST, RESISTS
from ..kernels.derivatives.memory import SlopeMemory
from ..kernels.kinematics import motion
from ..kernels.memory import (
    COILS,
    COUPLINGS,
    CUTS_AT,
    FAR_AT,
    HARD,
    JOINTS_AT,
    LIMITS,
    LOOPS,
    TREE_COILS,
    TREE_LIMITS,
)
from .close import MOST_WORDS, derive_closed
from .coupled import NO_COUPLINGS, describe_couplings, describe_prescribed
from .derive import derive_tree
from .description import NO_CLOSINGS, Closings, Description, describe, describe_closings
from .layout import WORLD, Layout, lay_out
from .once import kept_first, once
from .workspace import Workspace

if TYPE_CHECKING:
    from ..describe.parts import Body, Coupling, Joint, Spring
    from ..joints import JointType
    from .contacts import Touched

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
CoupledTypes = tuple[tuple["Coupling", ...], Mapping[str, "JointType"]]
"""The couplings, and the types of the joints that they name."""


class Structure:
    """The layout of states, the spanning tree, the loops, and the memory of kernels, for one set of parts.

    It never changes. What takes long to make is made when it is first asked for; all threads that ask get the same.
    """

    __slots__ = ("__dict__", "layout", "no_torque", "nv", "open_layout", "ready")  # those of the quickest questions, and the rest

    def __init__(
        self,
        body_names: tuple[str, ...],
        layout: Layout,
        describe: Callable[[], Description],
        tree: Structure | None = None,
        closings: Closings = NO_CLOSINGS,
        coupled: CoupledTypes = ((), {}),
    ) -> None:
        self.body_names, self.layout, self._describe = body_names, layout, describe
        self.joint_names, self.nq, self.nv, self.rest = layout.names, layout.nq, layout.nv, layout.rest
        self._tree, self._closings, self._coupled = tree, closings, coupled
        self.no_torque: Array = np.zeros(layout.nv) if tree is None else tree.no_torque
        self.open_layout = layout if tree is None else None
        """The layout where there are no loops: of states whose dynamics is that of the tree alone."""
        self.ready: Workspace | None = None
        """`work`, once somebody has asked for it: a few nanoseconds less for the quickest of questions."""
        self.touched: Touched | None = None
        """The contact points that were last asked for: the next run has mostly the same."""

    @classmethod
    def of(
        cls,
        bodies: Mapping[str, Body],
        joints: Mapping[str, Joint],
        springs: Mapping[str, Spring],
        couplings: Mapping[str, Coupling],
        gravity: Array,
    ) -> Structure:
        """The structure of these parts."""
        layout, names = lay_out(joints), tuple(bodies)
        description = describe(bodies, joints, springs, layout, gravity)
        tree = cls(names, layout.with_loops(()), lambda: description)
        if not layout.loops and not couplings:
            return tree
        closings = describe_closings(bodies, [joints[name] for name, *_ in layout.loops])
        named = {name: joints[name].type for coupling in couplings.values() for name in coupling.joints}
        return tree._closed(layout.loops, closings, (tuple(couplings.values()), named))

    def __reduce__(self) -> Any:
        raise TypeError("a structure has memory of this process; it is derived again where it is needed.")

    # --- changed structures ------------------------------------------------------------------------------------------------

    def with_joint(self, j: int, new: Joint) -> Structure:
        """The structure of a tree with another joint in the place of its j-th, which makes no loop."""
        names, description = self.body_names, self.description  # and not this structure, which nobody may need any more
        return Structure(names, self.layout.with_joint(j, new), lambda: description.with_joint(j, _ends(names, new), new))

    def with_loop(self, new: Joint) -> Structure:
        """The structure with one more joint, between bodies that are connected already."""
        loops = (*self.layout.loops, (new.name, new.parent, new.child))
        return self.tree._closed(loops, self._closings.with_one(_ends(self.body_names, new), new), self._coupled)

    def without_loop(self, name: str) -> Structure:
        """The structure without a joint that closes a loop."""
        loops = self.layout.loops
        if len(loops) == 1 and not self.layout.couplings:
            return self.tree
        l = [loop[0] for loop in loops].index(name)
        return self.tree._closed((*loops[:l], *loops[l + 1 :]), self._closings.without(l), self._coupled)

    @property
    def tree(self) -> Structure:
        """The structure without any loop or coupling."""
        return self if self._tree is None else self._tree

    def _closed(self, loops: tuple[tuple[str, str, str], ...], closings: Closings, coupled: CoupledTypes) -> Structure:
        """The structure of a tree with loops and couplings."""
        layout = self.layout.with_loops(loops, tuple([coupling.name for coupling in coupled[0]]) if coupled[0] else ())
        return Structure(self.body_names, layout, self._describe, self, closings, coupled)

    @once
    def description(self) -> Description:
        """The bodies, the springs and the joints of the tree as arrays."""
        return self._describe() if self._tree is None else self._tree.description

    # --- memory ---------------------------------------------------------------------------------------------------------------

    @property
    def work(self) -> Workspace:
        """The tables of this structure, with the workspace of all entries that hold the interpreter's lock.

        There is never more than one of them at work. What an entry leaves in it is gone as soon as another thread calls one: to
        look at it, make a workspace of your own.
        """
        if self.ready is None:
            self.ready = kept_first(self, "_work", self._derive_closed() if self.layout.is_constrained else self._derive_tree())
        return self.ready

    def _derive_tree(self) -> Workspace:
        reached, address, memory = derive_tree.call(self.description, self.nq, self.nv)
        work = Workspace(address, memory)
        if len(self.description.coils):
            work.prepare_coils()
        if reached < len(self.body_names):
            self._refuse_lost_bodies(work.table(JOINTS_AT, reached, tables.JOINTS, np.int64)[:, tables.BODY].tolist())
        return work

    def _derive_closed(self) -> Workspace:
        couplings, kinds = self._coupled
        coupled = describe_couplings(couplings, self.layout, kinds) if couplings else NO_COUPLINGS
        return self._workspace_of(coupled)

    def prescribed_work(self, prescribed: Mapping[str, JointType]) -> Workspace:
        """A new workspace in which these loop joints have rows along their own coordinates too, behind those of all couplings."""
        couplings, kinds = self._coupled
        coupled = describe_couplings(couplings, self.layout, kinds)
        added = describe_prescribed(prescribed, self.layout, len(couplings))
        work = self._workspace_of(np.concatenate((coupled, added)))
        work.prepare_prescribed(len(coupled), len(added))
        return work

    def _workspace_of(self, coupled: Array) -> Workspace:
        """The tables with these terms of couplings."""
        links, soft, address, memory = derive_closed.call(self.tree.work, *self._closings, coupled)
        if links < 0:
            raise StructureError(
                f"loops and couplings have {soft} rows, up to {address} joints are on their ways, and they meet in one tree: "
                f"that takes more than {MOST_WORDS >> 27} GiB, and many minutes for each answer. Weld joints that need not "
                "move, leave some of the loops and couplings out, as with mech.without(...), or let bodies hang on the world."
            )
        work = Workspace(address, memory)
        if len(self.description.coils) or len(self._closings.coils):
            work.prepare_coils()
        if links:
            work.prepare_links()
        if len(coupled) or soft:
            work.prepare_couplings()
        return work

    def _refuse_lost_bodies(self, reached: list[int]) -> None:
        walked = set(reached)
        lost = [name for b, name in enumerate(self.body_names) if b not in walked]
        raise ModelError(
            f"body {lost[0]!r} has no path to the world"
            + (f" (nor have {len(lost) - 1} others)" if len(lost) > 1 else "")
            + f'; connect it, or let it float: add_joint("{lost[0]}_free", Free(), "world", "{lost[0]}").'
        )

    def new_work(self) -> Workspace:
        """A new workspace."""
        return self.work.another()

    @once
    def slopes(self) -> SlopeMemory:
        """The scratch tables of derivatives, for entries that hold the interpreter's lock, as `work` is."""
        return self.new_slopes()

    def new_slopes(self) -> SlopeMemory:
        """New scratch tables of derivatives."""
        return SlopeMemory(self.work, self.walk, self.nv)

    def new_pack_work(self) -> Workspace:
        """A new workspace of packs."""
        return self.work.of_packs()

    @once
    def walk(self) -> Integers:
        """(n, JOINTS): the joints of the tree in the order of the walk, see `kernels.tables`."""
        return self.joints[: len(self.body_names)]

    @once
    def joints(self) -> Integers:
        """(n + loops, JOINTS): all joints."""
        found: Integers = self.work.table(JOINTS_AT, len(self.body_names) + len(self.layout.loops), tables.JOINTS, np.int64)
        found.flags.writeable = False
        return found

    @once
    def far(self) -> Array:
        """(n, 12): the frame of the joint that leads to each row, on its body."""
        found: Array = self.work.table(FAR_AT, len(self.body_names), POSE)
        found.flags.writeable = False
        return found

    @once
    def rows_of_loops(self) -> tuple[slice, ...]:
        """Which constraint rows each loop has, and after the loops each coupling: in the order of `Layout.constraints`."""
        cuts = self.work.table(CUTS_AT, len(self.layout.loops) + len(self.layout.couplings), CUT, np.int64)
        return tuple(slice(first, first + count) for first, count in cuts[:, (FIRST, COUNT)].tolist())

    @once
    def loops_resist(self) -> bool:
        """Whether a loop joint has damping, limits, a spring or friction."""
        return bool(self.work.table(CUTS_AT, len(self.layout.loops), CUT, np.int64)[:, RESISTS].any())

    @once
    def loops_limited(self) -> bool:
        """Whether a loop joint has limits."""
        return self.work.size(LIMITS) > self.work.size(TREE_LIMITS)

    @once
    def loops_store(self) -> bool:
        """Whether a loop joint has energy of its own: limits, a spring, or a rotor."""
        sprung = self.work.size(COILS) > self.work.size(TREE_COILS)
        return self.loops_limited or sprung or self.work.size(HARD) < self.work.size(LOOPS) + self.work.size(COUPLINGS)

    @property
    def no_forces(self) -> Array:
        """(0, EXTERNAL): no external wrenches."""
        return _NO_FORCES

    # --- where bodies are -------------------------------------------------------------------------------------------------------

    @once
    def row_of(self) -> dict[str, int]:
        """The row of each body."""
        return {self.body_names[b]: k for k, b in enumerate(self.walk[:, tables.BODY].tolist())}

    @once
    def base_joints(self) -> list[int]:
        """For each row the number of the joint by which its tree hangs on the world."""
        found: list[int] = self.walk[self.walk[:, tables.ROOT], tables.JOINT].tolist()
        return found

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


def _ends(names: tuple[str, ...], joint: Joint) -> tuple[int, int]:
    """The numbers of a joint's parent and child."""
    parent, child = joint.parent, joint.child
    return -1 if parent == WORLD else names.index(parent), -1 if child == WORLD else names.index(child)


_NO_FORCES = np.zeros((0, tables.EXTERNAL))
