"""Compile every kernel ahead of time: ``python -m regraft.warmup``. Without it each kernel compiles when it is first needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import numpy as np

from .balance import energy, momentum
from .batch import forward_dynamics_batch
from .compilation import compile_quietly
from .dynamics import bias_force, derivatives, forward_dynamics, inverse_dynamics, joint_reactions, mass_matrix
from .gait import limit_cycle
from .inertia import Inertia
from .joints import Revolute, Spherical, Universal, screw_rates, screws
from .loops import assemble, closing_kernel, consistent_acceleration, dynamics_kernel, mobility
from .maximal import to_maximal
from .mechanism import Mechanism
from .motion import body_poses, difference, integrate, jacobian, jacobian_rate, normalise
from .progress_bar import ProgressBar
from .simulate import Trajectory, as_ivp, at_time, simulate
from .structure import connect, reroot


def kernels() -> dict[str, Callable[[], object]]:
    """Calls that between them use every kernel in every scalar, by name: those that take long first, and what others share."""
    mech = Mechanism()
    mech.add_body("bob", Inertia.sphere(1.0, 0.1, at=(0, 0, -1)))
    mech.add_joint("hinge", Revolute((0, 1, 0)), "world", "bob")
    linkage = mech.copy()
    linkage.add_joint("second hinge", Revolute((0, 1, 0), damping=1.0), "world", "bob")
    state = mech.state()
    q, v = state.q, state.v
    return {
        "closing of loops": closing_kernel,
        "forces of loops": dynamics_kernel,
        "derivatives of closed chains (complex)": lambda: derivatives(linkage, linkage.state()),
        "derivatives of free bodies (complex)": lambda: derivatives(*to_maximal(linkage, linkage.state())),
        "simulation": lambda: simulate(mech, state, 1e-3),
        "limit cycles (complex)": lambda: limit_cycle(mech, state, at_time(1e-3)),
        "derivatives (complex)": lambda: derivatives(mech, state),
        "batch (packs)": lambda: forward_dynamics_batch(mech, q[None], v[None]),
        "forward dynamics": lambda: forward_dynamics(mech, state),
        "forward dynamics, pushed": lambda: forward_dynamics(mech, state, wrenches={"bob": np.zeros(6)}),
        "inverse dynamics": lambda: bias_force(mech, state),
        "mass matrix": lambda: mass_matrix(mech, state),
        "joint reactions": lambda: joint_reactions(mech, state),
        "poses and twists": lambda: body_poses(mech, state),
        "Jacobian": lambda: jacobian(mech, state, "bob"),
        "Jacobian rate": lambda: jacobian_rate(mech, state, "bob"),
        "energy": lambda: energy(mech, state),
        "momentum": lambda: momentum(mech, state),
        "integration": lambda: integrate(mech, q, v),
        "difference": lambda: difference(mech, q, q),
        "normalisation": lambda: normalise(mech, q),
        "joint poses": lambda: Spherical().position(Spherical().pose([1, 0, 0, 0])),
        "joint velocities": lambda: Spherical().velocity([1, 0, 0, 0], np.zeros(6)),
        "joint screws": lambda: screws(Spherical(), np.array([1.0, 0.0, 0.0, 0.0])),
        "joint rates": lambda: screw_rates(Universal((1, 0, 0), (0, 1, 0)), np.zeros(2), np.zeros(2)),
        "re-rooting": lambda: reroot(mech, state, "bob"),
        "impacts": lambda: reroot(mech, state, "bob", velocity="impact"),
        "trajectories": lambda: _use(simulate(mech, state, 1e-3)),
        "position rates (complex)": lambda: as_ivp(mech).fun(0.0, state._x),
        "limit cycles": lambda: limit_cycle(mech, state, at_time(1e-3), torque=lambda _t, _mech, state: -state.q),
        "closed chains": lambda: forward_dynamics(linkage, assemble(linkage, linkage.state())),
        "closed chains, pushed": lambda: forward_dynamics(linkage, linkage.state(), wrenches={"bob": np.zeros(6)}),
        "reactions of closed chains": lambda: joint_reactions(linkage, linkage.state()),
        "inverse dynamics of closed chains": lambda: inverse_dynamics(linkage, linkage.state(), v),
        "generalized coordinates": lambda: mobility(linkage, linkage.state(), keep=mobility(linkage, linkage.state())),
        "accelerations of closed chains": lambda: consistent_acceleration(linkage, linkage.state(), v),
        "connecting": lambda: connect(mech, state, "world", "bob", joint=Revolute((0, 1, 0)), at=(0, 0, 0)),
        "simulation of closed chains": lambda: simulate(linkage, linkage.state(), 1e-3).loop_error(),
        "maximal coordinates": lambda: simulate(mech, state, 1e-3, coordinates="maximal").final,
        "batch of closed chains": lambda: forward_dynamics_batch(linkage, q[None], v[None]),
    }


def _use(trajectory: Trajectory) -> None:
    trajectory.state(5e-4)
    trajectory.energy()
    trajectory.body("bob")


def compile_kernels() -> None:
    """Run every kernel once, on all cores and with a progress bar; what is already compiled is loaded in no time."""
    context = get_context("spawn")  # a fork would share the compiler's locks
    names = list(kernels())
    with (
        ProgressBar(len(names), stays=True) as progress,
        ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=compile_quietly) as processes,
    ):
        progress.update(0, f"compiling {len(names)} kernels")
        waiting = {processes.submit(_compile, name): name for name in names}
        for count, done in enumerate(as_completed(waiting), 1):
            done.result()
            progress.update(count, f"compiled {count} of {len(names)} kernels")


def _compile(name: str) -> None:
    kernels()[name]()


if __name__ == "__main__":
    compile_kernels()
