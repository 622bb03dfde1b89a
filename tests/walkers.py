"""Passive walkers that tests share: two straight legs, towards −x down a slope."""

import numpy as np

import regraft as rg


def two_legs(leg, hip_mass, gravity=(0.0, 0.0, -9.81), right=None):
    """Legs of length 1 that hang on the hip, the left one on the ground; its inertia carries the hip's mass."""
    mech = rg.Mechanism(gravity)
    mech.add_body("left", leg + rg.Inertia.point(hip_mass))
    mech.add_body("right", leg if right is None else right)
    mech.add_joint("stance", rg.Revolute((0, 1, 0)), "world", "left", child_pose=rg.Pose(translation=(0, 0, -1)))
    mech.add_joint("hip", rg.Revolute((0, 1, 0)), "left", "right")
    for side in ("left", "right"):
        mech.add_frame(f"{side} foot", side, rg.Pose(translation=(0, 0, -1)))
    return mech


def strikes(slope=0.0):
    """A foot that comes down ahead of the other becomes the stance foot."""

    def strike(side, other):
        def action(mech, state):
            foot = rg.frame_position(mech, state, f"{side} foot")
            if not foot[0] < rg.frame_position(mech, state, f"{other} foot")[0] - 0.05:
                return rg.PASS  # the legs pass each other
            return rg.reroot(mech, state, side, at=foot, joint=rg.Revolute((0, 1, 0)), name="stance", velocity="impact")

        return rg.when_frame_below(f"{side} foot", 0.0, action, slope=slope, name=f"{side} strike")

    return [strike("left", "right"), strike("right", "left")]


COMPASS_SLOPE = 0.0524


def compass_biped():
    """The walker of S1 Table 1, and a state just after a heel strike near its gait."""
    mech = two_legs(rg.Inertia.point(1.0, at=(0, 0, -0.5)), 2.0)
    state = mech.state(q={"stance": 0.2188, "hip": -0.5424}, v={"stance": -1.0917, "hip": 0.7156})
    return mech, state, strikes(np.tan(COMPASS_SLOPE))


GARCIA_ANGLE, GARCIA_RATE = 0.2003109005442, -0.1998324730050


def simplest_walker(foot_mass, slope=0.009):
    """The walker of Garcia et al. with a small foot mass; gravity is inclined, so that the ground is level."""
    mech = two_legs(rg.Inertia.point(foot_mass, at=(0, 0, -1)), 1.0, (-np.sin(slope), 0.0, -np.cos(slope)))
    theta, rate = GARCIA_ANGLE, GARCIA_RATE
    v = {"stance": rate, "hip": -(1 - np.cos(2 * theta)) * rate}
    return mech, mech.state(q={"stance": theta, "hip": -2 * theta}, v=v), strikes()
