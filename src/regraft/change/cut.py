"""Cutting a joint: a loop opens, or what is no longer connected floats; no motion changes (S2 V-B)."""

from __future__ import annotations

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..errors import StructureError, listed, meant
from ..joints import Free
from ..kernels.tables import BODY, JOINT
from .carry import carried, settled


def cut(mech: Mechanism, state: State, joint: str) -> tuple[Mechanism, State]:
    """Remove a joint, and the actuators that drive it; no motion changes.

    If it was a tree joint within a loop, the loop joint that closed that loop becomes a tree joint in its stead. If it was in no
    loop, the body that it carried floats, with a `Free()` joint named ``"<body>_free"``. Where the new joint has another number
    of coordinates, the places in q and v of the joints behind it shift.

    A loop joint may be open by up to 1e-6, in position or in velocity; a tree joint cannot. If it was open, the bodies go to the
    nearest positions and velocities that it allows, in the metric of kinetic energy: momentum is kept along every free direction,
    and energy does not grow.

    Parameters
    ----------
    mech : Mechanism
        The mechanism; it is not changed.
    state : State
        Its position and velocity.
    joint : str
        The joint's name.

    Returns
    -------
    mech : Mechanism
        The mechanism without the joint.
    state : State
        Its state, in which every body moves as before.

    Raises
    ------
    StructureError
        If there is no such joint, a coupling needs it, or the loop joint that becomes a tree joint is open by more.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("rope", rg.Spherical(), "world", "bob", child_pose=rg.Pose(translation=(0, 0, 1)))
    >>> loose, state = rg.cut(mech, mech.state(), "rope")
    >>> print(loose)
    Mechanism: 1 body, 1 joint, 6 degrees of freedom, 1 kg
    world
    └─ bob_free: Free → bob (1 kg)
    """
    structure = mech.structure_for(state)
    if not isinstance(joint, str) or joint not in mech.joints:
        raise StructureError(
            f"there is no joint {joint!r} to cut; the joints are: {listed(mech.joints)}.{meant(joint, mech.joints)}"
        )
    bare = mech.without_actuators_of(joint)
    opened = bare.without_joint(joint)
    if len(opened.layout.joints) == len(structure.joint_names):  # what the joint held is held by a loop
        return opened, carried(mech, state, opened)
    row = structure.walk[:, JOINT].tolist().index(structure.joint_names.index(joint))
    body = structure.body_names[structure.walk[row, BODY]]
    free = Joint(_free_name(mech, body, joint), Free(), WORLD, body, Pose(), Pose())
    held = settled(free, body, structure.motion(state._x)[row])
    loose = bare.with_joint(joint, free)
    return loose, carried(mech, state, loose, {free.name: held})


def _free_name(mech: Mechanism, body: str, going: str) -> str:
    """The body's name with _free, and a number where another joint has that name."""
    name, number = f"{body}_free", 2
    while name in mech.joints and name != going:
        name, number = f"{body}_free_{number}", number + 1
    return name
