"""The equalities of a compiled MJCF model, as loop joints and couplings, and its tendons, of which straight ones are springs."""

from __future__ import annotations

import numpy as np

from ...algebra.pose import Pose
from ...describe.mechanism import Mechanism
from ...joints import Fixed, Spherical
from .mjcf_assets import few, pose_of
from .mjcf_source import Names, Source
from .mjcf_tree import actuator_count, wrapped_joints

_KINDS = {0: "connect", 1: "weld", 2: "joint", 3: "tendon", 4: "flex", 5: "flexvert", 6: "flexstrain", 7: "distance"}


def add_equalities(mech: Mechanism, source: Source) -> None:
    """Add what is held exactly here; in MuJoCo, equalities are held as well as its soft constraints hold them."""
    model, found = source.model, source.found
    joints, couplings = Names(*mech.joints), Names(*filter(None, (source.name("EQUALITY", i) for i in range(model.neq))))
    off = source.disabled("EQUALITY", "CONSTRAINT")
    for number in range(model.neq):
        kind = _KINDS.get(int(model.eq_type[number]), "equality")
        name = source.name("EQUALITY", number)
        if off or not model.eq_active0[number]:
            found.note("equality", name or f"{kind}_{number}", f"this {kind} is switched off in the file; it is left out.")
        elif kind in ("connect", "weld"):
            free = name if name and name not in joints.taken else joints.make(name or f"{kind}_{number}")
            joints.taken.add(free)
            _add_loop(mech, source, free, number, kind)
        elif kind in ("joint", "tendon"):
            _add_coupling(mech, source, name or couplings.make(f"{kind}_{number}"), number, joints)
        else:
            found.note("equality", name or f"{kind}_{number}", f"a {kind} cannot be said here; it is left out.", dynamics=True)
    made = [*joints.made, *couplings.made]
    if made:
        found.note("name", "", f"equalities without a name of their own got one: {few(made)}.")


def equality_sites(source: Source, number: int) -> tuple[int, int] | None:
    """The two sites that an equality holds together, where it names sites."""
    model = source.model
    if model.eq_type[number] not in (0, 1) or model.eq_objtype[number] != int(source.mj.mjtObj.mjOBJ_SITE):
        return None
    return int(model.eq_obj1id[number]), int(model.eq_obj2id[number])


def _add_loop(mech: Mechanism, source: Source, name: str, number: int, kind: str) -> None:
    """A connect as a ball joint, a weld as a fixed one, on the same two points or poses."""
    model, data = source.model, np.array(source.model.eq_data[number], float)
    sites = equality_sites(source, number)
    if sites is not None:
        ends = [source.bodies[model.site_bodyid[site]] for site in sites]
        places = [pose_of(model.site_pos[site], model.site_quat[site]) for site in sites]
    else:
        ends = [source.bodies[model.eq_obj1id[number]], source.bodies[model.eq_obj2id[number]]]
        if kind == "connect":
            places = [Pose(translation=data[:3]), Pose(translation=data[3:6])]
        else:  # the second body's anchor comes first, then the pose of its frame there on the first body
            places = [pose_of(data[3:6], data[6:10]), Pose(translation=data[:3])]
    mech.add_joint(name, (Spherical if kind == "connect" else Fixed)(actuated=False), ends[0], ends[1], *places)


def _add_coupling(mech: Mechanism, source: Source, name: str, number: int, joints: Names) -> None:
    """Σ c q = offset of all joints of an equality, as a coupling of the first one; of one joint alone, as a lock."""
    model, found = source.model, source.found
    data = np.array(model.eq_data[number], float)
    first, second = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    if data[2:5].any() and second >= 0:
        found.note("equality", name, "one joint follows another along a curve; only straight lines are held here.", dynamics=True)
        return
    total, offset = dict[int, float](), float(data[0])
    for part, factor in ((first, 1.0), (second, -float(data[1]))):
        if part < 0:
            continue
        terms = _terms(source, part, is_tendon=int(model.eq_type[number]) == 3)
        if not terms:
            found.note("equality", name, "the length of a tendon through space is held; it is left out.", dynamics=True)
            return
        for joint, coefficient in terms.items():
            total[joint] = total.get(joint, 0.0) + factor * coefficient
            offset += factor * coefficient * float(model.qpos0[model.jnt_qposadr[joint]])
    driven, *others = [joint for joint, coefficient in total.items() if coefficient != 0.0]
    share = total[driven]
    if others:
        ratios = {source.joints[joint]: -total[joint] / share for joint in others}
        mech.add_coupling(name, ratios, source.joints[driven], offset=offset / share)
    else:
        _lock(mech, joints.make(name), source.joints[driven], offset / share)


