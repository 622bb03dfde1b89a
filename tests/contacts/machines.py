"""Mechanisms that stand, walk, fall and topple on contacts: made of several bodies."""

from __future__ import annotations

import math

import numba
import numpy as np

import regraft as rg

try:
    from contacts.scenes import IN_PLANE, Scene, at, touching
except ImportError:  # benchmarks have a module `contacts` of their own
    from scenes import IN_PLANE, Scene, at, touching

# --- wheels and walkers -----------------------------------------------------------------------------------------------


def rimless_wheel(omega, slope=0.08, spokes=8, inertia=0.5, **settings):
    """A hub of 1 kg on massless spokes of 1 m, just after a spoke has landed; it rolls towards −x down the ground's slope.

    `omega` is how fast it turns; `inertia` is that of the hub about its axis.
    """
    mech = rg.Mechanism()
    mech.add_body("wheel", rg.Inertia(1.0, (0, 0, 0), inertia * np.eye(3)))
    mech.add_joint("plane", IN_PLANE, "world", "wheel")
    mech.add_shape("world", rg.ground(slope=slope), "ground")
    names = [f"spoke {i}" for i in range(spokes)]
    for i, name in enumerate(names):
        mech.add_frame(name, "wheel", rg.Pose(translation=spoke(i, spokes)))
    # spoke 0 stands at the origin; before it, uphill and so at larger x, is the one that has just left the ground
    lean = slope - math.pi / spokes
    hub = -rg.Pose.about((0, -1, 0), lean).apply(spoke(0, spokes))
    about = np.cross((0, -omega, 0), hub)  # a wheel that rolls towards −x turns about −y
    state = mech.state(q={"plane": (hub[0], hub[2], lean)}, v={"plane": (about[0], about[2], omega)})
    return Scene(mech, state, tuple(touching(name, "ground", friction=1.0, **settings) for name in names))


def spoke(i, spokes=8):
    """The end of a spoke in the wheel's axes; those of a larger number land later."""
    angle = 2 * math.pi * i / spokes
    return np.array([-math.sin(angle), 0.0, -math.cos(angle)])


FOOTHOLD, PIT = 0.12, 0.3


def footholds(biped, walk):
    """Where each foot of a walk by re-rooting stands, by leg."""
    found = {"left": [], "right": []}
    for segment in walk.segments:
        leg = segment.mech.joints["stance"].child
        found[leg].append(float(rg.frame_position(segment.mech, segment.state(segment.t[0]), f"{leg} foot")[0]))
    other = "left" if len(found["left"]) < len(found["right"]) else "right"
    ahead, behind = sorted(found["left"] + found["right"])[:2]
    found[other].append(2 * ahead - behind)  # a last one on which it may land
    assert biped.length > FOOTHOLD
    return found


def stepping_stones(places, slope):
    """Points of a profile: the slope within reach of each place, and pits with upright walls between them."""
    rise, points = math.tan(slope), []
    for x in sorted(places):
        near, far = x - FOOTHOLD, x + FOOTHOLD
        points += [(near, near * rise - PIT), (near, near * rise), (far, far * rise), (far, far * rise - PIT)]
    return points


def walker(biped, walk, **settings):
    """The biped of a walk by re-rooting on contacts alone, at the same start.

    Each leg has ground of its own, with pits between its footholds: legs of equal length scuff, and S1 has that ignored.
    """
    mech, state = rg.reroot(*biped.start, "left", joint=IN_PLANE, name="plane")
    for leg, places in footholds(biped, walk).items():
        mech.add_shape("world", rg.ground(profile=stepping_stones(places, biped.slope)), f"{leg} stones")
    state = mech.state(q=state.q, v=state.v)
    return Scene(
        mech, state, tuple(touching(f"{leg} foot", f"{leg} stones", friction=2.0, **settings) for leg in ("left", "right"))
    )


# --- what stands ------------------------------------------------------------------------------------------------------


def corners(size, side=-1.0):
    """The four corners of a box's lower side, or its upper one."""
    x, y, z = np.asarray(size) / 2
    return [(sx * x, sy * y, side * z) for sx in (-1, 1) for sy in (-1, 1)]


