"""What joints have besides their axes: rotors, springs and dry friction, by their definitions and against closed forms.

The laws that hold whatever the settings are in `test_identities.py`, whose mechanisms have all of them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import (
    ALL_JOINTS,
    random_inertia,
    random_joint,
    random_mechanism,
    random_pose,
    random_settings,
    random_state,
)
from regraft.joints import JOINT_TYPES
from regraft.tolerances import SLIP_SPEED

seeds = st.integers(0, 2**32 - 1)
moving = [kind for kind in ALL_JOINTS if kind.nv]
every_moving_type = pytest.mark.parametrize("kind", moving, ids=lambda kind: kind.__name__)
Y = (0, 1, 0)
NOTHING = {"damping": 0.0, "armature": 0.0, "stiffness": 0.0, "friction": 0.0}


def on_a_joint(joint, inertia=None, gravity=(0, 0, 0)):
    """One body on this joint."""
    mech = rg.Mechanism(gravity=gravity)
    mech.add_body("body", inertia or rg.Inertia(1.0, tensor=np.eye(3)))
    mech.add_joint("joint", joint, "world", "body")
    return mech


def own_torque(mech, state):
    """What the settings of all joints do, as the difference to a mechanism without any."""
    bare = mech.replace(settings=dict.fromkeys(mech.joints, NOTHING))
    return rg.bias_force(bare, bare.state(state.q, state.v)) - rg.bias_force(mech, state)


# --- rotors ----------------------------------------------------------------------------------------------------------


def test_a_rotor_adds_to_the_inertia_of_its_joint():
    mech = on_a_joint(rg.Revolute(Y, armature=0.25), rg.Inertia(1.0, tensor=np.diag([1.0, 0.75, 1.0])))
    assert rg.forward_dynamics(mech, mech.state(), [3.0]) == pytest.approx([3.0], rel=1e-15)
    assert rg.mass_matrix(mech, mech.state()) == pytest.approx(np.array([[1.0]]), rel=1e-15)
    assert rg.inverse_dynamics(mech, mech.state(), [3.0]) == pytest.approx([3.0], rel=1e-15)
    assert rg.energy(mech, mech.state(v=[2.0])).kinetic == pytest.approx(2.0, rel=1e-15)


@every_moving_type
def test_a_rotor_adds_to_the_diagonal_of_the_mass_matrix_alone(kind):
    rng = np.random.default_rng(1)
    armature = rng.uniform(0.1, 1.0, kind.nv)
    for ends in (("a", "b"), ("b", "a")):
        mech = rg.Mechanism()
        for name in "ab":
            mech.add_body(name, random_inertia(rng))
        mech.add_joint("base", rg.Free(), "world", "a")
        mech.add_joint("joint", random_joint(rng, kind, armature=armature), *ends, random_pose(rng), random_pose(rng))
        bare, state = mech.replace(settings={"joint": NOTHING}), random_state(rng, mech)
        more = rg.mass_matrix(mech, state) - rg.mass_matrix(bare, bare.state(state.q))
        assert more == pytest.approx(np.diag([0.0] * 6 + armature.tolist()), abs=1e-12)


def test_a_massless_body_moves_where_its_joint_has_a_rotor():
    mech = rg.Mechanism()
    mech.add_body("arm", rg.Inertia.rod(2.0, (0, 0, 0), (1, 0, 0)))
    mech.add_body("tool", rg.Inertia(0.0))
    mech.add_joint("shoulder", rg.Revolute(Y), "world", "arm")
    mech.add_joint("wrist", rg.Revolute(Y), "arm", "tool", rg.Pose(translation=(1, 0, 0)))
    with pytest.raises(rg.ModelError, match="'wrist' can move without moving any inertia"):
        rg.forward_dynamics(mech, mech.state())
    geared = mech.replace(settings={"wrist": {"armature": 0.01}})
    found = rg.forward_dynamics(geared, geared.state(), [0.0, 0.03])
    assert found == pytest.approx([9.81 / (2.0 / 3.0), 3.0], rel=1e-12)  # the rotor turns against nothing but the arm's motor


def test_every_workspace_begins_with_the_rotors():
    """Of floats, of complex numbers and of packs, with a joint that is held and with none."""
    rng = np.random.default_rng(5)
    mech = random_mechanism(rng, bodies=5, own=True)
    state, tau = random_state(rng, mech), rng.standard_normal(mech.nv)
    found = rg.forward_dynamics(mech, state, tau)
    batch = rg.forward_dynamics_batch(mech, *(np.tile(x, (3, 1)) for x in (state.q, state.v, tau)))
    assert batch == pytest.approx(np.tile(found, (3, 1)), rel=1e-11, abs=1e-11)
    solved = rg.derivatives(mech, state, tau).tau @ (tau - rg.bias_force(mech, state))
    assert solved == pytest.approx(found, rel=1e-9, abs=1e-9)


# --- springs ---------------------------------------------------------------------------------------------------------


@every_moving_type
def test_a_spring_pulls_down_its_energy(kind):
    """The torque is −dV/dq, by central differences, at any distance from rest up to almost half a turn."""
    h = 1e-5
    for seed in range(6):
        rng = np.random.default_rng(seed)
        joint = random_joint(rng, kind, stiffness=rng.uniform(1, 50, kind.nv))
        mech = on_a_joint(joint)
        rest = rg.integrate(mech, mech.state().q, rng.uniform(-1, 1, kind.nv))
        mech = mech.replace(settings={"joint": {"rest": rest}})
        way = rng.standard_normal(kind.nv)
        way *= rng.uniform(0.0, 3.0) / max(np.linalg.norm(way[-3:]), np.linalg.norm(way[:3]))
        q = rg.integrate(mech, rest, way)
        slope = [
            (rg.energy(mech, mech.state(rg.integrate(mech, q, h * unit))).potential
             - rg.energy(mech, mech.state(rg.integrate(mech, q, -h * unit))).potential) / (2 * h)
            for unit in np.eye(kind.nv)
        ]  # fmt: skip
        expected = 0.5 * joint.stiffness @ way**2
        assert rg.energy(mech, mech.state(q)).potential == pytest.approx(expected, rel=1e-10)
        # the error of the difference: h² times a third derivative, which is as large as the stiffness
        assert own_torque(mech, mech.state(q)) == pytest.approx(-np.array(slope), rel=1e-6, abs=1e-6)


@every_moving_type
def test_a_spring_at_rest_pulls_nowhere_and_stores_nothing(kind):
    rng = np.random.default_rng(3)
    mech = on_a_joint(random_joint(rng, kind, stiffness=100.0))
    rest = rg.integrate(mech, mech.state().q, rng.uniform(-1, 1, kind.nv))
    mech = mech.replace(settings={"joint": {"rest": rest}})
    assert own_torque(mech, mech.state(rest)) == pytest.approx(np.zeros(kind.nv), abs=1e-12)
    assert rg.energy(mech, mech.state(rest)).potential < 1e-24
    assert np.isfinite(rg.derivatives(mech, mech.state(rest)).q).all()


def test_a_spring_of_a_ball_joint_that_is_alike_about_all_axes_pulls_along_the_rotation():
    rng = np.random.default_rng(7)
    mech = on_a_joint(rg.Spherical(stiffness=4.0))
    for angle in (1e-9, 0.01, 0.3, 2.0, 3.1):
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        state = mech.state({"joint": [math.cos(angle / 2), *(math.sin(angle / 2) * axis)]})
        assert own_torque(mech, state) == pytest.approx(-4.0 * angle * axis, rel=1e-12, abs=1e-14)


def test_a_spring_of_a_hinge_counts_whole_turns():
    mech = on_a_joint(rg.Revolute(Y, stiffness=2.0, rest=1.0))
    turned = mech.state({"joint": 1.0 + 4 * math.pi})
    assert own_torque(mech, turned) == pytest.approx([-8 * math.pi])
    assert rg.energy(mech, turned).potential == pytest.approx((4 * math.pi) ** 2)


@pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if kind.nv], ids=lambda kind: kind.__name__)
def test_every_type_with_a_tangent_of_its_own_says_what_forces_along_it_do(kind):
    kernels = kind.kernels
    assert (kernels.tangent is None) == (kernels.pull is None) == (kernels.difference is None) == (kernels.integrate is None)


def test_a_spring_and_a_mass_swing_with_the_known_period():
    mech = on_a_joint(rg.Revolute(Y, stiffness=9.0, rest=0.2, armature=0.25), rg.Inertia(1.0, tensor=np.diag([1.0, 0.75, 1.0])))
    period = 2 * math.pi / 3.0
    traj = rg.simulate(mech, mech.state({"joint": 0.7}), period, rtol=1e-10, atol=1e-10)
    assert traj.final[1].q == pytest.approx([0.7], abs=1e-7)
    energies = traj.energy()
    assert energies.total == pytest.approx(np.full(len(traj.t), 0.5 * 9.0 * 0.25), rel=1e-8)
    assert energies.kinetic.max() > 0.9


# --- dry friction ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("v", [0.0, 1e-6, SLIP_SPEED / 2, -SLIP_SPEED, 0.3, -20.0])
def test_friction_is_constant_beyond_its_slip_speed(v):
    mech = on_a_joint(rg.Prismatic((1, 0, 0), friction=4.0))
    found = rg.forward_dynamics(mech, mech.state(v=[v]))
    assert found == pytest.approx([-4.0 * v / math.hypot(v, SLIP_SPEED)], rel=1e-14, abs=1e-18)
    if abs(v) >= 10 * SLIP_SPEED:
        assert abs(found[0]) == pytest.approx(4.0, rel=5.1e-3)


def test_a_load_below_friction_is_held_in_a_run_and_one_above_it_accelerates():
    mech = on_a_joint(rg.Prismatic((1, 0, 0), friction=4.0))
    held = rg.simulate(mech, mech.state(), 100.0, torque=[2.0])
    assert np.abs(held.final[1].q).max() < 1e-12
    assert held.events == []
    slides = rg.simulate(mech, mech.state(), 1.0, torque=[6.0])
    assert slides.final[1].v == pytest.approx([2.0], rel=1e-12)


@every_moving_type
def test_friction_and_springs_act_on_the_joints_own_numbers_whichever_way_it_is_walked(kind):
    rng = np.random.default_rng(11)
    joint = random_joint(rng, kind, **random_settings(rng, kind, own=True))
    joint = joint.with_settings(friction=rng.uniform(1, 2, kind.nv), stiffness=rng.uniform(1, 2, kind.nv))
    inertias, poses = [random_inertia(rng) for _ in range(2)], [random_pose(rng) for _ in range(2)]
    torques = []
    for root in "ab":
        mech = rg.Mechanism()
        for name, inertia in zip("ab", inertias, strict=True):
            mech.add_body(name, inertia)
        mech.add_joint("base", rg.Fixed(), "world", root)
        mech.add_joint("joint", joint, "a", "b", *poses)
        state = random_state(np.random.default_rng(2), mech)
        torques.append(own_torque(mech, state))
        away = torques[-1] + joint.friction * state.v / np.hypot(state.v, SLIP_SPEED)
        assert np.abs(away).max() > 1e-3  # of the spring
    assert torques[0] == pytest.approx(torques[1], rel=1e-9, abs=1e-9)


# --- loop joints -----------------------------------------------------------------------------------------------------


def two_hinges(first, second):
    """A rod on two hinges about the same axis, of which the second closes a loop."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("first", first, "world", "rod")
    mech.add_joint("second", second, "world", "rod")
    return mech


