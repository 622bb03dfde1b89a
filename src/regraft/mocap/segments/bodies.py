"""From a recorded skeleton, or markers, to a body with mass that moves as it was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra.pose import Pose, finite_number
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...errors import ModelError
from ...joints import Free, JointType, Revolute, Spherical
from ...structure.layout import WORLD
from ...tolerances import STILL
from ..body_motion import Foot, Motion
from ..filtering import CUTOFF, GAP, ORDER, smooth
from ..markers.skeletons import FollowedSkeleton, MarkerOptions, skeleton_from_markers
from ..plausible import check_height, check_mass, check_rate, check_same_person, check_upright
from ..recording import Recording
from ..smoothers import LEAST_FRAMES
from .figure import Figure, figures, whole_frames
from .ground import levelled
from .masses import hips_above_feet, inertias, standing_height
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
    ignore: Iterable[str] = (),
    static: Recording | None = None,
    widths: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    ground: float | None = None,
) -> Motion:
    """Give a recorded skeleton, or markers, a body with mass, and take its positions, velocities and accelerations.

    Every bone that moves and has mass becomes a body with the bone's axes and its joint as origin; fingers, twist bones, stubs
    and ends belong to the bone that they hang on. Joints are balls, and the pelvis is free. Where there are markers and no bones,
    joints are found between the markers, and the body follows them by inverse kinematics.

    Parameters
    ----------
    rec : Recording
        A recording with bones, or with markers.
    mass : float
        Of the whole body, in kg.
    height : float, optional
        In metres: a skeleton is scaled so that it is so tall; by default it stays as it was recorded. Markers are where they are,
        and only what they do not show has the proportions of that height.
    sex : {"female", "male"}, optional
        By default the mean of both tables is taken.
    table : {"de Leva", "Winter"}, optional
        Whose masses, centres of mass and radii of gyration.
    names : mapping of str to str or None, optional
        What bones or markers are whose names are not known: ``{"my bone": "left thigh", "prop": None}``, ``{"K1": "left knee"}``.
    hinges : bool, optional
        Whether a joint that turns about one axis only in all of the recording becomes a hinge.
    level : bool, optional
        Whether the recording is turned so that the ground is level along the way, as the places where feet stand have it. Leave
        it out for real slopes and stairs.
    cutoff, method, order, gap
        As `regraft.mocap.filtering.smooth` takes them.
    gravity : (3,) array_like, optional
        The acceleration of free fall.
    ignore : iterable of str, optional
        Labels of markers that are left out.
    static : Recording, optional
        The same person who stands still: height, masses and soles are found there, and with markers also joints and places of
        markers; markers that only it has help. So all trials of a person have the same body. By default all of this is found in
        the motion itself.
    widths : mapping of str to float, optional
        Of "knee", "ankle" or "elbow", from marker to marker, in metres, where only one side has a marker.
    weights : mapping of str to float, optional
        By label: how much the square of a marker's miss counts; 1 unless given.
    ground : float, optional
        How high the ground is, for the soles of feet with markers. By default at 0, if feet come near to it.

    Returns
    -------
    Motion
        With the mechanism, its motion, and the soles of its feet as frames; markers are frames, too, with their misses in
        ``residuals``.

    Raises
    ------
    ModelError
        If the mass is missing, there is no skeleton or more than one, bones are not known, or markers are missing.

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
    _check_recordings(rec, static)
    total = _mass(mass)
    numbers = segments(table, sex)
    wanted = None if height is None else _height(height)
    options = MarkerOptions(names, ignore, static, widths, weights, ground)
    if rec.markers and not rec.bones:
        found = skeleton_from_markers(rec, options, wanted, sex, numbers)
    else:
        _check_skeleton(rec, options)
        found = FollowedSkeleton(rec, roles(rec.bones, names), (), {}, {}, static)
    rec = found.rec
    whole = whole_frames(rec)
    if not whole.any():
        raise ModelError(f"{rec.source!r} has no frame in which every bone was recorded.")
    notes = check_rate(rec.t, repr(rec.source))
    notes.append(f"masses by {table}, {sex or 'mean of female and male'}, {total:g} kg in all")
    marked = {bone for bone, _ in found.markers.values()}
    both = figures(rec, whole, found.static, found.roles, marked)
    check_same_person(*(standing_height(one)[0] for one in both))
    (seen, shown), tall, said = _as_tall(*both, wanted, scaled=not found.markers)
    notes += [*said, *check_height(tall, given=wanted is not None), *check_mass(total, tall)]
    notes += check_upright(*hips_above_feet(seen))
    seen, told = levelled(seen, level)
    notes += told
    shown = seen if found.static is None else shown
    feet, told = soles(shown, numbers, tall)
    notes += told
    inertia, told = inertias(shown, numbers, total, tall, feet)
    notes += [*told, *_merged(seen)]
    welded = tuple(name for name in found.welded if name in seen.bodies)
    mech = Mechanism(gravity)
    for name, own in _with_welded(shown, inertia, welded).items():
        mech.add_body(name, own)
    q, told = _joined(mech, seen, shown, hinges, welded)
    notes += told
    frames = _add_soles(mech, seen, feet)
    _add_markers(mech, found.markers)
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
        feet=dict(frames),
        residuals=dict(found.residuals),
        notes=(*rec.notes, *notes, *smoothed.notes),
        raw=raw if filtered else None,
        cutoff=cutoff if filtered and method == "butterworth" else None,
    )


