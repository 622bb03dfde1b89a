"""Two bodies that fly by each other, each with a shape, and what the kernels find between them."""

from __future__ import annotations

import numpy as np
from contact_entries import meetings_at

import regraft as rg
from regraft.kernels.contacts import tables as t
from regraft.kernels.contacts.points import gaps_at
from regraft.structure.contacts import points_of


def pair_of(form_a, form_b, pose_a=None, pose_b=None, world=False):
    """Two free bodies, a and b, or a and the world, with a shape each, named "first" and "second"; None stands for a frame."""
    mech = rg.Mechanism()
    for body in ("a",) if world else ("a", "b"):
        mech.add_body(body, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{body}_free", rg.Free(), "world", body, child_pose=rg.Pose.about((1, 2, 3), 0.4, (0.1, 0.2, -0.3)))
    second = "world" if world else "b"
    for name, body, form, given in (("first", "a", form_a, pose_a), ("second", second, form_b, pose_b)):
        pose = given if given is not None else rg.Pose()
        if form is None:
            mech.add_frame(name, body, pose)
        else:
            mech.add_shape(body, form, name, pose)
    return mech


def placed(mech, a, b=None, rng=None):
    """A state with bodies at these poses, moving at random velocities where there is a generator."""
    state = mech.state()
    q, v = state.q.copy(), np.zeros(state.v.size)
    for k, pose in enumerate((a, b) if b is not None else (a,)):
        joint = mech.joints[("a_free", "b_free")[k]]
        relative = pose @ joint.child_pose
        q[7 * k : 7 * k + 7] = [*relative.translation, *relative.quaternion]
    if rng is not None:
        v[:] = rng.uniform(-1.0, 1.0, v.size)
    return mech.state(q=q, v=v)


def meet(mech, state, a="first", b="second", **settings):
    """The rows of `meetings` of a contact, and its points."""
    found = points_of(mech, [rg.Contact(a, b, **settings)])
    out = found.new_meetings()
    meetings_at(mech.structure.work, np.concatenate((state.q, state.v)), found.points, found.shapes, found.profiles, out)
    gaps = np.empty(len(out))
    gaps_at(mech.structure.work, state.q, found.points, found.shapes, found.profiles, gaps)
    np.testing.assert_allclose(gaps, out[:, t.GAP], rtol=0, atol=1e-13)
    return out, found


def parts(row):
    """A row of `meetings` by name."""
    return {
        "gap": row[t.GAP],
        "normal": row[t.NORMAL : t.NORMAL + 3],
        "tangents": row[t.TANGENTS : t.TANGENTS + 6].reshape(2, 3),
        "point": row[t.POINT : t.POINT + 3],
        "normal_rate": row[t.NORMAL_RATE : t.NORMAL_RATE + 3],
        "point_rate": row[t.POINT_RATE : t.POINT_RATE + 3],
    }


def velocities_at(mech, state, point):
    """The velocities at a place of a, and of b or the world."""
    found = []
    for body in ("a", "b"):
        if body in mech.bodies:
            twist, pose = rg.body_twists(mech, state)[body], rg.body_poses(mech, state)[body]
            angular, linear = np.split(np.asarray(twist), 2)
            found.append(linear + np.cross(angular, point - pose.translation))
        else:
            found.append(np.zeros(3))
    return found