PLAIN = rg.Revolute(Y)


@pytest.mark.parametrize(
    ("angle", "way"), [(0.5, -2.0), (2.5, 0.0), (5.0, 2.5), (-3.0, 2 * math.pi - 5.5), (8.0, 5.5 - 2 * math.pi)]
)
def test_a_spring_of_a_loop_joint_takes_the_turn_nearest_to_its_rest(angle, way):
    mech = two_hinges(PLAIN, rg.Revolute(Y, stiffness=3.0, rest=2.5))
    state = mech.state({"first": angle})
    assert rg.energy(mech, state).potential == pytest.approx(1.5 * way**2, abs=1e-12)
    assert mech.joint_position(state, "second") == pytest.approx([2.5 + way], abs=1e-12)
    inertia = mech.bodies["rod"].inertia.tensor[1, 1] + 0.25
    assert rg.forward_dynamics(mech, state) == pytest.approx([-3.0 * way / inertia], abs=1e-12)
    assert rg.actuator_torques(mech, state, [0.0])["first"] == pytest.approx([3.0 * way], abs=1e-12)


def test_a_spring_keeps_its_energy_when_its_loop_is_cut():
    mech = two_hinges(PLAIN, rg.Revolute(Y, stiffness=3.0, rest=2.5))
    state = mech.state({"first": 5.0}, {"first": 0.1})
    opened, after = rg.cut(mech, state, "first")
    assert opened.loop_joints == ()
    assert rg.energy(opened, after).total == pytest.approx(rg.energy(mech, state).total, rel=1e-12)


