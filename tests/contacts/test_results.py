"""What a trajectory says of its contacts: weights, friction and impulses in closed form, across files and processes."""

import math
import pickle

import numpy as np
import pytest

import regraft as rg
from regraft.tolerances import REST_SPEED

G = 9.81
FIELDS = ("mode", "normal", "friction", "force", "point", "slip", "gap", "unique")


def free(name, inertia, form, pose, velocity=(0, 0, 0, 0, 0, 0), mech=None):
    """One body that moves freely, and the state in which it has this pose and velocity."""
    mech = rg.Mechanism() if mech is None else mech
    mech.add_body(name, inertia)
    mech.add_joint(f"{name} free", rg.Free(), "world", name)
    mech.add_shape(name, form, f"{name} shape")
    return mech, mech.state(q={f"{name} free": (*pose, 1, 0, 0, 0)}, v={f"{name} free": velocity})


def cube(velocity=(6.0, 0, 0, 0, 0, 0), side=0.1):
    return free("cube", rg.Inertia.box(1.0, (side,) * 3), rg.Box((side,) * 3), (0, 0, side / 2), velocity)


def ball(height=1.0, velocity=(0, 0, 0, 0, 0, 0), mass=1.0):
    return free("ball", rg.Inertia.sphere(mass, 0.1), rg.Sphere(0.1), (0, 0, height + 0.1), velocity)


def two_bodies():
    """Two rods, joined at an elbow, that fall on their ends and their elbow."""
    mech = rg.Mechanism()
    mech.add_body("upper", rg.Inertia.rod(1.0, (0, 0, 0), (0.5, 0, 0)))
    mech.add_body("lower", rg.Inertia.rod(0.7, (0, 0, 0), (0.4, 0, 0)))
    mech.add_joint("plane", rg.Planar((0, -1, 0)), "world", "upper")
    mech.add_joint("elbow", rg.Revolute((0, -1, 0)), "upper", "lower", rg.Pose(translation=(0.5, 0, 0)))
    mech.add_frame("shoulder", "upper")
    mech.add_frame("middle", "lower")
    mech.add_frame("hand", "lower", rg.Pose(translation=(0.4, 0, 0)))
    state = mech.state(q={"plane": (0, 0.6, 0.3), "elbow": -0.9}, v={"plane": (0.5, 0.0, -1.0), "elbow": 2.0})
    return mech, state, [rg.Contact(name, friction=0.3, restitution=0.2) for name in ("shoulder", "middle", "hand")]


def left_over(traj):
    """How far kinetic, potential and dissipated energy together change, relative to all that there was."""
    energy, contacts = traj.energy(), traj.contacts()
    balance = energy.total + contacts.dissipated - contacts.supplied
    return np.ptp(balance) / max(energy.kinetic.max(), np.ptp(energy.potential))


# --- forces -----------------------------------------------------------------------------------------------------------------


def test_the_whole_force_has_the_direction_of_the_surface():
    tilt = 0.3
    mech, state = ball(height=0.0)
    mech.add_shape("world", rg.Plane((math.sin(tilt), 0, math.cos(tilt))), "slope")
    down = 0.1 / math.cos(tilt)  # where it touches the slope
    state = state.replace(q={"ball free": (0, 0, down, 1, 0, 0, 0)})
    found = rg.simulate(mech, state, 0.3, contacts=rg.Contact("ball", "slope", friction=0.0)).contacts()["ball"]
    pushes = G * math.cos(tilt) * np.array((math.sin(tilt), 0, math.cos(tilt)))
    assert found.force[1:] == pytest.approx(np.broadcast_to(pushes, found.force[1:].shape), abs=1e-7)
    mech, state = cube()
    whole = rg.simulate(mech, state, 0.3, contacts=rg.Contact("cube", friction=0.5)).contacts()["cube"]
    assert whole.force == pytest.approx(whole.friction + whole.normal[:, None] * (0, 0, 1), abs=1e-9)
    assert len(whole.points) > 1


