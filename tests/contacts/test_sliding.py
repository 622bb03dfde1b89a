"""Dry friction: blocks on inclines, on springs and on belts, against their closed forms."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

import regraft as rg
from contacts.closed_forms import G, downhill, rubbing_stop, stick_slip_cycle, uphill
from contacts.reading import SLIDING, STICKING, changes, points_of, switches, total_force
from contacts.scenes import block, block_on_slope, puck, rubbing_slider, sprung_block
from regraft.kernels.contacts.memory import QUIET
from regraft.simulate.contacts import contacting
from regraft.simulate.contacts.tables import ContactTables

DEGREE = math.pi / 180
FRICTION_ANGLE = 21.8014094863518
"""Of µ = 0.4, in degrees."""


def along_slope(traj, t, slope):
    pose, twist = (what(traj.mechanism(t), traj.state(t))["block"] for what in (rg.body_poses, rg.body_twists))
    along = np.array([math.cos(slope), 0.0, math.sin(slope)])
    start = rg.body_poses(traj.mechanism(0.0), traj.state(0.0))["block"]
    return float((pose.translation - start.translation) @ along), float(twist[3:] @ along)


def slopes():
    angle = 30 * DEGREE
    return {"ground": rg.ground(slope=angle), "plane": rg.Plane((-math.sin(angle), 0, math.cos(angle)))}


@pytest.mark.parametrize("form", ["ground", "plane"])
def test_a_block_slides_uphill_and_back(form):
    angle = 30 * DEGREE
    turns, distance = uphill(angle, 0.4, 3.0)
    takes, speed = downhill(angle, 0.4, distance)
    back = turns + takes
    traj = block_on_slope(slopes()[form], angle, speed=3.0, friction=0.4).run(back)
    assert along_slope(traj, turns, angle) == pytest.approx((distance, 0.0), abs=1e-10)
    assert along_slope(traj, back, angle) == pytest.approx((0.0, -speed), abs=1e-10)
    assert (back, speed) == pytest.approx((1.20946828048135, 1.27794470319765), abs=1e-14)
    assert np.abs(switches(traj) - turns).min() < 1e-10


@pytest.mark.parametrize(
    ("degrees", "stays"), [(FRICTION_ANGLE - 1e-6, True), (FRICTION_ANGLE + 1e-6, False), (10.0, True), (30.0, False)]
)
def test_a_block_sticks_up_to_the_friction_angle(degrees, stays):
    traj = block(incline=degrees * DEGREE, friction=0.4).run(1.0)
    moved = rg.body_poses(*traj.final)["block"].translation[0]
    slides = G * (math.sin(degrees * DEGREE) - 0.4 * math.cos(degrees * DEGREE)) / 2
    assert moved == pytest.approx(0.0 if stays else slides, abs=1e-10)
    assert (points_of(traj, "block").mode[-1] == STICKING).any() == stays


def test_what_slid_uphill_stays_there_if_it_sticks():
    angle = 20 * DEGREE
    turns, distance = uphill(angle, 0.4, 3.0)
    traj = block_on_slope(rg.ground(slope=angle), angle, speed=3.0, friction=0.4).run(turns + 5.0)
    assert along_slope(traj, turns + 5.0, angle) == pytest.approx((distance, 0.0), abs=1e-10)
    assert traj.steps < 200


def test_dry_friction_in_a_joint_stops_a_mass_on_a_spring():
    x, t = rubbing_stop(12.0, 6.0)
    traj = rubbing_slider().run(40.0)
    assert traj.joint("x").q[-1] == pytest.approx(x, abs=1e-9)
    assert x == pytest.approx(0.6821789367236468, abs=1e-13)
    assert switches(traj)[-1] == pytest.approx(t, abs=1e-9)
    assert np.abs(traj.joint("x").v[traj.t > t + 1e-9]).max() < 1e-12


@pytest.mark.parametrize(("build", "body", "name"), [(puck, "puck", "sole"), (sprung_block, "block", "block")])
def test_friction_of_the_ground_stops_it_at_the_same_place(build, body, name):
    x, t = rubbing_stop(12.0, 6.0)
    scene = build(12.0, 6.0, 1.0, friction=1.0 / G)
    traj = scene.run(30.0, rtol=1e-10, atol=1e-11)
    history = traj.body(body)
    assert history.position[-1, 0] == pytest.approx(x, abs=1e-9)
    assert changes(traj, name, STICKING)[-1] == pytest.approx(t, abs=1e-9)
    assert np.ptp(history.position[traj.t > t + 1e-6, 0]) < 1e-11


@pytest.mark.parametrize(("build", "body", "name"), [(puck, "puck", "sole"), (sprung_block, "block", "block")])
def test_a_mass_on_a_belt_sticks_and_slips(build, body, name):
    period, slip, low, high = stick_slip_cycle()
    assert (period, slip) == pytest.approx((3.152680870494475, 1.190680870494475), abs=1e-13)
    scene = build(0.2, 0.2, 10.0, friction=(0.5, 0.3), velocity=(0.2, 0, 0))
    traj = scene.run(4 * period)
    slips, sticks = changes(traj, name, SLIDING), changes(traj, name, STICKING)
    assert slips[0] == pytest.approx((0.5 * G / 10.0 - 0.2) / 0.2, abs=1e-9)
    assert np.diff(slips)[:3] == pytest.approx([period] * 3, abs=1e-9)
    assert sticks[:3] - slips[:3] == pytest.approx([slip] * 3, abs=1e-9)
    place = lambda t: rg.body_poses(traj.mechanism(t), traj.state(t))[body].translation[0]  # noqa: E731
    speed = lambda t: rg.body_twists(traj.mechanism(t), traj.state(t))[body][3]  # noqa: E731
    grid = slips[0] + np.linspace(0.0, slip, 101)[1:-1]
    turns = [brentq(speed, a, b, xtol=1e-14) for a, b in pairwise(grid) if speed(a) * speed(b) < 0.0]
    assert [place(t) for t in turns] == pytest.approx([high, low], abs=1e-9)


def test_a_cube_slides_flat_and_stops():
    traj = block(linear=(6, 0, 0), friction=0.5).run(3.0)
    history = traj.body("block")
    assert history.position[-1] == pytest.approx((3.669724770642202, 0.0, 0.05), abs=1e-9)
    assert np.abs(history.rotation - np.eye(3)).max() < 1e-9
    stops = 1.223241590214067
    assert changes(traj, "block", STICKING)[-1] == pytest.approx(stops, abs=1e-9)
    friction, normal = total_force(traj, "block")
    before, after = traj.t < stops - 1e-9, traj.t > stops + 1e-9
    assert normal == pytest.approx(G, abs=1e-9)
    assert friction[before, 0] == pytest.approx(-0.5 * G, abs=1e-9)
    assert np.abs(friction[after]).max() < 1e-9


def test_kinetic_friction_acts_where_it_slides_and_static_where_it_sticks():
    angle = math.atan(0.45)
    rests, slides = (block(linear=(speed, 0, 0), incline=angle, friction=(0.5, 0.4)).run(1.0) for speed in (0.0, 0.01))
    assert np.abs(rests.body("block").position[:, 0]).max() < 1e-10
    pull = G * (math.sin(angle) - 0.4 * math.cos(angle))
    assert slides.body("block").position[-1, 0] == pytest.approx(0.01 + pull / 2, abs=1e-10)


def test_a_block_that_is_pushed_across_the_incline_creeps_down():
    angle, mu = 20 * DEGREE, 0.6
    traj = block((0.2, 0.2, 0.02), linear=(0, 1, 0), incline=angle, friction=mu).run(2.0)
    assert traj.body("block").position[-1, 0] > 1e-3  # friction is spent on the way across
    found = points_of(traj, "block")
    sliding = (found.mode == SLIDING) & (found.slips > 1e-6)
    assert sliding.any()
    opposed = np.einsum("tpk,tpk->tp", found.friction, found.slip) + mu * found.normal * found.slips
    assert np.abs(opposed[sliding]).max() < 1e-9


def tripod(**options):
    """A plate on three feet that slides and spins until it stops; how far it is then, and when all feet stick."""
    mech = rg.Mechanism()
    mech.add_body("plate", rg.Inertia.box(1.0, (0.3, 0.3, 0.02)))
    mech.add_joint("free", rg.Free(), "world", "plate")
    for k in range(3):
        turn = 2 * math.pi * k / 3 + 0.3
        mech.add_frame(f"foot {k}", "plate", rg.Pose(translation=(0.15 * math.cos(turn), 0.15 * math.sin(turn), -0.05)))
    state = mech.state(q={"free": (0, 0, 0.05, 1, 0, 0, 0)}, v={"free": (1.0, 0.2, 0, 0, 0, 6.0)})
    traj = rg.simulate(mech, state, 0.6, contacts=[rg.Contact(f"foot {k}", friction=0.3) for k in range(3)], **options)
    pose = rg.body_poses(*traj.final)["plate"]
    return traj.events, np.concatenate((pose.translation, pose.rotation.ravel()))


def test_what_slides_and_spins_stops_at_the_same_place_whatever_the_steps():
    """Its feet stop at once: slide and spin end together, as friction on three points leaves no other way."""
    exact = tripod(rtol=1e-12, atol=1e-13)
    for rtol in (1e-9, 1e-10, 1e-11):
        events, place = tripod(rtol=rtol, atol=rtol / 10)
        assert [event.name for event in events] == [f"foot {k} sticks" for k in range(3)]
        assert [event.t for event in events] == pytest.approx([event.t for event in exact[0]], abs=1e-8)
        assert place == pytest.approx(exact[1], abs=1e-10)


def test_a_steady_slide_is_not_looked_at_within_its_steps_and_its_end_is_found(monkeypatch):
    made, stop = [], 2.0 / (0.4 * G)

    class Kept(ContactTables):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(contacting, "ContactTables", Kept)
    for duration, quiet in ((0.5 * stop, 1), (0.99 * stop, 0)):
        puck(speed=2.0, friction=0.4).run(duration, step=0.01)
        assert made[-1].header[QUIET] == quiet
    traj = puck(speed=2.0, friction=0.4).run(1.0, step=0.01)
    assert [event.t for event in traj.events] == pytest.approx([stop], abs=1e-12)
