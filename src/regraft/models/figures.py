"""Human figures: 16 joint degrees of freedom (S2, Fig. 19), and 40 with spherical joints (S2, Fig. 16)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose, finite
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Sphere
from ..errors import ModelError
from ..joints import Free, Limits, Revolute, Spherical
from .anthropometry import (
    ANKLE_HEIGHT,
    CHEST,
    FOOT,
    FOREARM,
    GIRDLE,
    HAND,
    HEAD,
    HEAD_TOP,
    HEEL,
    HIP_HEIGHT,
    HIPS,
    PELVIS,
    SHANK,
    SHOULDERS,
    THIGH,
    TRUNK,
    UPPER_ARM,
    Size,
)
from .ready import Model, Point, add_flat, add_limb, positive

Array = NDArray[np.float64]

SIDES = {"left": 1.0, "right": -1.0}
"""The sides of a figure, and on which side of x they are: y is to its left, x ahead, z up."""
BASE = "base"
"""The free joint between the world and a figure's middle."""

_UP, _AHEAD, _ORIGIN = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)
_STIFFNESS, _DISSIPATION = 2000.0, 1.0  # N m/rad and s/rad of a limit: some degrees beyond it hold a limb at several g


class Range(NamedTuple):
    """How far a ball joint turns, in degrees: the flexion in the middle of its range, and the largest turn from there."""

    middle: float
    most: float


SHOULDER, HIP = Range(60.0, 120.0), Range(45.0, 75.0)
WAIST, NECK, COLLAR, WRIST, ANKLE = (Range(0.0, most) for most in (50.0, 60.0, 25.0, 80.0, 45.0))
ELBOW, KNEE = 150.0, 135.0

_GIRTH = 0.6  # in pictures the trunk is flat: so much of the radius that a cylinder of its mass would have


@dataclass(frozen=True, eq=False)
class Figure(Model):
    """A human figure. Where it stands upright, with its arms down, all of its bodies have the world's axes: x ahead, z up.

    Ball joints have their zero in the middle of their range, so that one angle can bound them; `positions` takes turns from
    the standing pose instead. It has all attributes of a `Model`.

    Attributes
    ----------
    size : Size
        Its mass and height, as `size.mass` and `size.height`.
    """

    size: Size = Size(70.0, 1.75)  # noqa: RUF009 (a tuple)

    def positions(self, turns: Mapping[str, Pose | float], base: Pose | None = None) -> dict[str, Array]:
        """The positions of the joints, for `mech.state`, in a pose that is given as turns from the standing one.

        Parameters
        ----------
        turns : mapping of str to Pose or float
            By joint. A ball joint takes a `Pose`, by which its limb is turned in the axes of the body that carries it; a hinge
            takes its angle. Joints that are not named stand.
        base : Pose, optional
            Where the figure's middle is, between its hips; by default it stands on the ground.

        Returns
        -------
        dict of str to array

        Raises
        ------
        ModelError
            If there is no such joint, or it takes something else.

        Examples
        --------
        >>> import regraft as rg
        >>> figure = rg.models.human_figure()
        >>> salute = figure.positions({"right shoulder": rg.Pose.about((0, 1, 0), -1.0), "right elbow": 2.0})
        >>> hand = rg.frame_position(figure.mech, figure.mech.state(q=salute), "right grip")
        >>> bool(hand[0] > 0.0 and hand[2] > 1.4)
        True
        """
        joints = self.mech.joints
        for name in turns:
            if name not in joints or name == BASE:
                raise ModelError(
                    f"the figure has no joint {name!r} to turn; it has: {', '.join(j for j in joints if j != BASE)}."
                )
        found: dict[str, Array] = {}
        for name, joint in joints.items():
            if isinstance(joint.type, Spherical):
                turn = turns.get(name, Pose())
                if not isinstance(turn, Pose):
                    raise ModelError(f"joint {name!r} is a ball joint: give its turn as a Pose, such as Pose.about(axis, angle).")
                found[name] = Pose(joint.parent_pose.rotation.T @ turn.rotation).quaternion
            elif isinstance(joint.type, Revolute):
                angle = turns.get(name, 0.0)
                if isinstance(angle, Pose):
                    raise ModelError(f"joint {name!r} is a hinge: give its angle in radians, not a Pose.")
                found[name] = np.atleast_1d(finite(f"joint {name!r}: angle", angle, ()))
        if BASE in joints:
            place = Pose(translation=(0.0, 0.0, HIP_HEIGHT * self.size.height)) if base is None else base
            found[BASE] = np.concatenate((place.translation, place.quaternion))
        return found


