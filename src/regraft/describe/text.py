"""A mechanism as a tree in text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..structure.layout import Layout
from .parts import WORLD, Body, Coupling, Joint

_MOST_LINES = 200
_DEEPEST = 40


def draw_tree(
    bodies: Mapping[str, Body], joints: Mapping[str, Joint], couplings: Mapping[str, Coupling], layout: Layout, springs: int
) -> str:
    """One line per body, under the joint that leads to it; then loop joints, couplings and what is not connected."""
    lines = [_headline(bodies, joints, layout, springs), WORLD]
    seen = {WORLD}
    for joint, body, lead, last in walked(joints, layout):
        seen.add(body)
        if len(lines) < _MOST_LINES:
            lines.append(f"{lead}{'└─' if last else '├─'} {_line(joint, body, bodies)}")
    drawn = len(lines) - 2
    if len(seen) - 1 > drawn:
        lines.append(f"... and {len(seen) - 1 - drawn} more bodies")
    lines += _shortened([f"loop {name}: {type(joints[name].type).__name__}, {a} ↔ {b}" for name, a, b in layout.loops])
    lines += _shortened([f"coupling {name}: {_law(coupling)}" for name, coupling in couplings.items()])
    lines += _shortened([f"not connected: {name}" for name in bodies if name not in seen])
    return "\n".join(lines)


def walked(joints: Mapping[str, Joint], layout: Layout) -> Iterator[tuple[Joint, str, str, bool]]:
    """Tree joints as they are walked from the world: joint, body it leads to, what is drawn before it, whether it is last."""
    around: dict[str, list[Joint]] = {}
    for name, *_ in layout.joints:
        joint = joints[name]
        around.setdefault(joint.parent, []).append(joint)
        around.setdefault(joint.child, []).append(joint)
    seen = {WORLD}
    waiting = _branches(WORLD, "", 0, around, seen)
    while waiting:
        joint, body, lead, depth, last = waiting.pop()
        seen.add(body)
        yield joint, body, lead, last
        deeper = lead + ("   " if last else "│  ") if depth < _DEEPEST else lead
        waiting.extend(_branches(body, deeper, depth + 1, around, seen))


def _shortened(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], f"... and {len(lines) - _MOST_LINES} more"]


def _branches(
    body: str, lead: str, depth: int, around: Mapping[str, list[Joint]], seen: set[str]
) -> list[tuple[Joint, str, str, int, bool]]:
    """What hangs on a body, last first, so that a stack gives the first first."""
    found = [(joint, joint.child if joint.parent == body else joint.parent) for joint in around.get(body, [])]
    found = [(joint, other) for joint, other in found if other not in seen]
    return [(joint, other, lead, depth, k == len(found) - 1) for k, (joint, other) in enumerate(found)][::-1]


def _headline(bodies: Mapping[str, Body], joints: Mapping[str, Joint], layout: Layout, springs: int) -> str:
    parts = [
        _count(len(bodies), "body", "bodies"),
        _count(len(joints), "joint", "joints"),
        _count(layout.nv, "degree of freedom", "degrees of freedom") + (" of the tree" if layout.is_constrained else ""),
    ]
    if springs:
        parts.append(_count(springs, "spring", "springs"))
    parts.append(f"{sum(body.inertia.mass for body in bodies.values()):g} kg")
    return "Mechanism: " + ", ".join(parts)


def _law(coupling: Coupling) -> str:
    """What a coupling says, such as "right = -1 · left + 0.5"."""
    terms = [f"{ratio:g} · {joint}" if ratio != 1.0 else joint for joint, ratio in coupling.drivers]
    whole = " + ".join(terms + ([f"{coupling.offset:g}"] if coupling.offset else []))
    return f"{coupling.driven} = {whole.replace(' + -', ' - ')}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _line(joint: Joint, body: str, bodies: Mapping[str, Body]) -> str:
    way = "→" if joint.child == body else "←"
    return f"{joint.name}: {type(joint.type).__name__} {way} {body} ({bodies[body].inertia.mass:g} kg)"
