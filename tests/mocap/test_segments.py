"""A recorded skeleton becomes a body whose masses are those of the tables and whose joints are where they were recorded."""

from dataclasses import replace

import numpy as np
import pytest
from recorded_skeletons import HEIGHT, MIDDLE, PLACES, VOCABULARIES, in_the_world, mirrored, skeleton, words

import regraft as rg
from regraft.mocap.recording import Bone, Recording
from regraft.mocap.segments.bodies import body
from regraft.mocap.segments.masses import shares
from regraft.mocap.segments.names import known_role, roles
from regraft.mocap.segments.tables import DE_LEVA_FEMALE, DE_LEVA_MALE, segments, whole

MASS = 72.5


def total(motion):
    return sum(part.inertia.mass for part in motion.mech.bodies.values())


def body_of(part, side):
    spine = {"spine": "abdomen", "spine_2": "middle_trunk", "spine_3": "thorax"}
    return spine.get(part, part if part in MIDDLE else f"{side}_{part}")


# --- tables --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["de Leva", "Winter"])
@pytest.mark.parametrize("sex", ["female", "male", None])
def test_shares_of_the_mass_add_up(table, sex):
    found = segments(table, sex)
    assert abs(whole(found) - 1.0) < 1e-15
    for segment in found.values():
        k = np.array(segment[2:5])
        assert np.all(2 * np.max(k**2) <= np.sum(k**2) * (1 + 1e-12)), "radii that no body has"


def test_without_a_sex_the_mean_is_taken():
    thigh = segments()["thigh"]
    assert abs(thigh.com - 0.5 * (DE_LEVA_MALE["thigh"].com + DE_LEVA_FEMALE["thigh"].com)) < 1e-15


@pytest.mark.parametrize(("file", "table"), [("BSPmale_ZdeLeva.txt", DE_LEVA_MALE), ("BSPfemale_ZdeLeva.txt", DE_LEVA_FEMALE)])
def test_de_leva_is_as_others_have_typed_it(shared_data, file, table):
    rows = {row.split("\t")[0]: row.split("\t")[2:] for row in shared_data(f"mocap/segments/{file}").read_text().splitlines()[1:]}
    theirs = {"head": "Head 2", "upper_trunk": "Upper trunk 2"}
    for name, segment in table.items():
        found = [float(x) for x in rows[theirs.get(name, name.replace("_", " ").capitalize())]]
        assert found == list(segment[:5]), name


def test_winter_is_as_others_have_typed_it(shared_data):
    rows = [row.split("\t") for row in shared_data("mocap/segments/BSP_DempsterWinter.txt").read_text().splitlines()[1:]]
    theirs = {row[0]: [float(x) for x in (row[2], row[3], row[5])] for row in rows}
    found = segments("Winter", "male")
    for name, other in (("upper_arm", "Upper arm"), ("forearm", "Forearm"), ("thigh", "Thigh"), ("shank", "Leg")):
        assert np.allclose([found[name].mass, found[name].com, found[name].sagittal], theirs[other], rtol=1e-12)
    for name, other in (("head", "Head neck"), ("upper_trunk", "Thorax"), ("middle_trunk", "Abdomen"), ("lower_trunk", "Pelvis")):
        assert abs(found[name].mass - theirs[other][0]) < 1e-12
    assert abs(found["foot"].mass - 0.0145) < 1e-12


# --- names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_the_names_of_the_usual_skeletons_are_known(vocabulary):
    rec = skeleton(vocabulary, n=60)
    motion = body(rec, MASS)
    names = set(motion.mech.bodies)
    for part in ("thigh", "shank", "foot", "toes", "upper_arm", "forearm", "hand"):
        assert {f"left_{part}", f"right_{part}"} <= names
    spines = sum(part.startswith("spine") for part in words(vocabulary))
    assert names >= {"pelvis", "head"} | ({"trunk"} if spines == 1 else {"abdomen", "thorax"})
    assert {"root", "left_hip", "right_knee", "left_ankle", "right_shoulder", "left_elbow", "right_wrist", "neck"} <= set(
        motion.mech.joints
    )
    assert set(motion.mech.joints) >= {"lower_back"}
    assert not any("finger" in name or "thumb" in name for name in names)
    assert abs(total(motion) - MASS) < 1e-12 * MASS


