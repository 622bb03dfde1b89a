"""Ready-made mechanisms, each with a state to start from and the events that change its structure."""

from .benchmarks import four_bars, pendulum, squeezer
from .bipeds import CompassBiped, Legs, compass_biped, simplest_walker
from .linkages import bricard, four_bar
from .ready import Model

__all__ = [
    "CompassBiped",
    "Legs",
    "Model",
    "bricard",
    "compass_biped",
    "four_bar",
    "four_bars",
    "pendulum",
    "simplest_walker",
    "squeezer",
]
