"""Energy, momentum and centre of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from ..kernels.energy import energy_at, momentum_at
from .loop_measures import loop_measures

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Energy:
    """Energies in joules; made by `energy`.

    Attributes
    ----------
    kinetic : float
        Of bodies and rotors.
    potential : float
        Of gravity, springs (those in joints too) and limits. Gravity's is 0 for a mass at the height of the world's origin.
    total : float
        Kinetic plus potential.
    """

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Kinetic plus potential."""
        return self.kinetic + self.potential


@dataclass(frozen=True)
class Momentum:
    """Momentum of the whole mechanism in world axes; made by `momentum`.

    Attributes
    ----------
    angular : (3,) array
        About the world's origin.
    linear : (3,) array
        Mass times velocity.
    """

    angular: Array
    linear: Array


def energy(mech: Mechanism, state: State) -> Energy:
    """Kinetic and potential energy.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.

    Returns
    -------
    Energy
        With `kinetic`, `potential` (0 where all mass is at the height of the world's origin, springs are at rest and limits
        untouched) and `total`.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.energy(mech, mech.state(q={"fall": 1.0}, v={"fall": 3.0}))
    Energy(kinetic=9.0, potential=19.62)
    """
    structure = mech.structure_for(state)
    kinetic, potential = energy_at.call(structure.work, state._q, state._v)
    if structure.loops_store:
        stored, turning = loop_measures(mech, state._x[None])[0, 2:].tolist()
        kinetic, potential = kinetic + turning, potential + stored
    found = Energy(kinetic, potential)
    representable("the energies", np.array([kinetic, potential, found.total]))
    return found


def momentum(mech: Mechanism, state: State) -> Momentum:
    """Angular and linear momentum of the whole mechanism: that of its bodies, without the rotors (`armature`) of its joints.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.

    Returns
    -------
    Momentum
        With `angular`, about the world's origin, and `linear`; both (3,), in world axes.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.momentum(mech, mech.state(v={"fall": 3.0})).linear.tolist()
    [0.0, 0.0, 6.0]
    """
    turning, moving, _, _ = _momentum(mech, state)
    representable("the momenta", np.array([*turning, *moving]))
    return Momentum(np.array(turning), np.array(moving))


def center_of_mass(mech: Mechanism, state: State) -> Array:
    """The centre of mass of all bodies, in the world.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position.

    Returns
    -------
    (3,) array

    Raises
    ------
    ModelError
        If no body has a mass.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -1)))
    >>> mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> rg.center_of_mass(mech, mech.state()).tolist()
    [0.0, 0.0, -0.5]
    """
    _, _, moment, mass = _momentum(mech, state)
    if mass == 0.0:
        raise ModelError("the mechanism has no mass, so no centre of mass; give a body some.")
    return representable("the moments of mass about the world's origin", np.array(moment)) / mass


def _momentum(mech: Mechanism, state: State) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...], float]:
    structure = mech.structure_for(state)
    found: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...], float]
    found = momentum_at.call(structure.work, state._q, state._v)
    return found
