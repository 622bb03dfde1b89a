"""Operations of JAX: gradients that its own check accepts, on manifolds too, compiled and mapped."""

import sys

import numpy as np
import pytest

import regraft as rg
import regraft.learning.jax as rj
from learning.changes import any_tree, flyer, page_blocks, random_rows, stretched

jax = pytest.importorskip("jax", reason="JAX is not installed; regraft[jax] brings it")
test_util = pytest.importorskip("jax.test_util", reason="this JAX has no test_util")

STEP = 2e-3
CLOSE = {"eps": 1e-5, "atol": 1e-6, "rtol": 1e-6}
OPERATIONS = {
    "forward_dynamics": (lambda mech: lambda *x: rj.forward_dynamics(mech, *x), None),
    "inverse_dynamics": (lambda mech: lambda *x: rj.inverse_dynamics(mech, *x), None),
    "step": (lambda mech: lambda *x: rj.step(mech, *x, step=STEP), None),
    "rollout": (lambda mech: lambda *x: rj.rollout(mech, *x, step=STEP), 3),
    "euler": (lambda mech: lambda *x: rj.rollout(mech, *x, step=STEP, integrator="euler"), 3),
}


@pytest.fixture(autouse=True)
def _in_float64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def arrays(mech, count=2, steps=None):
    q, v, third = random_rows(mech, count, steps=steps)
    return tuple(map(jax.numpy.asarray, (stretched(mech, q), v, third)))


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("make", [flyer, lambda: any_tree(0)])
def test_check_grads_plain_compiled_and_mapped(name, make):
    mech = make()
    operation, steps = OPERATIONS[name]
    f, given = operation(mech), arrays(mech, steps=steps)
    for transformed in (f, jax.jit(f), jax.vmap(f)):
        test_util.check_grads(transformed, given, order=1, modes=("fwd", "rev"), **CLOSE)


@pytest.mark.parametrize("name", OPERATIONS)
def test_jacobians_forwards_and_backwards_are_the_same(name):
    mech = flyer()
    operation, steps = OPERATIONS[name]
    given = arrays(mech, 3, steps)
    backwards = jax.jit(jax.vmap(jax.jacrev(operation(mech), argnums=(0, 1, 2))))(*given)
    forwards = jax.vmap(jax.jacfwd(operation(mech), argnums=(0, 1, 2)))(*given)
    for a, b in zip(jax.tree.leaves(backwards), jax.tree.leaves(forwards), strict=True):
        assert abs(a - b).max() < 1e-11 * max(1.0, abs(b).max())


def test_values_are_those_of_the_batches():
    mech = flyer()
    q, v, tau = random_rows(mech, 5)
    assert np.array_equal(rj.forward_dynamics(mech, q, v, tau), rg.forward_dynamics_batch(mech, q, v, tau))
    assert np.array_equal(jax.jit(lambda *x: rj.inverse_dynamics(mech, *x))(q, v), rg.inverse_dynamics_batch(mech, q, v))
    motion = rg.simulate_batch(mech, q, v, 4 * STEP, step=STEP)
    path_q, path_v = rj.rollout(mech, q, v, step=STEP, steps=4)
    assert np.array_equal(path_q, motion.q)
    assert np.array_equal(path_v, motion.v)
    assert np.array_equal(rj.step(mech, q, v, step=STEP)[0], motion.q[:, 1])


def test_leading_axes_broadcast():
    mech = flyer()
    q, v, tau = arrays(mech, 6)
    found = rj.forward_dynamics(mech, q.reshape(2, 3, -1), v.reshape(2, 3, -1), tau[0])
    assert found.shape == (2, 3, mech.nv)
    mapped = jax.vmap(lambda at, going: rj.forward_dynamics(mech, at, going, tau[0]))(q, v)
    assert np.array_equal(found.reshape(6, -1), mapped)


def test_what_does_not_fit_is_told():
    mech = flyer()
    q, v, tau = arrays(mech, 3)
    for given, message in [
        ((q.astype("float32"), v, tau), "q must be of float64, not of float32"),
        ((q, np.asarray(v).tolist(), tau), "v must be an array of JAX or NumPy, not list"),
        ((q[:, 1:], v, tau), r"q must have shape \(\.\.\., 14\), not \(3, 13\)"),
        ((q, v, tau[:2]), "leading axes must be equal"),
    ]:
        with pytest.raises(rg.ModelError, match=message):
            rj.forward_dynamics(mech, *given)
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(rg.ModelError, match=r'jax\.config\.update\("jax_enable_x64", True\)'):
        rj.forward_dynamics(mech, q, v, tau)


def test_second_derivatives_are_refused():
    mech = flyer()
    q, v, tau = arrays(mech)
    with pytest.raises(rg.RegraftError, match="second derivatives of this dynamics are not known"):
        jax.hessian(lambda x: rj.forward_dynamics(mech, x, v, tau).sum())(q)


def test_the_code_on_its_page_runs():
    (_, code) = page_blocks()
    found = {}
    exec(compile(code, "learning.md", "exec"), found)
    assert found["cost"](found["torques"]) < 0.5 * found["cost"](0.0 * found["torques"])


def test_without_jax_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    mech, _ = rg.models.pendulum().start
    with pytest.raises(rg.MissingPackageError, match=r"pip install 'regraft\[jax\]'"):
        rj.forward_dynamics(mech, None, None)
