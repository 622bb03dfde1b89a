"""Hybrid simulation: integrators, events, the compiled loop and trajectories."""

from .events import PASS, STOP, Event, at_time, when_frame_below, when_joint
from .hybrid import simulate
from .ivp import InitialValueProblem, as_ivp
from .joining import join
from .recorded import Segment
from .trajectory import Trajectory

__all__ = [
    "PASS",
    "STOP",
    "Event",
    "InitialValueProblem",
    "Segment",
    "Trajectory",
    "as_ivp",
    "at_time",
    "join",
    "simulate",
    "when_frame_below",
    "when_joint",
]
