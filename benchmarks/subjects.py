"""The mechanisms that are timed, each as a Pinocchio model and as a Regraft mechanism at the same random state."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import regraft as rg

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))  # the translation from Pinocchio lives with the test oracles
from oracles.mujoco_oracle import MujocoTwin  # type: ignore[import-not-found]
from oracles.pinocchio_oracle import PinocchioTwin, mechanism_from_pinocchio, se3  # type: ignore[import-not-found]
from simple_mechanisms import robot_pair  # type: ignore[import-not-found]

__all__ = ["MujocoTwin", "PinocchioTwin", "Subject", "arm", "chain", "humanoid", "robot_pair", "se3"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Subject:
    """One mechanism in both libraries, with a state and torques."""

    name: str
    model: Any
    q: Array
    mech: rg.Mechanism
    state: rg.State
    v: Array
    tau: Array

    @cached_property
    def data(self) -> Any:
        """Pinocchio's workspace; it holds nv × nv matrices, so it is only made where Pinocchio is timed."""
        return self.model.createData()


def subject(name: str, model: Any, seed: int = 0) -> Subject:
    """A Pinocchio model with everything that a comparison needs."""
    rng = np.random.default_rng(seed)
    pin.seed(seed)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v, tau = rng.standard_normal(model.nv), rng.standard_normal(model.nv)
    mech, translate = mechanism_from_pinocchio(model)
    return Subject(name, model, q, mech, mech.state(q=translate(q), v=v), v, tau)


def humanoid() -> Subject:
    """Pinocchio's sample humanoid: a floating base and 28 hinges."""
    return subject("humanoid", pin.buildSampleModelHumanoid())


def arm() -> Subject:
    """An arm of seven hinges with the proportions of a common lightweight robot."""
    lengths = (0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081)
    masses = (3.5, 3.5, 2.5, 2.6, 1.7, 1.8, 0.3)
    return subject("7-dof arm", _hinges(lengths, masses, "zyzyzyz"))


def chain(bodies: int) -> Subject:
    """A chain of equal rods, hinged about x and y in turn, the first at the world."""
    return subject(f"chain of {bodies}", _hinges((0.1,) * bodies, (0.5,) * bodies, "xy"))


def _hinges(lengths: tuple[float, ...], masses: tuple[float, ...], axes: str) -> Any:
    hinge = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    model = pin.Model()
    joint, reach = 0, 0.0
    for i, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, reach]))
        joint = model.addJoint(joint, hinge[axes[i % len(axes)]](), place, f"hinge {i}")
        across, along = mass * (length**2 / 12 + 0.05**2 / 4), mass * 0.05**2 / 2
        inertia = pin.Inertia(mass, np.array([0.0, 0.0, length / 2]), np.diag([across, across, along]))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        reach = length
    return model