def test_a_cube_slides_and_stops():
    mech, state = cube()
    traj = rg.simulate(mech, state, 1.5, contacts=rg.Contact("cube", friction=0.5))
    found, stops = traj.contacts()["cube"], 6.0 / (0.5 * G)
    slides = np.arange(len(traj.t)) <= np.flatnonzero(traj.t < stops - 1e-9)[-1] + 1
    assert (found.mode[slides] == "sliding").all()
    assert (found.mode[~slides] == "sticking").all()
    assert found.normal == pytest.approx(G, abs=1e-9)
    assert found.friction[slides] == pytest.approx(np.tile([-0.5 * G, 0, 0], (slides.sum(), 1)), abs=1e-4)
    assert found.friction[~slides] == pytest.approx(0.0, abs=1e-9)
    assert found.slip[slides, 0] == pytest.approx(6.0 - 0.5 * G * traj.t[slides], abs=1e-9)
    assert np.abs(found.gap).max() < 1e-12
    assert not found.impacts
    # friction at the height 0 turns the cube forward, so that it presses in front of its middle: µ h/2
    centre = found.point - traj.body("cube").position
    assert centre[slides] == pytest.approx(np.tile([0.5 * 0.05, 0, -0.05], (slides.sum(), 1)), abs=1e-6)
    assert centre[~slides] == pytest.approx(np.tile([0, 0, -0.05], ((~slides).sum(), 1)), abs=1e-9)


def test_points_have_histories_of_their_own():
    mech, state = cube()
    contacts = rg.simulate(mech, state, 1.5, contacts=rg.Contact("cube", friction=0.5)).contacts()
    whole, points = contacts["cube"], contacts["cube"].points
    assert list(contacts) == ["cube"]
    assert len(points) == 8
    assert "cube/0" in contacts
    assert "cube/8" not in contacts
    assert all(contacts[f"cube/{i}"] is point for i, point in enumerate(points))
    assert points[0].points == (points[0],)
    assert sum(point.normal for point in points) == pytest.approx(whole.normal, abs=1e-12)
    assert sum(point.friction for point in points) == pytest.approx(whole.friction, abs=1e-12)
    lower = [i for i, point in enumerate(points) if point.mode[0] != "open"]
    assert len(lower) == 4
    for i, point in enumerate(points):
        assert (point.normal >= 0.0).all()
        assert (np.linalg.norm(point.friction, axis=1) <= 0.5 * point.normal + 1e-9).all()
        assert point.gap[-1] == pytest.approx(0.0 if i in lower else 0.1, abs=1e-12)
    assert whole.unique.all()  # four points share the load in many ways, but their sum is one
    assert not any(points[i].unique.any() for i in lower)
    with pytest.raises(rg.ModelError, match="no contact 'cub'; it has: 'cube'"):
        contacts["cub"]


def test_a_ball_slides_until_it_rolls():
    mech, state = ball(0.0, (5.0, 0, 0, 0, 0, 0))
    traj = rg.simulate(mech, state, 1.0, contacts=rg.Contact("ball", friction=0.2))
    found, rolls = traj.contacts()["ball"], 2 * 5.0 / (7 * 0.2 * G)
    assert (found.mode[traj.t < rolls - 1e-8] == "sliding").all()
    assert (found.mode[traj.t > rolls + 1e-8] == "rolling").all()
    assert found.unique.all()
    sliding = traj.t < rolls - 1e-3
    assert found.friction[sliding] == pytest.approx(np.tile([-0.2 * G, 0, 0], (sliding.sum(), 1)), abs=1e-9)
    assert found.friction[traj.t > rolls + 1e-8] == pytest.approx(0.0, abs=1e-9)
    assert found.point[:, 0] == pytest.approx(traj.body("ball").position[:, 0], abs=1e-12)


