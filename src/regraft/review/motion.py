"""What keeps a mechanism from moving: bodies on nothing, joints that move no mass, loops that are open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..ask.assembly import assemble
from ..ask.inverse import mass_matrix
from ..ask.loop_measures import loop_gaps
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..describe.text import walked
from ..errors import RegraftError
from ..tolerances import ASSEMBLED, NO_INERTIA
from .remark import Remark, error, warning

_MOST = 2000  # degrees of freedom: the mass matrix of more is too large to look at


def unconnected(mech: Mechanism) -> list[str]:
    """Bodies without a way to the world."""
    reached = {body for _, body, _, _ in walked(mech.joints, mech.layout)}
    return [name for name in mech.bodies if name not in reached]


def check_motion(mech: Mechanism, state: State) -> Iterator[Remark]:
    """What keeps it from moving."""
    yield from _check_carried(mech, state)
    yield from _check_loops(mech, state)


def _check_carried(mech: Mechanism, state: State) -> Iterator[Remark]:
    """Joints behind which there is no inertia: torque would accelerate them without end."""
    masses = _carried(mech)
    M = mass_matrix(mech, state) if mech.nv <= _MOST else None
    for name, place in mech.layout.v_slices.items():
        if place.start == place.stop or name not in masses:
            continue
        mass, armature = masses[name], mech.joints[name].type.armature
        if mass == 0.0 and not armature.all():
            yield error("inertia", (name,), "nothing that it carries has mass: give it some, or weld the joint")
        elif M is not None and not float(np.linalg.eigvalsh(M[place, place] + np.diag(armature))[0]) > NO_INERTIA * mass:
            yield error(
                "inertia", (name,), "what it carries has no inertia along all of its directions, as a point on its axis has none"
            )


def _carried(mech: Mechanism) -> dict[str, float]:
    """The mass that each tree joint carries; not of joints that loops or couplings connect with other masses."""
    held, walk = _held(mech), [(joint, body) for joint, body, _, _ in walked(mech.joints, mech.layout)]
    mass = {name: body.inertia.mass for name, body in mech.bodies.items()} | {WORLD: 0.0}
    for joint, body in reversed(walk):
        onto = joint.parent if joint.child == body else joint.child
        mass[onto] += mass[body]
        if body in held:
            held.add(onto)
    return {joint.name: mass[body] for joint, body in walk if body not in held}


def _held(mech: Mechanism) -> set[str]:
    """Bodies that loops or couplings join to others, whose mass may be what they move."""
    joints = [mech.joints[name] for name in mech.loop_joints]
    joints += [mech.joints[name] for coupling in mech.couplings.values() for name in coupling.joints]
    return {body for joint in joints for body in (joint.parent, joint.child)} - {WORLD}


def _check_loops(mech: Mechanism, state: State) -> Iterator[Remark]:
    gaps = loop_gaps(mech, state._x[None])[0, : len(mech.loop_joints), 0]
    wide = {name: float(gap) for name, gap in zip(mech.loop_joints, gaps, strict=True) if not gap <= ASSEMBLED}
    if not wide:
        return
    told = f"open by up to {max(wide.values()):.3g} (m or rad) where it starts"
    try:
        assemble(mech, state)
    except RegraftError as problem:
        yield error("loop", wide, f"{told}, and cannot be closed from there: {problem}")
    else:
        yield warning("loop", wide, f"{told}; regraft.assemble closes it")
