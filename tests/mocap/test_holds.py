"""Supports that are no feet: hands and whatever else a body rests on; simulated ones come back, others are told."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import regraft as rg
from mocap.performed import performed, swinging
from mocap.simulated import figure, lifted
from regraft.mocap import Hold, Motion, Plate, analyse
from regraft.mocap.gait_cycles import strides
from regraft.mocap.gait_events import carries, phases_of
from regraft.mocap.gait_result import pressure_of

WEIGHT = 70.0 * 9.81


@pytest.fixture(scope="module")
def walk():
    motion = rg.mocap.normal_walk(cycles=2).motion
    return motion, analyse(motion)


@cache
def on(*bodies):
    """A figure that is held by these bodies while all joints swing, and how high its left hand is."""
    standing, state = figure()
    if "right_foot" not in bodies:
        state = lifted(standing.mech, state, "right")
    own = performed(standing.mech, state, swinging(standing.mech, bodies, duration=0.5))
    motion = Motion(standing.mech, own.t, own.q, own.v, own.a, feet=standing.feet)
    return own, motion, float(rg.body_poses(standing.mech, state)["left_hand"].translation[2])


def worst_torque(own, gait, frames):
    mech = gait.motion.mech
    return max(np.abs(gait.moment[name] - own.tau[:, mech.v_slice(name)])[frames].max() for name in gait.moment)


def test_on_one_hand_alone_all_comes_back():
    own, motion, high = on("left_hand")
    gait = analyse(motion, supports={"left_hand": Hold(("left_hand",), level=high)})
    alone = gait.phase == "left_hand"  # feet that hang down begin to move from rest, which looks like standing
    assert alone.mean() > 0.4
    assert set(gait.root[alone]) == {"left_hand"}
    assert worst_torque(own, gait, alone) < 1e-8 * WEIGHT
    wanted = own.reactions["left_hand"][alone, 3:]
    np.testing.assert_allclose(gait.reaction["left_hand"][alone], wanted, atol=1e-8 * WEIGHT)
    assert np.abs(gait.residual[alone]).max() < 1e-8 * WEIGHT
    assert (gait.reaction["left"][alone] == 0.0).all()
    assert "left_hand" in repr(gait)
    assert "left_hand_reaction_z" in gait.columns()


def test_a_foot_on_a_plate_leaves_the_rest_to_the_hand():
    own, motion, high = on("left_foot", "left_hand")
    wrench = own.reactions["left_foot"]
    point, turning = pressure_of(wrench, np.zeros(len(own.t)))
    known = np.isfinite(point[:, 0])
    assert known.all()
    plate = Plate("floor", own.t, wrench[:, 3:], point, np.outer(turning, (0.0, 0.0, 1.0)))
    gait = analyse(motion, plates=plate, supports={"rail": Hold(("left_hand",), level=high)})
    on_rail = np.array([carries(phase, "rail") for phase in gait.phase])
    assert on_rail.all()
    free = gait.root == "left_hand"
    assert free.any()
    hand = own.reactions["left_hand"][:, 3:]
    alone = np.array([not carries(phase, "right") for phase in gait.phase])
    np.testing.assert_allclose(gait.reaction["rail"][alone], hand[alone], atol=1e-7 * WEIGHT)


def test_feet_and_a_hand_share_what_the_body_needs():
    own, motion, high = on("left_foot", "right_foot", "left_hand")
    gait = analyse(motion, supports={"rail": Hold(("left_hand",), level=high)})
    assert set(gait.phase) == {"both+rail"}
    total = sum(wrench[:, 3:] for wrench in own.reactions.values())
    found = sum(gait.reaction.values())
    np.testing.assert_allclose(found + gait.residual[:, 3:], total, atol=1e-6 * WEIGHT)
    for force in gait.reaction.values():
        assert (np.hypot(force[:, 0], force[:, 1]) <= 0.8 * force[:, 2] + 1e-6 * WEIGHT).all()
    assert gait.reaction["rail"][:, 2].max() > 1.0
    most = np.array(
        [["left_foot", "right_foot", "left_hand"][k] for k in np.argmax([f[:, 2] for f in gait.reaction.values()], 0)]
    )
    assert (gait.root == most).mean() > 0.95


def test_a_hand_that_swings_carries_nothing(walk):
    motion, gait = walk
    found = analyse(motion, supports={"left_hand": "left_hand", "right_hand": ["right_hand"]})
    assert (found.phase == gait.phase).all()
    assert any("'left_hand' never carries anything" in note for note in found.notes)
    for side in ("left", "right"):
        np.testing.assert_array_equal(found.reaction[side], gait.reaction[side])
    assert strides(found) == strides(gait)
    assert found.cadence == gait.cadence


def test_a_rail_at_another_height_is_not_what_a_hand_rests_on():
    _, motion, high = on("left_foot", "left_hand")
    gait = analyse(motion, supports={"rail": Hold(("left_hand",), level=high + 0.3)})
    assert not any(carries(phase, "rail") for phase in gait.phase)


def test_a_report_knows_other_supports(walk, tmp_path):
    pytest.importorskip("matplotlib")
    motion = walk[0]
    mech = rg.Mechanism.from_dict(motion.mech.to_dict())
    gait = analyse(replace(motion, mech=mech), supports={"cane": ("left_toe",)})  # a cane that is where the left toes are
    assert {"left+cane", "both+cane"} <= set(gait.phase)
    assert {event.foot for event in gait.events} == {"left", "right", "cane"}
    page = gait.report(tmp_path).read_text(encoding="utf-8")
    assert "left foot and cane" in page


@pytest.mark.parametrize(
    ("supports", "message"),
    [
        ({"left": "left_hand"}, "cannot be called 'left'"),
        ({"a+b": "left_hand"}, r"cannot be called 'a\+b'"),
        ({"hand": "left_paw"}, "'left_paw', which the body does not have"),
        ({"hand": ()}, "no point, which the body does not have"),
        ({"hand": 3}, "names of frames or bodies"),
        (["left_hand"], "supports= takes names"),
        ({"hand": Hold(("left_hand",), level=np.nan)}, "the level of the support 'hand'"),
    ],
)
def test_supports_are_checked(walk, supports, message):
    with pytest.raises(rg.ModelError, match=message):
        analyse(walk[0], supports=supports)


def test_smooth_transition_is_for_two_feet(walk):
    with pytest.raises(rg.ModelError, match="for two feet alone"):
        analyse(walk[0], supports={"hand": "left_hand"}, sharing="smooth")


def test_phases_are_called_by_who_stands():
    rows = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]], bool)
    assert phases_of(rows, ("left", "right", "cane")).tolist() == ["none", "left", "right+cane", "both+cane", "cane"]
    assert phases_of(rows[:, :2], ("left", "right")).tolist() == ["none", "left", "right", "both", "none"]
    assert carries("both+cane", "left")
    assert carries("both+cane", "cane")
    assert not carries("right+cane", "left")