def human_figure(mass: float = 70.0, height: float = 1.75) -> Figure:
    """A human figure: a trunk that floats, and four degrees of freedom in each arm and leg, 16 in all (S2's Fig. 19).

    Shoulders and hips are ball joints, as S2's section VI wants them, and elbows and knees are hinges; the paper gives four a
    limb and does not say which. Hands belong to the forearms, feet to the shanks, the head to the trunk; their inertias are
    added up. Masses and lengths are Winter's (`regraft.models.anthropometry`).

    The joints are "base", and "shoulder", "elbow", "hip" and "knee" of "left" and "right". The limits are those of a healthy
    adult as the American Academy of Orthopaedic Surgeons lists them (Joint Motion, 1965): elbow 0 to 150°, knee 0 to 135°,
    shoulder from 60° of extension to 180° of flexion, hip from 30° to 120°. A ball joint is bounded by the angle of its turn
    from the middle of that range, which bounds abduction and rotation too.

    Frames: "grip" (the middle of the hand), "sole" (under the ankle), "toes" and "seat" (under the middle of the thigh) of
    either side, and "crown" (the top of the head).

    Parameters
    ----------
    mass : float, optional
        In kg.
    height : float, optional
        In metres.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import regraft as rg
    >>> figure = rg.models.human_figure(mass=80.0)
    >>> figure.mech.nv, sum(body.inertia.mass for body in figure.mech.bodies.values())
    (22, 80.0)
    """
    mech, size = Mechanism(), _size(mass, height)
    add_human(mech, size, floats=True)
    return _standing(mech, size)


def spherical_figure(mass: float = 70.0, height: float = 1.75) -> Figure:
    """A human figure that floats: 17 links, 12 ball joints and 4 hinges, 40 degrees of freedom (S2's Fig. 16).

    The ball joints are "waist" and "neck", and "collar", "shoulder", "wrist", "hip" and "ankle" of "left" and "right"; the
    hinges are the elbows and knees. It is the figure of `human_figure` with hands, feet and head of their own, and with its
    trunk in four: "pelvis" with the belly and "chest" have the shares of Winter's table, 0.281 and 0.216, and each "shoulder
    girdle" takes 0.02 of the chest's, which is no number of that table. "base" is the free joint of the pelvis.

    Parameters
    ----------
    mass : float, optional
        In kg.
    height : float, optional
        In metres.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.models.spherical_figure().mech
    >>> len(mech.bodies), mech.nv - 6, len(mech.joints) - 1
    (17, 40, 16)
    """
    mech, size = Mechanism(), _size(mass, height)
    waist, shoulders = size.length(PELVIS), size.length(TRUNK)
    mech.add_body("pelvis", size.inertia(PELVIS, _UP))
    mech.add_joint(BASE, Free(), WORLD, "pelvis")
    mech.add_body("chest", size.inertia(CHEST, _UP))
    _add_ball(mech, "waist", "pelvis", "chest", (0.0, 0.0, waist), WAIST)
    mech.add_body("head", size.inertia(HEAD, _UP))
    _add_ball(mech, "neck", "chest", "head", (0.0, 0.0, shoulders - waist), NECK)
    mech.add_frame("crown", "head", _at((0.0, 0.0, HEAD_TOP * size.height)))
    girth = _GIRTH * size.radius(TRUNK)
    add_flat(mech, "pelvis", _torso(size, waist), girth)
    add_flat(mech, "chest", _torso(size, shoulders - waist), girth)
    _add_skull(mech, "head", size, 0.0)
    for side, sign in SIDES.items():
        girdle, reach = f"{side} shoulder girdle", 0.5 * sign * SHOULDERS * size.height
        mech.add_body(girdle, size.inertia(GIRDLE, (0.0, sign, 0.0)))
        _add_ball(mech, f"{side} collar", "chest", girdle, (0.0, 0.0, shoulders - waist), COLLAR)
        add_limb(mech, girdle, _ORIGIN, (0.0, reach, 0.0), size.radius(UPPER_ARM))
        _add_arm(mech, size, side, girdle, (0.0, reach, 0.0), wrist=True)
        _add_leg(mech, size, side, "pelvis", ankle=True)
    return _standing(mech, size)


