"""What inverse kinematics is to reach: markers, poses of frames, joint coordinates; from what users give to what kernels take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import Pose, real_numbers
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..errors import ModelError, listed, meant
from ..joints import JointType
from ..kernels.targets import Targets
from ..structure.structure import Structure
from ..tolerances import ORTHONORMAL, UNIT_QUATERNION
from .places import known_place, place_of

Array = NDArray[np.float64]


class Marker(NamedTuple):
    """A point on a body that was seen at certain positions.

    Attributes
    ----------
    positions : (n, 3) or (3,) array_like
        Where it should be in the world, in each frame or in all of them; NaN where it was not seen.
    weight : float or (n,) array_like, optional
        How much the square of its distance counts.
    on : str, optional
        The frame or body that carries it; by default the one with the marker's own name.
    at : (3,) array_like, optional
        Where on it, in its own axes; by default at its origin.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Marker([[0.1, 0.0, 0.9]], weight=10.0, on="thigh", at=(0.0, 0.05, -0.2)).weight
    10.0
    """

    positions: ArrayLike
    weight: ArrayLike = 1.0
    on: str | None = None
    at: ArrayLike = (0.0, 0.0, 0.0)


class PoseTarget(NamedTuple):
    """A position, an orientation, or both, for a frame or a body.

    Attributes
    ----------
    position : (n, 3) or (3,) array_like, optional
        Where its origin should be in the world; NaN where that is not known.
    orientation : (n, 3, 3) or (3, 3) rotation matrices, or (n, 4) or (4,) unit quaternions (w, x, y, z), optional
        How it should be turned; NaN where that is not known.
    weight : float or (n,) array_like, optional
        How much the square of the distance counts.
    turn_weight : float or (n,) array_like, optional
        How much the square of the angle counts: with 1, a radian is as bad as a metre.
    on : str, optional
        The frame or body; by default the one with the target's own name.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.PoseTarget(orientation=[1, 0, 0, 0], turn_weight=0.1).position is None
    True
    """

    position: ArrayLike | None = None
    orientation: ArrayLike | None = None
    weight: ArrayLike = 1.0
    turn_weight: ArrayLike = 1.0
    on: str | None = None


class JointTarget(NamedTuple):
    """Coordinates for a joint of the tree, as the state has them.

    Attributes
    ----------
    values : (n, nq) or (nq,) array_like; (n,) or a number where the joint has one coordinate
        The coordinates of the joint in each frame, or in all of them; NaN where they are not known.
    weight : float, (n,) or (nv,) array_like, optional
        How much the square of the way to them counts; an array of the joint's nv numbers has one weight for each direction.
    on : str, optional
        The joint; by default the one with the target's own name.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.JointTarget(0.3, weight=0.01, on="knee").on
    'knee'
    """

    values: ArrayLike
    weight: ArrayLike = 1.0
    on: str | None = None


Target = Marker | PoseTarget | JointTarget


class Miss(NamedTuple):
    """Where the misses of a target are among the kernel's: a column, or several, or a joint's slice."""

    columns: list[int]
    joint: slice | None = None


class Tables(NamedTuple):
    """The targets as kernels take them."""

    frames: int
    point_rows: Array
    points: Array
    point_goals: Array
    point_weights: Array
    turn_rows: Array
    turns: Array
    turn_goals: Array
    turn_weights: Array
    joint_goals: Array
    joint_weights: Array
    seen: NDArray[np.bool_]
    """(n, misses): what was seen, in the order in which the kernel gives the misses: points, orientations, joints' velocities."""
    misses: dict[str, Miss]

    @property
    def targets(self) -> Targets:
        """As the kernel takes them."""
        return Targets(*self[1:11])

    @property
    def weights(self) -> Array:
        """(n, misses): the weight of each miss, in the order in which the kernel gives these."""
        with_joints = [self.joint_weights] if len(self.joint_weights) else []
        return np.concatenate([self.point_weights, self.turn_weights, *with_joints], axis=1)

    def size(self, frame: int) -> float:
        """The cost of a frame where everything is missed by as much as it is large, and by a metre or a radian at least."""
        largest = float(np.abs(self.point_goals[frame]).max(initial=0.0))
        return float(self.weights[frame].sum()) * (1.0 + largest) ** 2


