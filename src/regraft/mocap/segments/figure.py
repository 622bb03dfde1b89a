"""A recorded skeleton as a figure: the bones that become bodies, the joints between them, and where they are in every frame."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...tolerances import STILL
from ..gaps import whole_rows
from ..recording import Recording
from ..skeleton import in_the_world
from .names import MERGED, Role

Array = NDArray[np.float64]

_ONLY_IF_MOVING = ("spine", "neck", "clavicle", "toes", "heel")
_NEEDED = ("pelvis", "left_thigh", "right_thigh", "left_shank", "right_shank")
_NEEDED_ABOVE = ("left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm")
_JOINTS = {
    "thigh": "hip", "shank": "knee", "foot": "ankle", "toes": "toes", "clavicle": "clavicle",
    "upper_arm": "shoulder", "forearm": "elbow", "hand": "wrist",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Figure:
    """Bodies in the order of the bones, each after its parent, with the axes of the bones that they are."""

    rec: Recording
    roles: Mapping[str, Role]
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    """The joint that carries each body; the first is the one to the world."""
    parents: tuple[int, ...]
    bones: tuple[int, ...]
    """Which bone each body is."""
    turns: Array
    """(n, all bones, 3, 3): axes in the world."""
    places: Array
    """(n, all bones, 3): joints in the world."""
    owners: tuple[int, ...]
    """The body that each bone belongs to; −1 above the pelvis."""

    def index(self, body: str) -> int | None:
        """Which body has a name."""
        return self.bodies.index(body) if body in self.bodies else None

    def joint(self, body: str) -> Array:
        """(n, 3): where the joint of a body is."""
        return self.places[:, self.bones[self.bodies.index(body)]]

    def axes(self, body: int) -> Array:
        """(n, 3, 3): the axes of a body."""
        return self.turns[:, self.bones[body]]

    def seen_from(self, body: int, points: Array) -> Array:
        """(n, 3): points of the world in a body's axes, from its joint."""
        return self.turned(body, points - self.places[:, self.bones[body]])

    def turned(self, body: int, directions: Array) -> Array:
        """(n, 3): directions of the world in a body's axes."""
        found: Array = np.einsum("nji,nj->ni", self.axes(body), directions)
        return found

    def ends(self, bone: int) -> Array:
        """(points, n, 3): what is recorded of a bone beyond its joint: its ends, and what hangs on it and is no body."""
        found = [self._in_the_world(bone, tip) for tip in self.rec.bones[bone].tips]
        for k, other in enumerate(self.rec.bones):
            if other.parent == self.rec.bones[bone].name and k not in self.bones:
                found += [self.places[:, k], *self.ends(k)]
        return np.array(found).reshape(-1, len(self.places), 3)

    def farthest(self, bone: int) -> Array | None:
        """(n, 3): the one of these points that is farthest from the joint; None where all of them are at the joint."""
        points = self.ends(bone)
        far = np.linalg.norm(points - self.places[:, bone], axis=2).mean(axis=1)
        return points[int(far.argmax())] if len(points) and far.max() > STILL else None

    def bone_of(self, role: Role) -> int | None:
        """The first bone with a role, whether it is a body of its own or not."""
        return next((k for k, bone in enumerate(self.rec.bones) if self.roles[bone.name] == role), None)

    def _in_the_world(self, bone: int, point: Array) -> Array:
        found: Array = self.places[:, bone] + self.turns[:, bone] @ point
        return found


def figure(rec: Recording, roles: Mapping[str, Role], always: Collection[str] = ()) -> Figure:
    """Choose the bones that become bodies.

    Bones of the spine, necks, clavicles and toes that never move are part of what carries them, unless they are among those that
    are `always` bodies, and so is what has no mass.
    """
    order = {bone.name: k for k, bone in enumerate(rec.bones)}
    parents = [-1 if bone.parent is None else order[bone.parent] for bone in rec.bones]
    turns, places = in_the_world(parents, rec.turns, rec.origins)
    kept: list[tuple[int, int, Role]] = []  # bone, parent among these, role
    owners: list[int] = []
    for k, bone in enumerate(rec.bones):
        above = owners[parents[k]] if parents[k] >= 0 else -1
        role = _role_below(roles[bone.name], kept, above)
        moving = above < 0 or bone.name in always or _moves(turns[:, kept[above][0]], turns[:, k])
        if role.part == MERGED or (above < 0 and role.part != "pelvis") or (role.part in _ONLY_IF_MOVING and not moving):
            owners.append(above)
            continue
        owners.append(len(kept))
        kept.append((k, above, role))
    names, joints = _named([role for _, _, role in kept])
    _check(rec, roles, names, joints, kept)
    bones, over = tuple(k for k, _, _ in kept), tuple(above for _, above, _ in kept)
    return Figure(rec, roles, tuple(names), tuple(joints), over, bones, turns, places, tuple(owners))


