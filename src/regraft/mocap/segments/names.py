"""Which segment of a body a bone is, by the names that the usual skeletons have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...errors import ModelError
from ..recording import Bone

PARTS = ("pelvis", "spine", "neck", "head", "clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
SIDED = PARTS[PARTS.index("clavicle") :]
MERGED = "merged"
"""The part of a bone that is none of its own: it belongs to the bone that it hangs on."""


class Role(NamedTuple):
    """What a bone is in a body."""

    part: str
    side: str = ""
    """"left", "right" or nothing."""

    @property
    def body(self) -> str:
        """Its anatomical name."""
        return f"{self.side}_{self.part}" if self.side else self.part


# Carnegie Mellon (BVH, ASF), Mixamo, HumanIK, MotionBuilder, Plug-in Gait, Vicon, Xsens, Rokoko, 3ds Max, SMPL, plain words
_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("hips", "hip", "pelvis", "pel", "root", "waist"), "pelvis"),
    **dict.fromkeys(
        ("spine", "lowerback", "upperback", "back", "thorax", "chest", "upperchest", "lowerchest", "abdomen"), "spine"
    ),
    **dict.fromkeys(("trunk", "lowertrunk", "uppertrunk", "torso", "lowertorso", "uppertorso", "lumbar", "trx"), "spine"),
    **dict.fromkeys(("spinelower", "spineupper", "spinemid", "lowerspine", "upperspine", "midspine", "l", "t"), "spine"),
    **dict.fromkeys(("neck", "lowerneck", "upperneck"), "neck"),
    **dict.fromkeys(("head", "hed", "skull"), "head"),
    **dict.fromkeys(("clavicle", "collar", "clav", "collarbone", "scapula", "shoulder", "cl"), "clavicle"),
    **dict.fromkeys(("upperarm", "uparm", "arm", "humerus", "hu", "armupper"), "upper_arm"),
    **dict.fromkeys(("forearm", "lowerarm", "lowarm", "radius", "elbow", "ra", "armlower"), "forearm"),
    **dict.fromkeys(("hand", "wrist", "hn"), "hand"),
    **dict.fromkeys(("thigh", "upleg", "upperleg", "femur", "fe", "legupper"), "thigh"),
    **dict.fromkeys(("shank", "leg", "lowerleg", "lowleg", "shin", "calf", "tibia", "knee", "ti", "leglower"), "shank"),
    **dict.fromkeys(("foot", "ankle", "fo"), "foot"),
    **dict.fromkeys(("toes", "toe", "toebase", "ball", "forefoot", "to"), "toes"),
    **dict.fromkeys(("hipjoint", "hiproot"), MERGED),
}
_FINGERS = ("finger", "thumb", "index", "middle", "ring", "pinky", "little", "metacarpal", "carpal", "palm", "digit", "inhand")
_TWISTS = ("twist", "roll", "helper", "nub", "end", "site", "eye", "jaw", "hair", "effector")
_DROPPED = ("bip", "mixamorig", "character", "avg", "rig", "def", "jnt", "bone", "j", "m", "b", "c")
_LEFT, _RIGHT = ("left", "l", "lft"), ("right", "r", "rgt", "rt")


def roles(bones: Iterable[Bone], names: Mapping[str, str | None] | None = None) -> dict[str, Role]:
    """The role of every bone.

    Parameters
    ----------
    bones : iterable of Bone
        The skeleton, each bone after its parent.
    names : mapping of str to str or None, optional
        What bones are, such as ``{"my bone": "left thigh"}``; None for one that belongs to the bone it hangs on.

    Returns
    -------
    dict of str to Role

    Raises
    ------
    ModelError
        If a bone is not known; the message lists all of them, and the table to give.
    """
    skeleton, told = tuple(bones), dict(names or {})
    strange = [name for name in told if name not in {bone.name for bone in skeleton}]
    if strange:
        raise ModelError(f"names: there is no bone {strange[0]!r}; there are {', '.join(bone.name for bone in skeleton)}.")
    found: dict[str, Role | None] = {}
    for bone in skeleton:
        found[bone.name] = _told(bone.name, told[bone.name]) if bone.name in told else known_role(bone.name)
    _settle_ambiguous(found, told)
    _settle_pelvis(skeleton, found)
    unknown = [bone.name for bone in skeleton if found[bone.name] is None and bone.parent is not None]
    if unknown:
        table = ", ".join(f"{name!r}: ..." for name in unknown)
        raise ModelError(
            f"what these bones are is not known: {', '.join(unknown)}. Say it by names={{{table}}}, each one of "
            f"{', '.join(_choices())}, or None for a bone that belongs to the one it hangs on."
        )
    return {name: role or Role(MERGED) for name, role in found.items()}


def known_role(name: str) -> Role | None:
    """The role that a name tells; None where it tells none."""
    tokens = [token.lower() for token in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name.rpartition(":")[2])]
    tokens = [token for token in tokens if token not in _DROPPED] or tokens
    side, rest = _side(tokens)
    core = "".join(rest)
    if not core and side:  # Xsens: the vertebrae L5 and L3 are no left sides
        return Role("spine") if name[-1:].isdigit() else None
    if side and any(word in core for word in _FINGERS):
        return Role(MERGED)
    if any(word in rest or core.endswith(word) for word in _TWISTS):
        return Role(MERGED)
    part = _WORDS.get(core)
    if part is None and not side:
        return _without_gap(core)
    return _sided(part, side)


def _side(tokens: list[str]) -> tuple[str, list[str]]:
    for word, side in (*((w, "left") for w in _LEFT), *((w, "right") for w in _RIGHT)):
        if word in tokens:
            return side, [token for token in tokens if token != word]
    return "", tokens


def _without_gap(core: str) -> Role | None:
    """Names such as lfemur, leftupleg or LFE, in which nothing divides the side from the part."""
    for word, side in (("left", "left"), ("right", "right"), ("l", "left"), ("r", "right")):
        rest = core.removeprefix(word)
        if rest != core and rest:
            if any(finger in rest for finger in _FINGERS):
                return Role(MERGED)
            found = _sided(_WORDS.get(rest), side)
            if found is not None:
                return found
    return None


def _sided(part: str | None, side: str) -> Role | None:
    if part is None or part == MERGED:
        return None if part is None else Role(MERGED)
    if part == "pelvis" and side:
        return Role("thigh", side)  # a left hip
    if (part in SIDED) != bool(side):
        return None
    return Role(part, side)


def _settle_ambiguous(found: dict[str, Role | None], told: Mapping[str, str | None]) -> None:
    """A shoulder is a clavicle or an upper arm, a leg a shank or a thigh, a hip a thigh or nothing: what the others leave."""
    for side in ("left", "right"):

        def named(part: str, *endings: str, side: str = side) -> list[str]:
            own = [name for name, role in found.items() if role == Role(part, side) and name not in told]
            return [name for name in own if re.sub(r"[^a-z]", "", name.lower()).endswith(endings)] if endings else own

        shoulders, legs, hips = named("clavicle", "shoulder"), named("shank", "leg"), named("thigh", "hip")
        if shoulders and Role("upper_arm", side) not in found.values():
            found[shoulders[-1]] = Role("upper_arm", side)
        if legs and len(named("shank")) > len(legs) and Role("thigh", side) not in found.values():
            found[legs[0]] = Role("thigh", side)
        if hips and len(named("thigh")) > len(hips):
            found.update(dict.fromkeys(hips, Role(MERGED)))


def _settle_pelvis(bones: tuple[Bone, ...], found: dict[str, Role | None]) -> None:
    """Of several bones that may be the pelvis, the lowest that carries all others; the one at the top where none has the name."""
    above: dict[str, list[str]] = {}
    for bone in bones:
        above[bone.name] = [bone.name] if bone.parent is None else [bone.name, *above[bone.parent]]
    pelvis = [bone.name for bone in bones if found[bone.name] == Role("pelvis")]
    if not pelvis:
        found.update({bone.name: Role("pelvis") for bone in bones if bone.parent is None and found[bone.name] is None})
    parts = [name for name, role in found.items() if role is not None and role.part not in ("pelvis", MERGED)]
    for name in pelvis:
        lower = [other for other in pelvis if other != name and name in above[other]]
        if any(all(other in above[part] for part in parts) for other in lower):
            found[name] = Role(MERGED)


def _told(bone: str, meaning: str | None) -> Role:
    if meaning is None or meaning == MERGED:
        return Role(MERGED)
    words = re.sub(r"[\s_-]+", "_", meaning.strip().lower())
    side, _, part = words.partition("_")
    if side in ("left", "right") and part in SIDED:
        return Role(part, side)
    if words in PARTS and words not in SIDED:
        return Role(words)
    if words in ("trunk", "abdomen", "thorax"):
        return Role("spine")
    raise ModelError(f"names: {bone!r} cannot be {meaning!r}; it is one of {', '.join(_choices())}, or None.")


def _choices() -> list[str]:
    return [p.replace("_", " ") for p in PARTS if p not in SIDED] + [f"left or right {p.replace('_', ' ')}" for p in SIDED]
