"""The Lagrange multipliers of all joints in maximal coordinates (S3), in time linear in the number of joints.

In maximal coordinates every body has a pose of its own (a `Free` joint to the world), and every joint of the mechanism is a
constraint. The accelerations a of all bodies and the multipliers λ of all joints solve

    M a − Jᵀ λ = g,    J a = r,

which is sparse: M has a block for each body, and a joint couples two bodies. So it is eliminated along the spanning tree of the
joints, from leaves to roots. A *link* is a joint of that tree. Its *near* body is the one farther from the root, its *far* body
the other one (none, for the body at which a tree ends). With F the rows of the joint on the far body and Y their shares on
the near one, the near body leaves G = Y D Yᵀ for the rows, and these add F G⁻¹ Fᵀ to the inertia of the far body.

That is in `link_tree`. Joints that are not in the spanning tree close cycles, and couplings act on the bodies of several joints;
their rows come last, in `cycles`.
"""

from __future__ import annotations

from ...algebra.memory import load
from ...algebra.spatial import plus_times, power, times
from ...compilation import jit
from ..tables import END, TAU, D, I, KernelModel, S, U, V, Work
from .cycles import factorise_cycles, load_ends, load_row, solve_cycles, unload
from .link_tree import factorise_body, factorise_joint, load_far_body, solve_links, total_force
from .tables import APPLIED, FAR, FIRST, FORCE_CHILD, FORCE_PARENT, LINK_LOOP, LOAD, MULTIPLIER, NEAR, TOTAL_LOAD, Loops


@jit
def eliminate_links(model: KernelModel, work: Work, closed: Loops, redundant: float) -> None:
    """Factorise the system along the spanning tree of the joints, from its leaves to its roots; after `hold`.  O(joints)."""
    body, links = work.body, closed.links
    for k in range(model.walk.shape[0]):
        for c in range(21):
            body[k, I + c] = 0.0
    for i in range(links.shape[0]):
        factorise_body(model, work, closed, links[i, NEAR])
        if links[i, LINK_LOOP] >= 0:
            factorise_joint(model, work, closed, i)
            if links[i, FAR] >= 0:
                load_far_body(work, closed, i)
    if closed.cycles.shape[0] > 0:
        factorise_cycles(model, work, closed, redundant)


@jit
def balance_links(model: KernelModel, work: Work, closed: Loops) -> None:
    """MULTIPLIER of all rows; their forces are added to the reduced torques TAU. After `eliminate_links`.  O(joints)."""
    unload(closed, LOAD)
    solve_links(model, work, closed, True)
    if closed.cycles.shape[0] > 0:
        solve_cycles(model, closed)
        solve_links(model, work, closed, True)
    push_links(model, work, closed, 1.0)


@jit
def push_links(model: KernelModel, work: Work, closed: Loops, part: float) -> None:
    """Add a part of the forces of all rows to the reduced torques TAU of the bodies' Free joints."""
    walk, dof, loops, bodies = model.walk, work.dof, closed.loops, closed.bodies
    unload(closed, TOTAL_LOAD)
    for r in range(closed.rows.shape[0]):
        closed.rows[r, APPLIED] += part * closed.rows[r, MULTIPLIER]
    for l in range(loops.shape[0]):
        load_ends(closed, l, TOTAL_LOAD, total_force(closed, l, FORCE_CHILD), total_force(closed, l, FORCE_PARENT))
    for b in range(loops.shape[0], closed.cuts.shape[0]):
        load_row(model, closed, b, closed.cuts[b, FIRST], TOTAL_LOAD, closed.rows[closed.cuts[b, FIRST], MULTIPLIER])
    for k in range(walk.shape[0]):
        force = times(part, load(bodies, k, TOTAL_LOAD, 6))
        for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
            share = power(load(dof, d, S, 6), force)
            dof[d, TAU] += share
            force = plus_times(force, -share * dof[d, D], load(dof, d, U, 6))
