"""Bad input to contacts: each error names the part and says the way out."""

import math
import warnings

import numpy as np
import pytest

import regraft as rg
from contacts.machines import quadruped, shifting
from contacts.reading import points_of
from contacts.scenes import at, ball, block, free_body, three_balls


def refused(call, message, error=rg.ModelError):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(error, match=message):
            call()


def cases(table):
    return pytest.mark.parametrize(("call", "message"), table.values(), ids=table)


NUMBERS = {
    "negative friction": (lambda: rg.Contact("heel", friction=-0.1), "heel.*friction.*-0.1"),
    "kinetic beyond static": (lambda: rg.Contact("heel", friction=(0.3, 0.5)), "heel.*kinetic.*0.5.*static.*0.3"),
    "negative kinetic": (lambda: rg.Contact("heel", friction=(0.3, -0.5)), "heel.*friction"),
    "three frictions": (lambda: rg.Contact("heel", friction=(0.3, 0.2, 0.1)), "heel.*friction"),
    "friction of text": (lambda: rg.Contact("heel", friction="much"), "heel.*friction"),
    "friction not finite": (lambda: rg.Contact("heel", friction=math.nan), "heel.*friction"),
    "endless friction": (lambda: rg.Contact("heel", friction=math.inf), "heel.*friction"),
    "restitution above 1": (lambda: rg.Contact("heel", restitution=1.1), "heel.*restitution.*0.*1.*1.1"),
    "restitution below 0": (lambda: rg.Contact("heel", restitution=-0.1), "heel.*restitution"),
    "restitution not finite": (lambda: rg.Contact("heel", restitution=math.nan), "heel.*restitution"),
    "unknown law": (lambda: rg.Contact("heel", law="hertz"), "heel.*poisson.*stronge.*newton.*hertz"),
    "velocity of two": (lambda: rg.Contact("heel", velocity=(1, 2)), "heel.*velocity"),
    "velocity not finite": (lambda: rg.Contact("heel", velocity=(1, 2, math.inf)), "heel.*velocity"),
    "no name": (lambda: rg.Contact(""), "name"),
    "a number for a name": (lambda: rg.Contact(3), "3"),
    "itself": (lambda: rg.Contact("heel", "heel"), "heel.*itself"),
}


@cases(NUMBERS)
def test_numbers_that_no_contact_has_are_refused(call, message):
    refused(call, message)


GROUNDS = {
    "overhang": (lambda: rg.ground(profile=[(0, 0), (1, 0), (0.5, 1), (2, 1)]), "profile.*overhang|profile.*decrease"),
    "one point": (lambda: rg.ground(profile=[(0, 0)]), "profile.*two"),
    "points of three": (lambda: rg.ground(profile=[(0, 0, 0), (1, 0, 0)]), "profile"),
    "not finite": (lambda: rg.ground(profile=[(0, 0), (1, math.nan)]), "profile"),
    "same point": (lambda: rg.ground(profile=[(0, 0), (0, 0), (1, 0)]), "profile.*twice|profile.*same"),
    "upright slope": (lambda: rg.ground(slope=math.pi / 2), "slope.*π/2"),
    "slope not finite": (lambda: rg.ground(slope=math.nan), "slope"),
    "height not finite": (lambda: rg.ground(height=math.inf), "height"),
}


@cases(GROUNDS)
def test_grounds_that_cannot_be_are_refused(call, message):
    refused(call, message)


def run(contacts, scene=None, **options):
    where = ball(1.0) if scene is None else scene
    return rg.simulate(where.mech, where.state, 0.1, contacts=contacts, **options)


def boxed():
    return with_shape(rg.Box((0.1, 0.1, 0.1)))


RUNS = {
    "unknown a": (lambda: run([rg.Contact("heel")]), "heel.*frame.*shape.*body"),
    "unknown b": (lambda: run([rg.Contact("ball", "wall")]), "wall"),
    "twice the same": (lambda: run([rg.Contact("ball"), rg.Contact("ball")]), "ball-ground.*name"),
    "same name": (lambda: run([rg.Contact("ball", name="x"), rg.Contact("ball shape", name="x")]), "x"),
    "not a contact": (lambda: run(["ball"]), "contacts.*Contact"),
    "no list": (lambda: run(3), "contacts"),
    "nearly the ground": (lambda: run([rg.Contact("ball", "grund")]), "grund.*'ground'"),
    "name of a point": (
        lambda: run([rg.Contact("odd", name="x"), rg.Contact("ball shape", name="x/0")], boxed()),
        "x/0.*a point of.*'x'",
    ),
    "unknown impacts": (lambda: run([rg.Contact("ball")], impacts="both"), "impacts.*simultaneous.*sequential.*both"),
    "unknown resolve": (lambda: run([rg.Contact("ball")], resolve="jump"), "resolve.*error.*push.*jump"),
    "both on one body": (lambda: run([rg.Contact("ball", "ball shape")]), "ball.*both on 'ball'"),
}


@cases(RUNS)
def test_runs_that_cannot_be_are_refused(call, message):
    refused(call, message)


def with_shape(form, name="odd", body="ball", pose=None):
    scene = ball(1.0)
    scene.mech.add_shape(body, form, name, rg.Pose() if pose is None else pose)
    return scene


def box_on_box():
    scene = with_shape(rg.Box((0.1, 0.1, 0.1)))
    scene.mech.add_shape("world", rg.Box((1, 1, 0.1)), "slab", at(z=-1))
    return run([rg.Contact("odd", "slab")], scene)


