"""Hybrid simulation: integrators, events, the compiled loop and trajectories."""

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
    "Event",
    "InitialValueProblem",
    "Law",
    "Segment",
    "Trajectory",
    "as_ivp",
    "at_time",
    "join",
    "law",
    "simulate",
    "when_frame_below",
    "when_joint",
]
