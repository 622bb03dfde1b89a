"""Bodies that touch things: mechanisms with a state and what touches what, made now and given to `simulate` when it runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import regraft as rg

G = 9.81
IN_PLANE = rg.Planar((0, -1, 0))
"""Motion in the plane of x and z: q = (x, z, turn), where a positive turn takes x towards z."""


@dataclass(frozen=True)
class Touch:
    """What a `Contact` is made of."""

    a: str
    b: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """A mechanism, a state, and what touches what."""

    mech: rg.Mechanism
    state: rg.State
    touches: tuple[Touch, ...]

    @property
    def contacts(self):
        return [rg.Contact(touch.a, touch.b, **touch.settings) for touch in self.touches]

    def run(self, duration, **options):
        return rg.simulate(self.mech, self.state, duration, contacts=self.contacts, **options)


def touching(a, b="ground", **settings):
    return Touch(a, b, settings)


def sphere_at_rest(radius=0.1):
    return rg.Inertia.sphere(1.0, radius)


def moving(mech, state, **twists):
    """The state in which bodies of a tree have these (angular, linear) velocities of their origins, in world axes."""
    rows = np.concatenate([rg.jacobian(mech, state, body) for body in twists])
    wanted = np.concatenate([np.concatenate(twist) for twist in twists.values()]).astype(float)
    v = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    assert np.allclose(rows @ v, wanted, rtol=0, atol=1e-12)
    return mech.state(q=state.q, v=v)


def free_body(name, inertia, pose, linear=(0, 0, 0), angular=(0, 0, 0), form=None, gravity=(0, 0, -G)):
    """One body that moves freely; its shape has the body's name with "shape" after it."""
    mech = rg.Mechanism(gravity=gravity)
    mech.add_body(name, inertia)
    mech.add_joint(f"{name} free", rg.Free(), "world", name)
    if form is not None:
        mech.add_shape(name, form, f"{name} shape")
    state = mech.state(q={f"{name} free": (*pose.translation, *pose.quaternion)})
    return mech, moving(mech, state, **{name: (angular, linear)})


def at(x=0.0, y=0.0, z=0.0):
    return rg.Pose(translation=(x, y, z))


# --- balls ------------------------------------------------------------------------------------------------------------


def ball(drop=1.0, radius=0.1, linear=(0, 0, 0), angular=(0, 0, 0), **settings):
    """A ball above level ground."""
    form = rg.Sphere(radius)
    mech, state = free_body("ball", sphere_at_rest(radius), at(z=radius + drop), linear, angular, form)
    return Scene(mech, state, (touching("ball", **settings),))


def falling_point(drop=1.0, speed=0.0, **settings):
    """A mass on a vertical guide whose lowest point is a frame."""
    mech = rg.Mechanism()
    mech.add_body("mass", sphere_at_rest())
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "mass")
    mech.add_frame("tip", "mass", at(z=-0.1))
    state = mech.state(q={"fall": 0.1 + drop}, v={"fall": speed})
    return Scene(mech, state, (touching("tip", **settings),))


def round_on_incline(angle, inertia, form, radius=0.1, turn=None, **settings):
    """A ball or a disc at rest on an incline; gravity is inclined, so that the ground is level and downhill is along x."""
    gravity = (G * math.sin(angle), 0.0, -G * math.cos(angle))
    mech = rg.Mechanism(gravity)
    mech.add_body("wheel", inertia)
    mech.add_joint("plane", IN_PLANE, "world", "wheel")
    mech.add_shape("wheel", form, "rim", rg.Pose() if turn is None else turn)
    return Scene(mech, mech.state(q={"plane": (0.0, radius, 0.0)}), (touching("wheel", **settings),))


UPRIGHT = rg.Pose.about((1, 0, 0), math.pi / 2)
"""A disc's frame whose z axis is along −y: the disc stands in the plane of x and z."""


def disc_inertia(radius=0.1, mass=1.0):
    """Of a disc without thickness about z."""
    return rg.Inertia(mass, (0, 0, 0), mass * radius**2 * np.diag([0.25, 0.25, 0.5]))


