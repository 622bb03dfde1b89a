"""The colours of pictures, and which body has which."""

from __future__ import annotations

from ..describe.parts import WORLD

INK, GREY, EARTH = "#222222", "#8A8A8A", "#EAE6DF"
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#AA4499"
GROUND, SHADOW, ROPE, SKIN, STEEL = "#EFEBE4", "#D8D2C6", "#8A6A3B", "#7C828A", "#4A4F55"
AXES = "#C8413B", "#3B9C4B", "#3A6FC4"
"""Of the x, y and z axes of a frame."""
_IN_TURN = GREEN, BLUE, ORANGE


def colour_of(body: str) -> str:
    """Left and right of a figure in two colours, bodies with a number in turn, ropes and boards as such."""
    if body == WORLD:
        return STEEL
    last = body.rsplit(maxsplit=1)[-1] if body.strip() else body
    if last in ("rope", "stub", "plate"):
        return ROPE
    if last.isdecimal():
        return _IN_TURN[int(last) % len(_IN_TURN)]
    return BLUE if body.startswith("left") else ORANGE if body.startswith("right") else SKIN


def as_hex(colour: tuple[float, ...]) -> str:
    """Red, green and blue, from 0 to 1, as pictures have them; opacity is left out."""
    return "#" + "".join(f"{round(255 * part):02X}" for part in colour[:3])