def test_what_rests_on_a_slope_sticks_and_does_not_roll():
    slope = math.atan(0.3)
    mech = rg.Mechanism(gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    mech, state = free("cube", rg.Inertia.box(2.0, (0.1,) * 3), rg.Box((0.1,) * 3), (0, 0, 0.05), mech=mech)
    found = rg.simulate(mech, state, 0.2, contacts=rg.Contact("cube", friction=0.5)).contacts()["cube"]
    assert (found.mode == "sticking").all()
    assert found.friction[:, 0] == pytest.approx(-2.0 * G * math.sin(slope), abs=1e-9)
    assert found.normal == pytest.approx(2.0 * G * math.cos(slope), abs=1e-9)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_torques_and_wrenches_that_acted_are_counted(coordinates):
    mech, state = cube((0, 0, 0, 0, 0, 0))

    def wrenches(t, _mech, _state):
        return {"cube": (0, 0, 0, 1.0 + t, 0, -2.0 * t)}

    options = {"wrenches": wrenches, "coordinates": coordinates}
    traj = rg.simulate(mech, state, 0.5, contacts=rg.Contact("cube", friction=0.5), **options)
    found = traj.contacts()["cube"]
    assert found.normal == pytest.approx(G + 2.0 * traj.t, abs=1e-8)
    assert found.friction[:, 0] == pytest.approx(-1.0 - traj.t, abs=1e-8)
    wrench = traj.contact_wrenches()["cube"]
    assert wrench[:, 3:] + [(1.0 + t, 0, -2.0 * t - G) for t in traj.t] == pytest.approx(0.0, abs=1e-8)
    assert np.abs(wrench[:, :3]).max() < 1e-8  # the cube does not turn, and the push is at its middle


def lift(**options):
    """A table on a prescribed lift, with a load on it that rests on its plate."""
    mech = rg.Mechanism()
    mech.add_body("table", rg.Inertia.box(3.0, (1, 1, 0.1)))
    mech.add_joint("lift", rg.Prismatic((0, 0, 1)), "world", "table")
    mech.add_shape("table", rg.Plane(), "plate", rg.Pose(translation=(0, 0, 0.05)))
    mech, state = free("load", rg.Inertia.sphere(2.0, 0.1), rg.Sphere(0.1), (0, 0, 0.15), mech=mech)
    motion = lambda t: (0.5 * 1.5 * t * t, 1.5 * t, 1.5)  # noqa: E731
    return rg.simulate(
        mech, state, 0.4, contacts=rg.Contact("load", "plate", friction=0.3), prescribed={"lift": motion}, **options
    )


def test_a_prescribed_lift_carries_what_lies_on_it():
    traj = lift()
    assert traj.contacts()["load"].normal == pytest.approx(2.0 * (G + 1.5), abs=1e-8)
    assert traj.torques()["lift"] == pytest.approx(5.0 * (G + 1.5), abs=1e-8)
    assert traj.contact_wrenches()["table"][:, 5] == pytest.approx(-2.0 * (G + 1.5), abs=1e-8)


def test_reactions_count_what_contacts_do():
    """A pendulum whose bob lies on the ground: its hinge carries what the ground does not."""
    mech = rg.Mechanism()
    mech.add_body("bar", rg.Inertia.rod(2.0, (0, 0, 0), (1.0, 0, 0)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bar")
    mech.add_frame("end", "bar", rg.Pose(translation=(1.0, 0, 0)))
    traj = rg.simulate(mech, mech.state(), 0.3, contacts=rg.Contact("end", friction=0.4))
    assert traj.contacts()["end"].normal == pytest.approx(G, abs=1e-9)
    assert traj.reactions()["hinge"][:, 5] == pytest.approx(G, abs=1e-9)
    assert traj.reactions()["hinge"][:, [1]] == pytest.approx(0.0, abs=1e-9)


# --- impacts ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounce", [0.0, 0.5, 1.0])
def test_an_impact_has_its_impulse_and_its_loss(bounce):
    mech, state = ball(1.0, mass=3.0)
    traj = rg.simulate(mech, state, 0.6, contacts=rg.Contact("ball", restitution=bounce))
    (impact,), speed = traj.contacts()["ball"].impacts, math.sqrt(2 * G)
    assert impact.t == pytest.approx(speed / G, abs=1e-12)
    assert impact.impulse == pytest.approx([0, 0, 3.0 * (1 + bounce) * speed], abs=1e-10)
    assert impact.energy == pytest.approx(0.5 * 3.0 * speed**2 * (1 - bounce**2), abs=1e-9)


def test_both_balls_take_the_same_impulse_and_sums_are_of_all_points():
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name in ("one", "other"):
        mech.add_body(name, rg.Inertia.sphere(1.0 if name == "one" else 2.0, 0.1))
        mech.add_joint(f"{name} x", rg.Prismatic((1, 0, 0)), "world", name)
        mech.add_shape(name, rg.Sphere(0.1), f"{name} shape")
    state = mech.state(q={"one x": 0.0, "other x": 0.5}, v={"one x": 2.0})
    traj = rg.simulate(mech, state, 0.5, contacts=rg.Contact("one", "other", restitution=0.4))
    (impact,) = traj.contacts()["one"].impacts
    size = 1.4 * (2.0 / 3.0) * 2.0
    assert impact.impulse == pytest.approx([-size, 0, 0], abs=1e-12)
    assert impact.energy == pytest.approx(0.5 * (2.0 / 3.0) * 4.0 * (1 - 0.16), abs=1e-12)
    mech, state = free("cube", rg.Inertia.box(1.0, (0.1,) * 3), rg.Box((0.1,) * 3), (0, 0, 1.05))
    contacts = rg.simulate(mech, state, 0.6, contacts=rg.Contact("cube")).contacts()
    (impact,) = contacts["cube"].impacts
    assert impact.impulse == pytest.approx([0, 0, math.sqrt(2 * G)], abs=1e-10)
    assert sum(i.impulse[2] for point in contacts["cube"].points for i in point.impacts) == pytest.approx(impact.impulse[2])


def test_an_impact_at_the_very_start_is_one_too():
    mech, state = ball(0.0, (0, 0, -2.0, 0, 0, 0))
    (impact,) = rg.simulate(mech, state, 0.1, contacts=rg.Contact("ball", restitution=0.5)).contacts()["ball"].impacts
    assert impact.t == 0.0
    assert impact.impulse == pytest.approx([0, 0, 3.0], abs=1e-12)
    assert impact.energy == pytest.approx(0.5 * (4.0 - 1.0), abs=1e-12)


# --- energy -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scene", "duration", "settings"),
    [
        (cube(), 1.5, {"friction": 0.5}),
        (cube((2.0, 0.5, 0, 0, 0, 10.0)), 1.5, {"friction": 0.5}),
        (ball(0.0, (5.0, 1.0, 0, 30.0, 0, 7.0)), 1.0, {"friction": 0.2}),
        (ball(1.0, (0, 0, 0, 0, 50.0, 0)), 3.0, {"friction": 0.2, "restitution": 0.6}),
    ],
    ids=["cube", "spinning cube", "spinning ball", "bouncing ball"],
)
def test_energy_is_what_is_left_and_what_was_taken(scene, duration, settings):
    (mech, state), name = scene, next(iter(scene[0].bodies))
    traj = rg.simulate(mech, state, duration, contacts=rg.Contact(name, **settings))
    contacts = traj.contacts()
    assert left_over(traj) < 1e-9
    assert contacts.dissipated[0] == 0.0
    assert (np.diff(contacts.dissipated) >= -1e-12).all()
    assert contacts.dissipated[-1] > 0.5
    assert contacts.dissipated_by(name) == pytest.approx(contacts.dissipated, abs=1e-12)
    lost = sum(impact.energy for impact in contacts[name].impacts)
    assert lost <= contacts.dissipated[-1] + 1e-12


def test_a_cube_loses_all_that_it_had_and_a_ball_two_sevenths():
    for (mech, state), energy in ((cube(), 18.0), (ball(0.0, (5.0, 0, 0, 0, 0, 0)), 12.5 * 2 / 7)):
        (name,) = mech.bodies
        traj = rg.simulate(mech, state, 1.5, contacts=rg.Contact(name, friction=0.5))
        assert traj.contacts().dissipated[-1] == pytest.approx(energy, rel=1e-9)


def test_a_mechanism_that_falls_balances():
    mech, state, contacts = two_bodies()
    traj = rg.simulate(mech, state, 1.5, contacts=contacts)
    found = traj.contacts()
    assert sum(len(history.impacts) for history in found.values()) > 3
    assert left_over(traj) < 1e-9
    assert sum(found.dissipated_by(name) for name in found) == pytest.approx(found.dissipated, abs=1e-12)


def test_a_belt_brings_as_much_as_it_burns_while_it_takes_along():
    mech, state = ball(0.0)
    traj = rg.simulate(mech, state, 1.0, contacts=rg.Contact("ball", friction=0.2, velocity=(1, 0, 0)))
    contacts = traj.contacts()
    kinetic = 0.5 * (2 / 7) ** 2 + 0.5 * 0.4 * (1 - 2 / 7) ** 2  # it comes along with 2/7 of the belt's velocity, and turns back
    assert traj.energy().kinetic[-1] == pytest.approx(kinetic, abs=1e-9)
    assert contacts.supplied[-1] == pytest.approx(2 / 7, abs=1e-9)  # the impulse on the ball times the belt's velocity
    assert contacts.dissipated[-1] == pytest.approx(2 / 7 - kinetic, abs=1e-9)


# --- bounces without end ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounce", [0.5, 0.9])
def test_bounces_without_end_are_one_event(bounce):
    mech, state = ball(1.0)
    first = math.sqrt(2 / G)
    end = first * (1 + bounce) / (1 - bounce)
    traj = rg.simulate(mech, state, end + 0.5, contacts=rg.Contact("ball", friction=0.1, restitution=bounce))
    assert [event.name for event in traj.events] == ["ball touches", "ball comes to rest"]
    touch, rest = traj.events
    assert touch.t == pytest.approx(first, abs=1e-12)
    assert rest.t == pytest.approx(end, abs=1e-11)
    impacts = traj.contacts()["ball"].impacts
    assert rest.count == len(impacts) == 1 + math.floor(math.log(REST_SPEED / math.sqrt(2 * G)) / math.log(bounce))
    assert np.diff([impact.t for impact in impacts])[:5] == pytest.approx(2 * first * bounce ** np.arange(1, 6), abs=1e-12)
    assert (traj.contacts()["ball"].mode[traj.t > rest.t] == "sticking").all()
    t, name = rest  # an event is still a pair
    assert (t, name) == (rest.t, "ball comes to rest")


def test_what_lands_once_and_what_never_rests_has_no_such_event():
    for bounce, impacts in ((0.0, 1), (1.0, 5)):
        mech, state = ball(1.0)
        traj = rg.simulate(mech, state, 4.2, contacts=rg.Contact("ball", restitution=bounce))
        assert [event.count for event in traj.events] == [1] * impacts
        assert len(traj.contacts()["ball"].impacts) == impacts


def test_what_rocks_from_foot_to_foot_comes_to_rest_on_both():
    """A slender block on two feet, each a contact of its own: Housner's block."""
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.box(1.0, (0.25, 0.5, 1.0)))
    mech.add_joint("plane", rg.Planar((0, -1, 0)), "world", "block")
    for name, x in (("left", -0.125), ("right", 0.125)):
        mech.add_frame(name, "block", rg.Pose(translation=(x, 0, -0.5)))
    corner = rg.Pose.about((0, -1, 0), 0.1).apply((-0.125, 0, -0.5))
    state = mech.state(q={"plane": (-0.125 - corner[0], -corner[2], 0.1)})
    traj = rg.simulate(mech, state, 8.0, contacts=[rg.Contact(name, friction=2.0) for name in ("left", "right")])
    (rest,) = [event for event in traj.events if event.count > 1]
    assert rest.name == "left and right come to rest"
    times = [impact.t for name in ("left", "right") for impact in traj.contacts()[name].impacts]
    assert rest.count == len(set(times)) > 40
    assert max(times) < rest.t < max(times) + 1e-3
    assert traj.contacts()["left"].normal[-1] == pytest.approx(G / 2, abs=1e-8)


# --- elsewhere ----------------------------------------------------------------------------------------------------------------


def driven():
    """A cube that is pushed about by a function, and a ball that bounces beside it."""
    mech, _ = cube()
    mech, _ = free("ball", rg.Inertia.sphere(1.0, 0.1), rg.Sphere(0.1), (3, 0, 0.5), mech=mech)
    state = mech.state(q={"cube free": (0, 0, 0.05, 1, 0, 0, 0), "ball free": (3, 0, 0.6, 1, 0, 0, 0)})
    state = state.replace(v={"cube free": (1.0, 0, 0, 0, 0, 0)})
    contacts = [rg.Contact("cube", friction=0.3), rg.Contact("ball", friction=0.2, restitution=0.5)]
    push = lambda t, _mech, _state: {"cube": (0, 0, 0, 4.0 * math.sin(9.0 * t), 0, 0)}  # noqa: E731
    return rg.simulate(mech, state, 1.2, contacts=contacts, wrenches=push)


def same(one, other):
    assert list(one) == list(other)
    for name in one:
        for what in FIELDS:
            assert np.array_equal(getattr(one[name], what), getattr(other[name], what)), (name, what)
        assert len(one[name].impacts) == len(other[name].impacts)
        for a, b in zip(one[name].impacts, other[name].impacts, strict=True):
            assert (a.t, a.energy) == (b.t, b.energy)
            assert np.array_equal(a.impulse, b.impulse)
    return True


def test_files_and_processes_keep_all_of_it(tmp_path):
    traj = driven()
    assert traj.contacts()["cube"].mode.tolist().count("sticking") > 1
    traj.save(tmp_path / "motion.npz")
    for again in (rg.load(tmp_path / "motion.npz"), pickle.loads(pickle.dumps(traj))):
        assert same(traj.contacts(), again.contacts())
        assert again.events == traj.events
        assert [event.count for event in again.events] == [event.count for event in traj.events]
        with pytest.raises(rg.ModelError, match="between samples, which are not known"):
            _ = again.contacts().dissipated
    joined = rg.join(traj, rg.simulate(*traj.final, 0.1), shift=True)
    assert [event.count for event in joined.events] == [event.count for event in traj.events]
    later = rg.simulate(*traj.final, 0.1, start=1.2, contacts=rg.Contact("cube", friction=0.3))
    assert np.isnan((traj + later).contacts()["ball"].normal[-1])
    assert (traj + later).contacts()["ball"].mode[-1] == ""


def test_a_file_whose_contacts_do_not_fit_is_refused(tmp_path):
    traj = rg.simulate(*cube(), 0.1, contacts=rg.Contact("cube", friction=0.3))
    traj.save(tmp_path / "motion.npz")
    with np.load(tmp_path / "motion.npz") as arrays:
        kept = dict(arrays)
    kept["contacts0.modes"] = kept["contacts0.modes"][:3]
    np.savez(tmp_path / "other.npz", **kept)
    with pytest.raises(rg.ModelError, match="the contacts of segment 0 do not fit together"):
        rg.load(tmp_path / "other.npz")


def test_other_samples_see_the_same_forces():
    traj = rg.simulate(*ball(0.0, (5.0, 0, 0, 0, 0, 0)), 1.0, contacts=rg.Contact("ball", friction=0.2))
    other = traj.resample(0.05)
    found, slides = other.contacts()["ball"], other.t < 0.7
    assert found.friction[slides, 0] == pytest.approx(-0.2 * G, abs=1e-9)
    with pytest.raises(rg.ModelError, match="integrated along the dense output"):
        _ = other.contacts().dissipated


def test_contacts_stay_what_they_are_where_the_structure_changes():
    mech, state = ball(1.0)
    assert len(rg.simulate(mech, state, 0.1).contacts()) == 0
    again = rg.at_time(0.2, lambda m, s: rg.reroot(m, s, "ball", joint=rg.Free(), name="again"), "root")
    traj = rg.simulate(mech, state, 0.6, contacts=rg.Contact("ball", friction=0.5), events=again)
    found = traj.contacts()["ball"]
    assert found.gap[0] == pytest.approx(1.0, abs=1e-12)
    assert np.isfinite(found.gap).all()
    assert found.mode[0] == "open"
    assert found.normal[-1] == pytest.approx(G, abs=1e-9)


def test_a_contact_is_not_there_while_its_body_is_not():
    mech, _ = cube()
    mech, _ = free("ball", rg.Inertia.sphere(1.0, 0.1), rg.Sphere(0.1), (3, 0, 0.1), mech=mech)
    state = mech.state(q={"cube free": (0, 0, 0.05, 1, 0, 0, 0), "ball free": (3, 0, 0.1, 1, 0, 0, 0)})

    def without_ball(m, s):
        fewer = m.without("ball")
        return fewer, fewer.state(q={"cube free": s.q[m.q_slice("cube free")]})

    contacts = [rg.Contact(name, "ground", friction=0.5) for name in ("cube", "ball")]
    traj = rg.simulate(mech, state, 0.4, contacts=contacts, events=rg.at_time(0.2, without_ball, "gone"))
    after = np.arange(len(traj.t)) >= len(traj.segments[0].t)
    found = traj.contacts()
    assert found["cube"].normal == pytest.approx(G, abs=1e-9)
    assert found["ball"].normal[~after] == pytest.approx(G, abs=1e-9)
    for what in ("normal", "friction", "point", "slip", "gap"):
        assert np.isnan(getattr(found["ball"], what)[after]).all()
    assert (found["ball"].mode[after] == "").all()
    assert np.isnan(traj.contact_wrenches()["ball"][after]).all()
    assert traj.contact_wrenches()["cube"][:, 5] == pytest.approx(G, abs=1e-9)
    assert found.dissipated == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(rg.ModelError, match="there is no frame, shape or body 'ball'"):
        rg.simulate(mech.without("ball"), mech.without("ball").state(), 0.1, contacts=contacts)


def test_tables_have_a_column_for_each_number():
    contacts = rg.simulate(*cube(), 0.2, contacts=rg.Contact("cube", friction=0.5)).contacts()
    arrays = contacts.to_arrays()
    assert set(arrays) == {"t", *(f"cube.{what}" for what in ("mode", "normal", "friction", "point", "slip", "gap"))}
    pytest.importorskip("pandas")
    frame = contacts.to_pandas()
    assert frame["cube.normal"].to_numpy() == pytest.approx(G, abs=1e-9)
    assert frame["cube.mode"].iloc[0] == "sliding"
    assert "cube.friction[2]" in frame


def test_dry_friction_of_a_joint_is_counted_once_in_torques_and_reactions():
    """What slides on a held carriage with a friction of 1 N drags it with 1 N, and with nothing once it has stopped, at 2 s."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name, on, rubs in (("carriage", "world", 0.0), ("sledge", "carriage", 1.0)):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name} x", rg.Prismatic((1, 0, 0), friction=rubs), on, name)
    start = mech.state(v={"sledge x": 2.0})
    held = rg.simulate(mech, start, 3.0, prescribed={"carriage x": lambda _t: (0.0, 0.0, 0.0)})
    (stops,) = (event.t for event in held.events)
    assert stops == pytest.approx(2.0, abs=1e-12)
    slides = held.t <= stops
    slides[np.flatnonzero(slides)[-1]] = False  # of the two samples at the event, the one after it
    expected = np.where(slides, -1.0, 0.0)
    assert held.torques()["carriage x"] == pytest.approx(expected, abs=1e-12)
    assert held.reactions()["carriage x"][:, 3] == pytest.approx(expected, abs=1e-12)
    free = rg.simulate(mech, start, 0.5)
    assert free.reactions()["sledge x"][:, 3] == pytest.approx(-1.0, abs=1e-12)