def test_names_say_which_side_and_what():
    for name, expected in {
        "mixamorig:LeftHandPinky4": "merged", "RightForeArmTwist": "merged", "HeadTop_End": "merged", "LeftUpLegRoll": "merged",
        "T12": "spine", "L5": "spine", "rradius": "right_forearm", "R_Calf": "right_shank", "Bip001 R Foot": "right_foot",
    }.items():  # fmt: skip
        assert known_role(name).body == expected, name
    for name in ("Tail", "Camera", "left", "lefttail", "toes"):
        assert known_role(name) is None, name


def test_a_bone_that_is_not_known_is_listed_with_the_table_to_give():
    rec = skeleton(n=60)
    tail = replace(
        rec,
        bones=(*rec.bones, Bone("tail", "Hips", np.zeros(3)), Bone("LeftWing", "Spine1", np.zeros(3))),
        turns=np.concatenate([rec.turns, rec.turns[:, :2]], axis=1),
        origins=np.concatenate([rec.origins, rec.origins[:, :2]], axis=1),
    )
    with pytest.raises(rg.ModelError, match=r"not known: tail, LeftWing. Say it by names=\{'tail': ..., 'LeftWing': ...\}"):
        body(tail, MASS)
    motion = body(tail, MASS, names={"tail": None, "LeftWing": "merged"})
    assert set(motion.mech.bodies) == set(body(rec, MASS).mech.bodies)


def test_a_table_of_the_users_names_what_nothing_else_does():
    rec = skeleton(n=60)
    table = {bone.name: f"bone {k}" for k, bone in enumerate(rec.bones)}
    odd = tuple(bone._replace(name=table[bone.name], parent=bone.parent and table[bone.parent]) for bone in rec.bones)
    meant = {name: role.body.replace("_", " ") for name, role in roles(rec.bones).items()}
    names = {table[name]: None if meaning == "merged" else meaning for name, meaning in meant.items()}
    names[table["Spine"]] = "trunk"
    names[table["LeftUpLeg"]] = "Left_Thigh"
    assert body(replace(rec, bones=odd), MASS, names=names).mech == body(rec, MASS).mech
    with pytest.raises(rg.ModelError, match="cannot be 'left wing'"):
        body(rec, MASS, names={"Hips": "left wing"})
    with pytest.raises(rg.ModelError, match="there is no bone 'Hip'; there are Hips"):
        body(rec, MASS, names={"Hip": "pelvis"})


def test_what_a_body_cannot_do_without_is_named_when_it_is_missing():
    with pytest.raises(
        rg.ModelError, match=r'has no left_shank, right_shank. Say which bones they are by names=\{"...": "left shank"'
    ):
        body(skeleton(without=("shank",), n=60), MASS)


def test_the_same_body_twice_is_refused():
    rec = skeleton(n=60)
    with pytest.raises(rg.ModelError, match="the same body 'left_hand': LeftHand, RightHand"):
        body(rec, MASS, names={"RightHand": "left hand"})


def test_bones_above_the_pelvis_carry_it_and_are_no_bodies():
    plain, carried = body(skeleton(n=60), MASS, cutoff=None), body(skeleton(n=60, above=("Reference", "Root")), MASS, cutoff=None)
    assert carried.mech == plain.mech
    assert np.array_equal(carried.q, plain.q)


# --- where things are ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vocabulary", ["CMU in BVH", "CMU in ASF", "Xsens"])
def test_every_joint_and_every_axis_is_where_it_was_recorded_in_all_frames(vocabulary):
    rec = skeleton(vocabulary, n=40, still=("stub",))
    motion = body(rec, MASS, cutoff=None)
    recorded, names = in_the_world(rec), words(vocabulary)
    for k in range(len(rec.t)):
        poses = rg.body_poses(motion.mech, motion.mech.state(motion.q[k]))
        for part in names:
            if part in ("stub", "finger", "thumb"):
                continue
            for side in ("left", "right") if part not in MIDDLE else ("",):
                R, p = recorded[names[part] if side != "right" else mirrored(names[part])]
                pose = poses[body_of(part, side)]
                assert np.abs(pose.translation - p[k]).max() < 1e-12
                assert np.abs(pose.rotation - R[k]).max() < 1e-12