def ball_on_incline(angle, **settings):
    return round_on_incline(angle, sphere_at_rest(), rg.Sphere(0.1), **settings)


def disc_on_incline(angle, **settings):
    inertia = disc_inertia().moved(UPRIGHT)
    return round_on_incline(angle, inertia, rg.Cylinder(0.1, 0.0), turn=UPRIGHT, **settings)


def three_balls(gap=0.05, speed=1.0, radius=0.1, **settings):
    """Equal balls on one line without gravity: the first comes, the second and third touch each other."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name in ("first", "second", "third"):
        mech.add_body(name, sphere_at_rest(radius))
        mech.add_joint(f"{name} x", rg.Prismatic((1, 0, 0)), "world", name)
        mech.add_shape(name, rg.Sphere(radius), f"{name} shape")
    q = {"first x": -2 * radius - gap, "second x": 0.0, "third x": 2 * radius}
    pairs = (touching("first", "second", **settings), touching("second", "third", **settings))
    return Scene(mech, mech.state(q=q, v={"first x": speed}), pairs)


def ball_on_turntable(rate=2.0, start=(0.3, 0.0), velocity=(0.1, 0.2), radius=0.1, **settings):
    """A ball that rolls on a table which turns at a given rate; `prescribed` says so to `simulate`."""
    mech = rg.Mechanism()
    mech.add_body("table", rg.Inertia.cylinder(10.0, 1.0, (0, 0, -0.05), (0, 0, 0)))
    mech.add_joint("axle", rg.Revolute((0, 0, 1)), "world", "table")
    mech.add_shape("table", rg.Plane(), "top")
    mech.add_body("ball", sphere_at_rest(radius))
    mech.add_joint("ball free", rg.Free(), "world", "ball")
    mech.add_shape("ball", rg.Sphere(radius), "ball shape")
    surface = rate * np.array([-start[1], start[0]])  # of the table under the ball
    slip = surface - np.array(velocity)  # what its spin has to make up: ω × (−r z) = (−r ω_y, r ω_x)
    spin = (slip[1] / radius, -slip[0] / radius, 0.0)
    state = mech.state(q={"ball free": (*start, radius, 1, 0, 0, 0)})
    state = moving(mech, state, table=((0, 0, rate), (0, 0, 0)), ball=(spin, (*velocity, 0.0)))
    return Scene(mech, state, (touching("ball", "top", **settings),))


def ball_in_bowl(bowl, amplitude=0.5, inner=1.0, radius=0.1, **settings):
    """A ball at rest that will roll to and fro in the form `bowl`, hollow and of the radius `inner`, lowest at the origin."""
    middle = at(x=(inner - radius) * math.sin(amplitude), z=inner - (inner - radius) * math.cos(amplitude))
    mech, state = free_body("ball", sphere_at_rest(radius), middle, form=rg.Sphere(radius))
    mech.add_shape("world", bowl, "bowl")
    return Scene(mech, mech.state(q=state.q), (touching("ball", "bowl", **settings),))


# --- blocks -----------------------------------------------------------------------------------------------------------


def block(size=(0.1, 0.1, 0.1), linear=(0, 0, 0), incline=0.0, mass=1.0, **settings):
    """A box flat on the ground; with an incline gravity pulls along +x."""
    gravity = (G * math.sin(incline), 0.0, -G * math.cos(incline))
    inertia = rg.Inertia.box(mass, size)
    mech, state = free_body("block", inertia, at(z=size[2] / 2), linear, form=rg.Box(size), gravity=gravity)
    return Scene(mech, state, (touching("block", **settings),))


def block_on_slope(form, slope, size=(0.2, 0.2, 0.05), speed=0.0, **settings):
    """A box on ground that rises along x by an angle, as the form on the world has it; `speed` is uphill."""
    turn = rg.Pose.about((0, 1, 0), -slope)
    pose = turn @ at(z=size[2] / 2)
    uphill = speed * turn.rotation[:, 0]
    mech, state = free_body("block", rg.Inertia.box(1.0, size), pose, uphill, form=rg.Box(size))
    mech.add_shape("world", form, "ground")
    return Scene(mech, state, (touching("block", "ground", **settings),))


def puck(x=0.0, speed=0.0, stiffness=0.0, **settings):
    """A mass of 1 kg that slides without turning on one point, pulled towards x = 0 by a spring."""
    mech = rg.Mechanism()
    mech.add_body("carriage", rg.Inertia(0.0))
    mech.add_body("puck", sphere_at_rest())
    mech.add_joint("x", rg.Prismatic((1, 0, 0), stiffness=stiffness), "world", "carriage")
    mech.add_joint("z", rg.Prismatic((0, 0, 1)), "carriage", "puck")
    mech.add_frame("sole", "puck")
    return Scene(mech, mech.state(q={"x": x}, v={"x": speed}), (touching("sole", **settings),))


def sprung_block(x, speed, stiffness, size=(0.2, 0.2, 0.02), **settings):
    """A flat box on the ground, pulled towards x = 0 by a spring at the height of its middle."""
    mech, state = free_body("block", rg.Inertia.box(1.0, size), at(x=x, z=size[2] / 2), (speed, 0, 0), form=rg.Box(size))
    mech.add_spring("spring", "world", (0, 0, size[2] / 2), "block", (0, 0, 0), stiffness=stiffness)
    return Scene(mech, state, (touching("block", **settings),))


def rubbing_slider(x=12.0, speed=6.0, friction=1.0):
    """A mass on a guide with a spring and dry friction, m = k = 1; a point of it is far above the ground, and stays there."""
    mech = rg.Mechanism()
    mech.add_body("mass", sphere_at_rest())
    mech.add_joint("x", rg.Prismatic((1, 0, 0), stiffness=1.0, friction=friction), "world", "mass")
    mech.add_frame("high", "mass", at(z=5.0))
    return Scene(mech, mech.state(q={"x": x}, v={"x": speed}), (touching("high"),))


def rocking_block(angle=0.15, width=0.25, height=1.0, **settings):
    """A slender box, at rest on one of its lower edges, leaning by an angle; it turns in the plane of x and z."""
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.box(1.0, (width, 0.5, height)))
    mech.add_joint("plane", IN_PLANE, "world", "block")
    mech.add_shape("block", rg.Box((width, 0.5, height)), "block shape")
    corner = rg.Pose.about((0, -1, 0), angle).apply((-width / 2, 0.0, -height / 2))
    q = (-width / 2 - corner[0], -corner[2], angle)  # the left edge stays where it is when the block is upright
    return Scene(mech, mech.state(q={"plane": q}), (touching("block", **settings),))


# --- rods and discs ---------------------------------------------------------------------------------------------------


def rod(tilt, rate=0.0, slip=0.0, length=1.0, **settings):
    """A slender rod of 1 kg on its tip, which is at the origin; it leans by `tilt` from the vertical towards +x.

    `rate` is that of the tilt, `slip` the velocity of the tip along x.
    """
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, length)))
    mech.add_joint("plane", IN_PLANE, "world", "rod")
    mech.add_frame("tip", "rod")
    state = mech.state(q={"plane": (0.0, 0.0, -tilt)}, v={"plane": (slip, 0.0, -rate)})
    return Scene(mech, state, (touching("tip", **settings),))


def coin(tilt, precession, spin, radius=0.1, **settings):
    """A disc without thickness that rolls on its rim at the origin.

    `tilt` is the angle between its axis and the vertical (0: flat, π/2: upright), towards −y; `precession` is the rate about the
    vertical, and `spin` the component of the angular velocity along its axis.
    """
    along, up_disc = np.array([1.0, 0, 0]), np.array([0, math.cos(tilt), math.sin(tilt)])
    axis = np.cross(along, up_disc)
    omega = precession * math.sin(tilt) * up_disc + spin * axis
    middle = radius * up_disc
    pose = rg.Pose(np.column_stack((along, up_disc, axis)), middle)
    linear = np.cross(omega, middle)
    mech, state = free_body("coin", disc_inertia(radius), pose, linear, omega, rg.Cylinder(radius, 0.0))
    return Scene(mech, state, (touching("coin", **settings),))
