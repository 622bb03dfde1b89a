"""Hybrid simulation: integrators, events, the compiled loop and trajectories."""

from .events import STOP, Event, at_time, when_frame_below, when_joint
from .hybrid import simulate
from .trajectory import Segment, Trajectory

__all__ = ["STOP", "Event", "Segment", "Trajectory", "at_time", "simulate", "when_frame_below", "when_joint"]
