"""What there is to draw of a mechanism: its shapes, and sticks for bodies that have none."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Shape
from ..describe.state import State
from .forms import Outline, line_across, lines_of, outline_of
from .sticks import stick_of, where_joints_are

Array = NDArray[np.float64]


def outlines_of(mech: Mechanism, state: State, soles: frozenset[str] = frozenset()) -> tuple[Outline, ...]:
    """A mechanism's shapes that are there to be seen, body by body, and sticks for bodies with mass that have none.

    A body all of whose visible shapes are meshes is drawn as what is there to be touched. `soles` are the frames that feet
    stand on.
    """
    places = where_joints_are(mech, state)
    by_body: dict[str, list[Shape]] = {body: [] for body in mech.bodies}
    for shape in mech.shapes.values():
        by_body.setdefault(shape.body, []).append(shape)
    found: list[Outline] = []
    for body, shapes in by_body.items():
        own = _drawable(one for one in shapes if one.visual) or _drawable(one for one in shapes if one.collision)
        if not own and body in mech.bodies and mech.bodies[body].inertia.mass > 0.0:
            own = [stick_of(mech, body, places[body], soles)]
        found += own
    return tuple(found)


def planes_of(mech: Mechanism, low: Array, high: Array) -> tuple[Outline, ...]:
    """The planes of the world that are there to be seen, as lines through a room with these corners (3,)."""
    shapes = (shape for shape in mech.shapes.values() if shape.body == WORLD and shape.visual)
    return tuple(found for shape in shapes if (found := line_across(shape, low, high)) is not None)


def _drawable(shapes: Iterable[Shape]) -> list[Outline]:
    found: list[Outline] = []
    for shape in shapes:
        outline = outline_of(shape)
        found += lines_of(shape) if outline is None else [outline]
    return found
