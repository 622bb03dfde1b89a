"""Skeletons that S3 can describe: its example of three bodies, and a character of thirty bones. No gravity, no limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import Pose, finite, finite_number
from ..ask.balance import momentum
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Capsule, Ellipsoid
from ..describe.state import State
from ..errors import ModelError
from ..joints import Free, Revolute, Spherical
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
    HIPS,
    PELVIS,
    SHANK,
    SHOULDERS,
    THIGH,
    UPPER_ARM,
    Fractions,
    Size,
)
from .figures import BASE, SIDES, Figure
from .ready import Model, Point, add_flat, add_limb, positive, turn_about_y

Array = NDArray[np.float64]

_ORIGIN, _UP, _DOWN, _AHEAD = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)

# --- S3's example ----------------------------------------------------------------------------------------------------------

_MASSES = 3.0, 2.0, 1.5  # kg: S3 draws its bodies and gives no numbers
_SEMI_AXES = (0.30, 0.14, 0.10), (0.24, 0.10, 0.14), (0.20, 0.12, 0.08)  # m, the first one along the chain
_AXIS_1, _AXIS_2 = (0.0, 1.0, 0.0), (0.0, 0.6, 0.8)  # not parallel, so that the motion leaves every plane
_HEIGHT = 0.8  # m above the floor, for pictures
_JOINT, _STEEL = 0.045, (0.29, 0.31, 0.333)  # m: the radius of a joint in pictures, and its colour


def skeleton_example(joint: str = "hinge") -> Model:
    """S3's example: "body 1", "body 2" and "body 3" in a row, on two joints, floating without gravity; it tumbles.

    S3 is the paper on maximal coordinates, the third in the README's list. Bodies are solid ellipsoids, as it draws them; it
    gives no numbers, so masses of 3, 2 and 1.5 kg and sizes of 60, 48 and 40 cm are ours. "joint 1" is a hinge, "base" the free
    joint of the second body.

    Parameters
    ----------
    joint : {"hinge", "spherical"}, optional
        What "joint 2" is: a hinge about another axis than that of "joint 1", or a ball joint.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If `joint` is something else.

    Examples
    --------
    >>> import regraft as rg
    >>> from regraft.maximal import skeleton_of
    >>> skeleton, _ = skeleton_of(*rg.models.skeleton_example().start)
    >>> skeleton.rank, skeleton_of(*rg.models.skeleton_example("spherical").start)[0].rank
    (10, 8)
    """
    if joint not in ("hinge", "spherical"):
        raise ModelError(f'skeleton_example: joint must be "hinge" or "spherical", not {joint!r}.')
    mech = Mechanism(gravity=(0.0, 0.0, 0.0))
    for number, (mass, semi_axes) in enumerate(zip(_MASSES, _SEMI_AXES, strict=True), 1):
        mech.add_body(f"body {number}", _ellipsoid(mass, semi_axes))
        mech.add_shape(f"body {number}", Ellipsoid(semi_axes))
    mech.add_joint(BASE, Free(), WORLD, "body 2")
    first, second, third = (_SEMI_AXES[i][0] + 0.5 * _JOINT for i in range(3))
    ends = _at((-second, 0.0, 0.0)), _at((first, 0.0, 0.0))
    mech.add_joint("joint 1", Revolute(_AXIS_1), "body 2", "body 1", *ends)
    kind = Revolute(_AXIS_2) if joint == "hinge" else Spherical()
    mech.add_joint("joint 2", kind, "body 2", "body 3", _at((second, 0.0, 0.0)), _at((-third, 0.0, 0.0)))
    _add_joint_shape(mech, "joint 1", (-second, 0.0, 0.0), _AXIS_1)
    _add_joint_shape(mech, "joint 2", (second, 0.0, 0.0), _AXIS_2 if joint == "hinge" else None)
    bent = Pose.about(_AXIS_2, 0.7)
    state = mech.state(
        q={
            BASE: (0.0, 0.0, _HEIGHT, 1.0, 0.0, 0.0, 0.0),
            "joint 1": -0.6,
            "joint 2": 0.7 if joint == "hinge" else bent.quaternion,
        },
        v={BASE: (0.0, 0.0, 0.0, 3.0, 2.0, 4.0), "joint 1": 3.0, "joint 2": -4.0 if joint == "hinge" else (3.0, -2.0, -4.0)},
    )
    return Model(mech, _thrown(mech, state, (0.15, 0.0, 0.05)))


def _ellipsoid(mass: float, semi_axes: Point) -> Inertia:
    """Solid, with its middle at the origin and its axes along x, y and z."""
    squares = np.square(semi_axes)
    return Inertia(mass, tensor=np.diag(0.2 * mass * (squares.sum() - squares)))


def _add_joint_shape(mech: Mechanism, name: str, place: Point, axis: Point | None) -> None:
    """As S3 draws them, only to be seen: a hinge as a roll along its axis, a spherical joint as a ball."""
    half = np.zeros(3) if axis is None else 0.09 * np.array(axis)
    form = Capsule(_JOINT * (1.3 if axis is None else 0.8), np.array(place) + half, np.array(place) - half)
    mech.add_shape("body 2", form, name, collision=False, color=_STEEL)


# --- the character ---------------------------------------------------------------------------------------------------------

_PALM = 0.42  # of a hand's length
_SMALL = "hand", "thumb", "forefinger", "fingers", "fingertips", "foot", "toes"
_THICKEST = 0.05  # of the height: the largest radius in pictures
_POSE: Mapping[str, tuple[Point, float]] = {  # how a thrown character holds its left side; the right one is its mirror image
    "shoulder": ((1.0, 0.0, 0.0), 1.2),
    "elbow": (_ORIGIN, 0.5),
    "hip": ((0.3, -1.0, 0.0), 0.5),
    "knee": (_ORIGIN, 0.7),
}


class Bone(NamedTuple):
    """A bone of a character: from its joint along a direction."""

    name: str
    parent: str
    joint: str
    """The name of the joint; without an axis it is a ball joint."""
    axis: Point | None
    place: Point
    """Where the joint is on the parent, m."""
    along: Point
    part: Fractions
    """Mass, length, centre of mass and gyration; without a gyration it is a solid cylinder."""
    wide: Point = _ORIGIN
    """How far to either side it reaches in pictures, m."""
    start: Point = _ORIGIN
    """Where it begins, m from its joint."""


def character(
    damping: float = 0.0,
    spin: ArrayLike = (0.9, 3.0, 0.6),
    velocity: ArrayLike = (0.3, 0.0, 0.1),
    mass: float = 70.0,
    height: float = 1.75,
) -> Figure:
    """A human-like character of thirty bones, on 15 ball joints and 14 hinges, thrown with a spin; as S3 has it, without gravity.

    Its bones are "hips", "belly", "ribs", "chest", "neck" and "head", and of "left" and "right" each "clavicle", "upper arm",
    "forearm", "hand", "thumb", "forefinger", "fingers" (the three others), "fingertips", "thigh", "shank", "foot" and "toes".
    Limbs have Winter's masses and lengths, as `human_figure` has. His table has the lower and the upper trunk, head and neck,
    hand and foot as one piece each; how these are divided here is not of his table, and the pieces are solid cylinders of
    their mass.

    Hinges are "elbow", "knee", "thumb knuckle", "forefinger knuckle", "knuckles", "fingertip joint" and "toe joint" of either
    side; all others are ball joints, "base" is the free joint of the hips. There are no limits, as in S3: nothing but friction
    keeps it human.

    Parameters
    ----------
    damping : float, optional
        The friction of all joints, N m s; of those that carry a hand, a foot or a part of them a hundredth of that.
    spin : (3,) array_like, optional
        The angular velocity of all of it as one rigid body, rad/s.
    velocity : (3,) array_like, optional
        That of its centre of mass, m/s.
    mass : float, optional
        In kg.
    height : float, optional
        In metres.

    Returns
    -------
    Figure

    Raises
    ------
    ModelError
        If damping is negative, or mass or height is not positive.

    Examples
    --------
    >>> import regraft as rg
    >>> thrown = rg.models.character()
    >>> len(thrown.mech.bodies), thrown.mech.nv, round(sum(body.inertia.mass for body in thrown.mech.bodies.values()), 9)
    (30, 65, 70.0)
    """
    size = Size(positive("character: mass", mass), positive("character: height", height))
    friction = finite_number("character: damping", damping)
    if friction < 0.0:
        raise ModelError(f"character: damping must not be negative, not {friction:g}.")
    turning, moving = finite("character: spin", spin, (3,)), finite("character: velocity", velocity, (3,))
    mech = Mechanism(gravity=(0.0, 0.0, 0.0))
    for bone in (*_trunk(size), *(bone for side in SIDES for bone in (*_arm(size, side), *_leg(size, side)))):
        mech.add_body(bone.name, _inertia(size, bone))
        if bone.parent == WORLD:
            mech.add_joint(BASE, Free(), WORLD, bone.name)
        else:
            slows = friction * (0.01 if bone.name.rsplit(maxsplit=1)[-1] in _SMALL else 1.0)
            kind = Spherical(damping=slows) if bone.axis is None else Revolute(bone.axis, damping=slows)
            mech.add_joint(bone.joint, kind, bone.parent, bone.name, _at(bone.place))
        _add_bone_shape(mech, size, bone)
    figure = Figure(mech, mech.state(), size=size)
    posed = mech.state(q=figure.positions(_held(), _at((0.0, 0.0, 0.75 * size.height))), v={BASE: (0.0, 0.0, 0.0, *turning)})
    return replace(figure, state=_thrown(mech, posed, moving))


def _trunk(size: Size) -> Iterator[Bone]:
    """From the hips up; the table has two pieces of the trunk, each is two bones here."""
    hips, chest = 0.5 * HIPS * size.height, 0.5 * SHOULDERS * size.height
    belly_at, ribs_at = (0.0, 0.0, 0.5 * size.length(PELVIS)), (0.0, 0.0, 0.5 * size.length(PELVIS))
    chest_at, neck_at = (0.0, 0.0, 0.45 * size.length(CHEST)), (0.0, 0.0, 0.55 * size.length(CHEST))
    yield Bone("hips", WORLD, BASE, None, _ORIGIN, _UP, _piece(PELVIS, 0.5, 0.5), (0.0, 0.6 * hips, 0.0))
    yield Bone("belly", "hips", "lower spine", None, belly_at, _UP, _piece(PELVIS, 0.5, 0.5), (0.0, 0.4 * hips, 0.0))
    yield Bone("ribs", "belly", "middle spine", None, ribs_at, _UP, _piece(CHEST, 0.45, 0.45), (0.0, 0.5 * hips, 0.0))
    yield Bone("chest", "ribs", "upper spine", None, chest_at, _UP, _piece(CHEST, 0.55, 0.55), (0.0, 0.4 * chest, 0.0))
    neck = Fractions(0.15 * HEAD.mass, 0.052, 0.5, 0.0)  # the chin is at 0.870 of the height, the shoulders at 0.818
    yield Bone("neck", "chest", "neck joint", None, neck_at, _UP, neck)
    skull = Fractions(0.85 * HEAD.mass, HEAD_TOP - 0.052, 0.5, 0.0)
    yield Bone("head", "neck", "head joint", None, (0.0, 0.0, 0.052 * size.height), _UP, skull)


def _arm(size: Size, side: str) -> Iterator[Bone]:
    sign, across = SIDES[side], (0.0, -1.0, 0.0)
    top, out = 0.55 * size.length(CHEST), (0.0, sign, 0.0)
    clavicle, upper, fore, hand = (f"{side} {name}" for name in ("clavicle", "upper arm", "forearm", "hand"))
    palm, finger = _PALM * size.length(HAND), 0.3 * size.length(HAND)
    shoulder = (0.0, sign * size.length(GIRDLE), 0.0)
    yield Bone(clavicle, "chest", f"{side} collar", None, (0.0, 0.0, top), out, GIRDLE)
    yield Bone(upper, clavicle, f"{side} shoulder", None, shoulder, _DOWN, UPPER_ARM)
    yield Bone(fore, upper, f"{side} elbow", across, (0.0, 0.0, -size.length(UPPER_ARM)), _DOWN, FOREARM)
    yield Bone(
        hand, fore, f"{side} wrist", None, (0.0, 0.0, -size.length(FOREARM)), _DOWN, _piece(HAND, 0.6, _PALM), (0.02, 0.0, 0.0)
    )
    # the palm looks to the thigh: fingers close inwards, the thumb is ahead
    close, ahead = (-sign, 0.0, 0.0), (0.025, 0.0, -palm)
    thumb = (0.5, 0.0, -0.5 * math.sqrt(3.0))
    yield Bone(f"{side} thumb", hand, f"{side} thumb knuckle", close, (0.02, 0.0, -0.3 * palm), thumb, _piece(HAND, 0.1, 0.35))
    yield Bone(f"{side} forefinger", hand, f"{side} forefinger knuckle", close, ahead, _DOWN, _piece(HAND, 0.08, 0.5))
    fingers, tips = _piece(HAND, 0.14, 0.3), _piece(HAND, 0.08, 0.25)
    yield Bone(f"{side} fingers", hand, f"{side} knuckles", close, (-0.01, 0.0, -palm), _DOWN, fingers, (0.012, 0.0, 0.0))
    yield Bone(
        f"{side} fingertips",
        f"{side} fingers",
        f"{side} fingertip joint",
        close,
        (0.0, 0.0, -finger),
        _DOWN,
        tips,
        (0.012, 0.0, 0.0),
    )


def _leg(size: Size, side: str) -> Iterator[Bone]:
    bend = (0.0, 1.0, 0.0)
    thigh, shank, foot, toes = (f"{side} {name}" for name in ("thigh", "shank", "foot", "toes"))
    length, low = size.length(FOOT), -0.7 * ANKLE_HEIGHT * size.height
    hip = (0.0, 0.5 * SIDES[side] * HIPS * size.height, 0.0)
    yield Bone(thigh, "hips", f"{side} hip", None, hip, _DOWN, THIGH)
    yield Bone(shank, thigh, f"{side} knee", bend, (0.0, 0.0, -size.length(THIGH)), _DOWN, SHANK)
    heel, ball = (-HEEL * length, 0.0, low), (0.45 * length, 0.0, low)
    sole, tip = _piece(FOOT, 0.8, 0.7), _piece(FOOT, 0.2, 0.3)
    yield Bone(foot, shank, f"{side} ankle", None, (0.0, 0.0, -size.length(SHANK)), _AHEAD, sole, start=heel)
    yield Bone(toes, foot, f"{side} toe joint", (0.0, -1.0, 0.0), ball, _AHEAD, tip)


def _piece(whole: Fractions, mass: float, length: float) -> Fractions:
    """So much of a segment that the table has as one, as a solid cylinder."""
    return Fractions(mass * whole.mass, length * whole.length, 0.5, 0.0)


def _inertia(size: Size, bone: Bone) -> Inertia:
    if bone.part.gyration:
        return size.inertia(bone.part, bone.along, bone.start)
    end = np.array(bone.start) + size.length(bone.part) * np.array(bone.along)
    return Inertia.cylinder(bone.part.mass * size.mass, size.radius(bone.part), bone.start, end)


def _add_bone_shape(mech: Mechanism, size: Size, bone: Bone) -> None:
    """As thick as a cylinder of its mass would be, but the trunk is flat; round ends lie within what is short."""
    radius, length = min(size.radius(bone.part), _THICKEST * size.height), size.length(bone.part)
    inside = 0.0 if bone.part.gyration else min(radius, 0.45 * length)
    begin, end = (np.array(bone.start) + part * np.array(bone.along) for part in (inside, length - inside))
    side = np.array(bone.wide)
    if side.any():
        first, second, third, fourth = (_point(p) for p in (begin + side, begin - side, end - side, end + side))
        add_flat(mech, bone.name, (first, second, third, fourth), radius)
    else:
        add_limb(mech, bone.name, _point(begin), _point(end), radius)


def _point(place: Array) -> Point:
    x, y, z = place.tolist()
    return x, y, z


def _held() -> dict[str, Pose | float]:
    """The turns of a thrown character's joints from standing."""
    turns: dict[str, Pose | float] = {"lower spine": turn_about_y(0.15), "upper spine": turn_about_y(0.15)}
    for side, sign in SIDES.items():
        for joint, (axis, angle) in _POSE.items():
            x, y, z = axis
            turns[f"{side} {joint}"] = Pose.about((sign * x, y, sign * z), angle) if any(axis) else angle
    return turns


def _thrown(mech: Mechanism, state: State, velocity: ArrayLike) -> State:
    """The state with the free base moved so that the centre of mass has a velocity."""
    mass = sum(body.inertia.mass for body in mech.bodies.values())
    missing = np.asarray(velocity, float) - momentum(mech, state).linear / mass
    x, v = mech.q_slice(BASE), mech.v_slice(BASE)
    motion = state.v.copy()
    motion[v.start : v.start + 3] += Pose.from_quaternion(state.q[x][3:]).rotation.T @ missing
    return mech.state(q=state.q, v=motion)


def _at(place: Point) -> Pose:
    return Pose(translation=place)