def add_human(mech: Mechanism, size: Size, floats: bool) -> None:
    """Put the bodies, joints, frames and shapes of the human figure into a mechanism, and the joint to the world if it floats."""
    shoulders = size.length(TRUNK)
    mech.add_body("trunk", size.inertia(TRUNK, _UP) + size.inertia(HEAD, _UP, (0.0, 0.0, shoulders)))
    if floats:
        mech.add_joint(BASE, Free(), WORLD, "trunk")
    mech.add_frame("crown", "trunk", _at((0.0, 0.0, shoulders + HEAD_TOP * size.height)))
    add_flat(mech, "trunk", _torso(size, shoulders), _GIRTH * size.radius(TRUNK))
    _add_skull(mech, "trunk", size, shoulders)
    for side, sign in SIDES.items():
        shoulder = (0.0, 0.5 * sign * SHOULDERS * size.height, shoulders)
        _add_arm(mech, size, side, "trunk", shoulder, wrist=False)
        _add_leg(mech, size, side, "trunk", ankle=False)


def _add_arm(mech: Mechanism, size: Size, side: str, carrier: str, shoulder: Point, wrist: bool) -> None:
    """An arm; without a wrist the hand belongs to the forearm."""
    upper, fore, hand = (size.length(part) for part in (UPPER_ARM, FOREARM, HAND))
    upper_name, fore_name, end = f"{side} upper arm", f"{side} forearm", (0.0, 0.0, -fore)
    mech.add_body(upper_name, size.inertia(UPPER_ARM))
    mech.add_body(fore_name, size.inertia(FOREARM) if wrist else size.inertia(FOREARM) + size.inertia(HAND, start=end))
    _add_ball(mech, f"{side} shoulder", carrier, upper_name, shoulder, SHOULDER)
    _add_hinge(mech, f"{side} elbow", (0.0, -1.0, 0.0), upper_name, fore_name, -upper, ELBOW)
    hand_name, wrist_at = fore_name, -fore
    if wrist:
        hand_name, wrist_at = f"{side} hand", 0.0
        mech.add_body(hand_name, size.inertia(HAND))
        _add_ball(mech, f"{side} wrist", fore_name, hand_name, end, WRIST)
    mech.add_frame(f"{side} grip", hand_name, _at((0.0, 0.0, wrist_at - HAND.com * hand)))
    add_limb(mech, upper_name, _ORIGIN, (0.0, 0.0, -upper), size.radius(UPPER_ARM))
    add_limb(mech, fore_name, _ORIGIN, end, size.radius(FOREARM))
    add_limb(mech, hand_name, (0.0, 0.0, wrist_at), (0.0, 0.0, wrist_at - 0.7 * hand), 0.9 * size.radius(FOREARM))


