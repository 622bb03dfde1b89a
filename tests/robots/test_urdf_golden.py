"""Every URDF file of example-robot-data against Pinocchio's reader: poses, mass matrix, bias force, forward dynamics.

What has to be known about Pinocchio:

- Its dynamics know nothing of damping, friction and limits, so they are taken out of ours; their numbers are compared.
- It makes one body of links at fixed joints. Poses of links are compared by its frames.
- It takes inertias that no body has. Where ours was repaired, its model is given the repaired one.
- A root that is called "world" is a link like others there, and the world here. Both are fixed.
- Its mimic joints are free unless it is asked, as ours are where couplings are left out.
- A continuous joint has a cosine and a sine there, an angle here; quaternions have their real part last there.
- Forward dynamics of joints that move nothing with mass are not defined: an error here, numbers that mean nothing there.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import regraft as rg
from robots.example_robots import FILES, WITHOUT, bare, label, robot

pytestmark = pytest.mark.skipif(not FILES, reason=WITHOUT)

EXACT = 1e-9
MOVES_NOTHING = {"romeo_description/romeo": "RThumb3", "romeo_description/romeo_laas_small": "r_gripper_joint"}
"""Robots with joints that carry links without mass, and the first of these joints."""


def was_repaired(reading):
    return any(finding.kind == "inertia" for finding in reading.report.findings)


def give_inertias(model, mech):
    """Our inertias to Pinocchio. All links of one joint are one body there; the world keeps what it has."""
    totals = {}
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY and frame.name in mech.bodies:
            own = mech.bodies[frame.name].inertia
            there = frame.placement.act(pin.Inertia(own.mass, np.array(own.com), np.array(own.tensor)))
            at = frame.parentJoint
            totals[at] = totals[at] + there if at in totals else there
    for joint, total in totals.items():
        model.inertias[joint] = total


class Twin:
    """A file as a Pinocchio model, and our numbers in its order."""

    def __init__(self, file, mech, repaired, base):
        root = [pin.JointModelFreeFlyer()] if base == "free" else []
        self.model = pin.buildModelFromUrdf(str(file), *root)
        if repaired:
            give_inertias(self.model, mech)
        self.mech, self.data = mech, self.model.createData()
        (self.base,) = [name for name, joint in mech.joints.items() if name.endswith("_base") and joint.parent == "world"] or [""]
        self.order = np.concatenate([np.arange(self.model.nv)[:0], *(self.places(name) for name in self.model.names[1:])])

    def ours(self, name):
        return self.base if name == "root_joint" else name

    def places(self, name):
        place = self.mech.v_slice(self.ours(name))
        return np.arange(place.start, place.stop)

    def q(self, state):
        q = pin.neutral(self.model)
        for i, name in enumerate(self.model.names):
            if i == 0:
                continue
            joint, own = self.model.joints[i], state.q[self.mech.q_slice(self.ours(name))]
            if joint.nq == 7:
                own = np.concatenate([own[:3], own[4:], own[3:4]])
            elif joint.nq == 2:
                own = np.array([np.cos(own[0]), np.sin(own[0])])
            q[joint.idx_q : joint.idx_q + joint.nq] = own
        return q

    def mass_matrix(self, q):
        M = pin.crba(self.model, self.data, q)
        return np.triu(M) + np.triu(M, 1).T


def random_state(mech, rng):
    """Joints within their limits and less than half a turn from zero where the limits allow it; a free base anywhere."""
    q = {}
    for name, joint in mech.joints.items():
        if joint.type.nq == 1:
            limits = joint.type.limits
            low, high = (-3.0, 3.0) if limits is None else (limits.lower[0], limits.upper[0])
            q[name] = rng.uniform(max(low, min(-3.0, high)), min(high, max(3.0, low)))
        elif joint.type.nq == 7:
            turn = rng.standard_normal(4)
            q[name] = np.concatenate([rng.standard_normal(3), turn / np.linalg.norm(turn)])
    return mech.state(q=q).q


def check_close(ours, theirs, what):
    assert np.abs(ours - theirs).max(initial=0.0) <= EXACT * (1.0 + np.abs(theirs).max(initial=0.0)), what


def check_poses(twin, state, q):
    pin.framesForwardKinematics(twin.model, twin.data, q)
    poses = rg.body_poses(twin.mech, state)
    for k, frame in enumerate(twin.model.frames):
        if frame.type == pin.FrameType.BODY and frame.name in twin.mech.bodies:
            check_close(poses[frame.name].rotation, twin.data.oMf[k].rotation, frame.name)
            check_close(poses[frame.name].translation, twin.data.oMf[k].translation, frame.name)


def check_accelerations(twin, state, q, tau, name):
    order = twin.order
    if name in MOVES_NOTHING:
        with pytest.raises(rg.ModelError, match="can move without moving any inertia"):
            rg.forward_dynamics(twin.mech, state, tau)
        return
    theirs = pin.aba(twin.model, twin.data, q, state.v[order], tau[order])
    check_close(rg.forward_dynamics(twin.mech, state, tau)[order], theirs, "forward dynamics")


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("file", FILES, ids=label)
def test_dynamics_are_those_of_pinocchio(file, base):
    own_base = None if b'<link name="world"' in file.read_bytes() else base
    if own_base is None and base == "free":
        pytest.skip("its root is the world")
    reading = robot(file, own_base)
    mech = bare(reading.mech)
    twin = Twin(file, mech, was_repaired(reading), own_base)
    order, rng = twin.order, np.random.default_rng(len(label(file)))
    assert sorted(order.tolist()) == list(range(mech.nv))
    for _ in range(2):
        state = mech.state(random_state(reading.mech, rng), rng.standard_normal(mech.nv))
        tau, q = rng.standard_normal(mech.nv), twin.q(state)
        check_poses(twin, state, q)
        check_close(rg.mass_matrix(mech, state)[np.ix_(order, order)], twin.mass_matrix(q), "mass matrix")
        theirs = pin.nonLinearEffects(twin.model, twin.data, q, state.v[order])
        check_close(rg.bias_force(mech, state)[order], theirs, "bias force")
        check_accelerations(twin, state, q, tau, label(file))


@pytest.mark.parametrize("file", FILES, ids=label)
def test_settings_of_joints_are_those_of_pinocchio(file):
    mech, model = robot(file).mech, pin.buildModelFromUrdf(str(file))
    for i, name in enumerate(model.names):
        if i == 0:
            continue
        joint, kind = model.joints[i], mech.joints[name].type
        assert kind.damping[0] == model.damping[joint.idx_v]
        assert kind.friction[0] == model.upperDryFrictionLimit[joint.idx_v]
        if model.joints[i].nq == 1:
            assert kind.effort[0] == model.upperEffortLimit[joint.idx_v]
            assert kind.speed[0] == model.upperVelocityLimit[joint.idx_v]
        if kind.limits is not None:
            assert kind.limits.lower[0] == model.lowerPositionLimit[joint.idx_q]
            assert kind.limits.upper[0] == model.upperPositionLimit[joint.idx_q]
        elif joint.nq == 1:
            assert model.lowerPositionLimit[joint.idx_q] == model.upperPositionLimit[joint.idx_q] == 0.0


LEADER_COMES_LATER = {
    "pr2_description/pr2",
    "romeo_description/romeo",
    "talos_data/talos_full_v2",
    "talos_data/talos_full_v2_box",
}
"""Robots in which Pinocchio comes to a mimic joint before it comes to the joint that this one follows, which it refuses."""

COUPLED = [file for file in FILES if b"<mimic" in file.read_bytes() and label(file) != "alex_description/alex_psyonic_hands"]
"""Robots with mimic joints, but for the one whose mimic joints follow joints that it does not have."""


@pytest.mark.parametrize("file", COUPLED, ids=label)
def test_couplings_are_the_mimic_joints_of_pinocchio(file):
    """M of the joints that follow none is Gᵀ M G, where G is how all joints move with them; poses tell of the offsets."""
    reading = robot(file)
    mech = reading.mech
    try:
        model = pin.buildModelFromUrdf(str(file), mimic=True)
    except ValueError:
        assert label(file) in LEADER_COMES_LATER
        pytest.skip("Pinocchio must come to a joint before those that follow it")
    if was_repaired(reading):
        give_inertias(model, mech)
    data, rng = model.createData(), np.random.default_rng(0)
    G, q = np.eye(mech.nv), dict.fromkeys(mech.joints, 0.0)
    names = [name for name in mech.joints if mech.joints[name].type.nv]
    leading = [name for name in names if name not in {coupling.driven for coupling in mech.couplings.values()}]
    q |= {name: rng.uniform(-1.0, 1.0) for name in leading}
    for coupling in mech.couplings.values():
        ((driver, ratio),) = coupling.drivers
        assert driver in leading
        q[coupling.driven] = ratio * q[driver] + coupling.offset
        G[mech.v_slice(coupling.driven)] = ratio * G[mech.v_slice(driver)]
    G = G[:, [mech.v_slice(name).start for name in leading]]
    state = mech.state(q={name: q[name] for name in names})
    theirs, order = pin.neutral(model), np.empty(model.nv, dtype=int)
    for i, name in enumerate(model.names):
        joint = model.joints[i]
        if name in leading:
            theirs[joint.idx_q : joint.idx_q + joint.nq] = q[name] if joint.nq == 1 else (np.cos(q[name]), np.sin(q[name]))
            order[joint.idx_v] = leading.index(name)
    M = pin.crba(model, data, theirs)
    check_close((G.T @ rg.mass_matrix(mech, state) @ G)[np.ix_(order, order)], np.triu(M) + np.triu(M, 1).T, "mass matrix")
    pin.framesForwardKinematics(model, data, theirs)
    poses = rg.body_poses(mech, state)
    for k, frame in enumerate(model.frames):
        if frame.type == pin.FrameType.BODY and frame.name in mech.bodies:
            check_close(poses[frame.name].translation, data.oMf[k].translation, frame.name)
