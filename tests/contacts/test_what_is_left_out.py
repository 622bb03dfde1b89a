"""What a run does not compute changes nothing: points that are far away, rows that tell nothing new, slips that go nowhere."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.machines import falling_figure, quadruped, shifting, walker
from contacts.random_scenes import random_scene
from contacts.reading import SLIDING, points_of
from contacts.scenes import IN_PLANE, Scene
from regraft.kernels.contacts.memory import FORCE, SPARED_ROWS
from regraft.kernels.contacts.tables import NORMAL, POINT, TANGENTS
from regraft.simulate.contacts.contacting import Contacting
from regraft.structure import contacts as tables


def same(a, b):
    """The same events at the same times, to the last digit, and the same end."""
    assert [(e.t, e.name) for e in a.events] == [(e.t, e.name) for e in b.events]
    np.testing.assert_array_equal(a.final[1].q, b.final[1].q)
    np.testing.assert_array_equal(a.final[1].v, b.final[1].v)


@pytest.fixture
def watchful(monkeypatch):
    """Lets runs look at the gaps of all open points in all steps."""
    return lambda: monkeypatch.setattr(tables, "steepness", lambda _: math.inf)


@pytest.mark.parametrize("seed", range(4))
def test_points_that_are_far_away_need_not_be_looked_at(seed, watchful):
    scene = random_scene(seed)
    passed_over = scene.run(0.6)
    watchful()
    same(passed_over, scene.run(0.6))


def test_nor_need_stones_that_a_foot_does_not_come_near(watchful):
    biped = rg.models.compass_biped()
    scene = walker(biped, rg.simulate(*biped.start, 3.0, events=biped.events))
    passed_over = scene.run(2.0)
    assert len(passed_over.events) > 1
    watchful()
    same(passed_over, scene.run(2.0))


def with_a_loop(scene):
    """The same scene beside a closed chain of its own: where there are loops all rows are computed with."""
    mech = scene.mech.copy()
    for name in ("crank", "rocker"):
        mech.add_body(name, rg.Inertia.box(1.0, (0.1, 0.1, 0.1), at=(0, 0, -0.3)))
        mech.add_joint(f"{name} hinge", rg.Revolute((0, 1, 0)), "world", name, rg.Pose(translation=(9, 0, 9)))
    mech.add_joint("both", rg.Fixed(), "crank", "rocker")
    q = {name: scene.state.q[scene.mech.q_slice(name)] for name in scene.mech.joints}
    return Scene(mech, mech.state(q=q), scene.touches)


def test_feet_on_three_points_move_as_with_all_their_rows():
    scene, fewer = quadruped(), quadruped()
    scene = with_a_loop(scene)
    full, spared = (each.run(0.3, torque=shifting(each)) for each in (scene, fewer))
    for body in fewer.mech.bodies:
        there, here = full.body(body), spared.body(body)
        np.testing.assert_allclose(here.position[-1], there.position[-1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(here.rotation[-1], there.rotation[-1], rtol=0, atol=1e-8)
    assert spared.energy().total[-1] != pytest.approx(spared.energy().total[0], abs=1e-6)  # it has moved


def test_nothing_slides_without_going_anywhere():
    """Heels and seat of a figure that lies jam its legs: friction there could be at its limit, and is not."""
    traj = falling_figure().run(1.5)
    for name in traj.contacts():
        found = points_of(traj, name)
        still = (found.mode == SLIDING) & (np.linalg.norm(found.slip, axis=-1) < 1e-9)
        # a slip that begins or ends is so slow for a moment only
        assert (still[:-1] & still[1:]).mean() < 0.01, name


PLACES = {
    "four": ((0.4, 0.4), (0.4, -0.4), (-0.4, 0.4), (-0.4, -0.4)),
    "three": ((0.4, 0.4), (0.2, -0.4), (-0.4, 0.0)),
    "in a line": ((0.4, 0.0), (0.1, 0.0), (-0.4, 0.0)),
}


@pytest.mark.parametrize("places", PLACES)
def test_points_of_a_patch_share_their_forces_by_the_shortest(places, monkeypatch):
    """Of a sled that is pushed and does not move; where its points are in one line it is kept in a plane."""
    made, begin = [], Contacting.__init__

    def note(self, *given):
        begin(self, *given)
        made.append(self.tables)

    monkeypatch.setattr(Contacting, "__init__", note)
    line, mech = places == "in a line", rg.Mechanism()
    mech.add_body("sled", rg.Inertia.box(2.0, (1.0, 1.0, 0.2)))
    mech.add_joint("base", IN_PLANE if line else rg.Free(), "world", "sled")
    for k, (x, y) in enumerate(PLACES[places]):
        mech.add_frame(f"leg {k}", "sled", rg.Pose(translation=(x, y, -0.1)))
    touches = [rg.Contact(f"leg {k}", "ground", friction=0.9) for k in range(len(PLACES[places]))]
    push = np.array([0.0, -0.2, 0.0, 2.0, 0.0, -4.0] if line else [0.1, -0.2, 0.3, 2.0, 1.0, -4.0])
    state = mech.state(q={"base": (0, 0.1, 0) if line else (0, 0, 0.1, 1, 0, 0, 0)})
    traj = rg.simulate(mech, state, 0.01, contacts=touches, wrenches={"sled": push})
    assert np.abs(traj.final[1].v).max() < 1e-12
    (found,) = made
    assert found.header[SPARED_ROWS] > 0
    forces = found.kept[:, FORCE : FORCE + 3].ravel()
    axes = found.met[:, [*range(NORMAL, NORMAL + 3), *range(TANGENTS, TANGENTS + 6)]].reshape(-1, 3)
    arms = np.repeat(found.met[:, POINT : POINT + 3], 3, axis=0) - (0.0, 0.0, 0.1)  # from the middle of the sled
    rows = np.concatenate((np.cross(arms, axes), axes), axis=1)
    carried = np.add(push, (0, 0, 0, 0, 0, -2.0 * 9.81))
    np.testing.assert_allclose(rows.T @ forces, -carried, rtol=0, atol=1e-12)
    np.testing.assert_allclose(forces, np.linalg.pinv(rows.T) @ -carried, rtol=0, atol=1e-12)
