"""Gaits by contacts alone: S1's walker against re-rooting, and limit cycles that go through touches."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import wheel_kept, wheel_period, wheel_rate
from contacts.machines import rimless_wheel, spoke, walker

EXACT = {"rtol": 1e-12, "atol": 1e-13}
SLOPE, INERTIA = 0.08, 0.5


def legs(traj, t):
    """Poses and twists of both legs as one array."""
    mech, state = traj.mechanism(t), traj.state(t)
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    return np.concatenate([np.append(poses[leg].apply(np.eye(3)), twists[leg]) for leg in ("left", "right")])


def test_states_after_each_step_are_those_of_re_rooting():
    biped = rg.models.compass_biped()
    by_roots = rg.simulate(*biped.start, 4.6, events=biped.events, **EXACT)
    by_contacts = walker(biped, by_roots).run(4.6, **EXACT)
    strikes, touches = ([event.t for event in traj.events] for traj in (by_roots, by_contacts))
    assert touches == pytest.approx(strikes, abs=1e-11)
    assert len(strikes) == 6
    for strike, touch in zip(strikes, touches, strict=True):
        assert legs(by_contacts, touch + 1e-9) == pytest.approx(legs(by_roots, strike + 1e-9), abs=1e-10)


def test_multipliers_of_the_walker_are_those_of_re_rooting():
    biped = rg.models.compass_biped()
    expected = rg.gait.limit_cycle(*biped.start, events=biped.events, section="right strike")
    scene = walker(biped, rg.simulate(*biped.start, 3 * 0.7344, events=biped.events, **EXACT))
    stands, at = rg.frame_position(scene.mech, scene.state, "right foot"), scene.mech.q_slice("plane").start

    def match(mech, state):
        """The foot that has landed is where it was a stride before."""
        off, q = rg.frame_position(mech, state, "right foot") - stands, state.q.copy()
        q[at], q[at + 1] = q[at] - off[0], q[at + 1] - off[2]
        return mech.state(q=q, v=state.v)

    cycle = rg.gait.limit_cycle(scene.mech, scene.state, section="right foot touches", contacts=scene.contacts, match=match)
    assert cycle.period == pytest.approx(expected.period, abs=1e-9)
    found = cycle.multipliers[np.lexsort((cycle.multipliers.imag, -np.abs(cycle.multipliers).round(9)))]
    known = expected.multipliers[np.lexsort((expected.multipliers.imag, -np.abs(expected.multipliers).round(9)))]
    assert found[:4] == pytest.approx(known[:4], abs=1e-9)
    assert np.abs(found[4:]).max() < 1e-9
    assert not cycle.exact
    off = scene.mech.state(q=cycle.state.q, v=1.001 * cycle.state.v)
    assert cycle.convergence(off, 4).distances[-1] < 0.2 * cycle.convergence(off, 4).distances[0]


def wheel_cycle(**options):
    scene = rimless_wheel(1.03 * wheel_rate(SLOPE, inertia=INERTIA), SLOPE, inertia=INERTIA)

    def match(mech, state):
        """The spoke that has landed is where spoke 0 was."""
        q, lean = state.q.copy(), SLOPE - math.pi / 8
        hub = -rg.Pose.about((0, -1, 0), lean).apply(spoke(0))
        q[:] = hub[0], hub[2], lean
        return mech.state(q=q, v=state.v)

    landings = [f"spoke {i} touches" for i in range(8)]
    settings = {"section": landings, "contacts": scene.contacts, "match": match}
    return rg.gait.limit_cycle(scene.mech, scene.state, **(settings | options))


def test_a_rimless_wheel_has_its_known_cycle():
    cycle = wheel_cycle()
    assert cycle.period == pytest.approx(wheel_period(SLOPE, inertia=INERTIA), abs=1e-10)
    assert cycle.state.v[2] == pytest.approx(wheel_rate(SLOPE, inertia=INERTIA), abs=1e-10)
    assert cycle.multipliers[0] == pytest.approx(wheel_kept(inertia=INERTIA) ** 2, abs=1e-8)
    assert np.abs(cycle.multipliers[1:]).max() < 1e-9


def test_a_branch_of_the_wheel_on_contacts_is_its_closed_form():
    """The slope as the parameter: the ground, where the wheel starts, and how a landing is read as the start change with it."""

    def model_of(slope):
        scene = rimless_wheel(1.03 * wheel_rate(slope, inertia=INERTIA), slope, inertia=INERTIA)

        def match(mech, state):
            q, lean = state.q.copy(), slope - math.pi / 8
            hub = -rg.Pose.about((0, -1, 0), lean).apply(spoke(0))
            q[:] = hub[0], hub[2], lean
            return mech.state(q=q, v=state.v)

        return {"mech": scene.mech, "state": scene.state, "contacts": scene.contacts, "match": match}

    landings = [f"spoke {i} touches" for i in range(8)]
    branch = rg.gait.continuation(model_of, (0.08, 0.1), section=landings, arc_step=0.5, largest_arc_step=0.5)
    assert branch.complete
    assert branch.v[:, 2] == pytest.approx([wheel_rate(slope, inertia=INERTIA) for slope in branch.parameter], abs=1e-9)
    assert branch.period == pytest.approx([wheel_period(slope, inertia=INERTIA) for slope in branch.parameter], abs=1e-9)
    assert branch.multipliers[:, 0] == pytest.approx(np.full(len(branch), wheel_kept(inertia=INERTIA) ** 2), abs=1e-7)


def test_two_steps_of_the_wheel_are_one_return_too():
    assert wheel_cycle(returns=2).multipliers[0] == pytest.approx(wheel_kept(inertia=INERTIA) ** 4, abs=1e-8)


def test_a_section_that_no_contact_has_is_an_error():
    with pytest.raises(rg.ModelError, match=r"section must name events.*'spoke 9 touches'.*spoke 0 touches"):
        wheel_cycle(section="spoke 9 touches")
