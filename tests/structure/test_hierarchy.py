"""S1's view of the trees, and its algorithm written out as in the paper, against the library."""

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import relative_error, samples
from regraft.joints import screws

BODIES = st.integers(0, 7)
TOLERANCE = 1e-12


@dataclass
class Structure:
    """A model in S1's terms: λ, tree transforms (E, t) and pivots r."""

    top: str
    parent: dict
    E: dict
    t: dict
    r: dict


def absolute(tree):
    """(9): orientations and origins of all frames in the bind pose; the order of `parent` is parents first."""
    ori, pos = {}, {}
    for i, above in tree.parent.items():
        turn, origin = (np.eye(3), np.zeros(3)) if above == "world" else (ori[above], pos[above])
        ori[i] = tree.E[i] @ turn
        pos[i] = origin + turn.T @ tree.t[i]
    return ori, pos


def switched(tree, new_top, g, ori_now, pos_now):
    """Equations (10)–(20); (12) and (19) with the absolute bind orientation, as the sentences under them say."""
    ori, pos = absolute(tree)
    chain = [new_top]
    while tree.parent[chain[-1]] != "world":
        chain.append(tree.parent[chain[-1]])
    parent = dict(tree.parent)
    parent[new_top] = "world"
    parent |= {above: child for child, above in itertools.pairwise(chain)}
    new_pos = dict(pos)
    for i in chain[1:]:
        new_pos[i] = pos[parent[i]]  # (10)
    carried = ori[new_top].T @ (ori_now @ (g - pos_now))  # (13)–(15)
    g_T = pos[new_top] + carried  # (16)
    new_pos[new_top] = g_T
    E, t, r = {}, {}, {}
    for i, above in parent.items():
        if i == new_top:
            E[i], t[i] = ori[i], g  # (18)
            r[i] = tree.r[i] + ori_now @ (g - pos_now)  # (20)
        else:
            E[i] = ori[i] @ ori[above].T  # (11)
            t[i] = ori[above] @ (new_pos[i] - new_pos[above])  # (12)
            r[i] = tree.r[i] + ori[i] @ (new_pos[i] - pos[i])  # (19)
    return Structure(new_top, parent, E, t, r)


def tree_of(view):
    return Structure(view.top, dict(view.parent), dict(view.E), dict(view.t), dict(view.r))


@given(samples(), BODIES, st.integers(0, 2**32 - 1))
def test_the_library_re_roots_as_the_equations_of_the_paper_do(sample, number, seed):
    mech, state = sample.mech, sample.state
    top = f"b{number % len(mech.bodies)}"
    g = np.random.default_rng(seed).uniform(-1, 1, 3)
    before = rg.hierarchy(mech)
    pose = rg.body_poses(mech, state)[top]
    pivot = pose.apply(mech.bodies[top].inertia.com + before.r[top])
    wanted = switched(tree_of(before), top, g, pose.rotation.T, pivot)
    found = rg.hierarchy(rg.reroot(mech, state, top, at=g, name="new base")[0])
    assert found.top == top
    assert dict(found.parent) == wanted.parent
    for body in mech.bodies:
        for part in ("E", "t", "r"):
            assert relative_error(getattr(found, part)[body], getattr(wanted, part)[body]) < TOLERANCE


@given(samples(roots=2))
def test_children_and_siblings_are_the_parents_turned_round(sample):
    view = rg.hierarchy(sample.mech)
    found = {}
    for over in sample.mech.bodies:
        child = view.first_child[over]
        while child is not None:
            found[child] = over
            child = view.next_sibling[child]
    found.update(dict.fromkeys(view.tops, "world"))
    assert found == dict(view.parent)


@given(samples())
def test_reversed_joints_show_reversed_numbers(sample):
    """S1 6.2.2: angles and distances change sign, quaternions are inverted; for every type the relative pose is inverted."""
    mech, state = sample.mech, sample.state
    view = rg.hierarchy(mech, state)
    poses = rg.body_poses(mech, state)
    joints = {frozenset((j.parent, j.child)): j for j in mech.joints.values()}
    for body, above in view.parent.items():
        joint = joints[frozenset((body, above))]
        kind = joint.type if joint.child == body else joint.type.reversed()
        near, far = (joint.parent_pose, joint.child_pose) if joint.child == body else (joint.child_pose, joint.parent_pose)
        onto = rg.Pose() if above == "world" else poses[above]
        reached = onto @ near @ kind.pose(view.q[body]) @ far.inverse()
        assert np.abs(reached.rotation - poses[body].rotation).max() < TOLERANCE
        assert relative_error(reached.translation, poses[body].translation) < TOLERANCE


@given(samples(max_bodies=5))
def test_reversed_joints_show_reversed_velocities(sample):
    """The reversed joint at the reversed velocity moves its pose as the joint moves the inverse of its own."""
    mech, state = sample.mech, sample.state
    view, step = rg.hierarchy(mech, state), 1e-6
    ahead, behind = (rg.hierarchy(mech, mech.state(q=rg.integrate(mech, state.q, h * state.v))) for h in (step, -step))
    joints = {frozenset((j.parent, j.child)): j for j in mech.joints.values()}
    for body, above in view.parent.items():
        joint = joints[frozenset((body, above))]
        kind = joint.type if joint.child == body else joint.type.reversed()
        now, next_, last = (kind.pose(v.q[body]) for v in (view, ahead, behind))
        twist = view.v[body] @ screws(kind, view.q[body])
        turn = now.rotation.T @ (next_.rotation - last.rotation) / (2 * step)
        moved = now.rotation.T @ (next_.translation - last.translation) / (2 * step)
        assert relative_error(np.array([turn[2, 1], turn[0, 2], turn[1, 0]]), twist[:3]) < 1e-8
        assert relative_error(moved, twist[3:]) < 1e-8
