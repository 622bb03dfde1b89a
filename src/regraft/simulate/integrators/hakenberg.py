"""S3's step, for maximal coordinates: semi-implicit, one evaluation a step, and the joints may drift apart. First order."""

from .contract import Integrator

HAKENBERG = Integrator("hakenberg", order=1, stages=((), (1.0,)), times=(0.0, 1.0), of_free_bodies=True)
