"""Recordings of skeletons that are made here, with any names for their bones, any axes and any motion."""

import numpy as np
from scipy.spatial.transform import Rotation

from regraft.mocap.recording import Bone, Recording

HEIGHT = 1.75

# where each joint is when the figure of height 1 stands and looks along x, and what carries it; only the left side
PLACES = {
    "pelvis": (None, (0.0, 0.0, 0.56)),
    "stub": ("pelvis", (0.0, 0.0, 0.56)),
    "thigh": ("stub", (0.0, 0.05, 0.53)),
    "shank": ("thigh", (0.0, 0.05, 0.285)),
    "foot": ("shank", (0.0, 0.05, 0.039)),
    "toes": ("foot", (0.075, 0.055, 0.01)),
    "spine": ("pelvis", (0.0, 0.0, 0.56)),
    "spine_2": ("spine", (0.0, 0.0, 0.65)),
    "spine_3": ("spine_2", (0.0, 0.0, 0.74)),
    "neck": ("spine_3", (0.0, 0.0, 0.85)),
    "head": ("neck", (0.0, 0.0, 0.89)),
    "clavicle": ("spine_3", (0.0, 0.01, 0.81)),
    "upper_arm": ("clavicle", (0.0, 0.115, 0.81)),
    "forearm": ("upper_arm", (0.0, 0.12, 0.63)),
    "hand": ("forearm", (0.0, 0.12, 0.485)),
    "finger": ("hand", (0.0, 0.12, 0.43)),
    "thumb": ("hand", (0.02, 0.12, 0.46)),
}
TIPS = {"toes": (0.11, 0.055, 0.01), "head": (0.0, 0.0, 1.0), "finger": (0.0, 0.12, 0.40), "thumb": (0.03, 0.12, 0.44)}
MIDDLE = ("pelvis", "spine", "spine_2", "spine_3", "neck", "head")

VOCABULARIES = {
    "CMU in BVH": "Hips LHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase LowerBack Spine Spine1 Neck Head LeftShoulder "
    "LeftArm LeftForeArm LeftHand LeftFingerBase LThumb",
    "CMU in ASF": "root lhipjoint lfemur ltibia lfoot ltoes lowerback upperback thorax lowerneck head lclavicle lhumerus "
    "lradius lhand lfingers lthumb",
    "Mixamo": "mixamorig:Hips - mixamorig:LeftUpLeg mixamorig:LeftLeg mixamorig:LeftFoot mixamorig:LeftToeBase "
    "mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2 mixamorig:Neck mixamorig:Head mixamorig:LeftShoulder "
    "mixamorig:LeftArm mixamorig:LeftForeArm mixamorig:LeftHand mixamorig:LeftHandIndex1 "
    "mixamorig:LeftHandThumb1",
    "HumanIK": "Hips - LeftUpLeg LeftLeg LeftFoot LeftToeBase Spine Spine1 Spine2 Neck Head LeftShoulder LeftArm "
    "LeftForeArm LeftHand LeftHandMiddle1 LeftInHandThumb",
    "Plug-in Gait": "PEL - LFE LTI LFO LTO - - TRX - HED LCL LHU LRA LHN - -",
    "Vicon": "pelvis - lfemur ltibia lfoot ltoes - - thorax - head lclavicle lhumerus lradius lhand - -",
    "Xsens": "Pelvis - LeftUpperLeg LeftLowerLeg LeftFoot LeftToe L5 L3 T8 Neck Head LeftShoulder LeftUpperArm "
    "LeftForeArm LeftHand - -",
    "Rokoko": "Hips - LeftThigh LeftShin LeftFoot LeftToe Spine1 Spine2 Chest Neck Head LeftShoulder LeftUpperArm "
    "LeftLowerArm LeftHand LeftFinger1 LeftThumb",
    "joints": "Hips - LeftHip LeftKnee LeftAnkle LeftToe Chest Chest2 Chest3 Neck Head LeftCollar LeftShoulder LeftElbow "
    "LeftWrist - -",
    "3ds Max": "Bip01_Pelvis - Bip01_L_Thigh Bip01_L_Calf Bip01_L_Foot Bip01_L_Toe0 Bip01_Spine Bip01_Spine1 Bip01_Spine2 "
    "Bip01_Neck Bip01_Head Bip01_L_Clavicle Bip01_L_UpperArm Bip01_L_Forearm Bip01_L_Hand Bip01_L_Finger1 "
    "Bip01_L_Finger0",
    "SMPL": "Pelvis - L_Hip L_Knee L_Ankle L_Foot Spine1 Spine2 Spine3 Neck Head L_Collar L_Shoulder L_Elbow L_Wrist L_Hand -",
    "Unreal": "pelvis - thigh_l calf_l foot_l ball_l spine_01 spine_02 spine_03 neck_01 head clavicle_l upperarm_l "
    "lowerarm_l hand_l index_01_l thumb_01_l",
    "lower case": "hips - leftupleg leftleg leftfoot lefttoe lowerback spine chest neck head leftshoulder leftarm "
    "leftforearm lefthand leftindex leftthumb",
}


