"""Any sequence of connections, cuts, changes of the root and steps of time, and what must hold after each."""

import json

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

import regraft as rg
from loops.closed_mechanisms import body_motions, frame_rows, rows_of
from loops.newton_euler import imbalance
from random_mechanisms import ALL_JOINTS, random_joint, random_mechanism, random_pose, random_state

SEEDS = st.integers(0, 2**32 - 1)
KINDS = st.sampled_from(ALL_JOINTS)
MOST_LOOPS = 6
LEFT_OUT = 1e-6  # documented: a row of a loop that follows from others up to this part is left out
ROUNDING = 1e-10  # a singular value below this is zero for certain
STABLE = 2.78  # the step of rk4 by the fastest rate of decay, above which it is no longer stable


def upright(rng, joint):
    """The joint with axes along x, y or z, so that loops of several are redundant, planar or in singular positions."""
    axes, given = np.eye(3)[rng.permutation(3)], joint.arguments()
    turned = {what: axes[int(what == "axis2")] for what in ("axis", "axis1", "axis2", "normal") if what in given}
    return type(joint)(**{**given, **turned}, damping=joint.damping, limits=joint.limits)


def grid_pose(rng):
    """A place on a grid of half metres."""
    return rg.Pose(translation=0.5 * rng.integers(-1, 2, 3))


def tidied(rng, mech):
    """The same bodies and joints, all axes along x, y or z and all places on a grid."""
    neat = rg.Mechanism(mech.gravity)
    for name, body in mech.bodies.items():
        neat.add_body(name, body.inertia)
    for name, joint in mech.joints.items():
        neat.add_joint(name, upright(rng, joint.type), joint.parent, joint.child, grid_pose(rng), grid_pose(rng))
    for name, s in mech.springs.items():
        neat.add_spring(
            name, s.body_a, s.point_a, s.body_b, s.point_b, stiffness=s.stiffness, damping=s.damping, rest_length=s.rest_length
        )
    return neat


