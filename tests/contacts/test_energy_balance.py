"""No energy goes where nobody has taken it: events that are no impacts, and steps, take nothing out of velocities."""

import numba
import numpy as np
import pytest

import regraft as rg
from contacts.machines import stack
from contacts.random_scenes import random_scene
from contacts.reading import impact_times
from regraft.demos.contact.blocks import dominoes
from regraft.demos.contact.motion import move

G = 9.81


def missing(traj):
    """By how much energy, and what contacts took and brought, change together; relative to the energy that was exchanged."""
    energy, contacts = traj.energy(), traj.contacts()
    total = energy.total + contacts.dissipated - contacts.supplied
    return np.ptp(total) / max(energy.kinetic.max(), np.ptp(energy.potential))


# corners that slide off corners (up to 0.2), dominoes that nearly jam as they lie down (from 0.2 on), slips of 1e-11 m/s that
# others follow at 1e-3 m/s (10 dominoes), forces that are nearly not unique (6 at 0.25)
ROWS = [(2, 0.1), (2, 0.15), (3, 0.2), (4, 0.2), (5, 0.2), (6, 0.25), (7, 0.3), (8, 0.15), (8, 0.22), (10, 0.6), (12, 0.3)]


@pytest.mark.parametrize(("count", "friction"), ROWS)
def test_dominoes_lose_energy_by_friction_and_impacts_alone(count, friction):
    moved = move(dominoes(count, friction))
    assert missing(moved.traj) < 1e-9
    assert len(moved.traj.events) > 5


@pytest.mark.parametrize("apart", [0.02, 0.028, 0.042])
def test_so_they_do_at_other_distances(apart):
    assert missing(move(dominoes(4, 0.25, apart)).traj) < 1e-9


# --- slips that end within a step -------------------------------------------------------------------------------------------


def slips_at_their_ends(traj):
    """How fast points slip just before the events at which they stick."""
    contacts = traj.contacts()
    ends = [(event.name.removesuffix(" sticks"), event.t) for event in traj.events if event.name.endswith(" sticks")]
    return np.array([np.linalg.norm(contacts[name].slip[np.searchsorted(traj.t, t)]) for name, t in ends])


def test_a_slip_ends_by_friction_and_not_by_being_stopped():
    """A body rocks on two of its points; long steps end where slips of 1 to 9 cm/s do."""
    traj = random_scene(5001).run(3.8)
    assert missing(traj) < 1e-9
    slips = slips_at_their_ends(traj)
    assert len(slips) > 100
    assert slips.max() < 1e-5


def test_a_box_that_slides_and_turns_between_others_loses_what_friction_takes():
    """How four points share a load decides on their friction where they slide; the box below, which rests, takes part in it."""
    scene = stack(boxes=3, shift=0.005)
    state = scene.mech.state(q=scene.state.q, v={"box 1 free": (0.8, 0.1, 0, 0, 0, 0.3)})
    traj = rg.simulate(scene.mech, state, 0.03, contacts=scene.contacts)
    assert (traj.contacts()["box 1 corner 0"].mode == "sliding").all()
    assert missing(traj) < 1e-12


# --- a point that slides off an edge ------------------------------------------------------------------------------------------


def tip_on(form, place, speed):
    """A ball of 1 kg whose lowest point, a frame, moves along x over a shape of the world; in the plane, without friction."""
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.05))
    mech.add_joint("base", rg.Planar((0, 1, 0)), "world", "ball")
    mech.add_frame("tip", "ball", rg.Pose(translation=(0, 0, -0.05)))
    mech.add_shape("world", form, "table", place)
    return mech, mech.state(q={"base": (0.0, -0.05, 0.0)}, v={"base": (speed, 0.0, 0.0)})


TABLES = {
    "box": (rg.Box((0.4, 1.0, 0.2)), rg.Pose(translation=(0, 0, -0.1))),
    "cylinder": (rg.Cylinder(0.2, 0.2), rg.Pose(translation=(0, 0, -0.1))),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_point_that_slides_off_an_edge_keeps_its_velocity(table):
    mech, state = tip_on(*TABLES[table], 1.0)
    traj = rg.simulate(mech, state, 0.4, contacts=rg.Contact("tip", "table"))
    assert [event.name for event in traj.events] == ["tip leaves"]
    assert traj.events[0].t == pytest.approx(0.2, abs=1e-12)
    assert len(impact_times(traj, "tip")) == 0
    x, down, _ = traj.final[1].q
    assert x == pytest.approx(0.4, abs=1e-12)
    assert down == pytest.approx(-0.05 + 0.5 * G * 0.2**2, abs=1e-12)


def test_a_point_that_comes_along_a_side_passes_an_edge_without_impact():
    mech, _ = tip_on(*TABLES["box"], 1.0)
    state = mech.state(q={"base": (-0.4, -0.05, 0.0)}, v={"base": (1.0, -1e-3, 0.0)})
    traj = rg.simulate(mech.replace(gravity=(0, 0, 0)), state, 1.0, contacts=rg.Contact("tip", "table"))
    assert traj.events == []


# --- velocities that would have to jump ---------------------------------------------------------------------------------------


@numba.njit
def valley(x, y):  # noqa: ARG001
    """A valley with a sharp bottom at x = 0.3."""
    return 0.5 * abs(x - 0.3), 0.5 if x > 0.3 else -0.5, 0.0, 0.0, 0.0, 0.0


def test_a_velocity_that_would_have_to_jump_without_an_impact_is_an_error_that_names_the_contact():
    mech, _ = tip_on(rg.surface(valley), rg.Pose(), 0.0)
    state = mech.state(q={"base": (0.0, -0.05 - 0.15, 0.0)}, v={"base": (1.0, 0.5, 0.0)})
    with pytest.raises(rg.SimulationError, match=r"contact 'tip' .*stopped at once") as caught:
        rg.simulate(mech, state, 1.0, contacts=rg.Contact("tip", "table"))
    traj = caught.value.trajectory
    assert 0.2 < traj.t[-1] <= 0.35
    assert missing(traj) < 1e-9
