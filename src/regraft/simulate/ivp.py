"""The equations of motion for any solver of ordinary differential equations, such as `scipy.integrate.solve_ivp`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import representable
from ..ask.forward import forward_dynamics
from ..ask.manifold import check_lengths
from ..ask.trees_only import open_tree
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from ..kernels.configuration import normalise_position, position_rate
from .drives import Motors, Pushes, pushes_of, torques_of
from .laws import Home

Array = NDArray[np.float64]


class InitialValueProblem:
    """The motion of a mechanism as y' = fun(t, y) with y = (q, v); made by `as_ivp`.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    torque, wrenches : callable or constant, optional
        As for `simulate`.
    """

    def __init__(self, mech: Mechanism, torque: Any = None, wrenches: Any = None) -> None:
        self.mech = mech.frozen()
        self._walk, self._layout = open_tree(self.mech, "simulation").walk, self.mech.layout
        home = Home.of(self.mech)
        torques, pushes = torques_of(torque, self.mech, home), pushes_of(wrenches, home)
        self._torques = None if torques is None else torques.driver(self.mech, self._show, Motors(self.mech))
        self._pushes = pushes.driver(self.mech, self._show) if isinstance(pushes, Pushes) else None
        self._wrenches = pushes if isinstance(pushes, Mapping) else None

    def y0(self, state: State) -> Array:
        """A state as the solver's initial value.

        Parameters
        ----------
        state : State
            A state of the mechanism.

        Returns
        -------
        (nq + nv,) array
        """
        self.mech.check_state(state)
        return state._x.copy()

    def state(self, y: ArrayLike) -> State:
        """The state of a solver's vector; quaternions get their unit length back.

        Parameters
        ----------
        y : (nq + nv,) array_like
            The solver's vector.

        Returns
        -------
        State
        """
        x = np.array(y, float)
        if x.shape != (self._layout.nq + self._layout.nv,):
            raise ModelError(f"y must have {self._layout.nq + self._layout.nv} numbers, q and then v, not shape {x.shape}.")
        normalise_position(self._walk, x[: self._layout.nq])
        check_lengths(self._layout, x[: self._layout.nq])
        return State(self._layout, x)

    def fun(self, t: float, y: ArrayLike) -> Array:
        """The rates of positions and velocities. Quaternions need not have unit length, and their rates keep it.

        Parameters
        ----------
        t : float
            The time.
        y : (nq + nv,) array_like
            The solver's vector.

        Returns
        -------
        (nq + nv,) array
        """
        state = self.state(y)
        torque = None if self._torques is None else self._torques.ask(t, state._q, state._v)
        acceleration = forward_dynamics(self.mech, state, torque, self._pushed(t, state))
        return np.concatenate((self._position_rate(state), acceleration))

    def _position_rate(self, state: State) -> Array:
        """dq/dt."""
        found = np.empty(self._layout.nq)
        position_rate(self._walk, state._q, state._v, found)
        return representable("the rates of the positions", found)

    def _show(self, _t: float, x: Array) -> tuple[Mechanism, State]:
        return self.mech, State(self._layout, x)

    def _pushed(self, t: float, state: State) -> Mapping[str, Array] | None:
        if self._pushes is None:
            return self._wrenches
        found = self._pushes.ask(t, state._q, state._v).reshape(-1, 6)
        return dict(zip(self.mech.bodies, found, strict=True))


def as_ivp(mech: Mechanism, torque: Any = None, wrenches: Any = None) -> InitialValueProblem:
    """The motion of a mechanism as an initial value problem for other solvers.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    torque, wrenches : callable or constant, optional
        As for `simulate`.

    Returns
    -------
    InitialValueProblem

    Examples
    --------
    >>> import regraft as rg
    >>> from scipy.integrate import solve_ivp
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> problem = rg.as_ivp(mech)
    >>> solution = solve_ivp(problem.fun, (0.0, 1.0), problem.y0(mech.state()))
    >>> problem.state(solution.y[:, -1]).v.round(6)
    array([-9.81])
    """
    return InitialValueProblem(mech, torque, wrenches)