def _check_recordings(rec: Recording, static: Recording | None) -> None:
    for name, given in (("body", rec), ("static=", static)):
        if given is not None and not isinstance(given, Recording):
            raise ModelError(f"{name} takes a Recording, as rg.mocap.load(...) reads it from a file, not {given!r}.")


def _height(height: float) -> float:
    wanted = finite_number("height", height)
    if not wanted > 0.0:
        raise ModelError(f"the height must be a positive number of metres, not {height!r}.")
    return wanted


def _as_tall(
    seen: Figure, shown: Figure, wanted: float | None, *, scaled: bool
) -> tuple[tuple[Figure, Figure], float, list[str]]:
    """The figure as tall as wanted, in the frames of the motion and in those that show its size, and what there is to say."""
    tall, reason = standing_height(shown)
    if wanted is None:
        return (seen, shown), tall, [f"the body is taken to be {tall:.3f} m tall: {reason}"]
    if not scaled:
        said = f"the body is {wanted:g} m tall, as given; from markers alone it would be {tall:.3f} m: {reason}"
        return (seen, shown), wanted, [said]
    factor = wanted / tall
    said = f"lengths were scaled by {factor:.4f}, so that the body is {wanted:g} m tall: as recorded, {reason}"
    return (_scaled(seen, factor), _scaled(shown, factor)), wanted, [said]


def _with_welded(seen: Figure, inertia: Mapping[str, Inertia], welded: tuple[str, ...]) -> dict[str, Inertia]:
    """The inertias of bodies, with those of welded ones on what carries them."""
    found = dict(inertia)
    for name in reversed(welded):
        k = seen.bodies.index(name)
        above = seen.parents[k]
        turn = seen.axes(above)[0].T @ seen.axes(k)[0]
        place = seen.seen_from(above, seen.places[:, seen.bones[k]])[0]
        found[seen.bodies[above]] = found[seen.bodies[above]] + found.pop(name).moved(Pose(turn, place))
    return found


def _mass(mass: float | None) -> float:
    if mass is None:
        raise ModelError("the mass of the body is missing, and no recording tells it: body(rec, mass=75.0), in kg.")
    total = finite_number("mass", mass)
    if not total > 0.0:
        raise ModelError(f"the mass of the body must be a positive number of kg, not {mass!r}.")
    return total


def _check_skeleton(rec: Recording, options: MarkerOptions) -> None:
    said = [name for name in ("ignore", "widths", "weights", "ground") if getattr(options, name) not in (None, ())]
    if said:
        raise ModelError(f"{rec.source!r} has no markers alone, and {', '.join(f'{name}=' for name in said)} is for these only.")
    if not rec.bones:
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


def _joined(mech: Mechanism, seen: Figure, shown: Figure, hinges: bool, welded: tuple[str, ...]) -> tuple[Array, list[str]]:
    """Add the joints, where they are on the average when the figure is shown, and find their positions in every frame."""
    columns, notes = [], []
    for k, (name, joint, parent) in enumerate(zip(seen.bodies, seen.joints, seen.parents, strict=True)):
        if name in welded:
            continue
        place = seen.places[:, seen.bones[k]]
        if parent < 0:
            mech.add_joint(joint, Free(), WORLD, name)
            columns.append(np.concatenate([place, _quaternions(seen.axes(k))], axis=1))
            continue
        where = seen.seen_from(parent, place)
        offset = shown.seen_from(parent, shown.places[:, shown.bones[k]]).mean(axis=0)
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


def _add_markers(mech: Mechanism, markers: Mapping[str, tuple[str, Array]]) -> None:
    """Markers as frames with their labels, or with a word behind where there is such a name."""
    for label, (body, at) in markers.items():
        taken = label in mech.frames or label in mech.bodies or label in mech.joints
        mech.add_frame(f"{label} marker" if taken else label, body, Pose(translation=at))
