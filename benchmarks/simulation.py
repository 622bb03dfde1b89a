"""Simulation: steps per second against MuJoCo, and a walk against SciPy's integrator around our own forward dynamics."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import regraft as rg
from subjects import MujocoTwin, Subject
from timing import Comparison, compare

Array = NDArray[np.float64]

STEPS, SIZE = 2000, 1e-5  # of the fixed-step comparison; short, so that no joint runs away
WALK = 4  # steps of the walker
TOLERANCES = {"rtol": 3e-11, "atol": 3e-12}  # with which SciPy's RK45 walks as accurately as `simulate` does by default


def stepping(s: Subject) -> Comparison:
    """The passive humanoid with the classical Runge–Kutta method, in both libraries without contacts; one step."""
    twin = MujocoTwin(s.mech)
    twin.model.opt.integrator, twin.model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, SIZE
    twin.model.opt.enableflags = 0
    twin.data.qpos[:], twin.data.qvel[:] = twin.q(s.state), s.state.v

    def ours() -> object:
        return rg.simulate(s.mech, s.state, STEPS * SIZE, integrator="rk4", step=SIZE, every=STEPS)

    def theirs() -> object:
        return mujoco.mj_step(twin.model, twin.data, nstep=STEPS)

    found = compare("simulate, one step of rk4", s.name, ours, "mj_step, RK4", theirs, 0.5, 1, 1)
    return Comparison(found.what, s.name, found.ours / STEPS, found.reference, found.theirs / STEPS, found.target)


def walking() -> Comparison:
    """A step of the passive walker, with its strike and change of the root."""
    biped = rg.models.compass_biped()
    mech, state = biped.start
    traj = rg.simulate(mech, state, 10.0, events=biped.events)
    duration = float(traj.events[WALK - 1].t)

    def ours() -> object:
        return rg.simulate(mech, state, duration, events=biped.events)

    found = compare("a step of the walker", "compass biped", ours, "solve_ivp", lambda: walk_with_scipy(biped), 0.04, 1, 1)
    return Comparison(found.what, found.subject, found.ours / WALK, found.reference, found.theirs / WALK, found.target)


def walk_with_scipy(biped: rg.models.CompassBiped) -> tuple[rg.Mechanism, rg.State]:
    """The same walk, each step by `solve_ivp` with forward dynamics called from Python."""
    mech, state = biped.start
    for _ in range(WALK):
        after = biped.strike(mech, swing(biped, mech, state))
        assert after is not None
        mech, state = after
    return mech, state


def swing(biped: rg.models.CompassBiped, mech: rg.Mechanism, state: rg.State) -> rg.State:
    """From one heel strike to just before the next."""
    nq, slope = mech.nq, float(np.tan(biped.slope))
    standing = next(joint.child for joint in mech.joints.values() if joint.parent == "world")
    foot = f"{'right' if standing == 'left' else 'left'} foot"

    def rates(_t: float, y: Array) -> Array:
        return np.concatenate((y[nq:], rg.forward_dynamics(mech, mech.state(q=y[:nq], v=y[nq:]))))

    def height(_t: float, y: Array) -> float:
        place = rg.frame_position(mech, mech.state(q=y[:nq], v=y[nq:]), foot)
        return float(place[2] - slope * place[0])

    height.terminal, height.direction = True, -1.0  # type: ignore[attr-defined]
    y = np.concatenate((state.q, state.v))
    # legs of equal length scuff at the start; S1's B2 has it ignored, so the guard is not looked at in the first half
    early = solve_ivp(rates, (0.0, 0.4), y, **TOLERANCES)
    late = solve_ivp(rates, (0.4, 2.0), early.y[:, -1], events=height, **TOLERANCES)
    return mech.state(q=late.y_events[0][0][:nq], v=late.y_events[0][0][nq:])
