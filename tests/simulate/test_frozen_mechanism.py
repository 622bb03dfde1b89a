"""Functions of a run cannot change its mechanism; actions change a copy."""

import pickle

import numpy as np
import pytest

import regraft as rg
from simple_mechanisms import arm

BOX = rg.Inertia.box(1.0, (0.1, 0.1, 0.1))


def swinging():
    mech = rg.Mechanism()
    mech.add_body("box", rg.Inertia.box(1.0, (0.2, 0.1, 0.3), at=(0, 0, -0.5)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "box")
    return mech, mech.state(q={"hinge": 1.0})


CHANGES = {
    "body": lambda mech: mech.add_body("more", BOX),
    "joint": lambda mech: mech.add_joint("more", rg.Fixed(), "world", next(iter(mech.bodies))),
    "frame": lambda mech: mech.add_frame("more", "world"),
    "spring": lambda mech: mech.add_spring("more", "world", (0, 0, 0), next(iter(mech.bodies)), (0, 0, 0), stiffness=1.0),
}


def within(kind, change):
    """A run in which a function of this kind changes what it is given."""

    def call(mech):
        change(mech)
        return {}

    if kind == "guard":
        return {"events": rg.Event("e", lambda mech, state: len(call(mech)) + 1.0)}
    return {kind: lambda t, mech, state: call(mech)}


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("kind", ["torque", "wrenches", "guard"])
def test_a_function_cannot_change_the_mechanism_of_its_run(kind, change, coordinates):
    mech, state = swinging()
    before = mech.to_dict()
    with pytest.raises(rg.SimulationError, match=r"'more' cannot be added: this mechanism is frozen.*mech\.copy\(\)") as problem:
        rg.simulate(mech, state, 1.0, coordinates=coordinates, **within(kind, change))
    assert problem.value.trajectory.final[0] == mech
    assert mech.to_dict() == before


@pytest.mark.parametrize("kind", ["torque", "wrenches", "guard"])
def test_a_function_may_change_a_copy(kind):
    mech, state = swinging()
    plain = rg.simulate(mech, state, 0.5)
    traj = rg.simulate(mech, state, 0.5, **within(kind, lambda mech: [change(mech.copy()) for change in CHANGES.values()]))
    assert np.abs(traj.final[1].q - plain.final[1].q).max() < 1e-12


def test_a_frozen_mechanism_answers_as_the_other_does():
    mech, state = arm()
    structure, frozen = mech.structure, mech.frozen()
    assert frozen == mech
    assert frozen.structure is structure
    assert np.array_equal(rg.forward_dynamics(frozen, state), rg.forward_dynamics(mech, state))
    changed, there = rg.reroot(frozen, state, "hand")
    changed.add_frame("more", "world")
    changed.check_state(there)
    with pytest.raises(rg.StructureError, match="frozen"):
        pickle.loads(pickle.dumps(frozen)).add_frame("more", "world")
    mech.add_frame("more", "world")
    assert "more" not in frozen.frames


def test_what_a_trajectory_gives_can_be_changed():
    mech, _ = rg.simulate(*swinging(), 0.1).final
    mech.add_frame("more", "world")


def test_an_action_cannot_change_the_mechanism_afterwards():
    """What it returned is copied: whoever keeps it may change it and the run does not see it."""
    kept = []

    def action(mech, state):
        mech.add_frame("there", "world")
        kept.append(mech)
        return mech, mech.state(q=state.q, v=0.5 * state.v)

    def torque(t, mech, state):
        if kept:
            kept.pop().add_body("more", BOX)
        return np.zeros(mech.nv)

    traj = rg.simulate(*swinging(), 0.5, torque=torque, events=rg.at_time(0.2, action))
    assert list(traj.final[0].bodies) == list(swinging()[0].bodies)
    assert "there" in traj.final[0].frames


def test_an_initial_value_problem_shows_a_frozen_mechanism():
    mech, state = swinging()
    problem = rg.as_ivp(mech, torque=lambda t, mech, state: mech.add_frame("more", "world"))
    with pytest.raises(rg.StructureError, match="frozen"):
        problem.fun(0.0, problem.y0(state))