def figures(
    rec: Recording, whole: NDArray[np.bool_], static: Recording | None, roles: Mapping[str, Role], always: Collection[str]
) -> tuple[Figure, Figure]:
    """The figure in the frames that were recorded whole, and in those that show its size: the same ones without a `static`."""
    moving = replace(rec, t=rec.t[whole], turns=rec.turns[whole], origins=rec.origins[whole])
    if static is None:
        found = figure(moving, roles, always)
        return found, found
    if [(bone.name, bone.parent) for bone in rec.bones] != [(bone.name, bone.parent) for bone in static.bones]:
        raise ModelError(
            f"static={static.source!r} must have the bones of {rec.source!r}, which are "
            f"{', '.join(bone.name for bone in rec.bones)}; it has {', '.join(bone.name for bone in static.bones) or 'none'}."
        )
    stands = whole_frames(static)
    if not stands.any():
        raise ModelError(f"static={static.source!r} has no frame in which every bone was recorded.")
    n = int(stands.sum())
    both = replace(
        moving,
        t=np.concatenate((static.t[stands], moving.t)),
        turns=np.concatenate((static.turns[stands], moving.turns)),
        origins=np.concatenate((static.origins[stands], moving.origins)),
    )
    found = figure(both, roles, always)
    return _frames(found, slice(n, None)), _frames(found, slice(0, n))


def _frames(fig: Figure, which: slice) -> Figure:
    rec = replace(fig.rec, t=fig.rec.t[which], turns=fig.rec.turns[which], origins=fig.rec.origins[which])
    return replace(fig, rec=rec, turns=fig.turns[which], places=fig.places[which])


def whole_frames(rec: Recording) -> NDArray[np.bool_]:
    """Frames in which every bone was recorded."""
    n = len(rec.t)
    return whole_rows(np.concatenate([rec.turns.reshape(n, -1), rec.origins.reshape(n, -1)], axis=1))


def _role_below(role: Role, kept: list[tuple[int, int, Role]], above: int) -> Role:
    """The role of a bone below bodies that are known: a second foot on a foot is its toes, a second hand is part of the hand."""
    while above >= 0:
        _, higher, own = kept[above]
        if own == role and role.part not in ("spine", "neck"):
            return Role("toes", role.side) if role.part == "foot" else Role(MERGED)
        above = higher
    return role


def _moves(parent: Array, child: Array) -> bool:
    relative = np.swapaxes(parent, 1, 2) @ child
    return bool(np.abs(relative - relative[0]).max() > STILL)


def _named(roles: list[Role]) -> tuple[list[str], list[str]]:
    """Names of bodies and of the joints that carry them."""
    spines, necks = sum(r.part == "spine" for r in roles), sum(r.part == "neck" for r in roles)
    trunk = {1: ["trunk"]}.get(spines, ["abdomen", *_numbered("middle_trunk", spines - 2), "thorax"])
    backs = {1: ["lower_back"]}.get(spines, ["lower_back", *_numbered("middle_back", spines - 2), "upper_back"])
    neck, head = _numbered("neck", necks), "head" if necks else "neck"
    bodies, joints = [], []
    for role in roles:
        if role.part == "spine":
            bodies.append(trunk.pop(0))
            joints.append(backs.pop(0))
        elif role.part == "neck":
            bodies.append(neck.pop(0))
            joints.append(bodies[-1])
        else:
            bodies.append(role.body)
            joints.append({"pelvis": "root", "head": head}.get(role.part) or f"{role.side}_{_JOINTS[role.part]}")
    return bodies, joints


def _numbered(name: str, count: int) -> list[str]:
    return [name if k == 0 else f"{name}_{k + 1}" for k in range(count)]


def _check(
    rec: Recording, roles: Mapping[str, Role], names: list[str], joints: list[str], kept: list[tuple[int, int, Role]]
) -> None:
    missing = [part for part in (*_NEEDED, *_NEEDED_ABOVE) if part not in names]
    if missing:
        others = [bone.name for bone in rec.bones if roles[bone.name].part == MERGED]
        table = ", ".join(f'"...": "{part.replace("_", " ")}"' for part in missing)
        raise ModelError(
            f"the skeleton of {rec.source!r} has no {', '.join(missing)}. Say which bones they are by names={{{table}}}; bones "
            f"that are nothing of their own so far: {', '.join(others) or 'none'}. All others: "
            f"{', '.join(bone.name for bone in rec.bones if bone.name not in others)}."
        )
    for what, found in (("body", names), ("joint", joints)):
        twice = next((name for name in found if found.count(name) > 1), None)
        if twice is not None:
            which = [rec.bones[k].name for (k, _, _), name in zip(kept, found, strict=True) if name == twice]
            raise ModelError(f"two bones are the same {what} {twice!r}: {', '.join(which)}. Say by names= what each of them is.")
