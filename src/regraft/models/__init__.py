"""Ready-made mechanisms, each with a state to start from and the events that change its structure."""

from .benchmarks import four_bars, pendulum, squeezer
from .bipeds import CompassBiped, Legs, compass_biped, simplest_walker
from .figures import Figure, human_figure, spherical_figure
from .gymnastics import high_bar
from .kneed import kneed_walker
from .linkages import bricard, four_bar
from .playground import swing
from .ready import Model
from .round_feet import round_footed_biped
from .runners import spring_runner
from .skeletons import character, skeleton_example
from .wheels import rimless_wheel

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
    "kneed_walker",
    "pendulum",
    "rimless_wheel",
    "round_footed_biped",
    "simplest_walker",
    "skeleton_example",
    "spherical_figure",
    "spring_runner",
    "squeezer",
    "swing",
]
