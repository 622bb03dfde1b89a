"""What URDF has no words for: one error that lists all of it, and warnings about what only Regraft reads back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ...describe.grounds import Ground, Surface
from ...describe.mechanism import Mechanism
from ...describe.parts import Actuator, Joint
from ...describe.shapes import Ellipsoid, Form, Plane, Sphere
from ...describe.state import State
from ...errors import FileError, listed, warn
from ...joints import Fixed, Free, Planar, Prismatic, Revolute

GRAVITY = (0.0, 0.0, -9.81)
SAYABLE = (Revolute, Prismatic, Fixed, Free, Planar)
ONE_AXIS = (Revolute, Prismatic)
_SHOWN = 60  # parts of which the same is said


IGNORABLE = "loop", "armature", "stiffness", "spring", "coupling"
"""What may be left out, by its kind."""

Problem = tuple[str, str, str]
"""Its kind, the part that has it, and what it is, with a place for the parts."""


def sayable(mech: Mechanism, ignore: Collection[str]) -> tuple[Mechanism, list[str]]:
    """The mechanism without what URDF has no words for and may be left out, and what that is."""
    everything = "all" in ignore
    found = [one for one in (*_loops(mech), *_joints(mech, set()), *_rest(mech)) if one[0] in IGNORABLE]
    gone = [one for one in found if everything or one[0] in ignore]
    for kind, table in (("coupling", "coupling"), ("loop", "joint"), ("spring", "spring")):
        names = dict.fromkeys(part for what, part, _ in gone if what == kind)
        mech = mech.without(*names, kind=table) if names else mech
    settings: dict[str, dict[str, float]] = {}
    for kind, part, _ in gone:
        if kind in ("armature", "stiffness"):
            settings.setdefault(part, {})[kind] = 0.0
    return mech.replace(settings=settings) if settings else mech, _grouped(gone)


def only_ours(form: Form) -> bool:
    """Whether a form is one that URDF has no word for."""
    return isinstance(form, (Ellipsoid, Plane, Ground)) or (isinstance(form, Sphere) and form.hollow)


def check_sayable(mech: Mechanism, backwards: set[str], path: Path) -> None:
    """Raise one error that lists all that URDF cannot hold.

    Parameters
    ----------
    mech : Mechanism
        The mechanism that is to be written.
    backwards : set of str
        The joints that the tree passes from their child to their parent.
    path : Path
        The file, for the error.
    """
    found = [*_loops(mech), *_joints(mech, backwards), *_rest(mech)]
    if found:
        lines = "\n".join(f"- {what}" for what in _grouped(found))
        kinds = [kind for kind in IGNORABLE if any(one[0] == kind for one in found)]
        way = f"Leave it out by ignore={tuple(kinds)}, or write" if kinds else "Write"
        raise FileError(
            f"{str(path)!r}: URDF has no words for this:\n{lines}\n"
            f"{way} MJCF (.xml), which has more of it, or Regraft's own .json beside it, which has all."
        )


def _grouped(found: Iterable[Problem]) -> list[str]:
    """What is said of several parts, once."""
    parts: dict[str, list[str]] = {}
    for _, part, what in found:
        parts.setdefault(what, []).append(part)
    return [what.format(("s " if len(names) > 1 else " ") + listed(names, _SHOWN)) for what, names in parts.items()]


def _loops(mech: Mechanism) -> Iterator[Problem]:
    for name in mech.loop_joints:
        yield "loop", name, "loops, and URDF has trees: the joint{}"


def _joints(mech: Mechanism, backwards: set[str]) -> Iterator[Problem]:
    loops = set(mech.loop_joints)
    for name, joint in mech.joints.items():
        kind = type(joint.type)
        if name in loops:
            continue
        if kind not in SAYABLE:
            yield "joint", name, f"{kind.__name__}: the joint{{}}"
            continue
        if name in backwards and kind in (Free, Planar):
            told = _literal(f"described from {joint.parent!r}, which {joint.child!r} is to carry")
            yield "joint", name, f"the {kind.__name__} joint{{}} is {told}"
        yield from _settings(joint)


def _literal(text: str) -> str:
    """Braces in names stay braces."""
    return text.replace("{", "{{").replace("}", "}}")


def _settings(joint: Joint) -> Iterator[Problem]:
    kind, name = joint.type, joint.name
    for what in ("armature", "stiffness"):
        if getattr(kind, what).any():
            yield what, name, f"{what}: the joint{{}}"
    for what in ("damping", "friction", "effort", "speed"):
        values = getattr(kind, what)
        if values.size > 1 and (values != values[0]).any():
            yield "joint", name, f"several numbers for {what}: the joint{{}}"
    if kind.limits is not None and not isinstance(kind, ONE_AXIS):
        yield "joint", name, f"limits of a {type(kind).__name__} joint: the joint{{}}"


def _rest(mech: Mechanism) -> Iterator[Problem]:
    for name in mech.springs:
        yield "spring", name, "the spring{}"
    for name, shape in mech.shapes.items():
        if isinstance(shape.form, Surface):
            yield "shape", name, "surfaces, which are functions; take them off with Mechanism.without: the shape{}"
    driven = Counter(coupling.driven for coupling in mech.couplings.values())
    for name, coupling in mech.couplings.items():
        if len(coupling.drivers) > 1:
            yield "coupling", name, "what follows several joints: the coupling{}"
        elif driven[coupling.driven] > 1:
            yield "coupling", name, _literal(f"several that the joint {coupling.driven!r} follows:") + " the coupling{}"
        others = [joint for joint in coupling.joints if not isinstance(mech.joints[joint].type, ONE_AXIS)]
        if others:
            yield "coupling", name, _literal(f"what follows by {listed(others)}:") + " the coupling{}"


def is_plain_motor(actuator: Actuator) -> bool:
    """Whether a transmission, with the largest effort, says all of an actuator."""
    most = actuator.force_range[1]
    return actuator == Actuator(actuator.name, actuator.joints[:1], force_range=(-most, most))


def tell_what_only_we_read(mech: Mechanism, state: State, gone: Sequence[str], path: Path) -> None:
    """Warn of what other programs will not know of, and of what is gone for all."""
    if gone:
        warn(f"{str(path)!r}: left out, so that the robot moves otherwise: {'; '.join(gone)}.")
    if mech.gravity.tolist() != list(GRAVITY):
        warn(f"URDF has no gravity: other programs take their own, not {mech.gravity.tolist()}; Regraft reads it back.")
    shapes = [name for name, shape in mech.shapes.items() if only_ours(shape.form)]
    if shapes:
        warn(f"URDF has no ellipsoids, planes, grounds and hollow spheres: only Regraft reads these back: {listed(shapes)}.")
    servos = [name for name, actuator in mech.actuators.items() if not is_plain_motor(actuator)]
    if servos:
        warn(f"URDF has no servos, bounds of controls and motors of several joints: only we read them back: {listed(servos)}.")
    if mech.keyframes:
        warn(f"URDF has no keyframes: only Regraft reads these back: {listed(mech.keyframes)}.")
    if not np.array_equal(state.q, mech.state().q) or state.v.any():
        warn("URDF has no state: what was given is left out. Save it by state.save(...).")
