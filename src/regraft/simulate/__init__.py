"""Hybrid simulation: integrators, events, the compiled loop and trajectories."""

from .batch import Batch, Measure, simulate_batch
from .composed_changes import ByStructure, InTurn, by_structure, in_turn
from .controls import Controls, controls
from .events import PASS, STOP, Event, at_time, when_frame_below, when_joint
from .hybrid import simulate
from .ivp import InitialValueProblem, as_ivp
from .joining import join
from .laws import ALL, Law, law
from .ready_changes import Grip, Release, Strike, grip, release, strike
from .recorded import Segment
from .trajectory import Trajectory

__all__ = [
    "ALL",
    "PASS",
    "STOP",
    "Batch",
    "ByStructure",
    "Controls",
    "Event",
    "Grip",
    "InTurn",
    "InitialValueProblem",
    "Law",
    "Measure",
    "Release",
    "Segment",
    "Strike",
    "Trajectory",
    "as_ivp",
    "at_time",
    "by_structure",
    "controls",
    "grip",
    "in_turn",
    "join",
    "law",
    "release",
    "simulate",
    "simulate_batch",
    "strike",
    "when_frame_below",
    "when_joint",
]
