"""Ready-made mechanisms, each with a state to start from and the events that change its structure."""

from .benchmarks import four_bars, pendulum, squeezer
from .bipeds import CompassBiped, Legs, compass_biped, simplest_walker
from .figures import Figure, human_figure, spherical_figure
from .gymnastics import high_bar
from .linkages import bricard, four_bar
from .playground import swing
from .ready import Model
from .skeletons import character, skeleton_example

__all__ = [
    "CompassBiped",
    "Figure",
    "Legs",
    "Model",
    "bricard",
    "character",
    "compass_biped",
    "four_bar",
    "four_bars",
    "high_bar",
    "human_figure",
    "pendulum",
    "simplest_walker",
    "skeleton_example",
    "spherical_figure",
    "squeezer",
    "swing",
]
