"""Controls of actuators in a run: numbers, or functions of time, that become torques by the law of each actuator."""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import Structure, addressof
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.memory import table_at, vector_at
from ..ask.controls import ActuatorTables, actuator_tables, control_numbers, refuse_several
from ..compilation import address_of, entry
from ..describe.mechanism import Mechanism
from ..errors import ModelError
from ..kernels.actuators import LAW, TERM, actuate
from .callbacks import Callback, compiled_callback, is_compiled, python_callback
from .calls import FINE, call_at
from .laws import Law, OwnFunction
from .records import layout_of, record, records_at

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Controls:
    """Controls of actuators over a run; made by `controls`.

    Attributes
    ----------
    given : callable, mapping or (n,) array
        What was given.
    """

    given: Any

    def __repr__(self) -> str:
        return f"controls({getattr(self.given, '__name__', None) or repr(self.given)})"


def controls(given: Any) -> Controls:
    """Controls of motors and servos, as the `torque` of a run: they become torques of joints by the law of each actuator.

    Parameters
    ----------
    given : (n,) array_like, mapping of str to float, or callable
        One for each actuator, in the order of `Mechanism.actuators`; or by name, and then actuators that are not named are not
        driven; or a function of time ``f(t)`` that returns either. A Numba function ``f(t, out)``, which fills one number for
        each actuator, runs inside the compiled loop.

    Returns
    -------
    Controls
        For `torque` of `simulate`, `as_ivp` and the like, alone or in a list with other torques, which add up. The actuators are
        those at the start of the run; one whose joint is gone rests until it is there again.

    Raises
    ------
    ModelError
        Where nothing is given. Whether controls fit a mechanism shows when a run starts.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.models.pendulum().mech.copy()
    >>> mech.add_actuator("servo", "hinge", gain=200.0, bias=(0.0, -200.0, -20.0))
    >>> traj = rg.simulate(mech, mech.state(), 4.0, torque=rg.controls({"servo": 0.0}))
    >>> bool(abs(traj.joint("hinge").v[-1]) < 1e-3)
    True
    """
    if given is None or isinstance(given, (str, Controls, Law)):
        raise ModelError(f"controls: give numbers for all actuators, or by their names, or a function of time, not {given!r}.")
    if isinstance(given, Mapping):
        return Controls(dict(given))
    return Controls(given if callable(given) else np.array(given))


@dataclass(frozen=True, eq=False)
class BoundControls:
    """Controls with the actuators that a run starts with."""

    given: Any
    names: tuple[str, ...]

    @classmethod
    def of(cls, given: Controls, mech: Mechanism) -> BoundControls:
        """For a run that starts with this mechanism; an error where they do not fit it."""
        tables = actuator_tables(mech)
        if not tables.names:
            raise ModelError("controls: this mechanism has no actuators to give controls to; add some by mech.add_actuator(...).")
        if is_compiled(given.given):
            refuse_several(tables, set(tables.names))
        elif not callable(given.given):
            control_numbers(tables, given.given)
        return cls(given.given, tables.names)

    def law(self, mech: Mechanism) -> Law | None:
        """All of it in one structure; None where none of the actuators is there."""
        tables = actuator_tables(mech, self.names)
        return Law(tables.joints, _Actuation(self.given, tables)) if tables.joints else None


@record
class Actuation(Structure):
    """Actuators as compiled code reads them."""

    laws: int  # address of their laws
    law_count: int
    terms: int  # address of the terms of their lengths
    term_count: int
    efforts: int  # address of the largest torque of each joint
    controls: int  # address of the controls
    control_count: int
    function: int  # address of the function that fills them; 0 where they stay as they are
    is_compiled: bool  # whether that is compiled, and then must fill finite numbers


ACTUATION = layout_of(Actuation)


@entry
def actuated(t: float, q: int, v: int, out: int, nq: int, nv: int, context: int) -> int:
    """`actuate` with the controls at a time, with addresses of arrays; says FINE, or 0 for a failure.

    `context` is the address of the record.
    """
    head = records_at(context, 1, ACTUATION)[0]
    position, velocity, controls = vector_at(q, nq), vector_at(v, nv), vector_at(head.controls, head.control_count)
    if head.function != 0:
        for i in range(head.control_count):
            controls[i] = 0.0 if head.is_compiled else np.nan  # a signal on the way into Python leaves them as they are
        if call_at(head.function, t, position, velocity, controls, head.control_count) != 0:
            return 0
    for i in range(head.control_count):
        if np.isnan(controls[i]) or (head.is_compiled and np.isinf(controls[i])):
            return 0
    laws, terms = table_at(head.laws, head.law_count, LAW, 0.0), table_at(head.terms, head.term_count, TERM, 0.0)
    actuate(laws, terms, vector_at(head.efforts, nv), controls, position, velocity, vector_at(out, nv))
    return FINE


@cache
def actuation_kernel() -> int:
    """The address of `actuated`."""
    return address_of(actuated)


class _Actuation(OwnFunction):
    """Actuators of one structure with their controls, as a function of the numbers of their joints."""

    def __init__(self, given: Any, tables: ActuatorTables) -> None:
        self.given, self.tables = given, tables

    def callback(self, _name: str) -> Callback:
        """A C function; the record and the tables live as long as it does."""
        tables, head, count = self.tables, Actuation(), len(self.tables.names)
        within, numbers = self._function(count), np.zeros(count)
        if within is None:
            numbers = control_numbers(tables, self.given)
        else:
            head.function, head.is_compiled = within.address, within.python is None
        kept = [np.ascontiguousarray(table) for table in (tables.laws, tables.terms, tables.efforts, numbers)]
        head.laws, head.terms, head.efforts, head.controls = (table.ctypes.data for table in kept)
        head.law_count, head.term_count, head.control_count = len(tables.laws), len(tables.terms), count
        called = Callback((head, kept), actuation_kernel(), CALLED, within=() if within is None else (within,))
        called.context = addressof(head)
        return called

    def _function(self, count: int) -> Callback | None:
        """What fills the controls; None where they are numbers."""
        function, tables = self.given, self.tables
        if not callable(function):
            return None
        if is_compiled(function):
            return compiled_callback(function, "controls", CALLED)

        def called(t: float, _q: Array, _v: Array) -> Array:
            return control_numbers(tables, function(t))

        return python_callback(called, count, CALLED)


CALLED = "the function of 'controls'"
