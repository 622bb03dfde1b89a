"""Base joints that re-rooting has replaced: which are put back, how many are remembered, and where that makes a difference."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import ALL_JOINTS, random_sample, samples

HINGE = rg.Revolute((0, 1, 0))
BENT = rg.Pose.about((1, 2, 3), 0.7, translation=(0.1, 0.2, 0.3))
REMEMBERED = 64  # documented


def two_feet():
    """Both feet at the origin of the world; the left one stands on a ball joint whose frames are bent."""
    mech = rg.Mechanism()
    for side in ("left", "right"):
        mech.add_body(side, rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("stance", rg.Spherical(), "world", "left", BENT, BENT)
    mech.add_joint("hip", HINGE, "left", "right")
    return mech, mech.state(q={"hip": 0.3})


def test_a_former_base_of_another_type_is_not_put_back():
    away = rg.reroot(*two_feet(), "right", name="flight")
    for kind in (rg.Free(), rg.Spherical(damping=1.0), rg.Universal((1, 0, 0), (0, 1, 0))):
        again, _ = rg.reroot(*away, "left", at=BENT.translation, joint=kind, name="stance", align="bind")
        assert again.joints["stance"].type == kind
        assert again.joints["stance"].child_pose != BENT
    again, _ = rg.reroot(*away, "left", at=BENT.translation, joint=rg.Spherical(), name="stance")
    assert again.joints["stance"] == two_feet()[0].joints["stance"]


@pytest.mark.parametrize("ends", [("world", "left"), ("left", "world")])
def test_a_former_base_of_another_body_is_not_put_back(ends):
    """Also where both bodies, and the frames of the old joint on them, are at the same place."""
    mech = rg.Mechanism()
    for side in ("left", "right"):
        mech.add_body(side, rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("stance", rg.Spherical(), *ends)
    mech.add_joint("hip", HINGE, "left", "right")
    away = rg.reroot(mech, mech.state(), "right", name="flight")
    other, _ = rg.reroot(*away, "right", joint=rg.Spherical(), name="stance")
    assert (other.joints["stance"].parent, other.joints["stance"].child) == ("world", "right")
    assert rg.hierarchy(other).top == "right"


def test_a_former_base_at_another_point_is_not_put_back():
    away = rg.reroot(*two_feet(), "right", name="flight")
    aside = BENT.translation + np.array([1e-9, 0, 0])
    again, state = rg.reroot(*away, "left", at=aside, joint=rg.Spherical(), name="stance")
    assert again.joints["stance"].parent_pose.translation == pytest.approx(aside, abs=1e-15)
    assert rg.body_poses(again, state)["left"].translation == pytest.approx(np.zeros(3), abs=1e-15)


def test_a_former_base_that_no_longer_fits_is_not_put_back():
    """Its hinge stood upright; the foot has since turned about another axis."""
    mech = rg.Mechanism()
    mech.add_body("foot", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("stance", HINGE, "world", "foot", rg.Pose.about((0, 0, 1), 0.4), rg.Pose.about((0, 0, 1), 0.4))
    flying, state = rg.reroot(mech, mech.state(), "foot", name="flight")
    turned = flying.state(q={"flight": (0, 0, 0, *rg.Pose.about((1, 0, 0), 0.2).quaternion)})
    with pytest.raises(rg.StructureError, match="orientation"):
        rg.reroot(flying, turned, "foot", joint=HINGE, name="stance")
    leaning, _ = rg.reroot(flying, turned, "foot", joint=HINGE, name="stance", align="current")
    assert leaning.joints["stance"] != mech.joints["stance"]
    pitched = flying.state(q={"flight": (0, 0, 0, *rg.Pose.about((0, 1, 0), 0.2).quaternion)})
    another, after = rg.reroot(flying, pitched, "foot", joint=HINGE, name="stance")  # a new hinge can do what the former cannot
    assert another.joints["stance"] != mech.joints["stance"]
    assert another.joint_position(after, "stance") == pytest.approx([0.2], abs=1e-14)
    upright, _ = rg.reroot(flying, state, "foot", joint=HINGE, name="stance")
    assert upright == mech
    present, _ = rg.reroot(flying, state, "foot", joint=HINGE, name="stance", align="current")
    assert present.joints["stance"].child_pose == rg.Pose()  # the present pose is asked for, not the former joint


# --- how many --------------------------------------------------------------------------------------------------------


def test_ten_thousand_fresh_names_are_not_all_remembered():
    mech, state = two_feet()
    for k in range(10_000):
        mech, state = rg.reroot(mech, state, ("left", "right")[k % 2], name=f"base {k}")
    assert list(mech.former_bases) == [f"base {k}" for k in range(9_999 - REMEMBERED, 9_999)]
    assert list(rg.Mechanism.from_dict(mech.to_dict()).former_bases) == list(mech.former_bases)


def test_the_base_that_was_replaced_last_is_forgotten_last():
    """One that comes back now and then is not forgotten, however many others there are in between."""
    mech, state = two_feet()
    expected = mech.joints["stance"]
    for k in range(3 * REMEMBERED):
        mech, state = rg.reroot(mech, state, "right", name=f"base {k}")
        mech, state = rg.reroot(mech, state, "left", at=BENT.translation, joint=rg.Spherical(), name="stance")
        assert mech.joints["stance"] == expected
    assert len(mech.former_bases) == REMEMBERED


def test_a_base_counts_from_when_it_was_replaced_last():
    """Others that have come since then are few, though all together are many."""
    mech, state = two_feet()
    expected = mech.joints["stance"]
    for first in (0, 40):
        for k in range(40):
            mech, state = rg.reroot(mech, state, "right", name=f"base {first + k}")
        mech, state = rg.reroot(mech, state, "left", at=BENT.translation, joint=rg.Spherical(), name="stance")
        assert mech.joints["stance"] == expected


def test_a_file_with_more_than_are_remembered_is_read_as_far_as_they_are():
    data = rg.reroot(*two_feet(), "right", name="flight")[0].to_dict()
    data["former_bases"] = [{**data["former_bases"][0], "name": f"base {k}"} for k in range(100)]
    assert list(rg.Mechanism.from_dict(data).former_bases) == [f"base {k}" for k in range(100 - REMEMBERED, 100)]


# --- where it is a difference ------------------------------------------------------------------------------------------


def test_mechanisms_that_remember_other_bases_are_equal_but_not_the_same():
    mech, state = two_feet()
    away = rg.reroot(mech, state, "right", name="flight")
    again, back = rg.reroot(*away, "left", at=BENT.translation, joint=rg.Spherical(), name="stance")
    assert again == mech
    assert not again.same_as(mech)
    assert not mech.same_as(again)
    assert not mech.same_as(away[0])
    for twin in (again.copy(), pickle.loads(pickle.dumps(again)), rg.Mechanism.from_dict(again.to_dict())):
        assert twin.same_as(again)
    more = again.copy()
    more.add_frame("heel", "left")
    assert not more.same_as(again)
    other, _ = rg.reroot(*rg.reroot(again, back, "right", name="other"), "left", at=BENT.translation, joint=rg.Spherical(),
                         name="stance")  # fmt: skip
    assert other == again
    assert not other.same_as(again)


def away_and_back(mech, state):
    away = rg.reroot(mech, state, "right", joint=rg.Free(), align="current", name="flight")
    return rg.reroot(*away, "left", at=BENT.translation, joint=rg.Spherical(), name="stance")


def test_an_event_that_re_roots_away_and_back_is_kept_in_the_run_and_in_its_file(tmp_path):
    mech, state = two_feet()
    traj = rg.simulate(mech, mech.state(q=state.q), 0.2, events=[rg.at_time(0.1, away_and_back)])
    assert [list(segment.mech.former_bases) for segment in traj.segments] == [[], ["stance", "flight"]]
    traj.save(tmp_path / "run.npz")
    loaded = rg.load(tmp_path / "run.npz")
    for one, other in zip(traj.segments, loaded.segments, strict=True):
        assert one.mech.same_as(other.mech)
    joints = [rg.reroot(*run.final, "right", name="flight")[0].joints["flight"] for run in (traj, loaded)]
    assert joints[0] == joints[1]
    assert joints[0] != rg.reroot(mech, traj.final[1], "right", name="flight")[0].joints["flight"]


def test_an_event_that_changes_nothing_goes_on_in_the_same_segment():
    mech, state = two_feet()
    traj = rg.simulate(mech, mech.state(q=state.q), 0.2, events=[rg.at_time(0.1, lambda m, s: (m.copy(), s))])
    assert len(traj.segments) == 1
    assert len(traj.events) == 1


# --- the old mechanism stays as it is ------------------------------------------------------------------------------------

CHANGES = {
    "reroot": lambda m, s, b: rg.reroot(m, s, b, name="second"),
    "reroot with an impact": lambda m, s, b: rg.reroot(m, s, b, joint=rg.Fixed(), align="current", velocity="impact"),
    "connect": lambda m, s, b: rg.connect(m, s, "world", b, joint=rg.Planar((0, 0, 1)), name="grip"),
    "connect_all": lambda m, s, b: rg.connect_all(m, s, [rg.Connection("world", b, at=(0, 0, 0), name="grip")]),
    "cut": lambda m, s, b: rg.cut(m, s, next(name for name, j in m.joints.items() if b in (j.parent, j.child))),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@given(samples(max_bodies=5, root_kinds=(rg.Free,), springs=1), st.integers(0, 4))
def test_a_change_leaves_every_number_of_the_old_mechanism_as_it_was(change, sample, number):
    """To the last entry of its file, of a mechanism that has been changed before."""
    body = f"b{number % len(sample.mech.bodies)}"
    mech, state = rg.reroot(sample.mech, sample.state, body, name="first")
    mech.add_frame("hand", body, BENT)
    before = json.dumps(mech.to_dict()), state.q.tolist(), state.v.tolist()
    changed, _ = change(mech, state, body)
    assert (json.dumps(mech.to_dict()), state.q.tolist(), state.v.tolist()) == before
    after = json.dumps(changed.to_dict())
    mech.add_body("new", rg.Inertia.point(1.0))  # nor does the new one change with the old
    mech.add_joint("new joint", rg.Free(), "world", "new")
    mech.add_frame("new frame", body)
    mech.add_spring("new spring", "world", (0, 0, 0), body, (0, 0, 0), stiffness=1.0)
    assert json.dumps(changed.to_dict()) == after


def test_a_copy_shares_nothing_that_can_change():
    sample = random_sample(np.random.default_rng(3), bodies=3, kinds=ALL_JOINTS, root_kinds=(rg.Free,))
    mech, state = rg.reroot(sample.mech, sample.state, "b2", name="first")
    twin = mech.copy()
    before = json.dumps(mech.to_dict())
    rg.reroot(twin, state, "b1", name="second")
    twin.add_frame("hand", "b0")
    assert json.dumps(mech.to_dict()) == before
