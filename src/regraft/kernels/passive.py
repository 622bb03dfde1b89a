"""Forces that need no actuator: springs and dampers between points; damping, limits, springs and friction of joints."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import call_kernel, load, store
from ..algebra.scalars import Scalar, lanes, lift, one, square_root, where_less, zero
from ..algebra.spatial import (
    Force,
    Transform,
    Vector,
    add,
    angular,
    cross,
    dot,
    force_at,
    linear,
    minus,
    rotate,
    scale,
    subtract,
    zero_spatial,
    zero_vector,
)
from ..compilation import Scalars, inline, jit
from ..joints import joint_difference, joint_limit
from ..tolerances import SLIP_SPEED, TINY
from .kinematics import frame
from .stages import tree_stage
from .tables import (
    ARMATURE,
    COIL_REST,
    COIL_STIFFNESS,
    COILED,
    DAMPING,
    DISSIPATION,
    DOFS,
    FRICTION,
    KIND,
    LIMIT_STIFFNESS,
    LIMITED,
    LOWER,
    MEASURE,
    ORIGIN,
    POINT_A,
    POINT_B,
    PUSH,
    PUSH_POINT,
    RATE,
    REST,
    ROOT,
    STIFFNESS,
    TAU,
    UPPER,
    VEL,
    F,
    KernelModel,
    Q,
    U,
    V,
    Work,
)
from .variants import own_damping


@inline
def positive_part(x: Scalar) -> Scalar:
    """x where it is positive, else 0."""
    return where_less(zero(x), x, x, zero(x))


@inline
def joint_torques(model: KernelModel, work: Work, q: Any, v: Any, tau: Any) -> None:
    """TAU = tau − damping v + torques of limits, springs and friction.  O(n)."""
    dof = work.dof
    for d in range(dof.shape[0]):
        dof[d, TAU] = tau[d] - own_damping(model, d, v[d]) * v[d]
    if model.tree_limits + model.tree_coils + model.rubbing > 0:
        resist(model, work, q, v)


@inline
def passive_torques(model: KernelModel, work: Work, q: Any, v: Any, a: Any) -> None:
    """TAU where there are no other torques, less what rotors need for the accelerations a.  O(n)."""
    dof, settings = work.dof, model.settings
    for d in range(dof.shape[0]):
        dof[d, TAU] = -own_damping(model, d, v[d]) * v[d]
    if model.rotors > 0:
        for d in range(dof.shape[0]):
            dof[d, TAU] = dof[d, TAU] - settings[ARMATURE, d] * a[d]
    if model.tree_limits + model.tree_coils + model.rubbing > 0:
        resist(model, work, q, v)


@tree_stage
def resist(model: KernelModel, work: Work, q: Scalars, v: Scalars) -> None:
    """Add the torques of limits, springs and friction of the tree's joints to TAU.  O(limits + springs), O(n) with friction."""
    limit_torques(model, work, q, v)
    if model.tree_coils > 0:
        call_kernel(model.coils_kernel, (model.handle, work.dof.ctypes.data, q.ctypes.data, lanes(work.dof[0, TAU])))
    if model.rubbing > 0:
        for d in range(work.dof.shape[0]):
            work.dof[d, TAU] = work.dof[d, TAU] - rub(model, d, v[d])


# --- dry friction, springs and limits of joints ------------------------------------------------------------------------------


@inline
def rub(model: KernelModel, d: int, rate: Scalar) -> Scalar:
    """The torque of dry friction against a velocity: f v / (v² + s²)½, all but constant beyond the slip speed s."""
    return model.settings[FRICTION, d] * rate / square_root(rate * rate + SLIP_SPEED * SLIP_SPEED)


@inline
def wind(model: KernelModel, row: int, q: Any, at: int, step: Any, d: int, force: Any, f: int) -> Scalar:
    """step[d:] = q ⊖ rest of a joint with a spring, and force[f:] = K times that; returns the energy ½ (q ⊖ rest)ᵀ K (q ⊖ rest).

    The joint's position begins at q[at].
    """
    k = model.coil_rows[row, COILED]
    joint_difference(model.joints[k, KIND], q, at, model.coils[row], COIL_REST, step, d)
    energy = zero(step[d])
    for c in range(model.joints[k, DOFS]):
        force[f + c] = model.coils[row, COIL_STIFFNESS + c] * step[d + c]
        energy = energy + 0.5 * force[f + c] * step[d + c]
    return energy


@inline
def limit_torques(model: KernelModel, work: Work, q: Any, v: Any) -> None:
    """Add the limiting torques of the tree's joints to TAU.  O(limits)."""
    walk, dof = model.walk, work.dof
    for row in range(model.tree_limits):
        k = model.limit_rows[row, LIMITED]
        first = walk[k, V]
        value, gradient = measured(model, row, q, walk[k, Q])
        push = limit_push(model, row, value, gradient, v, first)
        for c in range(min(walk[k, DOFS], 3)):
            dof[first + c, TAU] = dof[first + c, TAU] + push * pick(gradient, c)


@inline
def pick(a: Vector, c: int) -> Scalar:
    """a[c]."""
    if c == 0:
        return a[0]
    if c == 1:
        return a[1]
    return a[2]