def read_targets(mech: Mechanism, structure: Structure, given: Mapping[str, Any]) -> Tables:
    """The tables of all targets, checked."""
    if not isinstance(given, Mapping):
        raise ModelError(f"targets must be a mapping from names to positions, poses or coordinates, not {type(given).__name__}.")
    named = {name: _as_target(mech, name, value) for name, value in given.items()}
    if not named:
        raise ModelError("there are no targets; give at least one marker, pose or joint: {'hand': [[0.3, 0.2, 1.1]]}.")
    reader = _Reader(mech, structure)
    for name, target in named.items():
        reader.add(name, target)
    return reader.tables()


def _as_target(mech: Mechanism, name: str, value: Any) -> Target:
    """What was given for a name: a target, poses, or an array for the frame or the joint of that name."""
    if isinstance(value, Marker | PoseTarget | JointTarget):
        return value
    if isinstance(value, Pose):
        return PoseTarget(value.translation, value.rotation)
    if isinstance(value, Sequence) and len(value) > 0 and all(isinstance(pose, Pose) for pose in value):
        return PoseTarget(np.array([pose.translation for pose in value]), np.array([pose.rotation for pose in value]))
    placed, joined = place_of(mech, name) is not None, name in mech.joints
    if placed and joined:
        raise ModelError(f"target {name!r} is a joint and a frame or body too; say which with rg.Marker(…) or rg.JointTarget(…).")
    if joined:
        return JointTarget(value)
    if placed:
        return Marker(value)
    raise ModelError(
        f"target {name!r}: there is no frame, body or joint of that name; add a frame with add_frame, or say where it is: "
        f"rg.Marker(positions, on='body', at=(x, y, z)).{meant(name, (*mech.frames, *mech.bodies, *mech.joints))}"
    )


