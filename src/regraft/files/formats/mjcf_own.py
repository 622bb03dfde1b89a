"""What an MJCF file that Regraft wrote says besides, so that it is read back as it was: in a custom text, as JSON.

MuJoCo passes it over. It has only what MJCF has no word for and what changes no motion of MuJoCo's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...joints import Limits
from ...joints.settings import plain
from .mjcf_chains import Motion
from .mjcf_source import Source

NAME = "regraft"


@dataclass(frozen=True)
class Own:
    """What the text says, by the names of MJCF's joints; empty where there is none.

    Attributes
    ----------
    passive : frozenset of str or None
        Joints without a motor, where actuators do not tell them.
    speed, effort : dict
        The largest velocities, and the largest torques of ball and free joints.
    limits : dict
        Stiffness and dissipation of limits.
    """

    passive: frozenset[str] | None = None
    speed: dict[str, Any] = field(default_factory=dict)
    effort: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)


def own_text(motions: Sequence[Motion], driven: set[str]) -> str | None:
    """The text for these joints, of which some are driven by actuators; None where there is nothing to say."""
    told = {one.name for one in motions if driven and one.joint.name not in driven}
    passive = {one.name for one in motions if not one.joint.type.actuated}
    data: dict[str, Any] = {"passive": sorted(passive)} if passive != told else {}
    for one in motions:
        kind, along = one.joint.type, slice(one.number, one.number + 1) if one.kind in ("hinge", "slide") else slice(None)
        if one.follows:
            continue
        if np.isfinite(kind.speed[along]).any():
            data.setdefault("speed", {})[one.name] = plain(kind.speed[along])
        if one.kind in ("ball", "free") and np.isfinite(kind.effort).any():
            data.setdefault("effort", {})[one.name] = plain(kind.effort)
        law = kind.limits and (kind.limits.stiffness, kind.limits.dissipation)
        if law and law != (Limits(0.0, 1.0).stiffness, Limits(0.0, 1.0).dissipation):
            data.setdefault("limits", {})[one.name] = list(law)
    return json.dumps(data, ensure_ascii=False) if data else None


def read_own(source: Source) -> Own:
    """What the file says in its text; one that is damaged is noted and passed over."""
    model = source.model
    number = source.mj.mj_name2id(model, int(source.mj.mjtObj.mjOBJ_TEXT), NAME)
    if number < 0:
        return Own()
    first = int(model.text_adr[number])
    data = model.text_data[first : first + int(model.text_size[number])]
    said = data if isinstance(data, bytes) else bytes(data)
    try:
        found = json.loads(said.split(b"\0")[0].decode("utf-8"))
        passive = found.get("passive")
        tables = {table: dict(found.get(table, {})) for table in ("speed", "effort", "limits")}
        return Own(None if passive is None else frozenset(map(str, passive)), **tables)
    except (ValueError, TypeError, AttributeError):
        source.found.note("text", NAME, "it is not what Regraft writes there; left out.")
        return Own()
