"""What each degree of freedom does to the motion of all that it moves.

If q_e grows, all that e moves is carried along by its screw S_e. Seen from there, velocities grow by Ψ̇_e, and the acceleration of
a body with the velocity V by Ψ̈_e − V × Ψ̇_e; if v_e grows, velocities grow by S_e, and accelerations by Φ_e − V × S_e:

    Ψ̇ = V⁻ × S + κ      Ψ̈ = A⁻ × S + V⁻ × (V⁻ × S) + Σ c_d a_d + (V_near + V_far) × κ + b      Φ = (V_near + V_far) × S + κ + r

V⁻ and A⁻ are the motion of the body that e does not move and that holds the joint's axes still against it: the near body's, from
which the walk comes, and for a joint that is walked backwards the far body's own. The other terms are there for joints whose
columns change as their children see them: c_d = ∂S_d/∂q_e seen from there, κ = Σ c_d v_d, r = Σ v_f ∂S_e/∂q_f, b = ∂(Ṡ v)/∂q_e.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import call_kernel, load, store
from ...algebra.spatial import Motion, motion_cross, plus, zero_spatial
from ...compilation import inline
from ..kinematics import parent_motion, rising_world
from ..tables import END, PARENT, POLARITY, VARIES, VEL, A, KernelModel, R, S, V, Work
from .tables import BEND, KAPPA, PHI, PSI1, PSI2, QUICK, Slopes


@inline
def find_directions(model: KernelModel, work: Work, slopes: Slopes, q: Any, v: Any, a: Any) -> None:
    """Ψ̇, Ψ̈ and Φ of each degree of freedom, with VEL and A of all bodies.  O(n)."""
    walk, body, dof = model.walk, work.body, work.dof
    rising = rising_world(model, body[0, R])
    if slopes.turning:
        call_kernel(slopes.joint_slopes, (model.handle, slopes.address, q.ctypes.data, v.ctypes.data, a.ctypes.data, 0, 0))
    for k in range(walk.shape[0]):
        V_near = parent_motion(body, walk[k, PARENT], VEL, zero_spatial(body[k, R]))
        A_near = parent_motion(body, walk[k, PARENT], A, rising)
        V_far = load(body, k, VEL, 6)
        both = plus(V_near, V_far)
        V_still, A_still = (V_near, A_near) if walk[k, POLARITY] > 0 else (V_far, load(body, k, A, 6))
        for d in range(walk[k, V], walk[k, END]):
            s = load(dof, d, S, 6)
            psi1 = motion_cross(V_still, s)
            psi2 = plus(motion_cross(A_still, s), motion_cross(V_still, psi1))
            phi = motion_cross(both, s)
            if walk[k, VARIES]:
                psi1, psi2, phi = turned(slopes, d, both, psi1, psi2, phi)
            store(slopes.directions, d, PSI1, psi1)
            store(slopes.directions, d, PSI2, psi2)
            store(slopes.directions, d, PHI, phi)


@inline
def turned(slopes: Slopes, d: int, both: Motion, psi1: Motion, psi2: Motion, phi: Motion) -> tuple[Motion, Motion, Motion]:
    """The same with what a joint's columns do by themselves."""
    kappa = load(slopes.turned, d, KAPPA, 6)
    bent = plus(load(slopes.turned, d, BEND, 6), motion_cross(both, kappa))
    return plus(psi1, kappa), plus(psi2, bent), plus(phi, load(slopes.turned, d, QUICK, 6))