class _Reader:
    """Reads targets one by one."""

    def __init__(self, mech: Mechanism, structure: Structure) -> None:
        self.mech, self.structure = mech, structure
        self.frames: int | None = None
        self.points: list[tuple[str, int, Array, Array, Any]] = []
        self.turns: list[tuple[str, int, Array, Array, Any]] = []
        self.joints: list[tuple[str, str, Array, Any]] = []

    def add(self, name: str, target: Target) -> None:
        if isinstance(target, JointTarget):
            self._add_joint(name, target)
            return
        if isinstance(target, Marker):
            self._add_point(name, target.on or name, target.at, target.positions, target.weight)
            return
        if target.position is None and target.orientation is None:
            raise ModelError(f"target {name!r} has neither a position nor an orientation; give at least one of them.")
        if target.position is not None:
            self._add_point(name, target.on or name, (0.0, 0.0, 0.0), target.position, target.weight)
        if target.orientation is not None:
            self._add_turn(name, target.on or name, target.orientation, target.turn_weight)

    def _place(self, name: str, on: str) -> tuple[int, Pose, str]:
        try:
            body, local = known_place(self.mech, on)
        except ModelError as problem:
            raise ModelError(f"target {name!r}: {problem}") from None
        if body == WORLD:
            raise ModelError(f"target {name!r} is fixed to the world, where no joint moves it; leave it out.")
        return self.structure.row_of[body], local, body

    def _add_point(self, name: str, on: str, at: ArrayLike, positions: ArrayLike, weight: Any) -> None:
        row, local, body = self._place(name, on)
        offset = _numbers(name, "its place 'at'", at)
        if offset.shape != (3,) or not np.isfinite(offset).all():
            raise ModelError(f"target {name!r}: its place 'at' must be three finite numbers, not {offset.tolist()}.")
        goals = _numbers(name, "positions", positions)
        if goals.ndim not in (1, 2) or goals.shape[-1] != 3:
            raise ModelError(f"target {name!r}: positions must have shape (n, 3), or (3,) for all frames, not {goals.shape}.")
        goals = self._over_frames(name, goals)
        self.points.append((name, row, self.structure.point(body, local.apply(offset)), goals, weight))

    def _add_turn(self, name: str, on: str, orientation: ArrayLike, weight: Any) -> None:
        row, local, _ = self._place(name, on)
        given = _numbers(name, "orientations", orientation)
        if given.shape[-2:] == (3, 3) and given.ndim in (2, 3):
            goals = self._over_frames(name, given.reshape(*given.shape[:-2], 9))
        elif given.shape[-1:] == (4,) and given.ndim in (1, 2):
            goals = _rotations(name, self._over_frames(name, given))
        else:
            raise ModelError(
                f"target {name!r}: orientations must be rotations (n, 3, 3) or unit quaternions (n, 4), not {given.shape}."
            )
        _check_rotations(name, goals)
        far = self.structure.far[row]
        self.turns.append((name, row, (far[:9].reshape(3, 3).T @ local.rotation).ravel(), goals, weight))

    def _add_joint(self, name: str, target: JointTarget) -> None:
        joint = target.on or name
        layout = self.structure.layout
        if joint not in layout.q_slices:
            why = "closes a loop and has no coordinates of its own" if joint in self.mech.joints else "is not in the mechanism"
            raise ModelError(f"target {name!r}: joint {joint!r} {why}; joints with coordinates: {listed(layout.names)}.")
        nq = layout.q_slices[joint].stop - layout.q_slices[joint].start
        if nq == 0:
            raise ModelError(f"target {name!r}: joint {joint!r} has no coordinates; leave it out.")
        values = _numbers(name, "coordinates", target.values)
        if nq == 1 and values.ndim < 2:
            values = values.reshape(-1, 1) if values.ndim == 1 else values.reshape(1)
        if values.ndim not in (1, 2) or values.shape[-1] != nq:
            raise ModelError(
                f"target {name!r}: coordinates of joint {joint!r} must have shape (n, {nq}) or ({nq},), not {values.shape}."
            )
        if any(joint == other for _, other, *_ in self.joints):
            raise ModelError(f"target {name!r}: joint {joint!r} has two targets; give one.")
        self.joints.append((name, joint, self._over_frames(name, values), target.weight))

    def _over_frames(self, name: str, goals: Array) -> Array:
        """Goals with an axis for frames, of which there must be as many as other targets have."""
        if np.isinf(goals).any():
            raise ModelError(f"target {name!r} has a number that is not finite; NaN says that nothing was seen.")
        if len(goals) == 0:
            raise ModelError(f"target {name!r} has no frames; give at least one.")
        if np.isnan(goals).any(axis=-1).all():
            raise ModelError(f"target {name!r} is never seen: it has NaN in every frame; leave it out of the targets.")
        if goals.ndim == 1:
            return goals[None]
        if self.frames is None:
            self.frames = len(goals)
        if len(goals) != self.frames:
            raise ModelError(
                f"target {name!r} has {len(goals)} frames, but those before it have {self.frames}; give all of them as many."
            )
        return goals

    # --- tables -------------------------------------------------------------------------------------------------------------

    def tables(self) -> Tables:
        n = self.frames if self.frames is not None else 1
        *points, points_seen = self._placed(self.points, n, 3)
        *turns, turns_seen = self._placed(self.turns, n, 9)
        misses: dict[str, Miss] = {}
        for column, (name, *_) in enumerate([*self.points, *self.turns]):
            misses.setdefault(name, Miss([])).columns.append(column)
        goals, weights, joints_seen = self._joint_tables(n)
        for name, joint, *_ in self.joints:
            misses[name] = Miss([], self.structure.layout.v_slices[joint])
        seen = np.concatenate([points_seen, turns_seen, *([joints_seen] if self.joints else [])], axis=1)
        return Tables._make((n, *points, *turns, goals, weights, seen, misses))

    def _placed(self, found: list[tuple[str, int, Array, Array, Any]], n: int, size: int) -> tuple[Any, ...]:
        """Rows, places, goals and weights of points or orientations, and where they are seen."""
        rows: Any = np.array([row for _, row, *_ in found], np.int64)
        places = np.array([place for _, _, place, *_ in found], float).reshape(-1, size)
        goals, weights = np.zeros((n, size * len(found))), np.zeros((n, len(found)))
        seen = np.zeros((n, len(found)), bool)
        for i, (name, _, _, given, weight) in enumerate(found):
            hidden: Any = np.isnan(given).any(axis=1)
            seen[:, i] = ~hidden
            goals[:, size * i : size * (i + 1)] = np.where(hidden[:, None], 0.0, given)
            weights[:, i] = np.where(seen[:, i], _weight(name, weight, n), 0.0)
        return rows, places, goals, weights, seen

    def _joint_tables(self, n: int) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Goals (n, nq) and weights (n, nv) of joint coordinates, and where they are seen; no rows where there are none."""
        layout = self.structure.layout
        rows = n if self.joints else 0
        goals, weights, seen = np.tile(layout.neutral, (rows, 1)), np.zeros((rows, layout.nv)), np.zeros((rows, layout.nv), bool)
        for name, joint, given, weight in self.joints:
            in_v = layout.v_slices[joint]
            known, numbers = _on_manifold(name, self.mech.joints[joint].type, given)
            goals[:, layout.q_slices[joint]], seen[:, in_v] = numbers, known
            weights[:, in_v] = np.where(seen[:, in_v], _joint_weight(name, weight, n, in_v.stop - in_v.start), 0.0)
        return goals, weights, seen


def _on_manifold(name: str, kind: JointType, given: Array) -> tuple[NDArray[np.bool_], Array]:
    """Which velocities of a joint have to do with coordinates that are given, and these, with others in the place of NaN."""
    if kind.kernels.difference is None:
        known = ~np.isnan(given)
        return known, np.where(known, given, 0.0)
    whole: Any = ~np.isnan(given).any(axis=1)  # on a manifold all numbers belong together
    numbers = np.tile(kind.neutral(), (len(given), 1))
    numbers[whole] = [kind.normalised(row) for row in given[whole]]
    if not np.abs(numbers[whole] - given[whole]).max(initial=0.0) <= UNIT_QUATERNION:
        raise ModelError(f"target {name!r}: a quaternion must have length 1; normalise it.")
    return np.repeat(whole[:, None], kind.nv, axis=1), numbers


def _numbers(name: str, what: str, given: ArrayLike) -> Array:
    return real_numbers(f"target {name!r}: {what}", given)


def _weight(name: str, given: Any, n: int) -> Array:
    """A weight for each frame."""
    weight = _numbers(name, "weight", given)
    if weight.shape not in ((), (n,)):
        raise ModelError(f"target {name!r}: its weight must be a number or have shape ({n},), not {weight.shape}.")
    _check_weight(name, weight)
    return np.broadcast_to(weight, (n,))


def _joint_weight(name: str, given: Any, n: int, nv: int) -> Array:
    """A weight for each frame and each direction of a joint."""
    weight = _numbers(name, "weight", given)
    if weight.shape == (n,) and (n != nv or nv == 1):
        weight = weight[:, None]
    elif weight.shape not in ((), (nv,), (n, nv)):
        raise ModelError(
            f"target {name!r}: its weight must be a number or have shape ({n},), ({nv},) or ({n}, {nv}), not {weight.shape}."
        )
    _check_weight(name, weight)
    return np.broadcast_to(weight, (n, nv))


def _check_weight(name: str, weight: Array) -> None:
    if not (np.isfinite(weight).all() and (weight >= 0.0).all()):
        raise ModelError(f"target {name!r}: weights must be finite and not negative; 0 leaves a target out.")


def _rotations(name: str, quaternions: Array) -> Array:
    """(n, 9) from unit quaternions (w, x, y, z), NaN where these have one."""
    length = np.linalg.norm(quaternions, axis=1, keepdims=True)
    if (np.abs(length - 1.0) > UNIT_QUATERNION).any():  # NaN stays as it is
        raise ModelError(f"target {name!r}: a quaternion must have length 1; normalise it.")
    w, x, y, z = (quaternions / length).T
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, axis=1)


def _check_rotations(name: str, goals: Array) -> None:
    turned = goals[~np.isnan(goals).any(axis=1)].reshape(-1, 3, 3)
    off = np.abs(np.swapaxes(turned, 1, 2) @ turned - np.eye(3)).max(initial=0.0)
    if off > ORTHONORMAL or (np.linalg.det(turned) < 0.0).any():
        raise ModelError(f"target {name!r}: an orientation is no rotation: its columns must be orthonormal and right-handed.")
