"""The same bodies joined otherwise: what functions that change the structure are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from ..errors import StructureError
from .fitted import Fitted
from .graph import check_type
from .parts import Joint

M = TypeVar("M", bound="Rejoinable")


class Rejoinable(Fitted):
    """A graph that gives out others with the same bodies, frames and springs and other joints; it stays as it is itself."""

    @property
    def former_bases(self) -> Mapping[str, Joint]:
        """Joints to the world that re-rooting has replaced, by name, so that they can be put back as they were.

        The last 64 of them, that replaced last at the end.
        """
        return MappingProxyType(self._former_bases)

    def with_joint(self: M, old: str, new: Joint) -> M:
        """A mechanism with one joint in the place of another, which need not join the same bodies; all else is shared.

        Where there are no loops the new joint must connect what the old one did, so that there are none again.
        """
        if new.name != old:
            self._check_new_name(new.name, "joint")
            self._check_uncoupled({old}, "replaced")
        elif (new.type.nq, new.type.nv) != (1, 1):
            self._check_uncoupled({old}, f"replaced by a {type(new.type).__name__}")
        structure, twin = self.structure, self.copy()
        twin._joints = {
            (new.name if name == old else name): (new if name == old else joint) for name, joint in self._joints.items()
        }
        layout = structure.layout
        twin._changed(None if layout.is_constrained else structure.with_joint(layout.names.index(old), new))
        return twin

    def joined_by(self: M, joints: Mapping[str, Joint]) -> M:
        """The same bodies, frames and springs with other joints, by name and in this order."""
        gone = self._joints.keys() - joints.keys()
        self._check_uncoupled(gone, "left out")
        for actuator in self.actuators.values():
            if actuator.drives(gone):
                lost = next(joint for joint, _ in actuator.joints if joint in gone)
                raise StructureError(
                    f"the actuator {actuator.name!r} drives the joint {lost!r}, which is left out; take it away first, "
                    f"with mech.without({actuator.name!r})."
                )
        twin = self.copy()
        twin._joints = dict(joints)
        twin._changed()
        return twin

    def with_loops(self: M, new: Iterable[Joint]) -> M:
        """A mechanism with more joints, between bodies that it has; as all are connected already, each of them closes a loop."""
        twin, structure = self.copy(), self.structure
        for joint in new:
            twin._check_new_name(joint.name, "joint")
            check_type(joint.name, joint.type)
            twin._joints[joint.name] = joint
            structure = structure.with_loop(joint)
        twin._changed(structure)
        return twin

    def without_joint(self: M, name: str) -> M:
        """A mechanism without a joint; without one that closed no loop there may be bodies that nothing holds."""
        self._check_uncoupled({name}, "taken away")
        twin, structure = self.copy(), self.structure
        del twin._joints[name]
        twin._changed(None if name in structure.layout.q_slices else structure.without_loop(name))
        return twin

    def without_actuators_of(self: M, joint: str) -> M:
        """The same without the motors of a joint, which go where the joint goes."""
        driving = [name for name, actuator in self._actuators.items() if actuator.drives({joint})]
        if not driving:
            return self
        twin = self.copy()
        for name in driving:
            del twin._actuators[name]
        return twin

    def _check_uncoupled(self, joints: Collection[str], what: str) -> None:
        """Refuse to lose a joint that a coupling needs: without it the other joints would move otherwise."""
        for coupling in self._couplings.values():
            for joint in coupling.joints:
                if joint in joints:
                    raise StructureError(
                        f"joint {joint!r} cannot be {what}: the coupling {coupling.name!r} needs it. Take the coupling away "
                        f"first, with mech.without({coupling.name!r})."
                    )

    def with_base(self: M, old: str, new: Joint) -> M:
        """A mechanism with another joint to the world, that remembers the one it replaces, and its motors."""
        twin = self.with_joint(old, new)
        twin._remember(self._joints[old])
        return twin

    def remember(self, base: Joint) -> None:
        """Take a joint for one that re-rooting has replaced."""
        self._check_former_base(base)
        self._remember(base)

    def _remember(self, base: Joint) -> None:
        remember_base(self._former_bases, base)


def remember_base(bases: dict[str, Joint], base: Joint) -> None:
    """Put a joint at the end of former bases; the first is forgotten where there are too many."""
    bases.pop(base.name, None)
    bases[base.name] = base
    if len(bases) > _REMEMBERED:
        del bases[next(iter(bases))]


_REMEMBERED = 64  # former bases: far more than a figure has feet and hands, and little to keep in each of its mechanisms