def stack(boxes=4, size=(0.3, 0.3, 0.2), shift=0.02, **settings):
    """Boxes on each other, each a little beside the one below; the corners of each are points on the top plane of the next."""
    mech, touches, q, below = rg.Mechanism(), [], {}, "ground"
    for i in range(boxes):
        name = f"box {i}"
        mech.add_body(name, rg.Inertia.box(1.0, size))
        mech.add_joint(f"{name} free", rg.Free(), "world", name)
        mech.add_shape(name, rg.Plane(), f"{name} top", at(z=size[2] / 2))
        for k, corner in enumerate(corners(size)):
            mech.add_frame(f"{name} corner {k}", name, rg.Pose(translation=corner))
            touches.append(touching(f"{name} corner {k}", below, friction=0.6, **settings))
        q[f"{name} free"] = (shift * (-1) ** i, 0.0, size[2] * (i + 0.5), 1, 0, 0, 0)
        below = f"{name} top"
    return Scene(mech, mech.state(q=q), tuple(touches))


def table(size=(1.0, 0.6, 0.7), **settings):
    """A table on the ends of four legs."""
    mech = rg.Mechanism()
    mech.add_body("table", rg.Inertia.box(10.0, (size[0], size[1], 0.04)))
    mech.add_joint("free", rg.Free(), "world", "table")
    for k, corner in enumerate(corners((*size[:2], 2 * size[2]))):
        mech.add_frame(f"leg {k}", "table", rg.Pose(translation=corner))
    touches = tuple(touching(f"leg {k}", friction=0.5, **settings) for k in range(4))
    return Scene(mech, mech.state(q={"free": (0, 0, size[2], 1, 0, 0, 0)}), touches)


HIP, KNEE, LEG = 0.5, -1.0, 0.25


def quadruped(stiffness=100.0, damping=2.0, ankles=3, **settings):
    """A trunk on four legs with three points under each foot: 30 degrees of freedom, 12 contacts; springs hold its pose.

    They are as stiff as the position control of a robot of that weight. Ankles turn about any axis: with two `ankles` alone, axes
    along and across, a trunk over feet that stand flat is in a singular position, which it cannot leave.
    """
    mech, q, touches = rg.Mechanism(), {}, []
    mech.add_body("trunk", rg.Inertia.box(12.0, (0.6, 0.3, 0.12)))
    mech.add_joint("float", rg.Free(), "world", "trunk")
    height = 2 * LEG * math.cos(HIP) + 0.03
    q["float"] = (0, 0, height, 1, 0, 0, 0)
    held, flat = {"stiffness": stiffness, "damping": damping}, rg.Pose.about((0, 1, 0), -HIP - KNEE).quaternion
    for name, x, y in (("front left", 1, 1), ("front right", 1, -1), ("hind left", -1, 1), ("hind right", -1, -1)):
        thigh, shank, foot = (f"{name} {part}" for part in ("thigh", "shank", "foot"))
        for body in (thigh, shank):
            mech.add_body(body, rg.Inertia.cylinder(0.5, 0.03, (0, 0, 0), (0, 0, -LEG)))
        mech.add_body(foot, rg.Inertia.box(0.2, (0.08, 0.06, 0.02), at=(0, 0, -0.02)))
        hip = rg.Universal((1, 0, 0), (0, 1, 0), rest=(0.0, HIP), **held)
        mech.add_joint(f"{name} hip", hip, "trunk", thigh, at(0.25 * x, 0.15 * y))
        mech.add_joint(f"{name} knee", rg.Revolute((0, 1, 0), rest=KNEE, **held), thigh, shank, at(z=-LEG))
        two = rg.Universal((0, 1, 0), (1, 0, 0), damping=damping / 20)
        mech.add_joint(f"{name} ankle", rg.Spherical(damping=damping / 20) if ankles == 3 else two, shank, foot, at(z=-LEG))
        q |= {f"{name} hip": (0.0, HIP), f"{name} knee": KNEE, f"{name} ankle": flat if ankles == 3 else (-HIP - KNEE, 0.0)}
        for k, point in enumerate(((0.05, 0, -0.03), (-0.03, 0.03, -0.03), (-0.03, -0.03, -0.03))):
            mech.add_frame(f"{foot} {k}", foot, rg.Pose(translation=point))
            touches.append(touching(f"{foot} {k}", friction=0.8, **settings))
    return Scene(mech, mech.state(q=q), tuple(touches))


