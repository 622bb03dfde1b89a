"""What notebooks show of a trajectory: a summary, its events, and where it is small the motion itself, without a server."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..errors import RegraftError, printable
from ..simulate.trajectory import Trajectory
from .html import motion_html
from .player_page import framed

MOST_EVENTS = 20
_FPS, _FRAMES, _MOST_BODIES, _MOST_CHARACTERS = 30.0, 600, 100, 1_000_000
_HEIGHT = 520  # pixels


def trajectory_html(traj: Trajectory) -> str:
    """`Trajectory._repr_html_`."""
    mechs = [segment.mech for segment in traj.segments]
    start, end = float(traj.segments[0].t[0]), float(traj.segments[-1].t[-1])
    bodies = sorted({len(mech.bodies) for mech in mechs})
    rows = [
        ("time", f"{start:g} … {end:g} s" + (", interrupted" if traj.interrupted else "")),
        ("samples, steps", f"{len(traj.t)}, {traj.steps}"),
        ("segments", str(len(traj.segments))),
        ("bodies", " … ".join(map(str, bodies if len(bodies) < 3 else (bodies[0], bodies[-1])))),
        *((f"{t:.4g} s", name) for t, name in traj.events[:MOST_EVENTS]),
    ]
    if len(traj.events) > MOST_EVENTS:
        rows.append(("", f"and {len(traj.events) - MOST_EVENTS} more events"))
    return f"<div><strong>Trajectory</strong>{_table(rows)}{_motion(traj, bodies[-1])}</div>"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{_text(head)}</th><td>{_text(cell)}</td></tr>" for head, cell in rows)
    return f"<table><tbody>{cells}</tbody></table>"


def _text(words: str) -> str:
    return escape(printable(words))


def _motion(traj: Trajectory, bodies: int) -> str:
    """The player, or a sentence on why it is not there."""
    elsewhere = "<p><code>traj.to_html(&quot;motion.html&quot;)</code> writes a page that plays it.</p>"
    if bodies > _MOST_BODIES:
        return elsewhere
    try:
        page = motion_html(traj, _FPS, _FRAMES, title="")
    except RegraftError as problem:
        return f"<p>The motion is not shown: {_text(str(problem))}</p>"
    return framed(page, "The motion", _HEIGHT) if len(page) <= _MOST_CHARACTERS else elsewhere
