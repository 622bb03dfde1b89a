"""Limits, bounds and couplings of joints that are rarely meant or cannot all be kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ..describe.mechanism import Mechanism
from ..describe.parts import Coupling
from ..describe.state import State
from ..errors import StructureError
from ..joints import Limits
from ..tolerances import ASSEMBLED
from .remark import Remark, error, warning

_LEAST_DEGREES, _MOST_DEGREES = 30.0, 3600.0  # limits in radians are less, and those that mean nothing more
_LONG = 50.0  # m: no joint slides so far
_ROUNDED = 0.02  # of the range of a joint: limits of coupled joints are often written with few digits


def check_limits(mech: Mechanism, state: State) -> Iterator[Remark]:
    """What is unusual about limits, bounds and couplings."""
    bounded = {name: joint.type.limits for name, joint in mech.joints.items() if joint.type.limits is not None}
    yield from _check_units(mech, bounded)
    yield from _check_start(mech, bounded, state)
    moving = {name: joint.type for name, joint in mech.joints.items() if joint.type.nv}
    for kind, told in (("effort", "it is 0: no motor can do anything there"), ("speed", "the largest is 0: they could not move")):
        idle = [name for name, joint in moving.items() if not getattr(joint, kind).any()]
        if idle:
            yield warning(kind, idle, told)
    for coupling in mech.couplings.values():
        yield from _check_coupling(mech, coupling, state)


def _check_units(mech: Mechanism, bounded: Mapping[str, Limits]) -> Iterator[Remark]:
    degrees, far = {}, {}
    for name, limits in bounded.items():
        kind = mech.joints[name].type
        for c, (low, high) in enumerate(zip(limits.lower, limits.upper, strict=True)):
            bounds = [bound for bound in (low, high) if math.isfinite(bound)]
            large = max((abs(bound) for bound in bounds), default=0.0)
            if c in kind.turns:
                if _LEAST_DEGREES <= large <= _MOST_DEGREES and all(bound % 5.0 == 0.0 for bound in bounds):
                    degrees[name] = f"from {low:g} to {high:g} rad"
            elif kind.limited == kind.nq and large > _LONG:
                far[name] = f"from {low:g} to {high:g} m"
    for found, told in ((degrees, "are these degrees?"), (far, "are these millimetres?")):
        if found:
            first = next(iter(found))
            yield warning("limits", found, f"{first!r} moves {found[first]}; {told}")


def _check_start(mech: Mechanism, bounded: Mapping[str, Limits], state: State) -> Iterator[Remark]:
    beyond = _beyond(mech, bounded, state)
    if beyond:
        first, way = next(iter(beyond)), _within(mech, bounded)
        better = f"; the keyframe {way!r} is within all limits" if way is not None else ""
        yield warning("limits", beyond, f"{first!r} {beyond[first]}{better}")


def _within(mech: Mechanism, bounded: Mapping[str, Limits]) -> str | None:
    """The first keyframe of this structure that no limit pushes at."""
    for name in mech.keyframes:
        try:
            if not _beyond(mech, bounded, mech.keyframe(name)):
                return name
        except StructureError:
            continue
    return None


def _beyond(mech: Mechanism, bounded: Mapping[str, Limits], state: State) -> dict[str, str]:
    """The joints that are beyond their limits, and what is to be said of each."""
    beyond = {}
    for name, limits in bounded.items():
        kind, place = mech.joints[name].type, mech.layout.q_slices.get(name)
        if place is None or kind.limited != kind.nq:
            continue
        for value, low, high in zip(state.q[place].tolist(), limits.lower, limits.upper, strict=True):
            if not low - ASSEMBLED <= value <= high + ASSEMBLED:
                beyond[name] = f"starts at {value:.6g}, and its limits are {low:.6g} to {high:.6g}"
    return beyond


def _check_coupling(mech: Mechanism, coupling: Coupling, state: State) -> Iterator[Remark]:
    low, high = coupling.offset, coupling.offset
    for name, ratio in coupling.drivers:
        limits = mech.joints[name].type.limits
        ends = (-math.inf, math.inf) if limits is None else (limits.lower[0], limits.upper[0])
        a, b = sorted(0.0 if ratio == 0.0 else ratio * end for end in ends)
        low, high = low + a, high + b
    own = mech.joints[coupling.driven].type.limits
    if own is not None and math.isfinite(low) and math.isfinite(high):
        least, most = own.lower[0], own.upper[0]
        slack = _ROUNDED * max(high - low, (most - least) if math.isfinite(most - least) else 0.0)
        told = (
            f"the coupling {coupling.name!r} takes it from {low:.6g} to {high:.6g}, and its limits are {least:.6g} to {most:.6g}"
        )
        if low > most + slack or high < least - slack:
            yield error("coupling", (coupling.driven,), f"{told}: they have nothing in common")
        elif low < least - slack or high > most + slack:
            yield warning("coupling", (coupling.driven,), told)
    at = {name: float(mech.joint_position(state, name)[0]) for name in coupling.joints if name in mech.layout.q_slices}
    if len(at) == len(coupling.joints):
        gap = at[coupling.driven] - coupling.offset - sum(ratio * at[name] for name, ratio in coupling.drivers)
        if abs(gap) > ASSEMBLED:
            yield warning(
                "coupling", (coupling.driven,), f"it starts {gap:.3g} away from where the coupling {coupling.name!r} holds it"
            )
