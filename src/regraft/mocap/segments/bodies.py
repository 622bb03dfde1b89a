"""From a recorded skeleton to a body with mass that moves as it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra.pose import Pose, finite_number
from ...describe.mechanism import Mechanism
from ...errors import ModelError
from ...joints import Free, JointType, Revolute, Spherical
from ...structure.layout import WORLD
from ...tolerances import STILL
from ..body_motion import Foot, Motion
from ..filtering import CUTOFF, GAP, ORDER, smooth
from ..recording import Recording
from ..smoothers import LEAST_FRAMES
from .figure import Figure, figure, whole_frames
from .ground import levelled
from .masses import inertias, standing_height
from .names import roles
from .soles import Sole, soles
from .tables import segments

Array = NDArray[np.float64]

_GRAVITY = (0.0, 0.0, -9.81)


def body(
    rec: Recording,
    mass: float | None = None,
    *,
    height: float | None = None,
    sex: str | None = None,
    table: str = "de Leva",
    names: Mapping[str, str | None] | None = None,
    hinges: bool = False,
    level: bool = False,
    cutoff: float | None = CUTOFF,
    method: str = "butterworth",
    order: int = ORDER,
    gap: float = GAP,
    gravity: ArrayLike = _GRAVITY,
) -> Motion:
    """Give a recorded skeleton a body with mass, and take its positions, velocities and accelerations.

    Every bone that moves and has mass becomes a body with the bone's axes and its joint as origin; fingers, twist bones, stubs
    and ends belong to the bone that they hang on. Joints are balls, and the pelvis is free.

    Parameters
    ----------
    rec : Recording
        A recording with bones.
    mass : float
        Of the whole body, in kg.
    height : float, optional
        In metres: the skeleton is scaled so that it is so tall. By default it stays as it was recorded.
    sex : {"female", "male"}, optional
        By default the mean of both tables is taken.
    table : {"de Leva", "Winter"}, optional
        Whose masses, centres of mass and radii of gyration.
    names : mapping of str to str or None, optional
        What bones are whose names are not known: ``{"my bone": "left thigh", "prop": None}``.
    hinges : bool, optional
        Whether a joint that turns about one axis only in all of the recording becomes a hinge.
    level : bool, optional
        Whether the recording is turned so that the ground is level along the way, as the places where feet stand have it. Leave
        it out for real slopes and stairs.
    cutoff, method, order, gap
        As `regraft.mocap.filtering.smooth` takes them.
    gravity : (3,) array_like, optional
        The acceleration of free fall.

    Returns
    -------
    Motion
        With the mechanism, its motion, and the soles of its feet as frames.

    Raises
    ------
    ModelError
        If the mass is missing, there is no skeleton or more than one, or bones are not known.

    Examples
    --------
    >>> import regraft.mocap.segments.bodies as bodies
    >>> from regraft.mocap.recording import Recording
    >>> import numpy as np
    >>> try:
    ...     bodies.body(Recording("walk.bvh", np.arange(3.0)), mass=75.0)
    ... except bodies.ModelError as problem:
    ...     print(problem)
    'walk.bvh' has neither a skeleton nor markers: there is nothing to give a body to.
    """
    total = _mass(mass)
    _check_skeleton(rec)
    kinds = roles(rec.bones, names)
    numbers = segments(table, sex)
    whole = whole_frames(rec)
    if not whole.any():
        raise ModelError(f"{rec.source!r} has no frame in which every bone was recorded.")
    seen = figure(replace(rec, t=rec.t[whole], turns=rec.turns[whole], origins=rec.origins[whole]), kinds)
    tall, reason = standing_height(seen)
    notes = [f"masses by {table}, {sex or 'mean of female and male'}, {total:g} kg in all"]
    factor = 1.0
    if height is not None:
        wanted = finite_number("height", height)
        if not wanted > 0.0:
            raise ModelError(f"the height must be a positive number of metres, not {height!r}.")
        factor, tall = wanted / tall, wanted
        notes.append(f"lengths were scaled by {factor:.4f}, so that the body is {wanted:g} m tall: as recorded, {reason}")
    else:
        notes.append(f"the body is taken to be {tall:.3f} m tall: {reason}")
    seen, said = levelled(_scaled(seen, factor), level)
    notes += said
    feet, said = soles(seen, numbers, tall)
    notes += said
    inertia, said = inertias(seen, numbers, total, tall, feet)
    notes += [*said, *_merged(seen)]
    mech = Mechanism(gravity)
    for name in seen.bodies:
        mech.add_body(name, inertia[name])
    q, said = _joined(mech, seen, hinges)
    notes += said
    found = _add_soles(mech, seen, feet)
    raw = np.full((len(rec.t), mech.nq), np.nan)
    raw[whole] = q
    smoothed = smooth(mech, rec.t, raw, cutoff=cutoff, method=method, order=order, gap=gap)
    filtered = method == "gcv" or (method == "butterworth" and cutoff is not None)
    return Motion(
        mech=mech,
        t=rec.t,
        q=smoothed.q,
        v=smoothed.v,
        a=smoothed.a,
        feet=MappingProxyType(found),
        notes=(*rec.notes, *notes, *smoothed.notes),
        raw=raw if filtered else None,
        cutoff=cutoff if filtered and method == "butterworth" else None,
    )


def _mass(mass: float | None) -> float:
    if mass is None:
        raise ModelError("the mass of the body is missing, and no recording tells it: body(rec, mass=75.0), in kg.")
    total = finite_number("mass", mass)
    if not total > 0.0:
        raise ModelError(f"the mass of the body must be a positive number of kg, not {mass!r}.")
    return total


def _check_skeleton(rec: Recording) -> None:
    if not rec.bones:
        if rec.markers:
            raise ModelError(f"{rec.source!r} has markers and no skeleton; a body from markers alone is not there yet.")
        raise ModelError(f"{rec.source!r} has neither a skeleton nor markers: there is nothing to give a body to.")
    tops = [bone.name for bone in rec.bones if bone.parent is None]
    if len(tops) != 1:
        raise ModelError(
            f"the skeleton of {rec.source!r} has {len(tops)} roots ({', '.join(tops)}); a body has one. "
            "Keep the bones of one person only."
        )
    if len(rec.t) < LEAST_FRAMES:
        raise ModelError(f"{rec.source!r} has {len(rec.t)} frames; a motion has at least {LEAST_FRAMES}.")
    wanted = (len(rec.t), len(rec.bones))
    if rec.turns.shape != (*wanted, 3, 3) or rec.origins.shape != (*wanted, 3):
        raise ModelError(
            f"{rec.source!r}: turns and origins must have shapes {(*wanted, 3, 3)} and {(*wanted, 3)}, for {wanted[0]} frames "
            f"and {wanted[1]} bones, not {rec.turns.shape} and {rec.origins.shape}."
        )


def _scaled(seen: Figure, factor: float) -> Figure:
    if factor == 1.0:
        return seen
    bones = tuple(b._replace(offset=factor * b.offset, tips=tuple(factor * tip for tip in b.tips)) for b in seen.rec.bones)
    rec = replace(seen.rec, bones=bones, origins=factor * seen.rec.origins)
    return replace(seen, rec=rec, places=factor * seen.places)


def _merged(seen: Figure) -> list[str]:
    parts: dict[str, list[str]] = {}
    for k, (bone, owner) in enumerate(zip(seen.rec.bones, seen.owners, strict=True)):
        if k not in seen.bones:
            parts.setdefault(seen.bodies[owner] if owner >= 0 else "above the pelvis", []).append(bone.name)
    return [f"no bodies of their own: {', '.join(bones)} ({owner})" for owner, bones in parts.items()]


def _joined(mech: Mechanism, seen: Figure, hinges: bool) -> tuple[Array, list[str]]:
    """Add the joints, and find their positions in every frame."""
    columns, notes = [], []
    for k, (name, joint, parent) in enumerate(zip(seen.bodies, seen.joints, seen.parents, strict=True)):
        place = seen.places[:, seen.bones[k]]
        if parent < 0:
            mech.add_joint(joint, Free(), WORLD, name)
            columns.append(np.concatenate([place, _quaternions(seen.axes(k))], axis=1))
            continue
        where = seen.seen_from(parent, place)
        offset = where.mean(axis=0)
        off = float(np.linalg.norm(where - offset, axis=1).max())
        if off > STILL:
            notes.append(f"{joint} wanders by up to {1000 * off:.3g} mm in {seen.bodies[parent]}: its mean place is taken")
        relative = np.swapaxes(seen.axes(parent), 1, 2) @ seen.axes(k)
        kind, zero, q = _as_hinge(relative) if hinges else _as_ball(relative)
        if not isinstance(kind, Spherical):
            notes.append(f"{joint} turns about one axis only: it is a hinge")
        mech.add_joint(joint, kind, seen.bodies[parent], name, parent_pose=Pose(zero, offset))
        columns.append(q)
    return np.concatenate(columns, axis=1), notes


def _as_ball(relative: Array) -> tuple[JointType, Array, Array]:
    return Spherical(), np.eye(3), _quaternions(relative)


def _as_hinge(relative: Array) -> tuple[JointType, Array, Array]:
    """A hinge where all rotations are about one axis, from that of the first frame; otherwise a ball."""
    from scipy.spatial.transform import Rotation  # on first use: it takes long to import

    turns = Rotation.from_matrix(relative[0].T @ relative).as_rotvec()
    _, sizes, axes = np.linalg.svd(turns, full_matrices=False)
    if not sizes[0] > STILL or sizes[1] > STILL * max(1.0, sizes[0]):
        return _as_ball(relative)
    return Revolute(axes[0]), Rotation.from_matrix(relative[0]).as_matrix(), np.unwrap(turns @ axes[0])[:, None]


def _quaternions(turns: Array) -> Array:
    from scipy.spatial.transform import Rotation  # as above

    found: Array = Rotation.from_matrix(turns).as_quat(scalar_first=True)
    return found


def _add_soles(mech: Mechanism, seen: Figure, feet: Mapping[str, Sole]) -> dict[str, Foot]:
    found = {}
    for side, sole in feet.items():
        for name, (on, pose) in sole.frames.items():
            mech.add_frame(f"{side}_{name}", seen.bodies[on], pose)
        bodies = tuple(seen.bodies[k] for k in sole.bodies)
        found[side] = Foot(bodies, f"{side}_heel", (f"{side}_ball_inner", f"{side}_ball_outer"), f"{side}_toe")
    return found
