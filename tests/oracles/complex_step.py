"""Derivatives by the complex step: every kernel again on complex numbers, whose imaginary parts are derivatives to rounding."""

from __future__ import annotations

import numpy as np

from regraft.ask.loads import external_table, joint_torques
from regraft.compilation import Complexes, ComplexTable, Table, inline, long_entry
from regraft.kernels.complex_step import _differentiated, loop_derivatives
from regraft.kernels.memory import model_at, work_at
from regraft.kernels.rnea import rnea


@inline
def _torques(tables, q, v, a, external, out):
    rnea(tables[0], tables[1], q, v, a, external, out)


_torque_slopes = _differentiated(_torques)


@long_entry
def _inverse_slopes(
    handle: int, q: Complexes, v: Complexes, a: Complexes, external: ComplexTable, scratch: ComplexTable, out: Table
) -> None:
    _torque_slopes((model_at(handle), work_at(handle, q)), q, v, a, external, scratch, out)


def complex_inverse_derivatives(mech, state, a, wrenches=None):
    """∂τ/∂q, ∂τ/∂v and M of the tree."""
    structure = mech.structure
    nv = structure.nv
    external = structure.no_forces if wrenches is None else external_table(mech, wrenches)
    given = (state.q, state.v, np.asarray(a, float), external, np.zeros((3, max(structure.nq, nv))))
    out = np.empty((nv, 3 * nv))
    _inverse_slopes.call(structure.new_work(0j), *(x.astype(complex) for x in given), out)
    return out[:, :nv], out[:, nv : 2 * nv], out[:, 2 * nv :]


def complex_closed_derivatives(mech, state, tau=None, wrenches=None):
    """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ with loops and couplings."""
    structure = mech.structure
    nv = structure.nv
    torque, of_loops = joint_torques(mech, tau)
    external = structure.no_forces if wrenches is None else external_table(mech, wrenches)
    given = (state.q, state.v, torque, external, np.zeros((3, max(structure.nq, nv))))
    work, out = structure.new_work(0j), np.empty((nv, 3 * nv))
    work.drive(of_loops)
    loop_derivatives.call(work, *(x.astype(complex) for x in given), out)
    return out[:, :nv], out[:, nv : 2 * nv], out[:, 2 * nv :]