def test_friction_of_a_loop_joint_resists_as_in_a_tree():
    rubs = rg.Revolute(Y, friction=2.0)
    for v in (SLIP_SPEED / 3, -1.0):
        found = [rg.forward_dynamics(mech, mech.state(v=[v])) for mech in (two_hinges(rubs, PLAIN), two_hinges(PLAIN, rubs))]
        assert found[1] == pytest.approx(found[0], rel=1e-12)
        assert found[0] * v < 0.0


def test_a_spring_in_a_loop_joint_gives_its_energy_back():
    mech = two_hinges(PLAIN, rg.Revolute(Y, stiffness=3.0, rest=0.4))
    traj = rg.simulate(mech, mech.state({"first": 1.5}), 3.0, rtol=1e-10, atol=1e-10)
    energies = traj.energy()
    assert energies.total == pytest.approx(np.full(len(traj.t), 1.5 * 1.1**2), rel=1e-8)
    assert energies.kinetic.max() > 1.0


def test_a_rotor_turns_the_same_in_a_loop_joint_and_in_the_tree():
    swinging = on_a_joint(rg.Revolute(Y))
    gripped, _ = rg.connect(
        swinging, swinging.state(), "world", "body", joint=rg.Revolute(Y, armature=0.1), at=(0, 0, 0), name="grip"
    )
    in_tree = swinging.replace(settings={"joint": {"armature": 0.1}})
    for one, other in (
        (two_hinges(PLAIN, rg.Revolute(Y, armature=0.1)), two_hinges(rg.Revolute(Y, armature=0.1), PLAIN)),
        (gripped, in_tree),
    ):
        tau, v = np.ones(one.nv), np.full(one.nv, 0.7)
        assert rg.forward_dynamics(one, one.state(v=v), tau) == pytest.approx(
            rg.forward_dynamics(other, other.state(v=v), tau), rel=1e-11
        )
        assert rg.energy(one, one.state(v=v)).kinetic == pytest.approx(rg.energy(other, other.state(v=v)).kinetic, rel=1e-12)
    inertia = two_hinges(PLAIN, PLAIN).bodies["rod"].inertia.tensor[1, 1] + 0.25
    tree = two_hinges(rg.Revolute(Y, armature=0.1), PLAIN)
    assert rg.forward_dynamics(tree, tree.state(), [1.0]) == pytest.approx([1.0 / (inertia + 0.1)], rel=1e-12)


