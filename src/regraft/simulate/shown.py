"""What a run shows to the functions of its user: a mechanism that cannot be changed, and states whose loops are closed.

The stages of a step and its dense output leave loops open by the error of the step, or by less than that. A function that got
such a state could not ask for its dynamics. So it gets the nearest state in which the loops are closed, which is the same where
they are closed already: the motion is that of the same equations, only its error within the tolerance is another one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..ask.assembly import Closing
from ..describe.mechanism import Mechanism
from ..describe.state import State

Array = NDArray[np.float64]


class Shown:
    """One structure of a run as its functions see it."""

    def __init__(self, mech: Mechanism) -> None:
        self.mech = mech.frozen()
        self._closing = Closing(mech) if mech.layout.is_constrained else None

    def state(self, x: Array) -> State:
        """The state x = (q, v), with all loops closed."""
        return State(self.mech.layout, x if self._closing is None else self._closing.near(x))

    def at(self, _t: float, x: Array) -> tuple[Mechanism, State]:
        """Mechanism and state as functions get them."""
        return self.mech, self.state(x)
