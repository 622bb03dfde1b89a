"""Operations of PyTorch: gradients that its own gradcheck accepts, on manifolds too, and what it may do with them."""

import sys

import numpy as np
import pytest

import regraft as rg
import regraft.learning.torch as rt
from learning.changes import any_tree, flyer, page_blocks, random_rows, stretched

torch = pytest.importorskip("torch", reason="PyTorch is not installed; regraft[torch] brings it")

STEP = 2e-3
OPERATIONS = {
    "forward_dynamics": (lambda mech: lambda *x: rt.forward_dynamics(mech, *x), None),
    "inverse_dynamics": (lambda mech: lambda *x: rt.inverse_dynamics(mech, *x), None),
    "step": (lambda mech: lambda *x: rt.step(mech, *x, step=STEP), None),
    "rollout": (lambda mech: lambda *x: rt.rollout(mech, *x, step=STEP), 3),
    "euler": (lambda mech: lambda *x: rt.rollout(mech, *x, step=STEP, integrator="euler"), 3),
}


def tensors(mech, count=2, steps=None, lengths=True):
    q, v, third = random_rows(mech, count, steps=steps)
    given = stretched(mech, q) if lengths else q, v, third
    return tuple(torch.tensor(one, requires_grad=True) for one in given)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("make", [flyer, lambda: any_tree(0)])
def test_gradcheck_backwards_and_forwards(name, make):
    mech = make()
    operation, steps = OPERATIONS[name]
    given = tensors(mech, steps=steps)
    assert torch.autograd.gradcheck(operation(mech), given, rtol=1e-5, check_forward_ad=True)


@pytest.mark.parametrize("name", OPERATIONS)
def test_transformed_by_torch_func(name):
    mech = flyer()
    operation, steps = OPERATIONS[name]
    given = tuple(one.detach() for one in tensors(mech, 3, steps))
    backwards = torch.func.vmap(torch.func.jacrev(operation(mech), argnums=(0, 1, 2)))(*given)
    forwards = torch.func.vmap(torch.func.jacfwd(operation(mech), argnums=(0, 1, 2)))(*given)
    flat = torch.utils._pytree.tree_leaves
    for a, b in zip(flat(backwards), flat(forwards), strict=True):
        assert (a - b).abs().max() < 1e-11 * max(1.0, b.abs().max())


def test_leading_axes_of_any_number_and_broadcast():
    mech = flyer()
    q, v, tau = tensors(mech, 6)
    found = rt.forward_dynamics(mech, q.reshape(2, 3, -1), v.reshape(2, 3, -1), tau[0])
    expected = rg.forward_dynamics_batch(
        mech, *(one.detach().numpy() for one in (_unit(mech, q), v, tau[:1].expand(6, -1).clone()))
    )
    assert np.abs(found.detach().numpy().reshape(6, -1) - expected).max() < 1e-12 * np.abs(expected).max()
    found.sum().backward()
    assert tau.grad[0].abs().max() > 0
    assert (tau.grad[1:] == 0).all()
    assert rt.forward_dynamics(mech, q[0], v[0]).shape == (mech.nv,)
    assert [one.shape for one in rt.rollout(mech, q[0], v[0], step=STEP, steps=5)] == [(6, mech.nq), (6, mech.nv)]
    assert [one.shape for one in rt.step(mech, q, v, step=STEP)] == [(6, mech.nq), (6, mech.nv)]
    assert rt.inverse_dynamics(mech, q[:0], v[:0]).shape == (0, mech.nv)


def _unit(mech, q):
    return torch.tensor(np.array([rg.normalise(mech, one) for one in q.detach().numpy()]))


def test_steps_one_by_one_are_a_rollout():
    mech = flyer()
    q, v, tau = tensors(mech, 2, steps=4)
    path_q, path_v = rt.rollout(mech, q, v, tau, step=STEP)
    at, going = q, v
    for k in range(4):
        at, going = rt.step(mech, at, going, tau[:, k], step=STEP)
    assert (at - path_q[:, -1]).abs().max() < 1e-13
    whole = torch.autograd.grad((path_q[:, -1] ** 2).sum() + path_v[:, -1].sum(), (q, v, tau))
    parts = torch.autograd.grad((at**2).sum() + going.sum(), (q, v, tau))
    for a, b in zip(whole, parts, strict=True):
        assert (a - b).abs().max() < 1e-11 * max(1.0, b.abs().max())


def test_a_policy_learns_to_hold_a_pendulum_up():
    """The gradient goes through a network and a rollout: what it is all for."""
    torch.manual_seed(0)
    mech, _ = rg.models.pendulum().start
    policy = torch.nn.Linear(2, 1, dtype=torch.float64)
    optimiser = torch.optim.Adam(policy.parameters(), lr=0.5)
    start = torch.full((8, 1), np.pi, dtype=torch.float64) + torch.linspace(-0.3, 0.3, 8, dtype=torch.float64)[:, None]
    losses = []
    for _ in range(25):
        q, v = start, torch.zeros_like(start)
        loss = 0.0
        for _ in range(20):
            off = torch.cat((q - np.pi, v), dim=1)
            q, v = rt.step(mech, q, v, policy(off), step=0.05)
            loss = loss + ((q - np.pi) ** 2).mean() + 0.1 * (v**2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]


def test_what_does_not_fit_is_told():
    mech = flyer()
    q, v, tau = tensors(mech, 3)
    for given, message in [
        ((q.float(), v, tau), r"q must be of torch\.float64, .*: q\.double\(\)"),
        ((q, v.detach().numpy(), tau), "v must be a torch.Tensor, not ndarray"),
        ((q, v, 3.0), "tau must be a torch.Tensor, not float"),
        ((q, None, tau), "v must be a torch.Tensor, not NoneType"),
        ((q, v, tau.to("meta")), r"tau is on the device meta, .*: tau\.cpu\(\)"),
        ((q[:, 1:], v, tau), r"q must have shape \(\.\.\., 14\), not \(3, 13\)"),
        ((q, v, tau[:2]), r"leading axes must be equal, .* q \(3,\), v \(3,\), tau \(2,\)"),
    ]:
        for operation in (rt.forward_dynamics, lambda *x: rt.step(*x, step=STEP)):
            with pytest.raises(rg.ModelError, match=message):
                operation(mech, *given)
    for tau_given, message in [(None, "give steps="), (tau[:, None, :][:, :0], "at least one step"), (tau[0, 1:], "steps, 12")]:
        with pytest.raises(rg.ModelError, match=message):
            rt.rollout(mech, q, v, tau_given, step=STEP)
    with pytest.raises(rg.ModelError, match=r"steps must be a whole number, at least 1, .*; not 2\.5"):
        rt.rollout(mech, q, v, step=STEP, steps=2.5)


def test_second_derivatives_are_refused():
    mech = flyer()
    q, v, tau = tensors(mech)
    (by_q,) = torch.autograd.grad(rt.forward_dynamics(mech, q, v, tau).sum(), q, create_graph=True)
    with pytest.raises(rg.RegraftError, match="second derivatives of this dynamics are not known"):
        by_q.sum().backward()


def test_the_code_on_its_page_runs():
    (code, _) = page_blocks()
    exec(compile(code, "learning.md", "exec"), {})


def test_without_pytorch_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    mech, _ = rg.models.pendulum().start
    with pytest.raises(rg.MissingPackageError, match=r"pip install 'regraft\[torch\]'"):
        rt.forward_dynamics(mech, None, None)
