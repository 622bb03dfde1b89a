"""Play, pause, single steps, reset, undo and redo; the time, the speed and the energy."""

from __future__ import annotations

from typing import Any

from ..ask.balance import energy
from ..errors import RegraftError
from ..tolerances import NO_MOTION
from .controls import WRONG, block, heard, text, within
from .history import Moment
from .words import number, told

_SPEEDS = 0.1, 2.0  # the slider's ends
_STEP, _RESET, _STOP, _UNDO, _REDO = "Step", "Reset", "Stop all", "Undo", "Redo"


class RunPanel:
    """The buttons above all tabs."""

    def __init__(self, page: Any, gui: Any) -> None:
        self.page = page
        self._words = gui.add_html("")
        self._play = gui.add_button("Play", color="green", hint="Start or pause the run (space)")
        self._play.on_click(heard(page.post, self._toggle))
        steps = gui.add_button_group("Run", (_STEP, _RESET, _STOP), hint="One frame; back to the beginning; all at rest")
        steps.on_click(heard(page.post, self._pressed))
        back = gui.add_button_group("Change", (_UNDO, _REDO), hint="Every change can be undone and made again")
        back.on_click(heard(page.post, self._pressed))
        self._speed = gui.add_slider("Speed", *_SPEEDS, 0.1, within(page.session.speed, *_SPEEDS), hint="1 is real time")
        self._speed.on_update(heard(page.post, self._set_speed))
        for label, key, modifier, task in (
            ("Play or pause", "space", None, lambda: self._toggle(True)),
            ("Undo", "Z", "cmd/ctrl", lambda: page.do(page.session.undo)),
            ("Redo", "Y", "cmd/ctrl", lambda: page.do(page.session.redo)),
        ):
            command = gui.add_command(label, hotkey=key, modifier=modifier)
            command.on_trigger(_posted(page.post, task))
        self.refresh()

    def _toggle(self, _pressed: bool) -> None:
        self.page.session.running = not self.page.session.running
        self.page.refresh()
        self.refresh()

    def _pressed(self, button: str) -> None:
        page, session = self.page, self.page.session
        if button == _STEP:
            session.running = False
            page.advance()
            page.refresh()
            self.refresh()
            return
        page.do({_RESET: session.reset, _STOP: session.stop, _UNDO: session.undo, _REDO: session.redo}[button])

    def _set_speed(self, speed: float) -> None:
        self.page.session.speed = within(speed, *_SPEEDS)
        self.page.pace.start(0.0)

    def refresh(self) -> None:
        """The time, and what there is to tell of the run."""
        session = self.page.session
        label = "Pause" if session.running else "Play"
        if self._play.label != label:
            self._play.label = label
            self._play.color = "orange" if session.running else "green"
        with session.lock:
            moment = session.moment
        lines = [f"<b>{moment.t:.2f} s</b> &nbsp; {'running' if session.running else 'paused'}", _energy_in_words(moment)]
        slow = self.page.pace.words(session.speed) if session.running else ""
        if slow:
            lines.append(f'<span style="color: {WRONG}">{text(slow)}</span>')
        content = block("<br>".join(lines))
        if self._words.content != content:
            self._words.content = content


def _energy_in_words(moment: Moment) -> str:
    try:
        found = energy(moment.mech, moment.state)
    except RegraftError as problem:  # too large to be a number: the page goes on without it
        return f'<span style="color: {WRONG}">{text(told(problem))}</span>'
    least = NO_MOTION * (abs(found.total) + abs(found.potential))  # what rounding leaves
    moving = found.kinetic if found.kinetic > least else 0.0
    return f"energy {number(found.total)} J: motion {number(moving)} J, height and springs {number(found.potential)} J"


def _posted(post: Any, task: Any) -> Any:
    async def passed(_event: Any) -> None:
        post(task)

    return passed
