"""`check` finds what is wrong or unusual with a mechanism, and nothing in mechanisms that are sound."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import regraft as rg
from regraft.files.formats import READERS

UP = rg.Pose(translation=(0, 0, 0.3))


def arm(inertia=None, **settings):
    """Two links with boxes around them; the second may have another inertia or other settings."""
    mech = rg.Mechanism()
    link = rg.Inertia.box(1.0, (0.05, 0.05, 0.3), at=(0, 0, 0.15))
    for name, own in (("upper", link), ("fore", inertia or link)):
        mech.add_body(name, own)
        mech.add_shape(name, rg.Box((0.05, 0.05, 0.3)), pose=rg.Pose(translation=(0, 0, 0.15)))
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0)), "world", "upper")
    mech.add_joint("elbow", rg.Revolute((0, 1, 0), **settings), "upper", "fore", UP)
    return mech


def only(mech, state=None):
    (remark,) = rg.check(mech, state)
    return remark


MODELS = [
    rg.models.human_figure,
    rg.models.spherical_figure,
    rg.models.character,
    rg.models.high_bar,
    rg.models.swing,
    rg.models.compass_biped,
    rg.models.simplest_walker,
    rg.models.round_footed_biped,
    rg.models.kneed_walker,
    rg.models.rimless_wheel,
    rg.models.pendulum,
    rg.models.four_bar,
    rg.models.bricard,
    rg.models.skeleton_example,
]


@pytest.mark.parametrize("model", MODELS)
def test_there_is_nothing_wrong_with_ready_made_models(model):
    assert rg.check(*model().start) == []


def test_a_sound_arm_is_sound():
    assert rg.check(arm()) == []
    assert rg.check(rg.Mechanism()) == []


# --- what keeps it from moving -------------------------------------------------------------------------------------------


def test_a_body_on_nothing_is_an_error():
    mech = arm()
    mech.add_body("lost", rg.Inertia.sphere(1.0, 0.1))
    assert (only(mech).level, only(mech).kind, only(mech).parts) == ("error", "connection", ("lost",))


def test_a_joint_that_moves_no_mass_is_an_error_unless_it_has_a_rotor():
    for armature in (0.0, 0.1):
        mech = arm()
        for name in ("hook", "tip"):
            mech.add_body(name, rg.Inertia(0.0))
        mech.add_joint("swivel", rg.Revolute((0, 0, 1), armature=armature), "fore", "hook")
        mech.add_joint("end", rg.Fixed(), "hook", "tip")
        if armature:
            assert rg.check(mech) == []
        else:
            assert (only(mech).level, only(mech).parts) == ("error", ("swivel",))
            with pytest.raises(rg.RegraftError, match="swivel"):
                rg.forward_dynamics(mech, mech.state())


def test_a_joint_that_turns_a_point_or_a_rod_about_itself_is_an_error():
    mech = arm()
    mech.add_body("needle", rg.Inertia.rod(0.1, (0, 0, 0), (0, 0, 0.1)))
    mech.add_joint("spin", rg.Revolute((0, 0, 1)), "fore", "needle")
    assert (only(mech).level, only(mech).parts) == ("error", ("spin",))
    assert "no inertia along" in only(mech).message
    across = arm()
    across.add_body("needle", rg.Inertia.rod(0.1, (0, 0, 0), (0, 0, 0.1)))
    across.add_joint("spin", rg.Revolute((0, 1, 0)), "fore", "needle")
    assert rg.check(across) == []


def test_a_massless_body_between_two_joints_is_nothing_special():
    mech = arm()
    mech.add_body("cross", rg.Inertia(0.0))
    mech.add_body("hand", rg.Inertia.sphere(1.0, 0.05))
    mech.add_joint("wrist 1", rg.Revolute((1, 0, 0)), "fore", "cross", UP)
    mech.add_joint("wrist 2", rg.Revolute((0, 1, 0)), "cross", "hand")
    assert rg.check(mech) == []


def test_a_massless_body_in_a_loop_is_moved_by_others():
    mech = rg.Mechanism()
    for name in ("crank", "rocker"):
        mech.add_body(name, rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, 1)))
    mech.add_body("rod", rg.Inertia(0.0))
    hinge = rg.Revolute((0, 1, 0))
    mech.add_joint("a", hinge, "world", "crank")
    mech.add_joint("d", hinge, "world", "rocker", rg.Pose(translation=(1, 0, 0)))
    mech.add_joint("b", hinge, "crank", "rod", rg.Pose(translation=(0, 0, 1)))
    mech.add_joint("c", hinge, "rod", "rocker", rg.Pose(translation=(1, 0, 0)), rg.Pose(translation=(0, 0, 1)))
    assert rg.check(mech) == []


def test_an_open_loop_is_a_warning_if_it_can_be_closed_and_an_error_if_not():
    model = rg.models.four_bar()
    state = model.state.replace(q={"motor": model.state["motor"].q + 0.05})
    remark = only(model.mech, state)
    assert (remark.level, remark.kind, remark.parts) == ("warning", "loop", model.mech.loop_joints)
    assert "assemble closes it" in remark.message
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.box(1.0, (0.1, 0.1, 1.0), at=(0, 0, 0.5)))
    mech.add_joint("pin", rg.Revolute((0, 1, 0)), "world", "rod")
    mech.add_joint("far", rg.Spherical(), "world", "rod", rg.Pose(translation=(0, 0, 5)), rg.Pose(translation=(0, 0, 1)))
    remark = only(mech)
    assert (remark.level, remark.parts) == ("error", ("far",))
    assert "cannot be closed" in remark.message


# --- inertias ------------------------------------------------------------------------------------------------------------


def test_a_moment_that_is_too_large_for_its_mass_is_a_warning():
    remark = only(arm(rg.Inertia(0.01, com=(0, 0, 0.15), tensor=np.eye(3))))
    assert (remark.level, remark.kind, remark.parts) == ("warning", "inertia", ("fore",))
    assert "some 10 m from its centre" in remark.message
    bare = arm(rg.Inertia(0.01, com=(0, 0, 0.15), tensor=np.diag((1.0, 1.0, 0.5)))).without("fore_shape", "upper_shape")
    assert "the whole mechanism is 0.3 m large" in only(bare).message


def test_what_is_spread_within_its_shapes_is_nothing_special():
    shell = rg.Inertia(1.0, com=(0, 0, 0.15), tensor=np.diag((0.0225, 0.0225, 0.0006)))  # all mass at both ends
    assert rg.check(arm(shell)) == []


def test_a_centre_of_mass_far_outside_of_the_body_is_a_warning():
    remark = only(arm(rg.Inertia.box(1.0, (0.05, 0.05, 0.3), at=(0.8, 0, 0.15))))
    assert (remark.level, remark.kind, remark.parts) == ("warning", "centre of mass", ("fore",))
    bare = arm(rg.Inertia.box(1.0, (0.05, 0.05, 0.3), at=(0.8, 0, 0.15))).without("fore_shape")
    assert "the whole mechanism is 0.3 m large" in only(bare).message


def test_a_mesh_may_be_of_any_size():
    mech = arm(rg.Inertia(1.0, com=(0.2, 0, 0.15), tensor=0.09 * np.diag((1, 1, 0.5)))).without("fore_shape")
    assert rg.check(mech) == []
    mech.add_shape("fore", rg.Box((0.01, 0.01, 0.01)))
    assert [one.kind for one in rg.check(mech)] == ["centre of mass"]
    mech.add_shape("fore", rg.Mesh("fore.stl"))
    assert rg.check(mech) == []


@pytest.mark.parametrize(("moment", "told"), [(1e-3, True), (1e-7, True), (1.0, True), (1.1e-3, False), (4e-4, False)])
def test_equal_powers_of_ten_look_filled_in(moment, told):
    own = rg.Inertia(200 * moment, tensor=moment * np.eye(3))
    mech = arm().without("upper_shape", "fore_shape").with_inertia({"upper": own, "fore": own})
    found = [one for one in rg.check(mech) if "filled in" in one.message]
    assert [one.parts for one in found] == ([("upper", "fore")] if told else [])
    assert not [one for one in rg.check(mech.with_inertia("upper", rg.Inertia.sphere(1.0, 0.1))) if "filled in" in one.message]


def test_the_same_body_twice_in_one_place_is_a_warning():
    mech = arm()
    mech.add_body("copy", mech.bodies["fore"].inertia)
    mech.add_joint("weld", rg.Fixed(), "fore", "copy")
    assert only(mech).parts == ("fore", "copy")
    assert "there twice" in only(mech).message
    elsewhere = arm()
    elsewhere.add_body("copy", mech.bodies["fore"].inertia)
    elsewhere.add_joint("weld", rg.Fixed(), "fore", "copy", UP)
    assert rg.check(elsewhere) == []


def test_units_that_look_like_millimetres_or_grams_are_told():
    long = rg.Mechanism()
    heavy = rg.Mechanism()
    for mech, length, mass in ((long, 300.0, 1.0), (heavy, 0.3, 900.0)):
        for name, parent in (("a", "world"), ("b", "a"), ("c", "b")):
            mech.add_body(name, rg.Inertia.cylinder(mass, 0.1 * length, (0, 0, 0), (0, 0, length)))
            mech.add_joint(name, rg.Revolute((0, 1, 0)), parent, name, rg.Pose(translation=(0, 0, length)))
    assert (only(long).kind, "millimetres" in only(long).message) == ("units", True)
    assert (only(heavy).kind, "grams" in only(heavy).message) == ("units", True)


# --- limits, bounds and couplings ------------------------------------------------------------------------------------------


def test_a_start_beyond_limits_is_a_warning():
    mech = arm(limits=(0.5, 1.0))
    assert (only(mech).level, only(mech).kind, only(mech).parts) == ("warning", "limits", ("elbow",))
    assert rg.check(mech, mech.state(q={"elbow": 0.5})) == []
    with pytest.raises(rg.ModelError, match="another structure"):
        rg.check(mech, rg.models.pendulum().state)


@pytest.mark.parametrize(
    ("limits", "told"),
    [((-90, 90), True), ((0, 180), True), ((-math.inf, 360), True), ((-10, 10), False), ((-7, 7), False), ((-1e16, 1e16), False)],
)
def test_limits_that_look_like_degrees_are_told(limits, told):
    assert ["degrees" in one.message for one in rg.check(arm(limits=limits))] == [True] * told


def test_a_slide_of_hundreds_of_metres_is_told():
    mech = arm()
    mech.add_body("tool", rg.Inertia.sphere(1.0, 0.05))
    mech.add_joint("slide", rg.Prismatic((0, 0, 1), limits=(0, 350)), "fore", "tool")
    assert "millimetres" in only(mech).message


def test_bounds_of_zero_are_told():
    found = rg.check(arm(effort=0.0, speed=0.0))
    assert [(one.kind, one.parts) for one in found] == [("effort", ("elbow",)), ("speed", ("elbow",))]


@pytest.mark.parametrize(
    ("ratio", "limits", "level"),
    [(1.0, (-1, 1), None), (0.5, (-1, 1), None), (1.0, (-0.99, 0.99), None), (-2.0, (-1, 1), "warning"), (1.0, (2, 3), "error")],
)
def test_a_coupling_that_leads_beyond_limits_is_told(ratio, limits, level):
    mech = arm(limits=limits).replace(limits={"shoulder": (-1, 1)})
    mech.add_coupling("belt", "shoulder", "elbow", ratio=ratio)
    found = [one for one in rg.check(mech) if one.kind == "coupling"]
    assert [one.level for one in found] == ([level] if level else [])


def test_a_coupling_that_does_not_hold_at_the_start_is_told():
    mech = arm()
    mech.add_coupling("belt", "shoulder", "elbow", offset=0.2)
    assert "0.2 away" in only(mech).message.replace("-", "")
    assert rg.check(mech, mech.state(q={"elbow": 0.2})) == []


def test_a_keyframe_within_all_limits_is_named_where_the_start_is_beyond_one():
    mech = arm(limits=(0.5, 1.0))
    mech.add_keyframe("zero", mech.state())
    assert "keyframe" not in only(mech).message
    mech.add_keyframe("home", mech.state(q={"elbow": 0.7}))
    assert only(mech).message.endswith("its limits are 0.5 to 1; the keyframe 'home' is within all limits")
    mech.add_body("hook", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("swivel", rg.Revolute((0, 0, 1)), "fore", "hook")  # keyframes are now of another structure
    assert only(mech).message.endswith("its limits are 0.5 to 1")


# --- remarks -------------------------------------------------------------------------------------------------------------


def test_errors_come_first_and_remarks_can_be_printed():
    mech = arm(limits=(0.5, 1.0))
    mech.add_body("hook", rg.Inertia(0.0))
    mech.add_joint("swivel", rg.Revolute((0, 0, 1)), "fore", "hook")
    found = rg.check(mech)
    assert [one.level for one in found] == ["error", "warning"]
    assert str(found[1]) == "warning: limits 'elbow': 'elbow' starts at 0, and its limits are 0.5 to 1"
    with pytest.raises(rg.ModelError, match="give a mechanism"):
        rg.check(rg.models.pendulum())


ROBOTS = Path(__file__).parents[2] / "shared" / "data" / "robots"


@pytest.mark.skipif(not ROBOTS.is_dir() or ".urdf" not in READERS, reason="the robots, or their reader, are not there")
@pytest.mark.parametrize("name", ["urdf/panda.urdf", "urdf/g1_29dof_rev_1_0.urdf", "urdf/so101.urdf"])
def test_real_robots_have_no_errors(name):
    found = rg.read(ROBOTS / name, ignore="all", inertia="repair")
    assert [one for one in rg.check(found.mech, found.state) if one.level == "error"] == []
