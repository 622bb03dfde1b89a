"""Contacts through changes of structure: they are known by name, so they survive what re-roots, connects and cuts."""

import numpy as np
import pytest

import regraft as rg
from contacts.laws import check_impacts, same_motion
from contacts.machines import dominoes, falling_figure, table
from contacts.random_scenes import random_scene
from contacts.reading import OPEN, accumulations, impact_times, points_of
from contacts.scenes import at, ball

EXACT = {"rtol": 1e-11, "atol": 1e-12}


@pytest.mark.parametrize("seed", range(5))
def test_re_rooting_in_between_changes_nothing(seed):
    scene = random_scene(seed, bodies=(2, 4))
    body = sorted(scene.mech.bodies)[-1]
    again = [
        rg.at_time(t, lambda m, s, b=b: rg.reroot(m, s, b, joint=rg.Free(), name=f"root on {b}"), f"root {k}")
        for k, (t, b) in enumerate(((0.11, body), (0.23, "b0"), (0.31, body)))
    ]
    one, other = scene.run(0.4, **EXACT), scene.run(0.4, events=again, **EXACT)
    assert len([event for event in other.events if event.name.startswith("root")]) == 3
    same_motion(one, other, np.linspace(0, 0.4, 9), scene.mech.bodies, 1e-7)


def held_ball():
    """A ball that hangs 1 m above the ground, to be let go by a cut."""
    scene = ball(1.0)
    mech, state = rg.reroot(scene.mech, scene.state, "ball", joint=rg.Fixed(), name="held")
    return mech, state


def test_what_is_let_go_falls_onto_the_ground():
    mech, state = held_ball()
    let_go = rg.at_time(0.5, lambda m, s: rg.cut(m, s, "held"), "let go")
    traj = rg.simulate(mech, state, 2.0, events=[let_go], contacts=[rg.Contact("ball", restitution=0.5)])
    assert impact_times(traj, "ball")[0] == pytest.approx(0.5 + 0.4515236409857309, abs=1e-10)
    (rest,) = accumulations(traj)
    assert rest[0] == pytest.approx(0.5 + 1.354570922957193, abs=1e-10)


def test_what_is_caught_leaves_the_ground_again():
    scene = table()
    lift = rg.at_time(0.5, lambda m, s: rg.connect(m, s, "world", "table", joint=rg.Prismatic((0, 0, 1)), name="lift"), "catch")
    pull = lambda t, _m, _s: {"lift": 200.0} if t > 1.0 else {}  # noqa: E731
    traj = scene.run(1.5, events=[lift], torque=pull)
    found = points_of(traj, "leg 0")
    assert (found.mode[-1] == OPEN).all()
    assert traj.body("table").position[-1, 2] > 0.7 + 0.1
    check_impacts(traj)


def test_a_body_that_breaks_in_two_goes_on_touching():
    """A bar on two ends is cut in the middle: each half goes on from the end that it has."""
    mech = rg.Mechanism()
    for name, x in (("left", -0.5), ("right", 0.5)):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (-0.5, 0, 0), (0.5, 0, 0)))
        mech.add_frame(f"{name} end", name, at(x=x))
    mech.add_joint("float", rg.Free(), "world", "left")
    mech.add_joint("weld", rg.Fixed(), "left", "right", at(x=0.5), at(x=-0.5))
    for y in (-0.2, 0.2):
        for name, x in (("left", -0.5), ("right", 0.5)):
            mech.add_frame(f"{name} foot {y}", name, at(x=x, y=y))
    feet = [name for name in mech.frames if "foot" in name]
    contacts = [rg.Contact(name, friction=0.5) for name in feet]
    cut = rg.at_time(0.5, lambda m, s: rg.cut(m, s, "weld"), "break")
    traj = rg.simulate(mech, mech.state(), 0.7, contacts=contacts, events=[cut])
    assert np.abs(traj.body("left").position[traj.t < 0.5]).max() < 1e-9
    middle = traj.body("right").position[-1]
    assert middle[2] < -0.01  # its inner end has nothing below it but the ground's plane, which only its feet touch
    assert all(abs(points_of(traj, name).gap[-1, 0]) < 1e-9 for name in feet)


def test_a_contact_ends_with_the_body_that_an_event_takes_away():
    scene = dominoes(3, restitution=0.0)
    gone = rg.at_time(0.2, lambda m, s: without(m, s, "domino 2"), "gone")
    traj = scene.run(1.2, events=[gone])
    assert len(impact_times(traj, "pair 1")) > 0
    assert len(impact_times(traj, "pair 2")) == 0


def without(mech, state, body):
    fewer = mech.without(body)
    joints = [name for name in fewer.joints if name in mech.joints]
    q = {name: state.q[mech.q_slice(name)] for name in joints}
    return fewer, fewer.state(q=q, v={name: state.v[mech.v_slice(name)] for name in joints})


def test_a_figure_that_grips_a_bar_while_it_falls_swings_on():
    scene = falling_figure(drop=0.6)

    def grip(mech, state):
        place = rg.frame_position(mech, state, "left grip")
        return rg.connect(mech, state, "world", "left forearm", joint=rg.Spherical(), at=place, name="bar")

    traj = scene.run(2.0, events=[rg.at_time(0.1, grip, "grip")])
    check_impacts(traj)
    after = traj.t > 0.1
    hand = traj.frame("left grip").position[after]
    assert np.ptp(hand, axis=0).max() < 1e-7


def test_the_users_events_and_contacts_may_meet():
    """An event at the very time of a touch, which re-roots: both happen, once each."""
    scene = ball(1.0, restitution=0.5)
    t = 0.4515236409857309
    root = rg.at_time(t, lambda m, s: rg.reroot(m, s, "ball", joint=rg.Free(), name="again"), "root")
    traj = scene.run(1.0, events=[root])
    assert [event.name for event in traj.events].count("root") == 1
    assert impact_times(traj, "ball")[0] == pytest.approx(t, abs=1e-10)
    assert impact_times(traj, "ball")[1] == pytest.approx(2 * t, abs=1e-10)
