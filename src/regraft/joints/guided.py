"""Guided joint: one coordinate, and a pose that follows given curves of it, as knees, cams and guides do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.spatial import Motion, Transform, plus, sliding, times, turning
from ..compilation import inline
from ..errors import ModelError
from .contract import Array, JointKernels, JointType, unit
from .curves import Curve, Guides
from .guides import ENDS, MOTION, MOTIONS, SAMPLE, guide, guide_kernels, nearest_on_guide


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Transform:
    n = guide(par, q[0])
    return (n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]), (n[9], n[10], n[11])


@inline
def columns(par: tuple[float, ...], q: tuple[Any], X: Transform) -> tuple[Motion]:
    n = guide(par, q[0])
    return (plus(turning(X, (n[12], n[13], n[14])), sliding(X, (n[15], n[16], n[17]))),)


@inline
def rates(par: tuple[float, ...], q: tuple[Any], v: tuple[Any], X: Transform) -> tuple[Motion]:
    n = guide(par, q[0])
    return (times(v[0], plus(turning(X, (n[18], n[19], n[20])), sliding(X, (n[21], n[22], n[23])))),)


@inline
def nearest(par: tuple[float, ...], X: Transform) -> tuple[Any]:
    (q,) = nearest_on_guide(par, X)
    return (q,)


class Guided(JointType):
    """A joint with one coordinate q whose pose follows given curves of q: a knee, a cam, a slot.

    The child's joint frame in the parent's is turned by R(axis₁, f₁(q)) R(axis₂, f₂(q)) R(axis₃, f₃(q)) and shifted by the sum of
    axis · f(q) over the translations, along axes of the parent's joint frame. v is the rate of q.

    Parameters
    ----------
    rotations : sequence of (axis, curve), optional
        Up to three turns in radians, each about an axis of the frame that the turns before it have led to.
    translations : sequence of (axis, curve), optional
        Up to three shifts in metres, along axes of the parent's joint frame. Axes need not have unit length; curves do not
        change with that.
    inverse : bool, optional
        Whether the curves give the pose of the parent in the child instead.
    **settings
        As `JointType` has them; limits bound q.

    Raises
    ------
    ModelError
        If there are more than three of a kind, an axis is zero, or no curve changes.

    Examples
    --------
    >>> import regraft as rg
    >>> cam = rg.Guided(rotations=[((0, 0, 1), rg.Curve.linear())], translations=[((1, 0, 0), rg.Curve.polynomial([0, 0, 0.1]))])
    >>> cam.pose([2.0]).translation
    array([0.4, 0. , 0. ])
    """

    nq = nv = limited = 1
    tabled = True
    optional = frozenset({"inverse"})
    kernels = JointKernels(transform, columns, nearest, rates=rates)
    __slots__ = ("_table", "inverse", "rotations", "translations")
    rotations: tuple[tuple[tuple[float, float, float], Curve], ...]
    translations: tuple[tuple[tuple[float, float, float], Curve], ...]
    inverse: bool
    _table: Array

    def __init__(
        self,
        rotations: Iterable[tuple[ArrayLike, Any]] = (),
        translations: Iterable[tuple[ArrayLike, Any]] = (),
        inverse: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        turns, shifts = _motions("rotations", rotations), _motions("translations", translations)
        if not any(curve.degree for _, curve in (*turns, *shifts)):
            raise ModelError(
                "Guided: no curve of it changes, so it never moves; use Fixed(), or give it a curve such as Curve.linear()."
            )
        self._set(rotations=turns, translations=shifts, inverse=bool(inverse))
        self._set(_table=_written(self))

    def arguments(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "rotations": [[list(axis), curve.to_dict()] for axis, curve in self.rotations],
            "translations": [[list(axis), curve.to_dict()] for axis, curve in self.translations],
        }
        return {**found, "inverse": True} if self.inverse else found

    def parameters(self) -> tuple[float, ...]:
        return (float(guide_kernels().ctypes.data),)

    def table(self) -> Array:
        return self._table

    def reversed(self) -> JointType:
        return self.with_settings(inverse=not self.inverse)

    def reverse(self, q: ArrayLike) -> Array:
        return np.array(q, float)

    def described(self) -> str:
        counts = [f"{len(value)} {word}" for word, value in (("turns", self.rotations), ("shifts", self.translations)) if value]
        return f"Guided by {' and '.join(counts)}"

    def __hash__(self) -> int:
        return hash((type(self), self.rotations, self.translations, self.inverse))

    def __repr__(self) -> str:
        kept = {key: value for key, value in (("rotations", self.rotations), ("translations", self.translations)) if value}
        parts = [f"{key}=({', '.join(_shown(*motion) for motion in value)})" for key, value in kept.items()]
        if self.inverse:
            parts.append("inverse=True")
        return f"Guided({', '.join([*parts, *self.shown_settings()])})"


def _shown(axis: tuple[float, float, float], curve: Curve) -> str:
    return f"(({', '.join(f'{x:g}' for x in axis)}), {curve!r})"


def _motions(what: str, given: Iterable[tuple[ArrayLike, Any]]) -> tuple[tuple[tuple[float, float, float], Curve], ...]:
    """Unit axes with their curves, from what a user or a file gives."""
    found = []
    for one in given:
        try:
            axis, curve = one
        except (TypeError, ValueError):
            raise ModelError(f"Guided: {what} must be pairs (axis, curve), not {one!r}.") from None
        if isinstance(curve, Mapping):
            curve = Curve.from_dict(curve)
        if not isinstance(curve, Curve):
            raise ModelError(f"Guided: {what} need a Curve, such as Curve.linear(), not {curve!r}.")
        found.append((unit(f"Guided: an axis of {what}", axis), curve))
    if len(found) > 3:
        raise ModelError(f"Guided: there can be at most 3 {what}, not {len(found)}.")
    return tuple(found)


# --- the table that kernels read -----------------------------------------------------------------------------------------------

_FINE = math.pi / 12.0  # samples are not farther apart than this turn
_MOST_SAMPLES = 1024
_FASTEST = 8.0  # of two turns: how much slower one may be for all of its whole turns to be searched


def _written(joint: Guided) -> Array:
    """The numbers of a guide, in the order that `guides.py` has."""
    motions = (*joint.rotations, *joint.translations)
    at = MOTIONS + MOTION * len(motions)
    heads: list[float] = []
    curves: list[float] = []
    for axis, curve in motions:
        heads += [*axis, float(at + len(curves))]
        curves += curve.numbers()
    places, centre = _places(joint)
    samples = np.column_stack((places, *_poses(joint, places)))
    ends = [number for place, side in ((places[0], -1.0), (places[-1], 1.0)) for number in _end(joint, float(place), side)]
    begin = at + len(curves)
    head = [begin + samples.size, len(joint.rotations), len(joint.translations), joint.inverse, centre, len(places), begin]
    assert len(head) == ENDS
    assert samples.shape[1] == SAMPLE
    return np.concatenate((np.array(head, float), ends, heads, curves, samples.ravel()))


def _places(joint: Guided) -> tuple[Array, float]:
    """Where the search for the nearest position samples the guide, and the middle of its limits.

    Between all places where a curve or a limit begins or ends, and half a turn farther on both sides where it goes on to turn.
    """
    curves = [curve for _, curve in (*joint.rotations, *joint.translations) if curve.degree]
    marks = {place for curve in curves for place in curve.breaks}
    if any(curve.degree > 1 and not curve.breaks for curve in curves):
        marks |= {-math.pi, math.pi}
    limits = [] if joint.limits is None else [x for x in (*joint.limits.lower, *joint.limits.upper) if math.isfinite(x)]
    centre = sum(limits) / len(limits) if limits else 0.0
    known = sorted({*marks, *limits} or {0.0})
    low, high = known[0] - _beyond(joint, known[0] - 1.0), known[-1] + _beyond(joint, known[-1] + 1.0)
    known = sorted({low, *known, high} if low < high else {known[0] - 1.0, *known, known[0] + 1.0})
    rows = [_between(joint, a, b) for a, b in pairwise(known)]
    found = np.unique(np.concatenate([*rows, [known[-1]]]))
    return found[:: 1 + len(found) // _MOST_SAMPLES], centre


def _beyond(joint: Guided, place: float) -> float:
    """How far the coordinate goes on from the outermost mark until all that turns there has turned by half a turn."""
    slopes = [abs(curve(place, 1)) for _, curve in joint.rotations if curve(place, 1)]
    return min(math.pi / min(slopes), _FASTEST * math.pi / max(slopes)) if slopes else 0.0


def _between(joint: Guided, a: float, b: float) -> Array:
    """Samples of a range on which every curve is one polynomial, without its end."""
    coarse = np.linspace(a, b, 17)
    turned = sum(float(np.abs(np.diff(curve(coarse))).sum()) for _, curve in joint.rotations)
    wiggles = 2 * max(curve.degree for _, curve in (*joint.rotations, *joint.translations))
    return np.linspace(a, b, max(4, wiggles, min(math.ceil(turned / _FINE), _MOST_SAMPLES)), endpoint=False)


def _poses(joint: Guided, q: Array) -> tuple[Array, Array]:
    """Rotations (n, 9) and translations (n, 3) of the joint's child in its parent."""
    turned, shifted = np.tile(np.eye(3), (len(q), 1, 1)), _shift(joint.translations, q, 0)
    for axis, curve in joint.rotations:
        x, y, z = axis
        K, angle = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), curve(q)[:, None, None]
        turned = turned @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K))
    if joint.inverse:
        turned = turned.transpose(0, 2, 1)
        shifted = -np.einsum("kij,kj->ki", turned, shifted)
    return turned.reshape(-1, 9), shifted


def _shift(translations: Guides, q: Array, order: int) -> Array:
    """(n, 3): the sum of all translations, or a derivative of it."""
    total = np.zeros((len(q), 3))
    for axis, curve in translations:
        total += curve(q, order)[:, None] * np.array(axis)
    return total


def _end(joint: Guided, place: float, side: float) -> list[float]:
    """An end of the samples: its place, its translation, the way along which translations tell the coordinate, and a reach."""
    there = np.array([place])
    rate = _shift(joint.translations, there + side, 1)[0]
    size = float(rate @ rate)
    along = rate / size if size > 0.0 else rate
    slopes = [abs(curve(place + side, 1)) for _, curve in joint.rotations]
    return [place, *_shift(joint.translations, there, 0)[0], *along, 1.0 / max(slopes) if any(slopes) else 1.0 + abs(place)]