def test_fingers_move_and_the_hand_does_not_care():
    rec = skeleton(n=60)
    still = skeleton(n=60, still=("stub", "clavicle", "finger", "thumb"))
    motion = body(rec, MASS, cutoff=None)
    assert any("LeftFingerBase, LThumb (left_hand)" in note for note in motion.notes)
    assert np.array_equal(motion.q, body(still, MASS, cutoff=None).q)
    bare = body(skeleton(n=60, without=("finger", "thumb")), MASS)
    assert set(bare.mech.bodies) == set(motion.mech.bodies)
    assert abs(total(bare) - total(motion)) < 1e-12 * MASS


def test_spines_and_clavicles_are_bodies_only_if_they_move():
    still = body(skeleton(n=60, still=("stub", "clavicle", "spine_2", "neck", "toes")), MASS)
    assert {"middle_trunk", "neck", "left_toes", "left_clavicle"}.isdisjoint(still.mech.bodies)
    assert still.feet["left"].bodies == ("left_foot",)
    moving = body(skeleton(n=60, still=()), MASS)
    assert {"middle_trunk", "neck", "left_toes", "left_clavicle"} <= set(moving.mech.bodies)
    assert moving.feet["left"].bodies == ("left_foot", "left_toes")
    for motion in (still, moving):
        assert abs(total(motion) - MASS) < 1e-12 * MASS
        assert np.linalg.eigvalsh(rg.mass_matrix(motion.mech, motion.mech.state(motion.q[30]))).min() > 1e-6


def test_bones_of_no_length_have_mass():
    assert np.allclose(np.diff(shares([0.0, 0.0, 0.5, 0.5, 2.0])), np.array([0.05, 0.5, 0.05, 0.5, 0.05]) / 1.15)
    assert shares([0.3]).tolist() == [0.0, 1.0]


def test_a_joint_that_turns_about_one_axis_can_be_a_hinge():
    rec = skeleton(n=60)
    knee = next(k for k, bone in enumerate(rec.bones) if bone.name == "LeftLeg")
    angles = 0.5 * np.sin(4 * rec.t)
    axis = rg.Pose.about((1, 2, 3), 1.0).rotation
    turns = rec.turns.copy()
    turns[:, knee] = [rec.turns[0, knee] @ axis @ rg.Pose.about((0, 0, 1), angle).rotation @ axis.T for angle in angles]
    rec = replace(rec, turns=turns)
    ball, hinge = body(rec, MASS, cutoff=None), body(rec, MASS, cutoff=None, hinges=True)
    assert isinstance(hinge.mech.joints["left_knee"].type, rg.Revolute)
    assert hinge.mech.nv == ball.mech.nv - 2
    assert np.abs(np.abs(hinge.q[:, hinge.mech.q_slice("left_knee")][:, 0]) - np.abs(angles)).max() < 1e-9
    for k in (0, 20, 59):
        one, other = (rg.body_poses(m.mech, m.mech.state(m.q[k])) for m in (ball, hinge))
        assert max(np.abs(one[name].row - other[name].row).max() for name in one) < 1e-12


# --- masses ----------------------------------------------------------------------------------------------------------------


def standing(motion):
    return motion.mech.state(motion.raw[0] if motion.raw is not None else motion.q[0])


@pytest.mark.parametrize("table", ["de Leva", "Winter"])
@pytest.mark.parametrize("sex", ["female", "male", None])
def test_the_centre_of_mass_of_a_standing_figure_is_where_it_should_be(table, sex):
    motion = body(skeleton(n=60), MASS, sex=sex, table=table)
    com = rg.center_of_mass(motion.mech, standing(motion)) / HEIGHT
    assert 0.55 < com[2] < 0.58
    assert abs(com[1]) < 1e-3
    assert abs(com[0]) < 0.01


