"""Closed chains: their dynamics, how it grows with the number of loops, taking hold and letting go, and steps of simulation."""

from __future__ import annotations

import numpy as np

import regraft as rg
from grips import PinocchioGrips, mujoco_forward
from subjects import MujocoTwin, Subject
from timing import Comparison, best, compare

Start = tuple[rg.Mechanism, rg.State]

HAND = "larm_wrist2_joint"  # what the last body of the sample humanoid's left arm is called
LINKAGES = (10, 20, 40, 80, 160, 320)
DURATION, STEP = 0.3, 1e-3  # of the simulated steps: before any hand lets go or rope tears
PAPER_STEP = 25e3
"""S2 VII-B: "sampling time for the forward dynamics" of both examples, in µs, on a Pentium Pro at 200 MHz."""


def high_bar_comparisons() -> list[Comparison]:
    """Forward dynamics of the high bar, and derivatives; of Pinocchio's two grips the one that is faster in this run counts."""
    mech, state = rg.models.high_bar().start
    tau = np.random.default_rng(0).standard_normal(mech.nv)
    a = rg.forward_dynamics(mech, state, tau)
    sleeves, points = (PinocchioGrips(mech, state, tau, sleeves=with_them) for with_them in (True, False))
    calls = [sleeves.checked(sleeves.constraint_dynamics(0.0), a), points.checked(points.constraint_dynamics(1e-10), a)]

    def ours() -> object:
        return rg.forward_dynamics(mech, state, tau)

    what = "forward_dynamics of two loops, called from Python"
    found = [compare(what, "high bar", ours, "pin.constraintDynamics", call, 0.6) for call in calls]
    by_torque = rg.derivatives(mech, state, tau).tau
    slopes = [
        compare("derivatives of two loops, called from Python", "high bar", lambda: rg.derivatives(mech, state, tau),
                "pin.computeConstraintDynamicsDerivatives", grips.derivatives(mu, by_torque), 0.8, calls=100)
        for grips, mu in ((sleeves, 0.0), (points, 1e-10))
    ]  # fmt: skip
    proximal = points.checked(points.lcaba(1e-6, 10), a)  # some nine digits
    return [
        min(found, key=lambda comparison: comparison.theirs),
        compare(what, "high bar", ours, "pin.lcaba", proximal, 0.85),
        compare(what, "high bar", ours, "mj_forward", mujoco_forward(mech, state)),
        min(slopes, key=lambda comparison: comparison.theirs),
    ]


def linkage_times() -> dict[int, float]:
    """Microseconds of `forward_dynamics`, from Python, by the number of four-bar linkages in a row."""
    found = {}
    for count in LINKAGES:
        mech, state = rg.models.four_bars(count).start
        found[count] = best(lambda: rg.forward_dynamics(mech, state), max(1, 1000 // count))  # noqa: B023
    return found


def grip_comparison(s: Subject) -> Comparison:
    """The humanoid's hand takes hold of the world by a hinge and lets go again: both mechanisms, both states, the impact."""
    twin = MujocoTwin(s.mech)
    hinge, at = rg.Revolute((0, 1, 0)), rg.body_poses(s.mech, s.state)[HAND].translation

    def grip() -> object:
        held, state = rg.connect(s.mech, s.state, "world", HAND, joint=hinge, at=at, name="grip")
        return rg.cut(held, state, "grip")

    def recompile() -> object:
        return twin.spec.recompile(twin.model, twin.data)

    return compare(
        "connect a hand, with its impact, and cut it", s.name, grip, "mujoco spec.recompile", recompile, 0.05, calls=100
    )


def step_times() -> dict[str, dict[str, float]]:
    """Microseconds of one step of simulation, all that `simulate` does included, by mechanism and integrator."""
    found = {}
    for name, model in (("high bar", rg.models.high_bar()), ("swing", rg.models.swing())):

        def fixed(start: Start = model.start) -> rg.Trajectory:
            return rg.simulate(*start, DURATION, integrator="rk4", step=STEP, every=1000)

        def adaptive(start: Start = model.start) -> rg.Trajectory:
            return rg.simulate(*start, DURATION)

        found[name] = {"rk4": best(fixed) / fixed().steps, "dopri5": best(adaptive) / adaptive().steps}
    return found