class AnySequence(RuleBasedStateMachine):
    """A mechanism and its state, changed by everything that changes structure."""

    @initialize(
        seed=SEEDS,
        bodies=st.integers(1, 6),
        floating=st.booleans(),
        springs=st.integers(0, 2),
        limits=st.booleans(),
        neat=st.booleans(),
    )
    def begin(self, seed, bodies, floating, springs, limits, neat):
        rng = np.random.default_rng(seed)
        roots = int(rng.integers(1, min(bodies, 3) + 1))
        kinds = {"root_kinds": (rg.Free,)} if floating else {}
        self.mech = random_mechanism(rng, bodies, roots=roots, damping=True, limits=limits, springs=springs, **kinds)
        self.state = random_state(rng, self.mech)
        if neat:
            self.mech = tidied(rng, self.mech)
            self.state = self.mech.state(v=rng.standard_normal(self.mech.nv))
        self.names, self.neat = 0, neat

    # --- rules -------------------------------------------------------------------------------------------------------

    def few_loops(self):
        return len(self.mech.loop_joints) < MOST_LOOPS

    @precondition(few_loops)
    @rule(seed=SEEDS, kind=KINDS)
    def connect(self, seed, kind):
        rng = np.random.default_rng(seed)
        c = self.connection(rng, kind)
        held = rg.connect(
            self.mech, self.state, c.body_a, c.body_b, joint=c.joint, at=c.at, name=c.name, pose_a=c.pose_a, pose_b=c.pose_b
        )
        self.caught(held, [c])

    @precondition(few_loops)
    @rule(seed=SEEDS, kinds=st.tuples(KINDS, KINDS))
    def connect_two_at_once(self, seed, kinds):
        rng = np.random.default_rng(seed)
        both = [self.connection(rng, kind) for kind in kinds]
        self.caught(rg.connect_all(self.mech, self.state, both), both)

    @rule(seed=SEEDS)
    def cut(self, seed):
        name = str(np.random.default_rng(seed).choice(list(self.mech.joints)))
        opened, after = rg.cut(self.mech, self.state, name)
        self.same_motion(opened, after)
        self.same_names(opened, after, gone={name})
        self.mech, self.state = opened, after

    @rule(seed=SEEDS)
    def cut_and_reconnect(self, seed):
        name = str(np.random.default_rng(seed).choice(list(self.mech.joints)))
        joint = self.mech.joints[name]
        opened, loose = rg.cut(self.mech, self.state, name)
        if name in opened.joints:
            return  # a body that floats, floats on
        ends = {"pose_a": joint.parent_pose, "pose_b": joint.child_pose}
        held, after = rg.connect(opened, loose, joint.parent, joint.child, joint=joint.type, name=name, **ends)
        self.same_motion(held, after)
        self.mech, self.state = held, after

    @rule(seed=SEEDS)
    def change_the_root(self, seed):
        top, base = self.new_top(seed)
        turned, after = rg.reroot(self.mech, self.state, top, name=self.new_name("base"))
        self.same_motion(turned, after)
        self.same_names(turned, after, gone={base})
        self.mech, self.state = turned, after

    @rule(seed=SEEDS)
    def change_the_root_with_an_impact(self, seed):
        top, base = self.new_top(seed)
        at = rg.body_poses(self.mech, self.state)[top].apply(np.random.default_rng(seed).uniform(-0.3, 0.3, 3))
        turned, after = rg.reroot(
            self.mech, self.state, top, at=at, joint=rg.Spherical(), name=self.new_name("foot"), velocity="impact"
        )
        self.same_poses(turned, after)
        self.no_energy_is_added(turned, after)
        self.same_names(turned, after, gone={base})
        self.mech, self.state = turned, after

    def moves_on(self):
        """Not so in a singular position at a velocity that no acceleration can keep, as of a straight chain held at both ends."""
        try:
            rg.consistent_acceleration(self.mech, self.state, np.zeros(self.mech.nv))
        except rg.StructureError as problem:
            if "singular" not in str(problem):
                raise
            return False
        return True

    @precondition(moves_on)
    @rule(duration=st.floats(0.01, 0.05), fixed_steps=st.booleans())
    def step(self, duration, fixed_steps):
        rate = self.fastest_rate() if fixed_steps else np.inf
        fixed_steps = rate < 1e5  # there is no point in fixed steps by the ten thousand
        options = {"integrator": "rk4", "step": min(0.002, 0.5 * STABLE / rate)} if fixed_steps else {}
        doubtful = self.may_be_left_out() > 0.0
        traj = rg.simulate(self.mech, self.state, duration, **options)
        self.mech, self.state = traj.final
        if not fixed_steps:
            energy = traj.energy().total
            play = 1e-5 if doubtful or self.may_be_left_out() > 0.0 else 1e-6  # what can be shaken is put back within its play
            assert energy[-1] <= energy[0] + play * (1.0 + np.abs(energy).max())
        assert traj.loop_error().position.max(initial=0.0) <= 1e-9

    # --- what a rule needs -------------------------------------------------------------------------------------------

    def new_name(self, what):
        self.names += 1
        return f"{what} {self.names}"

    def connection(self, rng, kind):
        a, b = (str(name) for name in rng.choice(["world", *self.mech.bodies], 2, replace=False))
        joint, name = random_joint(rng, kind), self.new_name("grip")
        if self.neat:
            return rg.Connection(a, b, upright(rng, joint), pose_a=grid_pose(rng), name=name)
        if rng.random() < 0.5:
            return rg.Connection(a, b, joint, pose_a=random_pose(rng), name=name)
        body = a if b == "world" else b
        at = rg.body_poses(self.mech, self.state)[body].translation + rng.uniform(-0.5, 0.5, 3)
        return rg.Connection(a, b, joint, at=at, name=name)

    def new_top(self, seed):
        """A body, and the joint by which its tree hangs on the world."""
        top = body = str(np.random.default_rng(seed).choice(list(self.mech.bodies)))
        tree = [self.mech.joints[name] for name in self.mech.layout.names]
        seen, waiting = {"world"}, [("world", None)]
        while waiting:  # a walk from the world that remembers by which joint it left
            here, base = waiting.pop()
            if here == body:
                return top, base
            for joint in tree:
                for near, far in ((joint.parent, joint.child), (joint.child, joint.parent)):
                    if near == here and far not in seen:
                        seen.add(far)
                        waiting.append((far, base or joint.name))
        raise AssertionError(f"{body} is not connected to the world")

    # --- what a rule must not change ---------------------------------------------------------------------------------

    def fastest_rate(self):
        """The largest eigenvalue of the equations of motion, linearised along what the loops allow: how stiff they are."""
        W, h = np.linalg.qr(rg.mobility(self.mech, self.state).W).Q, 1e-7
        dof, q, v = W.shape[1], self.state.q, self.state.v
        A = np.zeros((2 * dof, 2 * dof))
        A[:dof, dof:] = np.eye(dof)
        for d, along in enumerate(h * W.T):
            moved, faster = (
                [rg.forward_dynamics(self.mech, self.mech.state(q=there, v=then)) for there, then in pair]
                for pair in (
                    [(rg.integrate(self.mech, q, sign * along), v) for sign in (-1, 1)],
                    [(q, v + sign * along) for sign in (-1, 1)],
                )
            )
            A[dof:, d], A[dof:, dof + d] = (W.T @ (pair[1] - pair[0]) / (2 * h) for pair in (moved, faster))
        return float(np.abs(np.linalg.eigvals(A)).max(initial=1.0))

    def slip_allowed(self):
        """What the rows of the loops may slip: rounding, unless some are nearly redundant and may have been left out.

        |δ v| ≤ |δ| |v| in the metric of kinetic energy, for what such a row adds to the others.
        """
        return 1e-8 * self.speed() + self.left_out(self.state.v)

    def left_out(self, motion):
        """What rows that may have been left out see of velocities or accelerations."""
        return self.may_be_left_out() * np.sqrt(motion @ rg.mass_matrix(self.mech, self.state) @ motion)

    def may_be_left_out(self):
        """The size in the metric of kinetic energy up to which rows are left out, 0 where no row is near that.

        It is LEFT_OUT of the size that a row has on both bodies together.
        """
        mech, state = self.mech, self.state
        factor = np.linalg.cholesky(rg.mass_matrix(mech, state))
        J = rg.loop_jacobian(mech, state, reduced=True)
        sizes = np.linalg.svd(np.linalg.solve(factor, J.T), compute_uv=False)
        largest, poses = 0.0, {"world": rg.Pose(), **rg.body_poses(mech, state)}
        for joint in (mech.joints[name] for name in mech.loop_joints):
            at = poses[joint.child] @ joint.child_pose
            both = [frame_rows(mech, state, body, poses[body].inverse() @ at)[1] for body in (joint.parent, joint.child)]
            largest = max(largest, np.hypot(*(np.linalg.norm(np.linalg.solve(factor, side.T), 2) for side in both)))
        left_out = LEFT_OUT * largest
        doubtful = ((sizes > ROUNDING) & (sizes < 10.0 * left_out)).any()
        return left_out if doubtful else 0.0

    def speed(self):
        return 1.0 + float(np.abs(body_motions(self.mech, self.state)).max(initial=0.0))

    def same_motion(self, mech, state):
        slip = np.abs(rg.loop_jacobian(self.mech, self.state, reduced=True) @ self.state.v).max(initial=0.0)  # a tree cannot
        changes = np.abs(body_motions(mech, state) - body_motions(self.mech, self.state)).max(initial=0.0)
        assert changes < 1e-8 * self.speed() + 10.0 * slip
        assert rg.energy(mech, state).kinetic == pytest.approx(rg.energy(self.mech, self.state).kinetic, rel=1e-7, abs=1e-9)

    def same_poses(self, mech, state):
        was, found = body_motions(self.mech, self.state)[:, :12], body_motions(mech, state)[:, :12]
        assert np.abs(found - was).max(initial=0.0) < 1e-9 * (1.0 + np.abs(was).max(initial=0.0))

    def no_energy_is_added(self, mech, state):
        was = rg.energy(self.mech, self.state).kinetic
        assert rg.energy(mech, state).kinetic <= was + 1e-9 * (1.0 + was)

    def same_names(self, mech, state, gone=frozenset()):
        """All but the joints that are gone are there still, and are what they were; their positions too."""
        assert list(mech.bodies) == list(self.mech.bodies)
        assert mech.springs == self.mech.springs
        for name, joint in self.mech.joints.items():
            if name in gone:
                continue
            assert mech.joints[name] == joint
            was, found = (joint.type.pose(m.joint_position(s, name)) for m, s in ((self.mech, self.state), (mech, state)))
            assert np.abs(found.rotation - was.rotation).max() < 1e-8
            assert np.abs(found.translation - was.translation).max() < 1e-8

    def caught(self, held, connections):
        mech, state = held
        self.same_poses(mech, state)
        self.no_energy_is_added(mech, state)
        self.same_names(mech, state)
        assert set(mech.joints) - set(self.mech.joints) == {c.name for c in connections}
        assert list(state.impulse) == list(mech.joints)
        if all(isinstance(joint.type, rg.Free) for joint in mech.joints.values() if "world" in (joint.parent, joint.child)):
            for part in ("angular", "linear"):
                was, found = (getattr(rg.momentum(m, s), part) for m, s in ((self.mech, self.state), held))
                assert np.abs(found - was).max() < 1e-8 * (1.0 + np.abs(was).max())
        self.mech, self.state = mech, state

    # --- what always holds -------------------------------------------------------------------------------------------

    @invariant()
    def numbers_are_finite(self):
        assert np.isfinite(self.state.q).all()
        assert np.isfinite(self.state.v).all()

    @invariant()
    def loops_are_closed(self):
        poses = {"world": rg.Pose(), **rg.body_poses(self.mech, self.state)}
        for name in self.mech.loop_joints:
            joint = self.mech.joints[name]
            there = (poses[joint.parent] @ joint.parent_pose).inverse() @ poses[joint.child] @ joint.child_pose
            nearest = joint.type.pose(joint.type.position(there))
            assert np.abs(nearest.rotation - there.rotation).max() <= 1e-9
            assert np.abs(nearest.translation - there.translation).max() <= 1e-9 * (1.0 + np.abs(there.translation).max())
        slip = rg.loop_jacobian(self.mech, self.state, reduced=True) @ self.state.v
        assert np.abs(slip).max(initial=0.0) <= self.slip_allowed()

    @invariant()
    def degrees_of_freedom_are_counted(self):
        found = rg.mobility(self.mech, self.state)
        assert 0 <= found.dof <= self.mech.nv
        assert found.joints - found.rank == found.dof == len(found.independent) == found.W.shape[1]
        assert found.joints == sum(joint.type.nv for joint in self.mech.joints.values())

    @invariant()
    def accelerations_fit_the_loops_and_forces_the_bodies(self):
        a = rg.forward_dynamics(self.mech, self.state)
        assert np.isfinite(a).all()
        if self.moves_on():
            J, wanted = rows_of(self.mech, self.state)
            lack = np.abs(J @ a - wanted).max(initial=0.0)
            assert lack <= 1e-6 * (1.0 + np.abs(wanted).max(initial=0.0)) * (1.0 + np.abs(a).max(initial=0.0)) + self.left_out(a)
        assert imbalance(self.mech, self.state) < 1e-8

    @invariant()
    def files_keep_all_of_it(self):
        again = rg.Mechanism.from_dict(json.loads(json.dumps(self.mech.to_dict())))
        assert again == self.mech
        assert again.loop_joints == self.mech.loop_joints
        again.check_state(self.state)