@pytest.mark.parametrize(("sex", "from_the_top"), [("male", 0.5138), ("female", 0.4964)])
def test_the_parts_of_the_trunk_make_the_whole_trunk_of_the_table(sex, from_the_top):
    """De Leva has the whole trunk too, from the cervicale to the middle of the hips, in a row of its own."""
    motion = body(skeleton(n=60), MASS, sex=sex)
    poses = rg.body_poses(motion.mech, standing(motion))
    parts = [motion.mech.bodies[name].inertia for name in ("pelvis", "abdomen", "middle_trunk", "thorax")]
    heights = [
        poses[name].apply(part.com)[2] for name, part in zip(("pelvis", "abdomen", "middle_trunk", "thorax"), parts, strict=True)
    ]
    mass = sum(part.mass for part in parts)
    height = sum(part.mass * z for part, z in zip(parts, heights, strict=True)) / mass / HEIGHT
    hips, shoulders = PLACES["thigh"][1][2], PLACES["upper_arm"][1][2]
    top = hips + (shoulders - hips) * 0.5 * (603.3 / 515.5 + 614.8 / 497.9)
    assert abs((top - height) / (top - hips) - from_the_top) < 0.02
    assert abs(mass / MASS - (0.4346 if sex == "male" else 0.4257 / 0.9999)) < 1e-12


@pytest.mark.parametrize(
    ("part", "bone"), [("thigh", "LeftUpLeg"), ("shank", "LeftLeg"), ("upper_arm", "LeftArm"), ("forearm", "LeftForeArm")]
)
def test_a_limb_has_the_mass_and_the_principal_moments_of_the_table(part, bone):
    rec = skeleton(n=60)
    motion = body(rec, MASS, sex="male")
    row = DE_LEVA_MALE[part]
    inertia = motion.mech.bodies[f"left_{part}"].inertia
    below = next(b for b in rec.bones if b.parent == bone)
    length = float(np.linalg.norm(below.offset))
    assert abs(inertia.mass - row.mass * MASS) < 1e-12 * MASS
    assert np.abs(inertia.com - row.com * below.offset).max() < 1e-12
    expected = inertia.mass * (np.array(row[2:5]) * length) ** 2
    moments, axes = np.linalg.eigh(inertia.tensor)
    assert np.allclose(moments, np.sort(expected), rtol=1e-9)
    assert abs(abs(axes[:, 0] @ below.offset) / length - 1.0) < 1e-9, "the smallest moment is about the segment's own axis"
    upright = rg.body_poses(motion.mech, standing(motion))[f"left_{part}"].rotation
    world = upright @ inertia.tensor @ upright.T
    assert abs(world[0, 0] - expected[0]) < 0.02 * expected[0], "to the front"
    assert abs(world[1, 1] - expected[1]) < 0.02 * expected[1], "to the left"


def test_left_and_right_are_alike():
    mech = body(skeleton(n=60), MASS).mech
    for part in ("thigh", "shank", "upper_arm", "forearm", "hand", "foot"):
        one, other = mech.bodies[f"left_{part}"].inertia, mech.bodies[f"right_{part}"].inertia
        assert abs(one.mass - other.mass) < 1e-3
        assert np.allclose(np.linalg.eigvalsh(one.tensor), np.linalg.eigvalsh(other.tensor), rtol=0.02)


def test_where_the_figure_looks_makes_no_difference():
    rec = skeleton(n=60)
    turn = rg.Pose.about((0, 0, 1), 2.1).rotation
    turns, origins = rec.turns.copy(), rec.origins.copy()
    turns[:, 0], origins[:, 0] = turn @ turns[:, 0], origins[:, 0] @ turn.T
    one, other = body(rec, MASS).mech, body(replace(rec, turns=turns, origins=origins), MASS).mech
    for name in one.bodies:
        assert np.allclose(one.bodies[name].inertia.com, other.bodies[name].inertia.com, atol=1e-12)
        assert np.allclose(one.bodies[name].inertia.tensor, other.bodies[name].inertia.tensor, atol=1e-12)
    for name in one.frames:
        assert np.allclose(one.frames[name].pose.row, other.frames[name].pose.row, atol=1e-12)


