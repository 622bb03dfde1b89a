"""Sliders: gravity, damping, and the joint that is chosen while the run is paused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..joints import screws
from .controls import MUTED, NOTHING, heard, paragraphs

_GRAVITY = 20.0  # m/s²: the slider's end
_DAMPED = 0.05  # 1/s: the slider's end in shares of the mass times the square of the size
_STEPS = 1000  # of a slider
_HINT = "Choose a joint by a click or in this list. While the run is paused, sliders move it, and what closes loops follows."
_TURN, _WAY = ("turn", "rad"), ("way", "m")


class NumbersPanel:
    """The sliders."""

    def __init__(self, page: Any, gui: Any) -> None:
        self.page, self._gui = page, gui
        first = page.session.first.mech
        size = math.hypot(*first.gravity)
        self._down = first.gravity / size if size > 0.0 else np.array([0.0, 0.0, -1.0])
        most = max(_GRAVITY, float(math.ceil(size)))  # as a whole number it may be too large for a message
        self._gravity = gui.add_slider("Gravity, m/s²", 0.0, most, 0.01, size)
        self._gravity.on_update(heard(page.post, self._set_gravity))
        mass = sum(body.inertia.mass for body in first.bodies.values())
        end = _rounded(_DAMPED * mass * page.stage.room.size**2)
        self._damping = gui.add_slider(
            "Damping, N m s", 0.0, end, end / _STEPS, 0.0, hint="Added to every joint that holds something"
        )
        self._damping.on_update(heard(page.post, self._set_damping))
        self._joint = gui.add_dropdown("Move joint", (NOTHING,), initial_value=NOTHING)
        self._joint.on_update(heard(page.post, self._chosen))
        gui.add_html(paragraphs([_HINT], f"color: {MUTED}"))
        self._folder = gui.add_folder("Position of the joint", visible=False)
        self._sliders: list[Any] = []
        self._shown = ""
        self.refresh()

    def _set_gravity(self, size: float) -> None:
        self.page.do(self.page.session.set_gravity, self._down * float(size))

    def _set_damping(self, damping: float) -> None:
        self.page.do(self.page.session.set_damping, float(damping))

    def _chosen(self, joint: str) -> None:
        self.page.change.choose_joint("" if joint == NOTHING else joint)

    # --- the joint that is chosen --------------------------------------------------------------------------------------

    def show_joint(self, joint: str) -> None:
        """Sliders for a joint of the tree; none for others."""
        mech = self.page.session.mech
        movable = joint in mech.layout.q_slices and mech.joints[joint].type.nv > 0
        for slider in self._sliders:
            slider.remove()
        self._sliders, self._shown = [], joint if movable else ""
        self._folder.visible = movable
        wanted = joint if movable else NOTHING
        if self._joint.value != wanted:
            self._joint.value = wanted
        if not movable:
            return
        values = self.page.session.coordinates(joint)
        with self._folder:
            for k, (label, low, high) in enumerate(self._ranges(joint, values)):
                slider = self._gui.add_slider(label, low, high, (high - low) / _STEPS, float(np.clip(values[k], low, high)))
                slider.on_update(heard(self.page.post, self._moved, joint, k))
                self._sliders.append(slider)

    def _ranges(self, joint: str, values: Any) -> list[tuple[str, float, float]]:
        kind = self.page.session.mech.joints[joint].type
        columns = screws(kind, kind.neutral())
        way = 0.5 * self.page.stage.room.size
        found = []
        for k, column in enumerate(columns):
            (what, unit), reach = (_TURN, math.pi) if column[:3].any() else (_WAY, way)
            low, high = min(-reach, float(values[k])), max(reach, float(values[k]))
            limits = kind.limits
            if limits is not None and len(limits.lower) == kind.nv:
                low = max(low, limits.lower[k]) if math.isfinite(limits.lower[k]) else low
                high = min(high, limits.upper[k]) if math.isfinite(limits.upper[k]) else high
                low, high = min(low, float(values[k])), max(high, float(values[k]))
            count = f" {k + 1}" if kind.nv > 1 else ""
            found.append((f"{what}{count}, {unit}", low, high))
        return found

    def _moved(self, joint: str, which: int, value: float) -> None:
        session = self.page.session
        if joint in session.mech.layout.q_slices:
            values = session.coordinates(joint).copy()
            values[which] = value
            self.page.do(session.set_joint, joint, values)

    def refresh(self) -> None:
        """Sliders as things are; those of a joint can be moved while the run is paused."""
        session = self.page.session
        mech = session.mech
        options = (NOTHING, *(name for name in mech.layout.names if mech.joints[name].type.nv))
        if self._joint.options != options:
            self._joint.options = options
        if self._shown and self._shown not in mech.layout.q_slices:
            self.show_joint("")
        self._put(self._gravity, float(mech.gravity @ self._down))
        self._put(self._damping, session.moment.damping)
        if self._shown and not session.running:
            for slider, value in zip(self._sliders, session.coordinates(self._shown), strict=True):
                self._put(slider, float(value))
        for slider in self._sliders:
            if slider.disabled != session.running:
                slider.disabled = session.running

    def _put(self, slider: Any, value: float) -> None:
        wanted = float(np.clip(value, slider.min, slider.max))
        if abs(float(slider.value) - wanted) > 0.6 * float(slider.step):
            slider.value = wanted


def _rounded(value: float) -> float:
    return float(f"{value:.0e}") if value > 0.0 else 1.0
