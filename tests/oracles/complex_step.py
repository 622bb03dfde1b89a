"""Derivatives by the complex step: every kernel again on complex numbers, whose imaginary parts are derivatives to rounding."""

from __future__ import annotations

import numpy as np

from regraft.algebra.memory import table_at
from regraft.ask.loads import external_table, joint_torques
from regraft.compilation import Complexes, ComplexTable, IntegerTable, Table, address_of, entry, inline, jit, long_entry
from regraft.joints.guides import NEAREST, fill_nearest, guide_kernels
from regraft.kernels.coil_kernels import pull_coils, pull_loop_coils
from regraft.kernels.configuration import integrate
from regraft.kernels.constraints.coupling_kernels import look_at_couplings
from regraft.kernels.constraints.dynamics import closed_dynamics
from regraft.kernels.constraints.link_kernels import do_links
from regraft.kernels.memory import (
    COILS,
    COILS_KERNEL,
    COUPLINGS,
    COUPLINGS_AT,
    LINKS,
    LINKS_AT,
    LOOP_COILS_KERNEL,
    TREE_COILS,
    block_for,
    loops_at,
    model_at,
    positions_in,
    velocities_in,
    work_at,
)
from regraft.kernels.rnea import rnea
from regraft.kernels.tables import DOF_WORK
from regraft.structure.workspace import Workspace

STEP = 1e-30
"""Imaginary step: its square is below rounding, so the imaginary part of a result is STEP times the derivative, exactly."""


def _differentiated(function):
    """The derivative of function(tables, q, v, given, external, result) by q, in the tangent space, by v and by what is given.

    All arrays but `out` are complex; scratch has the rows: a position, a tangent vector, a result.
    """

    @jit
    def differentiate(tables, q, v, given, external, scratch, out):
        nq, nv = q.shape[0], v.shape[0]
        moved, step, result = scratch[0, :nq], scratch[1, :nv], scratch[2, :nv]
        step[:] = 0.0
        for column in range(out.shape[1]):
            by, c = column // nv, column % nv
            seed, changed = complex(0.0, STEP), step if by == 0 else v if by == 1 else given
            changed[c] += seed
            integrate(tables[0].walk, q, step, moved)
            function(tables, moved, v, given, external, result)
            changed[c] -= seed
            for d in range(nv):
                out[d, column] = result[d].imag / STEP

    return differentiate


@inline
def _torques(tables, q, v, a, external, out):
    rnea(tables[0], tables[1], q, v, a, external, out)


@inline
def _accelerations(tables, q, v, tau, external, out):
    closed_dynamics(tables[0], tables[1], tables[2], q, v, tau, external, out)


_torque_slopes, _acceleration_slopes = _differentiated(_torques), _differentiated(_accelerations)


@long_entry
def _inverse_slopes(
    handle: int, q: Complexes, v: Complexes, a: Complexes, external: ComplexTable, scratch: ComplexTable, out: Table
) -> None:
    _torque_slopes((model_at(handle), work_at(handle, q)), q, v, a, external, scratch, out)


@long_entry
def _closed_slopes(
    handle: int, q: Complexes, v: Complexes, tau: Complexes, external: ComplexTable, scratch: ComplexTable, out: Table
) -> None:
    tables = model_at(handle), work_at(handle, q), loops_at(handle, q)
    _acceleration_slopes(tables, q, v, tau, external, scratch, out)


@entry
def integrate_complex(walk: IntegerTable, q: Complexes, step: Complexes, out: Complexes) -> None:
    """q ⊕ step."""
    integrate(walk, q, step, out)


@entry
def _block(structure: int) -> tuple[int, object]:
    return block_for(structure, 0, 0, 1, 0.0j)


@entry
def _nearest(at: int, given: int, out: int) -> float:
    return fill_nearest(at, given, out, 0.0j)


@entry
def _coils(handle: int, dof: int, q: int, lanes: int) -> float:
    n, nv = positions_in(handle), velocities_in(handle)
    pull_coils(model_at(handle), table_at(dof, nv, DOF_WORK * lanes, 0.0j), table_at(q, n, lanes, 0.0j))
    return 0.0


@entry
def _links(handle: int, what: int) -> float:
    do_links(handle, what, 0.0j)
    return 0.0


@entry
def _couplings(handle: int, what: int, numbers: int) -> float:
    return look_at_couplings(handle, what, numbers, 0.0j)


@entry
def _loop_coils(handle: int, l: int) -> float:
    pull_loop_coils(model_at(handle), loops_at(handle, 0.0j), l)
    return 0.0


def complex_work(structure):
    """A workspace of complex numbers, for closed chains too."""
    work = Workspace(*_block(structure.work), structure.work)
    guide_kernels()[NEAREST + 2] = address_of(_nearest)
    if work.size(TREE_COILS):
        work.header[COILS_KERNEL] = address_of(_coils)
    if work.size(LINKS):
        work.header[LINKS_AT] = address_of(_links)
    if work.size(COUPLINGS):
        work.header[COUPLINGS_AT] = address_of(_couplings)
    if work.size(COILS) > work.size(TREE_COILS):
        work.header[LOOP_COILS_KERNEL] = address_of(_loop_coils)
    return work


def _split(kernel, work, mech, state, given, wrenches):
    structure, nv = mech.structure, mech.nv
    external = structure.no_forces if wrenches is None else external_table(mech, wrenches)
    numbers = (state.q, state.v, given, external, np.zeros((3, max(structure.nq, nv))))
    out = np.empty((nv, 3 * nv))
    kernel.call(work, *(x.astype(complex) for x in numbers), out)
    return out[:, :nv], out[:, nv : 2 * nv], out[:, 2 * nv :]


def complex_inverse_derivatives(mech, state, a, wrenches=None):
    """∂τ/∂q, ∂τ/∂v and M of the tree."""
    return _split(_inverse_slopes, complex_work(mech.structure), mech, state, np.asarray(a, float), wrenches)


def complex_closed_derivatives(mech, state, tau=None, wrenches=None):
    """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ with loops and couplings."""
    torque, of_loops = joint_torques(mech, tau)
    work = complex_work(mech.structure)
    work.drive(of_loops)
    return _split(_closed_slopes, work, mech, state, torque, wrenches)