def test_a_height_scales_all_lengths_and_is_told():
    plain, tall = body(skeleton(n=60), MASS), body(skeleton(n=60), MASS, height=2.0)
    assert any(f"is taken to be {HEIGHT:.3f} m tall" in note for note in plain.notes)
    assert any(f"scaled by {2.0 / HEIGHT:.4f}" in note for note in tall.notes)
    for name in ("left_knee", "neck"):
        ratio = tall.mech.joints[name].parent_pose.translation / plain.mech.joints[name].parent_pose.translation
        assert np.allclose(ratio, 2.0 / HEIGHT, rtol=1e-9)
    assert (
        abs(rg.center_of_mass(tall.mech, standing(tall))[2] / 2.0 - rg.center_of_mass(plain.mech, standing(plain))[2] / HEIGHT)
        < 1e-9
    )


def test_a_skeleton_without_hands_or_feet_keeps_their_mass():
    rec = skeleton(n=60, without=("hand", "finger", "thumb", "foot", "toes"))
    ends = {"LeftForeArm", "RightForeArm", "LeftLeg", "RightLeg"}
    longer = tuple(b._replace(tips=(np.array([0.0, 0.0, -0.4]),)) if b.name in ends else b for b in rec.bones)
    motion = body(replace(rec, bones=longer), MASS)
    assert abs(total(motion) - MASS) < 1e-12 * MASS
    assert not motion.feet
    for word in ("there is no left_hand", "there is no right_foot", "there are no feet"):
        assert any(word in note for note in motion.notes)
    with pytest.raises(rg.ModelError, match="where left_shank ends is not recorded"):
        body(rec, MASS)


# --- feet --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("without", [(), ("toes",)])
def test_soles_are_on_the_ground_when_the_foot_stands_flat(without):
    rec = skeleton(n=90, without=without)
    motion = body(rec, MASS, sex="male")
    poses = rg.body_poses(motion.mech, standing(motion))
    ground = 0.0 if without else 0.01 * HEIGHT  # the toes' joints are the lowest points; without them it is the ankle's height
    for side, sign in (("left", 1.0), ("right", -1.0)):
        foot = motion.feet[side]
        at = {}
        for name in (foot.heel, *foot.ball, foot.toe):
            frame = motion.mech.frames[name]
            pose = poses[frame.body] @ frame.pose
            at[name] = pose.translation
            assert abs(pose.translation[2] - ground) < 1e-3
            assert abs(pose.rotation[2, 2] - 1.0) < 1e-3, "z is up"
            assert pose.rotation[0, 0] > 0.98, "x is to the front"
        ankle = poses[f"{side}_foot"].translation
        heel, inner, outer, toe = (at[name] for name in (foot.heel, *foot.ball, foot.toe))
        assert heel[0] < ankle[0] < inner[0] < toe[0]
        assert abs(toe[0] - heel[0] - DE_LEVA_MALE["foot"].length * HEIGHT) < 0.01
        assert abs(np.linalg.norm(outer - inner) - 0.055 * HEIGHT) < 1e-3
        assert sign * outer[1] > sign * inner[1], "the outer edge is farther from the middle"
        assert motion.mech.frames[foot.heel].body == f"{side}_foot"
        assert motion.mech.frames[foot.toe].body == foot.bodies[-1]


def test_where_heels_and_the_ground_were_taken_is_told():
    notes = " ".join(body(skeleton(n=60), MASS).notes)
    assert "soles are taken as high as the lowest recorded point of a foot that stands flat: left at z = 0.0175 m" in notes
    assert "left heel is taken" in notes


def walking(tilt, belt=0.0):
    """A figure whose feet stand at places 0.7 m from each other on ground of a given slope, one after the other."""
    rec = skeleton(n=400, motion=0.0, still=tuple(PLACES))
    t, way = rec.t, np.array([0.6, 0.8, 0.0])
    pace = 0.7 * (np.floor(t) + np.clip((t % 1.0 - 0.5) * 2.0, 0.0, 1.0))
    turn = rg.Pose.about(np.cross((0.0, 0.0, 1.0), way), -tilt).rotation
    turns, origins = rec.turns.copy(), rec.origins.copy()
    turns[:, 0], origins[:, 0] = turn @ turns[:, 0], (origins[0, 0] + np.outer(pace - belt * t, way)) @ turn.T
    return replace(rec, turns=turns, origins=origins)


