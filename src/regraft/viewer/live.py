"""The page of a mechanism that runs: it is pulled, changed, undone and told while it moves."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..errors import RegraftError
from ..show.solids import Solids
from .change_panel import ChangePanel
from .following import FOLLOW, Follower, has_gone
from .forces import forces_of
from .history import Entry, Moment
from .log_panel import LogPanel
from .numbers_panel import NumbersPanel
from .overlays import Forces
from .pace import Pace
from .plots import LivePlots
from .run_panel import RunPanel
from .session import FRAME, STOPPED, Session
from .show_panel import ShowPanel
from .stage import Stage
from .words import told
from .worker import Worker

_IDLE = 0.05  # s: how often a page that is paused looks whether Python has changed something
_WORDS = 0.1  # s: how often numbers in words are brought up to date


class LivePage:
    """What one visitor sees of a session, and all that they can do to it.

    Parameters
    ----------
    client : viser.ClientHandle
        The visitor.
    session : Session
        Theirs.
    made : Solids, optional
        The surfaces of its bodies, where they are known.
    """

    def __init__(self, client: Any, session: Session, made: Solids | None = None) -> None:
        self.client, self.session = client, session
        self.worker = Worker(self._frame, self._failed)
        self.post = self.worker.post
        self.pace, self.follower = Pace(), Follower(client)
        same = made is not None and session.mech.bodies.keys() == session.first.mech.bodies.keys()
        self.stage = Stage(client.scene, self._on_click, self._on_drag, made=made if same else None)
        self._drawn: Moment | None = None
        self._version: tuple[int, bool] | None = None
        self._spoken, self._ran = 0.0, False
        with client.atomic():
            self.stage.put(session.mech, session.state)
            self._build_panels()
        self._room, self._may_seek = self.stage.room, True
        self.frames = 0
        """Frames drawn so far."""
        self.worker.start()

    def _build_panels(self) -> None:
        gui = self.client.gui
        self.run = RunPanel(self, gui)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Change"):
            self.change = ChangePanel(self, gui)
        with tabs.add_tab("Move"):
            self.numbers = NumbersPanel(self, gui)
        with tabs.add_tab("Show"):
            self.show = ShowPanel(self, gui)
        with tabs.add_tab("Plots"):
            self.plots = LivePlots(self, gui)
        with tabs.add_tab("Log"):
            self.log = LogPanel(self, gui)

    def close(self) -> None:
        """The visitor has gone: nothing moves any more, and nobody pulls."""
        self.worker.stop()
        self.session.let_go()

    # --- frames --------------------------------------------------------------------------------------------------------

    def _frame(self) -> float:
        now, session = time.perf_counter(), self.session
        if session.running:
            if not self._ran:
                self.pace.start(now)
            self.advance()
            self.frames += 1
            self.pace.passed(time.perf_counter(), session.t)
        self._ran = session.running
        self.refresh()
        return self.pace.next(time.perf_counter()) if session.running else now + _IDLE

    def advance(self) -> None:
        """Go on by a frame; where that is not possible the visitor is told why, whichever tab they look at."""
        session = self.session
        if not session.advance(FRAME * session.speed):
            self.tell("The run has stopped", session.history.log[-1].words.removeprefix(STOPPED), "red")

    def refresh(self) -> None:
        """Show the session as it is."""
        session, now = self.session, time.perf_counter()
        with session.lock:
            moment, version = session.moment, (session.version, session.running)
        if moment is self._drawn and version == self._version and not session.running:
            return
        with self.client.atomic():
            if moment is not self._drawn:
                self.stage.put(moment.mech, moment.state)
                self._drawn = moment
                self.change.move()
                self._show_forces()
                self._follow()
            changed = version != self._version
            self._version = version
            if changed:
                for panel in (self.change, self.numbers, self.log):
                    panel.refresh()
            if changed or not session.running or now - self._spoken >= _WORDS:
                self._spoken = now
                self.run.refresh()
                self.plots.refresh()

    def _follow(self) -> None:
        placed, following = self.stage.placed, self.stage.shown[FOLLOW]
        if placed is None:
            return
        if self._may_seek and not following and has_gone(self._room, placed):
            self._may_seek = False
            self.follower.face(placed)
            self.stage.show(FOLLOW, True)
            self.show.refresh()
            self.tell("The camera follows", f"It has left the picture. “{FOLLOW}” under Show changes this; Reset goes back.")
        elif following:
            self.follower.go(placed)
        else:
            self.follower.rest()

    def _show_forces(self) -> None:
        layer = next(one for one in self.stage.overlays if isinstance(one, Forces))
        if not layer.built or not self.stage.shown[Forces.label]:
            return
        try:
            layer.put(*forces_of(self.session.last, self.stage.placed))
        except RegraftError as problem:
            self.stage.show(Forces.label, False)
            self.show.refresh()
            self.tell("Forces cannot be shown", told(problem), "red")

    def _failed(self, problem: BaseException) -> None:
        self.session.running = False
        self.tell("An error in the viewer", told(problem), "red")

    # --- what a visitor does -------------------------------------------------------------------------------------------

    def _on_click(self, kind: str, name: str, event: Any) -> None:
        self.post(self._clicked, kind, name, event)

    def _clicked(self, kind: str, name: str, event: Any) -> None:
        if kind == "joint":
            self.change.choose_joint(name)
            return
        hit = self.stage.hit(event.ray_origin, event.ray_direction)
        point = hit.point if hit is not None and hit.body == name else None
        self.change.choose_body(name, point, second=event.modifier is not None)

    def _on_drag(self, body: str, event: Any) -> None:
        self.post(self._dragged if event.modifier is None else self._joined, body, event)

    def _dragged(self, body: str, event: Any) -> None:
        """Pull at a body; the place where it was taken hold of stays on it."""
        session, placed = self.session, self.stage.placed
        if event.phase == "end":
            session.let_go()
        elif body in session.mech.bodies and placed is not None:
            if event.phase == "start" or session.grip is None or session.grip.body != body:
                point = placed.into(body, event.start_position)
                if not session.running:
                    self.tell("Paused", "Press Play, and the body that you drag is pulled.")
            else:
                point = session.grip.point
            session.hold(body, point, event.end_position)
        self.change.show_pull()

    def _joined(self, body: str, event: Any) -> None:
        """Drag from one body to another: the two are chosen to be connected."""
        placed = self.stage.placed
        if placed is None or body not in placed.index:
            return
        if event.phase != "end":
            self.change.show_line(event.start_position, event.end_position)
            return
        self.change.show_line(None, None)
        eye = np.asarray(self.client.camera.position)
        hit = self.stage.hit(eye, np.asarray(event.end_position) - eye, without=body)
        if hit is None:
            self.tell("Nothing there", "Let go of the mouse over another body to connect the two.")
            return
        self.change.choose_pair(body, event.start_position, hit.body, hit.point)

    def switched(self, layer: str) -> None:
        """Something is shown, or hidden, from now on."""
        if layer == FOLLOW:
            self._may_seek = False  # the visitor has chosen
        elif layer == Forces.label:
            self.session.keeps_last = self.stage.shown[layer]
            self._show_forces()

    def do(self, change: Any, *given: Any) -> Entry:
        """Make a change, and show at once what became of it."""
        entry: Entry = change(*given)
        if entry.failed:
            self.tell("Not possible", entry.words.removeprefix("Not possible: "), "red")
        self.refresh()
        return entry

    def tell(self, title: str, words: str, colour: str | None = None) -> None:
        """Tell the visitor something that goes away by itself."""
        self.client.add_notification(title, words, auto_close_seconds=8.0, color=colour)
