"""Small mechanisms whose motion is known in closed form, and a few that have everything."""

from __future__ import annotations

import numpy as np

import regraft as rg

G = 9.81


def ball(height=0.0, speed=0.0):
    """A ball that moves up and down, with a state."""
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    return mech, mech.state(q={"fall": height}, v={"fall": speed})


def slider(position=1.0, speed=0.0, stiffness=4.0 * np.pi**2):
    """A mass of 1 kg on a spring, without gravity: x = position cos(2π t) + speed / (2π) sin(2π t)."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("mass", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("x", rg.Prismatic((1, 0, 0)), "world", "mass")
    mech.add_spring("spring", "world", (0, 0, 0), "mass", (0, 0, 0), stiffness=stiffness)
    return mech, mech.state(q={"x": position}, v={"x": speed})


def pendulum(angle=1.0, **settings):
    """A point mass of 1 kg on a rod of 1 m, hanging down at zero."""
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0), **settings), "world", "bob")
    mech.add_frame("tip", "bob", rg.Pose(translation=(0, 0, -1)))
    return mech, mech.state(q={"hinge": angle})


def brick(spin=(0.01, 3.0, 0.01), velocity=(0.0, 0.0, 0.0)):
    """A free brick without gravity, which turns about its intermediate axis."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("brick", rg.Inertia.box(2.0, (0.1, 0.2, 0.4)))
    mech.add_joint("free", rg.Free(), "world", "brick")
    return mech, mech.state(v={"free": (*velocity, *spin)})


def arm():
    """A floating body with a ball joint, a hinge and a universal joint on it, moving; a spring and damping too."""
    mech = rg.Mechanism(gravity=(0.0, 0.0, -1.0))
    block = rg.Inertia.box(1.0, (0.2, 0.3, 0.5), at=(0, 0, -0.3))
    for name in ("base", "upper", "fore", "hand"):
        mech.add_body(name, block)
    down = rg.Pose(translation=(0, 0, -0.6))
    mech.add_joint("float", rg.Free(), "world", "base")
    mech.add_joint("shoulder", rg.Spherical(damping=0.02), "base", "upper", parent_pose=down)
    mech.add_joint("elbow", rg.Revolute((0, 1, 0), damping=0.02), "upper", "fore", parent_pose=down)
    mech.add_joint("wrist", rg.Universal((1, 0, 0), (0, 1, 0)), "fore", "hand", parent_pose=down)
    mech.add_spring("spring", "world", (0, 0, 1), "fore", (0, 0, -0.2), stiffness=3.0, rest_length=0.3)
    v = {"float": (1.0, -2.0, 0.5, 0.2, 0.1, 0.3), "shoulder": (1.5, 1.0, -2.0), "elbow": 2.0, "wrist": (-1.0, 1.5)}
    return mech, mech.state(q={"elbow": 0.3, "wrist": (0.2, -0.4)}, v=v)


def chain(bodies=10, angle=0.3):
    """A hanging chain of rods on hinges."""
    mech = rg.Mechanism()
    upper = "world"
    for i in range(bodies):
        mech.add_body(f"rod{i}", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (0, 0, -0.3)))
        place = rg.Pose() if i == 0 else rg.Pose(translation=(0, 0, -0.3))
        mech.add_joint(f"hinge{i}", rg.Revolute((0, 1, 0)), upper, f"rod{i}", parent_pose=place)
        upper = f"rod{i}"
    return mech, mech.state(q=np.full(bodies, angle))


def welded():
    """A body that cannot move."""
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("weld", rg.Fixed(), "world", "block", parent_pose=rg.Pose(translation=(1, 2, 3)))
    return mech, mech.state()


def robot_pair():
    """Two arms of three hinges each that hold a load between them by ball joints, in motion: seven bodies, one loop."""
    mech = rg.Mechanism()
    for side, x in (("left", -0.5), ("right", 0.5)):
        last, place = "world", rg.Pose(translation=(x, 0, 0))
        for name, axis, length in (("yaw", (0, 0, 1), 0.3), ("shoulder", (0, 1, 0), 0.5), ("elbow", (0, 1, 0), 0.4)):
            mech.add_body(f"{side} {name} link", rg.Inertia.cylinder(3.0, 0.05, (0, 0, 0), (0, 0, length)))
            mech.add_joint(f"{side} {name}", rg.Revolute(axis), last, f"{side} {name} link", place)
            last, place = f"{side} {name} link", rg.Pose(translation=(0, 0, length))
    mech.add_body("load", rg.Inertia.box(5.0, (0.6, 0.2, 0.2)))
    for side, x in (("left", -0.3), ("right", 0.3)):
        ends = rg.Pose(translation=(0, 0, 0.4)), rg.Pose(translation=(x, 0, 0))
        mech.add_joint(f"{side} grip", rg.Spherical(actuated=False), f"{side} elbow link", "load", *ends)
    q = {"left shoulder": 0.6, "left elbow": -0.9, "right shoulder": -0.6, "right elbow": 0.9}
    return mech, rg.assemble(mech, mech.state(q=q, v={"left yaw": 0.3, "right elbow": -0.4, "left shoulder": 0.2}))
