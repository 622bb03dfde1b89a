"""The high bar (S2, Fig. 20): a human figure swings on a bar, lets go with one hand, then with the other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose, finite, finite_number
from ..ask.assembly import assemble
from ..ask.poses import body_poses, frame_position
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..errors import ModelError
from ..joints import Revolute
from ..simulate import Release, at_time
from .figures import BASE, SIDES, Figure, human_figure
from .ready import Model, add_limb, turn_about_y

Array = NDArray[np.float64]

BAR_HEIGHT, BAR_LENGTH, BAR_RADIUS = 2.75, 2.4, 0.014
"""Of the bar, m; its radius and length are those of the apparatus in gymnastics."""

_FLEXED, _TWISTED, _ELBOW, _HIP, _KNEE = (math.radians(angle) for angle in (165.0, 35.0, 15.0, 5.0, 5.0))


def high_bar(
    tilt: float = 2.27, speed: float = 2.0, release: tuple[float, float] = (0.66, 0.86), mass: float = 70.0, height: float = 1.75
) -> Model:
    """A human figure in a giant swing on a high bar along y; it lets go with its right hand, then with its left one.

    It hangs on two hinges along the bar, "left hand" and "right hand", which both close loops: the figure has its free joint
    "base", so that it can fly. Its joints have 24 coordinates, S2's count, 23 with one hand and 22 in flight; as loops open, its
    mobility grows: 12 degrees of freedom, 17, 22. Elbows do not bend in one plane, because the arms are turned inwards as on a
    bar: no row of the two loops is redundant.

    Parameters
    ----------
    tilt : float, optional
        The angle of the body from hanging down, rad.
    speed : float, optional
        The rate at which it swings about the bar, rad/s.
    release : (float, float), optional
        The times of the events "right hand lets go" and "left hand lets go".
    mass : float, optional
        In kg.
    height : float, optional
        In metres.

    Returns
    -------
    Model

    Examples
    --------
    >>> import regraft as rg
    >>> bar = rg.models.high_bar()
    >>> bar.mech.loop_joints, sum(joint.type.nv for joint in bar.mech.joints.values()), rg.mobility(*bar.start).dof
    (('left hand', 'right hand'), 24, 12)
    """
    lean, rate = (finite_number(f"high_bar: {what}", value) for what, value in (("tilt", tilt), ("speed", speed)))
    first, second = (float(time) for time in finite("high_bar: release", release, (2,)))
    if not 0.0 < first < second:
        raise ModelError(f"high_bar: release must be two times after the start, the right hand's first, not {release!r}.")
    figure = human_figure(mass, height)
    bar = np.array([0.0, 0.0, BAR_HEIGHT])
    mech, posed = _hanging(figure, lean, bar)
    turned, place = Pose.from_quaternion(posed[BASE][3:]).rotation, posed[BASE][:3]
    spin = np.array([0.0, -rate, 0.0])  # all as one rigid body about the bar
    motion = np.concatenate([turned.T @ np.cross(spin, place - bar), turned.T @ spin])
    state = assemble(mech, mech.state(q=posed, v={BASE: motion}))
    events = tuple(
        at_time(t, Release(f"{side} hand"), f"{side} hand lets go") for t, side in ((first, "right"), (second, "left"))
    )
    return Model(mech, state, events=events)


def _hanging(figure: Figure, tilt: float, bar: Array) -> tuple[Mechanism, dict[str, Array]]:
    """The figure with both hands on the bar, and the positions of its joints; this pose is the zero of the hands' hinges."""
    turns: dict[str, Pose | float] = {}
    for side, sign in SIDES.items():
        turns[f"{side} shoulder"] = turn_about_y(-_FLEXED) @ Pose.about((0.0, 0.0, 1.0), sign * _TWISTED)
        turns |= {f"{side} hip": turn_about_y(-_HIP), f"{side} elbow": _ELBOW, f"{side} knee": _KNEE}
    body, turned = figure.mech, turn_about_y(tilt)
    beside = body.state(q=figure.positions(turns, turned))
    middle = 0.5 * sum(frame_position(body, beside, f"{side} grip") for side in SIDES)
    posed = figure.positions(turns, Pose(turned.rotation, bar - middle))
    there = body.state(q=posed)
    poses, mech = body_poses(body, there), body.copy()
    for side in SIDES:
        hand = body.frames[f"{side} grip"].body
        here = Pose(translation=frame_position(body, there, f"{side} grip"))
        mech.add_joint(f"{side} hand", Revolute((0.0, 1.0, 0.0)), WORLD, hand, here, poses[hand].inverse() @ here)
    _add_apparatus(mech)
    return mech, posed


def _add_apparatus(mech: Mechanism) -> None:
    """The shapes of the bar and of its posts."""
    left, right = ((0.0, 0.5 * sign * BAR_LENGTH, BAR_HEIGHT) for sign in (-1.0, 1.0))
    add_limb(mech, WORLD, left, right, BAR_RADIUS)
    for end in (left, right):
        add_limb(mech, WORLD, end, (0.0, end[1], 0.0), 1.5 * BAR_RADIUS)
