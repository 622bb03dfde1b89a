"""`view`: anything that can be looked at, in a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..ask.assembly import assembled, assembled_anyhow
from ..atomic import path_of
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError, warn
from ..extras import require
from ..files.loading import FORMATS, load, tell_findings
from ..files.reading import RECORDINGS, TABLES, Reading, read
from ..mocap import load as load_recording
from ..mocap.body_motion import Motion
from ..mocap.recording import Recording
from ..show.solids import solids_of
from ..simulate import Trajectory
from .following import goes_far
from .playback import Playback
from .recordings import motion_trajectory, recorded_trajectory
from .server import LOOPBACK, Viewer
from .session import Session, given_lines
from .visitors import Visitors


def view(
    what: Any,
    *,
    host: str = LOOPBACK,
    port: int | None = None,
    browser: bool | None = None,
    block: bool = False,
    source: str = "",
    **options: Any,
) -> Viewer:
    """Look at a mechanism, let it run and change it, or play a motion: in the browser. It needs the extra `viewer`.

    A mechanism runs when Play is pressed; while it runs its bodies are pulled by the mouse, joints are cut, bodies are connected
    and made the root, and all of it can be undone. A trajectory is played across its changes of structure. Each visitor of the
    page has a session of their own. Only this machine can reach the page unless `host` says otherwise, and the page asks nothing
    of the network.

    Parameters
    ----------
    what : Mechanism, (Mechanism, State), Model, Trajectory, Motion, Recording, Reading, str or Path
        What to look at: a mechanism in its bind pose, or in a state; what has both, as `regraft.models` and `regraft.read` give
        them; what `simulate` or `regraft.mocap` gave; or the file of a mechanism, a robot, a recording or a trajectory. What a
        mechanism cannot say of its file is left out, and open loops are closed; both are told by a warning.
    host : str, optional
        The address to listen on; ``"0.0.0.0"`` lets in everybody who can reach this machine.
    port : int, optional
        By default the first that is free, from 8080 on.
    browser : bool, optional
        Whether to open a browser; by default where there is a display, and not in a notebook, which shows the page itself.
    block : bool, optional
        Whether to wait until Ctrl-C is pressed, as a script must that does nothing more.
    source : str, optional
        The Python lines that make `mech` and `state`, for the script of the session; by default a comment stands there.
    **options
        What `simulate` takes, such as `torque`, `contacts` or `step`: with these a mechanism runs.

    Returns
    -------
    Viewer
        With `url`, `session` and `close`; it ends with a ``with`` block, or with Python.

    Raises
    ------
    MissingPackageError
        If viser is not installed; the message says how to install it.
    ModelError
        If there is nothing that can be shown, or options were given with what is not simulated.
    RegraftError
        If the port is in use, or the host is not of this machine.

    Examples
    --------
    >>> import regraft as rg
    >>> with rg.view(rg.models.high_bar(), browser=False) as viewer:
    ...     entry = viewer.session.cut("left hand")
    >>> entry.words
    'Cut the joint “left hand”.'
    """
    require("viser", "rg.view")
    shown = shown_as(what, options, source)
    viewer = Viewer(Visitors(shown.new, shown.new()), shown.page(), shown.room, host, port)
    if browser if browser is not None else _should_open():
        open_browser(viewer.url)
    if block:
        viewer.wait()
    return viewer


def write_page(what: Any, path: str | Path) -> Path:
    """Write what `view` shows as one page that needs no server: a motion that plays, or a mechanism where it starts."""
    what, _ = opened(what)
    traj = _motion(what)
    if traj is not None:
        return traj.to_html(path)
    mech, state, _ = _start(what)
    return mech.to_html(closed_for_view(mech, state), path)


class Shown(NamedTuple):
    """What is served: what a new visitor has, how it is shown, and where."""

    new: Callable[[], Any]
    page: Callable[[], Callable[[Any, Any], Any]]
    room: Any


def shown_as(what: Any, options: dict[str, Any], source: str = "") -> Shown:
    """How something is shown; a ModelError where it cannot be."""
    what, lines = opened(what)
    traj = _motion(what)
    if traj is not None:
        if options:
            raise ModelError(f"{next(iter(options))}= is for mechanisms that run; a motion is played as it is, so leave it out.")
        played = Playback(traj)
        return Shown(lambda: Playback(traj), _playback_page, played.near if goes_far(played.room, played.near) else played.room)
    mech, state, more = _start(what)
    given, start, source = {**more, **options}, state, source or lines
    state = closed_for_view(mech, start)
    if state is not start:
        source = f"{source or given_lines(bool(given))}\nstate = rg.assemble(mech, state)"
    session = Session(mech, state, given, source)  # an error where it cannot run
    solids = solids_of(mech, state)

    def live_page() -> Callable[[Any, Any], Any]:
        from .live import LivePage

        return partial(LivePage, made=solids)

    return Shown(session.again, live_page, solids.room)


def opened(what: Any) -> tuple[Any, str]:
    """What is in a file, if it is the path of one, with the Python lines that read it; else the thing itself."""
    if not isinstance(what, str | Path):
        return what, ""
    path = path_of(what)
    suffix = path.suffix.lower()
    if suffix in TABLES:
        raise ModelError(f"{str(path)!r} has coordinates of a model; give view what rg.mocap.motion(model, path) makes of them.")
    if suffix in RECORDINGS:
        return load_recording(path), ""
    if suffix in FORMATS:
        found = read(path, ignore="all", inertia="repair")
        tell_findings(found.report)
        return found, read_lines(path)
    held = load(path)
    return held, f"mech = rg.load({str(path)!r})\nstate = mech.state()" if isinstance(held, Mechanism) else ""


def read_lines(path: Path) -> str:
    """The Python lines that read a mechanism as the viewer does."""
    return f"found = rg.read({str(path)!r}, ignore='all', inertia='repair')\nmech, state = found.mech, found.state"


def closed_for_view(mech: Mechanism, state: State) -> State:
    """A state whose loops are closed: the same where they are, else the nearest one, which is told."""
    try:
        assembled(mech, state)
    except StructureError:
        found, note = assembled_anyhow(mech, state)
        gap = "its loops are open where it would start; it starts from the nearest position in which they are closed, as "
        warn(f"{gap}rg.assemble(mech, state) finds it." + (f" {note}" if note else ""))
        return found
    return state


def _playback_page() -> Callable[[Any, Any], Any]:
    from .playback_page import PlaybackPage

    return PlaybackPage


def _motion(what: Any) -> Trajectory | None:
    """What is played, not simulated."""
    if isinstance(what, Motion):
        return motion_trajectory(what)
    if isinstance(what, Recording):
        return recorded_trajectory(what)
    return what if isinstance(what, Trajectory) else None


def _start(what: Any) -> tuple[Mechanism, State, dict[str, Any]]:
    """Mechanism and state, and with what they run."""
    if isinstance(what, Mechanism):
        return what, what.state(), {}
    if isinstance(what, Reading):
        return what.mech, what.state, {}
    if isinstance(what, tuple) and len(what) == 2 and isinstance(what[0], Mechanism) and isinstance(what[1], State):
        return what[0], what[1], {}
    mech, state = getattr(what, "mech", None), getattr(what, "state", None)
    if isinstance(mech, Mechanism) and isinstance(state, State):  # a ready-made model
        acting = {name: getattr(what, name, None) for name in ("wrenches", "events")}
        return mech, state, {name: value for name, value in acting.items() if value}
    if isinstance(what, State):
        raise ModelError("a state alone cannot be shown; give its mechanism too: view((mech, state)).")
    raise ModelError(
        f"a {type(what).__name__} cannot be shown; give a Mechanism, (mech, state), a Model, a Trajectory, a Motion, a Recording "
        "or the path of a file."
    )


def has_display() -> bool:
    """Whether a browser with windows can be opened from here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser(url: str) -> bool:
    """Open a page in a browser with windows; False where there is none."""
    if not has_display():
        return False
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False


def _should_open() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return has_display() and (shell is None or "IPKernelApp" not in shell.config)