def shapeless():
    scene = ball(1.0)
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("ball free", rg.Free(), "world", "ball")
    return rg.simulate(mech, mech.state(q=scene.state.q), 0.1, contacts=[rg.Contact("ball")])


PAIRS = {
    "mesh on ground": (lambda: run([rg.Contact("odd")], with_shape(rg.Mesh("x.stl"))), "odd.*Mesh.*spheres"),
    "box on box": (box_on_box, "odd.*Box.*Box"),
    "hollow on ground": (
        lambda: run([rg.Contact("odd")], with_shape(rg.Sphere(0.1, hollow=True))),
        "the hollow Sphere 'odd'.*cannot",
    ),
    "plane on plane": (lambda: run([rg.Contact("odd")], with_shape(rg.Plane())), "odd.*Plane"),
    "body without shapes": (shapeless, "ball.*shape"),
    "world without shapes": (lambda: run([rg.Contact("ball", "world")]), "world.*shape"),
}


@cases(PAIRS)
def test_shapes_that_cannot_touch_are_named_with_what_can(call, message):
    refused(call, message)


def test_shapes_that_are_only_seen_are_not_touched():
    scene = ball(1.0)
    mech = scene.mech.copy()
    mech.add_shape("ball", rg.Mesh("x.stl"), "seen", collision=False)
    rg.simulate(mech, scene.state, 0.1, contacts=[rg.Contact("ball")])
    refused(lambda: rg.simulate(mech, scene.state, 0.1, contacts=[rg.Contact("seen")]), "seen.*cannot touch")


def test_a_start_in_penetration_is_refused_with_its_depth():
    scene = ball(-0.0123)
    refused(lambda: scene.run(0.1), "ball.*0.0123.*resolve")


def test_a_start_in_penetration_may_be_pushed_out():
    traj = ball(-0.0123).run(0.1, resolve="push")
    assert points_of(traj, "ball").gap.min() > -1e-10
    assert rg.body_poses(traj.mechanism(0.0), traj.state(0.0))["ball"].translation == pytest.approx((0, 0, 0.1), abs=1e-10)


def test_several_penetrations_are_pushed_out_together():
    scene = three_balls(gap=-0.01, speed=0.0)
    traj = rg.simulate(scene.mech, scene.state, 0.1, contacts=scene.contacts, resolve="push")
    x = [traj.joint(f"{name} x").q[0] for name in ("first", "second", "third")]
    assert np.diff(x).min() >= 0.2 - 1e-10


def test_rounding_is_no_penetration():
    block(size=(0.1, 0.1, 0.1 * (1 + 1e-15)), friction=0.5).run(0.1)
    ball(-1e-13).run(0.1)


def test_a_contact_cannot_be_changed_and_shows_what_it_is():
    contact = rg.Contact("heel", friction=0.5)
    with pytest.raises(AttributeError):
        contact.friction = 0.7
    assert "heel" in repr(contact)
    assert rg.Contact("heel", friction=0.5) == contact


def test_an_unknown_contact_of_a_trajectory_is_named():
    traj = ball(1.0).run(0.1)
    with pytest.raises((KeyError, rg.ModelError), match="ball"):
        traj.contacts()["heel"]


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_what_is_pressed_and_cannot_give_way_is_an_error_and_does_not_go_through_the_ground(restitution, coordinates):
    """A ball on the ground, and above it one that comes down as it is told."""
    scene = ball(0.0, restitution=restitution)
    mech = scene.mech
    mech.add_body("press", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("down", rg.Prismatic((0, 0, 1)), "world", "press", at(z=0.35))
    mech.add_shape("press", rg.Sphere(0.1), "press shape")
    state = mech.state(q={"ball free": (0, 0, 0.1, 1, 0, 0, 0)}, v={"down": -1.0})
    contacts = [*scene.contacts, rg.Contact("press", "ball", restitution=restitution)]
    told = {"down": lambda t: (-t, -1.0, 0.0)}
    with pytest.raises(rg.SimulationError, match=r"'ball', 'press'.*Nothing can stop") as error:
        rg.simulate(mech, state, 0.5, contacts=contacts, prescribed=told, coordinates=coordinates)
    assert error.value.trajectory.t[-1] == pytest.approx(0.05)


def test_contacts_that_cannot_all_stay_closed_are_named():
    """The quadruped leaves a singular position in which its feet could stay."""
    scene = quadruped(ankles=2)
    with pytest.raises(rg.SimulationError, match=r"the contacts 'front left foot 0', .*'hind right foot 2'") as told:
        scene.run(1.0, torque=shifting(scene))
    assert told.value.trajectory.t[-1] > 0.01


def test_a_torque_that_is_no_number_is_named_among_what_may_have_ended_the_run():
    """Of a box that slides on a corner and turns, so that its steps are tried again and again."""
    size = (0.2, 0.2, 0.2)
    mech, state = free_body("box", rg.Inertia.box(1.0, size), at(z=0.5), (1, 0, 0), (1, 2, 3), rg.Box(size))
    gives_up = lambda t, mech, state: np.full(mech.nv, math.nan if t > 0.4 else 0.0)  # noqa: E731, ARG005
    with pytest.raises(rg.SimulationError, match=r"t = 0\.4;.*NaN") as told:
        rg.simulate(mech, state, 0.5, torque=gives_up, contacts=rg.Contact("box", friction=0.5))
    assert told.value.trajectory.t[-1] == pytest.approx(0.4)