@numba.njit
def sway(t, q, v, out):  # noqa: ARG001 (the parameters of a law)
    """Hips that push the trunk to and fro."""
    out[0], out[1] = 2.0 * math.sin(3.0 * t), 8.0 * math.sin(2.0 * t)


def shifting(scene):
    """The torques with which the quadruped shifts its weight."""
    return [rg.law(name, sway) for name in scene.mech.joints if name.endswith("hip")]


def dog(
    drop=0.0, pitch=0.0, roll=0.0, yaw=0.0, push=(0, 0, 0), spin=(0, 0, 0), stiffness=100.0, damping=2.0, friction=0.8, **settings
):
    """A trunk on four legs that cannot move sideways: two hinges about y in each, held by springs, and a point for a foot.

    Where all feet stick, one or two of their rows across the trunk follow from others; where the trunk rolls, feet that are held
    in the planes of their legs have to slide, the slower the nearer it is to level.
    """
    mech, q, feet = rg.Mechanism(), {}, []
    mech.add_body("trunk", rg.Inertia.box(12.0, (0.6, 0.3, 0.12)))
    mech.add_joint("float", rg.Free(), "world", "trunk")
    held = {"stiffness": stiffness, "damping": damping}
    for name, x, y in (("front left", 1, 1), ("front right", 1, -1), ("hind left", -1, 1), ("hind right", -1, -1)):
        thigh, shank, foot = (f"{name} {part}" for part in ("thigh", "shank", "foot"))
        for body in (thigh, shank):
            mech.add_body(body, rg.Inertia.cylinder(0.5, 0.03, (0, 0, 0), (0, 0, -LEG)))
        mech.add_joint(f"{name} hip", rg.Revolute((0, 1, 0), rest=HIP, **held), "trunk", thigh, at(0.25 * x, 0.15 * y))
        mech.add_joint(f"{name} knee", rg.Revolute((0, 1, 0), rest=KNEE, **held), thigh, shank, at(z=-LEG))
        mech.add_frame(foot, shank, at(z=-LEG))
        q |= {f"{name} hip": HIP, f"{name} knee": KNEE}
        feet.append(foot)
    turned = rg.Pose.about((0, 0, 1), yaw) @ rg.Pose.about((0, 1, 0), pitch) @ rg.Pose.about((1, 0, 0), roll)
    low = mech.state(q=q | {"float": (0, 0, 0, *turned.quaternion)})
    height = drop - min(rg.frame_position(mech, low, foot)[2] for foot in feet)
    state = mech.state(q=q | {"float": (0, 0, height, *turned.quaternion)}, v={"float": (*push, *spin)})
    return Scene(mech, state, tuple(touching(foot, friction=friction, **settings) for foot in feet))


def flat_footed(drop=0.0, friction=0.7, **settings):
    """A trunk on two legs of three hinges about y each, with boxes for feet: four points a foot, none of which moves sideways.

    `settings` are those of the hinges.
    """
    mech, q, corner_names = rg.Mechanism(), {}, []
    mech.add_body("trunk", rg.Inertia.box(20.0, (0.2, 0.3, 0.4), at=(0, 0, 0.2)))
    mech.add_joint("float", rg.Free(), "world", "trunk")
    angles = {"hip": 0.2, "knee": -0.4, "ankle": 0.2}
    for side, y in (("left", 0.1), ("right", -0.1)):
        above, places = "trunk", {"hip": at(y=y), "knee": at(z=-0.3), "ankle": at(z=-0.3)}
        inertias = {
            "hip": rg.Inertia.cylinder(2.0, 0.05, (0, 0, 0), (0, 0, -0.3)),
            "knee": rg.Inertia.cylinder(1.0, 0.04, (0, 0, 0), (0, 0, -0.3)),
            "ankle": rg.Inertia.box(0.5, (0.2, 0.1, 0.04), at=(0.03, 0, -0.02)),
        }
        for name, angle in angles.items():
            mech.add_body(f"{side} below {name}", inertias[name])
            mech.add_joint(f"{side} {name}", rg.Revolute((0, 1, 0), **settings), above, f"{side} below {name}", places[name])
            q[f"{side} {name}"], above = angle, f"{side} below {name}"
        for k, (x, across, _) in enumerate(corners((0.2, 0.1, 0.0))):
            corner_names.append(f"{side} corner {k}")
            mech.add_frame(corner_names[-1], above, at(x + 0.03, across, -0.04))
    low = mech.state(q=q)
    height = drop - min(rg.frame_position(mech, low, name)[2] for name in corner_names)
    state = mech.state(q=q | {"float": (0, 0, height, 1, 0, 0, 0)})
    return Scene(mech, state, tuple(touching(name, friction=friction) for name in corner_names))


