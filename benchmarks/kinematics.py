"""Inverse kinematics of a figure with 46 degrees of freedom and 40 markers, beside a loop over Pinocchio's Jacobians."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.optimize import least_squares

import regraft as rg
from subjects import PinocchioTwin
from timing import Comparison, compare

Array = NDArray[np.float64]

FRAMES = 200
MARKERS = 40
NOISE = 0.005  # m, of the markers
AGREEMENT = 1e-6  # relative: how far the costs of both may be apart
SMALL_STEP = 1e-9  # rad and m: where the loop ends


class Recording:
    """A motion of the figure at 100 frames a second, seen by noisy markers."""

    def __init__(self) -> None:
        self.mech, _ = rg.models.spherical_figure().start
        rng, bodies = np.random.default_rng(0), list(self.mech.bodies)
        swing, pace, phase = (rng.uniform(low, high, self.mech.nv) for low, high in ((0.05, 0.3), (2.0, 6.0), (0.0, 6.0)))
        rest, times = self.mech.state().q, np.arange(FRAMES) / 100.0
        self.q = np.array([rg.integrate(self.mech, rest, swing * np.sin(pace * t + phase)) for t in times])
        self.places = [(bodies[i % len(bodies)], rng.uniform(-0.15, 0.15, 3)) for i in range(MARKERS)]
        poses = [rg.body_poses(self.mech, self.mech.state(q=q)) for q in self.q]
        seen = np.array([[pose[body].apply(at) for body, at in self.places] for pose in poses])
        self.seen = seen + NOISE * rng.standard_normal(seen.shape)  # (frames, markers, 3)
        self.targets = {f"m{i}": rg.Marker(self.seen[:, i], on=body, at=at) for i, (body, at) in enumerate(self.places)}
        self.start = self.mech.state(q=self.q[0])

    def solve(self) -> rg.InverseKinematics:
        """All frames."""
        return rg.inverse_kinematics(self.mech, self.targets, start=self.start, limits=False)


class PinocchioFit:
    """The same problem with Pinocchio's kinematics."""

    def __init__(self, recording: Recording) -> None:
        twin = PinocchioTwin(recording.mech)
        self.model, self.frames = twin.model, []
        for i, (body, at) in enumerate(recording.places):
            joint, place = twin.places[body]
            where = place * pin.SE3(np.eye(3), at)
            self.frames.append(self.model.addFrame(pin.Frame(f"marker {i}", joint, where, pin.FrameType.OP_FRAME)))
        self.data, self.position = self.model.createData(), twin.q

    def misses(self, q: Array, goals: Array) -> tuple[Array, Array]:
        """What the markers miss (120,), and how that changes along each velocity (120, nv)."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        miss, J = np.empty((MARKERS, 3)), np.empty((MARKERS, 3, self.model.nv))
        for i, frame in enumerate(self.frames):
            miss[i] = self.data.oMf[frame].translation - goals[i]
            J[i] = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[:3]
        return miss.ravel(), J.reshape(-1, self.model.nv)

    def loop(self, q: Array, goals: Array) -> Array:
        """Levenberg and Marquardt, as one writes it in a script."""
        damping = 1e-6
        miss, J = self.misses(q, goals)
        for _ in range(100):
            H = J.T @ J
            step = -np.linalg.solve(H + damping * np.diag(np.diag(H)), J.T @ miss)
            there = pin.integrate(self.model, q, step)
            found, J_there = self.misses(there, goals)
            if found @ found <= miss @ miss * (1.0 + SMALL_STEP):
                q, miss, J, damping = there, found, J_there, max(0.1 * damping, SMALL_STEP)
            else:
                damping *= 10.0
            if np.abs(step).max() < SMALL_STEP:
                break
        return q

    def scipy(self, q: Array, goals: Array) -> Array:
        """`scipy.optimize.least_squares` on the tangent space of the start."""

        def at(step: Array) -> Array:
            return np.asarray(pin.integrate(self.model, q, step))

        found = least_squares(
            lambda step: self.misses(at(step), goals)[0],
            np.zeros(self.model.nv),
            lambda step: self.misses(at(step), goals)[1] @ pin.dIntegrate(self.model, q, step)[1],
            method="lm",
        )
        return at(found.x)


def inverse_kinematics_comparisons() -> list[Comparison]:
    """Per frame: ours of all frames in one call, theirs of one frame that starts from the one before it."""
    recording = Recording()
    found, fit = recording.solve(), PinocchioFit(recording)
    assert found.converged.all()
    middle = FRAMES // 2
    before, goals = fit.position(recording.mech.state(q=found.q[middle - 1])), recording.seen[middle]
    what, figure = "inverse_kinematics of 40 markers, per frame", f"figure of {recording.mech.nv} dof"

    def checked(solve: Callable[[Array, Array], Array]) -> Callable[[], Array]:
        cost = float((fit.misses(solve(before, goals), goals)[0] ** 2).mean() * 3)
        assert abs(cost / float(found.rms[middle]) ** 2 - 1.0) < AGREEMENT, "another minimum"
        return lambda: solve(before, goals)

    return [
        compare(what, figure, recording.solve, name, checked(solve), target, FRAMES, 1)
        for name, solve, target in (("a loop over pin", fit.loop, 0.07), ("scipy and pin", fit.scipy, 0.07))
    ]