def test_whole_turns_are_lost_in_maximal_coordinates():
    mech = on_a_joint(rg.Revolute(Y, stiffness=2.0))
    turned = mech.state({"joint": 0.3 + 2 * math.pi})
    assert rg.energy(mech, turned).potential == pytest.approx((0.3 + 2 * math.pi) ** 2)
    assert rg.energy(*rg.to_maximal(mech, turned)).potential == pytest.approx(0.09)


# --- effort ----------------------------------------------------------------------------------------------------------


def lifted(**settings):
    """A mass of 2 kg that a motor lifts: it takes 19.62 N to hold it."""
    mech = rg.Mechanism()
    mech.add_body("load", rg.Inertia(2.0))
    mech.add_joint("lift", rg.Prismatic((0, 0, 1), **settings), "world", "load")
    return mech


def test_effort_bounds_torques_by_default():
    weak, strong = lifted(effort=15.0), lifted(effort=20.0)
    assert rg.actuator_torques(strong, strong.state(), [0.0])["lift"] == pytest.approx([19.62])
    with pytest.raises(rg.StructureError, match=r"'lift' at their bounds.*-15 to 15 of 'lift'"):
        rg.actuator_torques(weak, weak.state(), [0.0])
    with pytest.raises(rg.StructureError, match="'lift' at their bounds"):
        rg.inverse_dynamics(weak, weak.state(), [0.0], actuated=["lift"])
    assert rg.inverse_dynamics(weak, weak.state(), [0.0]) == pytest.approx([19.62])  # which asks what is needed
    for bounds in ((-math.inf, math.inf), {"lift": (0.0, 30.0)}):
        assert rg.actuator_torques(weak, weak.state(), [0.0], bounds=bounds)["lift"] == pytest.approx([19.62])