def test_any_short_sequence_of_changes_keeps_the_laws():
    run_state_machine_as_test(AnySequence, settings=settings(max_examples=40, stateful_step_count=12))


@pytest.mark.slow
def test_ten_thousand_sequences_of_changes_keep_the_laws():
    run_state_machine_as_test(AnySequence, settings=settings(max_examples=10_000, stateful_step_count=12))


def test_rows_that_would_tell_more_in_a_later_loop_cost_no_digits():
    """A mechanism of which nothing can move; held first by rows with small pivots, so that its accelerations were 1e-6."""
    sequence = AnySequence()
    sequence.begin(seed=4101735, bodies=4, floating=False, springs=1, limits=False, neat=True)
    sequence.connect_two_at_once(seed=3, kinds=(rg.Revolute, rg.Cylindrical))
    sequence.step(duration=0.015946045865865684, fixed_steps=False)
    sequence.connect_two_at_once(seed=1217450063, kinds=(rg.Universal, rg.Cylindrical))
    sequence.cut_and_reconnect(seed=2009444550)
    sequence.connect_two_at_once(seed=591306289, kinds=(rg.Prismatic, rg.Spherical))
    assert rg.mobility(sequence.mech, sequence.state).dof == 0
    assert np.abs(rg.forward_dynamics(sequence.mech, sequence.state)).max() < 1e-8
