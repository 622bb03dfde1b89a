"""The energy that contacts take and bring in a motion: friction along its dense output, impacts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...kernels.contacts import looking as k
from ...kernels.contacts.memory import MODE
from ...kernels.contacts.problem import OPEN, SLIDE
from ..applied import seen_contacts
from ..recorded import Segment
from .impacts import struck_in

Array = NDArray[np.float64]


class Losses(NamedTuple):
    """Energies over time, by point and by joint with dry friction."""

    names: tuple[str, ...]
    taken: Array
    """(samples, names): what friction and impacts have taken until then, in J."""
    brought: Array
    """(samples, names): what surfaces that run have brought until then."""


def losses_of(segments: Sequence[Segment]) -> Losses:
    """The losses of a whole motion."""
    parts = [_within(segment) for segment in segments]
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    totals = np.zeros((sum(len(segment.t) for segment in segments), len(names), 2))
    at, before = 0, np.zeros((len(names), 2))
    for segment, part in zip(segments, parts, strict=True):
        here, own = slice(at, at + len(segment.t)), [names.index(name) for name in part.names]
        totals[here] = before
        totals[here, own, 0] += part.taken
        totals[here, own, 1] += part.brought
        at, before = here.stop, totals[here.stop - 1].copy()
    return Losses(names, totals[:, :, 0], totals[:, :, 1])


def _within(segment: Segment) -> Losses:
    """The losses since a segment began, the impact with which it did counted."""
    if segment.contacts is None:
        return Losses((), np.zeros((len(segment.t), 0)), np.zeros((len(segment.t), 0)))
    first = _at(segment, segment.t[:1], segment.x[:1])
    looking, seen = seen_contacts(first)
    names = (*looking.points.names, *(rub.joint for rub in looking.modes.rubs))
    found = np.zeros((len(segment.t), len(names), 2))
    points = len(looking.points.names)
    if (struck := struck_in(segment, looking.points, seen[:, :points])) is not None:
        found[:, :points, 0], found[:, :points, 1] = struck.taken, struck.brought
    modes = looking.tables.items[:, MODE]
    runs = np.array([any(contact.velocity) for contact in looking.points.contacts], bool)
    runs = np.concatenate((runs[looking.points.contact_of], np.zeros(len(names) - points, bool))) & (modes != OPEN)
    if len(segment.t) > 1 and ((modes == SLIDE) | runs).any():
        found[1:] += np.cumsum(_of_steps(segment), axis=0)
    return Losses(names, found[:, :, 0], found[:, :, 1])


def _of_steps(segment: Segment) -> Array:
    """(steps, items, 2): what friction takes and surfaces bring in each step."""
    if segment.terms is None:
        raise ModelError(
            "what friction took is integrated along the dense output of a run, which this trajectory does not have: simulate "
            "without `every`, and ask before resampling."
        )
    t, h = segment.t[:-1], np.diff(segment.t)
    nodes, weights = np.polynomial.legendre.leggauss(segment.degree + 1)
    count = len(nodes)
    times = np.concatenate((t[:, None], t[:, None] + h[:, None] * 0.5 * (1.0 + nodes)), axis=1).ravel()
    states = segment.states(times)
    begins = np.zeros((len(t), count + 1))
    begins[:, 0] = 1.0
    _, seen = seen_contacts(_at(segment, times, states), begins.ravel())
    powers = seen.reshape(len(t), count + 1, seen.shape[1], k.SEEN)[:, 1:, :, [k.LOSES, k.GAINS]]
    work: Array = np.einsum("s,n,snip->sip", 0.5 * h, weights, powers)
    return work


def _at(segment: Segment, t: Array, x: Array) -> Segment:
    """A segment at other states of its motion."""
    applied = segment.applied and segment.applied.at_other_samples()
    if applied is None:
        raise ModelError(
            "what friction took depends on the torques and wrenches between samples, which are not known: this trajectory was "
            "read from a file, or sent from another process. Ask for it before."
        )
    return replace(segment, t=t, x=x, terms=None, sizes=None, converted=None, applied=applied)
