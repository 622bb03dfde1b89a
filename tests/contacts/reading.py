"""How the tests read what a run says of its contacts: the one place that knows the words and the sizes of its arrays."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

import regraft as rg

Array = NDArray[np.float64]

OPEN, STICKING, SLIDING = "open", "sticking", "sliding"


class Points(NamedTuple):
    """A contact over the samples of a trajectory, with a row for each sample and a column for each of its points."""

    t: Array
    mode: NDArray[np.str_]
    normal: Array
    friction: Array
    point: Array
    slip: Array
    gap: Array

    @property
    def slips(self):
        return np.linalg.norm(self.slip, axis=2)

    @property
    def rubs(self):
        return np.linalg.norm(self.friction, axis=2)


def points_of(traj, name):
    """What `traj.contacts()[name]` has, whether the contact has one point or several."""
    found, samples = traj.contacts()[name], len(traj.t)
    scalars = (np.asarray(getattr(found, what)).reshape(samples, -1) for what in ("mode", "normal", "gap"))
    mode, normal, gap = scalars
    mode = np.where(mode == "rolling", STICKING, mode)  # sticking, where the place of contact moves over the bodies
    vectors = (np.asarray(getattr(found, what), float).reshape(samples, -1, 3) for what in ("friction", "point", "slip"))
    friction, point, slip = vectors
    return Points(traj.t, mode, normal, friction, point, slip, gap)


def changes(traj, name, into):
    """The times at which a contact changes into a mode: from none of its points in it to one or more."""
    found = (points_of(traj, name).mode == into).any(axis=1)
    return traj.t[1:][found[1:] & ~found[:-1]]


def switches(traj):
    """All times at which anything changes: events, and samples of which there are two."""
    return np.unique([*(event.t for event in traj.events), *traj.t[jumps(traj)]])


def distinct(times, apart=1e-9):
    """Times in order, those of points that do the same at once counted once."""
    found = np.sort(times)
    return found[np.diff(found, prepend=-np.inf) > apart]


def total_force(traj, name):
    """(friction, normal) of a contact on level ground at all samples: sums over its points."""
    found = points_of(traj, name)
    return found.friction.sum(axis=1), found.normal.sum(axis=1)


def impact_times(traj, name):
    """When a contact took an impact, in order."""
    return np.array([impact.t for impact in traj.contacts()[name].impacts])


def accumulations(traj):
    """(t, name, count) of the events each of which stands for endlessly many impacts."""
    return [(event.t, event.name, event.count) for event in traj.events if getattr(event, "count", 1) > 1]


def jumps(traj):
    """The places of the samples just before events; each has its sample just after at the next place."""
    return np.flatnonzero(np.diff(traj.t) == 0.0)


def stretches(traj):
    """Slices of samples between events."""
    edges = [0, *(jumps(traj) + 1), len(traj.t)]
    return [slice(a, b) for a, b in itertools.pairwise(edges) if b - a > 1]


def work_within(t, power):
    """The integral of a smooth power over one stretch of at least seven samples."""
    return float(make_interp_spline(t, power, k=5).integrate(t[0], t[-1]))


def com_state(traj, t):
    """(position of the centre of mass, linear momentum) at a time."""
    mech, state = traj.mechanism(t), traj.state(t)
    return rg.center_of_mass(mech, state), rg.momentum(mech, state).linear