def test_ground_that_is_not_level_is_told_and_can_be_made_level():
    tilted = walking(np.radians(1.5))
    assert any("a slope of 1.50° along the way" in note for note in body(tilted, MASS).notes)
    flat = body(tilted, MASS, level=True, cutoff=None)
    assert any("turned to level ground, from a slope of 1.50°" in note for note in flat.notes)
    there = body(walking(0.0), MASS, cutoff=None)
    assert np.abs(flat.q[:, :3] - there.q[:, :3]).max() < 1e-3
    assert np.abs(np.abs(flat.q) - np.abs(there.q)).max() < 1e-2
    assert not any("slope" in note for note in there.notes)
    assert any("not to be told" in note for note in body(walking(0.0, belt=0.7), MASS, level=True).notes)


# --- motion, and what is wrong -------------------------------------------------------------------------------------------------


def test_positions_are_filtered_and_kept_as_recorded_too():
    rec = skeleton()
    motion, plain = body(rec, MASS), body(rec, MASS, cutoff=None)
    assert motion.cutoff == 6.0
    assert plain.cutoff is None
    assert plain.raw is None
    splines = body(rec, MASS, method="gcv", cutoff=None)
    assert splines.cutoff is None
    assert np.array_equal(splines.raw, motion.raw)
    assert motion.q.shape == motion.raw.shape == (len(rec.t), motion.mech.nq)
    assert motion.v.shape == motion.a.shape == (len(rec.t), motion.mech.nv)
    assert 0.0 < np.abs(motion.q - plain.q).max() < 0.1
    assert np.abs(np.abs(motion.raw) - np.abs(plain.q)).max() < 1e-12


def test_frames_that_were_not_recorded_stay_nan():
    rec = skeleton()
    turns = rec.turns.copy()
    turns[100:140, 3] = np.nan
    motion = body(replace(rec, turns=turns), MASS)
    assert np.array_equal(np.isnan(motion.q).any(axis=1), np.isin(np.arange(200), range(100, 140)))
    assert any("40 frames" in note for note in motion.notes)


def test_a_joint_that_wanders_is_told():
    rec = skeleton(n=60)
    origins = rec.origins.copy()
    knee = next(k for k, bone in enumerate(rec.bones) if bone.name == "LeftLeg")
    origins[:, knee] += 0.01 * np.sin(5 * rec.t)[:, None]
    assert any("left_knee wanders by up to" in note for note in body(replace(rec, origins=origins), MASS).notes)


def two_roots():
    rec = skeleton(n=60)
    return replace(rec, bones=(*rec.bones[:-1], rec.bones[-1]._replace(parent=None)))


@pytest.mark.parametrize(
    ("rec", "settings", "words"),
    [
        (skeleton(n=60), {}, r"the mass of the body is missing.*body\(rec, mass=75.0\)"),
        (skeleton(n=60), {"mass": -1.0}, "positive number of kg"),
        (skeleton(n=60), {"mass": MASS, "height": 0.0}, "positive number of metres"),
        (skeleton(n=60), {"mass": MASS, "sex": "both"}, "'female', 'male' or None"),
        (skeleton(n=60), {"mass": MASS, "table": "Hanavan"}, "choose one of de Leva, Winter"),
        (skeleton(n=60), {"mass": MASS, "cutoff": 60.0}, "Nyquist"),
        (skeleton(n=4), {"mass": MASS}, "has 4 frames; a motion has at least 6"),
        (two_roots(), {"mass": MASS}, r"has 2 roots \(Hips, RThumb\)"),
        (
            Recording("x.trc", np.arange(9.0), markers={"LASI": np.zeros((9, 3))}),
            {"mass": MASS},
            "has no markers for: right asis",
        ),
        (Recording("x.mot", np.arange(9.0)), {"mass": MASS}, "neither a skeleton nor markers"),
        (replace(skeleton(n=60), t=np.arange(50.0)), {"mass": MASS}, "turns and origins must have shapes"),
        (
            replace(skeleton(n=60), turns=np.full_like(skeleton(n=60).turns, np.nan)),
            {"mass": MASS},
            "no frame in which every bone",
        ),
    ],
)
def test_what_cannot_become_a_body_is_refused_with_the_way_out(rec, settings, words):
    with pytest.raises(rg.ModelError, match=words):
        body(rec, **settings)
