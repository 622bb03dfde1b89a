"""Why the dynamics of a structure has no finite answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE
from ..errors import ModelError
from ..joints import screws
from ..kernels import tables
from ..kernels.aba import forward_dynamics
from .derive import derive_tree
from .description import CHILD_BODY, ON_CHILD, ON_PARENT, PARENT_BODY
from .structure import Structure
from .workspace import Workspace

Array = NDArray[np.float64]


def explain_failure(structure: Structure, work: Workspace, q: Array, root: int | None = None) -> ModelError:
    """Why there is no finite answer at q, under one root or all: a joint that moves no inertia, or an overflow.

    The dynamics at q has left its margins in `work`.
    """
    margins = work.dof[:, tables.MARGIN].real
    for row in structure.walk[::-1]:
        if root in (None, row[tables.ROOT]) and not (margins[row[tables.V] : row[tables.END]] > 0.0).all():
            return ModelError(why_idle(structure, structure.joint_names[row[tables.JOINT]], q))
    return ModelError("the accelerations are too large to be represented; check the units of masses, forces and velocities.")


def why_idle(structure: Structure, joint: str, q: Array) -> str:
    """What is wrong with a joint whose MARGIN is not positive: it moves nothing, or what it moves is lost in rounding."""
    j = structure.joint_names.index(joint)
    k, here = structure.walk[:, tables.JOINT].tolist().index(j), q[structure.layout.q_slices[joint]]
    if not screws(structure.layout.joints[j][1], here).any(axis=1).all():
        return (
            f"joint {joint!r} stands still at its position {here.tolist()}: it does not move there however fast its coordinate "
            "changes, so its acceleration is not defined; start elsewhere, or give it a curve whose slope is not zero there."
        )
    if not _moves_inertia(structure, k, q):
        return (
            f"joint {joint!r} can move without moving any inertia, so its acceleration is not defined; give mass or "
            "moments of inertia to what it carries, or fix it."
        )
    at = structure.motion(np.concatenate((q, np.zeros(structure.nv))))[[k, structure.walk[k, tables.ROOT]], 9:POSE]
    far = float(np.linalg.norm(at[0] - at[1]))
    return (
        f"joint {joint!r} moves so little inertia so far from the root of its tree, {far:.3g} m, that it cannot be told from "
        "rounding, which grows with the square of that distance; make a body nearer to it the root, with reroot, or let what "
        "it carries float by itself, on a Free() joint."
    )


def _moves_inertia(structure: Structure, k: int, q: Array) -> bool:
    """Whether the joint of row k moves more inertia than rounding where it is itself the root of what it carries."""
    walk, whole = structure.walk, structure.description
    end = k + 1
    while end < len(walk) and walk[end, tables.PARENT] >= k:  # depth first: what it carries comes right after it
        end += 1
    bodies = walk[k:end, tables.BODY].tolist()
    number = {body: b for b, body in enumerate(bodies)}
    joints, numbers = whole.joints[walk[k:end, tables.JOINT]], whole.numbers[walk[k:end, tables.JOINT]]
    for column in (PARENT_BODY, CHILD_BODY):
        joints[:, column] = [number.get(body, -1) for body in joints[:, column].tolist()]
    near = ON_PARENT if walk[k, tables.POLARITY] > 0 else ON_CHILD
    numbers[0, near : near + POSE] = np.append(np.eye(3), np.zeros(3))
    carried = whole._replace(
        joints=joints,
        numbers=numbers,
        inertias=whole.inertias[bodies],
        spring_ends=whole.spring_ends[:0],
        springs=whole.springs[:0],
        limited=whole.limited[:0],
        limits=whole.limits[:0],
        coiled=whole.coiled[:0],
        coils=whole.coils[:0],
    )
    _, address, memory = derive_tree.call(carried, structure.nq, structure.nv)
    work = Workspace(address, memory)
    x = np.concatenate((q, np.zeros(structure.nv)))
    forward_dynamics.call(work, x, structure.no_torque, np.empty(structure.nv))
    return bool((work.dof[walk[k, tables.V] : walk[k, tables.END], tables.MARGIN] > 0.0).all())
