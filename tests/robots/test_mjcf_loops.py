"""Closed chains of MJCF files: accelerations by algebra from MuJoCo's numbers, and by MuJoCo's own solver at its stiffest."""

import mujoco
import numpy as np
import pytest

import regraft as rg
from robots.mujoco_models import MENAGERIE, Peer, plain

CLOSED = {"cassie": MENAGERIE / "agility_cassie" / "cassie.xml", "2f85": MENAGERIE / "robotiq_2f85" / "2f85.xml"}
STIFFEST = 0.9999  # the largest impedance that MuJoCo takes; it leaves 1 − 0.9999 of a constraint's acceleration
SETTINGS = ("friction", "limits")


def closed(name, seed, *settings, couplings=True):
    """A file with its peer, and a state near its start in which loops are closed and velocities keep them so."""
    if not CLOSED[name].is_file():
        pytest.skip("the menagerie's files are not beside the project")
    reading, peer = rg.read(CLOSED[name], ignore="all"), Peer(CLOSED[name], passive="armature" not in settings, equalities=True)
    mech = plain(reading.mech, *SETTINGS, *settings, couplings=couplings)
    rng = np.random.default_rng(seed)
    start = rg.integrate(mech, reading.state.q, 0.05 * rng.normal(size=mech.nv))
    state = rg.assemble(mech, mech.state(start, rng.normal(size=mech.nv)))
    return mech, state, peer


def rows(peer, *, couplings):
    """J and J̇ v of all equalities in MuJoCo's velocities, from the Jacobians of their anchors."""
    model, data = peer.model, peer.data
    J, drift = [], []
    for number in range(model.neq):
        first, second = model.eq_obj1id[number], model.eq_obj2id[number]
        if model.eq_type[number] == mujoco.mjtEq.mjEQ_CONNECT:
            sides = []
            for body, anchor in ((first, model.eq_data[number, :3]), (second, model.eq_data[number, 3:6])):
                point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ anchor
                jacobian, rate = np.zeros((3, model.nv)), np.zeros((3, model.nv))
                mujoco.mj_jac(model, data, jacobian, None, point, body)
                mujoco.mj_jacDot(model, data, rate, None, point, body)
                sides.append((jacobian, rate @ data.qvel))
            J.append(sides[0][0] - sides[1][0])
            drift.append(sides[0][1] - sides[1][1])
        elif couplings:
            row = np.zeros((1, model.nv))
            row[0, model.jnt_dofadr[first]], row[0, model.jnt_dofadr[second]] = 1.0, -model.eq_data[number, 1]
            J.append(row)
            drift.append(np.zeros(1))
    return np.concatenate(J), np.concatenate(drift)


def dense_acceleration(peer, *, couplings):
    """v̇ from M v̇ + c = Jᵀ λ and J v̇ + J̇ v = 0, in the least-squares sense where rows are redundant."""
    M, (J, drift) = peer.raw_mass_matrix(), rows(peer, couplings=couplings)
    rhs = peer.data.qfrc_passive - peer.data.qfrc_bias
    free = np.linalg.solve(M, rhs)
    inverse = np.linalg.solve(M, J.T)
    multipliers = np.linalg.lstsq(J @ inverse, -(J @ free + drift), rcond=1e-11)[0]
    return free + inverse @ multipliers


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("settings", [("armature", "stiffness", "rest"), ()], ids=["bare", "whole"])
@pytest.mark.parametrize("couplings", [False, True], ids=["loops", "couplings"])
def test_accelerations_by_dense_algebra_from_mujocos_numbers(name, seed, settings, couplings):
    mech, state, peer = closed(name, seed, *settings, couplings=couplings)
    qvel = peer.turns(state.q) @ state.v
    peer.set(state.q, qvel)
    wanted = peer.turns(state.q).T @ (dense_acceleration(peer, couplings=couplings) - peer.drift(state.q, qvel))
    found = rg.forward_dynamics(mech, state)
    assert np.abs(found - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize(
    ("name", "whole", "softness"),
    [("cassie", False, 1e-2), ("cassie", True, 1e-1), ("2f85", False, 5e-4), ("2f85", True, 1e-3)],
)
def test_accelerations_of_mujocos_own_solver_at_its_stiffest(name, whole, softness):
    """Each row is left with (1 − d)/d of what the constraint takes away, times how far MuJoCo's guess of its inertia is off."""
    mech, state, peer = closed(name, 0, *(() if whole else ("armature", "stiffness", "rest")), couplings=whole)
    if not whole:
        peer.data.eq_active[peer.model.eq_type == mujoco.mjtEq.mjEQ_JOINT] = 0
    found, off = rg.forward_dynamics(mech, state), []
    peer.model.opt.tolerance, peer.model.opt.iterations = 0.0, 200
    for impedance in (0.99, 0.999, STIFFEST):
        peer.model.eq_solimp[:] = (impedance, impedance, 0.001, 0.5, 2.0)
        peer.set(state.q, peer.turns(state.q) @ state.v)
        off.append(np.abs(found - peer.acceleration()).max() / np.abs(found).max())
    assert off[2] < softness
    assert off[2] < 0.2 * off[1]  # what is left goes down with 1 − d, so there is nothing but softness in it
    assert off[1] < 0.5 * off[0]
