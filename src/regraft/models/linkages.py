"""Single closed loops of hinges that move although they are overconstrained: the planar four-bar and Bricard's six-bar."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ..algebra.pose import Pose, finite_number
from ..ask.assembly import assemble
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..errors import ModelError
from ..joints import Revolute
from .ready import Model, add_limb, positive

_DENSITY = 1.0  # kg/m
_RADIUS = 0.02  # m


def four_bar(
    ground: float = 1.0, crank: float = 0.4, coupler: float = 1.1, rocker: float = 0.8, angle: float = 1.0, speed: float = 0.0
) -> Model:
    """A planar four-bar linkage in space: three rods of 1 kg/m in the plane y = 0, on four hinges along y.

    The crank stands on "motor" at the origin, the rocker on "pivot" at x = `ground`; the coupler is hinged to the crank by
    "elbow" and to the rocker by "knee", which closes the loop. Each hinge holds five directions, and three of the loop's five
    rows follow from the others: one degree of freedom, where a count gives −2.

    Parameters
    ----------
    ground, crank, coupler, rocker : float, optional
        The lengths of the four bars, in metres.
    angle : float, optional
        Of the crank, from the x-axis towards z, rad.
    speed : float, optional
        Its rate, rad/s.

    Returns
    -------
    Model

    Raises
    ------
    AssemblyError
        If rods of these lengths do not meet at this angle.

    Examples
    --------
    >>> import regraft as rg
    >>> linkage = rg.models.four_bar(angle=0.5)
    >>> linkage.mech.loop_joints, rg.mobility(*linkage.start).dof
    (('knee',), 1)
    """
    lengths = {"crank": crank, "coupler": coupler, "rocker": rocker}
    sizes = {name: positive(f"four_bar: {name}", length) for name, length in lengths.items()}
    base = positive("four_bar: ground", ground)
    mech, hinge = Mechanism(), Revolute((0.0, -1.0, 0.0))
    for name, length in sizes.items():
        mech.add_body(name, Inertia.cylinder(_DENSITY * length, _RADIUS, (0.0, 0.0, 0.0), (length, 0.0, 0.0)))
        add_limb(mech, name, (0.0, 0.0, 0.0), (length, 0.0, 0.0), _RADIUS)
    mech.add_joint("motor", hinge, WORLD, "crank")
    mech.add_joint("elbow", hinge, "crank", "coupler", _along(sizes["crank"]))
    mech.add_joint("pivot", hinge, WORLD, "rocker", _along(base))
    mech.add_joint("knee", hinge, "coupler", "rocker", _along(sizes["coupler"]), _along(sizes["rocker"]))
    turn, rate = (finite_number(f"four_bar: {what}", value) for what, value in (("angle", angle), ("speed", speed)))
    towards, rises = _triangle(base, turn, sizes)
    rough = mech.state(q={"motor": turn, "elbow": towards - turn, "pivot": rises}, v={"motor": rate})
    return Model(mech, assemble(mech, rough, hold=["motor"]))


def _triangle(base: float, turn: float, sizes: dict[str, float]) -> tuple[float, float]:
    """The angles of coupler and rocker from the x-axis, with the knee above the line between their ends."""
    x, z = base - sizes["crank"] * math.cos(turn), -sizes["crank"] * math.sin(turn)
    span, a, b = math.hypot(x, z), sizes["coupler"], sizes["rocker"]
    if not abs(a - b) < span < a + b:
        raise ModelError(
            f"four_bar: coupler and rocker cannot meet: their far ends are {span:g} m apart where the crank is at {turn:g} rad; "
            "choose another angle or other lengths."
        )
    towards = math.atan2(z, x) + math.acos((a * a + span * span - b * b) / (2.0 * a * span))
    knee = a * math.cos(towards) - x, a * math.sin(towards) - z
    return towards, math.atan2(knee[1], knee[0])


def bricard(length: float = 1.0) -> Model:
    """Bricard's orthogonal six-bar, along six edges of a cube and at rest: each hinge is at right angles with the next.

    The first rod is the ground; "rod 1" to "rod 5" have 1 kg/m and hang on "hinge 1" to "hinge 5", and "hinge 6" closes the
    loop. A count of joints and bodies gives no degree of freedom; this loop has one, because one of its five rows follows from
    the others.

    Parameters
    ----------
    length : float, optional
        Of each rod, in metres.

    Returns
    -------
    Model

    Examples
    --------
    >>> import regraft as rg
    >>> rg.mobility(*rg.models.bricard().start).dof
    1
    """
    size = positive("bricard: length", length)
    corners = size * np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], float)
    sides = np.roll(corners, -1, axis=0) - corners
    mech = Mechanism()
    rods = [WORLD, *(f"rod {number}" for number in range(1, 6)), WORLD]
    for rod, side in zip(rods[1:-1], sides[1:], strict=True):  # at the start with the world's axes, its origin at its first hinge
        mech.add_body(rod, Inertia.cylinder(_DENSITY * size, _RADIUS * size, (0.0, 0.0, 0.0), side))
        add_limb(mech, rod, (0.0, 0.0, 0.0), tuple(side.tolist()), _RADIUS * size)
    add_limb(mech, WORLD, (0.0, 0.0, 0.0), tuple(sides[0].tolist()), _RADIUS * size)
    for number, (before, after) in enumerate(pairwise(rods), 1):
        axis = np.cross(sides[number - 1], sides[number % 6])
        mech.add_joint(f"hinge {number}", Revolute(axis), before, after, Pose(translation=sides[number - 1]))
    return Model(mech, assemble(mech, mech.state()))


def _along(distance: float) -> Pose:
    return Pose(translation=(distance, 0.0, 0.0))
