"""What frameworks differentiate: values are those of the batches, products with derivatives are those of differences."""

import inspect

import numpy as np
import pytest

import regraft as rg
import regraft.learning.jax as rj
import regraft.learning.torch as rt
from learning.changes import AGREES, any_tree, flyer, random_rows, slope, stretched
from random_mechanisms import relative_error
from regraft.learning import operations
from regraft.learning.operations import ForwardDynamics, InverseDynamics, Rollout
from regraft.learning.shapes import steps_of

STEPS = 4
KINDS = {
    "forward": (lambda mech: ForwardDynamics(mech, None), None),
    "inverse": (lambda mech: InverseDynamics(mech, None), None),
    "rollout": (lambda mech: Rollout(mech, 2e-3, "rk4", None), STEPS),
    "euler": (lambda mech: Rollout(mech, 2e-3, "euler", None), STEPS),
}


def drawn(kind, mech, count=3):
    """An operation, what it is given, and changes of that, with quaternions of any length."""
    make, steps = KINDS[kind]
    q, v, third = random_rows(mech, count, steps=steps)
    rng = np.random.default_rng(7)
    given = stretched(mech, q), v, third
    return make(mech), given, tuple(rng.standard_normal(one.shape) for one in given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [flyer, *(lambda seed=seed: any_tree(seed) for seed in range(4))])
def test_changes_are_those_of_differences(kind, make):
    operation, given, changes = drawn(kind, make())
    found = operation.value(*given)
    pushed = operation.push(given, found, changes)
    for i, part in enumerate(pushed):
        expected = slope(lambda h, i=i: operation.value(*(x + h * d for x, d in zip(given, changes, strict=True)))[i])
        assert relative_error(part, expected) < AGREES


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [flyer, *(lambda seed=seed: any_tree(seed) for seed in range(4))])
def test_slopes_are_the_transpose_of_changes(kind, make):
    operation, given, changes = drawn(kind, make())
    found = operation.value(*given)
    rng = np.random.default_rng(3)
    slopes = tuple(rng.standard_normal(one.shape) for one in found)
    forwards = sum((a * b).sum() for a, b in zip(slopes, operation.push(given, found, changes), strict=True))
    backwards = sum((a * b).sum() for a, b in zip(operation.pull(given, found, slopes), changes, strict=True))
    assert abs(forwards - backwards) < 1e-11 * max(1.0, abs(forwards))


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_no_slope_along_a_quaternion(kind):
    mech = flyer()
    operation, given, _ = drawn(kind, mech)
    found = operation.value(*given)
    by_q, *_ = operation.pull(given, found, tuple(np.ones_like(one) for one in found))
    for turn in (slice(3, 7), mech.q_slice("shoulder")):
        assert np.abs((by_q[:, turn] * given[0][:, turn]).sum(axis=1)).max() < 1e-11 * np.abs(by_q).max()


def test_values_are_those_of_the_batches():
    mech = flyer()
    q, v, tau = random_rows(mech, 5)
    assert np.array_equal(ForwardDynamics(mech, None).value(q, v, tau)[0], rg.forward_dynamics_batch(mech, q, v, tau))
    assert np.array_equal(InverseDynamics(mech, None).value(q, v, tau)[0], rg.inverse_dynamics_batch(mech, q, v, tau))
    path_q, path_v = Rollout(mech, 2e-3, "rk4", None).value(q, v, tau[:, None])
    motion = rg.simulate_batch(mech, q, v, 2e-3, step=2e-3, torque=tau[:, None])
    assert np.array_equal(path_q, motion.q)
    assert np.array_equal(path_v, motion.v)


@pytest.mark.parametrize("threads", [1, 2])
def test_derivatives_of_inverse_dynamics_are_those_of_each_state(threads):
    mech = flyer()
    q, v, a = random_rows(mech, 600)
    found = InverseDynamics(mech, threads).tangent_slopes(q, v, a)
    for b in (0, 1, 299, 300, 301, 599):
        one = rg.inverse_dynamics_derivatives(mech, mech.state(q=q[b], v=v[b]), a[b])
        for mine, other in zip(found, (one.q, one.v, one.a), strict=True):
            assert relative_error(mine[b], other) < 1e-12
    for name, given in (("q", q), ("v", v), ("a", a)):
        broken = {"q": q, "v": v, "a": a} | {name: np.where(np.arange(600)[:, None] == 5, np.nan, given)}
        with pytest.raises(rg.ModelError, match=rf"^{name}\[5\] has a value that is not finite"):
            InverseDynamics(mech, threads).tangent_slopes(*broken.values())


def test_rollouts_are_differentiated_in_parts_where_they_are_long(monkeypatch):
    operation, given, changes = drawn("rollout", flyer())
    found = operation.value(*given)
    slopes = tuple(np.ones_like(one) for one in found)
    whole = operation.pull(given, found, slopes), operation.push(given, found, changes)
    monkeypatch.setattr(operations, "MOST_ROWS", 8)
    parts = operation.pull(given, found, slopes), operation.push(given, found, changes)
    for a, b in zip(whole, parts, strict=True):
        assert all(relative_error(x, y) < 1e-13 for x, y in zip(a, b, strict=True))


def test_a_change_of_the_mechanism_does_not_reach_what_was_computed():
    mech = flyer()
    q, v, tau = random_rows(mech, 2)
    operation = ForwardDynamics(mech, None)
    before = operation.slopes(q, v, tau)
    mech.add_body("load", rg.Inertia.sphere(50.0, 0.1))
    mech.add_joint("held", rg.Fixed(), "tool", "load")
    assert all(np.array_equal(a, b) for a, b in zip(before, operation.slopes(q, v, tau), strict=True))


def test_a_motion_that_cannot_go_on_is_named():
    mech = flyer()
    q, v, tau = random_rows(mech, 3, steps=2)
    tau[1, 1, 0] = np.nan
    with pytest.raises(rg.SimulationError, match=r"motion 1 of 3 ended at t = 0\.002"):
        Rollout(mech, 2e-3, "rk4", None).value(q, v, tau)


@pytest.mark.parametrize("steps", [0, -3, 2.5, True, "4"])
def test_a_number_of_steps_that_is_none_is_refused(steps):
    with pytest.raises(rg.ModelError, match=r"steps must be a whole number, at least 1, .*; not"):
        steps_of(steps)


def test_a_number_of_steps_may_be_numpys_or_left_out():
    assert steps_of(np.int32(4)) == 4
    assert steps_of(None) is None


@pytest.mark.parametrize("name", rt.__all__)
def test_operations_of_jax_take_what_those_of_pytorch_take_and_say_so(name):
    assert rj.__all__ == rt.__all__
    of_torch, of_jax = getattr(rt, name), getattr(rj, name)
    taken = inspect.signature(of_jax)
    assert taken == inspect.signature(of_torch)
    own, text = (inspect.getdoc(one).partition("Parameters\n----------\n") for one in (of_jax, of_torch))
    assert own[2] == text[2].replace("Tensor", "Array")
    assert all(f"\n{parameter} : " in f"\n{own[2]}" for parameter in taken.parameters)
    assert "Parameters" not in own[0]
