"""Closed chains solve their small systems in kernels of their own, not in libraries that set threads to work on them."""

import numpy as np
import pytest
import scipy.linalg

import regraft as rg
from loops.closed_mechanisms import moving_four_bar
from simple_mechanisms import robot_pair

REFUSED = ("svd", "solve", "inv", "pinv", "lstsq", "qr", "eigh", "cholesky")


@pytest.fixture
def without_lapack(monkeypatch):
    """NumPy and SciPy without their factorisations."""

    def refuse(*_args, **_options):
        raise AssertionError("a small matrix was handed to LAPACK")

    for library in (np.linalg, scipy.linalg):
        for name in REFUSED:
            if hasattr(library, name):
                monkeypatch.setattr(library, name, refuse)


@pytest.mark.parametrize("start", [robot_pair, moving_four_bar])
@pytest.mark.usefixtures("without_lapack")
def test_no_question_to_a_closed_chain_needs_lapack(start):
    mech, state = start()
    a = rg.forward_dynamics(mech, state)
    motors = [name for name in mech.layout.names if mech.joints[name].type.actuated]
    found = rg.mobility(mech, state)
    rg.mobility(mech, state, keep=found)
    rg.mobility(mech, state, independent=found.independent)
    rg.inverse_dynamics(mech, state, a)
    rg.inverse_dynamics(mech, state, a, actuated=motors, weights=np.arange(1.0, len(motors) + 1), bounds=(-1e3, 1e3))
    rg.joint_reactions(mech, state)
    rg.consistent_acceleration(mech, state, np.ones(mech.nv))
    rg.loop_jacobian(mech, state, reduced=True)
    rg.derivatives(mech, state)
    rg.connect(mech, state, "world", next(iter(mech.bodies)), joint=rg.Spherical())


@pytest.mark.usefixtures("without_lapack")
def test_derivatives_of_a_tree_need_no_lapack():
    mech, state = robot_pair()
    rg.derivatives(*rg.cut(mech, state, "right grip"))


def test_two_arms_that_hold_a_load_share_its_weight():
    """At rest each of the six motors does the work of gravity in its part of any motion, and balls carry no moment."""
    mech, moving = robot_pair()
    state = mech.state(q=moving.q)
    motors = [name for name in mech.layout.names if mech.joints[name].type.actuated]
    tau = rg.inverse_dynamics(mech, state, np.zeros(mech.nv), actuated=motors)
    found = rg.mobility(mech, state)
    assert (found.joints, found.rank, found.dof) == (12, 6, 6)
    assert found.W.T @ tau == pytest.approx(found.W.T @ rg.bias_force(mech, state), abs=1e-10)
    reactions = rg.joint_reactions(mech, state, tau)
    assert reactions.redundant == ()
    grips = reactions["left grip"], reactions["right grip"]
    assert np.abs([grip[:3] for grip in grips]).max() < 1e-9
    assert sum(grip[3:] for grip in grips) == pytest.approx([0, 0, 5.0 * 9.81], abs=1e-9)
