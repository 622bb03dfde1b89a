"""A body in motion: a mechanism with mass, and its position, velocity and acceleration in every frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import real_numbers
from ..describe.mechanism import Mechanism
from ..errors import ModelError, listed

Array = NDArray[np.float64]


class Foot(NamedTuple):
    """A foot: its bodies, and the points of its sole as frames of the mechanism.

    Attributes
    ----------
    bodies : tuple of str
        The body that the ankle carries, and the toes where they are a body of their own.
    heel : str
        The frame at the heel.
    ball : tuple of str
        Those at the inner and the outer edge of the ball, or one for both.
    toe : str
        The frame at the tip of the toes.
    """

    bodies: tuple[str, ...]
    heel: str
    ball: tuple[str, ...]
    toe: str

    @property
    def points(self) -> tuple[str, ...]:
        """All frames of the sole, from the heel to the toes."""
        return (self.heel, *self.ball, self.toe)


class Hold(NamedTuple):
    """A support that is no foot: a hand, a knee, a cane.

    Attributes
    ----------
    points : tuple of str
        The points by which it rests on something: frames of the mechanism, or bodies, whose origins these are. What it carries
        acts on the body of the first one.
    level : float, optional
        How high that is, in the world, as for a rail or a table. By default it is the ground that feet stand on.
    bodies : tuple of str, optional
        The bodies that the points are on; found by `analyse`.
    """

    points: tuple[str, ...]
    level: float | None = None
    bodies: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Motion:
    """A recorded motion of a body with mass.

    Attributes
    ----------
    mech : Mechanism
        The body.
    t : (n,) array
        When each frame was taken.
    q, v, a : (n, nq), (n, nv), (n, nv) arrays
        Position, velocity and acceleration in each frame, in the mechanism's coordinates.
    feet : mapping of str to Foot
        "left" and "right", as far as they were found.
    joints : mapping of str to tuple of str
        The joints that make up each anatomical one, such as "right_knee", where they have other names.
    residuals : mapping of str to (n,) array
        How far each marker is from where the body has it, where the motion was found from markers.
    notes : tuple of str
        What was assumed, repaired or left out, in words.
    """

    mech: Mechanism
    t: Array
    q: Array
    v: Array
    a: Array
    feet: Mapping[str, Foot] = field(default_factory=dict)
    joints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    residuals: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    raw: Array | None = None
    """(n, nq): the positions before they were filtered; None where nothing was filtered."""
    cutoff: float | None = None
    """The filter's cut-off in Hz; None where nothing was filtered."""
    ends: str = "free"
    """What the filter took for granted beyond the ends of the record, see `rg.mocap.smooth`."""


def checked_motion(motion: Motion) -> Motion:
    """The motion with arrays of numbers in it, if they fit each other and the mechanism; its feet must be there too."""
    mech = motion.mech
    if not isinstance(mech, Mechanism):
        raise ModelError(f"the mech of a Motion must be a Mechanism, not {type(mech).__name__}.")
    t = real_numbers("the times of a motion", motion.t)
    if t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise ModelError("the times of a motion must be two or more numbers that increase.")
    arrays = {}
    for name, columns in (("q", mech.nq), ("v", mech.nv), ("a", mech.nv)):
        found = real_numbers(f"{name} of a motion", getattr(motion, name))
        if found.shape != (len(t), columns):
            raise ModelError(
                f"{name} of a motion must have shape {(len(t), columns)}, a row for each time and a column for each number of "
                f"the mechanism, not {found.shape}."
            )
        arrays[name] = found
    for side, foot in motion.feet.items():
        if not isinstance(foot, Foot):
            raise ModelError(f"the {side} foot must be a Foot(bodies, heel, ball, toe), not {foot!r}.")
        bodies = [name for name in foot.bodies if name not in mech.bodies]
        frames = [name for name in foot.points if name not in mech.frames]
        if bodies or frames or not foot.bodies:
            raise ModelError(
                f"the {side} foot names what the mechanism does not have: {listed((*bodies, *frames)) or 'no body'}."
            )
    return replace(motion, t=t, q=arrays["q"], v=arrays["v"], a=arrays["a"])
