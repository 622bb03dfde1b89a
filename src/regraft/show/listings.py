"""The joints and the bodies of a mechanism as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.table import Table
from rich.text import Text

from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.text import walked
from ..joints import JointType
from ..tolerances import SHOWN_AS_ZERO

_NONE = "–"


def joint_table(mech: Mechanism) -> Table:
    """One row per joint, in the order in which they were added: what it is, what it joins, where its numbers are."""
    ways = {joint.name: "+1" if joint.child == body else "−1" for joint, body, *_ in walked(mech.joints, mech.layout)}
    more = any(_others(joint.type) for joint in mech.joints.values())
    table = _table("joint", "type", "parent → child", "q", "v", "polarity", "limits", "damping", *["other settings"] * more)
    for name, joint in mech.joints.items():
        closes_loop = name not in mech.layout.q_slices
        q, v = (_NONE, _NONE) if closes_loop else (_slots(mech.q_slice(name)), _slots(mech.v_slice(name)))
        way = "loop" if closes_loop else ways.get(name, _NONE)
        ends = f"{joint.parent} → {joint.child}"
        others = [_others(joint.type) or _NONE] * more
        _add(table, name, joint.type.described(), ends, q, v, way, _limits(joint.type), _each(joint.type.damping), *others)
    return table


def body_table(mech: Mechanism) -> Table:
    """One row per body, in the order in which they were added; moments are about the centre of mass."""
    table = _table("body", "mass [kg]", "centre of mass [m]", "principal moments [kg m²]")
    for name, body in mech.bodies.items():
        inertia = body.inertia
        _add(table, name, f"{inertia.mass:.6g}", _numbers(inertia.com), _numbers(_principal_moments(inertia)))
    return table


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    return table


def _add(table: Table, *cells: str) -> None:
    table.add_row(*map(Text, cells))  # a name in brackets is a name, not a style


def _slots(where: slice) -> str:
    count = where.stop - where.start
    return _NONE if count == 0 else f"{where.start}" if count == 1 else f"{where.start}:{where.stop}"


def _limits(kind: JointType) -> str:
    if kind.limits is None:
        return _NONE
    return ", ".join(f"[{low:g}, {high:g}]" for low, high in zip(kind.limits.lower, kind.limits.upper, strict=True))


def _each(numbers: NDArray[np.float64]) -> str:
    """A setting with a number for each velocity."""
    values: Sequence[float] = numbers.tolist()
    if not any(values):
        return _NONE
    return f"{values[0]:g}" if len(set(values)) == 1 else _numbers(values)


def _others(kind: JointType) -> str:
    """All settings but limits and damping."""
    resisting = ("armature", "stiffness", "friction")
    found = [f"{what} {_each(getattr(kind, what))}" for what in resisting if getattr(kind, what).any()]
    if kind.stiffness.any() and not np.array_equal(kind.rest, kind.neutral()):
        found.append(f"rest {_each(kind.rest)}")
    found += [f"{what} {_each(getattr(kind, what))}" for what in ("effort", "speed") if np.isfinite(getattr(kind, what)).any()]
    return ", ".join(found if kind.actuated else [*found, "no motor"])


def _principal_moments(inertia: Inertia) -> Sequence[float]:
    moments = np.linalg.eigvalsh(inertia.tensor)
    moments[np.abs(moments) <= SHOWN_AS_ZERO * np.abs(moments).max()] = 0.0
    found: Sequence[float] = moments.tolist()
    return found


def _numbers(values: Iterable[float]) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in values) + ")"
