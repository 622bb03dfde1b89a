"""Derivatives of a fixed step are those of the step that simulate takes, by all that it depends on."""

import numpy as np
import pytest

import regraft as rg
from learning.changes import AGREES, any_tree, flyer, random_rows, slope, stretched
from loops.closed_mechanisms import moving_four_bar
from random_mechanisms import relative_error

STEP = 4e-3


def along(mech, q, change):
    return np.array([rg.integrate(mech, one, change) for one in q])


def end_of_step(mech, q, v, tau, integrator="rk4", step=STEP):
    """The end of a step, with its position against that of the first call as a tangent vector."""
    found = rg.simulate_batch(mech, q, v, step, step=step, integrator=integrator, torque=tau[:, None], every="end")
    assert not found.failed
    return found.final_q, found.final_v


def differences(mech, q, v, tau, integrator, change):
    """(states, 2 nv): how the end changes with `change(h) -> (mech, q, v, tau)`."""
    base, _ = end_of_step(mech, q, v, tau, integrator)

    def end(h):
        q1, v1 = end_of_step(*change(h), integrator)
        return np.hstack((np.array([rg.difference(mech, a, b) for a, b in zip(q1, base, strict=True)]), v1))

    return slope(end)


@pytest.mark.parametrize("integrator", ["rk4", "euler"])
@pytest.mark.parametrize("make", [flyer, *(lambda seed=seed: any_tree(seed) for seed in range(6))])
def test_they_are_those_of_the_step_that_simulate_takes(make, integrator):
    mech = make()
    q, v, tau = random_rows(mech, 3)
    found = rg.step_derivatives(mech, q, v, tau, STEP, integrator)
    q1, v1 = end_of_step(mech, q, v, tau, integrator)
    assert relative_error(found.next_q, q1) < 1e-13
    assert relative_error(found.next_v, v1) < 1e-12
    nv, unit = mech.nv, np.eye(mech.nv)
    by_q = [differences(mech, q, v, tau, integrator, lambda h, e=e: (mech, along(mech, q, h * e), v, tau)) for e in unit]
    by_v = [differences(mech, q, v, tau, integrator, lambda h, e=e: (mech, q, v + h * e, tau)) for e in unit]
    by_tau = [differences(mech, q, v, tau, integrator, lambda h, e=e: (mech, q, v, tau + h * e)) for e in unit]
    assert relative_error(found.state[:, :, :nv], np.stack(by_q, axis=2)) < AGREES
    assert relative_error(found.state[:, :, nv:], np.stack(by_v, axis=2)) < AGREES
    assert relative_error(found.tau, np.stack(by_tau, axis=2)) < AGREES
    assert found.parameters.shape == (3, 2 * nv, 0)


@pytest.mark.parametrize("integrator", ["rk4", "euler"])
def test_by_masses_and_damping_too(integrator):
    mech = flyer()
    q, v, tau = random_rows(mech, 3)
    found = rg.step_derivatives(mech, q, v, tau, STEP, integrator, mass=["tool", "trunk"], damping=["shoulder", "wrist"])

    def heavier(body, h):
        own = mech.bodies[body].inertia
        return mech.replace(inertia={body: rg.Inertia(own.mass + h, own.com, own.tensor * (1.0 + h / own.mass))})

    damped = mech.replace(damping={"shoulder": 0.2, "wrist": 0.5})
    changes = [
        (mech, lambda h: (heavier("tool", h), q, v, tau)),
        (mech, lambda h: (heavier("trunk", h), q, v, tau)),
        (mech, lambda h: (mech.replace(damping={"shoulder": 0.2 + h}), q, v, tau)),
        (damped, lambda h: (damped.replace(damping={"wrist": 0.5 + h}), q, v, tau)),
    ]
    for column, (of, change) in enumerate(changes):
        own = rg.step_derivatives(of, q, v, tau, STEP, integrator, mass=["tool", "trunk"], damping=["shoulder", "wrist"])
        assert relative_error(own.parameters[:, :, column], differences(of, q, v, tau, integrator, change)) < AGREES
    plain = rg.step_derivatives(mech, q, v, tau, STEP, integrator)
    assert np.array_equal(found.state, plain.state)
    assert np.array_equal(found.tau, plain.tau)


def test_a_quaternion_stands_for_its_rotation_whatever_its_length():
    mech = flyer()
    q, v, tau = random_rows(mech, 4)
    found, other = (rg.step_derivatives(mech, given, v, tau, STEP) for given in (q, stretched(mech, q)))
    assert relative_error(other.state, found.state) < 1e-12
    assert relative_error(other.tau, found.tau) < 1e-12


def test_no_states_have_no_derivatives():
    mech = flyer()
    found = rg.step_derivatives(mech, np.empty((0, mech.nq)), np.empty((0, mech.nv)), step=STEP, mass=["arm"])
    nv = mech.nv
    assert (found.state.shape, found.tau.shape, found.parameters.shape) == ((0, 2 * nv, 2 * nv), (0, 2 * nv, nv), (0, 2 * nv, 1))


def test_what_does_not_fit_is_told():
    mech = flyer()
    q, v, tau = random_rows(mech, 3)
    for what, message in [
        ({"step": None}, "give the size of a step"),
        ({"step": 0.0}, "step must be positive, not 0"),
        ({"integrator": "dopri5"}, "fixed steps that can be differentiated: 'euler', 'rk4'; not 'dopri5'"),
        ({"mass": ["foot"]}, "mass: there is no body 'foot'"),
        ({"mass": "tool"}, r"mass must be a list of names, such as \['tool'\]"),
        ({"mass": 3}, "mass must be a list of names, not 3"),
        ({"damping": ["knee"]}, "knee"),
        ({"tau": tau[:2]}, r"tau must have shape \(3, 12\)"),
        ({"v": np.where(np.arange(3)[:, None] == 1, np.nan, v)}, r"v\[1\] has a value that is not finite"),
    ]:
        with pytest.raises(rg.ModelError, match=message):
            rg.step_derivatives(mech, **{"q": q, "v": v, "tau": tau, "step": STEP, **what})
    sunk = q.copy()
    sunk[1, 0] = np.nan  # a place, on which no acceleration depends
    with pytest.raises(rg.ModelError, match=r"q\[1\] has a value that is not finite"):
        rg.step_derivatives(mech, sunk, v, tau, STEP)
    q[2, mech.q_slice("shoulder")] = 0.0
    with pytest.raises(rg.ModelError, match=r"q\[2\]: the position of joint 'shoulder'"):
        rg.step_derivatives(mech, q, v, tau, STEP)


def test_loops_and_dry_friction_are_refused():
    mech, state = moving_four_bar()[:2]
    with pytest.raises(rg.StructureError, match="a step that is differentiated is for trees"):
        rg.step_derivatives(mech, [state.q], [state.v], step=STEP)
    rough = rg.models.pendulum().start[0].replace(settings={"hinge": {"friction": 0.1}})
    with pytest.raises(rg.ModelError, match="dry friction of 'hinge'"):
        rg.step_derivatives(rough, [[0.0]], [[0.0]], step=STEP)


def test_a_body_without_mass_has_no_derivative_by_it():
    mech = flyer()
    mech.add_body("light", rg.Inertia(0.0))
    mech.add_joint("weld", rg.Fixed(), "tool", "light")
    q, v, tau = random_rows(mech, 1)
    with pytest.raises(rg.ModelError, match="mass of 'light': it has none"):
        rg.step_derivatives(mech, q, v, tau, STEP, mass=["light"])
