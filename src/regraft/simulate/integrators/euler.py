"""Euler's method with Rodrigues' formula for rotations (S2 eqs. 39–44). First order."""

from .contract import Integrator

EULER = Integrator("euler", order=1, stages=((), (1.0,)), times=(0.0, 1.0))
