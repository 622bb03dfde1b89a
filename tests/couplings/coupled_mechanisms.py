"""Random mechanisms whose joints are coupled, and the dense algebra that their motion must fulfil."""

import numpy as np

import regraft as rg
from loops.closed_mechanisms import random_closed
from random_mechanisms import ALL_JOINTS

SINGLE = (rg.Revolute, rg.Prismatic, rg.Helical, rg.Guided)
"""The types that have one coordinate."""
SIMPLE = (rg.Revolute, rg.Prismatic, rg.Helical)
MIXED = (*SIMPLE, *SIMPLE, *SIMPLE, *ALL_JOINTS)


def random_coupled(rng, bodies=6, couplings=2, loops=0, tree_kinds=MIXED, **options):
    """A random mechanism with couplings of two or three of its joints, and a state in which they are held."""
    mech, state = random_closed(rng, bodies, loops, tree_kinds=tree_kinds, **options)
    single = [name for name, joint in mech.joints.items() if isinstance(joint.type, SINGLE)]
    mech = mech.copy()
    for number in range(couplings):
        if len(single) < 2:
            break
        driven, *drivers = (str(name) for name in rng.choice(single, min(len(single), int(rng.integers(2, 4))), replace=False))
        ratios = {name: float(rng.choice((-2.0, -1.5, -1.0, -0.5, 0.5, 0.75, 1.0, 2.0))) for name in drivers}
        held = mech.joint_position(state, driven)[0]
        offset = held - sum(ratio * mech.joint_position(state, name)[0] for name, ratio in ratios.items())
        mech.add_coupling(f"coupling {number}", ratios, driven, offset=float(offset))
    return mech, rg.assemble(mech, mech.state(q=state.q, v=state.v))


def coupled_rows(mech):
    """(couplings, nv): the rows of couplings of tree joints, written out."""
    rows = np.zeros((len(mech.couplings), mech.nv))
    for row, coupling in zip(rows, mech.couplings.values(), strict=True):
        row[mech.v_slice(coupling.driven)] = 1.0
        for name, ratio in coupling.drivers:
            row[mech.v_slice(name)] -= ratio
    return rows


def kkt(M, J, force, wanted):
    """v̇ and λ of M v̇ = force + Jᵀ λ, J v̇ = wanted; least squares where rows depend on each other."""
    root = np.linalg.cholesky(M)
    free, rows = np.linalg.solve(root, force), np.linalg.solve(root, J.T).T
    U, size, Vt = np.linalg.svd(rows, full_matrices=False)
    kept = size > 1e-6
    along = (U[:, kept].T @ (wanted - rows @ free)) / size[kept]
    return np.linalg.solve(root.T, free + Vt[kept].T @ along), U[:, kept] @ (along / size[kept])


def gap_of(mech, state, name):
    """How far a coupling is open, with its joints' own positions."""
    coupling = mech.couplings[name]
    followed = sum(ratio * mech.joint_position(state, joint)[0] for joint, ratio in coupling.drivers)
    return float(mech.joint_position(state, coupling.driven)[0] - followed - coupling.offset)