def test_actuators_bound_torques_by_their_gears_where_a_joint_has_no_effort():
    mech = lifted()
    mech.add_actuator("winch", "lift", gear=-10.0, effort=1.0)
    with pytest.raises(rg.StructureError, match="-10 to 10 of 'lift'"):
        rg.actuator_torques(mech, mech.state(), [0.0])
    mech.add_actuator("second winch", "lift", gear=10.0, effort=1.0)
    assert rg.actuator_torques(mech, mech.state(), [0.0])["lift"] == pytest.approx([19.62])
    own = lifted(effort=5.0)
    own.add_actuator("winch", "lift", gear=10.0, effort=100.0)
    with pytest.raises(rg.StructureError, match="-5 to 5 of 'lift'"):
        rg.actuator_torques(own, own.state(), [0.0])


def test_bounds_by_name_leave_the_effort_of_others():
    mech = two_hinges(rg.Revolute(Y, effort=1.0), PLAIN)
    found = rg.actuator_torques(mech, mech.state(), [9.0], actuated=["first", "second"], bounds={"second": (-8.0, 8.0)})
    assert found["first"] == pytest.approx([1.0])
    assert found["second"] == pytest.approx([9.0 * (mech.bodies["rod"].inertia.tensor[1, 1] + 0.25) - 1.0])


# --- changed settings ------------------------------------------------------------------------------------------------


def test_settings_are_replaced_by_name():
    mech = on_a_joint(rg.Revolute(Y, damping=0.5, armature=0.1))
    new = mech.replace(settings={"joint": {"armature": 0.2, "stiffness": 3.0}}, damping={"joint": 0.7})
    kind = new.joints["joint"].type
    assert (kind.damping[0], kind.armature[0], kind.stiffness[0]) == (0.7, 0.2, 3.0)
    assert mech.joints["joint"].type.armature[0] == 0.1
    assert rg.forward_dynamics(new, new.state({"joint": 0.4})) == pytest.approx([-1.2 / 1.2])
    with pytest.raises(rg.ModelError, match="there is no setting 'mass'; there are 'damping'"):
        mech.replace(settings={"joint": {"mass": 2.0}})
    with pytest.raises(rg.ModelError, match="settings of 'joint' must be given by the names"):
        mech.replace(settings={"joint": 2.0})
    with pytest.raises(rg.ModelError, match="there is no joint 'knee'"):
        mech.replace(settings={"knee": {"armature": 2.0}})


def test_settings_come_back_from_a_file(tmp_path):
    rng = np.random.default_rng(9)
    mech = random_mechanism(rng, bodies=8, damping=True, limits=True, own=True)
    mech.save(tmp_path / "mech.json")
    again, state = rg.load(tmp_path / "mech.json"), random_state(rng, mech)
    assert again == mech
    assert np.array_equal(rg.forward_dynamics(again, again.state(state.q, state.v)), rg.forward_dynamics(mech, state))


def test_skeletons_of_the_paper_have_no_settings_but_friction():
    mech = on_a_joint(rg.Free())
    mech.add_body("arm", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("elbow", rg.Revolute(Y, armature=0.1), "body", "arm")
    with pytest.raises(rg.ModelError, match="'elbow': S3 has no armature"):
        rg.maximal.skeleton_of(mech, mech.state())


def test_reactions_along_a_joint_are_torque_less_rotor_spring_and_friction():
    joint = rg.Revolute(Y, armature=0.3, stiffness=5.0, rest=0.2, friction=1.5, damping=0.4)
    mech = on_a_joint(joint, gravity=(0, 0, -9.81))
    state = mech.state({"joint": 0.9}, {"joint": 2.0})
    a = rg.forward_dynamics(mech, state, [3.0])[0]
    expected = 3.0 - 0.3 * a - 5.0 * 0.7 - 1.5 * 2.0 / math.hypot(2.0, SLIP_SPEED) - 0.4 * 2.0
    assert rg.joint_reactions(mech, state, [3.0])["joint"][1] == pytest.approx(expected, rel=1e-12)