def _add_leg(mech: Mechanism, size: Size, side: str, carrier: str, ankle: bool) -> None:
    """A leg; without an ankle the foot belongs to the shank."""
    thigh, shank, foot, sole = size.length(THIGH), size.length(SHANK), size.length(FOOT), ANKLE_HEIGHT * size.height
    thigh_name, shank_name, end = f"{side} thigh", f"{side} shank", (0.0, 0.0, -shank)
    foot_name, ankle_at = (f"{side} foot", 0.0) if ankle else (shank_name, -shank)
    heel = (-HEEL * foot, 0.0, ankle_at - 0.5 * sole)
    mech.add_body(thigh_name, size.inertia(THIGH))
    shape = size.inertia(FOOT, _AHEAD, heel)
    mech.add_body(shank_name, size.inertia(SHANK) if ankle else size.inertia(SHANK) + shape)
    _add_ball(mech, f"{side} hip", carrier, thigh_name, (0.0, 0.5 * SIDES[side] * HIPS * size.height, 0.0), HIP)
    _add_hinge(mech, f"{side} knee", (0.0, 1.0, 0.0), thigh_name, shank_name, -thigh, KNEE)
    if ankle:
        mech.add_body(foot_name, shape)
        _add_ball(mech, f"{side} ankle", shank_name, foot_name, end, ANKLE)
    mech.add_frame(f"{side} sole", foot_name, _at((0.0, 0.0, ankle_at - sole)))
    mech.add_frame(f"{side} toes", foot_name, _at(((1.0 - HEEL) * foot, 0.0, ankle_at - sole)))
    mech.add_frame(f"{side} seat", thigh_name, _at((-size.radius(THIGH), 0.0, -0.5 * thigh)))
    r = 0.4 * sole
    add_limb(mech, thigh_name, _ORIGIN, (0.0, 0.0, -thigh), size.radius(THIGH))
    add_limb(mech, shank_name, _ORIGIN, end, size.radius(SHANK))
    back, front = ((x, 0.0, ankle_at - sole + r) for x in (r - HEEL * foot, (1.0 - HEEL) * foot - r))
    add_limb(mech, foot_name, back, front, r)


def _torso(size: Size, top: float) -> tuple[Point, Point, Point, Point]:
    """The corners of the trunk, or of a part of it that is so high: as wide as the hips below and as the shoulders above."""
    r = _GIRTH * size.radius(TRUNK)
    low, high = 0.5 * (HIPS * size.height - r), 0.5 * SHOULDERS * size.height - r
    return (0.0, -low, 0.0), (0.0, low, 0.0), (0.0, high, top - 0.5 * r), (0.0, -high, top - 0.5 * r)


def _add_skull(mech: Mechanism, body: str, size: Size, neck: float) -> None:
    radius = 0.5 * (HEAD_TOP - 0.052) * size.height  # from the chin, at 0.870 of the height, to the top
    mech.add_shape(body, Sphere(0.85 * radius), pose=_at((0.0, 0.0, neck + HEAD_TOP * size.height - radius)))


def _add_ball(mech: Mechanism, name: str, parent: str, child: str, place: Point, turns: Range) -> None:
    """A ball joint whose zero is the middle of its range."""
    middle = Pose.about((0.0, 1.0, 0.0), -math.radians(turns.middle), translation=place)
    limits = Limits(-math.inf, math.radians(turns.most), _STIFFNESS, _DISSIPATION)
    mech.add_joint(name, Spherical(limits=limits), parent, child, middle)


def _add_hinge(mech: Mechanism, name: str, axis: Point, parent: str, child: str, height: float, most: float) -> None:
    """A hinge that flexes one way."""
    limits = Limits(0.0, math.radians(most), _STIFFNESS, _DISSIPATION)
    mech.add_joint(name, Revolute(axis, limits=limits), parent, child, _at((0.0, 0.0, height)))


def _standing(mech: Mechanism, size: Size) -> Figure:
    """The figure as it stands on the ground."""
    figure = Figure(mech, mech.state(), size=size)
    return replace(figure, state=mech.state(q=figure.positions({})))


def _size(mass: float, height: float) -> Size:
    return Size(positive("mass", mass), positive("height", height))


def _at(place: Point) -> Pose:
    return Pose(translation=place)
