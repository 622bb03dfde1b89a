"""Hybrid simulation: integrators, events, the compiled loop and trajectories."""

from .batch import Batch, Measure, simulate_batch
from .controls import Controls, controls
from .events import PASS, STOP, Event, at_time, when_frame_below, when_joint
from .hybrid import simulate
from .ivp import InitialValueProblem, as_ivp
from .joining import join
from .laws import ALL, Law, law
from .recorded import Segment
from .trajectory import Trajectory

__all__ = [
    "ALL",
    "PASS",
    "STOP",
    "Batch",
    "Controls",
    "Event",
    "InitialValueProblem",
    "Law",
    "Measure",
    "Segment",
    "Trajectory",
    "as_ivp",
    "at_time",
    "controls",
    "join",
    "law",
    "simulate",
    "simulate_batch",
    "when_frame_below",
    "when_joint",
]