def _terms(source: Source, part: int, *, is_tendon: bool) -> dict[int, float]:
    return wrapped_joints(source, part) if is_tendon else {part: 1.0}


def _lock(mech: Mechanism, name: str, joint: str, at: float) -> None:
    """Hold a joint where it is told: a fixed joint beside it."""
    held = mech.joints[joint]
    mech.add_joint(name, Fixed(actuated=False), held.parent, held.child, held.parent_pose @ held.type.pose([at]), held.child_pose)


def add_tendons(mech: Mechanism, source: Source) -> None:
    """Straight tendons between two sites as springs; of all others, what they do to the motion is noted."""
    model, found = source.model, source.found
    held = _held_tendons(source) | _driven_tendons(source)
    for tendon in range(model.ntendon):
        name = source.named("TENDON", tendon, "tendon")
        doing = _forces(source, tendon)
        ends = spring_sites(source, tendon)
        if ends is not None and doing <= {"stiffness", "damping"}:
            if doing:
                _add_spring(mech, source, tendon, name, ends)
        elif doing:
            found.note("tendon", name, f"a tendon with {', '.join(sorted(doing))}; it is left out.", dynamics=True)
            continue
        if not doing and tendon not in held:
            found.note("tendon", name, "a tendon that exerts no force by itself; it is left out.")


def _held_tendons(source: Source) -> set[int]:
    model = source.model
    rows = [i for i in range(model.neq) if int(model.eq_type[i]) == 3 and model.eq_active0[i]]
    return {int(one) for i in rows for one in (model.eq_obj1id[i], model.eq_obj2id[i])}


def _driven_tendons(source: Source) -> set[int]:
    """The fixed tendons by which actuators drive joints: what they are is in the actuators."""
    model, kind = source.model, int(source.mj.mjtTrn.mjTRN_TENDON)
    rows = [i for i in range(actuator_count(model)) if model.actuator_trntype[i] == kind]
    return {tendon for tendon in (int(model.actuator_trnid[i, 0]) for i in rows) if wrapped_joints(source, tendon)}


def _forces(source: Source, tendon: int) -> set[str]:
    """What a tendon does to the motion."""
    model, passive = source.model, not source.disabled("PASSIVE")
    held = not source.disabled("CONSTRAINT")
    said = {
        "stiffness": passive and not source.disabled("SPRING") and source.number("tendon_stiffness", tendon),
        "damping": passive and not source.disabled("DAMPER") and source.number("tendon_damping", tendon),
        "dry friction": held and not source.disabled("FRICTIONLOSS") and source.number("tendon_frictionloss", tendon),
        "limits": held and not source.disabled("LIMIT") and bool(model.tendon_limited[tendon]),
        "armature": source.number("tendon_armature", tendon),
        "a spring that is not linear": source.numbers("tendon_stiffnesspoly", tendon).any(),
        "damping that is not linear": source.numbers("tendon_dampingpoly", tendon).any(),
        "a spring that yields": source.number("tendon_springyield", tendon),
        "a slack range": model.tendon_lengthspring[tendon, 0] != model.tendon_lengthspring[tendon, 1],
    }
    if not said["stiffness"]:
        said["a slack range"] = False
    return {what for what, there in said.items() if there}


def spring_sites(source: Source, tendon: int) -> tuple[int, int] | None:
    """The sites of a tendon that is a straight line between two of them on two bodies."""
    model, first = source.model, int(source.model.tendon_adr[tendon])
    site = int(source.mj.mjtWrap.mjWRAP_SITE)
    if model.tendon_num[tendon] != 2 or any(model.wrap_type[first + i] != site for i in range(2)):
        return None
    a, b = int(model.wrap_objid[first]), int(model.wrap_objid[first + 1])
    return None if model.site_bodyid[a] == model.site_bodyid[b] else (a, b)


def _add_spring(mech: Mechanism, source: Source, tendon: int, name: str, ends: tuple[int, int]) -> None:
    model = source.model
    (a, b), (point_a, point_b) = ((source.bodies[model.site_bodyid[i]] for i in ends), (model.site_pos[i].copy() for i in ends))
    numbers = {what: float(table[tendon]) for what, table in
               (("stiffness", model.tendon_stiffness), ("damping", model.tendon_damping))}  # fmt: skip
    length = float(model.tendon_lengthspring[tendon, 0]) if numbers["stiffness"] else 0.0
    mech.add_spring(name, a, point_a, b, point_b, **numbers, rest_length=length)
