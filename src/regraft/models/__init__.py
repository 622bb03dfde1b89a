"""Ready-made mechanisms, each with a state to start from and the events that change its structure."""

from .bipeds import CompassBiped, Legs, compass_biped, simplest_walker

__all__ = ["CompassBiped", "Legs", "compass_biped", "simplest_walker"]
