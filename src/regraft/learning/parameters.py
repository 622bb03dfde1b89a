"""How torques change with masses and damping.

τ = M v̇ + c − g + damping · v is linear in the masses, with their moments of inertia, and in the damping. So the difference of two
inverse dynamics, of a body with twice its mass and with its own, is the exact derivative times the mass: no step is to be chosen,
and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..ask.batch import inverse_dynamics_batch
from ..describe.graph import known
from ..describe.mechanism import Mechanism
from ..errors import ModelError

Array = NDArray[np.float64]


class Parameters:
    """Masses of bodies, whose shape stays, and then damping of joints, the same along all of a joint's velocities."""

    def __init__(self, mech: Mechanism, mass: Iterable[str], damping: Iterable[str]) -> None:
        self._mech = mech
        self._damped = [mech.v_slice(joint) for joint in _names("damping", damping)]
        self._masses = []
        for body in _names("mass", mass):
            if body not in mech.bodies:
                raise ModelError(f"mass: there is no body {body!r}. {known('bodies', mech.bodies, body)}")
            own = mech.bodies[body].inertia
            if not own.mass > 0.0:
                raise ModelError(f"mass of {body!r}: it has none, and so no shape that a mass could have.")
            self._masses.append((own.mass, mech.replace(inertia={body: own + own})))
        self.count = len(self._masses) + len(self._damped)

    def slopes(self, q: Array, v: Array, a: Array, threads: int | None) -> Array:
        """(states, nv, parameters): ∂τ/∂θ at (q, v, a)."""
        found = np.zeros((len(v), v.shape[1], self.count))
        if self._masses:
            own = inverse_dynamics_batch(self._mech, q, v, a, threads)
            for column, (mass, heavier) in enumerate(self._masses):
                found[:, :, column] = (inverse_dynamics_batch(heavier, q, v, a, threads) - own) / mass
        for column, at in enumerate(self._damped, len(self._masses)):
            found[:, at, column] = v[:, at]
        return found


def _names(what: str, given: Iterable[str]) -> list[str]:
    if isinstance(given, str):
        raise ModelError(f"{what} must be a list of names, such as [{given!r}].")
    try:
        return list(given)
    except TypeError:
        raise ModelError(f"{what} must be a list of names, not {given!r}.") from None
