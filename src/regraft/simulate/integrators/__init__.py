"""The integrators by name. To add one, write its numbers in a file and its name here."""

from .contract import OWN_TERMS, Integrator, Method
from .dop853 import DOP853
from .dopri5 import DOPRI5
from .euler import EULER
from .hakenberg import HAKENBERG
from .rk4 import RK4

INTEGRATORS = {method.name: method for method in (EULER, RK4, DOPRI5, DOP853, HAKENBERG)}

__all__ = ["INTEGRATORS", "OWN_TERMS", "Integrator", "Method"]
