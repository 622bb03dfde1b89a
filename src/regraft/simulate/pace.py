"""Whether a run still comes on; steps that have collapsed for good are found by counting, so it always stops at the same place.

A torque that jumps with the velocity, as -sign(v) does, lets an adaptive integrator go on for ever: each of its steps is good,
and each is a billion times shorter than those before. Stiff limits and springs make steps shorter too, by a factor of a thousand
or ten thousand; a singular position that the motion passes does it for some hundred steps. So steps have collapsed where
thousands of them in a row are far shorter than these.
"""

from __future__ import annotations

from ..tolerances import COLLAPSED_STEP, HOPELESS_STEP, SHORT_STEP

FIRST, WINDOW = 512, 4096
"""Steps until the first look, and from one look to the next, which are twice as far apart each time until then."""
PATIENCE = 5
"""So many looks in a row must find the steps too short."""


class Pace:
    """How far the steps of a run have come, at looks after given numbers of steps."""

    def __init__(self, start: float, end: float) -> None:
        self._scale, self._t, self._steps = min(end - start, 1.0), start, 0
        self._next, self._longest, self._slow = FIRST, 0.0, 0
        self.lately = 0.0
        """The mean step between the last two looks."""

    def until_look(self, steps: int) -> int:
        """How many steps there are to the next look, when so many have been taken."""
        return max(self._next - steps, 0)

    def has_collapsed(self, steps: int, t: float) -> bool:
        """Look, if it is time, at how far so many steps have led; whether they have collapsed."""
        if steps < self._next:
            return False
        mean = self.lately = (t - self._t) / (steps - self._steps)
        self._t, self._steps, self._next = t, steps, steps + min(steps, WINDOW)
        short = mean < HOPELESS_STEP * self._scale or (mean < SHORT_STEP * self._scale and mean < COLLAPSED_STEP * self._longest)
        self._slow = self._slow + 1 if short else 0
        self._longest = max(self._longest, mean)
        return self._slow >= PATIENCE

    def begin_again(self) -> None:
        """What has let steps collapse is over."""
        self._slow = 0
