"""What URDF has no words for: one error that lists all of it, and warnings about what only Regraft reads back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...describe.grounds import Ground, Surface
from ...describe.mechanism import Mechanism
from ...describe.parts import Joint
from ...describe.shapes import Ellipsoid, Form, Plane, Sphere
from ...describe.state import State
from ...errors import FileError, listed, warn
from ...joints import Fixed, Free, Planar, Prismatic, Revolute

GRAVITY = (0.0, 0.0, -9.81)
SAYABLE = (Revolute, Prismatic, Fixed, Free, Planar)
ONE_AXIS = (Revolute, Prismatic)


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
        lines = "\n".join(f"- {what}" for what in found)
        raise FileError(
            f"{str(path)!r}: URDF has no words for this:\n{lines}\n"
            "Write MJCF (.xml), which has more of it, or Regraft's own .json beside it, which has all."
        )


def _loops(mech: Mechanism) -> Iterator[str]:
    for name in mech.loop_joints:
        joint = mech.joints[name]
        yield f"the joint {name!r} between {joint.parent!r} and {joint.child!r} closes a loop; URDF has trees"


def _joints(mech: Mechanism, backwards: set[str]) -> Iterator[str]:
    loops = set(mech.loop_joints)
    for name, joint in mech.joints.items():
        kind = type(joint.type)
        if name in loops:
            continue
        if kind not in SAYABLE:
            yield f"the joint {name!r} is a {kind.__name__}"
            continue
        if name in backwards and kind in (Free, Planar):
            yield f"the {kind.__name__} joint {name!r} is described from {joint.parent!r}, which {joint.child!r} is to carry"
        yield from _settings(joint)


def _settings(joint: Joint) -> Iterator[str]:
    kind, name = joint.type, joint.name
    for what in ("armature", "stiffness"):
        if getattr(kind, what).any():
            yield f"the joint {name!r} has {what}"
    for what in ("damping", "friction", "effort", "speed"):
        values = getattr(kind, what)
        if values.size > 1 and (values != values[0]).any():
            yield f"the joint {name!r} has several numbers for {what}"
    if kind.limits is not None and not isinstance(kind, ONE_AXIS):
        yield f"the {type(kind).__name__} joint {name!r} has limits"


def _rest(mech: Mechanism) -> Iterator[str]:
    for name in mech.springs:
        yield f"the spring {name!r}"
    for name, shape in mech.shapes.items():
        if isinstance(shape.form, Surface):
            yield f"the shape {name!r} is a surface, a function; take it off with Mechanism.without"
    driven = Counter(coupling.driven for coupling in mech.couplings.values())
    for name, coupling in mech.couplings.items():
        if len(coupling.drivers) > 1:
            yield f"the coupling {name!r} follows {len(coupling.drivers)} joints"
        elif driven[coupling.driven] > 1:
            yield f"the coupling {name!r} is one of {driven[coupling.driven]} that the joint {coupling.driven!r} follows"
        others = [joint for joint in coupling.joints if not isinstance(mech.joints[joint].type, ONE_AXIS)]
        if others:
            yield f"the coupling {name!r} is of {listed(others)}"


def tell_what_only_we_read(mech: Mechanism, state: State) -> None:
    """Warn of what other programs will not know of."""
    if mech.gravity.tolist() != list(GRAVITY):
        warn(f"URDF has no gravity: other programs take their own, not {mech.gravity.tolist()}; Regraft reads it back.")
    shapes = [name for name, shape in mech.shapes.items() if only_ours(shape.form)]
    if shapes:
        warn(f"URDF has no ellipsoids, planes, grounds and hollow spheres: only Regraft reads these back: {listed(shapes)}.")
    if mech.keyframes:
        warn(f"URDF has no keyframes: only Regraft reads these back: {listed(mech.keyframes)}.")
    if not np.array_equal(state.q, mech.state().q) or state.v.any():
        warn("URDF has no state: what was given is left out. Save it by state.save(...).")
