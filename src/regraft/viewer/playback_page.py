"""The page of a trajectory: a timeline with its events, and curves that follow the time."""

from __future__ import annotations

import math
import time
from typing import Any

from ..errors import RegraftError
from .controls import MUTED, NOTHING, block, heard, paragraphs, text, within
from .following import FOLLOW, Follower, goes_far
from .forces import NONE
from .overlays import Forces
from .pace import Pace
from .playback import Playback
from .plots import PlaybackPlots
from .recordings import WITHOUT_MASS
from .session import FRAME
from .show_panel import ShowPanel
from .stage import Stage
from .tree import told_tree, tree_of
from .words import named, told
from .worker import Worker

_IDLE = 0.05  # s
_WORDS = 0.1  # s
_STEPS = 1000  # of the timeline, at least
_MARKS = 40  # events that the timeline shows as marks
_SPEEDS = 0.05, 2.0  # the slider's ends
_BACK, _ON = "◀ Back", "On ▶"


class PlaybackPage:
    """What one visitor sees of a trajectory.

    Parameters
    ----------
    client : viser.ClientHandle
        The visitor.
    playback : Playback
        Theirs.
    """

    def __init__(self, client: Any, playback: Playback) -> None:
        self.client, self.playback = client, playback
        self.worker = Worker(self._frame, self._failed)
        self.post = self.worker.post
        self.pace, self.follower = Pace(), Follower(client)
        self.stage = Stage(client.scene, self._on_click, None, playback.room)
        self.stage.shown[FOLLOW] = goes_far(playback.room, playback.near)
        self.stage.shown |= {} if playback.has_mass else {"Joints": False, "Gravity": False}
        self._drawn: tuple[float, int, bool] | None = None
        self._spoken, self._ran, self._labelled = 0.0, False, ("", "")
        self._tree: Any = None
        self._label: Any = None
        with client.atomic():
            self.stage.put(playback.mech, playback.state)
            self._build_panels()
        self.frames = 0
        """Frames drawn so far."""
        self.worker.start()

    def _build_panels(self) -> None:
        gui, playback = self.client.gui, self.playback
        self._words = gui.add_html("")
        marks = tuple((one.t, "") for one in playback.events[:_MARKS])
        step = 10.0 ** math.floor(math.log10((playback.duration or 1.0) / _STEPS))
        end = max(playback.end, playback.start + step)
        self._digits = max(0, -round(math.log10(step)))
        self._time = gui.add_slider("Time, s", playback.start, end, step, playback.t, marks=marks or None)
        self._time.on_update(heard(self.post, self._seek))
        self._play = gui.add_button("Play", color="green", hint="Start or pause (space)")
        self._play.on_click(heard(self.post, self._toggle))
        gui.add_button_group("One frame", (_BACK, _ON)).on_click(heard(self.post, self._stepped))
        if playback.events:
            gui.add_button_group("One event", (_BACK, _ON)).on_click(heard(self.post, self._to_next))
        self._speed = gui.add_slider("Speed", *_SPEEDS, 0.05, within(playback.speed, *_SPEEDS), hint="1 is real time")
        self._speed.on_update(heard(self.post, self._set_speed))
        repeats = gui.add_checkbox("Repeat", playback.repeats)
        repeats.on_update(heard(self.post, self._set_repeats))
        self._event: Any = None
        if playback.events:
            options = (NOTHING, *(f"{k + 1}: {one.t:.3f} s, {one.name}" for k, one in enumerate(playback.events)))
            self._event = gui.add_dropdown("Go to event", options, initial_value=NOTHING)
            self._event.on_update(heard(self.post, self._to_event))
        self._caption = gui.add_html("")
        tabs = gui.add_tab_group()
        with tabs.add_tab("Plots"):
            self.plots = PlaybackPlots(self, gui)
        with tabs.add_tab("Show"):
            self.show = ShowPanel(self, gui)
        command = gui.add_command("Play or pause", hotkey="space")

        async def toggled(_event: Any) -> None:
            self.post(self._toggle, True)

        command.on_trigger(toggled)
        if playback.events[_MARKS:]:
            gui.add_html(paragraphs([f"Marks are at the first {_MARKS} of {len(playback.events)} events."], f"color: {MUTED}"))

    def close(self) -> None:
        """The visitor has gone."""
        self.worker.stop()

    # --- frames --------------------------------------------------------------------------------------------------------

    def _frame(self) -> float:
        now, playback = time.perf_counter(), self.playback
        if playback.running:
            if not self._ran:
                self.pace.start(now)
            playback.advance(FRAME * playback.speed)
            self.frames += 1
        self._ran = playback.running
        self.refresh()
        return self.pace.next(time.perf_counter()) if playback.running else now + _IDLE

    def refresh(self) -> None:
        """Show the moment."""
        playback, now = self.playback, time.perf_counter()
        seen = (playback.t, playback.version, playback.running)
        if seen == self._drawn:
            return
        self._drawn = seen
        with self.client.atomic():
            mech, state = playback.at(seen[0])
            before = self.stage.placed
            self.stage.put(mech, state)
            self._name()
            self._show_forces()
            self._follow()
            if before is None or before.mech is not mech or self._tree is None:
                self._tree = tree_of(mech)
            if not playback.running or now - self._spoken >= _WORDS:
                self._spoken = now
                self._speak()
                self.plots.refresh()

    def _speak(self) -> None:
        playback = self.playback
        label = "Pause" if playback.running else "Play"
        if self._play.label != label:
            self._play.label, self._play.color = label, "orange" if playback.running else "green"
        shown = min(max(round(playback.t, self._digits), playback.start), playback.end)
        if self._time.value != shown:
            self._time.value = shown
        self._words.content = block(f"<b>{playback.t:.3f} s</b> of {playback.end:.3f} s")
        lines = []
        latest = playback.latest
        if latest is not None:
            did = f": {latest.change}" if latest.change else ""
            lines.append(f"<b>{text(f'{latest.t:.3f} s {named(latest.name)}')}</b>{text(did)}")
        lines += [text(line) for line in (told_tree(self._tree) if playback.has_mass else (WITHOUT_MASS,))]
        content = block("<br>".join(lines))
        if self._caption.content != content:
            self._caption.content = content

    def _follow(self) -> None:
        if self.stage.shown[FOLLOW] and self.stage.placed is not None:
            self.follower.go(self.stage.placed)
        else:
            self.follower.rest()

    def _show_forces(self) -> None:
        layer = next(one for one in self.stage.overlays if isinstance(one, Forces))
        if not layer.built or not self.stage.shown[Forces.label] or self.stage.placed is None:
            return
        try:
            layer.put(*self.playback.forces.at(self.playback.sample(self.playback.t), self.stage.placed))
        except RegraftError as problem:
            layer.put(NONE, NONE)
            self.stage.show(Forces.label, False)
            self.show.refresh()
            self.tell("Forces cannot be shown", told(problem), "red")

    def switched(self, layer: str) -> None:
        """Something is shown, or hidden, from now on."""
        if layer == Forces.label:
            self._show_forces()

    def _failed(self, problem: BaseException) -> None:
        self.playback.running = False
        self.tell("An error in the viewer", told(problem), "red")

    def tell(self, title: str, words: str, colour: str | None = None) -> None:
        """Tell the visitor something that goes away by itself."""
        self.client.add_notification(title, words, auto_close_seconds=8.0, color=colour)

    # --- what a visitor does -------------------------------------------------------------------------------------------

    def _toggle(self, _pressed: bool) -> None:
        playback = self.playback
        if not playback.running and playback.t >= playback.end:
            playback.seek(playback.start)
        playback.running = not playback.running
        self.refresh()

    def _seek(self, t: float) -> None:
        self.playback.seek(float(t))
        self.refresh()

    def _stepped(self, way: str) -> None:
        self.playback.step(1 if way == _ON else -1)
        self.refresh()

    def _to_next(self, way: str) -> None:
        self.playback.to_event(1 if way == _ON else -1)
        self.refresh()

    def _set_speed(self, speed: float) -> None:
        self.playback.speed = within(speed, *_SPEEDS)

    def _set_repeats(self, repeats: bool) -> None:
        self.playback.repeats = repeats

    def _to_event(self, event: str) -> None:
        if event != NOTHING:
            self.playback.running = False
            self.playback.seek(self.playback.events[int(event.partition(":")[0]) - 1].t)
            self._event.value = NOTHING
            self.refresh()

    def _on_click(self, kind: str, name: str, _event: Any) -> None:
        self.post(self._clicked, kind, name)

    def _clicked(self, kind: str, name: str) -> None:
        """Name what was clicked; a joint is plotted."""
        self._labelled = ("", "") if self._labelled == (kind, name) else (kind, name)
        with self.client.atomic():
            self.stage.choose(*self._labelled)
            self._name()
            if kind == "joint" and self._labelled[1]:
                self.plots.choose(name)

    def _name(self) -> None:
        kind, name = self._labelled
        placed = self.stage.placed
        there = placed is not None and name in (placed.mech.joints if kind == "joint" else placed.mech.bodies)
        if not there or placed is None:
            if self._label is not None:
                self._label.remove()
                self._label = None
            return
        at = placed.joint(name) if kind == "joint" else placed.centre(name)
        if self._label is None:
            self._label = self.client.scene.add_label("/chosen", name, position=at, anchor="bottom-center")
        self._label.text, self._label.position = name, at
