"""Supports that are no feet: hands on the floor or on a rail, knees, a cane; when they carry, from how their points move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite_number
from ..describe.mechanism import Mechanism
from ..errors import ModelError, listed
from .body_motion import Hold
from .gait_events import TAKEN_NAMES
from .support import Soles, Stance, Support, still_stretches, swing_speed

Array = NDArray[np.float64]

_NEAR = 0.04  # m: how far from what it rests on a support may be


def checked_holds(mech: Mechanism, supports: Mapping[str, Any] | None) -> dict[str, Hold]:
    """The supports that a caller has named, with the bodies that their points are on."""
    if not isinstance(supports, Mapping | None):
        raise ModelError(f"supports= takes names with their points, such as {{'cane': 'tip'}}, not {supports!r}.")
    found = {}
    for name, given in (supports or {}).items():
        if not isinstance(name, str) or not name or name in TAKEN_NAMES or "+" in name:
            raise ModelError(
                f"a support cannot be called {name!r}: {listed(TAKEN_NAMES)} and names with a + mean something else."
            )
        hold = given if isinstance(given, Hold) else Hold(given)
        wanted: Any = hold.points
        if not isinstance(wanted, str | Sequence) or not all(isinstance(point, str) for point in wanted):
            raise ModelError(f"the support {name!r} is given by names of frames or bodies, or by a Hold, not by {given!r}.")
        points = (wanted,) if isinstance(wanted, str) else tuple(wanted)
        strange = [point for point in points if point not in mech.frames and point not in mech.bodies]
        if strange or not points:
            raise ModelError(
                f"the support {name!r} has {listed(strange) or 'no point'}, which the body does not have; give frames or bodies, "
                f"which are: {listed((*mech.frames, *mech.bodies), 40)}."
            )
        level = None if hold.level is None else finite_number(f"the level of the support {name!r}", hold.level)
        bodies = dict.fromkeys(mech.frames[point].body if point in mech.frames else point for point in points)
        found[name] = Hold(points, level, tuple(bodies))
    return found


def with_holds(soles: Soles, support: Support, holds: Mapping[str, Hold]) -> Support:
    """Who carries the body, with the supports behind the feet; `soles` has the points of all.

    A support stands like a foot: where one of its points is slow and as low as the ground under the feet. What rests on something
    else stands where it is slow in the world and as high as that.
    """
    feet = len(soles.feet) - len(holds)
    swing = swing_speed(soles.rates[:, soles.owner < feet] - support.belt)
    ground = min((stance.level for stance in support.stances), default=None)
    stances, heights, stands = list(support.stances), [support.heights], [support.stands]
    for s, (name, hold) in enumerate(holds.items(), feet):
        own = np.flatnonzero(soles.owner == s)
        z = soles.points[:, own, 2]
        level = hold.level if hold.level is not None else ground if ground is not None else float(np.percentile(z, 5))
        moving = support.belt if hold.level is None else np.zeros(3)
        speeds = np.linalg.norm(soles.rates[:, own] - moving, axis=2)
        speeds = np.where(np.abs(z - level) < _NEAR, speeds, np.inf)
        runs = still_stretches(speeds, swing, soles)
        stances += [Stance(name, a, b, level) for a, b in runs]
        mask = np.zeros((len(soles.t), 1), bool)
        for a, b in runs:
            mask[a:b] = True
        stands.append(mask)
        heights.append(z - level)
    return support._replace(
        stands=np.concatenate(stands, axis=1),
        stances=tuple(sorted(stances, key=lambda stance: stance.start)),
        heights=np.concatenate(heights, axis=1),
        notes=(*support.notes, *_told(holds, stances)),
    )


def _told(holds: Mapping[str, Hold], stances: Sequence[Stance]) -> list[str]:
    never = [name for name in holds if not any(stance.foot == name for stance in stances)]
    return [f"the support {name!r} never carries anything: it is never slow where it could rest." for name in never]