# --- figures ----------------------------------------------------------------------------------------------------------

PARTS = ("crown", "tail", *(f"{side} {part}" for side in ("left", "right") for part in ("sole", "toes", "seat", "grip")))
"""The ten frames of a figure that touch the ground."""


def human(settings):
    """The figure with 16 degrees of freedom in its joints, with such joints, and its standing state."""
    figure = rg.models.human_figure()
    joints = {name: settings for name in figure.mech.joints if name != "base"}
    mech = figure.mech.replace(settings=joints, limits=dict.fromkeys(joints))
    mech.add_frame("tail", "trunk", at(x=-0.1))
    return figure, mech


def falling_figure(drop=0.3, seed=0, **settings):
    """The figure above the ground, leaning, with limbs that are damped."""
    rng = np.random.default_rng(seed)
    figure, mech = human({"damping": 3.0})
    turns = {
        name: rg.Pose.about(rng.standard_normal(3), rng.uniform(0, 0.4))
        for name in mech.joints
        if name.endswith(("hip", "shoulder"))
    }
    turns |= {name: rng.uniform(0.1, 0.6) for name in mech.joints if name.endswith(("elbow", "knee"))}
    lean = rg.Pose.about((0.3, 1.0, 0.1), 0.4)
    low = mech.state(q=figure.positions(turns, lean))
    lift = drop - min(rg.frame_position(mech, low, part)[2] for part in PARTS)
    state = mech.state(q=figure.positions(turns, at(z=lift) @ lean))
    return Scene(mech, state, tuple(touching(part, **{"friction": 0.7, **settings}) for part in PARTS))


def standing_figure(friction=300.0, **settings):
    """The figure upright on four points of its feet; dry friction in its joints keeps it so."""
    figure, mech = human({"friction": friction})
    feet = []
    for side, y in (("left", 0.04), ("right", -0.04)):
        foot = mech.frames[f"{side} sole"]
        for name, x in (("heel", -0.06), ("ball", 0.15)):
            mech.add_frame(f"{side} {name}", foot.body, foot.pose @ at(x=x, y=y))
            feet.append(f"{side} {name}")
    state = mech.state(q=figure.positions({}))
    lift = min(rg.frame_position(mech, state, name)[2] for name in feet)
    hips = rg.body_poses(mech, state)["trunk"].translation
    state = mech.state(q=figure.positions({}, at(*(hips - (0, 0, lift)))))
    return Scene(mech, state, tuple(touching(name, friction=0.8, **settings) for name in feet))


def dominoes(count=5, spacing=0.5, push=1.0, **settings):
    """Capsules of 1 m on hinges in the ground, in a row along x; the first one falls onto the next, and so on."""
    mech, touches = rg.Mechanism(), []
    for i in range(count):
        mech.add_body(f"domino {i}", rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (0, 0, 1)))
        mech.add_joint(f"hinge {i}", rg.Revolute((0, 1, 0)), "world", f"domino {i}", at(x=spacing * i))
        mech.add_shape(f"domino {i}", rg.Capsule(0.05, (0, 0, 0.05), (0, 0, 0.95)), f"shape {i}")
        if i:
            touches.append(touching(f"domino {i - 1}", f"domino {i}", name=f"pair {i}", **settings))
    return Scene(mech, mech.state(v={"hinge 0": push}), tuple(touches))
