"""The same mechanism with other numbers, or without some of its parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from ..algebra.pose import finite
from ..errors import ModelError, StructureError, listed, meant
from .graph import PARTS, by_name, checked_inertia, known
from .inertia import Inertia
from .parts import WORLD, Body, Joint, Keyframe
from .rejoinable import Rejoinable

M = TypeVar("M", bound="Alterable")

KINDS = {"body": "bodies", "joint": "joints", "frame": "frames", "spring": "springs",
         "shape": "shapes", "coupling": "couplings", "actuator": "actuators", "keyframe": "keyframes"}  # fmt: skip
"""What `without` takes away, and the tables that these are in."""


class Alterable(Rejoinable):
    """A graph that gives out others with other numbers or fewer parts; it stays as it is itself."""

    def replace(
        self: M,
        gravity: ArrayLike | None = None,
        *,
        inertia: Mapping[str, Inertia] | None = None,
        damping: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> M:
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
        settings : mapping of str to mapping, optional
            These and any others by the names of joints: ``settings={"knee": {"armature": 0.1, "stiffness": 20.0}}``.

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
        for body, new in by_name("inertia", "bodies", inertia).items():
            if body not in self._bodies:
                raise ModelError(f"inertia: there is no body {body!r}. {known('bodies', self._bodies, body)}")
            twin._bodies[body] = Body(body, checked_inertia(body, new))
        given = [(name, {"damping": value}) for name, value in by_name("damping", "joints", damping).items()]
        given += [(name, {"limits": value}) for name, value in by_name("limits", "joints", limits).items()]
        for name, new_settings in (*given, *by_name("settings", "joints", settings).items()):
            self._check_joint(name)
            joint = twin._joints[name]
            own = by_name(f"settings of {name!r}", "settings", new_settings)
            twin._joints[name] = dataclasses.replace(joint, type=joint.type.with_settings(**own))
        twin._changed()
        return twin

    def with_inertia(self: M, body: str | Mapping[str, Inertia], inertia: Inertia | None = None) -> M:
        """A copy in which bodies have other inertias: states of the one are states of the other.

        Parameters
        ----------
        body : str, or mapping of str to Inertia
            The body, or several with the inertia of each.
        inertia : Inertia, optional
            The inertia of that one body.

        Returns
        -------
        Mechanism
            This one stays as it is.

        Raises
        ------
        ModelError
            If there is no such body, or what is given is no inertia.

        Examples
        --------
        >>> import regraft as rg
        >>> mech, state = rg.models.pendulum().start
        >>> heavy = mech.with_inertia("rod", rg.Inertia.point(5.0, at=(0, 0, -1)))
        >>> heavy.bodies["rod"].inertia.mass
        5.0
        """
        if isinstance(body, str):
            return self.replace(inertia={body: inertia})  # type: ignore[dict-item]  # which says what it is, if it is none
        if inertia is not None:
            raise ModelError("with_inertia: give one body and its inertia, or a mapping of bodies to inertias, not both.")
        return self.replace(inertia=by_name("with_inertia: body", "bodies", body))

    def without(self: M, *names: str, below: bool = False, kind: str | None = None) -> M:
        """A copy without some parts, of any kind.

        With a body go its joints, frames, springs and shapes; with a joint the couplings that need it and the actuators that
        drive it. Keyframes lose the numbers of joints that are gone. What would be left without a way to the world is an error.

        Parameters
        ----------
        *names : str
            Names of bodies, joints, frames, springs, shapes, couplings, actuators or keyframes.
        below : bool, optional
            Take away also what would be left without a way to the world, with all that is on it.
        kind : str, optional
            What the names are of, such as "joint"; needed where parts of several kinds have the same name.

        Returns
        -------
        Mechanism
            This one stays as it is.

        Raises
        ------
        ModelError
            If there is no such part, or several kinds have one of this name.
        StructureError
            If bodies would be left without a way to the world.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.models.human_figure().mech
        >>> print(mech.without("left upper arm", "right upper arm", "left thigh", "right thigh", below=True))
        Mechanism: 1 body, 1 joint, 6 degrees of freedom, 40.46 kg
        world
        └─ base: Free → trunk (40.46 kg)
        """
        gone = self._named(names, kind)
        bodies, joints = gone["bodies"], gone["joints"]
        joints |= {name for name, joint in self._joints.items() if {joint.parent, joint.child} & bodies}
        lost = self._left_hanging(bodies, joints)
        if lost and not below:
            raise StructureError(
                f"without {listed(names)} there is no way from the world to {listed(lost)}; take these away too, with "
                "below=True, or join them to something else first."
            )
        bodies |= set(lost)
        joints |= {name for name, joint in self._joints.items() if {joint.parent, joint.child} & bodies}
        gone["frames"] |= {name for name, frame in self._frames.items() if frame.body in bodies}
        gone["shapes"] |= {name for name, shape in self._shapes.items() if shape.body in bodies}
        gone["springs"] |= {name for name, spring in self._springs.items() if {spring.body_a, spring.body_b} & bodies}
        gone["couplings"] |= {name for name, coupling in self._couplings.items() if joints.intersection(coupling.joints)}
        gone["actuators"] |= {name for name, actuator in self._actuators.items() if actuator.drives(joints)}
        return self._without(gone)

    def _without(self: M, gone: Mapping[str, Collection[str]]) -> M:
        """A copy without these parts, by table, and without what re-rooting remembers of them."""
        twin = self.copy()
        for table in PARTS:
            kept = {name: part for name, part in getattr(self, f"_{table}").items() if name not in gone[table]}
            setattr(twin, f"_{table}", kept)
        bases = self._former_bases.items()
        twin._former_bases = {name: base for name, base in bases if not {base.parent, base.child} & set(gone["bodies"])}
        there = twin._joints.keys() | twin._former_bases.keys()
        twin._actuators = {name: actuator for name, actuator in twin._actuators.items() if actuator.is_within(there)}
        twin._keyframes = {name: _trimmed(key, gone["joints"]) for name, key in twin._keyframes.items()}
        only_fittings = not (gone["bodies"] or gone["joints"] or gone["springs"] or gone["couplings"])
        twin._changed(self.structure if only_fittings else None)
        return twin

    def _named(self, names: Iterable[str], kind: str | None) -> dict[str, set[str]]:
        """Names of parts, by table."""
        if kind is not None and kind not in KINDS:
            raise ModelError(f"without: there is no kind {kind!r}; known are {listed(KINDS)}.")
        found: dict[str, set[str]] = {table: set() for table in PARTS}
        for name in names:
            wanted = {one: table for one, table in KINDS.items() if kind in (None, one)}
            kinds = [one for one, table in wanted.items() if isinstance(name, str) and name in getattr(self, table)]
            if not kinds:
                raise ModelError(f"without: there is no {kind or 'part'} {name!r}. {self._known_parts(wanted.values(), name)}")
            if len(kinds) > 1:
                raise ModelError(
                    f"without: {name!r} is the name of a {' and of a '.join(kinds)}; say which you mean, as kind={kinds[0]!r}."
                )
            found[KINDS[kinds[0]]].add(name)
        return found

    def _known_parts(self, tables: Iterable[str], name: object) -> str:
        there = {table: parts for table in tables if (parts := getattr(self, table))}
        return " ".join(known(table, parts) for table, parts in there.items()) + meant(name, chain.from_iterable(there.values()))

    def _left_hanging(self, bodies: Collection[str], joints: Collection[str]) -> list[str]:
        """The bodies that have a way to the world now, and none without these."""
        before = _reached(self._joints.values())
        after = _reached(joint for name, joint in self._joints.items() if name not in joints)
        return [name for name in self._bodies if name in before and name not in after and name not in bodies]


def _reached(joints: Iterable[Joint]) -> set[str]:
    """The bodies that joints connect with the world."""
    beside: dict[str, list[str]] = {}
    for joint in joints:
        beside.setdefault(joint.parent, []).append(joint.child)
        beside.setdefault(joint.child, []).append(joint.parent)
    seen, waiting = {WORLD}, [WORLD]
    while waiting:
        for other in beside.get(waiting.pop(), ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def _trimmed(key: Keyframe, gone: Collection[str]) -> Keyframe:
    """A keyframe without the numbers of joints that are gone."""
    q, v = (tuple((joint, values) for joint, values in numbers if joint not in gone) for numbers in (key.q, key.v))
    return Keyframe(key.name, q, v)
