"""Steps in which no guard comes to zero, as both of their ends tell: the guards need not be looked at in between.

A guard's value, rate and bend (the rate of the rate) at both ends of a step are those of one polynomial of degree five. That is
nearer to the motion than the dense output is, and lies between the least and the largest of its six Bernstein coefficients. If
these are farther from zero than from each other, the guard does not come to zero within the step.

Where the last stage of a step is the dynamics of a tree at its end, all of this is in the tables still, and costs a fortieth of a
step. The end of a step is the start of the next one, so only the first step of a segment is looked at in any case.
"""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load
from ..algebra.spatial import Vector, add, angular, at_point, cross, linear
from ..compilation import inline, jit
from ..kernels.jacobian import place_in_world, point_on
from ..kernels.kinematics import rising_world
from ..kernels.tables import VEL, A, KernelModel, Work
from ..tolerances import AT_ZERO
from .flow import Flow, model_of, work_of
from .guards import HEIGHT, JOINT, Guard, Guards


@inline
def ends_in_tables(flow: Flow) -> bool:
    """Whether the dynamics at the end of the step is in the tables of the tree: nothing has been evaluated there since."""
    calls, method = flow.calls, flow.method
    plain = not calls.has_loops and not calls.of_free_bodies and calls.watch == 0
    return plain and method.times.shape[0] == method.last + 1


@jit
def all_stay_clear(flow: Flow, guards: Guards, h: float) -> bool:
    """Whether no guard comes to zero in the step of size h that has just been taken; if so, `last` is the guards at its end.

    In any case the rates and bends of the guards are those at the end of the step, from now on.
    """
    if not ends_in_tables(flow):
        return False
    model, work = model_of(flow), work_of(flow)
    clear = True
    for e in range(guards.shape[0]):
        guard = guards[e]
        if guard.sort != HEIGHT and (guard.sort != JOINT or guard.velocity < 0):
            clear = False
            continue
        value, rate, bend = moving_guard(flow, model, work, guard)
        clear = clear and guard.known and stays_clear(guard, h, value, rate, bend)
        guard.ahead, guard.rate, guard.bend, guard.known = value, rate, bend, True
    if clear:
        for e in range(guards.shape[0]):
            guards[e].last = guards[e].ahead
    return clear


@inline
def stays_clear(guard: Guard, h: float, value: float, rate: float, bend: float) -> bool:
    """Whether a guard, known at the start of a step, stays away from zero on its side until it has these at the end.

    One that has not left zero yet stays clear where it stays there.
    """
    first, last = guard.last, value
    second, fifth = first + 0.2 * h * guard.rate, last - 0.2 * h * rate
    third = first + h * (0.4 * guard.rate + 0.05 * h * guard.bend)
    fourth = last - h * (0.4 * rate - 0.05 * h * bend)
    least, most = min(first, second, third, fourth, fifth, last), max(first, second, third, fourth, fifth, last)
    if guard.sign == 0:
        return max(-least, most) <= AT_ZERO
    return (least if guard.sign > 0 else -most) > most - least


@inline
def moving_guard(flow: Flow, model: KernelModel, work: Work, guard: Guard) -> tuple[float, float, float]:
    """A guard of a height or of a joint's position at the end of the step, its rate, and the rate of that."""
    if guard.sort == JOINT:
        end, d = flow.vectors.end, guard.velocity
        return end.q[guard.coordinate] - guard.value, end.v[d], flow.vectors.slopes.v[flow.method.last, d]
    place = place_in_world(model, work, guard.body, guard.point)
    velocity, acceleration = moving_point(model, work, guard.body, guard.point)
    rise = guard.slope
    return place[2] - guard.value - rise * place[0], velocity[2] - rise * velocity[0], acceleration[2] - rise * acceleration[0]


@inline
def moving_point(model: KernelModel, work: Work, k: int, local: Any) -> tuple[Vector, Vector]:
    """Velocity and acceleration, in world axes, of a point given in the frame of row k, after the dynamics of the tree."""
    body, point = work.body, point_on(work, k, local)
    twist, risen = at_point(load(body, k, VEL, 6), point), at_point(load(body, k, A, 6), point)
    away = linear(rising_world(model, body[k, VEL]))
    turned = add(linear(risen), cross(angular(twist), linear(twist)))
    return linear(twist), (turned[0] - away[0], turned[1] - away[1], turned[2] - away[2])
