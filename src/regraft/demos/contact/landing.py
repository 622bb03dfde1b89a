"""A human figure lets go of the high bar, lands, falls over and comes to rest."""

from __future__ import annotations

from ...algebra.pose import Pose
from ...describe.contacts import Contact
from ...describe.mechanism import Mechanism
from ...describe.shapes import Capsule, Sphere
from ...models import high_bar
from ...models.figures import SIDES
from ...show.scenery import Camera
from .plan import Plan

FRICTION, RELEASE, DURATION = 0.6, (0.66, 0.86), 4.0
_LIMBS = {"elbow": ("upper arm", 0, "end"), "hand": ("forearm", 1, "end"), "knee": ("thigh", 0, "end"),
          "heel": ("shank", 1, "start"), "forefoot": ("shank", 1, "end")}  # fmt: skip
"""What touches the ground: an end of which capsule of which limb."""
_ACROSS = {"shoulder": -1, "hip": -2}
"""The same of the trunk, whose last two capsules lie across it, from the right side to the left one."""


def landing() -> Plan:
    """The figure of the high bar, with balls at its joints that can touch the ground."""
    bar = high_bar(release=RELEASE)
    mech = bar.mech.copy()
    names = _add_balls(mech)
    return Plan(
        name="landing",
        title="A landing",
        told="A human figure swings on a high bar and lets go with its right hand, then with its left one: two events that cut "
        "loops. It falls to the ground and stays there. No muscle acts; the limits of the joints alone keep it human. Its "
        "head, shoulders, elbows, hands, hips, knees, heels and forefeet can touch the ground; limbs do not touch each other.",
        mech=mech,
        state=mech.state(q=bar.state.q, v=bar.state.v),
        contacts=[Contact(name, friction=FRICTION) for name in names],
        duration=DURATION,
        camera=Camera(azimuth=25.0, elevation=12.0),
        rows=3,
        columns=4,
        margin=0.25,
        rtol=1e-7,
        since=1.6,
        early=0.78,
        parameters=(
            ("the hands let go at", f"{RELEASE[0]:g} s and {RELEASE[1]:g} s"),
            ("figure", "70 kg, 1.75 m"),
            ("friction, restitution", f"{FRICTION:g}, 0"),
        ),
        events=bar.events,
        other="limits of joints",
    )


def _add_balls(mech: Mechanism) -> list[str]:
    """Balls within the shapes of a figure, where it touches the ground; their names."""
    names = ["head"]
    skull = next(shape for shape in mech.shapes.values() if isinstance(shape.form, Sphere))
    mech.add_shape(skull.body, skull.form, "head", pose=skull.pose, visual=False)
    for side, sign in SIDES.items():
        places = {where: ("trunk", number, "end" if sign > 0.0 else "start") for where, number in _ACROSS.items()}
        places |= {where: (f"{side} {limb}", number, end) for where, (limb, number, end) in _LIMBS.items()}
        for where, (body, number, end) in places.items():
            capsules = [s.form for s in mech.shapes.values() if s.body == body and isinstance(s.form, Capsule)]
            capsule = capsules[number]
            name, place = f"{side} {where}", Pose(translation=getattr(capsule, end))
            mech.add_shape(body, Sphere(capsule.radius), name, pose=place, visual=False)
            names.append(name)
    return names