def mirrored(name):
    """The name of the right bone."""
    for left, right in (
        ("Left", "Right"),
        ("left", "right"),
        ("_L_", "_R_"),
        ("_l", "_r"),
        ("LHip", "RHip"),
        ("LThumb", "RThumb"),
    ):
        if left in name:
            return name.replace(left, right)
    return {"L": "R", "l": "r"}[name[0]] + name[1:]


def words(vocabulary):
    """{part: name of the left bone}; parts that the vocabulary does not have are left out."""
    found = dict(zip(PLACES, VOCABULARIES[vocabulary].split(), strict=True))
    return {part: name for part, name in found.items() if name != "-"}


def skeleton(
    vocabulary="CMU in BVH",
    *,
    n=200,
    rate=100.0,
    seed=0,
    still=("stub", "clavicle"),
    without=(),
    motion=0.2,
    height=HEIGHT,
    above=(),
):
    """A figure that stands for a third of the time and then moves all joints but the still ones; bones have axes at random."""
    rng = np.random.default_rng(seed)
    names = {part: name for part, name in words(vocabulary).items() if part not in without}
    t = np.arange(n) / rate
    fade = np.clip((t - t[-1] / 3.0) * 3.0, 0.0, 1.0)[:, None] ** 3
    parts = [
        ("", part) if part in MIDDLE else (side, part)
        for part in names
        for side in (("",) if part in MIDDLE else ("left", "right"))
    ]
    bones, turns, origins, known = [], [], [], {}
    for name in above:  # bones above the pelvis, which stand still
        bones.append(Bone(name, bones[-1].name if bones else None, np.zeros(3)))
        turns.append(np.broadcast_to(np.eye(3), (n, 3, 3)))
        origins.append(np.zeros((n, 3)))
    for side, part in parts:
        carrier, place = PLACES[part]
        while carrier is not None and carrier not in names:
            carrier = PLACES[carrier][0]
        flip = np.array([1.0, -1.0 if side == "right" else 1.0, 1.0]) * height
        here, own = flip * place, Rotation.random(random_state=rng.integers(2**31))
        swing = (
            np.zeros((n, 3))
            if part in still
            else fade * motion * np.sin(np.outer(t, rng.uniform(2, 6, 3)) + rng.uniform(0, 6, 3))
        )
        bend = Rotation.from_rotvec(swing)
        tips = tuple(own.inv().apply(flip * TIPS[part] - here) for _ in range(1) if part in TIPS)
        name = names[part] if side != "right" else mirrored(names[part])
        if carrier is None:
            walk = here + np.outer(fade[:, 0] * t, (0.8, 0.1, 0.02))
            turned, at, upper, offset = bend, walk, bones[-1].name if bones else None, np.zeros(3)
            turns.append((turned * own).as_matrix())
            origins.append(at)
        else:
            upper_side = side if carrier not in MIDDLE else ""
            upper, above_turned, above_own, above_here = known[upper_side, carrier]
            turned, offset = above_turned * bend, above_own.inv().apply(here - above_here)
            turns.append(((above_turned * above_own).inv() * turned * own).as_matrix())
            origins.append(np.tile(offset, (n, 1)))
        known[side, part] = name, turned, own, here
        bones.append(Bone(name, upper, offset, tips))
    return Recording("figure.bvh", t, tuple(bones), np.stack(turns, axis=1), np.stack(origins, axis=1))


def in_the_world(rec):
    """{bone: (axes, joint)} of every bone in every frame, multiplied out."""
    found = {}
    for k, bone in enumerate(rec.bones):
        R, p = rec.turns[:, k], rec.origins[:, k]
        if bone.parent is not None:
            R0, p0 = found[bone.parent]
            R, p = R0 @ R, p0 + np.einsum("nij,nj->ni", R0, p)
        found[bone.name] = R, p
    return found