@inline
def measured(model: KernelModel, row: int, q: Any, at: int) -> tuple[Scalar, Vector]:
    """The measure that a limit bounds, and its gradient by the joint's velocity; the joint's position begins at q[at]."""
    return joint_limit(model.joints[model.limit_rows[row, LIMITED], KIND], q, at, model.limit_rows[row, MEASURE])


@inline
def beyond(model: KernelModel, row: int, value: Scalar) -> tuple[Scalar, Scalar]:
    """How far a measure is above its upper and below its lower bound, each 0 if it is not."""
    return positive_part(value - model.limits[row, UPPER]), positive_part(model.limits[row, LOWER] - value)


@inline
def limit_push(model: KernelModel, row: int, value: Scalar, gradient: Vector, v: Any, at: int) -> Scalar:
    """The force along a limited measure: k e (1 + c ė) where it is beyond a bound by e, never outwards.

    The joint's velocity begins at v[at].
    """
    above, below = beyond(model, row, value)
    k, c = model.limits[row, LIMIT_STIFFNESS], model.limits[row, DISSIPATION]
    i, rate = one(value), zero(value)
    for d in range(min(model.joints[model.limit_rows[row, LIMITED], DOFS], 3)):
        rate = rate + pick(gradient, d) * v[at + d]
    return k * (below * positive_part(i - c * rate) - above * positive_part(i + c * rate))


@inline
def limit_energy(model: KernelModel, row: int, value: Scalar) -> Scalar:
    """The energy stored in a limit."""
    above, below = beyond(model, row, value)
    return 0.5 * model.limits[row, LIMIT_STIFFNESS] * (above * above + below * below)


@inline
def attachment(model: KernelModel, work: Work, k: int, point: Vector, like: Scalar) -> tuple[Vector, Vector, Vector]:
    """Of a point fixed to row k (or to the world): position about its tree's origin, that origin, velocity."""
    if k < 0:
        still = zero_vector(like)
        return (lift(point[0], like), lift(point[1], like), lift(point[2], like)), still, still
    body = work.body
    R_k, p_k = frame(body, k)
    x = add(p_k, rotate(R_k, point))
    twist = load(body, k, VEL, 6)
    return x, load(body, model.walk[k, ROOT], ORIGIN, 3), add(linear(twist), cross(angular(twist), x))


@inline
def spring_span(model: KernelModel, work: Work, row: int, like: Scalar) -> tuple[Vector, Vector, Vector, Vector]:
    """Of a spring: its two ends about their trees' origins, the vector from a to b, and its rate."""
    a, b = model.spring_rows[row, 0], model.spring_rows[row, 1]
    x_a, o_a, u_a = attachment(model, work, a, load(model.springs, row, POINT_A, 3), like)
    x_b, o_b, u_b = attachment(model, work, b, load(model.springs, row, POINT_B, 3), like)
    return x_a, x_b, add(subtract(x_b, x_a), subtract(o_b, o_a)), subtract(u_b, u_a)


@inline
def spring_forces(model: KernelModel, work: Work) -> None:
    """Take the pull of every spring and damper out of F, the force that each body still needs.  O(springs)."""
    body, springs = work.body, model.springs
    for row in range(springs.shape[0]):
        like = body[0, F]
        x_a, x_b, span, rate = spring_span(model, work, row, like)
        length = square_root(dot(span, span) + TINY)
        stretch = springs[row, STIFFNESS] * (length - springs[row, REST])
        pull = stretch + springs[row, DAMPING] * (dot(span, rate) / length)
        force = scale(pull / length, span)
        a, b = model.spring_rows[row, 0], model.spring_rows[row, 1]
        if a >= 0:
            store(body, a, F, minus(load(body, a, F, 6), force_at(x_a, zero_vector(like), force)))
        if b >= 0:
            store(body, b, F, minus(load(body, b, F, 6), force_at(x_b, zero_vector(like), scale(-1.0, force))))


@inline
def external_force(external: Any, k: int, X: Transform) -> Force:
    """The wrench that the user applies to row k, whose pose is X, about the tree's origin."""
    if external.shape[0] == 0:
        return zero_spatial(X[1][0])
    push = load(external, k, PUSH, 6)
    at = add(X[1], rotate(X[0], load(external, k, PUSH_POINT, 3)))
    return force_at(at, angular(push), linear(push))


@jit
def passive_energy(model: KernelModel, work: Work, q: Any, like: Scalar) -> Scalar:
    """The energy stored in springs and in the limits of the tree's joints, after `place_bodies`.  O(springs + limits).

    The joints' own springs take up U and RATE.
    """
    energy = zero(like)
    for row in range(model.springs.shape[0]):
        _, _, span, _ = spring_span(model, work, row, like)
        stretch = square_root(dot(span, span) + TINY) - model.springs[row, REST]
        energy = energy + 0.5 * model.springs[row, STIFFNESS] * stretch * stretch
    for row in range(model.tree_limits):
        value, _ = measured(model, row, q, model.walk[model.limit_rows[row, LIMITED], Q])
        energy = energy + limit_energy(model, row, value)
    for row in range(model.tree_coils):
        k = model.coil_rows[row, COILED]
        room = work.dof[model.walk[k, V]]
        energy = energy + wind(model, row, q, model.walk[k, Q], room, U, room, RATE)
    return energy
